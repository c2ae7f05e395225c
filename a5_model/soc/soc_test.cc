#include "a5_model/soc/soc.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

TEST(SocTest, MemoriesStandAtTheIndexOfTheirSpace) {
  for (int i = 0; i < kNumMemorySpaces; ++i) {
    EXPECT_EQ(static_cast<int>(Ascend950().memories[i].space), i);
  }
}

TEST(SocTest, AlignmentsDivideTheSizes) {
  for (const MemoryInfo& memory : Ascend950().memories) {
    SCOPED_TRACE(std::string(Name(memory.space)));
    EXPECT_EQ(memory.size_bytes % memory.alignment_bytes, 0);
    EXPECT_EQ(memory.limit_bytes % memory.access_bytes, 0);
    EXPECT_LE(memory.size_bytes, memory.limit_bytes);
  }
}

TEST(SocTest, Sizes) {
  const Soc& soc = Ascend950();
  EXPECT_EQ(soc.memory(MemorySpace::kMat).size_bytes, 524288);
  EXPECT_EQ(soc.memory(MemorySpace::kLeft).size_bytes, 65536);
  EXPECT_EQ(soc.memory(MemorySpace::kRight).size_bytes, 65536);
  EXPECT_EQ(soc.memory(MemorySpace::kAcc).size_bytes, 262144);
  EXPECT_EQ(soc.memory(MemorySpace::kBias).size_bytes, 4096);
  EXPECT_EQ(soc.memory(MemorySpace::kLeftScale).size_bytes, 4096);
  EXPECT_EQ(soc.memory(MemorySpace::kRightScale).size_bytes, 4096);
  EXPECT_EQ(soc.memory(MemorySpace::kVec).size_bytes, 245760);
  EXPECT_EQ(soc.memory(MemorySpace::kVec).limit_bytes, 253952);
}

TEST(SocTest, ShiftMapsDataBuffersOntoScaleBuffers) {
  const Soc& soc = Ascend950();
  EXPECT_EQ(
      soc.memory(MemorySpace::kLeft).size_bytes >> soc.scale_address_shift,
      soc.memory(MemorySpace::kLeftScale).size_bytes);
  EXPECT_EQ(
      soc.memory(MemorySpace::kRight).size_bytes >> soc.scale_address_shift,
      soc.memory(MemorySpace::kRightScale).size_bytes);
  EXPECT_EQ(soc.l0_tile_alignment_bytes >> soc.scale_address_shift,
            soc.cube.scale_box_bytes);
}

TEST(SocTest, FractalsAreRowsTimesRowBytes) {
  const CubeInfo& cube = Ascend950().cube;
  EXPECT_EQ(cube.fractal_rows * cube.fractal_row_bytes, cube.fractal_bytes);
  EXPECT_EQ(cube.fractal_rows * 16 * 4, cube.acc_fractal_bytes);
  EXPECT_EQ(cube.fractal_rows * 2, cube.scale_box_bytes);
  EXPECT_EQ(cube.scale_group * 2, cube.k_multiple);
}

// The route graph as a matrix: a row a source, a column a destination.
TEST(SocTest, Routes) {
  const std::string expected =
      "           GM   Mat  Left Righ Acc  Bias LSc  RSc  Vec\n"
      "GM         .    MTE2 .    .    .    .    .    .    MTE2\n"
      "Mat        .    .    MTE1 MTE1 .    MTE1 MTE1 MTE1 .\n"
      "Left       .    .    .    .    .    .    .    .    .\n"
      "Right      .    .    .    .    .    .    .    .    .\n"
      "Acc        FIX  FIX  .    .    .    .    .    .    FIX\n"
      "Bias       .    .    .    .    .    .    .    .    .\n"
      "LeftScale  .    .    .    .    .    .    .    .    .\n"
      "RightScale .    .    .    .    .    .    .    .    .\n"
      "Vec        MTE3 MTE3 .    .    .    .    .    .    V\n";
  std::string actual =
      "           GM   Mat  Left Righ Acc  Bias LSc  RSc  Vec\n";
  for (int from = 0; from < kNumMemorySpaces; ++from) {
    std::string line(Name(static_cast<MemorySpace>(from)));
    line.resize(11, ' ');
    for (int to = 0; to < kNumMemorySpaces; ++to) {
      const std::optional<Pipe> pipe =
          FindRoute(Ascend950(), static_cast<MemorySpace>(from),
                    static_cast<MemorySpace>(to));
      std::string cell = pipe.has_value() ? std::string(Name(*pipe)) : ".";
      if (to + 1 < kNumMemorySpaces) cell.resize(5, ' ');
      line += cell;
    }
    actual += line + "\n";
  }
  EXPECT_EQ(actual, expected);
}

TEST(SocTest, OneRouteAtMostBetweenTwoMemories) {
  std::set<std::pair<MemorySpace, MemorySpace>> seen;
  for (const Route& route : Ascend950().routes) {
    EXPECT_TRUE(seen.insert({route.from, route.to}).second)
        << Name(route.from) << " -> " << Name(route.to);
  }
}

TEST(SocTest, NamesDiffer) {
  std::set<std::string> spaces;
  for (int i = 0; i < kNumMemorySpaces; ++i) {
    spaces.insert(std::string(Name(static_cast<MemorySpace>(i))));
  }
  EXPECT_THAT(spaces, ::testing::UnorderedElementsAre(
                          "GM", "Mat", "Left", "Right", "Acc", "Bias",
                          "LeftScale", "RightScale", "Vec"));
  std::set<std::string> pipes;
  for (int i = 0; i < kNumPipes; ++i) {
    pipes.insert(std::string(Name(static_cast<Pipe>(i))));
  }
  EXPECT_THAT(pipes, ::testing::UnorderedElementsAre("MTE1", "MTE2", "MTE3",
                                                     "M", "V", "FIX", "S"));
}

TEST(SocTest, ScaleSpaces) {
  for (int i = 0; i < kNumMemorySpaces; ++i) {
    const MemorySpace space = static_cast<MemorySpace>(i);
    EXPECT_EQ(IsScaleSpace(space), space == MemorySpace::kLeftScale ||
                                       space == MemorySpace::kRightScale);
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
