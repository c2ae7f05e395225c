#include "ir/enums.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

template <typename E>
void ExpectNames(const std::vector<std::pair<E, const char*>>& rows) {
  for (const auto& [value, name] : rows) {
    EXPECT_EQ(std::string(EnumName(value)), name);
    EXPECT_EQ(EnumFromName<E>(name), value) << name;
  }
  EXPECT_EQ(EnumFromName<E>("no such name"), std::nullopt);
  EXPECT_EQ(EnumFromName<E>(""), std::nullopt);
}

TEST(EnumsTest, NamesAreThoseOfTheTextForm) {
  ExpectNames<MemorySpace>({{MemorySpace::kDDR, "DDR"},
                            {MemorySpace::kVec, "Vec"},
                            {MemorySpace::kMat, "Mat"},
                            {MemorySpace::kLeft, "Left"},
                            {MemorySpace::kRight, "Right"},
                            {MemorySpace::kAcc, "Acc"},
                            {MemorySpace::kBias, "Bias"},
                            {MemorySpace::kScalarLocal, "ScalarLocal"},
                            {MemorySpace::kLeftScale, "LeftScale"},
                            {MemorySpace::kRightScale, "RightScale"}});
  ExpectNames<TensorLayout>({{TensorLayout::kND, "ND"},
                             {TensorLayout::kDN, "DN"},
                             {TensorLayout::kNZ, "NZ"},
                             {TensorLayout::kMxAZZ, "MX_A_ZZ"},
                             {TensorLayout::kMxBNN, "MX_B_NN"}});
  ExpectNames<TileLayout>({{TileLayout::kNoneBox, "none_box"},
                           {TileLayout::kRowMajor, "row_major"},
                           {TileLayout::kColMajor, "col_major"}});
  ExpectNames<PadValue>({{PadValue::kNull, "null"},
                         {PadValue::kZero, "zero"},
                         {PadValue::kMax, "max"},
                         {PadValue::kMin, "min"}});
  ExpectNames<CompactMode>(
      {{CompactMode::kNull, "null"}, {CompactMode::kNormal, "normal"}});
  ExpectNames<ParamDirection>({{ParamDirection::kIn, "In"},
                               {ParamDirection::kOut, "Out"},
                               {ParamDirection::kInOut, "InOut"}});
  ExpectNames<Role>(
      {{Role::kOrchestrator, "Orchestrator"}, {Role::kSubWorker, "SubWorker"}});
  ExpectNames<Level>({{Level::kAIV, "AIV"},
                      {Level::kAIC, "AIC"},
                      {Level::kCoreGroup, "CORE_GROUP"},
                      {Level::kChipDie, "CHIP_DIE"},
                      {Level::kChip, "CHIP"},
                      {Level::kHost, "HOST"},
                      {Level::kCluster0, "CLUSTER_0"},
                      {Level::kCluster1, "CLUSTER_1"},
                      {Level::kCluster2, "CLUSTER_2"},
                      {Level::kGlobal, "GLOBAL"}});
  ExpectNames<LoopKind>({{LoopKind::kSequential, "range"},
                         {LoopKind::kParallel, "parallel"},
                         {LoopKind::kUnroll, "unroll"},
                         {LoopKind::kPipeline, "pipeline"}});
}

TEST(EnumsTest, L2CacheIsAnotherNameOfChipDie) {
  EXPECT_EQ(EnumFromName<Level>("L2CACHE"), Level::kChipDie);
}

TEST(EnumsTest, MemorySpacesHaveTheNumbersOfTileAlloc) {
  EXPECT_EQ(static_cast<int>(MemorySpace::kDDR), 0);
  EXPECT_EQ(static_cast<int>(MemorySpace::kVec), 1);
  EXPECT_EQ(static_cast<int>(MemorySpace::kAcc), 5);
  EXPECT_EQ(static_cast<int>(MemorySpace::kRightScale), 9);
}

TEST(EnumsTest, FunctionTypesImplyLevelAndRole) {
  struct Row {
    FunctionType type;
    const char* name;
    std::optional<Level> level;
    std::optional<Role> role;
    bool in_core;
  };
  constexpr auto kOrchestrator = Role::kOrchestrator;
  constexpr auto kSubWorker = Role::kSubWorker;
  // pypto_ir section 6.
  const Row kRows[] = {
      {FunctionType::kOpaque, "Opaque", {}, {}, false},
      {FunctionType::kOrchestration, "Orchestration", Level::kChip,
       kOrchestrator, false},
      {FunctionType::kInCore, "InCore", Level::kChipDie, kSubWorker, true},
      {FunctionType::kAIC, "AIC", Level::kAIC, kSubWorker, true},
      {FunctionType::kAIV, "AIV", Level::kAIV, kSubWorker, true},
      {FunctionType::kGroup, "Group", Level::kCoreGroup, kSubWorker, false},
      {FunctionType::kSpmd, "Spmd", {}, {}, false},
      {FunctionType::kInline, "Inline", {}, {}, false},
      {FunctionType::kGraph, "Graph", Level::kChip, kOrchestrator, false},
  };
  int number = 0;
  for (const Row& row : kRows) {
    EXPECT_EQ(static_cast<int>(row.type), number++) << row.name;
    EXPECT_EQ(std::string(EnumName(row.type)), row.name);
    EXPECT_EQ(EnumFromName<FunctionType>(row.name), row.type) << row.name;
    EXPECT_EQ(DerivedLevel(row.type), row.level) << row.name;
    EXPECT_EQ(DerivedRole(row.type), row.role) << row.name;
    EXPECT_EQ(IsInCore(row.type), row.in_core) << row.name;
  }
}

TEST(EnumsTest, MxLayouts) {
  EXPECT_TRUE(IsMx(TensorLayout::kMxAZZ));
  EXPECT_TRUE(IsMx(TensorLayout::kMxBNN));
  for (const TensorLayout other :
       {TensorLayout::kND, TensorLayout::kDN, TensorLayout::kNZ}) {
    EXPECT_FALSE(IsMx(other)) << EnumName(other);
  }
}

}  // namespace
}  // namespace mxtile::ir
