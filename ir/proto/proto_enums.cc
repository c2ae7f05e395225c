#include "ir/proto/proto_enums.h"

#include <optional>

#include "base/check.h"

// A switch over an enum without `default` names all its enumerators.
#pragma GCC diagnostic error "-Wswitch"

namespace mxtile::ir {

// X(enumerator of the IR, enumerator of ir.proto)

#define MX_DATA_TYPE_PAIRS(X) \
  X(kBool, BOOL)              \
  X(kInt4, INT4)              \
  X(kInt8, INT8)              \
  X(kInt16, INT16)            \
  X(kInt32, INT32)            \
  X(kInt64, INT64)            \
  X(kIndex, INDEX)            \
  X(kUInt4, UINT4)            \
  X(kUInt8, UINT8)            \
  X(kUInt16, UINT16)          \
  X(kUInt32, UINT32)          \
  X(kUInt64, UINT64)          \
  X(kFP4, FP4)                \
  X(kFP8E4M3FN, FP8E4M3FN)    \
  X(kFP8E5M2, FP8E5M2)        \
  X(kFP16, FP16)              \
  X(kFP32, FP32)              \
  X(kFP8E8M0, FP8E8M0)        \
  X(kBF16, BF16)              \
  X(kHF4, HF4)                \
  X(kHF8, HF8)                \
  X(kFP4E2M1X2, FP4E2M1X2)    \
  X(kTaskId, TASK_ID)

#define MX_MEMORY_SPACE_PAIRS(X) \
  X(kDDR, DDR)                   \
  X(kVec, VEC)                   \
  X(kMat, MAT)                   \
  X(kLeft, LEFT)                 \
  X(kRight, RIGHT)               \
  X(kAcc, ACC)                   \
  X(kBias, BIAS)                 \
  X(kScalarLocal, SCALAR_LOCAL)  \
  X(kLeftScale, LEFT_SCALE)      \
  X(kRightScale, RIGHT_SCALE)

#define MX_TENSOR_LAYOUT_PAIRS(X) \
  X(kND, ND)                      \
  X(kDN, DN)                      \
  X(kNZ, NZ)                      \
  X(kMxAZZ, MX_A_ZZ)              \
  X(kMxBNN, MX_B_NN)

#define MX_TILE_LAYOUT_PAIRS(X) \
  X(kNoneBox, NONE_BOX)         \
  X(kRowMajor, ROW_MAJOR)       \
  X(kColMajor, COL_MAJOR)

#define MX_PAD_VALUE_PAIRS(X) \
  X(kNull, PAD_NULL)          \
  X(kZero, PAD_ZERO)          \
  X(kMax, PAD_MAX)            \
  X(kMin, PAD_MIN)

#define MX_COMPACT_MODE_PAIRS(X) \
  X(kNull, COMPACT_NULL)         \
  X(kNormal, COMPACT_NORMAL)

#define MX_PARAM_DIRECTION_PAIRS(X) \
  X(kIn, IN)                        \
  X(kOut, OUT)                      \
  X(kInOut, IN_OUT)

#define MX_FUNCTION_TYPE_PAIRS(X)  \
  X(kOpaque, OPAQUE)               \
  X(kOrchestration, ORCHESTRATION) \
  X(kInCore, IN_CORE)              \
  X(kAIC, AIC)                     \
  X(kAIV, AIV)                     \
  X(kGroup, GROUP)                 \
  X(kSpmd, SPMD)                   \
  X(kInline, INLINE)               \
  X(kGraph, GRAPH)

#define MX_LEVEL_PAIRS(X)         \
  X(kAIV, LEVEL_AIV)              \
  X(kAIC, LEVEL_AIC)              \
  X(kCoreGroup, LEVEL_CORE_GROUP) \
  X(kChipDie, LEVEL_CHIP_DIE)     \
  X(kChip, LEVEL_CHIP)            \
  X(kHost, LEVEL_HOST)            \
  X(kCluster0, LEVEL_CLUSTER_0)   \
  X(kCluster1, LEVEL_CLUSTER_1)   \
  X(kCluster2, LEVEL_CLUSTER_2)   \
  X(kGlobal, LEVEL_GLOBAL)

#define MX_ROLE_PAIRS(X)         \
  X(kOrchestrator, ORCHESTRATOR) \
  X(kSubWorker, SUB_WORKER)

#define MX_LOOP_KIND_PAIRS(X) \
  X(kSequential, SEQUENTIAL)  \
  X(kParallel, PARALLEL)      \
  X(kUnroll, UNROLL)          \
  X(kPipeline, PIPELINE)

#define MX_SCOPE_KIND_PAIRS(X)  \
  X(kAt, SCOPE_AT)              \
  X(kCluster, SCOPE_CLUSTER)    \
  X(kSpmd, SCOPE_SPMD)          \
  X(kSplitAiv, SCOPE_SPLIT_AIV) \
  X(kRuntime, SCOPE_RUNTIME)

#define MX_BINARY_OP_PAIRS(X) \
  X(kAdd, ADD)                \
  X(kSub, SUB)                \
  X(kMul, MUL)                \
  X(kFloorDiv, FLOOR_DIV)     \
  X(kFloorMod, FLOOR_MOD)     \
  X(kFloatDiv, FLOAT_DIV)     \
  X(kMin, MINIMUM)            \
  X(kMax, MAXIMUM)            \
  X(kPow, POW)                \
  X(kEq, EQ)                  \
  X(kNe, NE)                  \
  X(kLt, LT)                  \
  X(kLe, LE)                  \
  X(kGt, GT)                  \
  X(kGe, GE)                  \
  X(kAnd, AND)                \
  X(kOr, OR)                  \
  X(kXor, XOR)                \
  X(kBitAnd, BIT_AND)         \
  X(kBitOr, BIT_OR)           \
  X(kBitXor, BIT_XOR)         \
  X(kShiftL, SHIFT_L)         \
  X(kShiftR, SHIFT_R)

#define MX_UNARY_OP_PAIRS(X) \
  X(kAbs, ABS)               \
  X(kNeg, NEG)               \
  X(kNot, NOT)               \
  X(kBitNot, BIT_NOT)

#define MX_CASE_TO_PROTO(ir_name, proto_name) \
  case Ir::ir_name:                           \
    return v1::proto_name;
#define MX_CASE_FROM_PROTO(ir_name, proto_name) \
  case v1::proto_name:                          \
    return Ir::ir_name;
#define MX_DEFINE_PROTO_ENUM(E, PAIRS)                             \
  v1::E EnumToProto(E value) {                                     \
    using Ir = E;                                                  \
    switch (value) { PAIRS(MX_CASE_TO_PROTO) }                     \
    MX_CHECK(false) << "no enumerator";                            \
    return v1::E(0);                                               \
  }                                                                \
  std::optional<E> EnumFromProto(v1::E value) {                    \
    using Ir = E;                                                  \
    switch (static_cast<int>(value)) { PAIRS(MX_CASE_FROM_PROTO) } \
    return std::nullopt;                                           \
  }

MX_DEFINE_PROTO_ENUM(DataType, MX_DATA_TYPE_PAIRS)
MX_DEFINE_PROTO_ENUM(MemorySpace, MX_MEMORY_SPACE_PAIRS)
MX_DEFINE_PROTO_ENUM(TensorLayout, MX_TENSOR_LAYOUT_PAIRS)
MX_DEFINE_PROTO_ENUM(TileLayout, MX_TILE_LAYOUT_PAIRS)
MX_DEFINE_PROTO_ENUM(PadValue, MX_PAD_VALUE_PAIRS)
MX_DEFINE_PROTO_ENUM(CompactMode, MX_COMPACT_MODE_PAIRS)
MX_DEFINE_PROTO_ENUM(ParamDirection, MX_PARAM_DIRECTION_PAIRS)
MX_DEFINE_PROTO_ENUM(FunctionType, MX_FUNCTION_TYPE_PAIRS)
MX_DEFINE_PROTO_ENUM(Level, MX_LEVEL_PAIRS)
MX_DEFINE_PROTO_ENUM(Role, MX_ROLE_PAIRS)
MX_DEFINE_PROTO_ENUM(LoopKind, MX_LOOP_KIND_PAIRS)
MX_DEFINE_PROTO_ENUM(ScopeKind, MX_SCOPE_KIND_PAIRS)
MX_DEFINE_PROTO_ENUM(BinaryOp, MX_BINARY_OP_PAIRS)
MX_DEFINE_PROTO_ENUM(UnaryOp, MX_UNARY_OP_PAIRS)

}  // namespace mxtile::ir
