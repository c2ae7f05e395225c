#include "passes/infer_tile_memory_space/infer_tile_memory_space.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/ops/matmul_mx_ops.h"
#include "ir/ops/matmul_ops.h"
#include "ir/ops/tile_ops.h"
#include "ir/program.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/pass.h"
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

// The operators of mxtile, and one that inherits the space of its operand.
const ir::OpRegistry& TestOps() {
  static const ir::OpRegistry* const registry = [] {
    auto* ops = new ir::OpRegistry();
    ir::RegisterTileOps(*ops);
    ir::RegisterMatmulOps(*ops);
    ir::RegisterMatmulMxOps(*ops);
    ir::OpDef same;
    same.name = "test.same";
    same.min_args = same.max_args = 1;
    same.result_space = ir::ResultSpace::kFirstInput;
    same.deduce = [](const ir::CallOperands& operands, ir::Context&) {
      return absl::StatusOr<const ir::Type*>(operands.args[0]->type);
    };
    ops->Register(std::move(same));
    return ops;
  }();
  return *registry;
}

// The cases I1 to I7 are those of the specification of the pass; I8 is one of
// tile.load.
class InferTileMemorySpaceTest : public PassTest {
 protected:
  InferTileMemorySpaceTest() : PassTest(TestOps()) {}

  std::vector<ir::Attr> In(MemorySpace space) { return {Target(space)}; }

  // A BF16 tile, loaded from a parameter of its own.
  const Var* Bf16(FunctionBuilder& f, absl::string_view name,
                  const std::vector<int64_t>& shape,
                  std::vector<ir::Attr> kwargs) {
    return LoadParam(f, name, shape, DataType::kBF16, TensorLayout::kND,
                     std::move(kwargs));
  }
  const Var* Create(FunctionBuilder& f, absl::string_view name,
                    const std::vector<int64_t>& shape,
                    std::vector<ir::Attr> kwargs) {
    kwargs.push_back({"dtype", AttrValue::Of(DataType::kFP32)});
    return f.AssignOp(name, "tile.create", {List(shape)}, std::move(kwargs));
  }
  const Var* Same(FunctionBuilder& f, absl::string_view name, const Var* x) {
    return f.AssignOp(name, "test.same", {x});
  }
  const Var* Matmul(FunctionBuilder& f, absl::string_view name, const Var* a,
                    const Var* b) {
    return f.AssignOp(name, "tile.matmul", {a, b});
  }
  const Var* MatmulAcc(FunctionBuilder& f, absl::string_view name,
                       const Var* acc, const Var* a, const Var* b) {
    return f.AssignOp(name, "tile.matmul_acc", {acc, a, b});
  }
  const Var* ToFp16(FunctionBuilder& f, absl::string_view name, const Var* x) {
    return f.AssignOp(name, "tile.cast", {x},
                      {{"target_type", AttrValue::Of(DataType::kFP16)}});
  }
  const Var* Store(FunctionBuilder& f, absl::string_view name,
                   const Var* tile) {
    const auto* type = ir::CheckedCast<ir::TileType>(tile->type);
    ir::TensorType tensor;
    tensor.kind = ir::TypeKind::kTensor;
    tensor.shape = type->shape;
    tensor.dtype = type->dtype;
    const Var* dst =
        f.Param(name, ctx.GetTensorType(tensor), ir::ParamDirection::kOut);
    return f.AssignOp("stored", "tile.store", {tile, List({0, 0}), dst});
  }

  const Var* MxData(FunctionBuilder& f, absl::string_view name,
                    const std::vector<int64_t>& shape) {
    return LoadParam(f, name, shape, DataType::kFP8E4M3FN, TensorLayout::kND,
                     In(MemorySpace::kMat));
  }
  const Var* MxScale(FunctionBuilder& f, absl::string_view name,
                     const std::vector<int64_t>& shape, TensorLayout layout) {
    return LoadParam(f, name, shape, DataType::kFP8E8M0, layout,
                     In(MemorySpace::kMat));
  }

