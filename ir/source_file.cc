#include "ir/source_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/check.h"

namespace mxtile::ir {
namespace {

constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

SourceFile::SourceFile(std::string name, std::string contents)
    : name_(std::move(name)), contents_(std::move(contents)) {
  if (absl::StartsWith(contents_, kByteOrderMark)) {
    contents_.erase(0, kByteOrderMark.size());
  }
  line_starts_.push_back(0);
  for (size_t at = contents_.find('\n'); at != std::string::npos;
       at = contents_.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
}

LineColumn SourceFile::Position(size_t offset) const {
  MX_CHECK(offset <= std::min(contents_.size(), kMaxBytes))
      << "offset " << offset << " of " << contents_.size();
  const auto next_line =
      std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = next_line - line_starts_.begin();
  return {static_cast<int32_t>(line),
          static_cast<int32_t>(offset - line_starts_[line - 1] + 1)};
}

SourceSpan SourceFile::Span(size_t begin, size_t end) const {
  MX_CHECK(begin <= end) << begin << " > " << end;
  const LineColumn first = Position(begin);
  const LineColumn last = Position(end);
  return {{first.line, first.column, last.line, last.column}, name_};
}

absl::string_view SourceFile::Line(int32_t line) const {
  MX_CHECK(line >= 1 && line <= line_count())
      << "line " << line << " of " << line_count();
  const size_t begin = line_starts_[line - 1];
  if (line == line_count()) return contents().substr(begin);
  const size_t end = line_starts_[line] - 1;
  return absl::StripSuffix(contents().substr(begin, end - begin), "\r");
}

}  // namespace mxtile::ir
