#include "exec/simd/workloads/attention.h"

#include <cmath>
#include <cstdint>
#include <string>
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

class AttentionOnInterpreterTest
    : public ::testing::TestWithParam<NamedAttentionShape> {};

TEST_P(AttentionOnInterpreterTest, IsTheSoftmaxOfTheOracle) {
  const AttentionShape& shape = GetParam().shape;
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildAttention(shape));
  AttentionInputs in = MakeAttentionInputs(shape);
  const std::vector<double> expected = AttentionOracle(shape, in);
  std::vector<float> out(expected.size(), std::nanf(""));
  const auto span = [](std::vector<float>& v) {
    return BufferSpan{v.data(), static_cast<int64_t>(v.size() * sizeof(float))};
  };
  MX_ASSERT_OK(Interpret(program,
                         {span(in.q), span(in.k), span(in.v), span(out)},
                         AllOf(program)));
  for (size_t i = 0; i < expected.size(); ++i) {
    const double bound = kAttentionTolerance * (1 + std::fabs(expected[i]));
    ASSERT_NEAR(out[i], expected[i], bound) << "at " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AttentionOnInterpreterTest,
    ::testing::Values(
        NamedAttentionShape{"prefill", kPrefill},
        NamedAttentionShape{"one", {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        NamedAttentionShape{"decode", kDecode},
        NamedAttentionShape{"one_query", {1, 8, 2, 1, 37, 20, 24, 1, 16}},
        NamedAttentionShape{"ragged", {2, 6, 3, 7, 19, 5, 9, 3, 8}},
        NamedAttentionShape{"square", {2, 2, 1, 12, 12, 8, 4, 4, 4}},
        NamedAttentionShape{"one_block", {1, 2, 2, 5, 9, 3, 3, 8, 16}}),
    [](const auto& info) { return std::string(info.param.name); });

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