  absl::StatusOr<const ir::Program*> Infer(const ir::Program* program) {
    return Run(InferTileMemorySpace(), program);
  }
  std::string Inferred(FunctionBuilder& f) {
    f.Return({});
    const absl::StatusOr<const ir::Program*> after = Infer(Program(f));
    return after.ok() ? Sketch(**after) : LastError();
  }
};

// ---- The specification's cases

TEST_F(InferTileMemorySpaceTest, VecLoadsOfAMatmul_I1) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 128}, In(MemorySpace::kVec));
  const Var* b = Bf16(f, "b", {128, 128}, In(MemorySpace::kVec));
  Store(f, "dst", Matmul(f, "c", a, b));
  EXPECT_EQ(Inferred(f),
            "a:Vec = load(a_t)\n"
            "b:Vec = load(b_t)\n"
            "a_Left:Left = move(a)\n"
            "b_Right:Right = move(b)\n"
            "c:Acc = matmul(a_Left, b_Right)\n"
            "stored = store(c, dst)\n");
}

TEST_F(InferTileMemorySpaceTest, MatLoadsOfAMatmul_I2) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 128}, In(MemorySpace::kMat));
  const Var* b = Bf16(f, "b", {128, 128}, In(MemorySpace::kMat));
  Store(f, "dst", Matmul(f, "c", a, b));
  EXPECT_EQ(Inferred(f),
            "a:Mat = load(a_t)\n"
            "b:Mat = load(b_t)\n"
            "a_Left:Left = move(a)\n"
            "b_Right:Right = move(b)\n"
            "c:Acc = matmul(a_Left, b_Right)\n"
            "stored = store(c, dst)\n");
}

// Against the program as a person would write it.
TEST_F(InferTileMemorySpaceTest, MxMatmul_I3) {
  const auto build = [&](bool moved) {
    FunctionBuilder f = InCore("cell", FunctionType::kAIC);
    const Var* a = MxData(f, "a", {16, 64});
    const Var* sa = MxScale(f, "sa", {16, 2}, TensorLayout::kMxAZZ);
    const Var* b = MxData(f, "b", {64, 32});
    const Var* sb = MxScale(f, "sb", {2, 32}, TensorLayout::kMxBNN);
    if (moved) {
      a = Move(f, "a_Left", a, MemorySpace::kLeft);
      sa = Move(f, "sa_LeftScale", sa, MemorySpace::kLeftScale);
      b = Move(f, "b_Right", b, MemorySpace::kRight);
      sb = Move(f, "sb_RightScale", sb, MemorySpace::kRightScale);
    }
    const Var* c = f.AssignOp("c", "tile.matmul_mx", {a, sa, b, sb});
    Store(f, "dst", c);
    f.Return({});
    return Program(f);
  };
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Infer(build(false)));
  EXPECT_EQ(ir::PrintProgram(*after), ir::PrintProgram(*build(true)));
  EXPECT_TRUE(ir::StructurallyEqual(*after, *build(true)));
}

TEST_F(InferTileMemorySpaceTest, VecScaleGoesThroughMat_I4) {
  FunctionBuilder f = InCore("cell");
  const Var* a = MxData(f, "a", {16, 64});
  ir::TileType scales = *Tile({16, 2}, DataType::kFP8E8M0, MemorySpace::kVec);
  const ir::TileView zz =
      ir::ImplicitTileView(scales.shape, MemorySpace::kLeftScale);
  scales.view = &zz;
  const Var* sa =
      f.AssignOp("sa", "test.quantize", {}, {}, ctx.GetTileType(scales));
  const Var* b = MxData(f, "b", {64, 32});
  const Var* sb = MxScale(f, "sb", {2, 32}, TensorLayout::kMxBNN);
  f.AssignOp("c", "tile.matmul_mx", {a, sa, b, sb});
  EXPECT_THAT(Inferred(f), HasSubstr("a_Left:Left = move(a)\n"
                                     "sa_Mat:Mat = move(sa)\n"
                                     "sa_LeftScale:LeftScale = move(sa_Mat)\n"
                                     "b_Right:Right = move(b)\n"));
}

