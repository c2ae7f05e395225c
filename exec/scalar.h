#ifndef EXEC_SCALAR_H_
#define EXEC_SCALAR_H_

// Arithmetic of scalar expressions. Integers have the width of their type and
// wrap; // and % round towards minus infinity, as in Python.
//
//   EvalBinary(BinaryOp::kFloorDiv, Value(int64_t{-7}), Value(int64_t{2}),
//              DataType::kIndex)                                  // -4
//
// Errors (InvalidArgument): division of integers by zero (floats follow IEEE),
// a shift by a negative count or by the width and more, an operator that the
// operands' kind does not have.

#include <cstdint>

#include "absl/status/statusor.h"
#include "exec/value.h"
#include "ir/data_type.h"
#include "ir/expr.h"

namespace mxtile::exec {

// `value` as an integer of the type: its low bits, sign- or zero-extended.
int64_t WrapToWidth(int64_t value, ir::DataType type);

// `type` is that of the operands.
absl::StatusOr<Value> EvalBinary(ir::BinaryOp op, const Value& lhs,
                                 const Value& rhs, ir::DataType type);
absl::StatusOr<Value> EvalUnary(ir::UnaryOp op, const Value& operand,
                                ir::DataType type);
// `from` is the operand's type. Integer to integer wraps. Float to integer
// truncates; out of the type's range is an error.
absl::StatusOr<Value> EvalCast(const Value& operand, ir::DataType from,
                               ir::DataType to);

}  // namespace mxtile::exec

#endif  // EXEC_SCALAR_H_
