#include "passes/allocate_addresses/allocate_addresses.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/soc/soc.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/infer_tile_memory_space/infer_tile_memory_space.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "passes/pass_test_util.h"

namespace mxtile {
namespace {

using ir::AttrValue;
using ir::DataType;
using ir::FunctionBuilder;
using ir::FunctionType;
using ir::MemorySpace;
using ir::TensorLayout;
using ir::Var;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class AllocateAddressesTest : public PassTest {
 protected:
  const Var* Create(FunctionBuilder& f, absl::string_view name,
                    const std::vector<int64_t>& shape, MemorySpace space,
                    DataType dtype = DataType::kFP32) {
    return f.AssignOp(name, "tile.create", {List(shape)},
                      {{"dtype", AttrValue::Of(dtype)}, Target(space)});
  }
  // A new tile from an operator that is not known.
  const Var* Any(FunctionBuilder& f, absl::string_view name,
                 const std::vector<int64_t>& shape, DataType dtype,
                 MemorySpace space, std::vector<const ir::Expr*> args = {}) {
    return f.AssignOp(name, "some.op", std::move(args), {},
                      Tile(shape, dtype, space));
  }
  const Var* Left(FunctionBuilder& f, absl::string_view name,
                  int64_t rows = 16) {
    return Any(f, name, {rows, 64}, DataType::kFP8E4M3FN, MemorySpace::kLeft);
  }
  const Var* LeftScale(FunctionBuilder& f, absl::string_view name,
                       int64_t rows = 16) {
    return Any(f, name, {rows, 2}, DataType::kFP8E8M0, MemorySpace::kLeftScale);
  }
  const Var* Bind(FunctionBuilder& f, absl::string_view name, const Var* scale,
                  const Var* data) {
    return f.AssignOp(name, "tile.tget_scale_addr", {scale, data});
  }
  // Accumulators: 1024 bytes each.
  const Var* Acc(FunctionBuilder& f, absl::string_view name) {
    return Any(f, name, {16, 16}, DataType::kFP32, MemorySpace::kAcc);
  }
  const Var* Accumulate(FunctionBuilder& f, absl::string_view name,
                        const ir::Expr* acc) {
    return f.AssignOp(name, "tile.matmul_acc", {acc, left_, right_});
  }
  // The operands that Accumulate reads.
  void Operands(FunctionBuilder& f) {
    left_ = Any(f, "left", {16, 16}, DataType::kBF16, MemorySpace::kLeft);
    right_ = Any(f, "right", {16, 16}, DataType::kBF16, MemorySpace::kRight);
  }
  void Use(FunctionBuilder& f, const Var* tile) {
    f.Eval(ir::MakeOpCall(&ctx, "some.use", {tile}, {}, ctx.IndexType()));
  }

  absl::StatusOr<const ir::Program*> Allocate(const ir::Program* program) {
    return Run(AllocateAddresses(), program);
  }
  // One line a tile: "l: Left 0 +1024", or the last error.
  std::string Addresses(FunctionBuilder& f) {
    f.Return({});
    return Addresses(Program(f));
  }
  std::string Addresses(const ir::Program* program) {
    pass_context.findings = {};
    const absl::StatusOr<const ir::Program*> after = Allocate(program);
    return after.ok() ? Found() : LastError();
  }
  std::string Found() const {
    std::string out;
    for (const TileAddress& tile : pass_context.findings.addresses) {
      absl::StrAppend(&out, tile.tile, ": ", tile.space, " ", tile.address,
                      " +", tile.size_bytes, "\n");
    }
    return out;
  }

  const Var* left_ = nullptr;
  const Var* right_ = nullptr;
};

// ---- Representation

TEST_F(AllocateAddressesTest, AllocationsAndMemRefs) {
  FunctionBuilder f = InCore("cell", FunctionType::kAIV);
  Create(f, "x", {3, 5}, MemorySpace::kVec);
  const Var* m = Create(f, "m", {16, 32}, MemorySpace::kMat);
  f.Assign("alias", m);
  Create(f, "y", {16, 16}, MemorySpace::kVec, DataType::kFP16);
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Allocate(Program(f)));
  EXPECT_EQ(
      ir::PrintFunction(*after->functions[0]),
      "@pl.function(type=pl.FunctionType.AIV, level=pl.Level.AIV, "
      "role=pl.Role.SubWorker)\n"
      "def cell():\n"
      "    mem_vec_0: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 60)\n"
      "    mem_mat_0: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 2048)\n"
      "    mem_vec_1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)\n"
      "    x: pl.Tile[[3, 5], pl.FP32, pl.MemRef(mem_vec_0, 0, 60), "
      "pl.Mem.Vec] = pl.tile.create([3, 5], dtype=pl.FP32, "
      "target_memory=pl.Mem.Vec)\n"
      "    m: pl.Tile[[16, 32], pl.FP32, pl.MemRef(mem_mat_0, 0, 2048), "
      "pl.Mem.Mat] = pl.tile.create([16, 32], dtype=pl.FP32, "
      "target_memory=pl.Mem.Mat)\n"
      "    alias: pl.Tile[[16, 32], pl.FP32, pl.MemRef(mem_mat_0, 0, 2048), "
      "pl.Mem.Mat] = m\n"
      "    y: pl.Tile[[16, 16], pl.FP16, pl.MemRef(mem_vec_1, 128, 512), "
      "pl.Mem.Vec] = pl.tile.create([16, 16], dtype=pl.FP16, "
      "target_memory=pl.Mem.Vec)\n"
      "    return\n");
  // Both sides of an assignment have one type.
  for (const ir::Stmt* stmt : after->functions[0]->body) {
    const auto* assign = ir::DynCast<ir::Assign>(stmt);
    if (assign == nullptr) continue;
    EXPECT_EQ(assign->var->type, assign->value->type);
  }
}

// From a program as a person writes it.
TEST_F(AllocateAddressesTest, AnMxMatmulThroughThePasses) {
  FunctionBuilder f = InCore("cell", FunctionType::kAIC);
  const std::vector<ir::Attr> mat = {Target(MemorySpace::kMat)};
  const auto side = [&](absl::string_view name,
                        const std::vector<int64_t>& shape,
                        const std::vector<int64_t>& scales,
                        TensorLayout layout) -> std::vector<const ir::Expr*> {
    return {
        LoadParam(f, name, shape, DataType::kFP8E4M3FN, TensorLayout::kND, mat),
        LoadParam(f, absl::StrCat("s", name), scales, DataType::kFP8E8M0,
                  layout, mat)};
  };
  std::vector<const ir::Expr*> args =
      side("a", {48, 64}, {48, 2}, TensorLayout::kMxAZZ);
  const std::vector<const ir::Expr*> b =
      side("b", {64, 32}, {2, 32}, TensorLayout::kMxBNN);
  const std::vector<const ir::Expr*> d =
      side("d", {48, 64}, {48, 2}, TensorLayout::kMxAZZ);
  args.insert(args.end(), b.begin(), b.end());
  const Var* c = f.AssignOp("c", "tile.matmul_mx", args);
  f.AssignOp("e", "tile.matmul_mx_acc", {c, d[0], d[1], b[0], b[1]});
  f.Return({});

  const InferTileMemorySpace infer;
  const InsertMxScaleAddr insert;
  const AllocateAddresses allocate;
  MX_ASSERT_OK_AND_ASSIGN(
      const ir::Program* after,
      PassManager({&infer, &insert, &allocate}).Run(Program(f), pass_context));
  EXPECT_NE(after, nullptr);
  EXPECT_EQ(Found(),
            "a: Mat 0 +3072\n"
            "sa: Mat 3072 +96\n"
            "b: Mat 3200 +2048\n"
            "sb: Mat 5248 +64\n"
            "d: Mat 5376 +3072\n"
            "sd: Mat 8448 +96\n"
            "a_Left: Left 0 +3072\n"
            "sa_LeftScale: LeftScale 0 +96\n"
            "b_Right: Right 0 +2048\n"
            "sb_RightScale: RightScale 0 +64\n"
            "sa_LeftScale_bound: LeftScale 0 +96\n"
            "sb_RightScale_bound: RightScale 0 +64\n"
            "c: Acc 0 +6144\n"
            "d_Left: Left 3072 +3072\n"
            "sd_LeftScale: LeftScale 192 +96\n"
            "sd_LeftScale_bound: LeftScale 192 +96\n"
            "e: Acc 0 +6144\n");
}

TEST_F(AllocateAddressesTest, AddressesAreAligned) {
  FunctionBuilder f = InCore("cell");
  for (const MemorySpace space :
       {MemorySpace::kVec, MemorySpace::kMat, MemorySpace::kLeft,
        MemorySpace::kRight, MemorySpace::kAcc, MemorySpace::kBias}) {
    Any(f, "x", {1, 8}, DataType::kFP32, space);
    Any(f, "y", {1, 8}, DataType::kFP32, space);
  }
  EXPECT_EQ(Addresses(f),
            "x: Vec 0 +32\n"
            "y: Vec 128 +32\n"
            "x: Mat 0 +512\n"
            "y: Mat 512 +512\n"
            "x: Left 0 +512\n"
            "y: Left 512 +512\n"
            "x: Right 0 +512\n"
            "y: Right 512 +512\n"
            "x: Acc 0 +1024\n"
            "y: Acc 1024 +1024\n"
            "x: Bias 0 +32\n"
            "y: Bias 64 +32\n");
}

TEST_F(AllocateAddressesTest, FunctionsHaveTheMemoriesForThemselves) {
  FunctionBuilder f = InCore("f");
  Create(f, "x", {16, 16}, MemorySpace::kVec);
  f.Return({});
  FunctionBuilder g = InCore("g");
  Create(g, "y", {16, 16}, MemorySpace::kVec);
  g.Return({});
  FunctionBuilder h = InCore("h", FunctionType::kOrchestration);
  h.Return({});
  const ir::Program* program =
      ir::MakeProgram(&ctx, "P", {f.Build(), g.Build(), h.Build()});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Allocate(program));
  EXPECT_EQ(Found(), "x: Vec 0 +1024\ny: Vec 0 +1024\n");
  EXPECT_EQ(pass_context.findings.addresses[1].function, "g");
  EXPECT_EQ(after->functions[2], program->functions[2]);
}

