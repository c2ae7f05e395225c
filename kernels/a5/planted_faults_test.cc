// Faults that programs have had, planted one at a time into a matmul that is
// right: each is reported, by the name of the instruction or of the tile
// operation that meets it and by its rule.

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "a5_model/cube/load_2d.h"
#include "a5_model/cube/load_mx.h"
#include "a5_model/cube/mmad_mx.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_macros.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/load.h"
#include "kernels/a5/matmul_mx.h"
#include "kernels/a5/matmul_mx_test_util.h"
#include "kernels/a5/move.h"
#include "kernels/a5/store.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A step that is about to run, and what the fault changes.
struct Flow {
  Flow() {
    std::mt19937 random(1);
    problem = RandomMatmul(random, {/*m=*/32, /*k=*/128, /*n=*/64});
    gm = UploadMatmul(machine, problem);
    tiles = MakeStepTiles(problem, 0, {/*left=*/0x8000, /*right=*/0x4000});
  }

  absl::Status Load() { return LoadStep(machine, problem, gm, tiles, 0); }
  absl::Status Move() { return MoveStep(machine, tiles); }
  absl::Status Multiply() {
    return TMatmulMx(machine, AccTile(problem), tiles.operands);
  }
  absl::Status Run() {
    MX_RETURN_IF_ERROR(Load());
    MX_RETURN_IF_ERROR(Move());
    return Multiply();
  }
  // MMAD_MX without the checks of the tile operation.
  absl::Status MultiplyAsInstruction() {
    MmadMxParams params = {};
    params.acc = AccTile(problem).address;
    params.left = tiles.operands.left.address;
    params.right = tiles.operands.right.address;
    params.m = problem.m;
    params.k = problem.k;
    params.n = problem.n;
    params.left_format = problem.left_format;
    params.right_format = problem.right_format;
    return MmadMx(machine, params);
  }

  MatmulProblem problem;
  Machine machine;
  MatmulBuffers gm;
  StepTiles tiles;
};

struct Fault {
  std::string name;
  std::function<absl::Status(Flow&)> run;
  std::string reporter;  // what the message begins with
  std::string rule;
};

absl::Status MoveAllBut(Flow& flow, bool left_scale) {
  const StepTiles& t = flow.tiles;
  MX_RETURN_IF_ERROR(flow.Load());
  MX_RETURN_IF_ERROR(TMovToLeft(flow.machine, t.a_mat, t.operands.left));
  MX_RETURN_IF_ERROR(TMovToRight(flow.machine, t.b_mat, t.operands.right));
  return left_scale
             ? TMovToRightScale(flow.machine, t.sb_mat, t.operands.right_scale)
             : TMovToLeftScale(flow.machine, t.sa_mat, t.operands.left_scale);
}

