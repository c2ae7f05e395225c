#ifndef NUMERICS_EXACT_ELEMENT_TEST_UTIL_H_
#define NUMERICS_EXACT_ELEMENT_TEST_UTIL_H_

// Scaling and encoding once more, in integers: no float arithmetic, no rounding
// by bits, nothing of the code under test.
//
//   const ExactElement e4m3(ElementFormat::kF8E4M3FN);
//   e4m3.ScaledCode(SplitF32(-3.0f), /*shared_exponent=*/120) == 0xFC
//
// A magnitude is significand * 2^exponent. The codes of a format are multiples
// of its smallest subnormal, and so are twice the middles between neighbours;
// the code is the number of middles that the magnitude passes.

#include <cstdint>
#include <vector>

#include "numerics/element_format.h"

namespace mxtile {

enum class NumberKind { kFinite, kInfinity, kNan };

// A value of a source format: (-1)^sign * significand * 2^exponent.
struct SplitNumber {
  NumberKind kind;
  bool sign;
  uint32_t significand;  // below 2^24
  int exponent;
};

SplitNumber SplitF16(uint16_t code);
SplitNumber SplitBF16(uint16_t code);
SplitNumber SplitF32(float value);

class ExactElement {
 public:
  // f8E4M3FN, f8E5M2, f4E2M1FN or f4E1M2.
  explicit ExactElement(ElementFormat format);

  // The magnitudes of the finite codes in units of 2^unit_exponent().
  const std::vector<int64_t>& magnitudes() const { return magnitudes_; }
  int unit_exponent() const { return unit_exponent_; }

  // The nearest code of x * 2^(127-s), ties to the even one, saturating; Inf
  // as the largest. NaN, and any x under s = 255: 7 in 4 bits, otherwise 0x7F,
  // with the sign of x unless s is 255.
  uint32_t ScaledCode(const SplitNumber& x, int shared_exponent) const;

 private:
  // The nearest code of significand * 2^exponent.
  uint32_t NearestMagnitude(uint64_t significand, int exponent) const;

  std::vector<int64_t> magnitudes_;
  std::vector<int64_t> doubled_middles_;
  int unit_exponent_;
  bool has_nan_;
  uint32_t sign_mask_;
};

}  // namespace mxtile

#endif  // NUMERICS_EXACT_ELEMENT_TEST_UTIL_H_