TEST_F(InferTileMemorySpaceTest, PhiInAccFeedsACast_I5) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* b = Bf16(f, "b", {16, 16}, In(MemorySpace::kMat));
  f.BeginIf(ctx.Bool(true));
  const Var* c = Matmul(f, "c", a, b);
  f.BeginElse({c});
  const Var* d = Matmul(f, "d", b, a);
  const Var* phi = f.EndIf({d}, {"phi"})[0];
  ToFp16(f, "e", phi);
  EXPECT_THAT(Inferred(f), HasSubstr("-> phi:Acc\n"
                                     "phi_Vec:Vec = move(phi)\n"
                                     "e:Vec = cast(phi_Vec)\n"));
}

TEST_F(InferTileMemorySpaceTest, CarriedAccRetargetsItsCreate_I6) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* zero = Create(f, "zero", {16, 16}, In(MemorySpace::kVec));
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"acc", zero}});
  const Var* next = MatmulAcc(f, "next", f.iter_arg(0), a, a);
  const Var* total = f.EndFor({next}, {"total"})[0];
  Store(f, "dst", total);
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Infer(Program(f)));
  EXPECT_EQ(Sketch(*after),
            "a:Mat = load(a_t)\n"
            "zero:Acc = create()\n"
            "for k, acc:Acc=zero:\n"
            "  a_Left:Left = move(a)\n"
            "  a_Right:Right = move(a)\n"
            "  next:Acc = matmul_acc(acc, a_Left, a_Right)\n"
            "  yield next\n"
            "-> total:Acc\n"
            "stored = store(total, dst)\n");
  const auto* create =
      ir::CheckedCast<ir::Assign>(after->functions[0]->body[1]);
  EXPECT_EQ(ir::PrintExpr(create->value),
            "pl.tile.create([16, 16], target_memory=pl.Mem.Acc, "
            "dtype=pl.FP32)");
  EXPECT_EQ(create->value->type, create->var->type);
  EXPECT_EQ(create->var->type,
            Tile({16, 16}, DataType::kFP32, MemorySpace::kAcc));
}

TEST_F(InferTileMemorySpaceTest, TileParameter_I7) {
  FunctionBuilder f = InCore("cell");
  f.Param("x", Tile({16, 16}, DataType::kFP32, MemorySpace::kVec));
  EXPECT_EQ(Inferred(f),
            "MX-SPACE-1: parameter 'x' of in-core function 'cell' is a tile; "
            "pass a tensor and load it");
}

// ---- Producers without a target

TEST_F(InferTileMemorySpaceTest, UsesDecideWhereALoadGoes) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, {});
  const Var* b = Bf16(f, "b", {16, 16}, {});
  Bf16(f, "unused", {16, 16}, {});
  const Var* same = Same(f, "same", a);
  ToFp16(f, "both", a);
  Matmul(f, "c", same, Same(f, "again", b));
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Infer(Program(f)));
  EXPECT_EQ(Sketch(*after),
            "a:Mat = load(a_t)\n"
            "b:Mat = load(b_t)\n"
            "unused:Vec = load(unused_t)\n"
            "same:Mat = test.same(a)\n"
            "a_Vec:Vec = move(a)\n"
            "both:Vec = cast(a_Vec)\n"
            "again:Mat = test.same(b)\n"
            "same_Left:Left = move(same)\n"
            "again_Right:Right = move(again)\n"
            "c:Acc = matmul(same_Left, again_Right)\n");
  const auto* load = ir::CheckedCast<ir::Assign>(after->functions[0]->body[0]);
  EXPECT_THAT(ir::PrintExpr(load->value),
              HasSubstr("target_memory=pl.Mem.Mat"));
  EXPECT_EQ(load->value->type, load->var->type);
}

