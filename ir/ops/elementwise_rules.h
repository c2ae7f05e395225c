#ifndef IR_OPS_ELEMENTWISE_RULES_H_
#define IR_OPS_ELEMENTWISE_RULES_H_

// The shapes and element types of results, as operators on tiles and operators
// on tensors have them in common.
//
//   PromotedType(DataType::kFP16, DataType::kInt32) == DataType::kFP16
//   BroadcastShape([8, 1], [64], context) == [8, 64]
//   ReducedShape([8, 64], 1, /*keep_dim=*/true, context) == [8, 1]
//
// Source: type_inference.cpp of public PyPTO. It refuses dims that it can't
// prove to be equal; here only constants are compared, as everywhere.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"

namespace mxtile::ir {

// The type in which elements of two types are combined: a float before an
// integer, then the wider, then the signed one, then `a`.
DataType PromotedType(DataType a, DataType b);

// The type that a scalar operand brings along. A bare integer literal has none
// of its own and becomes one of the elements that it meets.
DataType ScalarOperandType(const Expr& scalar, DataType elements);

// The same constant, or the same expression.
bool IsSameDim(const Expr* a, const Expr* b, Context& context);
bool HaveSameDims(Exprs a, Exprs b, Context& context);

// Dims meet from the last one on; a missing one and a 1 give way. Of two dims
// of which one is symbolic the constant is taken. Nullopt when constants do not
// fit.
std::optional<std::vector<const Expr*>> BroadcastShape(Exprs a, Exprs b,
                                                       Context& context);

// Without dim `axis`, or with 1 in its place.
std::vector<const Expr*> ReducedShape(Exprs shape, int axis, bool keep_dim,
                                      Context& context);

// The axis counted from the first; negative ones count from behind. Nullopt
// outside of the rank.
std::optional<int> NormalizedAxis(int64_t axis, size_t rank);

}  // namespace mxtile::ir

#endif  // IR_OPS_ELEMENTWISE_RULES_H_
