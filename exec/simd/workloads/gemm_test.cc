#include "exec/simd/workloads/gemm.h"

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "exec/simd/tile_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::HasSubstr;

TEST(GemmTest, HasAnInstanceForEachBlock) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          BuildGemm({7, 33, 5, 2, 16, 4}));
  EXPECT_EQ(program.program_count, 4 * 3);
}

TEST(GemmTest, RefusesExtentsBelowOne) {
  EXPECT_THAT(BuildGemm({7, 33, 5, 2, 16, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("in blocks of 2, 16, 0: each must be 1")));
}

}  // namespace
}  // namespace mxtile::exec::simd