TEST_F(InferTileMemorySpaceTest, TheLoadsOwnDeductionGivesItsType) {
  FunctionBuilder f = InCore("cell");
  const Var* t =
      f.Param("t", Tensor({64, 64}, DataType::kBF16, TensorLayout::kDN));
  const Var* a = f.AssignOp("a", "tile.load",
                            {t, List({0, 0}), List({64, 64}), List({16, 64})});
  Matmul(f, "c", a, Bf16(f, "b", {64, 64}, In(MemorySpace::kMat)));
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Infer(Program(f)));
  const auto* load = ir::CheckedCast<ir::Assign>(after->functions[0]->body[0]);
  const auto* type = ir::CheckedCast<ir::TileType>(load->var->type);
  EXPECT_EQ(type->space, MemorySpace::kMat);
  // A DN source swaps the layouts; the valid shape is the load's.
  EXPECT_EQ(type->view->blayout, ir::TileLayout::kRowMajor);
  EXPECT_EQ(type->view->slayout, ir::TileLayout::kColMajor);
  EXPECT_EQ(type->view->valid_shape[0], ctx.Index(16));
}

TEST_F(InferTileMemorySpaceTest, DemandReachesThroughLoopsAndIfs) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, {});
  const Var* b = Bf16(f, "b", {16, 16}, {});
  const Var* d = Bf16(f, "d", {16, 16}, {});
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"x", a}});
  Matmul(f, "c", f.iter_arg(0), f.iter_arg(0));
  f.EndFor({f.iter_arg(0)}, {"r"});
  f.BeginIf(ctx.Bool(true));
  f.BeginElse({b});
  const Var* phi = f.EndIf({d}, {"phi"})[0];
  Matmul(f, "e", phi, phi);
  EXPECT_THAT(Inferred(f), HasSubstr("a:Mat = load(a_t)\n"
                                     "b:Mat = load(b_t)\n"
                                     "d:Mat = load(d_t)\n"
                                     "for k, x:Mat=a:\n"));
}

TEST_F(InferTileMemorySpaceTest, UnknownOperatorsStateTheirSpaceOrAreVec) {
  FunctionBuilder f = InCore("cell");
  f.AssignOp("x", "some.op", {}, {}, Tile({16, 1}, DataType::kFP32));
  f.AssignOp("y", "some.op", {}, {},
             Tile({16, 16}, DataType::kFP32, MemorySpace::kMat));
  const Var* pair = f.AssignOp(
      "pair", "some.op", {}, {},
      ctx.GetTupleType({{Tile({16, 16}, DataType::kFP32), ctx.IndexType()}}));
  f.Assign("z", ctx.NewTupleItem(pair, 0));
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Infer(Program(f)));
  EXPECT_EQ(Sketch(*after),
            "x:Vec = some.op()\n"
            "y:Mat = some.op()\n"
            "pair = some.op()\n"
            "z:Vec = pair[0]\n");
  const auto* z = ir::CheckedCast<ir::Assign>(after->functions[0]->body[3]);
  EXPECT_EQ(z->value->type, z->var->type);
  EXPECT_EQ(ir::CheckedCast<ir::TupleItem>(z->value)->tuple->type,
            ctx.GetTupleType({{z->var->type, ctx.IndexType()}}));
}

// ---- Moves

TEST_F(InferTileMemorySpaceTest, OneMovePerStatementList) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  Matmul(f, "c", a, a);
  Matmul(f, "d", a, a);
  f.BeginFor("i", 0, 4, 1);
  Matmul(f, "e", a, a);
  Matmul(f, "g", a, a);
  f.EndFor();
  f.BeginIf(ctx.Bool(true));
  Matmul(f, "h", a, a);
  f.BeginElse();
  Matmul(f, "i", a, a);
  f.EndIf();
  Matmul(f, "j", a, a);
  EXPECT_EQ(Inferred(f),
            "a:Mat = load(a_t)\n"
            "a_Left:Left = move(a)\n"
            "a_Right:Right = move(a)\n"
            "c:Acc = matmul(a_Left, a_Right)\n"
            "d:Acc = matmul(a_Left, a_Right)\n"
            "for i:\n"
            "  a_Left:Left = move(a)\n"
            "  a_Right:Right = move(a)\n"
            "  e:Acc = matmul(a_Left, a_Right)\n"
            "  g:Acc = matmul(a_Left, a_Right)\n"
            "if:\n"
            "  a_Left:Left = move(a)\n"
            "  a_Right:Right = move(a)\n"
            "  h:Acc = matmul(a_Left, a_Right)\n"
            "else:\n"
            "  a_Left:Left = move(a)\n"
            "  a_Right:Right = move(a)\n"
            "  i:Acc = matmul(a_Left, a_Right)\n"
            "j:Acc = matmul(a_Left, a_Right)\n");
}

