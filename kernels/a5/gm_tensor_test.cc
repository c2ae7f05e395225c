#include "kernels/a5/gm_tensor.h"

#include <cstdint>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

const GmTensor kTensor = {
    0x1000, ElementFormat::kF32, {4, 6}, /*strides=*/{8, 1}};

TEST(GmTensorTest, AddressCountsElements) {
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 6; ++column) {
      EXPECT_THAT(WindowAddress("OP", kTensor, {{row, column}, {1, 1}}),
                  IsOkAndHolds(0x1000 + (row * 8 + column) * 4));
    }
  }
}

TEST(GmTensorTest, WindowsStayInside_A5_TILE_2) {
  for (int64_t offset = -1; offset < 6; ++offset) {
    for (int64_t size = 0; size < 6; ++size) {
      EXPECT_EQ(WindowAddress("OP", kTensor, {{offset, 0}, {size, 6}}).ok(),
                offset >= 0 && size >= 1 && offset + size <= 4);
    }
  }
  EXPECT_THAT(
      WindowAddress("OP", kTensor, {{0, 3}, {4, 4}}),
      StatusIs(absl::StatusCode::kOutOfRange,
               "OP: f32 [4, 6] strides [8, 1], window [4, 4] at [0, 3]: "
               "dimension 1 leaves the tensor (A5-TILE-2)"));
  EXPECT_THAT(
      WindowAddress("OP", kTensor, {{0}, {4}}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ranks differ")));
}

TEST(GmTensorTest, FourBitElements) {
  const GmTensor packed = {0x1000, ElementFormat::kF4E2M1FN, {4, 6}, {8, 1}};
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t column = 0; column < 6; column += 2) {
      EXPECT_THAT(WindowAddress("OP", packed, {{row, column}, {1, 1}}),
                  IsOkAndHolds(0x1000 + row * 4 + column / 2));
      EXPECT_THAT(WindowAddress("OP", packed, {{row, column + 1}, {1, 1}}),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("middle of a byte (A5-TILE-2)")));
    }
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
