#ifndef IR_SOURCE_FILE_H_
#define IR_SOURCE_FILE_H_

// A file's text, and the way from an offset in it to a line and a column.
//
//   SourceFile file("a.py", "x = 1\ny = 2\n");
//   file.Position(6)  ->  line 2, column 1
//   file.Line(2)      ->  "y = 2"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/source_span.h"

namespace mxtile::ir {

struct LineColumn {
  int32_t line = 0;    // From 1.
  int32_t column = 0;  // From 1, in bytes.
};

// Stays where it is, since spans and syntax trees point into it.
class SourceFile {
 public:
  // Lines and columns are 32 bit numbers, so that places behind this one have
  // no position: readers refuse larger files.
  static constexpr size_t kMaxBytes = 0x7fff'fffe;

  // The bytes may be anything. A UTF-8 byte order mark at the start of
  // `contents` is dropped.
  SourceFile(std::string name, std::string contents);
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;

  absl::string_view name() const { return name_; }
  absl::string_view contents() const { return contents_; }

  // At least 1: text after the last line break is a line, even an empty one.
  int32_t line_count() const {
    return static_cast<int32_t>(line_starts_.size());
  }

  // Where the byte at `offset` stands: at most at contents().size(), the end,
  // and at kMaxBytes. O(log lines).
  LineColumn Position(size_t offset) const;

  // The bytes of [begin, end), as a span. O(log lines).
  SourceSpan Span(size_t begin, size_t end) const;

  // Line `line`, from 1 to line_count(), without its line break ("\n" or
  // "\r\n").
  absl::string_view Line(int32_t line) const;

 private:
  std::string name_;
  std::string contents_;
  std::vector<size_t> line_starts_;
};

}  // namespace mxtile::ir

#endif  // IR_SOURCE_FILE_H_
