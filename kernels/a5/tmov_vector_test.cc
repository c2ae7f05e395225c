// TMOV on the vector unit against kernels/reference/tmov.h, byte for byte, with
// guards; and the golden vectors of the public simulator.

#include "kernels/a5/tmov_vector.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_stage.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/ub_test_util.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/golden_vectors_test_util.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tmov.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint32_t kSeed = 77;
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;

enum class Move { kNdToNz, kNdToZn, kNdToZz, kDnToZz };

// Random bytes, also beyond the valid region.
TestTile RandomSource(std::mt19937& random, const TileType& type) {
  TestTile tile(type);
  for (uint8_t& byte : tile.view().bytes) byte = random() % 256;
  return tile;
}

struct ModelRun {
  explicit ModelRun() : unit(machine), arena(machine, unit) {}

  absl::Status Run(Move move, const TestTile& source, const TileType& type) {
    src = arena.Place("src", source.const_view());
    dst = arena.Place("dst", type);
    MX_RETURN_IF_ERROR(Call(move));
    return unit.Finish();
  }

  absl::Status Call(Move move) {
    switch (move) {
      case Move::kNdToNz:
        return TMovNdToNz(unit, dst, src);
      case Move::kNdToZn:
        return TMovNdToZn(unit, dst, src);
      case Move::kDnToZz:
        return TMovDnToZz(unit, dst, src);
      case Move::kNdToZz:
        break;
    }
    const UbTile tmp = arena.Place(
        "tmp",
        FullTile(ElementFormat::kF8E5M2, 1, TmpBytesForZz(dst.type, src.type)));
    return TMovNdToZz(unit, dst, src, tmp);
  }

  Machine machine;
  VectorUnit unit;
  UbArena arena;
  UbTile src;
  UbTile dst;
};

void ExpectEqualsReference(Move move, const TestTile& source,
                           const TileType& type) {
  SCOPED_TRACE(absl::StrCat(ToString(source.type()), " to ", ToString(type)));
  TestTile expected(type);
  ASSERT_THAT(move == Move::kDnToZz && type.layout == TileLayout::kZz
                  ? TMovTransposed(expected.view(), source.const_view())
                  : TMov(expected.view(), source.const_view()),
              IsOk());
  ModelRun run;
  ASSERT_THAT(run.Run(move, source, type), IsOk());
  EXPECT_EQ(run.arena.Bytes(run.dst), expected.bytes());
  EXPECT_EQ(run.arena.Bytes(run.src), source.bytes());
  run.arena.ExpectGuardsUntouched();
}

class TMovVectorTest : public ::testing::Test {
 protected:
  int64_t Below(int64_t limit) { return random_() % limit; }
  int64_t Valid(int64_t extent) {
    return Below(2) == 0 ? extent : 1 + Below(extent);
  }
  // A row-major source of rows of whole blocks.
  TileType Source(ElementFormat format, int64_t rows, int64_t cols) {
    TileType type = {format, rows, cols, Valid(rows), Valid(cols)};
    type.pitch = RoundUp(cols, 32) + 32 * Below(3);
    return type;
  }
  // Rows of the source, or to the end of the last box.
  int64_t DestinationRows(int64_t rows, int64_t box) {
    return Below(2) == 0 ? rows : RoundUp(rows, box);
  }

  std::mt19937 random_{kSeed};
};

TEST_F(TMovVectorTest, NDToNZ) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const TileType src = Source(kE4M3, 1 + Below(40), 1 + Below(600));
    TileType dst = {kE4M3,          RoundUp(src.rows, 16),
                    src.cols,       DestinationRows(src.valid_rows, 16),
                    src.valid_cols, TileLayout::kNz};
    if (Below(3) == 0) dst.pitch = dst.rows + 1;
    ExpectEqualsReference(Move::kNdToNz, RandomSource(random_, src), dst);
  }
}

TEST_F(TMovVectorTest, NDToZN) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const TileType src = Source(kE4M3, 1 + Below(100), 1 + Below(150));
    const TileType dst = {kE4M3,
                          RoundUp(src.rows, 32),
                          RoundUp(src.cols, 16),
                          DestinationRows(src.valid_rows, 32),
                          src.valid_cols,
                          TileLayout::kZn};
    ExpectEqualsReference(Move::kNdToZn, RandomSource(random_, src), dst);
  }
}

