#include "passes/block_mx_scale_tensor_views/mx_blocking.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/rule_error.h"
#include "ir/type.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ir::TensorLayout kMxLayouts[] = {ir::TensorLayout::kMxAZZ,
                                           ir::TensorLayout::kMxBNN};
constexpr int64_t kSymbolic = -1;

class MxBlockingTest : public ::testing::Test {
 protected:
  ir::Dims Shape(const std::vector<int64_t>& values) {
    std::vector<const ir::Expr*> dims;
    for (const int64_t value : values) {
      dims.push_back(value == kSymbolic ? symbol_ : context_.Index(value));
    }
    return context_.List(dims);
  }

  ir::OpRegistry registry_;
  ir::Context context_{&registry_};
  const ir::Expr* symbol_ = context_.NewVar("n", context_.IndexType());
};

TEST_F(MxBlockingTest, LinesOfBAreItsColumns) {
  EXPECT_EQ(MxAxesOf(ir::TensorLayout::kMxAZZ).block, 0);
  EXPECT_EQ(MxAxesOf(ir::TensorLayout::kMxAZZ).group, 1);
  EXPECT_EQ(MxAxesOf(ir::TensorLayout::kMxBNN).block, 1);
  EXPECT_EQ(MxAxesOf(ir::TensorLayout::kMxBNN).group, 0);
}

TEST_F(MxBlockingTest, BlockedShape) {
  EXPECT_THAT(BlockedShape(MxAxesOf(ir::TensorLayout::kMxAZZ), Shape({64, 6})),
              ElementsAre(1, 4, 3, 16, 2));
  EXPECT_THAT(BlockedShape(MxAxesOf(ir::TensorLayout::kMxBNN), Shape({6, 64})),
              ElementsAre(1, 4, 3, 16, 2));
}

// Which of several faults is reported: rank, then dynamic block and group, then
// block and group of a wrong value.
TEST_F(MxBlockingTest, ChecksInOrder) {
  const struct {
    std::vector<int64_t> shape;  // As [block, group].
    std::string rule;
    std::string fragment;
  } kCases[] = {
      {{}, "MX-BLOCK-1", "t must have rank 2, not 0"},
      {{kSymbolic}, "MX-BLOCK-1", "t must have rank 2, not 1"},
      {{kSymbolic, 3, 3}, "MX-BLOCK-1", "t must have rank 2, not 3"},
      {{kSymbolic, kSymbolic}, "MX-BLOCK-2", "t needs a static block dim"},
      {{24, kSymbolic}, "MX-BLOCK-2", "t needs a static group dim"},
      {{kSymbolic, 3}, "MX-BLOCK-2", "t needs a static block dim"},
      {{24, 3}, "MX-BLOCK-3", "positive multiple of 16, got 24"},
      {{16, 3}, "MX-BLOCK-3", "positive multiple of 2, got 3"},
      {{-16, 2}, "MX-BLOCK-3", "positive multiple of 16, got -16"},
      {{16, -2}, "MX-BLOCK-3", "positive multiple of 2, got -2"},
  };
  for (const ir::TensorLayout layout : kMxLayouts) {
    for (const auto& test : kCases) {
      std::vector<int64_t> shape = test.shape;
      if (layout == ir::TensorLayout::kMxBNN && shape.size() == 2) {
        std::swap(shape[0], shape[1]);
      }
      const absl::Status status =
          CheckBlockable("t", MxAxesOf(layout), Shape(shape));
      EXPECT_EQ(ir::RuleOf(status), test.rule) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(test.fragment));
    }
  }
}

TEST_F(MxBlockingTest, TakesPositiveMultiplesOnly) {
  for (const ir::TensorLayout layout : kMxLayouts) {
    const MxAxes axes = MxAxesOf(layout);
    for (int64_t lines = -17; lines <= 65; ++lines) {
      for (int64_t groups = -3; groups <= 9; ++groups) {
        std::vector<int64_t> shape(2);
        shape[axes.block] = lines;
        shape[axes.group] = groups;
        const bool whole_boxes =
            lines > 0 && lines % 16 == 0 && groups > 0 && groups % 2 == 0;
        EXPECT_EQ(CheckBlockable("t", axes, Shape(shape)).ok(), whole_boxes)
            << ir::EnumName(layout) << " " << lines << "x" << groups;
      }
    }
  }
}

// Row-major order of the rank-5 form is the order in which layouts/mx puts the
// scales.
TEST_F(MxBlockingTest, RankFiveFormIsTheScaleLayout) {
  for (const ir::TensorLayout tensor_layout : kMxLayouts) {
    const MxAxes axes = MxAxesOf(tensor_layout);
    const ScaleOrder order = tensor_layout == ir::TensorLayout::kMxAZZ
                                 ? ScaleOrder::kZZ
                                 : ScaleOrder::kNN;
    std::vector<int64_t> shape(2);
    shape[axes.block] = 48;
    shape[axes.group] = 6;
    const std::array<int64_t, 5> blocked = BlockedShape(axes, Shape(shape));
    MX_ASSERT_OK_AND_ASSIGN(const ScaleLayout layout,
                            ScaleLayout::Create(order, shape[0], shape[1]));
    for (int64_t row = 0; row < shape[0]; ++row) {
      for (int64_t col = 0; col < shape[1]; ++col) {
        const int64_t line = axes.block == 0 ? row : col;
        const int64_t group = axes.block == 0 ? col : row;
        const int64_t index[5] = {0, line / 16, group / 2, line % 16,
                                  group % 2};
        int64_t offset = 0;
        for (int i = 0; i < 5; ++i) offset = offset * blocked[i] + index[i];
        EXPECT_EQ(layout.Offset(row, col), offset) << row << ", " << col;
      }
    }
  }
}

}  // namespace
}  // namespace mxtile
