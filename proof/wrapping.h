#ifndef PROOF_WRAPPING_H_
#define PROOF_WRAPPING_H_

// What becomes of a goal when a value is brought to the width of a type.
//
//   WrappingBreaks(Goal::MultipleOf(16), DataType::kInt32)    // false
//   WrappingBreaks(Goal::MultipleOf(3), DataType::kInt32)     // true
//   WrappingBreaks(Goal::NonNegative(), DataType::kInt32)     // true

#include <cstdint>

#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/goal.h"

namespace mxtile::proof {

bool IsPowerOfTwo(int64_t value);

// Whether `goal`, shown of the exact value, need not hold of the value as the
// integer type holds it.
bool WrappingBreaks(const Goal& goal, ir::DataType type);

// Whether `goal`, shown of `from`, need not hold of the value as `to` holds it.
// Both are of integer types.
bool ConversionBreaks(const Goal& goal, const ir::Expr& from,
                      const ir::Expr& to);

// Whether the type of `to` has the constant's value.
bool FitsTypeOf(const ir::ConstInt& constant, const ir::Expr& to);

// Whether values between the loop's bounds may be no values of its variable.
bool LoopMayLeaveType(const ir::For& loop);

}  // namespace mxtile::proof

#endif  // PROOF_WRAPPING_H_
