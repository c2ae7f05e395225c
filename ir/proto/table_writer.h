#ifndef IR_PROTO_TABLE_WRITER_H_
#define IR_PROTO_TABLE_WRITER_H_

// The tables of a file while it is written: rows go in as messages and are kept
// as the file's bytes, a tenth of the memory.
//
//   TableWriter tables;
//   v1::Node node;
//   node.set_name(tables.String("row"));
//   const uint32_t number = tables.AddNode(node);
//   std::string bytes = std::move(tables).Finish(head, &rest);
//
// Place 0 of each table is there from the start: "", no span, an empty node.

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "ir/proto/ir.pb.h"
#include "ir/source_span.h"

namespace mxtile::ir {

class TableWriter {
 public:
  TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  // Makes room for a program of about so many statements.
  void Reserve(size_t statements);

  // The number of the text, which must live until Finish.
  uint32_t String(absl::string_view text);
  // 0 where neither file nor line is known.
  uint32_t Span(const SourceSpan& span);
  // Always a new row.
  uint32_t AddNode(const v1::Node& node);
  // The row that says the same, if there is one.
  uint32_t AddOnce(const v1::Node& node);

  // The file: `head` has the fields in front of the tables, `rest` those behind
  // them; it gets the spans.
  std::string Finish(const v1::ProgramProto& head, v1::ProgramProto* rest) &&;

 private:
  struct SpanRow {
    uint32_t file = 0;
    int32_t line = 0;
    int32_t column = 0;
    int32_t end_line = 0;
    int32_t end_column = 0;

    auto AsTuple() const {
      return std::make_tuple(file, line, column, end_line, end_column);
    }
    bool operator==(const SpanRow& other) const {
      return AsTuple() == other.AsTuple();
    }
    template <typename H>
    friend H AbslHashValue(H h, const SpanRow& row) {
      return H::combine(std::move(h), row.AsTuple());
    }
    // By line only.
    std::pair<uint32_t, int32_t> Line() const { return {file, line}; }
  };

  uint32_t FindSpan(const SpanRow& row) const;
  uint32_t AppendNode(absl::string_view bytes);

  absl::flat_hash_map<absl::string_view, uint32_t> strings_;
  std::string string_bytes_;  // Fields of the file, tags included.
  std::vector<SpanRow> span_rows_;
  // The rows whose lines came in order, which most do, and the others. A table
  // by hash of all of them would be too large for caches.
  std::vector<uint32_t> spans_in_order_;
  absl::flat_hash_map<SpanRow, uint32_t> other_spans_;
  uint32_t node_count_ = 0;
  std::string node_bytes_;  // Fields of the file, tags included.
  absl::flat_hash_map<std::string, uint32_t> once_;  // By a row's bytes.
  std::string row_;
};

}  // namespace mxtile::ir

#endif  // IR_PROTO_TABLE_WRITER_H_
