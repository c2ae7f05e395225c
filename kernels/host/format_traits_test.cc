#include "kernels/host/format_traits.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::host {
namespace {

// The code where a kind begins, 0x80 when there is none.
int FirstCodeOf(ElementFormat format, CodeKind kind) {
  for (uint32_t code = 0; code < CodeCount(format) / 2; ++code) {
    if (KindOf(format, code) == kind) return static_cast<int>(code);
  }
  return 0x80;
}

template <class Traits>
void ExpectTraitsOf(ElementFormat format) {
  EXPECT_EQ(Traits::kBits, BitWidth(format));
  EXPECT_EQ(Traits::kFirstNan, FirstCodeOf(format, CodeKind::kNan));
  EXPECT_EQ(Traits::kInfinity, FirstCodeOf(format, CodeKind::kInfinity));
  // Mantissas count up to the least normal, whose exponent is the least one.
  const uint32_t least_normal = 1 << Traits::kMantissaBits;
  const uint64_t bits = uint64_t{Traits::kLeastExponent} << 23;
  EXPECT_EQ(Encode(ElementFormat::kF32, Decode(format, least_normal),
                   Overflow::kSpecial),
            bits);
  EXPECT_EQ(Decode(format, least_normal) - Decode(format, least_normal - 1),
            Decode(format, 1));
}

template <class Traits>
void ExpectQuantizingTraitsOf(ElementFormat format) {
  ExpectTraitsOf<Traits>(format);
  EXPECT_EQ(Traits::kEmax, MaxExponent(format));
  EXPECT_EQ(Traits::kMaxFinite, MaxFinite(format));
  EXPECT_EQ(Traits::kReciprocal, 1.0f / MaxFinite(format));
  EXPECT_EQ(Traits::kLargestCode, LargestFiniteCode(format));
  EXPECT_EQ(Traits::kNanCode, NanCode(format));
}

TEST(FormatTraitsTest, AreThoseOfTheFormats) {
  ExpectQuantizingTraitsOf<F8E4M3Traits>(ElementFormat::kF8E4M3FN);
  ExpectQuantizingTraitsOf<F8E5M2Traits>(ElementFormat::kF8E5M2);
  ExpectQuantizingTraitsOf<F4E2M1Traits>(ElementFormat::kF4E2M1FN);
  ExpectTraitsOf<F4E1M2Traits>(ElementFormat::kF4E1M2);
}

}  // namespace
}  // namespace mxtile::host