TEST_F(InferTileMemorySpaceTest, StatementsThatAssignNothing) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* c = Matmul(f, "c", a, a);
  const Var* b = Bf16(f, "b", {16, 16}, In(MemorySpace::kMat));
  f.Eval(ir::MakeOpCall(&ctx, "tile.matmul_acc", {{c, b, b}}, {}));
  EXPECT_THAT(Inferred(f), HasSubstr("b_Left:Left = move(b)\n"
                                     "b_Right:Right = move(b)\n"
                                     "matmul_acc(c, b_Left, b_Right)\n"));
}

TEST_F(InferTileMemorySpaceTest, ATileThatChangesInPlaceIsMovedAgain) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* c = Matmul(f, "c", a, a);
  ToFp16(f, "before", c);
  f.BeginIf(ctx.Bool(true));
  f.Eval(ir::MakeOpCall(&ctx, "tile.matmul_acc", {{c, a, a}}, {}));
  f.EndIf();
  ToFp16(f, "after", c);
  Matmul(f, "d", a, a);
  EXPECT_THAT(Inferred(f), HasSubstr("c_Vec:Vec = move(c)\n"
                                     "before:Vec = cast(c_Vec)\n"
                                     "if:\n"
                                     "  a_Left:Left = move(a)\n"
                                     "  a_Right:Right = move(a)\n"
                                     "  matmul_acc(c, a_Left, a_Right)\n"
                                     "c_Vec:Vec = move(c)\n"
                                     "after:Vec = cast(c_Vec)\n"
                                     "d:Acc = matmul(a_Left, a_Right)\n"));
}

TEST_F(InferTileMemorySpaceTest, FromAccToTheCubeThroughMat) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Create(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* c = Matmul(f, "c", a, a);
  Matmul(f, "d", c, c);
  EXPECT_THAT(Inferred(f), HasSubstr("c_Mat:Mat = move(c)\n"
                                     "c_Left:Left = move(c_Mat)\n"
                                     "c_Right:Right = move(c_Mat)\n"
                                     "d:Acc = matmul(c_Left, c_Right)\n"));
}

// ---- Loops

TEST_F(InferTileMemorySpaceTest, NestedLoopsCarryAccOutwards) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* zero = Create(f, "zero", {16, 16}, In(MemorySpace::kVec));
  const Var* alias = f.Assign("alias", zero);
  f.BeginFor("i", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"x", alias}});
  const Var* same = Same(f, "same", f.iter_arg(0));
  f.BeginFor("j", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"y", same}});
  const Var* next = MatmulAcc(f, "next", f.iter_arg(0), a, a);
  const Var* inner = f.EndFor({next}, {"inner"})[0];
  f.EndFor({inner}, {"outer"});
  EXPECT_EQ(Inferred(f),
            "a:Mat = load(a_t)\n"
            "zero:Acc = create()\n"
            "alias:Acc = zero\n"
            "for i, x:Acc=alias:\n"
            "  same:Acc = test.same(x)\n"
            "  for j, y:Acc=same:\n"
            "    a_Left:Left = move(a)\n"
            "    a_Right:Right = move(a)\n"
            "    next:Acc = matmul_acc(y, a_Left, a_Right)\n"
            "    yield next\n"
            "  -> inner:Acc\n"
            "  yield inner\n"
            "-> outer:Acc\n");
}

TEST_F(InferTileMemorySpaceTest, CarriedTilesThatChangePlaces) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* b = Bf16(f, "b", {16, 16}, In(MemorySpace::kMat));
  f.BeginFor("i", ctx.Index(0), ctx.Index(4), ctx.Index(1),
             {{"x", a}, {"y", b}, {"z", a}});
  f.EndFor({f.iter_arg(1), f.iter_arg(0), f.iter_arg(2)}, {"p", "q", "r"});
  EXPECT_THAT(Inferred(f), HasSubstr("for i, x:Mat=a, y:Mat=b, z:Mat=a:\n"
                                     "  yield y, x, z\n"
                                     "-> p:Mat, q:Mat, r:Mat\n"));
}

