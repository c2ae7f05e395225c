#include "tools/bench/hand_attention.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/workloads/attention.h"
#include "gtest/gtest.h"

namespace mxtile::bench {
namespace {

using exec::simd::AttentionInputs;
using exec::simd::AttentionShape;
using exec::simd::BufferSpan;
using exec::simd::TileProgram;

bool RunsHere() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return true;
#endif
}

BufferSpan Span(std::vector<float>& v) {
  return {v.data(), static_cast<int64_t>(v.size() * sizeof(float))};
}

class HandAttentionTest
    : public ::testing::TestWithParam<exec::simd::NamedAttentionShape> {};

// Two engines: the interpreter of the tile program and the kernels by hand.
TEST_P(HandAttentionTest, HasTheBitsOfTheTileProgram) {
  if (!RunsHere()) GTEST_SKIP() << "this processor has no AVX2";
  const AttentionShape& shape = GetParam().shape;
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program,
                          exec::simd::BuildAttention(shape));
  AttentionInputs in = exec::simd::MakeAttentionInputs(shape);
  const int64_t count =
      shape.batch * shape.query_heads * shape.queries * shape.value_dim;
  std::vector<float> expected(count, std::nanf(""));
  MX_ASSERT_OK(Interpret(program,
                         {Span(in.q), Span(in.k), Span(in.v), Span(expected)},
                         AllOf(program)));
  std::vector<float> scratch(HandAttentionScratch(shape));
  for (const int rows : {1, 4}) {
    SCOPED_TRACE(rows);
    std::vector<float> out(count, std::nanf(""));
    HandAttention(shape, rows, in.q.data(), in.k.data(), in.v.data(),
                  out.data(), scratch.data());
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(&out[i], &expected[i], sizeof(float)), 0)
          << "element " << i << ": " << out[i] << ", not " << expected[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, HandAttentionTest,
    ::testing::Values(
        exec::simd::NamedAttentionShape{"prefill", exec::simd::kPrefill},
        exec::simd::NamedAttentionShape{"one", {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        exec::simd::NamedAttentionShape{"one_query",
                                        {1, 8, 2, 1, 37, 20, 24, 1, 16}},
        exec::simd::NamedAttentionShape{"ragged", {2, 6, 3, 7, 19, 5, 9, 3, 8}},
        exec::simd::NamedAttentionShape{"three_groups",
                                        {1, 5, 1, 2, 50, 16, 88, 2, 24}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SoftmaxInPlaceTest, IsTheSoftmaxOfTheVisible) {
  if (!RunsHere()) GTEST_SKIP() << "this processor has no AVX2";
  for (const int visible : {1, 7, 8, 21}) {
    std::vector<float> row(24);
    for (int i = 0; i < 24; ++i) row[i] = std::sin(3.0f * i);
    double sum = 0;
    for (int i = 0; i < visible; ++i) sum += std::exp(0.5 * row[i]);
    const std::vector<float> scores = row;
    SoftmaxInPlace(row.data(), visible, 24, 0.5f);
    for (int i = 0; i < 24; ++i) {
      const double expected = i < visible ? std::exp(0.5 * scores[i]) / sum : 0;
      EXPECT_NEAR(row[i], expected, 1e-6) << i << " of " << visible;
    }
  }
}

}  // namespace
}  // namespace mxtile::bench
