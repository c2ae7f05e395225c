#include "layouts/mx/scale_pack.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::Eq;
using ::testing::HasSubstr;

ScaleLayout Layout(ScaleOrder order, int64_t rows, int64_t cols) {
  return ScaleLayout::Create(order, rows, cols).value();
}

// 1, 2, 3 ... modulo 251, so that neighbouring rows differ and 0 is rare.
std::vector<uint8_t> Count(int64_t size) {
  std::vector<uint8_t> bytes(size);
  for (int64_t i = 0; i < size; ++i)
    bytes[i] = static_cast<uint8_t>(i % 251 + 1);
  return bytes;
}

TEST(ScalePackTest, PadsZZRowsWithZeros) {
  std::vector<uint8_t> expected(32, 0);
  expected[0] = 1;
  expected[1] = 2;
  expected[2] = 3;
  expected[3] = 4;
  EXPECT_THAT(PackScale(Layout(ScaleOrder::kZZ, 2, 2), {1, 2, 3, 4}),
              IsOkAndHolds(Eq(expected)));
}

TEST(ScalePackTest, PairsTheRowsOfAnMxBND) {
  EXPECT_THAT(PackScale(Layout(ScaleOrder::kMxBND, 2, 3), {1, 2, 3, 4, 5, 6}),
              IsOkAndHolds(Eq(std::vector<uint8_t>{1, 4, 2, 5, 3, 6})));
}

TEST(ScalePackTest, UnpackIsTheInverse) {
  for (const ScaleOrder order : kScaleOrders) {
    for (const int64_t rows : {2, 16, 34}) {
      for (const int64_t cols : {2, 16, 34}) {
        const ScaleLayout layout = Layout(order, rows, cols);
        const std::vector<uint8_t> scales = Count(rows * cols);
        MX_ASSERT_OK_AND_ASSIGN(const std::vector<uint8_t> packed,
                                PackScale(layout, scales));
        EXPECT_EQ(packed.size(), layout.size_bytes());
        EXPECT_THAT(UnpackScale(layout, packed), IsOkAndHolds(Eq(scales)))
            << Name(order);
      }
    }
  }
}

// The two formulas of the header are one with rows and columns exchanged.
TEST(ScalePackTest, NNIsZZOfTheTranspose) {
  const std::vector<uint8_t> scales = Count(4 * 40);
  std::vector<uint8_t> transposed;
  for (int col = 0; col < 40; ++col) {
    for (int row = 0; row < 4; ++row)
      transposed.push_back(scales[row * 40 + col]);
  }
  MX_ASSERT_OK_AND_ASSIGN(
      const std::vector<uint8_t> zz,
      PackScale(Layout(ScaleOrder::kZZ, 40, 4), transposed));
  EXPECT_THAT(PackScale(Layout(ScaleOrder::kNN, 4, 40), scales),
              IsOkAndHolds(Eq(zz)));
}

TEST(ScalePackTest, WrongNumberOfBytesIsRefused) {
  const ScaleLayout layout = Layout(ScaleOrder::kZZ, 2, 2);
  EXPECT_THAT(
      PackScale(layout, Count(5)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("source of [2, 2]"), HasSubstr("takes 4 bytes"),
                     HasSubstr("but 5 are given (MX-CONVERT-2)"))));
  EXPECT_THAT(
      UnpackScale(layout, Count(4)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("source of [2, 2]"), HasSubstr("takes 32 bytes"),
                     HasSubstr("but 4 are given (MX-CONVERT-2)"))));
}

}  // namespace
}  // namespace mxtile
