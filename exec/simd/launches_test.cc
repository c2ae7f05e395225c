#include "exec/simd/launches.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

exec::Value AnyTensor() { return exec::Value(std::make_shared<Object>()); }

class LaunchesTest : public ::testing::Test {
 protected:
  LaunchCall Call(const exec::Value& tensor, int64_t i, int64_t j,
                  BlockPosition block = {}) const {
    return {&program_.function("f"),
            {tensor, exec::Value(i), exec::Value(j)},
            block};
  }

  const ir::TextProgram program_{ir::ProgramText({ir::FunctionText(
      "InCore", "f",
      "x: pl.Tensor[[8, 16], pl.FP32], i: pl.Scalar[pl.INDEX], j: "
      "pl.Scalar[pl.INDEX]",
      "")})};
};

TEST_F(LaunchesTest, NestedRegionsAreOneStage) {
  LaunchRecorder recorder;
  const exec::Value x = AnyTensor();
  recorder.BeginRegion();
  for (int64_t i = 0; i < 3; ++i) {
    recorder.BeginRound();
    recorder.BeginRegion();
    for (int64_t j = 0; j < 4; ++j) {
      recorder.BeginRound();
      recorder.Add(Call(x, 5 * i, 100 - j));
    }
    EXPECT_THAT(recorder.EndRegion(), IsEmpty());
  }
  const std::vector<Stage> stages = recorder.EndRegion();
  ASSERT_EQ(stages.size(), 1);
  const std::vector<Launch> launches = LaunchesOf(stages[0]);
  ASSERT_EQ(launches.size(), 1);
  const ImportRequest& request = launches[0].request;
  EXPECT_THAT(request.digits, ElementsAre(3, 4));
  EXPECT_EQ(request.params[0].buffer, 0);
  EXPECT_EQ(request.params[1].scalar.base, 0);
  EXPECT_THAT(request.params[1].scalar.steps, ElementsAre(5, 0));
  EXPECT_EQ(request.params[2].scalar.base, 100);
  EXPECT_THAT(request.params[2].scalar.steps, ElementsAre(0, -1));
}

// Calls of one round keep their order.
TEST_F(LaunchesTest, CallsInARowAreStages) {
  LaunchRecorder recorder;
  const exec::Value x = AnyTensor();
  recorder.BeginRegion();
  for (int64_t i = 0; i < 3; ++i) {
    recorder.BeginRound();
    for (int64_t k = 0; k < i; ++k) recorder.Add(Call(x, i, k));
  }
  const std::vector<Stage> stages = recorder.EndRegion();
  ASSERT_EQ(stages.size(), 2);
  EXPECT_EQ(stages[0].size(), 2);  // (1, 0), (2, 0)
  EXPECT_EQ(stages[1].size(), 1);  // (2, 1)
  EXPECT_EQ(stages[1][0].args[2].AsInt(), 1);
}

TEST_F(LaunchesTest, WhatIsNotAffineIsATable) {
  const exec::Value x = AnyTensor();
  const std::vector<Launch> launches =
      LaunchesOf({Call(x, 0, 7), Call(x, 1, 7), Call(x, 4, 7), Call(x, 9, 7)});
  ASSERT_EQ(launches.size(), 1);
  EXPECT_THAT(launches[0].request.digits, ElementsAre(4));
  EXPECT_THAT(launches[0].request.params[1].scalar.table,
              ElementsAre(0, 1, 4, 9));
  EXPECT_EQ(launches[0].request.params[2].scalar.base, 7);
  EXPECT_THAT(launches[0].request.params[2].scalar.table, IsEmpty());
}

TEST_F(LaunchesTest, OtherTensorsAreOtherLaunches) {
  const exec::Value x = AnyTensor();
  const exec::Value y = AnyTensor();
  EXPECT_EQ(LaunchesOf({Call(x, 0, 0), Call(y, 1, 0), Call(x, 2, 0)}).size(),
            2);
  // Blocks count as a digit.
  const std::vector<Launch> blocks =
      LaunchesOf({Call(x, 3, 0, {0, 2}), Call(x, 3, 0, {1, 2}),
                  Call(x, 5, 0, {0, 2}), Call(x, 5, 0, {1, 2})});
  ASSERT_EQ(blocks.size(), 1);
  EXPECT_THAT(blocks[0].request.digits, ElementsAre(2, 2));
  EXPECT_THAT(blocks[0].request.block_index.steps, ElementsAre(0, 1));
  EXPECT_EQ(blocks[0].request.block_count, 2);
}

}  // namespace
}  // namespace mxtile::exec::simd
