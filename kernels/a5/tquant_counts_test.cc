// How many instructions TQUANT takes for each further unit of work, against the
// counts of the public kernel (a5_machine, 5). Constants that are loaded once
// do not count: a unit is the difference between two sizes.
//
// Where we take fewer, it is for one of these reasons:
//   zeroing    a masked instruction leaves zeros, so no vsel has to make them
//   hoisted    a constant is loaded before the loop
//   unsigned   NaN is what lies above Inf, one comparison of bits
//   scalar     vmaxs, vmins and vcmps take their constant from a scalar
//   gathered   the groups of a row fill the lanes of a register
//   arranged   even and odd elements are packed as they come from the loads

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/vector/vector_stage.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "base/check.h"
#include "gtest/gtest.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_test_util.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr ElementFormat kF32 = ElementFormat::kF32;
constexpr ElementFormat kBF16 = ElementFormat::kBF16;
constexpr ElementFormat kF16 = ElementFormat::kF16;
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr GroupAxis kAxis0 = GroupAxis::kAxis0;
constexpr GroupAxis kAxis1 = GroupAxis::kAxis1;
constexpr ScaleRule kOcp = ScaleRule::kOcp;
constexpr ScaleRule kNv = ScaleRule::kNv;

struct Shape {
  int64_t rows;
  int64_t cols;
};

struct Unit {
  std::string name;
  GroupAxis axis;
  GroupForm form;
  ElementFormat source;
  ElementFormat format;
  ScaleRule rule;
  Shape small;
  Shape large;
  std::string stage;
  int64_t units;         // in `large` beyond `small`
  int64_t instructions;  // of a unit
  int64_t public_count;  // of the public kernel
  const char* reason;    // for the difference
};

int64_t Instructions(const Unit& unit, const Shape& shape) {
  const TQuantOptions options = {unit.axis, unit.rule, unit.format,
                                 /*extensions=*/true};
  // Along axis 0 whole groups are allocated, whatever is valid of them.
  const int64_t rows =
      unit.axis == GroupAxis::kAxis0 ? (shape.rows + 31) / 32 * 32 : shape.rows;
  const TileType src = {unit.source, rows, shape.cols, shape.rows, shape.cols};
  const bool flat = unit.form == GroupForm::kFlat;
  const GroupShape groups =
      flat ? ShapeOfFlatGroups(src) : ShapeOfGroups(unit.axis, src);
  const auto group_type = [&](ElementFormat format) {
    return flat ? FullTile(format, 1, groups.rows * groups.cols)
                : FullTile(format, groups.rows, groups.cols);
  };
  Machine machine;
  VectorUnit vector(machine);
  UbArena arena(machine, vector);
  const UbTile ub_src = arena.Place("src", src);
  TileType dst_type = src;
  dst_type.format = unit.format;
  const UbTile dst = arena.Place("dst", dst_type);
  const UbTile exp = arena.Place("exp", group_type(ElementFormat::kF8E8M0FNU));
  const UbTile max = arena.Place("max", group_type(unit.source));
  const UbTile scaling = arena.Place("scaling", group_type(unit.source));
  const absl::Status status = TQuant(
      vector, options,
      {dst, ub_src, {exp, unit.form}, {max, unit.form}, {scaling, unit.form}});
  MX_CHECK(status.ok() && vector.Finish().ok()) << status;
  for (const VectorStage& stage : vector.stages()) {
    if (stage.name == unit.stage) return stage.total();
  }
  MX_CHECK(false) << "no stage " << unit.stage;
  return 0;
}

class TQuantCountsTest : public ::testing::TestWithParam<Unit> {};

TEST_P(TQuantCountsTest, OfAUnit) {
  const Unit& unit = GetParam();
  const int64_t more =
      Instructions(unit, unit.large) - Instructions(unit, unit.small);
  EXPECT_EQ(more, unit.units * unit.instructions);
  if (unit.reason == nullptr) {
    EXPECT_EQ(unit.instructions, unit.public_count);
  } else {
    EXPECT_LT(unit.instructions, unit.public_count) << unit.reason;
  }
}

