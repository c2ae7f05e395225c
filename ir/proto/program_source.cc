#include "ir/proto/program_source.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "google/protobuf/io/zero_copy_stream_impl.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace mxtile::ir {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 16;

// The wire types of protobuf that this schema can have.
enum WireType { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

// Walks over the fields of a message's bytes, without going into them.
class FieldWalk {
 public:
  explicit FieldWalk(absl::string_view bytes) : bytes_(bytes) {}

  // Steps to the next field; false at the end, and when there is none.
  bool Next() {
    begin_ = end_;
    if (end_ == bytes_.size()) return false;
    uint64_t tag = 0;
    if (!ReadVarint(&tag) || tag >> 3 == 0 || tag >> 32 != 0) return Fail();
    field_ = static_cast<uint32_t>(tag >> 3);
    wire_type_ = static_cast<int>(tag & 7);
    payload_ = {};
    uint64_t skipped = 0;
    switch (wire_type_) {
      case kVarint:
        return ReadVarint(&skipped) || Fail();
      case kFixed64:
        return Skip(8) || Fail();
      case kFixed32:
        return Skip(4) || Fail();
      case kLengthDelimited: {
        if (!ReadVarint(&skipped) || skipped > bytes_.size() - end_) {
          return Fail();
        }
        payload_ = bytes_.substr(end_, skipped);
        end_ += skipped;
        return true;
      }
      default:
        return Fail();
    }
  }

  bool failed() const { return failed_; }
  size_t begin() const { return begin_; }
  uint32_t field() const { return field_; }
  int wire_type() const { return wire_type_; }
  absl::string_view payload() const { return payload_; }
  // The whole field.
  absl::string_view bytes() const {
    return bytes_.substr(begin_, end_ - begin_);
  }

 private:
  bool Fail() {
    failed_ = true;
    return false;
  }
  bool Skip(size_t count) {
    if (count > bytes_.size() - end_) return false;
    end_ += count;
    return true;
  }
  bool ReadVarint(uint64_t* value) {
    for (int shift = 0; shift < 64 && end_ < bytes_.size(); shift += 7) {
      const uint8_t byte = bytes_[end_++];
      *value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  absl::string_view bytes_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint32_t field_ = 0;
  int wire_type_ = 0;
  absl::string_view payload_;
  bool failed_ = false;
};

// Appends bytes to the last part where they follow on it.
void AppendTo(std::vector<absl::string_view>* parts, absl::string_view bytes,
              size_t max_bytes) {
  if (!parts->empty()) {
    absl::string_view& last = parts->back();
    if (last.data() + last.size() == bytes.data() &&
        last.size() + bytes.size() <= max_bytes) {
      last = absl::string_view(last.data(), last.size() + bytes.size());
      return;
    }
  }
  parts->push_back(bytes);
}

}  // namespace

MessageSource::MessageSource(const v1::ProgramProto& proto) {
  strings_.reserve(proto.strings_size());
  for (const std::string& text : proto.strings()) strings_.push_back(text);
  node_count_ = proto.nodes_size();
  rest_ = &proto;
}

absl::Status MessageSource::ForEachNode(NodeFn fn) {
  for (uint32_t i = 0; i < node_count_; ++i) {
    MX_RETURN_IF_ERROR(fn(i, rest_->nodes(i)));
  }
  return absl::OkStatus();
}

absl::Status WireSource::Scan(absl::string_view bytes) {
  std::vector<absl::string_view> rest;
  FieldWalk walk(bytes);
  while (walk.Next()) {
    const bool delimited = walk.wire_type() == kLengthDelimited;
    if (delimited && walk.field() == v1::ProgramProto::kStringsFieldNumber) {
      strings_.push_back(walk.payload());
    } else if (delimited &&
               walk.field() == v1::ProgramProto::kNodesFieldNumber) {
      AppendTo(&pieces_, walk.bytes(), kPieceBytes);
      ++node_count_;
    } else {
      AppendTo(&rest, walk.bytes(), bytes.size());
    }
  }
  if (walk.failed()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no protobuf field at byte ", walk.begin(), " of ",
        bytes.size(), "; the file is damaged, cut short, or something else"));
  }
  return ParseRest(rest);
}

absl::Status WireSource::ParseRest(
    const std::vector<absl::string_view>& parts) {
  using google::protobuf::io::ArrayInputStream;
  std::vector<std::unique_ptr<ArrayInputStream>> arrays;
  std::vector<google::protobuf::io::ZeroCopyInputStream*> streams;
  for (const absl::string_view part : parts) {
    arrays.push_back(
        std::make_unique<ArrayInputStream>(part.data(), part.size()));
    streams.push_back(arrays.back().get());
  }
  google::protobuf::io::ConcatenatingInputStream all(streams.data(),
                                                     streams.size());
  if (!rest_message_.ParseFromZeroCopyStream(&all)) {
    return absl::InvalidArgumentError(
        "a field beside strings and nodes is damaged");
  }
  rest_ = &rest_message_;
  return absl::OkStatus();
}

absl::Status WireSource::ForEachNode(NodeFn fn) {
  uint32_t number = 0;
  for (const absl::string_view piece : pieces_) {
    if (!piece_.ParseFromArray(piece.data(), piece.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("a node from nodes[", number, "] on is damaged"));
    }
    for (const v1::Node& node : piece_.nodes()) {
      MX_RETURN_IF_ERROR(fn(number++, node));
    }
  }
  return absl::OkStatus();
}

}  // namespace mxtile::ir