TEST_F(AllocateAddressesTest, ASecondRunChangesNothing) {
  FunctionBuilder f = InCore("cell");
  Create(f, "x", {16, 16}, MemorySpace::kVec);
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* once, Allocate(Program(f)));
  pass_context.findings = {};
  EXPECT_THAT(Allocate(once), IsOkAndHolds(once));
  EXPECT_EQ(Found(), "x: Vec 0 +1024\n");
}

TEST_F(AllocateAddressesTest, WithoutTilesNothingChanges) {
  FunctionBuilder f = InCore("cell");
  f.Assign("n", ctx.Index(1));
  f.Return({});
  const ir::Program* program = Program(f);
  EXPECT_THAT(Allocate(program), IsOkAndHolds(program));
}

// ---- Scales

TEST_F(AllocateAddressesTest, BoundScalesFollowTheirData) {
  FunctionBuilder f = InCore("cell");
  Left(f, "k");
  const Var* l = Left(f, "l");
  const Var* s = LeftScale(f, "s");
  const Var* b = Bind(f, "b", s, l);
  Bind(f, "again", b, l);
  EXPECT_EQ(Addresses(f),
            "k: Left 0 +1024\n"
            "l: Left 1024 +1024\n"
            "s: LeftScale 64 +32\n"
            "b: LeftScale 64 +32\n"
            "again: LeftScale 64 +32\n");
}

