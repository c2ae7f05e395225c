#include "numerics/scaled_element.h"

#include <cmath>
#include <cstdint>

#include "base/check.h"
#include "numerics/element_format.h"
#include "numerics/f8e8m0fnu.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

bool IsMxData(ElementFormat format) {
  return format == ElementFormat::kF8E4M3FN ||
         format == ElementFormat::kF8E5M2 ||
         format == ElementFormat::kF4E2M1FN || format == ElementFormat::kF4E1M2;
}

}  // namespace

uint8_t EncodeScaled(ElementFormat format, float value,
                     uint8_t shared_exponent) {
  MX_CHECK(IsMxData(format)) << Name(format) << " is no format of MX data";
  const float reciprocal = ReciprocalScale(shared_exponent);
  // NaN times NaN would have a sign that depends on the host.
  if (std::isnan(reciprocal)) return NanCode(format);
  const float scaled = std::isnan(value) ? value : value * reciprocal;
  return Encode(format, scaled, Overflow::kSaturate);
}

double DecodeScaled(ElementFormat format, uint8_t code,
                    uint8_t shared_exponent) {
  MX_CHECK(IsMxData(format)) << Name(format) << " is no format of MX data";
  return double{Decode(format, code)} * DecodeF8E8M0FNU(shared_exponent);
}

}  // namespace mxtile
