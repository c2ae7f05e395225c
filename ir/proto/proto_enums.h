#ifndef IR_PROTO_PROTO_ENUMS_H_
#define IR_PROTO_PROTO_ENUMS_H_

// Enumerators of the IR and their numbers in the protobuf form, both ways.
//
//   EnumToProto(DataType::kFP32) == v1::FP32
//   EnumFromProto(v1::FP32) == DataType::kFP32
//   EnumFromProto(v1::DATA_TYPE_UNSPECIFIED) == std::nullopt
//
// The numbers are those of ir/proto/ir.proto and do not follow the IR's. An
// enumerator of the IR without a number does not compile.

#include <optional>

#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/proto/ir.pb.h"

namespace mxtile::ir {

// nullopt for 0 and for numbers that this version does not know.
#define MX_DECLARE_PROTO_ENUM(E) \
  v1::E EnumToProto(E value);    \
  std::optional<E> EnumFromProto(v1::E value)

MX_DECLARE_PROTO_ENUM(DataType);
MX_DECLARE_PROTO_ENUM(MemorySpace);
MX_DECLARE_PROTO_ENUM(TensorLayout);
MX_DECLARE_PROTO_ENUM(TileLayout);
MX_DECLARE_PROTO_ENUM(PadValue);
MX_DECLARE_PROTO_ENUM(CompactMode);
MX_DECLARE_PROTO_ENUM(ParamDirection);
MX_DECLARE_PROTO_ENUM(FunctionType);
MX_DECLARE_PROTO_ENUM(Level);
MX_DECLARE_PROTO_ENUM(Role);
MX_DECLARE_PROTO_ENUM(LoopKind);
MX_DECLARE_PROTO_ENUM(ScopeKind);
MX_DECLARE_PROTO_ENUM(BinaryOp);
MX_DECLARE_PROTO_ENUM(UnaryOp);

#undef MX_DECLARE_PROTO_ENUM

}  // namespace mxtile::ir

#endif  // IR_PROTO_PROTO_ENUMS_H_
