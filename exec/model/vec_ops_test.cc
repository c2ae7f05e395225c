#include "exec/model/vec_ops.h"

#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"
#include "kernels/group_axis.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tmov.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile::exec {
namespace {

using a5::GmTensor;
using a5::Machine;
using a5::MemorySpace;
using a5::Pipe;
using a5::Tile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;

constexpr uint32_t kSeed = 1;
constexpr auto kE4M3 = ElementFormat::kF8E4M3FN;
constexpr auto kE8M0 = ElementFormat::kF8E8M0FNU;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

Tile At(MemorySpace space, uint64_t address, int64_t rows, int64_t cols,
        ElementFormat format, TileLayout layout = TileLayout::kNd) {
  return {space, address, rows, cols, rows, cols, format, layout, 0};
}
Tile InVec(uint64_t address, int64_t rows, int64_t cols, ElementFormat format,
           TileLayout layout = TileLayout::kNd) {
  return At(MemorySpace::kVec, address, rows, cols, format, layout);
}

void Poke(Machine& machine, const Tile& tile,
          const std::vector<uint8_t>& bytes) {
  machine.memory(tile.space).Poke(tile.address, bytes);
}
std::vector<uint8_t> Peek(Machine& machine, const Tile& tile) {
  return machine.memory(tile.space).Peek(tile.address, TileBytes(tile));
}

std::vector<uint8_t> RandomBytes(int64_t count) {
  std::mt19937 random(kSeed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = random() % 256;
  return bytes;
}

// ---- GM

constexpr int64_t kTensorRows = 40;
constexpr int64_t kTensorCols = 72;

class GmVecTest : public ::testing::Test {
 protected:
  GmVecTest() : bytes_(RandomBytes(kTensorRows * kTensorCols)) {
    tensor_ = {machine_.AllocateGm("x", bytes_.size()),
               kE4M3,
               {kTensorRows, kTensorCols},
               {kTensorCols, 1}};
    EXPECT_THAT(machine_.WriteGm(tensor_.address, bytes_), IsOk());
    tile_ = InVec(0x440, 16, 64, kE4M3);
    tile_.valid_rows = 13;
    tile_.valid_cols = 50;
  }

  Machine machine_;
  std::vector<uint8_t> bytes_;
  GmTensor tensor_;
  Tile tile_;
};

TEST_F(GmVecTest, WindowGoesToTheValidRegionAndBack) {
  std::vector<uint8_t> expected(16 * 64, 0xA5);
  Poke(machine_, tile_, expected);
  ASSERT_THAT(LoadToVec(machine_, tensor_, {{20, 5}, {13, 50}}, tile_), IsOk());
  for (int64_t r = 0; r < 13; ++r) {
    for (int64_t c = 0; c < 50; ++c) {
      expected[r * 64 + c] = bytes_[(20 + r) * kTensorCols + 5 + c];
    }
  }
  EXPECT_EQ(Peek(machine_, tile_), expected);
  EXPECT_EQ(machine_.timeline().stats(Pipe::kMte2).bytes, 13 * 50);

  ASSERT_THAT(StoreFromVec(machine_, tile_, tensor_, {{1, 22}, {13, 50}}),
              IsOk());
  std::vector<uint8_t> stored = bytes_;
  for (int64_t r = 0; r < 13; ++r) {
    for (int64_t c = 0; c < 50; ++c) {
      stored[(1 + r) * kTensorCols + 22 + c] = expected[r * 64 + c];
    }
  }
  EXPECT_THAT(machine_.ReadGm(tensor_.address, bytes_.size()),
              IsOkAndHolds(stored));
  EXPECT_EQ(machine_.timeline().stats(Pipe::kMte3).bytes, 13 * 50);
}

TEST_F(GmVecTest, ErrorsBeginWithTheOperation) {
  EXPECT_THAT(LoadToVec(machine_, tensor_, {{20, 5}, {13, 51}}, tile_),
              StatusIs(kInvalid, AllOf(StartsWith("TLOAD: "),
                                       HasSubstr("columns are adjacent"))));
  EXPECT_THAT(LoadToVec(machine_, tensor_, {{30, 5}, {13, 50}}, tile_),
              StatusIs(absl::StatusCode::kOutOfRange,
                       AllOf(StartsWith("TLOAD: "), HasSubstr("A5-TILE-2"))));
  Tile boxes = tile_;
  boxes.layout = TileLayout::kNz;
  EXPECT_THAT(StoreFromVec(machine_, boxes, tensor_, {{0, 0}, {13, 50}}),
              StatusIs(kInvalid, AllOf(StartsWith("TSTORE: source tile"),
                                       HasSubstr("A5-TILE-1"))));
  // A tile that nobody filled.
  EXPECT_THAT(StoreFromVec(machine_, tile_, tensor_, {{0, 0}, {13, 50}}),
              StatusIs(kInvalid, AllOf(StartsWith("COPY_UB_TO_GM"),
                                       HasSubstr("A5-MEM-3"))));
}

// ---- Mat

struct Copied {
  TileLayout layout;
  ElementFormat format;
};
void PrintTo(const Copied& copied, std::ostream* out) {
  *out << Name(copied.layout);
}

class VecToMatTest : public TestWithParam<Copied> {};

TEST_P(VecToMatTest, BytesStay) {
  Machine machine;
  const Tile source = InVec(0x80, 96, 64, GetParam().format, GetParam().layout);
  Tile destination = source;
  destination.space = MemorySpace::kMat;
  destination.address = 0x1200;
  const std::vector<uint8_t> bytes = RandomBytes(TileBytes(source));
  Poke(machine, source, bytes);
  ASSERT_THAT(MoveVecToMat(machine, source, destination), IsOk());
  EXPECT_EQ(Peek(machine, destination), bytes);
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte3).bytes, TileBytes(source));
}

