#include "exec/simd/import/index_bounds.h"

#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::Optional;

TEST(IndexBoundsTest, SumsOfConstantBounds) {
  IndexBounds bounds;
  const Linear i = bounds.NewAtom({Linear(0)}, {Linear(7)});
  const Linear j = bounds.NewAtom({Linear(-2)}, {Linear(3)});
  const Linear sum = i * 4 - j + Linear(5);
  EXPECT_THAT(bounds.Max(sum), Optional(28 + 2 + 5));
  EXPECT_THAT(bounds.Min(sum), Optional(0 - 3 + 5));
  EXPECT_TRUE(bounds.IsAtMost(sum, 35));
  EXPECT_FALSE(bounds.IsAtMost(sum, 34));
  EXPECT_TRUE(bounds.IsAtLeast(sum, 2));
  EXPECT_FALSE(bounds.IsAtLeast(sum, 3));
  EXPECT_THAT((i - i + Linear(9)).AsConstant(), Optional(9));
}

// A ragged block: k0 + min(16, 2053 - k0) is not beyond 2053.
TEST(IndexBoundsTest, AMinimumKeepsWhatItIsAMinimumOf) {
  IndexBounds bounds;
  const Linear k0 = bounds.NewAtom({Linear(0)}, {Linear(2048)});
  const Linear n = bounds.NewAtom({Linear(5)}, {Linear(16), Linear(2053) - k0});
  EXPECT_TRUE(bounds.IsAtMost(k0 + n, 2053));
  EXPECT_FALSE(bounds.IsAtMost(k0 + n, 2052));
  EXPECT_FALSE(bounds.IsAtMost(k0 + n + k0, 4000));
}

TEST(IndexBoundsTest, NothingIsKnownOfWhatOverflows) {
  IndexBounds bounds;
  const Linear i = bounds.NewAtom({}, {});
  EXPECT_FALSE(bounds.IsAtMost(i, INT64_MAX));
  EXPECT_FALSE(bounds.IsAtLeast(i, 0));
  const Linear huge = Linear(INT64_MAX) + Linear(1);
  EXPECT_FALSE(huge.is_known());
  EXPECT_FALSE(bounds.IsAtMost(huge, INT64_MAX));
  const Linear j = bounds.NewAtom({Linear(0)}, {Linear(INT64_MAX)});
  EXPECT_FALSE(bounds.IsAtMost(j * 2, INT64_MAX));
}

}  // namespace
}  // namespace mxtile::exec::simd
