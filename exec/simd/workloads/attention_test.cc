#include "exec/simd/workloads/attention.h"

#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "exec/simd/tile_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::HasSubstr;

TEST(AttentionTest, NamedShapesBuild) {
  for (const NamedAttentionShape& named : kAttentionShapes) {
    SCOPED_TRACE(named.name);
    MX_EXPECT_OK(BuildAttention(named.shape));
  }
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram decode, BuildAttention(kDecode));
  EXPECT_EQ(decode.program_count, 8);
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram prefill, BuildAttention(kPrefill));
  EXPECT_EQ(prefill.program_count, 32);
}

TEST(AttentionTest, OracleOfRowsThatSeeOneAndTwoKeys) {
  // Equal scores: the second query has the mean of both values.
  const AttentionShape shape = {1, 1, 1, 2, 2, 1, 1, 1, 1};
  EXPECT_EQ(AttentionOracle(shape, {{0, 0}, {1, 2}, {3, 5}}),
            (std::vector<double>{3, 4}));
}

TEST(AttentionTest, RefusesShapesWithoutMeaning) {
  AttentionShape shape = kPrefill;
  shape.block_keys = 0;
  EXPECT_THAT(
      BuildAttention(shape),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("0 is below 1")));
  shape = kPrefill;
  shape.kv_heads = 3;
  EXPECT_THAT(BuildAttention(shape),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("3 key/value heads do not divide 4")));
  shape = kPrefill;
  shape.queries = 66;
  EXPECT_THAT(BuildAttention(shape),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("66 queries, but 65 keys")));
}

}  // namespace
}  // namespace mxtile::exec::simd