INSTANTIATE_TEST_SUITE_P(Layouts, VecToMatTest,
                         ::testing::Values(Copied{TileLayout::kNd, kE4M3},
                                           Copied{TileLayout::kNd,
                                                  ElementFormat::kF32},
                                           Copied{TileLayout::kNz, kE4M3},
                                           Copied{TileLayout::kZn, kE4M3},
                                           Copied{TileLayout::kZz, kE8M0},
                                           Copied{TileLayout::kNn, kE8M0}),
                         [](const TestParamInfo<Copied>& info) {
                           return absl::StrCat(Name(info.param.layout), "_",
                                               Name(info.param.format));
                         });

TEST(VecToMatErrorTest, ACopyChangesNoLayout) {
  Machine machine;
  EXPECT_THAT(
      MoveVecToMat(machine, InVec(0, 64, 2, kE8M0),
                   At(MemorySpace::kMat, 0, 64, 2, kE8M0, TileLayout::kZz)),
      StatusIs(kInvalid, AllOf(StartsWith("TMOV: from Vec"),
                               HasSubstr("move to the layout in Vec first"))));
}

// ---- Quantising

struct Quantised {
  GroupAxis axis;
  ElementFormat source;
  bool flat_scratch;
};
void PrintTo(const Quantised& q, std::ostream* out) {
  *out << static_cast<int>(q.axis) << " " << Name(q.source);
}

class QuantizeInVecTest : public TestWithParam<Quantised> {};