TEST_F(InferTileMemorySpaceTest, AnInitialValueIsMovedInFrontOfItsLoop) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* c = Matmul(f, "c", a, a);
  f.BeginFor("i", ctx.Index(0), ctx.Index(4), ctx.Index(1),
             {{"x", c}, {"y", a}});
  const Var* next = Create(f, "next", {16, 16}, In(MemorySpace::kVec));
  // A load cannot go to Left by itself.
  const Var* left = Move(f, "left", a, MemorySpace::kLeft);
  f.EndFor({next, left}, {"r", "s"});
  EXPECT_THAT(Inferred(f), HasSubstr("c_Vec:Vec = move(c)\n"
                                     "for i, x:Vec=c_Vec, y:Left=a_Left:\n"));
}

// Acc is in blocks, what the loop goes on with is flat: the move says so.
TEST_F(InferTileMemorySpaceTest, AnInitialValueGetsTheLayoutThatIsCarried) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* c = Matmul(f, "c", a, a);
  f.BeginFor("i", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"x", c}});
  f.EndFor({Create(f, "next", {16, 16}, In(MemorySpace::kVec))}, {"r"});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after, Infer(Program(f)));
  const ir::Block body = after->functions[0]->body;
  const auto* move = ir::CheckedCast<ir::Assign>(body[body.size() - 2]);
  EXPECT_EQ(ir::PrintExpr(move->value),
            "pl.tile.move(c, target_memory=pl.Mem.Vec, "
            "blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)");
  const auto* loop = ir::CheckedCast<ir::For>(body.back());
  EXPECT_EQ(move->var->type, loop->iter_args[0]->type);
}

TEST_F(InferTileMemorySpaceTest, WhileLoops) {
  // Without a while in the builder: the For is turned into one.
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* zero = Create(f, "zero", {16, 16}, In(MemorySpace::kVec));
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"acc", zero}});
  const Var* next = MatmulAcc(f, "next", f.iter_arg(0), a, a);
  f.EndFor({next}, {"total"});
  ir::Function function = *f.Build();
  std::vector<const ir::Stmt*> body(function.body.begin(), function.body.end());
  const auto* loop = ir::CheckedCast<ir::For>(body.back());
  ir::While copy;
  copy.kind = ir::StmtKind::kWhile;
  copy.condition = ctx.Bool(true);
  copy.iter_args = loop->iter_args;
  copy.body = loop->body;
  copy.return_vars = loop->return_vars;
  body.back() = ctx.New(copy);
  function.body = ctx.List(body);
  MX_ASSERT_OK_AND_ASSIGN(
      const ir::Program* after,
      Infer(ir::MakeProgram(&ctx, "P", {ctx.New(function)})));
  const auto* changed =
      ir::CheckedCast<ir::While>(after->functions[0]->body.back());
  const ir::Type* in_acc = Tile({16, 16}, DataType::kFP32, MemorySpace::kAcc);
  EXPECT_EQ(changed->iter_args[0]->type, in_acc);
  EXPECT_EQ(changed->iter_args[0]->init->type, in_acc);
  EXPECT_EQ(changed->return_vars[0]->type, in_acc);
}

// ---- No change

TEST_F(InferTileMemorySpaceTest, ASecondRunChangesNothing) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, {});
  const Var* zero = Create(f, "zero", {16, 16}, In(MemorySpace::kVec));
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"acc", zero}});
  const Var* next = MatmulAcc(f, "next", f.iter_arg(0), a, a);
  const Var* total = f.EndFor({next}, {"total"})[0];
  ToFp16(f, "e", total);
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* once, Infer(Program(f)));
  EXPECT_THAT(Infer(once), IsOkAndHolds(once));
}

TEST_F(InferTileMemorySpaceTest, OtherFunctionsStay) {
  FunctionBuilder f = InCore("entry", FunctionType::kOpaque);
  const Var* a = Bf16(f, "a", {16, 16}, {});
  Matmul(f, "c", a, a);
  f.Return({});
  const ir::Program* program = Program(f);
  EXPECT_THAT(Infer(program), IsOkAndHolds(program));
}

