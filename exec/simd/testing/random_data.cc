#include "exec/simd/testing/random_data.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/random_source.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec::simd {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr int kScaleOfOne = 127;

float RandomFloat(bool finite, RandomSource& random) {
  const int64_t kind = random.Below(200);
  if (kind == 0 && !finite) return std::numeric_limits<float>::quiet_NaN();
  if (kind == 1 && !finite) return random.OneOf({kInf, -kInf});
  if (kind == 2 && !finite) return random.OneOf({3e38f, -3e38f});
  if (kind < 6) return random.OneOf({-0.0f, 0.0f});
  if (kind < 8) return (random.Below(2001) - 1000) * 0x1p-149f;
  // Exact sums now and then, roundings otherwise.
  if (kind < 100) return (random.Below(65) - 32) * 0.125f;
  return static_cast<float>(random.Below(1 << 24) - (1 << 23)) * 0x1p-22f;
}

int64_t RandomIndex(RandomSource& random) {
  if (random.Chance(3)) {
    return random.OneOf({std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::max()});
  }
  return random.Below(201) - 100;
}

uint64_t RandomElement(ElementType type, bool finite, RandomSource& random) {
  switch (type) {
    case ElementType::kBool:
      return random.Below(2);
    case ElementType::kIndex:
      return static_cast<uint64_t>(RandomIndex(random));
    case ElementType::kF32:
    case ElementType::kBF16:
    case ElementType::kF16: {
      const float value = RandomFloat(finite, random);
      return Encode(*FormatOf(type), value,
                    finite ? Overflow::kSaturate : Overflow::kSpecial);
    }
    case ElementType::kF8E8M0FNU:
      if (random.Chance(90)) return kScaleOfOne - 7 + random.Below(15);
      return random.Below(finite ? 255 : 256);
    default:
      break;
  }
  const ElementFormat format = *FormatOf(type);
  while (true) {
    const uint32_t code =
        static_cast<uint32_t>(random.Below(int64_t{1} << BitWidth(type)));
    const bool special = KindOf(format, code) != CodeKind::kFinite;
    // One in five of those drawn: a NaN spoils a whole sum.
    if (!special || (!finite && random.Chance(20))) return code;
  }
}

uint64_t ElementAt(ElementType type, absl::Span<const uint8_t> bytes,
                   int64_t index) {
  const int width = BitWidth(type);
  if (width == 4) return bytes[index / 2] >> (index % 2 * 4) & 0xF;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * (width / 8), width / 8);
  return bits;
}

bool IsNan(ElementType type, uint64_t bits) {
  const std::optional<ElementFormat> format = FormatOf(type);
  return format.has_value() &&
         KindOf(*format, static_cast<uint32_t>(bits)) == CodeKind::kNan;
}

std::string ElementText(ElementType type, uint64_t bits) {
  const std::optional<ElementFormat> format = FormatOf(type);
  if (!format.has_value()) return absl::StrCat(static_cast<int64_t>(bits));
  return absl::StrCat(Decode(*format, static_cast<uint32_t>(bits)), " (0x",
                      absl::Hex(bits), ")");
}

}  // namespace

std::vector<uint8_t> RandomData(ElementType type, int64_t bytes, bool finite,
                                RandomSource& random) {
  std::vector<uint8_t> data(bytes, 0);
  const int width = BitWidth(type);
  for (int64_t i = 0; i < bytes * 8 / width; ++i) {
    const uint64_t bits = RandomElement(type, finite, random);
    if (width == 4) {
      data[i / 2] |= bits << (i % 2 * 4);
    } else {
      std::memcpy(data.data() + i * (width / 8), &bits, width / 8);
    }
  }
  return data;
}

std::string FirstDifference(ElementType type, absl::Span<const uint8_t> actual,
                            absl::Span<const uint8_t> expected) {
  if (actual.size() != expected.size()) {
    return absl::StrCat(actual.size(), " bytes, not ", expected.size());
  }
  for (int64_t i = 0;
       i < static_cast<int64_t>(actual.size()) * 8 / BitWidth(type); ++i) {
    const uint64_t a = ElementAt(type, actual, i);
    const uint64_t b = ElementAt(type, expected, i);
    if (a == b || (IsNan(type, a) && IsNan(type, b))) continue;
    return absl::StrCat("element ", i, " of ", Name(type), ": ",
                        ElementText(type, a), ", not ", ElementText(type, b));
  }
  return "";
}

}  // namespace mxtile::exec::simd
