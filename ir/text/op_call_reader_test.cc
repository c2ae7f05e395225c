// Calls of operators as people write them, and as they are printed.

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/ir_test_util.h"

namespace mxtile::ir {
namespace {

constexpr absl::string_view kTile = "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]";

std::string Assigned(absl::string_view type, absl::string_view value) {
  return "y: " + std::string(type) + " = " + std::string(value) + "\n";
}

// ---- Which operator

TEST(OpCallReaderTest, OperandsTellSharedNamesApart) {
  EXPECT_EQ(RoundTripBody("y = pl.add(t, t)"),
            Assigned(kTile, "pl.tile.add(t, t)"));
  EXPECT_EQ(RoundTripBody("y = pl.add(t, 2.0)"),
            Assigned(kTile, "pl.tile.adds(t, 2.0)"));
  EXPECT_EQ(RoundTripBody("y = pl.tile.mul(t, f)"),
            Assigned(kTile, "pl.tile.muls(t, f)"));
  EXPECT_EQ(RoundTripBody("y = pl.mul(rhs=t, lhs=t)"),
            Assigned(kTile, "pl.tile.mul(t, t)"));
}

TEST(OpCallReaderTest, ScalarsAreArithmetic) {
  EXPECT_EQ(RoundTripBody("y = pl.add(n, 1)"),
            Assigned("pl.Scalar[pl.INDEX]", "n + 1"));
  EXPECT_EQ(RoundTripBody("y = pl.cast(n, target_type=pl.INT32)"),
            Assigned("pl.Scalar[pl.INT32]", "pl.cast(n, pl.INT32)"));
}

TEST(OpCallReaderTest, UnknownNamesStayOpen) {
  EXPECT_EQ(RoundTripBody("y = pl.mystery(t, k=[1, n], s='a')"),
            Assigned("pl.UnknownType", "pl.mystery(t, k=[1, n], s='a')"));
}

TEST(OpCallReaderTest, NoFormForTheOperands_MX_TEXT_6) {
  EXPECT_EQ(
      ErrorInBody("y = pl.mul(t, [1])"),
      "MX-TEXT-6 1:5-1:19 pl.mul is one of pl.tensor.mul, pl.tensor.muls, "
      "pl.tile.mul, pl.tile.muls; "
      "none of them takes (a tile, a list)");
}

// ---- Which argument

TEST(OpCallReaderTest, ArgumentsByNameInAnyOrder) {
  EXPECT_EQ(
      RoundTripBody("y = pl.load(shapes=[16, 64], tensor=x, offsets=[0, 0])"),
      RoundTripBody("y = pl.load(x, [0, 0], [16, 64])"));
}

TEST(OpCallReaderTest, KwargsByPosition) {
  EXPECT_EQ(RoundTripBody("y = pl.tile.create([16, 64], pl.FP32, pl.Mem.Vec)"),
            Assigned(kTile,
                     "pl.tile.create([16, 64], dtype=pl.FP32, "
                     "target_memory=pl.Mem.Vec)"));
  EXPECT_EQ(RoundTripBody("y = pl.cast(t, pl.FP16, 'rint')"),
            Assigned("pl.Tile[[16, 64], pl.FP16, pl.Mem.Vec]",
                     "pl.tile.cast(t, target_type=pl.FP16, mode='rint')"));
}

// The front end has (shape, dtype, value), the operator (shape, value).
TEST(OpCallReaderTest, TheFrontEndsOrderAndThePrintedOne) {
  const std::string full =
      Assigned(kTile, "pl.tile.full([16, 64], 0.0, dtype=pl.FP32)");
  EXPECT_EQ(RoundTripBody("y = pl.tile.full([16, 64], pl.FP32, 0.0)"), full);
  EXPECT_EQ(
      RoundTripBody("y = pl.tile.full([16, 64], dtype=pl.FP32, value=0.0)"),
      full);
}

TEST(OpCallReaderTest, AListOfOneMayStandWithoutBrackets) {
  EXPECT_EQ(RoundTripBody("y = pl.tile.read(t, n)"),
            Assigned("pl.Scalar[pl.FP32]", "pl.tile.read(t, [n])"));
}

TEST(OpCallReaderTest, WhatIsLeftOut) {
  EXPECT_EQ(RoundTripBody("y = pl.slice(t, [1, 64], [n, 0], drop_dims=[0])"),
            Assigned("pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec]",
                     "pl.tile.slice(t, [1, 64], [n, 0], [], [0])"));
  EXPECT_EQ(RoundTripBody("y = pl.slice(t, [1, 64], [n, 0], None)"),
            Assigned("pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec]",
                     "pl.tile.slice(t, [1, 64], [n, 0])"));
  EXPECT_EQ(
      RoundTripBody("pl.aic_initialize_pipe(dir_mask=2, slot_size=512, "
                    "v2c_consumer_buf=i32)"),
      "pl.system.aic_initialize_pipe(pl.const(0, pl.INT32), i32, dir_mask=2, "
      "slot_size=512)\n");
}

TEST(OpCallReaderTest, ArgumentsTwiceOrNotAtAll_MX_TEXT_6) {
  EXPECT_EQ(ErrorInBody("y = pl.tile.add(t, t, lhs=t)"),
            "MX-TEXT-6 1:27-1:28 the argument lhs is given twice");
  EXPECT_EQ(ErrorInBody("y = pl.load(x, shapes=[16, 64])"),
            "MX-TEXT-6 1:5-1:32 the argument offsets is missing");
}

// ---- Values of kwargs

TEST(OpCallReaderTest, Enumerators) {
  EXPECT_EQ(RoundTripBody("pl.system.sync_set(n, pipe=pl.PipeType.MTE3)"),
            "pl.system.sync_set(n, pipe=pl.PipeType.MTE3)\n");
  EXPECT_EQ(RoundTripBody("pl.system.sync_set(3, pipe=pl.PipeType.MTE3)"),
            "pl.system.sync_set(pipe=pl.PipeType.MTE3, event_id=3)\n");
  EXPECT_EQ(
      RoundTripBody("y = pl.reserve_buffer(name='b', size=64, base=pl.AUTO)"),
      Assigned("pl.Scalar[pl.INT32]",
               "pl.system.reserve_buffer(name='b', size=64, base=-1)"));
  EXPECT_EQ(RoundTripBody("y = pl.tile.gather_mask(t, "
                          "mask_pattern=pl.tile.MaskPattern.P0001)"),
            Assigned("pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]",
                     "pl.tile.gather_mask(t, mask_pattern=3)"));
  EXPECT_EQ(RoundTripBody("pld.system.notify(x, peer=n, offsets=[0, 0], "
                          "value=1, op=pld.NotifyOp.Set)",
                          "n: pl.Scalar[pl.INDEX], "
                          "x: pld.DistributedTensor[[1, 1], pl.INT32]"),
            "pld.system.notify(x, n, [0, 0], 1, op=pld.NotifyOp.Set)\n");
}

}  // namespace
}  // namespace mxtile::ir
