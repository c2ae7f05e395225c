#include "numerics/f32_product.h"

#include <cmath>

#include "base/check.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

// The exponents of the largest and the smallest positive float.
constexpr int kMaxFloat = 127;
constexpr int kMinFloat = -149;

constexpr int kScaleBias = 127;

bool IsOperand(ElementFormat format) {
  return format == ElementFormat::kF8E4M3FN ||
         format == ElementFormat::kF8E5M2 ||
         format == ElementFormat::kF4E2M1FN || format == ElementFormat::kF4E1M2;
}

// The code 1 is the smallest subnormal.
int LeastExponent(ElementFormat format) {
  return std::ilogb(Decode(format, 1));
}

}  // namespace

F32ProductRange ExactF32Products(ElementFormat left, ElementFormat right) {
  MX_CHECK(IsOperand(left) && IsOperand(right))
      << Name(left) << " times " << Name(right);
  const double largest =
      static_cast<double>(MaxFinite(left)) * MaxFinite(right);
  F32ProductRange range;
  range.max_left = kMaxFloat + kScaleBias - MaxExponent(left);
  range.max_right = kMaxFloat + kScaleBias - MaxExponent(right);
  range.min_sum =
      kMinFloat + 2 * kScaleBias - LeastExponent(left) - LeastExponent(right);
  range.max_sum = kMaxFloat + 2 * kScaleBias - std::ilogb(largest);
  return range;
}

}  // namespace mxtile