// Codes in NZ and exponents in ZZ, as a matmul takes them.
TEST_P(QuantizeInVecTest, EqualsReference) {
  constexpr int64_t kRows = 64;
  constexpr int64_t kCols = 128;
  const auto [axis, format, flat_scratch] = GetParam();
  const bool along_rows = axis == GroupAxis::kAxis1;
  const int64_t group_rows = along_rows ? kRows : kRows / 32;
  const int64_t group_cols = along_rows ? kCols / 32 : kCols;
  const int64_t groups = group_rows * group_cols;
  std::mt19937 random(kSeed);
  std::normal_distribution<float> normal;
  std::vector<float> values(kRows * kCols);
  for (size_t i = 0; i < values.size(); ++i) {
    const float value =
        std::ldexp(normal(random), static_cast<int>(i / 32 % 9) - 4);
    values[i] = Decode(format, Encode(format, value, Overflow::kSaturate));
  }
  const TestTile source =
      TestTile::OfValues(FullTile(format, kRows, kCols), values);

  TestTile codes(FullTile(kE4M3, kRows, kCols));
  TestTile exponents(FullTile(kE8M0, group_rows, group_cols));
  TestTile max(FullTile(format, group_rows, group_cols));
  TestTile scaling(FullTile(format, group_rows, group_cols));
  ASSERT_THAT(TQuant({axis, ScaleRule::kOcp, kE4M3},
                     {codes.view(), source.const_view(), exponents.view(),
                      max.view(), scaling.view()}),
              IsOk());
  TestTile nz(FullTile(kE4M3, kRows, kCols, TileLayout::kNz));
  ASSERT_THAT(TMov(nz.view(), codes.const_view()), IsOk());
  TestTile zz(FullTile(kE8M0, along_rows ? kRows : kCols,
                       along_rows ? kCols / 32 : kRows / 32, TileLayout::kZz));
  ASSERT_THAT(along_rows ? TMov(zz.view(), exponents.const_view())
                         : TMovTransposed(zz.view(), exponents.const_view()),
              IsOk());

  Machine machine;
  const Tile scratch = flat_scratch
                           ? InVec(0x10000, 1, groups, format)
                           : InVec(0x10000, group_rows, group_cols, format);
  Tile scaling_tile = scratch;
  scaling_tile.address = 0x11000;
  const QuantTiles tiles = {
      InVec(0xA000, kRows, kCols, kE4M3),
      along_rows ? InVec(0xE000, 1, groups, kE8M0)
                 : InVec(0xE000, group_rows, group_cols, kE8M0),
      InVec(0x400, kRows, kCols, format), scratch, scaling_tile};
  Poke(machine, tiles.source, source.bytes());
  const Tile nz_tile = InVec(0x12000, kRows, kCols, kE4M3, TileLayout::kNz);
  const Tile zz_tile =
      InVec(0x14000, zz.type().rows, zz.type().cols, kE8M0, TileLayout::kZz);
  ASSERT_THAT(QuantizeInVec(machine, axis, tiles), IsOk());
  EXPECT_EQ(Peek(machine, tiles.codes), codes.bytes());
  EXPECT_EQ(Peek(machine, tiles.exponents), exponents.bytes());
  ASSERT_THAT(MoveInVec(machine, tiles.codes, nz_tile), IsOk());
  EXPECT_EQ(Peek(machine, nz_tile), nz.bytes());
  ASSERT_THAT(BoxInVec(machine, axis, tiles.exponents,
                       InVec(0x15000, 1, 96, kE8M0), zz_tile),
              IsOk());
  EXPECT_EQ(Peek(machine, zz_tile), zz.bytes());
  EXPECT_GT(machine.timeline().stats(Pipe::kV).cycles, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Sources, QuantizeInVecTest,
    ::testing::Values(Quantised{GroupAxis::kAxis1, ElementFormat::kF32, true},
                      Quantised{GroupAxis::kAxis1, ElementFormat::kF16, true},
                      Quantised{GroupAxis::kAxis1, ElementFormat::kBF16, true},
                      Quantised{GroupAxis::kAxis1, ElementFormat::kBF16, false},
                      Quantised{GroupAxis::kAxis0, ElementFormat::kF32, false},
                      Quantised{GroupAxis::kAxis0, ElementFormat::kF16, false},
                      Quantised{GroupAxis::kAxis0, ElementFormat::kBF16,
                                false}),
    [](const TestParamInfo<Quantised>& info) {
      return absl::StrCat("Axis", static_cast<int>(info.param.axis), "_",
                          Name(info.param.source), "_",
                          info.param.flat_scratch ? "flat" : "matrix");
    });

TEST(QuantizeInVecErrorTest, TilesThatShareBytes) {
  Machine machine;
  const QuantTiles tiles = {InVec(0xA000, 32, 64, kE4M3),
                            InVec(0xA7E0, 1, 64, kE8M0),
                            InVec(0x400, 32, 64, ElementFormat::kF32),
                            InVec(0xC000, 1, 64, ElementFormat::kF32),
                            InVec(0xD000, 1, 64, ElementFormat::kF32)};
  EXPECT_THAT(
      QuantizeInVec(machine, GroupAxis::kAxis1, tiles),
      StatusIs(kInvalid, AllOf(StartsWith("TQUANT: tile 'dst'"),
                               HasSubstr("shares bytes with tile 'exp'"),
                               HasSubstr("A5-UB-3"))));
}

}  // namespace
}  // namespace mxtile::exec
