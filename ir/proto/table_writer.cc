#include "ir/proto/table_writer.h"

#include <limits>

#include "base/check.h"
#include "google/protobuf/io/coded_stream.h"

namespace mxtile::ir {
namespace {

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

TableWriter::TableWriter()
    : span_rows_(1), spans_(0, SpanHash{&span_rows_}, SpanEqual{&span_rows_}) {
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
  spans_.reserve(kSpans * statements);
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
  const auto it = spans_.find(row);
  if (it != spans_.end()) return *it;
  const uint32_t number = static_cast<uint32_t>(span_rows_.size());
  span_rows_.push_back(row);
  spans_.insert(number);
  return number;
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
