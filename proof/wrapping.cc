#include "proof/wrapping.h"

#include <cstdint>
#include <optional>

#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/goal.h"
#include "proof/value_range.h"

namespace mxtile::proof {
namespace {

// Whether a type holds every value of another.
bool Holds(ir::DataType all, ir::DataType other) {
  const int bits = ir::BitWidth(all);
  const int other_bits = ir::BitWidth(other);
  if (ir::IsSignedInteger(all) == ir::IsSignedInteger(other)) {
    return bits >= other_bits;
  }
  return ir::IsSignedInteger(all) && bits > other_bits;
}

}  // namespace

bool IsPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

bool WrappingBreaks(const Goal& goal, ir::DataType type) {
  if (goal.is_sign()) return ir::IsSignedInteger(type);
  // A multiple of 2^k keeps its k low bits, all 0, or all bits that there are.
  return !IsPowerOfTwo(goal.divisor);
}

bool ConversionBreaks(const Goal& goal, const ir::Expr& from,
                      const ir::Expr& to) {
  const ir::DataType source = *ScalarDataType(from);
  const ir::DataType target = *ScalarDataType(to);
  return !Holds(target, source) && WrappingBreaks(goal, target);
}

bool FitsTypeOf(const ir::ConstInt& constant, const ir::Expr& to) {
  return FitsType({constant.value, constant.value}, *ScalarDataType(to));
}

bool LoopMayLeaveType(const ir::For& loop) {
  for (const ir::Expr* bound : {loop.start, loop.stop}) {
    const ir::ConstInt* constant = ir::AsConstInt(bound);
    if (constant != nullptr && FitsTypeOf(*constant, *loop.loop_var)) continue;
    const std::optional<ir::DataType> type = ScalarDataType(*bound);
    if (!type.has_value() || !ir::IsInteger(*type) ||
        !Holds(*ScalarDataType(*loop.loop_var), *type)) {
      return true;
    }
  }
  return false;
}

}  // namespace mxtile::proof
