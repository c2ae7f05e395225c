#include "numerics/exact_element_test_util.h"

#include <algorithm>
#include <cstdint>

#include "absl/base/casts.h"
#include "base/check.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

// An IEEE interchange format, by its widths.
SplitNumber Split(uint32_t code, int exponent_bits, int mantissa_bits) {
  const uint32_t all_ones = (1u << exponent_bits) - 1;
  const uint32_t field = code >> mantissa_bits & all_ones;
  const uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  SplitNumber number;
  number.sign = (code >> (exponent_bits + mantissa_bits)) != 0;
  number.kind = field != all_ones ? NumberKind::kFinite
                : mantissa == 0   ? NumberKind::kInfinity
                                  : NumberKind::kNan;
  number.significand = field == 0 ? mantissa : mantissa | 1u << mantissa_bits;
  number.exponent =
      static_cast<int>(std::max(field, 1u)) - bias - mantissa_bits;
  return number;
}

struct Definition {
  int mantissa_bits;
  int bias;
  int largest_code;
};

Definition Define(ElementFormat format) {
  switch (format) {
    case ElementFormat::kF8E4M3FN:
      return {3, 7, 0x7E};
    case ElementFormat::kF8E5M2:
      return {2, 15, 0x7B};
    case ElementFormat::kF4E2M1FN:
      return {1, 1, 7};
    case ElementFormat::kF4E1M2:
      return {2, 1, 7};
    default:
      MX_CHECK(false) << Name(format) << " is no format of MX data";
      return {};
  }
}

}  // namespace

SplitNumber SplitF16(uint16_t code) { return Split(code, 5, 10); }
SplitNumber SplitBF16(uint16_t code) { return Split(code, 8, 7); }
SplitNumber SplitF32(float value) {
  return Split(absl::bit_cast<uint32_t>(value), 8, 23);
}

ExactElement::ExactElement(ElementFormat format)
    : has_nan_(BitWidth(format) == 8), sign_mask_(has_nan_ ? 0x80 : 8) {
  const Definition definition = Define(format);
  unit_exponent_ = 1 - definition.bias - definition.mantissa_bits;
  const int64_t ones = int64_t{1} << definition.mantissa_bits;
  for (int code = 0; code <= definition.largest_code; ++code) {
    const int field = code >> definition.mantissa_bits;
    const int64_t mantissa = code % ones;
    magnitudes_.push_back(field == 0 ? mantissa
                                     : (ones + mantissa) << (field - 1));
    if (code > 0) {
      doubled_middles_.push_back(magnitudes_[code - 1] + magnitudes_[code]);
    }
  }
}

uint32_t ExactElement::NearestMagnitude(uint64_t significand,
                                        int exponent) const {
  // In halves of a unit, what is below one of them apart. Middles are below
  // 2^34, so that a shift of 40 is beyond all of them.
  const int shift = std::clamp(exponent - (unit_exponent_ - 1), -40, 40);
  if (shift == 40 && significand != 0) return magnitudes_.size() - 1;
  const int64_t halves =
      shift >= 0 ? significand << shift : significand >> -shift;
  const bool more = shift < 0 && significand << (64 + shift) != 0;
  const auto passed = std::lower_bound(doubled_middles_.begin(),
                                       doubled_middles_.end(), halves);
  const auto code = static_cast<uint32_t>(passed - doubled_middles_.begin());
  const bool at_middle = passed != doubled_middles_.end() && *passed == halves;
  return at_middle && (more || code % 2 == 1) ? code + 1 : code;
}

uint32_t ExactElement::ScaledCode(const SplitNumber& x,
                                  int shared_exponent) const {
  const uint32_t nan = has_nan_ ? 0x7F : 7;
  if (shared_exponent == 255) return nan;
  const uint32_t sign = x.sign ? sign_mask_ : 0;
  switch (x.kind) {
    case NumberKind::kNan:
      return has_nan_ ? sign | nan : nan;
    case NumberKind::kInfinity:
      return sign | (magnitudes_.size() - 1);
    case NumberKind::kFinite:
      break;
  }
  return sign |
         NearestMagnitude(x.significand, x.exponent + 127 - shared_exponent);
}

}  // namespace mxtile