TEST_F(TMovVectorTest, NDToZZ) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    TileType src = Source(kE8M0, 1 + Below(130), 2 * (1 + Below(20)));
    src.valid_cols = RoundUp(src.valid_cols, 2);
    if (Below(3) == 0) src.pitch = src.cols;  // flat exponents
    // Boxes side by side, or in rows of more boxes.
    const TileType dst = {kE8M0,
                          RoundUp(src.rows, 16),
                          Below(2) == 0 ? src.valid_cols : src.cols,
                          DestinationRows(src.valid_rows, 16),
                          src.valid_cols,
                          TileLayout::kZz};
    ExpectEqualsReference(Move::kNdToZz, RandomSource(random_, src), dst);
  }
}

TEST_F(TMovVectorTest, DNToZZ) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    TileType src = Source(kE8M0, 2 * (1 + Below(8)), 1 + Below(400));
    src.valid_rows = RoundUp(src.valid_rows, 2);
    const TileType dst = {kE8M0,
                          src.cols,
                          Below(2) == 0 ? src.valid_rows : src.rows,
                          src.valid_cols,
                          src.valid_rows,
                          TileLayout::kZz};
    ExpectEqualsReference(Move::kDnToZz, RandomSource(random_, src), dst);
  }
}

// What the public move asks for (pypto_passes, 12) is enough, and not a byte
// less than what is said here.
TEST_F(TMovVectorTest, TmpOfNDToZZ) {
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const int64_t rows = 1 + Below(200);
    const int64_t groups = 2 * (1 + Below(40));
    const TileType src = FullTile(kE8M0, rows, groups);
    const TileType dst = {kE8M0,  RoundUp(rows, 16), groups, rows,
                          groups, TileLayout::kZz};
    const int64_t bytes = TmpBytesForZz(dst, src);
    EXPECT_LE(bytes, RoundUp(64 + RoundUp(rows, 16) / 16 * groups, 32))
        << rows << " x " << groups;
    ModelRun run;
    run.src = run.arena.Place("src", src);
    run.dst = run.arena.Place("dst", dst);
    const UbTile tmp = run.arena.Place("tmp", FullTile(kE4M3, 1, bytes - 1));
    EXPECT_THAT(
        TMovNdToZz(run.unit, run.dst, run.src, tmp),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-MOVE-2")));
  }
}

// M = 32: one row of groups stays what it is, typed [1, N].
TEST_F(TMovVectorTest, DNOfOneRowIsCopied) {
  for (const int64_t cols : {1, 32, 255, 256, 300}) {
    TileType src = Source(kE8M0, 1, cols);
    src.valid_cols = cols;
    ExpectEqualsReference(Move::kDnToZz, RandomSource(random_, src),
                          FullTile(kE8M0, 1, cols));
  }
}

// Fault 14 of the public kernel: the row stride of the source is its pitch, not
// its valid columns.
TEST_F(TMovVectorTest, B6_RowsAreThePitchApart) {
  const TileType src = {kE8M0, 64, 32, 64, 2};
  ExpectEqualsReference(Move::kNdToZz, RandomSource(random_, src),
                        FullTile(kE8M0, 64, 2, TileLayout::kZz));
}

// ---- golden vectors; rows of exponents are padded to whole blocks

TestTile Padded(const GoldenCase& golden, ElementFormat format) {
  const std::vector<int64_t> shape = golden.Extents("shape");
  TileType type = FullTile(format, shape[0], shape[1]);
  type.pitch = RoundUp(shape[1], 32);
  const absl::Span<const uint8_t> bytes = golden.Bytes("src");
  return TestTile::OfCodes(type,
                           std::vector<uint32_t>(bytes.begin(), bytes.end()));
}

void ExpectGolden(Move move, const GoldenCase& golden, const TestTile& source,
                  const TileType& type) {
  SCOPED_TRACE(golden.name());
  ModelRun run;
  run.src = run.arena.Place("src", source.const_view());
  // The simulator moved into zeros.
  TestTile zeros(type);
  for (uint8_t& byte : zeros.view().bytes) byte = 0;
  run.dst = run.arena.Place("dst", zeros.const_view());
  ASSERT_THAT(run.Call(move), IsOk());
  ASSERT_THAT(run.unit.Finish(), IsOk());
  const absl::Span<const uint8_t> expected = golden.Bytes("dst");
  EXPECT_EQ(run.arena.Bytes(run.dst),
            std::vector<uint8_t>(expected.begin(), expected.end()));
  run.arena.ExpectGuardsUntouched();
}

