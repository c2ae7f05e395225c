#ifndef IR_OPS_TENSOR_RULES_H_
#define IR_OPS_TENSOR_RULES_H_

// What operators on whole tensors have in common: short ways to register them,
// the types of their results and checks of their operands.
//
//   RegisterOp(registry, TensorOp("exp"), {{{"input", ArgKind::kTensor}}},
//              [](const OpCall& call, Context& context) {
//                return FreshTensor(call.Tensor(0).shape, ..., context);
//              });
//
// Operators make new data unless their manual says otherwise. New data is
// packed and ND, whatever the layout of the operands, and has no pad.
//
// Source: src/ir/op/tensor_ops and src/ir/op/distributed of public PyPTO.
//
// Rules:
//   MX-TENSOR-1   shapes of operands fit each other
//   MX-TENSOR-2   the operator has a form for the element types
//   MX-TENSOR-3   operands have the element type that the others ask for
//   MX-TENSOR-4   an operand has the rank that the operator takes
//   MX-TENSOR-5   an axis is a constant, lies within the rank and differs from
//                 the other one
//   MX-TENSOR-6   the operator does not support MX layouts
//   MX-TENSOR-7   a window, offsets or indices, has the rank of its tensor and
//                 lies inside
//   MX-TENSOR-8   the valid region of the result is known, and lies inside it
//   MX-TENSOR-9   the value of a kwarg, or of a constant, is in its range
//   MX-TENSOR-10  a reinterpretation keeps the number of elements, or bytes
//   MX-TENSOR-11  transfers of symbolic extents, and pipelines, name their
//   chunks MX-TENSOR-12  the windows of a collective: counters are INT32, one a
//   rank

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/ops/op_signature.h"
#include "ir/type.h"

namespace mxtile::ir {

using DataTypes = absl::Span<const DataType>;

// ---- Registration

// tensor.<name>, without short forms.
OpDef TensorOp(absl::string_view name);
// With pl.<name> for calls whose first operand is a tensor.
OpDef UnifiedTensorOp(absl::string_view name);

// ---- Types of results

// New data: packed, ND, no pad. Without `valid` all of it is valid.
const TensorType* FreshTensor(Exprs shape, DataType dtype, Context& context);
const TensorType* FreshTensor(Exprs shape, Exprs valid, DataType dtype,
                              Context& context);
// The tensor itself, of the same kind, layout and pad, with that valid region.
const TensorType* WithValidShape(const TensorType& tensor, Exprs valid,
                                 Context& context);

// ---- Checks

// MX-TENSOR-2: the tensor at `index` has one of the types.
absl::Status CheckElementType(const OpCall& call, int index, DataTypes allowed);
// The same for a type that is not that of a tensor; `what` names it.
absl::Status CheckDataType(const OpCall& call, absl::string_view what,
                           DataType actual, DataTypes allowed);
// MX-TENSOR-2: the tensor at `index` has elements of an integer type.
absl::Status CheckIntegers(const OpCall& call, int index);
// MX-TENSOR-3: the tensor at `index` has that element type.
absl::Status CheckSameType(const OpCall& call, int index, DataType needed);
// MX-TENSOR-4.
absl::Status CheckRank(const OpCall& call, int index, size_t rank);
absl::Status CheckRankAtLeast(const OpCall& call, int index, size_t rank);
// MX-TENSOR-1: two dims, when they are constants, are equal. `what` and `other`
// name them: "lhs K" and "rhs K".
absl::Status CheckSameExtent(const OpCall& call, absl::string_view what,
                             const Expr* dim, absl::string_view other,
                             const Expr* other_dim);
// MX-TENSOR-5: the axis counted from the first.
absl::StatusOr<int> AxisWithin(const OpCall& call, int64_t axis, size_t rank);
// The same for an argument, which must be a constant.
absl::StatusOr<int> AxisArg(const OpCall& call, int index, size_t rank);
// MX-TENSOR-6.
absl::Status RefuseMx(const OpCall& call, int index);
// MX-TENSOR-9: an integer kwarg, when given, lies in [low, high].
absl::Status CheckKwargRange(const OpCall& call, absl::string_view name,
                             int64_t low, int64_t high);

}  // namespace mxtile::ir

#endif  // IR_OPS_TENSOR_RULES_H_
