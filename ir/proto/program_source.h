#ifndef IR_PROTO_PROGRAM_SOURCE_H_
#define IR_PROTO_PROGRAM_SOURCE_H_

// A file's tables, before anything in them is trusted.
//
//   WireSource source;
//   MX_RETURN_IF_ERROR(source.Scan(bytes, &error));
//   source.ForEachNode([](uint32_t number, const v1::Node& node) { ... });
//
// Of a binary file, nodes are parsed in pieces of about 64 KiB into one message
// that is used again and again, at each walk anew, and strings are not copied:
// so memory stays far below what the file's nodes as messages would need (a row
// of 2 bytes is a message of 120), and the second walk costs less than fetching
// fresh memory for the first.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/proto/ir.pb.h"

namespace mxtile::ir {

using NodeFn =
    absl::FunctionRef<absl::Status(uint32_t number, const v1::Node& node)>;

class ProgramSource {
 public:
  virtual ~ProgramSource() = default;

  const std::vector<absl::string_view>& strings() const { return strings_; }
  uint32_t node_count() const { return node_count_; }
  // All fields of the program but strings and nodes.
  const v1::ProgramProto& rest() const { return *rest_; }

  // Calls fn for each node in order, until it returns an error.
  virtual absl::Status ForEachNode(NodeFn fn) = 0;

 protected:
  std::vector<absl::string_view> strings_;
  uint32_t node_count_ = 0;
  const v1::ProgramProto* rest_ = nullptr;
};

// A program that is there as a message, which must outlive the source.
class MessageSource : public ProgramSource {
 public:
  explicit MessageSource(const v1::ProgramProto& proto);
  absl::Status ForEachNode(NodeFn fn) override;
};

// A binary file, whose bytes must outlive the source.
class WireSource : public ProgramSource {
 public:
  // Finds the tables. InvalidArgument when the bytes are no message of this
  // type.
  absl::Status Scan(absl::string_view bytes);
  absl::Status ForEachNode(NodeFn fn) override;

 private:
  absl::Status ParseRest(const std::vector<absl::string_view>& parts);

  v1::ProgramProto rest_message_;
  // Bytes of `nodes` fields, tags included.
  std::vector<absl::string_view> pieces_;
  v1::ProgramProto piece_;
};

}  // namespace mxtile::ir

#endif  // IR_PROTO_PROGRAM_SOURCE_H_