TEST_F(AllocateAddressesTest, UnboundScalesTakeFreeAddresses) {
  FunctionBuilder f = InCore("cell");
  const Var* k = Left(f, "k");
  const Var* l = Left(f, "l");
  LeftScale(f, "large", 64);
  LeftScale(f, "small");
  Bind(f, "kb", LeftScale(f, "ks"), k);
  Bind(f, "lb", LeftScale(f, "ls"), l);
  EXPECT_EQ(Addresses(f),
            "k: Left 0 +1024\n"
            "l: Left 1024 +1024\n"
            "large: LeftScale 96 +128\n"
            "small: LeftScale 32 +32\n"
            "ks: LeftScale 0 +32\n"
            "kb: LeftScale 0 +32\n"
            "ls: LeftScale 64 +32\n"
            "lb: LeftScale 64 +32\n");
}

TEST_F(AllocateAddressesTest, OneScaleForDataAtTwoAddresses) {
  FunctionBuilder f = InCore("cell");
  const Var* k = Left(f, "k");
  const Var* l = Left(f, "l");
  const Var* s = LeftScale(f, "s");
  Bind(f, "kb", s, k);
  Bind(f, "lb", s, l);
  EXPECT_EQ(Addresses(f),
            "MX-ADDR-4: scale tile 's' is bound to 'k' at 0 and to 'l' at "
            "1024; scales are at the address of their data >> 4, so each data "
            "tile needs a scale tile of its own");
}