TEST(TMovVectorGoldenTest, EveryMove) {
  int moves = 0;
  for (const GoldenCase& golden : LoadGoldenCases("TMOV_ND2NZ")) {
    // Typed FP4 has boxes of the simulator's own.
    if (golden.Text("dtype") == "fp4x2") continue;
    TileType type = FullTile(kE4M3, golden.Extents("shape")[0],
                             golden.Extents("shape")[1], TileLayout::kNz);
    type.pitch = golden.Number("dst_rows");
    ExpectGolden(Move::kNdToNz, golden, Padded(golden, kE4M3), type);
    ++moves;
  }
  for (const GoldenCase& golden : LoadGoldenCases("TMOV_ND2ZZ")) {
    ExpectGolden(Move::kNdToZz, golden, Padded(golden, kE8M0),
                 FullTile(kE8M0, golden.Number("dst_rows"),
                          golden.Extents("shape")[1], TileLayout::kZz));
    ++moves;
  }
  for (const GoldenCase& golden : LoadGoldenCases("TMOV_DN2ZZ")) {
    ExpectGolden(Move::kDnToZz, golden, Padded(golden, kE8M0),
                 FullTile(kE8M0, golden.Extents("shape")[1],
                          golden.Extents("shape")[0], TileLayout::kZz));
    ++moves;
  }
  EXPECT_EQ(moves, 8 + 6 + 7);
}

// ---- instructions

// Counts of a stage that are not zero, without predicates and barriers.
std::map<std::string, int64_t> CountsOf(const VectorUnit& unit,
                                        const std::string& name) {
  std::map<std::string, int64_t> counts;
  for (const VectorStage& stage : unit.stages()) {
    if (stage.name != name) continue;
    for (int i = 0; i < kNumVectorOps; ++i) {
      const VectorOp op = static_cast<VectorOp>(i);
      if (stage.counts[i] != 0 && ClassOf(op) != VectorOpClass::kPredicate &&
          ClassOf(op) != VectorOpClass::kBarrier) {
        counts[std::string(Mnemonic(op))] += stage.counts[i];
      }
    }
  }
  return counts;
}

using Counts = std::map<std::string, int64_t>;

// Loads, one interleave and block-strided stores: no gather, nothing scalar.
TEST(TMovVectorCountsTest, DNToZZ) {
  std::mt19937 random(kSeed);
  ModelRun run;
  ASSERT_THAT(
      run.Run(Move::kDnToZz, RandomSource(random, FullTile(kE8M0, 8, 256)),
              FullTile(kE8M0, 256, 8, TileLayout::kZz)),
      IsOk());
  // 4 pairs of rows, 2 registers of columns: 8 times 8 boxes.
  EXPECT_EQ(CountsOf(run.unit, "dn-to-zz"),
            (Counts{{"vlds", 16}, {"vintlv", 8}, {"vsstb", 8}}));
}

TEST(TMovVectorCountsTest, NDToNZ) {
  std::mt19937 random(kSeed);
  ModelRun run;
  ASSERT_THAT(
      run.Run(Move::kNdToNz, RandomSource(random, FullTile(kE4M3, 16, 512)),
              FullTile(kE4M3, 16, 512, TileLayout::kNz)),
      IsOk());
  EXPECT_EQ(CountsOf(run.unit, "nd-to-nz"),
            (Counts{{"vbr", 1}, {"vlds", 32}, {"vsstb", 32}}));
}

TEST(TMovVectorCountsTest, NDToZZ) {
  std::mt19937 random(kSeed);
  ModelRun run;
  ASSERT_THAT(
      run.Run(Move::kNdToZz, RandomSource(random, FullTile(kE8M0, 128, 32)),
              FullTile(kE8M0, 128, 32, TileLayout::kZz)),
      IsOk());
  // 8 rows of 16 boxes: 16 times 8 boxes, and what is loaded once.
  EXPECT_EQ(CountsOf(run.unit, "nd-to-zz"), (Counts{{"vlds", 16 + 1},
                                                    {"vadd", 16},
                                                    {"vgather2", 16},
                                                    {"vsts", 16},
                                                    {"vand", 1},
                                                    {"vbr", 1},
                                                    {"vci", 1}}));
  // A row of boxes each.
  EXPECT_EQ(CountsOf(run.unit, "zz-index"), (Counts{{"vci", 8 + 1},
                                                    {"vstus", 8},
                                                    {"vstas", 1},
                                                    {"vbr", 1},
                                                    {"vmul", 1},
                                                    {"vsts", 1}}));
}