const Fault kFaults[] = {
    // ---- row-major scales
    {"RowMajorScaleTensor",
     [](Flow& flow) {
       flow.gm.sa.shape = {32, 4};
       flow.gm.sa.strides = {4, 1};
       return TLoad(flow.machine, flow.gm.sa, {{0, 0}, {32, 4}},
                    flow.tiles.sa_mat);
     },
     "TLOAD: f8E8M0FNU [32, 4]", "A5-TILE-3"},
    {"RowMajorScaleTile",
     [](Flow& flow) {
       flow.tiles.sa_mat.layout = TileLayout::kNd;
       return TMovToLeftScale(flow.machine, flow.tiles.sa_mat,
                              flow.tiles.operands.left_scale);
     },
     "TMOV: destination tile LeftScale 0x800 f8E8M0FNU ZZ", "A5-TILE-1"},
    {"ScalesOfTheOtherSide",
     [](Flow& flow) {
       return TMovToLeftScale(flow.machine, flow.tiles.sb_mat,
                              flow.tiles.operands.left_scale);
     },
     "TMOV: source tile Mat 0x50000 f8E8M0FNU NN", "A5-TILE-1"},
    {"OddNumberOfGroups",
     [](Flow& flow) {
       flow.tiles.sa_mat.valid_cols = 3;
       flow.tiles.operands.left_scale.valid_cols = 3;
       MX_RETURN_IF_ERROR(flow.Load());
       return flow.Move();
     },
     "TLOAD: f8E8M0FNU", "A5-TILE-3"},
    // ---- unbound and misplaced scales
    {"LeftScaleNeverFilled",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(MoveAllBut(flow, /*left_scale=*/true));
       return flow.Multiply();
     },
     "TMATMUL_MX: scale tile LeftScale 0x800", "A5-SCALE-2"},
    {"LeftScaleNeverFilledMeetsTheInstruction",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(MoveAllBut(flow, /*left_scale=*/true));
       return flow.MultiplyAsInstruction();
     },
     "MMAD_MX (instruction", "A5-MEM-3"},
    {"RightScaleNeverFilledMeetsTheInstruction",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(MoveAllBut(flow, /*left_scale=*/false));
       return flow.MultiplyAsInstruction();
     },
     "MMAD_MX (instruction", "A5-MEM-3"},
    {"ScaleFilledBeforeItsDataMoved",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(flow.Load());
       MX_RETURN_IF_ERROR(flow.Move());
       flow.tiles.operands.left.address = 0xA000;
       MX_RETURN_IF_ERROR(TMovToLeft(flow.machine, flow.tiles.a_mat,
                                     flow.tiles.operands.left));
       return flow.Multiply();
     },
     "TMATMUL_MX: scale tile LeftScale 0x800", "A5-SCALE-1"},
    {"ScaleOneBoxTooFar",
     [](Flow& flow) {
       flow.tiles.operands.right_scale.address += 32;
       return flow.Run();
     },
     "TMATMUL_MX: scale tile RightScale 0x420", "A5-SCALE-1"},
    // PTOAS issue 1042: the data's address, not shifted.
    {"ScaleAtTheAddressOfItsData",
     [](Flow& flow) {
       flow.tiles.operands.left_scale.address = 0x8000;
       return flow.Run();
     },
     "TMOV: destination tile LeftScale 0x8000", "A5-TILE-1"},
    {"ScaleAtTheAddressOfItsDataMeetsTheInstruction",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(flow.Load());
       return LoadMx(flow.machine, MemorySpace::kLeftScale,
                     {flow.tiles.sa_mat.address, 0x8000, 0, 0, 2, 2, 2, 2, 1});
     },
     "LOAD_MX L0A_MX (instruction", "A5-MEM-1"},
    // ---- misaligned addresses
    {"LeftOffByHalfAFractal",
     [](Flow& flow) {
       flow.tiles.operands.left.address += 256;
       return flow.Run();
     },
     "LOAD_2D L0A (instruction", "A5-MEM-2"},
    {"RightOffByHalfAFractal",
     [](Flow& flow) {
       flow.tiles.operands.right.address += 256;
       return flow.Run();
     },
     "LOAD_2D L0B (instruction", "A5-MEM-2"},
    {"FourBitLeftOffByHalfAFractal",
     [](Flow& flow) {
       return Load2d(flow.machine, MemorySpace::kLeft,
                     {0, 256, 0, 0, 2, 2, 2, 2, false, Load2dElement::k4Bit});
     },
     "LOAD_2D_S4 L0A (instruction", "A5-MEM-2"},
    {"ScaleInsideABox",
     [](Flow& flow) {
       flow.tiles.operands.right_scale.address += 16;
       return flow.Run();
     },
     "LOAD_MX L0B_MX (instruction", "A5-MEM-2"},
    {"MatTileInsideABlock",
     [](Flow& flow) {
       flow.tiles.a_mat.address += 8;
       return flow.Run();
     },
     "ND2NZ (instruction", "A5-MEM-2"},
    {"AccumulatorInsideABlock",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(flow.Load());
       MX_RETURN_IF_ERROR(flow.Move());
       Tile acc = AccTile(flow.problem);
       acc.address += 64;
       return TMatmulMx(flow.machine, acc, flow.tiles.operands);
     },
     "MMAD_MX (instruction", "A5-MEM-2"},
    // ---- aliasing
    {"ColumnsOfFractalsOverlap",
     [](Flow& flow) {
       return Load2d(flow.machine, MemorySpace::kLeft,
                     {0, 0, 0, 0, 2, 2, 2, /*dst_stride=*/1});
     },
     "LOAD_2D L0A (instruction", "A5-MEM-4"},
    {"RowsOfBoxesOverlap",
     [](Flow& flow) {
       return LoadMx(flow.machine, MemorySpace::kRightScale,
                     {0, 0, 0, 0, 2, 2, 2, /*dst_stride=*/1, 1});
     },
     "LOAD_MX L0B_MX (instruction", "A5-MEM-4"},
    {"AnotherScaleTileAtTheSameAddress",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(flow.Load());
       MX_RETURN_IF_ERROR(flow.Move());
       Tile other = flow.tiles.operands.left_scale;
       other.id = 99;
       MX_RETURN_IF_ERROR(
           TMovToLeftScale(flow.machine, flow.tiles.sa_mat, other));
       return flow.Multiply();
     },
     "TMATMUL_MX: the bytes of scale tile LeftScale 0x800", "A5-SCALE-2"},
    {"AnotherScaleTileOverItsEnd",
     [](Flow& flow) {
       MX_RETURN_IF_ERROR(flow.Load());
       MX_RETURN_IF_ERROR(flow.Move());
       Tile other = flow.tiles.operands.left_scale;
       other.address += 64;
       MX_RETURN_IF_ERROR(
           TMovToLeftScale(flow.machine, flow.tiles.sa_mat, other));
       return flow.Multiply();
     },
     "TMATMUL_MX: scale tile LeftScale 0x800", "A5-SCALE-2"},
};

class PlantedFaultsTest : public ::testing::TestWithParam<Fault> {};

TEST_P(PlantedFaultsTest, IsReported) {
  Flow flow;
  const absl::Status status = GetParam().run(flow);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()),
              AllOf(StartsWith(GetParam().reporter),
                    HasSubstr("(" + GetParam().rule + ")")));
}

INSTANTIATE_TEST_SUITE_P(Faults, PlantedFaultsTest,
                         ::testing::ValuesIn(kFaults),
                         [](const ::testing::TestParamInfo<Fault>& info) {
                           return info.param.name;
                         });

TEST(PlantedFaultsResultTest, WithoutAFaultTheFlowIsRight) {
  Flow flow;
  MX_ASSERT_OK(flow.Run());
  MX_ASSERT_OK(TStoreAcc(flow.machine, AccTile(flow.problem), flow.gm.c,
                         {{0, 0}, {32, 64}}));
  EXPECT_EQ(ReadC(flow.machine, flow.problem, flow.gm),
            ReferenceC(flow.problem));
}

// Row-major bytes in a tensor that claims to hold boxes break no rule of the
// machine: bytes are bytes. The result tells.
TEST(PlantedFaultsResultTest, RowMajorScaleBytesShowInTheResult) {
  Flow flow;
  MX_ASSERT_OK(flow.machine.WriteGm(flow.gm.sa.address, flow.problem.sa));
  MX_ASSERT_OK(flow.Run());
  MX_ASSERT_OK(TStoreAcc(flow.machine, AccTile(flow.problem), flow.gm.c,
                         {{0, 0}, {32, 64}}));
  EXPECT_NE(ReadC(flow.machine, flow.problem, flow.gm),
            ReferenceC(flow.problem));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