TEST_F(AllocateAddressesTest, TwoScalesForTheSameDataOneAfterTheOther) {
  FunctionBuilder f = InCore("cell");
  Left(f, "k");
  const Var* l = Left(f, "l");
  Use(f, Bind(f, "b", LeftScale(f, "s"), l));
  Use(f, Bind(f, "c", LeftScale(f, "t"), l));
  EXPECT_THAT(Addresses(f), HasSubstr("s: LeftScale 64 +32\n"
                                      "b: LeftScale 64 +32\n"
                                      "t: LeftScale 64 +32\n"
                                      "c: LeftScale 64 +32\n"));
}

TEST_F(AllocateAddressesTest, TwoScalesForTheSameDataAtTheSameTime) {
  FunctionBuilder f = InCore("cell");
  const Var* l = Left(f, "l");
  const Var* s = LeftScale(f, "s");
  const Var* t = LeftScale(f, "t");
  Use(f, Bind(f, "b", s, l));
  Use(f, Bind(f, "c", t, l));
  EXPECT_EQ(Addresses(f),
            "MX-ADDR-3: tile 't' is written to the buffer of 's', which is "
            "still needed afterwards");
}

TEST_F(AllocateAddressesTest, ScalesThatReachIntoOthers) {
  // Only a stated type makes a scale tile larger than its data asks for.
  FunctionBuilder f = InCore("cell");
  const Var* k = Left(f, "k");
  const Var* l = Left(f, "l");
  Bind(f, "kb", LeftScale(f, "ks"), k);
  const Var* large = LeftScale(f, "large", 64);
  f.AssignOp("b", "tile.tget_scale_addr", {large, k}, {}, large->type);
  Bind(f, "lb", LeftScale(f, "ls"), l);
  EXPECT_THAT(Addresses(f), HasSubstr("MX-ADDR-8: scale tile 'ls' at 64"));
}

// ---- Buffers that tiles share

TEST_F(AllocateAddressesTest, AccumulatorsOfALoop) {
  FunctionBuilder f = InCore("cell");
  Operands(f);
  const Var* first = Acc(f, "first");
  Acc(f, "other");
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"acc", first}});
  const Var* next = Accumulate(f, "next", f.iter_arg(0));
  const Var* more = Accumulate(f, "more", next);
  const Var* total = f.EndFor({more}, {"total"})[0];
  Use(f, total);
  EXPECT_THAT(Addresses(f), HasSubstr("first: Acc 0 +1024\n"
                                      "other: Acc 1024 +1024\n"
                                      "acc: Acc 0 +1024\n"
                                      "total: Acc 0 +1024\n"
                                      "next: Acc 0 +1024\n"
                                      "more: Acc 0 +1024\n"));
}

