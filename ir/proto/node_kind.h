#ifndef IR_PROTO_NODE_KIND_H_
#define IR_PROTO_NODE_KIND_H_

// What each kind of node of ir/proto/ir.proto is and which fields it has, as a
// table: the comments at Node.Kind, for a reader.
//
//   const NodeKind* kind = FindNodeKind(node.kind());
//   if (PresentFields(node) & ~kind->allowed) ...

#include <cstdint>

#include "absl/strings/string_view.h"
#include "ir/proto/ir.pb.h"
#include "ir/type.h"

namespace mxtile::ir {

// What a node can be used as: bits.
enum NodeUse : uint16_t {
  kUseType = 1 << 0,
  kUseExpr = 1 << 1,
  kUseVar = 1 << 2,      // Any variable, an ITER_ARG as well.
  kUseIterArg = 1 << 3,  // An ITER_ARG.
  kUseAttrValue = 1 << 4,
  kUseAttrs = 1 << 5,
  kUseStmt = 1 << 6,
  // Of types, and of expressions of such a type.
  kUseScalar = 1 << 7,
  kUseInteger = 1 << 8,
  kUseTuple = 1 << 9,
};

// The fields of a node outside of `detail`: bits.
enum NodeField : uint16_t {
  kFieldType = 1 << 0,
  kFieldName = 1 << 1,
  kFieldOp = 1 << 2,
  kFieldArgs = 1 << 3,
  kFieldKwargs = 1 << 4,
  kFieldValue = 1 << 5,
  kFieldVar = 1 << 6,
  kFieldFunction = 1 << 7,
  kFieldAttrs = 1 << 8,
  kFieldValueType = 1 << 9,
  kFieldSpan = 1 << 10,
  kFieldVarSpan = 1 << 11,
  kFieldValueSpan = 1 << 12,
  kFieldComments = 1 << 13,
};

struct NodeKind {
  v1::Node::Kind kind;
  uint16_t uses;      // NodeUse bits.
  uint16_t required;  // NodeField bits.
  uint16_t allowed;   // Those required included.
  v1::Node::DetailCase detail;
  // Of kinds that take a fixed number of args; -1: any number.
  int arg_count;
};

// Null for KIND_UNSPECIFIED and numbers that this version does not know.
const NodeKind* FindNodeKind(v1::Node::Kind kind);

// The fields that are there, as NodeField bits.
uint16_t PresentFields(const v1::Node& node);

// The names of those fields, for messages: "name, op".
std::string FieldNames(uint16_t fields);

// The type without fields that the kind stands for, and back; kTuple and
// KIND_UNSPECIFIED for other kinds.
TypeKind MarkerOfNodeKind(v1::Node::Kind kind);
v1::Node::Kind NodeKindOfMarker(TypeKind kind);

}  // namespace mxtile::ir

#endif  // IR_PROTO_NODE_KIND_H_
