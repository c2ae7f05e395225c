#ifndef EXEC_SIMD_ELEMENT_TYPE_H_
#define EXEC_SIMD_ELEMENT_TYPE_H_

// The element types of tiles and views: truth values, indices, and the float
// formats of numerics/. Only kBool, kIndex and kF32 are computed with.

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "numerics/element_format.h"

namespace mxtile::exec::simd {

enum class ElementType {
  kBool,   // one byte in memory, 0 or 1
  kIndex,  // 64 bits, signed
  kF32,
  kBF16,
  kF16,
  kF8E4M3FN,
  kF8E5M2,
  kF4E2M1FN,  // two in a byte, the first in the low nibble
  kF4E1M2,
  kF8E8M0FNU,
};

// "bool", "index", or the format's name.
absl::string_view Name(ElementType type);
// None for kBool and kIndex.
std::optional<ElementFormat> FormatOf(ElementType type);
// In memory: 64, 32, 16, 8 or 4.
int BitWidth(ElementType type);
// Several elements share a byte.
inline bool IsPacked(ElementType type) { return BitWidth(type) < 8; }
// Of that many elements in memory, rounded up to bytes.
int64_t BytesOf(ElementType type, int64_t elements);

// The bits of a window's `fill`: the nearest value of the type, ties to even;
// in f8E8M0FNU, which has no zero, its least value for 0.
uint64_t BitsOf(ElementType type, double fill);

inline bool IsFloat(ElementType type) { return FormatOf(type).has_value(); }

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_ELEMENT_TYPE_H_