TEST_F(AllocateAddressesTest, BranchesMayAccumulateIntoTheSameTile) {
  FunctionBuilder f = InCore("cell");
  Operands(f);
  const Var* x = Acc(f, "x");
  f.BeginIf(ctx.Bool(true));
  const Var* t = Accumulate(f, "t", x);
  f.BeginElse({t});
  const Var* e = Accumulate(f, "e", x);
  Use(f, f.EndIf({e}, {"phi"})[0]);
  EXPECT_THAT(Addresses(f), HasSubstr("x: Acc 0 +1024\n"
                                      "phi: Acc 0 +1024\n"
                                      "t: Acc 0 +1024\n"
                                      "e: Acc 0 +1024\n"));
}

TEST_F(AllocateAddressesTest, AnAccumulatorMayStartAnewInABranch) {
  // The first round starts the sum, later ones go on with it.
  FunctionBuilder f = InCore("cell");
  Operands(f);
  const Var* undefined = Acc(f, "undefined");
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1),
             {{"acc", undefined}});
  f.BeginIf(ctx.Bool(true));
  const Var* start = Acc(f, "start");
  f.BeginElse({start});
  const Var* next = Accumulate(f, "next", f.iter_arg(0));
  const Var* phi = f.EndIf({next}, {"phi"})[0];
  Use(f, f.EndFor({phi}, {"total"})[0]);
  EXPECT_THAT(Addresses(f), HasSubstr("phi: Acc 0 +1024\n"
                                      "start: Acc 0 +1024\n"
                                      "next: Acc 0 +1024\n"));
}

TEST_F(AllocateAddressesTest, AnAccumulatorThatIsReadAfterwards) {
  FunctionBuilder f = InCore("cell");
  Operands(f);
  const Var* c = Acc(f, "c");
  Accumulate(f, "d", c);
  Use(f, c);
  EXPECT_EQ(Addresses(f),
            "MX-ADDR-3: tile 'd' is written to the buffer of 'c', which is "
            "still needed afterwards");
}

TEST_F(AllocateAddressesTest, AStatementAccumulatesInPlace) {
  FunctionBuilder f = InCore("cell");
  Operands(f);
  const Var* c = Acc(f, "c");
  f.Eval(ir::MakeOpCall(&ctx, "tile.matmul_acc", {{c, left_, right_}}, {}));
  Use(f, c);
  EXPECT_THAT(Addresses(f), HasSubstr("c: Acc 0 +1024\n"));
}

TEST_F(AllocateAddressesTest, ATileThatStartsTwoLoops) {
  FunctionBuilder f = InCore("cell");
  Operands(f);
  const Var* zero = Acc(f, "zero");
  for (const absl::string_view result : {"p", "q"}) {
    f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"acc", zero}});
    const Var* next = Accumulate(f, "next", f.iter_arg(0));
    Use(f, f.EndFor({next}, {result})[0]);
  }
  EXPECT_THAT(Addresses(f), HasSubstr("MX-ADDR-3: tile 'next' is written to "
                                      "the buffer of 'zero'"));
  EXPECT_EQ(sink.error_count(), 1);
}

TEST_F(AllocateAddressesTest, ATileFromOutsideThatEachRoundStartsWith) {
  FunctionBuilder f = InCore("cell");
  Operands(f);
  const Var* zero = Acc(f, "zero");
  f.BeginFor("m", 0, 4, 1);
  Use(f, Accumulate(f, "next", zero));
  f.EndFor();
  EXPECT_THAT(Addresses(f), HasSubstr("MX-ADDR-3: tile 'next' is written to "
                                      "the buffer of 'zero'"));
}

TEST_F(AllocateAddressesTest, ALoopThatExchangesTiles) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Acc(f, "a");
  const Var* b = Acc(f, "b");
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1),
             {{"x", a}, {"y", b}});
  f.EndFor({f.iter_arg(1), f.iter_arg(0)}, {"p", "q"});
  EXPECT_THAT(Addresses(f), HasSubstr("MX-ADDR-3: tile 'b' is written to the "
                                      "buffer of 'a'"));
}

