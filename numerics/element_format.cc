#include "numerics/element_format.h"

#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "numerics/bf16.h"
#include "numerics/f16.h"
#include "numerics/f4e1m2.h"
#include "numerics/f4e2m1fn.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/f8e5m2.h"
#include "numerics/f8e8m0fnu.h"
#include "numerics/float_bits.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace {

struct Properties {
  ElementFormat format;
  absl::string_view name;
  int bit_width;
  int max_exponent;
  uint32_t largest_code;
  uint32_t nan_code;
};

// In the order of the enum.
constexpr Properties kProperties[] = {
    {ElementFormat::kF8E4M3FN, "f8E4M3FN", 8, 8, 0x7E, 0x7F},
    {ElementFormat::kF8E5M2, "f8E5M2", 8, 15, 0x7B, 0x7F},
    {ElementFormat::kF4E2M1FN, "f4E2M1FN", 4, 2, 0x7, 0x7},
    {ElementFormat::kF4E1M2, "f4E1M2", 4, 0, 0x7, 0x7},
    {ElementFormat::kF8E8M0FNU, "f8E8M0FNU", 8, 127, 0xFE, 0xFF},
    {ElementFormat::kBF16, "bf16", 16, 127, 0x7F7F, 0x7FC0},
    {ElementFormat::kF16, "f16", 16, 15, 0x7BFF, 0x7E00},
    {ElementFormat::kF32, "f32", 32, 127, 0x7F7FFFFF, kFloatQuietNanBits},
};

const Properties& Of(ElementFormat format) {
  const Properties& properties = kProperties[static_cast<int>(format)];
  MX_CHECK(properties.format == format);
  return properties;
}

uint32_t EncodeF32(float value, Overflow overflow) {
  if (std::isinf(value) && overflow == Overflow::kSaturate) {
    value = std::copysign(MaxFinite(ElementFormat::kF32), value);
  }
  return absl::bit_cast<uint32_t>(value);
}

}  // namespace

int BitWidth(ElementFormat format) { return Of(format).bit_width; }

absl::string_view Name(ElementFormat format) { return Of(format).name; }

int MaxExponent(ElementFormat format) { return Of(format).max_exponent; }

float MaxFinite(ElementFormat format) {
  return Decode(format, LargestFiniteCode(format));
}

uint64_t CodeCount(ElementFormat format) {
  return uint64_t{1} << BitWidth(format);
}

uint32_t LargestFiniteCode(ElementFormat format) {
  return Of(format).largest_code;
}

uint32_t SignMask(ElementFormat format) {
  if (format == ElementFormat::kF8E8M0FNU) return 0;
  return uint32_t{1} << (BitWidth(format) - 1);
}

uint32_t NanCode(ElementFormat format) { return Of(format).nan_code; }

CodeKind KindOf(ElementFormat format, uint32_t code) {
  const float value = Decode(format, code);
  if (std::isnan(value)) return CodeKind::kNan;
  return std::isinf(value) ? CodeKind::kInfinity : CodeKind::kFinite;
}

float Decode(ElementFormat format, uint32_t code) {
  switch (format) {
    case ElementFormat::kF8E4M3FN:
      return DecodeF8E4M3FN(static_cast<uint8_t>(code));
    case ElementFormat::kF8E5M2:
      return DecodeF8E5M2(static_cast<uint8_t>(code));
    case ElementFormat::kF4E2M1FN:
      return DecodeF4E2M1FN(static_cast<uint8_t>(code));
    case ElementFormat::kF4E1M2:
      return DecodeF4E1M2(static_cast<uint8_t>(code));
    case ElementFormat::kF8E8M0FNU:
      return DecodeF8E8M0FNU(static_cast<uint8_t>(code));
    case ElementFormat::kBF16:
      return DecodeBF16(static_cast<uint16_t>(code));
    case ElementFormat::kF16:
      return DecodeF16(static_cast<uint16_t>(code));
    case ElementFormat::kF32:
      return absl::bit_cast<float>(code);
  }
  MX_CHECK(false) << "element format " << static_cast<int>(format);
  return 0;
}

uint32_t Encode(ElementFormat format, float value, Overflow overflow) {
  switch (format) {
    case ElementFormat::kF8E4M3FN:
      return EncodeF8E4M3FN(value, overflow);
    case ElementFormat::kF8E5M2:
      return EncodeF8E5M2(value, overflow);
    case ElementFormat::kF4E2M1FN:
      return EncodeF4E2M1FN(value);
    case ElementFormat::kF4E1M2:
      return EncodeF4E1M2(value);
    case ElementFormat::kF8E8M0FNU:
      return EncodeF8E8M0FNU(value, overflow);
    case ElementFormat::kBF16:
      return EncodeBF16(value, overflow);
    case ElementFormat::kF16:
      return EncodeF16(value, overflow);
    case ElementFormat::kF32:
      return EncodeF32(value, overflow);
  }
  MX_CHECK(false) << "element format " << static_cast<int>(format);
  return 0;
}

}  // namespace mxtile