std::vector<Unit> Units() {
  const GroupForm flat = GroupForm::kFlat;
  const GroupForm two_d = GroupForm::k2d;
  return {
      // ---- max
      {"MaxF32Of2048By256",
       kAxis1,
       flat,
       kF32,
       kE4M3,
       kOcp,
       {32, 64},
       {64, 64},
       "max",
       8,
       12,
       12,
       nullptr},
      {"MaxF32By256",
       kAxis1,
       flat,
       kF32,
       kE4M3,
       kOcp,
       {20, 64},
       {24, 64},
       "max",
       1,
       12,
       13,
       "arranged"},
      {"MaxF32By64",
       kAxis1,
       flat,
       kF32,
       kE4M3,
       kOcp,
       {8, 64},
       {9, 64},
       "max",
       1,
       6,
       7,
       "zeroing"},
      {"MaxBF16By256",
       kAxis1,
       flat,
       kBF16,
       kE4M3,
       kOcp,
       {4, 64},
       {8, 64},
       "max",
       1,
       6,
       7,
       "hoisted"},
      {"MaxF16ByNvBy256",
       kAxis1,
       flat,
       kF16,
       kE4M3,
       kNv,
       {4, 64},
       {8, 64},
       "max",
       1,
       6,
       7,
       "hoisted"},
      {"MaxF16ByOcpBy256",
       kAxis1,
       flat,
       kF16,
       kE4M3,
       kOcp,
       {4, 64},
       {8, 64},
       "max",
       1,
       22,
       30,
       "hoisted"},
      {"MaxF32Of32Rows",
       kAxis0,
       two_d,
       kF32,
       kE4M3,
       kOcp,
       {32, 64},
       {64, 64},
       "max",
       1,
       104,
       104,
       nullptr},
      {"MaxBF16Of32Rows",
       kAxis0,
       two_d,
       kBF16,
       kE4M3,
       kOcp,
       {32, 128},
       {64, 128},
       "max",
       1,
       104,
       104,
       nullptr},
      {"MaxF16Of32Rows",
       kAxis0,
       two_d,
       kF16,
       kE4M3,
       kOcp,
       {32, 128},
       {64, 128},
       "max",
       1,
       360,
       104 + 16 * 23,
       "hoisted"},
      // ---- scale
      {"ScaleF32ByOcpBy64",
       kAxis1,
       flat,
       kF32,
       kE4M3,
       kOcp,
       {64, 32},
       {128, 32},
       "scale",
       1,
       12,
       16,
       "unsigned"},
      {"ScaleF32ByNvBy64",
       kAxis1,
       flat,
       kF32,
       kE4M3,
       kNv,
       {64, 32},
       {128, 32},
       "scale",
       1,
       18,
       29,
       "unsigned, scalar"},
      {"ScaleBF16ByOcpBy128",
       kAxis1,
       flat,
       kBF16,
       kE4M3,
       kOcp,
       {128, 32},
       {256, 32},
       "scale",
       1,
       11,
       14,
       "unsigned"},
      {"ScaleBF16ByNvBy64",
       kAxis1,
       flat,
       kBF16,
       kE4M3,
       kNv,
       {64, 32},
       {128, 32},
       "scale",
       1,
       22,
       23,
       "unsigned, scalar"},
      // vgather2, 9 for the scales, vselr, vstus and vstas twice. There one
      // group a step.
      {"ScaleF32ByOcpOfARowOf64",
       kAxis1,
       two_d,
       kF32,
       kE4M3,
       kOcp,
       {4, 2048},
       {8, 2048},
       "scale",
       4,
       15,
       64 * 16,
       "gathered"},
      // ---- convert
      {"F32ToF8By128",
       kAxis1,
       flat,
       kF32,
       kE4M3,
       kOcp,
       {4, 64},
       {8, 64},
       "convert",
       2,
       8,
       8,
       nullptr},
      {"F32ToF8By64",
       kAxis1,
       two_d,
       kF32,
       kE4M3,
       kOcp,
       {1, 64},
       {1, 128},
       "convert",
       1,
       8,
       8,
       nullptr},
      {"BF16ToF8By256",
       kAxis1,
       flat,
       kBF16,
       kE4M3,
       kOcp,
       {4, 64},
       {8, 64},
       "convert",
       1,
       16,
       16,
       nullptr},
      {"F16ToF8By256",
       kAxis1,
       flat,
       kF16,
       kE4M3,
       kOcp,
       {4, 64},
       {8, 64},
       "convert",
       1,
       19,
       19,
       nullptr},
      {"BF16ToF4By256",
       kAxis1,
       flat,
       kBF16,
       kE2M1,
       kOcp,
       {4, 64},
       {8, 64},
       "convert",
       1,
       19,
       19,
       nullptr},
      {"F16ToF4By256",
       kAxis1,
       flat,
       kF16,
       kE2M1,
       kOcp,
       {4, 64},
       {8, 64},
       "convert",
       1,
       78,
       101,
       "scalar, arranged"},
      {"F32ToF8ByRow",
       kAxis0,
       two_d,
       kF32,
       kE4M3,
       kOcp,
       {1, 64},
       {32, 64},
       "convert",
       31,
       4,
       4,
       nullptr},
      {"BF16ToF8ByRow",
       kAxis0,
       two_d,
       kBF16,
       kE4M3,
       kOcp,
       {1, 128},
       {32, 128},
       "convert",
       31,
       9,
       9,
       nullptr},
      {"F16ToF8ByRow",
       kAxis0,
       two_d,
       kF16,
       kE4M3,
       kOcp,
       {1, 128},
       {32, 128},
       "convert",
       31,
       9,
       9,
       nullptr},
      {"BF16ToF4ByRow",
       kAxis0,
       two_d,
       kBF16,
       kE2M1,
       kOcp,
       {1, 128},
       {32, 128},
       "convert",
       31,
       9,
       9,
       nullptr},
      {"F16ToF4ByRow",
       kAxis0,
       two_d,
       kF16,
       kE2M1,
       kOcp,
       {1, 128},
       {32, 128},
       "convert",
       31,
       38,
       50,
       "scalar, arranged"},
  };
}

INSTANTIATE_TEST_SUITE_P(Units, TQuantCountsTest, ::testing::ValuesIn(Units()),
                         [](const ::testing::TestParamInfo<Unit>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace a5
}  // namespace mxtile
