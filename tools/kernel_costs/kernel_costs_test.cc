#include "tools/kernel_costs/kernel_costs.h"

#include <string>
#include <vector>

#include "a5_model/vector/vector_stage.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;

// [64, 64] floats, OCP, flat: 16 windows of 256, twice 64 groups; by the counts
// of kernels/a5/tquant_counts_test.cc 16 * 12 and 2 * 12 and 32 * 8, with the
// constants and the end of the stream that are once.
TEST(KernelCostsTest, StagesOfAFlatTile) {
  MX_ASSERT_OK_AND_ASSIGN(
      const std::vector<a5::VectorStage> stages,
      QuantStages(
          {GroupAxis::kAxis1, ScaleRule::kOcp, ElementFormat::kF8E4M3FN},
          ElementFormat::kF32, GroupForm::kFlat, 64, 64));
  std::vector<std::string> names;
  for (const a5::VectorStage& stage : stages) names.push_back(stage.name);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"max", "scale", "convert"}));
  for (const a5::VectorStage& stage : stages) {
    if (stage.name == "max") {
      EXPECT_EQ(stage.total(), 16 * 12 + 1);
    }
  }
  const std::string text = CostsText(stages, 64 * 64);
  EXPECT_THAT(text, HasSubstr("bound by"));
  EXPECT_THAT(text, HasSubstr("convert"));
  EXPECT_THAT(text, HasSubstr("elements a cycle"));
}

TEST(KernelCostsTest, MovesOfBothAxes) {
  for (const GroupAxis axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
    MX_ASSERT_OK_AND_ASSIGN(const std::vector<a5::VectorStage> stages,
                            MoveStages(axis, 64, 256));
    const std::string text = CostsText(stages, 64 * 256);
    EXPECT_THAT(text, HasSubstr("nd-to-nz"));
    EXPECT_THAT(text,
                HasSubstr(axis == GroupAxis::kAxis0 ? "dn-to-zz" : "nd-to-zz"));
  }
}

TEST(KernelCostsTest, ShapesThatTheKernelRefuses) {
  EXPECT_THAT(
      QuantStages(
          {GroupAxis::kAxis0, ScaleRule::kOcp, ElementFormat::kF8E4M3FN},
          ElementFormat::kF32, GroupForm::k2d, 48, 64),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-QUANT-3")));
}

}  // namespace
}  // namespace mxtile