// ---- Refusals

TEST_F(InferTileMemorySpaceTest, BranchesYieldFromTwoSpaces) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Create(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* c = Matmul(f, "c", a, a);
  f.BeginIf(ctx.Bool(true));
  f.BeginElse({c});
  f.EndIf({a}, {"phi"});
  EXPECT_EQ(Inferred(f),
            "MX-SPACE-2: the branches yield 'phi' from Acc and from Mat; "
            "tile.move one of them before its yield");
}

TEST_F(InferTileMemorySpaceTest, NestedOperandsMustBeInPlace) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Create(f, "a", {16, 16}, In(MemorySpace::kMat));
  const ir::Expr* left =
      ir::MakeOpCall(&ctx, "tile.move", {a}, {{Target(MemorySpace::kLeft)}});
  const ir::Expr* in_vec = ir::MakeOpCall(&ctx, "tile.move", {a}, {});
  f.AssignOp("c", "tile.matmul", {left, in_vec});
  EXPECT_EQ(Inferred(f),
            "MX-SPACE-3: operand 1 of tile.matmul must be in Right and cannot "
            "be moved there inside an expression; assign it to a variable, or "
            "run flatten_call_expr first");
  EXPECT_EQ(sink.error_count(), 1) << "the left operand is in place";
}

TEST_F(InferTileMemorySpaceTest, NothingMovesIntoAcc) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* acc = Create(f, "acc", {16, 16}, In(MemorySpace::kVec));
  MatmulAcc(f, "c", acc, a, a);
  EXPECT_EQ(Inferred(f),
            "MX-SPACE-4: tile 'acc' is in Vec; operand 0 of tile.matmul_acc "
            "takes it from Acc, where no move leads: only matmuls write there");
}

TEST_F(InferTileMemorySpaceTest, ALoopCannotStartInAccFromALoad) {
  FunctionBuilder f = InCore("cell");
  const Var* a = Bf16(f, "a", {16, 16}, In(MemorySpace::kMat));
  const Var* first = LoadParam(f, "first", {16, 16}, DataType::kFP32,
                               TensorLayout::kND, In(MemorySpace::kVec));
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1), {{"acc", first}});
  const Var* next = MatmulAcc(f, "next", f.iter_arg(0), a, a);
  f.EndFor({next}, {"total"});
  EXPECT_THAT(Inferred(f),
              HasSubstr("MX-SPACE-4: tile 'first' is in Vec; the loop that "
                        "carries 'acc' takes it from Acc"));
}

TEST_F(InferTileMemorySpaceTest, OneScaleTileUnderTwoNames) {
  // G = M = N = 32, so that one tile has the extents of both scales.
  FunctionBuilder f = InCore("cell");
  const Var* a = MxData(f, "a", {32, 1024});
  const Var* b = MxData(f, "b", {1024, 32});
  const Var* s = MxScale(f, "s", {32, 32}, TensorLayout::kMxAZZ);
  const Var* t = f.Assign("t", s);
  f.AssignOp("c", "tile.matmul_mx", {a, s, b, t});
  f.Return({});
  EXPECT_FALSE(Infer(Program(f)).ok());
  EXPECT_EQ(sink.diagnostics()[0].rule_id, "MX-SPACE-5");
  EXPECT_THAT(sink.diagnostics()[0].message, HasSubstr("one tile, 's'"));
}

TEST_F(InferTileMemorySpaceTest, AScaleOfTheWrongLayout) {
  FunctionBuilder f = InCore("cell");
  const Var* a = MxData(f, "a", {16, 64});
  const Var* sa = MxScale(f, "sa", {16, 2}, TensorLayout::kND);
  const Var* b = MxData(f, "b", {64, 32});
  const Var* sb = MxScale(f, "sb", {2, 32}, TensorLayout::kMxBNN);
  f.AssignOp("c", "tile.matmul_mx", {a, sa, b, sb});
  EXPECT_THAT(Inferred(f), HasSubstr("MX-MOVE-5: tile.move"));
}

}  // namespace
}  // namespace mxtile
