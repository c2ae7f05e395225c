#include "ir/proto/table_writer.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/check.h"
#include "google/protobuf/io/coded_stream.h"

namespace mxtile::ir {
namespace {

// Of places on a line that are looked through one by one.
constexpr size_t kMaxPerLine = 32;

// A field of the program whose value is these bytes: a string or a message.
void AppendField(int number, absl::string_view value, std::string* out) {
  using google::protobuf::io::CodedOutputStream;
  constexpr uint32_t kLengthDelimited = 2;
  uint8_t header[16];
  uint8_t* end = CodedOutputStream::WriteTagToArray(
      static_cast<uint32_t>(number) << 3 | kLengthDelimited, header);
  end = CodedOutputStream::WriteVarint32ToArray(
      static_cast<uint32_t>(value.size()), end);
  out->append(reinterpret_cast<const char*>(header), end - header);
  out->append(value.data(), value.size());
}

}  // namespace

TableWriter::TableWriter() : span_rows_(1) {
  String("");
  AppendNode("");
}

void TableWriter::Reserve(size_t statements) {
  // A statement, its variable and its call have a place each.
  constexpr size_t kSpans = 3;
  constexpr size_t kNodeBytes = 40;
  constexpr size_t kNameBytes = 12;
  strings_.reserve(statements);
  string_bytes_.reserve(kNameBytes * statements);
  span_rows_.reserve(kSpans * statements);
  spans_in_order_.reserve(kSpans * statements);
  node_bytes_.reserve(kNodeBytes * statements);
}

uint32_t TableWriter::String(absl::string_view text) {
  const auto [it, is_new] = strings_.emplace(text, strings_.size());
  if (is_new) {
    AppendField(v1::ProgramProto::kStringsFieldNumber, text, &string_bytes_);
  }
  return it->second;
}

uint32_t TableWriter::Span(const SourceSpan& span) {
  if (span.file.empty() && !span.known()) return 0;
  const SpanRow row = {String(span.file), span.line, span.column, span.end_line,
                       span.end_column};
  if (const uint32_t known = FindSpan(row)) return known;
  const uint32_t number = static_cast<uint32_t>(span_rows_.size());
  span_rows_.push_back(row);
  const size_t count = spans_in_order_.size();
  const bool is_in_order =
      count == 0 || span_rows_[spans_in_order_.back()].Line() <= row.Line();
  const bool is_line_full =
      count >= kMaxPerLine &&
      span_rows_[spans_in_order_[count - kMaxPerLine]].Line() == row.Line();
  if (is_in_order && !is_line_full) {
    spans_in_order_.push_back(number);
  } else {
    other_spans_.emplace(row, number);
  }
  return number;
}

// 0: there is none.
uint32_t TableWriter::FindSpan(const SpanRow& row) const {
  // Mostly the line is the last one or a new one.
  auto it = spans_in_order_.end();
  while (it != spans_in_order_.begin() &&
         span_rows_[*(it - 1)].Line() == row.Line()) {
    --it;
  }
  const bool is_behind = it == spans_in_order_.begin() ||
                         span_rows_[*(it - 1)].Line() < row.Line();
  if (!is_behind) {
    it = std::lower_bound(spans_in_order_.begin(), it, row.Line(),
                          [this](uint32_t number, const auto& line) {
                            return span_rows_[number].Line() < line;
                          });
  }
  for (; it != spans_in_order_.end(); ++it) {
    if (span_rows_[*it].Line() != row.Line()) break;
    if (span_rows_[*it] == row) return *it;
  }
  const auto other = other_spans_.find(row);
  return other == other_spans_.end() ? 0 : other->second;
}

uint32_t TableWriter::AppendNode(absl::string_view bytes) {
  AppendField(v1::ProgramProto::kNodesFieldNumber, bytes, &node_bytes_);
  return node_count_++;
}

uint32_t TableWriter::AddNode(const v1::Node& node) {
  MX_CHECK(node.SerializeToString(&row_));
  return AppendNode(row_);
}

uint32_t TableWriter::AddOnce(const v1::Node& node) {
  MX_CHECK(node.SerializeToString(&row_));
  const auto it = once_.find(row_);
  if (it != once_.end()) return it->second;
  once_.emplace(row_, node_count_);
  return AppendNode(row_);
}

std::string TableWriter::Finish(const v1::ProgramProto& head,
                                v1::ProgramProto* rest) && {
  if (span_rows_.size() > 1) {
    v1::SpanTable* table = rest->mutable_spans();
    for (const SpanRow& row : span_rows_) {
      table->add_file(row.file);
      table->add_line(row.line);
      table->add_column(row.column);
      table->add_more_lines(row.end_line - row.line);
      table->add_end_column(row.end_column);
    }
  }
  const size_t size = head.ByteSizeLong() + string_bytes_.size() +
                      node_bytes_.size() + rest->ByteSizeLong();
  MX_CHECK(size <= std::numeric_limits<int32_t>::max())
      << "the program needs more than 2 GiB";
  std::string bytes;
  bytes.reserve(size);
  MX_CHECK(head.AppendToString(&bytes));
  bytes += string_bytes_;
  bytes += node_bytes_;
  MX_CHECK(rest->AppendToString(&bytes));
  return bytes;
}

}  // namespace mxtile::ir
