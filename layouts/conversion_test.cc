#include "layouts/conversion.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "layouts/index_map.h"
#include "layouts/layout_test_util.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Eq;
using ::testing::HasSubstr;

using Bytes = std::vector<uint8_t>;

IndexMap RowMajor(int64_t rows, int64_t cols, int64_t pitch) {
  return IndexMap(rows, cols, {{rows, pitch}}, {{cols, 1}});
}

IndexMap ColMajor(int64_t rows, int64_t cols) {
  return IndexMap(rows, cols, {{rows, 1}}, {{cols, rows}});
}

Conversion Convert(const IndexMap& from, const IndexMap& to) {
  return Conversion::Create(from, to).value();
}

TEST(ConversionTest, DestinationsOfATranspose) {
  const Conversion transpose = Convert(RowMajor(2, 3, 4), ColMajor(2, 3));
  EXPECT_EQ(transpose.Destination(0), 0);
  EXPECT_EQ(transpose.Destination(1), 2);
  EXPECT_EQ(transpose.Destination(2), 4);
  EXPECT_EQ(transpose.Destination(3), std::nullopt);  // Padding of the pitch.
  EXPECT_EQ(transpose.Destination(4), 1);
}

TEST(ConversionTest, NibblesGoWhereTheirElementsGo) {
  // [2, 3] in rows of 4: elements 1 2 3 | 4 5 6.
  const Conversion transpose = Convert(RowMajor(2, 3, 4), ColMajor(2, 3));
  EXPECT_THAT(transpose.Converted(4, Bytes{0x21, 0xF3, 0x54, 0xF6}),
              IsOkAndHolds(Eq(Bytes{0x41, 0x52, 0x63})));
}

TEST(ConversionTest, BytesOfElements) {
  EXPECT_EQ(BytesOfElements(0, 4), 0);
  EXPECT_EQ(BytesOfElements(5, 4), 3);
  EXPECT_EQ(BytesOfElements(5, 8), 5);
  EXPECT_EQ(BytesOfElements(5, 16), 10);
  // The largest fractal matrix.
  EXPECT_EQ(BytesOfElements(int64_t{1} << 58, 32), int64_t{1} << 60);
  EXPECT_DEATH(BytesOfElements(1, 12), "12");
}

// Elements of `bits` one by one, as integers.
uint32_t Element(const Bytes& bytes, int bits, int64_t i) {
  if (bits == 4) return bytes[i / 2] >> (i % 2 * 4) & 0xF;
  uint32_t value = 0;
  std::memcpy(&value, &bytes[i * bits / 8], bits / 8);
  return value;
}

// Copies random bytes, padding included, and looks at every element.
void ExpectElementsArrive(const IndexMap& from, const IndexMap& to, int bits,
                          std::mt19937_64& random) {
  Bytes source(BytesOfElements(from.size(), bits));
  for (uint8_t& byte : source) byte = static_cast<uint8_t>(random());
  Bytes result(BytesOfElements(to.size(), bits), 0xEE);
  MX_ASSERT_OK(Convert(from, to).Apply(bits, source, absl::MakeSpan(result)));
  EXPECT_THAT(Convert(from, to).Converted(bits, source),
              IsOkAndHolds(Eq(result)));
  for (int64_t offset = 0; offset < to.size(); ++offset) {
    const std::optional<IndexMap::Index> index = to.IndexAt(offset);
    const uint32_t expected =
        index.has_value()
            ? Element(source, bits, from.Offset(index->row, index->col))
            : 0;
    ASSERT_EQ(Element(result, bits, offset), expected) << offset;
  }
}

TEST(ConversionTest, EveryLayoutIntoEveryOtherAndBack) {
  constexpr uint64_t kSeed = 20261130;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const std::vector<LayoutCase> layouts = AllLayouts();
  int conversions = 0;
  for (const LayoutCase& from : layouts) {
    for (const LayoutCase& to : layouts) {
      const int64_t rows = 2 * (1 + random() % 20);
      const int64_t cols = 2 * (1 + random() % 40);
      const int bits = 4 << random() % 4;
      SCOPED_TRACE(from.name + " to " + to.name);
      ExpectElementsArrive(from.Map(rows, cols), to.Map(rows, cols), bits,
                           random);
      if (HasFatalFailure()) return;
      ++conversions;
    }
  }
  EXPECT_EQ(conversions, 26 * 26);
}

// More columns than are copied at once.
TEST(ConversionTest, WideMatrices) {
  std::mt19937_64 random(1);
  for (const int bits : {4, 32}) {
    ExpectElementsArrive(RowMajor(3, 8195, 8200), ColMajor(3, 8195), bits,
                         random);
  }
}

TEST(ConversionTest, ShapesAreTheSame_MX_CONVERT_1) {
  EXPECT_THAT(
      Conversion::Create(RowMajor(2, 3, 3), RowMajor(3, 2, 2)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("[2, 3] does not convert to one of [3, 2]"),
                     HasSubstr("MX-CONVERT-1"))));
}

TEST(ConversionTest, SizesAreThoseOfTheLayouts_MX_CONVERT_2) {
  const Conversion conversion = Convert(RowMajor(2, 3, 4), ColMajor(2, 3));
  const Bytes source(16, 1);
  Bytes destination(12, 0xEE);
  EXPECT_THAT(conversion.Apply(16, absl::MakeConstSpan(source).subspan(1),
                               absl::MakeSpan(destination)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("the source of [2, 3] elements of 16 "
                                       "bits takes 16 bytes"),
                             HasSubstr("15 are given (MX-CONVERT-2)"))));
  EXPECT_THAT(
      conversion.Apply(16, source, absl::MakeSpan(destination).subspan(1)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("the destination of [2, 3]"),
                     HasSubstr("takes 12 bytes"), HasSubstr("11 are given"))));
  // A refused conversion touches nothing.
  EXPECT_THAT(destination, Each(0xEE));
  EXPECT_THAT(conversion.Converted(16, Bytes(17)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("17 are given (MX-CONVERT-2)")));
}

}  // namespace
}  // namespace mxtile