TEST_F(AllocateAddressesTest, ALoopThatReadsAhead) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Acc(f, "a");
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"now", a}});
  const Var* ahead = Acc(f, "ahead");
  Use(f, f.iter_arg(0));
  f.EndFor({ahead}, {"last"});
  EXPECT_THAT(Addresses(f), HasSubstr("MX-ADDR-3: tile 'ahead' is written to "
                                      "the buffer of 'now'"));
}

// ---- Capacity

TEST_F(AllocateAddressesTest, EachMemoryCanBeFilled) {
  const a5::Soc& soc = a5::Ascend950();
  FunctionBuilder f = InCore("cell");
  const auto fill = [&](MemorySpace space, int64_t bytes, int64_t width) {
    Any(f, "x", {bytes / width, width}, DataType::kInt8, space);
  };
  fill(MemorySpace::kVec, soc.memory(a5::MemorySpace::kVec).size_bytes, 64);
  fill(MemorySpace::kMat, soc.memory(a5::MemorySpace::kMat).size_bytes, 32);
  fill(MemorySpace::kLeft, soc.memory(a5::MemorySpace::kLeft).size_bytes, 32);
  fill(MemorySpace::kRight, soc.memory(a5::MemorySpace::kRight).size_bytes, 32);
  LeftScale(f, "s", 2048);
  EXPECT_EQ(Addresses(f),
            "x: Vec 0 +245760\n"
            "x: Mat 0 +524288\n"
            "x: Left 0 +65536\n"
            "x: Right 0 +65536\n"
            "s: LeftScale 0 +4096\n");
}

TEST_F(AllocateAddressesTest, OverflowNamesTheLargestTiles) {
  FunctionBuilder f = InCore("cell");
  Left(f, "a", 256);  // 16384 bytes
  Left(f, "b", 512);
  Left(f, "c", 16);
  Left(f, "d", 256);
  EXPECT_EQ(Addresses(f),
            "MX-ADDR-5: the tiles of function 'cell' need 66560 bytes of Left, "
            "which has 65536; use smaller tiles");
  const std::vector<ir::DiagnosticNote>& notes =
      sink.diagnostics().back().notes;
  ASSERT_THAT(notes, SizeIs(3));
  EXPECT_EQ(notes[0].message, "tile 'b' takes 32768 bytes");
  EXPECT_EQ(notes[1].message, "tile 'a' takes 16384 bytes");
  EXPECT_EQ(notes[2].message, "tile 'd' takes 16384 bytes");
}

TEST_F(AllocateAddressesTest, EachFullMemoryIsReported) {
  FunctionBuilder f = InCore("cell");
  Any(f, "v", {1024, 1024}, DataType::kFP32, MemorySpace::kVec);
  Any(f, "m", {1024, 1024}, DataType::kFP32, MemorySpace::kMat);
  Addresses(f);
  EXPECT_EQ(sink.error_count(), 2);
}

// ---- The injected fault

TEST_F(AllocateAddressesTest, SwapsTheFirstTwoLeftScales) {
  pass_context.options.fault = InjectedFault::kSwapBindings;
  FunctionBuilder f = InCore("cell");
  const Var* k = Left(f, "k");
  const Var* l = Left(f, "l");
  const Var* m = Left(f, "m");
  Bind(f, "kb", LeftScale(f, "ks"), k);
  Bind(f, "lb", LeftScale(f, "ls"), l);
  Bind(f, "mb", LeftScale(f, "ms"), m);
  EXPECT_THAT(Addresses(f), HasSubstr("ks: LeftScale 64 +32\n"
                                      "kb: LeftScale 64 +32\n"
                                      "ls: LeftScale 0 +32\n"
                                      "lb: LeftScale 0 +32\n"
                                      "ms: LeftScale 128 +32\n"));
}

// ---- Refusals