// ---- what is refused

void ExpectRefused(Move move, const TileType& src, const TileType& dst,
                   const std::string& rule, const std::string& words) {
  ModelRun run;
  run.src = {src, 0x1000};
  run.dst = {dst, 0x30000};
  EXPECT_THAT(
      run.Call(move),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("TMOV"), HasSubstr(words), HasSubstr(rule))));
}

TEST(TMovVectorErrorTest, LayoutsAndFormats_A5_MOVE_1) {
  ExpectRefused(Move::kNdToNz, FullTile(kE4M3, 16, 32), FullTile(kE4M3, 16, 32),
                "A5-MOVE-1", "from ND to NZ");
  ExpectRefused(Move::kNdToNz, FullTile(kE4M3, 16, 32),
                FullTile(ElementFormat::kF8E5M2, 16, 32, TileLayout::kNz),
                "A5-MOVE-1", "one 8-bit format");
  const ElementFormat f4 = ElementFormat::kF4E2M1FN;
  ExpectRefused(Move::kNdToZn, FullTile(f4, 64, 64),
                FullTile(f4, 64, 64, TileLayout::kZn), "A5-MOVE-1",
                "packed FP4: as bytes");
  ExpectRefused(Move::kNdToZz, FullTile(kE8M0, 32, 32),
                FullTile(kE8M0, 32, 32, TileLayout::kNn), "A5-MOVE-1",
                "from ND to ZZ");
}

TEST(TMovVectorErrorTest, Regions_A5_MOVE_2) {
  ExpectRefused(Move::kNdToNz, FullTile(kE4M3, 20, 32),
                {kE4M3, 48, 32, 33, 32, TileLayout::kNz}, "A5-MOVE-2",
                "must be [20 .. 32, 32]");
  ExpectRefused(Move::kNdToNz, FullTile(kE4M3, 20, 32),
                {kE4M3, 32, 32, 20, 31, TileLayout::kNz}, "A5-MOVE-2",
                "must be [20 .. 32, 32]");
  // A tile of the same shape is not the transposed one.
  ExpectRefused(Move::kDnToZz, FullTile(kE8M0, 4, 32),
                FullTile(kE8M0, 16, 32, TileLayout::kZz), "A5-MOVE-2",
                "must be [32 .. 32, 4]");
}

TEST(TMovVectorErrorTest, Indices_A5_MOVE_3) {
  ExpectRefused(Move::kNdToZz, {kE8M0, 512, 256, 512, 2},
                FullTile(kE8M0, 512, 2, TileLayout::kZz), "A5-MOVE-3",
                "an index of 65536");
  ExpectRefused(Move::kNdToZn, {kE4M3, 32, 2112, 32, 64},
                {kE4M3, 32, 64, 32, 64, TileLayout::kZn}, "A5-MOVE-3",
                "move it in parts");
}

// Fault 13 of the public kernel: an odd row is not lost, it is refused.
TEST(TMovVectorErrorTest, B5_OddGroups_MX_SCALE_2) {
  ExpectRefused(Move::kDnToZz, FullTile(kE8M0, 3, 32),
                FullTile(kE8M0, 32, 3, TileLayout::kZz), "MX-SCALE-2",
                "3 groups");
  ExpectRefused(Move::kDnToZz, FullTile(kE8M0, 1, 32),
                FullTile(kE8M0, 32, 1, TileLayout::kZz), "MX-SCALE-2",
                "1 groups");
}

TEST(TMovVectorErrorTest, Places) {
  ExpectRefused(Move::kDnToZz, FullTile(kE8M0, 2, 16),
                FullTile(kE8M0, 16, 2, TileLayout::kZz), "A5-UB-1",
                "multiple of 32 bytes");
  TileType odd = FullTile(kE8M0, 16, 2);
  odd.pitch = 3;
  ExpectRefused(Move::kNdToZz, odd, FullTile(kE8M0, 16, 2, TileLayout::kZz),
                "A5-UB-1", "even number of bytes apart");
  ModelRun run;
  run.src = {FullTile(kE4M3, 16, 32), 0x1000};
  run.dst = {FullTile(kE4M3, 16, 32, TileLayout::kNz), 0x1100};
  EXPECT_THAT(run.Call(Move::kNdToNz),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("shares bytes with tile 'src'"),
                             HasSubstr("A5-UB-3"))));
  run.dst.address = 253952 - 32;
  EXPECT_THAT(
      run.Call(Move::kNdToNz),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-UB-2")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
