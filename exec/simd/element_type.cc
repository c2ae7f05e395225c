#include "exec/simd/element_type.h"

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "base/int_math.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec::simd {

std::optional<ElementFormat> FormatOf(ElementType type) {
  switch (type) {
    case ElementType::kBool:
    case ElementType::kIndex:
      return std::nullopt;
    case ElementType::kF32:
      return ElementFormat::kF32;
    case ElementType::kBF16:
      return ElementFormat::kBF16;
    case ElementType::kF16:
      return ElementFormat::kF16;
    case ElementType::kF8E4M3FN:
      return ElementFormat::kF8E4M3FN;
    case ElementType::kF8E5M2:
      return ElementFormat::kF8E5M2;
    case ElementType::kF4E2M1FN:
      return ElementFormat::kF4E2M1FN;
    case ElementType::kF4E1M2:
      return ElementFormat::kF4E1M2;
    case ElementType::kF8E8M0FNU:
      return ElementFormat::kF8E8M0FNU;
  }
  return std::nullopt;
}

absl::string_view Name(ElementType type) {
  const std::optional<ElementFormat> format = FormatOf(type);
  if (format.has_value()) return mxtile::Name(*format);
  return type == ElementType::kBool ? "bool" : "index";
}

int BitWidth(ElementType type) {
  const std::optional<ElementFormat> format = FormatOf(type);
  if (format.has_value()) return mxtile::BitWidth(*format);
  return type == ElementType::kBool ? 8 : 64;
}

int64_t BytesOf(ElementType type, int64_t elements) {
  return CeilDivide(elements * BitWidth(type), 8);
}

uint64_t BitsOf(ElementType type, double fill) {
  const std::optional<ElementFormat> format = FormatOf(type);
  if (type == ElementType::kBool) return fill != 0 ? 1 : 0;
  if (!format.has_value()) {
    return static_cast<uint64_t>(static_cast<int64_t>(fill));
  }
  const bool has_zero = *format != ElementFormat::kF8E8M0FNU;
  return Encode(*format, static_cast<float>(fill),
                has_zero ? Overflow::kSpecial : Overflow::kSaturate);
}

}  // namespace mxtile::exec::simd