TEST_F(AllocateAddressesTest, SymbolicShape) {
  FunctionBuilder f = InCore("cell");
  const Var* n = f.Param("n", ctx.IndexType());
  const ir::Expr* shape[] = {n, ctx.Index(16)};
  ir::TileType tile;
  tile.shape = shape;
  tile.space = MemorySpace::kVec;
  f.AssignOp("x", "some.op", {}, {}, ctx.GetTileType(tile));
  EXPECT_THAT(Addresses(f), HasSubstr("MX-ADDR-1: tile 'x' gets no address: "
                                      "its shape has no constant size"));
}

TEST_F(AllocateAddressesTest, TwoSpacesInOneBuffer) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Acc(f, "a");
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"x", a}});
  const Var* v = Any(f, "v", {16, 16}, DataType::kFP32, MemorySpace::kVec);
  f.EndFor({v}, {"r"});
  EXPECT_THAT(Addresses(f),
              HasSubstr("MX-ADDR-2: tiles 'a' in Acc and 'r' in Vec share a "
                        "buffer"));
}

TEST_F(AllocateAddressesTest, NoMemoryOfTheCore) {
  FunctionBuilder f = InCore("cell");
  Any(f, "x", {16, 16}, DataType::kFP32, MemorySpace::kDDR);
  EXPECT_THAT(Addresses(f),
              HasSubstr("MX-ADDR-2: tile 'x' is in no memory of the core"));
}

TEST_F(AllocateAddressesTest, SomeTilesHaveAddressesAlready) {
  FunctionBuilder f = InCore("cell");
  ir::MemRef memref;
  memref.base = f.Param("base", ctx.GetMarkerType(ir::TypeKind::kPtr));
  memref.byte_offset = ctx.Index(0);
  memref.size_bytes = 1024;
  ir::TileType placed = *Tile({16, 16}, DataType::kFP32, MemorySpace::kVec);
  placed.memref = &memref;
  f.AssignOp("x", "some.op", {}, {}, ctx.GetTileType(placed));
  Any(f, "y", {16, 16}, DataType::kFP32, MemorySpace::kVec);
  EXPECT_EQ(Addresses(f),
            "MX-ADDR-6: tile 'y' has no address but other tiles of function "
            "'cell' have; give all tiles addresses, or none");
}

TEST_F(AllocateAddressesTest, TilesThatAreNoVariables) {
  const auto refusal = [&](auto build) {
    FunctionBuilder f = InCore("cell");
    build(f);
    return Addresses(f);
  };
  const ir::Type* tile = Tile({16, 16}, DataType::kFP32, MemorySpace::kVec);
  EXPECT_THAT(refusal([&](FunctionBuilder& f) {
                const ir::Expr* nested =
                    ir::MakeOpCall(&ctx, "some.op", {}, {}, tile);
                f.AssignOp("x", "some.op", {nested}, {}, tile);
              }),
              HasSubstr("MX-ADDR-7: a tile inside an expression"));
  EXPECT_THAT(refusal([&](FunctionBuilder& f) {
                const Var* pair = f.AssignOp("pair", "some.op", {}, {},
                                             ctx.GetTupleType({tile}));
                f.Assign("x", ctx.NewTupleItem(pair, 0));
              }),
              HasSubstr("MX-ADDR-7: a tile inside a tuple"));
  EXPECT_THAT(refusal([&](FunctionBuilder& f) {
                f.AssignOp("x", "some.op", {f.Param("p", tile)}, {}, tile);
              }),
              HasSubstr("MX-ADDR-7: tile 'p' comes from outside"));
}

TEST_F(AllocateAddressesTest, TargetsWithoutATable) {
  pass_context.options.target = "a2a3";
  FunctionBuilder f = InCore("cell");
  Create(f, "x", {16, 16}, MemorySpace::kVec);
  EXPECT_THAT(Addresses(f), HasSubstr("MX-ADDR-9: the memories of target "
                                      "'a2a3' are not known"));
}

}  // namespace
}  // namespace mxtile
