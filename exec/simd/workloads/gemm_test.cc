#include "exec/simd/workloads/gemm.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/strict_interpreter.h"
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

// Whole numbers below 2^24, so that f32 is exact.
std::vector<float> WholeNumbers(int64_t count, int64_t factor) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(i * factor % 23 - 11);
  return values;
}

class GemmOnInterpreterTest : public ::testing::TestWithParam<GemmShape> {};

TEST_P(GemmOnInterpreterTest, IsTheProduct) {
  const GemmShape& s = GetParam();
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildGemm(s));
  std::vector<float> a = WholeNumbers(s.m * s.k, 5);
  std::vector<float> b = WholeNumbers(s.k * s.n, 7);
  std::vector<float> c(s.m * s.n, std::nanf(""));
  const auto span = [](std::vector<float>& v) {
    return BufferSpan{v.data(), static_cast<int64_t>(v.size() * sizeof(float))};
  };
  MX_ASSERT_OK(Interpret(program, {span(a), span(b), span(c)}, AllOf(program)));
  std::vector<float> expected;
  for (int64_t m = 0; m < s.m; ++m) {
    for (int64_t n = 0; n < s.n; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < s.k; ++k) sum += a[m * s.k + k] * b[k * s.n + n];
      expected.push_back(static_cast<float>(sum));
    }
  }
  EXPECT_EQ(c, expected);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GemmOnInterpreterTest,
                         ::testing::Values(GemmShape{8, 32, 16, 4, 16, 8},
                                           GemmShape{7, 33, 5, 2, 16, 4},
                                           GemmShape{1, 1, 1, 1, 1, 1},
                                           GemmShape{3, 5, 0, 2, 2, 2},
                                           GemmShape{3, 5, 7, 16, 16, 16},
                                           GemmShape{13, 40, 70, 6, 16, 64}));

TEST(GemmTest, RefusesExtentsBelowOne) {
  EXPECT_THAT(BuildGemm({7, 33, 5, 2, 16, 0}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("in blocks of 2, 16, 0: each must be 1")));
}

}  // namespace
}  // namespace mxtile::exec::simd
