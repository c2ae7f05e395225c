#include "exec/model/a5_mapping.h"

#include <optional>

#include "a5_model/soc/soc.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/op_registry.h"
#include "ir/type.h"
#include "kernels/a5/tile.h"

namespace mxtile::exec {
namespace {

using ir::MemorySpace;
using ir::TileLayout;

TEST(ToA5SpaceTest, EveryMemoryOfTheMachine) {
  const struct {
    MemorySpace space;
    std::optional<a5::MemorySpace> want;
  } kCases[] = {
      {MemorySpace::kDDR, a5::MemorySpace::kGm},
      {MemorySpace::kVec, a5::MemorySpace::kVec},
      {MemorySpace::kMat, a5::MemorySpace::kMat},
      {MemorySpace::kLeft, a5::MemorySpace::kLeft},
      {MemorySpace::kRight, a5::MemorySpace::kRight},
      {MemorySpace::kAcc, a5::MemorySpace::kAcc},
      {MemorySpace::kBias, a5::MemorySpace::kBias},
      {MemorySpace::kLeftScale, a5::MemorySpace::kLeftScale},
      {MemorySpace::kRightScale, a5::MemorySpace::kRightScale},
      {MemorySpace::kScalarLocal, std::nullopt},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ToA5Space(c.space), c.want) << ir::EnumName(c.space);
  }
}

ir::TileView View(TileLayout blayout, TileLayout slayout, int64_t fractal) {
  ir::TileView view;
  view.blayout = blayout;
  view.slayout = slayout;
  view.fractal = fractal;
  return view;
}

// What a type means that states no layout, by its memory.
TEST(ToA5LayoutTest, ImplicitLayouts) {
  const ir::OpRegistry registry;
  ir::Context context(&registry);
  const struct {
    MemorySpace space;
    a5::TileLayout want;
  } kCases[] = {
      {MemorySpace::kMat, a5::TileLayout::kNz},
      {MemorySpace::kLeft, a5::TileLayout::kNz},
      {MemorySpace::kRight, a5::TileLayout::kZn},
      {MemorySpace::kAcc, a5::TileLayout::kNz},
      {MemorySpace::kBias, a5::TileLayout::kNd},
      {MemorySpace::kVec, a5::TileLayout::kNd},
      {MemorySpace::kLeftScale, a5::TileLayout::kZz},
      {MemorySpace::kRightScale, a5::TileLayout::kNn},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(
        ToA5Layout(ir::ImplicitTileView(context.StaticDims({32, 64}), c.space)),
        c.want)
        << ir::EnumName(c.space);
  }
}

TEST(ToA5LayoutTest, EveryCombination) {
  const TileLayout kRow = TileLayout::kRowMajor;
  const TileLayout kCol = TileLayout::kColMajor;
  const TileLayout kNone = TileLayout::kNoneBox;
  const struct {
    ir::TileView view;
    std::optional<a5::TileLayout> want;
  } kCases[] = {
      {View(kRow, kNone, 512), a5::TileLayout::kNd},
      {View(kCol, kNone, 512), std::nullopt},
      {View(kCol, kRow, 512), a5::TileLayout::kNz},
      {View(kCol, kRow, 1024), a5::TileLayout::kNz},
      {View(kCol, kRow, 32), std::nullopt},
      {View(kRow, kCol, 512), a5::TileLayout::kZn},
      {View(kRow, kCol, 32), std::nullopt},
      {View(kRow, kRow, 32), a5::TileLayout::kZz},
      {View(kRow, kRow, 512), std::nullopt},
      {View(kCol, kCol, 32), a5::TileLayout::kNn},
      {View(kCol, kCol, 512), std::nullopt},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ToA5Layout(c.view), c.want)
        << ir::EnumName(c.view.blayout) << "/" << ir::EnumName(c.view.slayout)
        << "/" << c.view.fractal;
  }
}

TEST(A5MappingTest, FormatsOfElementsAndOfQuantisedBytes) {
  EXPECT_EQ(ToA5Format(ir::DataType::kFP32), ElementFormat::kF32);
  EXPECT_EQ(ToA5Format(ir::DataType::kFP8E4M3FN), ElementFormat::kF8E4M3FN);
  EXPECT_EQ(ToA5Format(ir::DataType::kInt8), ElementFormat::kF8E4M3FN);
  EXPECT_EQ(ToA5Format(ir::DataType::kUInt8), ElementFormat::kF8E8M0FNU);
  EXPECT_EQ(ToA5Format(ir::DataType::kInt32), std::nullopt);
}

}  // namespace
}  // namespace mxtile::exec
