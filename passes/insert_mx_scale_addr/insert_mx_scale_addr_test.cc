#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/pass.h"
#include "passes/pass_test_util.h"

namespace mxtile {
namespace {

using ir::DataType;
using ir::FunctionBuilder;
using ir::FunctionType;
using ir::MemorySpace;
using ir::Var;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The cases A1 to A20 are those of the specification of the pass. Tests show
// what stands after Mark() in the rewritten function.
class InsertMxScaleAddrTest : public PassTest {
 protected:
  // Data and scales of one side, where a matmul reads them.
  struct Operand {
    const Var* data;
    const Var* scale;
  };

  Operand Left(FunctionBuilder& f, absl::string_view name = "l") {
    return {Fill(f, name, {16, 64}, DataType::kFP8E4M3FN, ir::TensorLayout::kND,
                 MemorySpace::kLeft),
            Fill(f, absl::StrCat(name, "s"), {16, 2}, DataType::kFP8E8M0,
                 ir::TensorLayout::kMxAZZ, MemorySpace::kLeftScale)};
  }
  Operand Right(FunctionBuilder& f, absl::string_view name = "r") {
    return {Fill(f, name, {64, 32}, DataType::kFP8E4M3FN, ir::TensorLayout::kND,
                 MemorySpace::kRight),
            Fill(f, absl::StrCat(name, "s"), {2, 32}, DataType::kFP8E8M0,
                 ir::TensorLayout::kMxBNN, MemorySpace::kRightScale)};
  }
  const Var* Fill(FunctionBuilder& f, absl::string_view name,
                  const std::vector<int64_t>& shape, DataType dtype,
                  ir::TensorLayout layout, MemorySpace space) {
    const Var* mat = LoadParam(f, absl::StrCat(name, "_m"), shape, dtype,
                               layout, {Target(MemorySpace::kMat)});
    return Move(f, name, mat, space);
  }

  const Var* Matmul(FunctionBuilder& f, absl::string_view name,
                    const Operand& l, const Operand& r) {
    return f.AssignOp(name, "tile.matmul_mx",
                      {l.data, l.scale, r.data, r.scale});
  }
  const Var* MatmulAcc(FunctionBuilder& f, absl::string_view name,
                       const Var* acc, const Operand& l, const Operand& r) {
    return f.AssignOp(name, "tile.matmul_mx_acc",
                      {acc, l.data, l.scale, r.data, r.scale});
  }

  void Mark(FunctionBuilder& f) {
    f.AssignOp("mark", "tile.get_block_idx", {});
  }
  static std::string AfterMark(const ir::Program& program) {
    const std::vector<std::string> parts =
        absl::StrSplit(Sketch(program), "mark = get_block_idx()\n");
    return parts.back();
  }
  // What stands after the mark once the pass has run.
  std::string Rewritten(FunctionBuilder& f) {
    f.Return({});
    return Rewritten(Program(f));
  }
  std::string Rewritten(const ir::Program* program) {
    const absl::StatusOr<const ir::Program*> after =
        Run(InsertMxScaleAddr(), program);
    return after.ok() ? AfterMark(**after) : after.status().ToString();
  }
};

// ---- What is inserted

TEST_F(InsertMxScaleAddrTest, BindsLeftThenRight_A1) {
  const auto build = [&](bool bound) {
    FunctionBuilder f = InCore("cell");
    Operand l = Left(f);
    Operand r = Right(f);
    const ir::TensorType* out = Tensor({16, 32}, DataType::kFP32);
    const Var* dst = f.Param("dst", out, ir::ParamDirection::kOut);
    f.ReturnType(out);
    if (bound) {
      l.scale =
          f.AssignOp("ls_bound", "tile.tget_scale_addr", {l.scale, l.data});
      r.scale =
          f.AssignOp("rs_bound", "tile.tget_scale_addr", {r.scale, r.data});
    }
    const Var* c = Matmul(f, "c", l, r);
    f.Return({f.AssignOp("s", "tile.store", {c, List({0, 0}), dst})});
    return Program(f);
  };
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after,
                          Run(InsertMxScaleAddr(), build(false)));
  EXPECT_EQ(ir::PrintProgram(*after), ir::PrintProgram(*build(true)));
  EXPECT_TRUE(ir::StructurallyEqual(*after, *build(true)));
}

TEST_F(InsertMxScaleAddrTest, ResultVariableKwargsAndAttrsStay) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  ir::Call call = *ir::MakeOpCall(&ctx, "tile.matmul_mx",
                                  {{l.data, l.scale, r.data, r.scale}}, {});
  const ir::Attr attrs[] = {{"note", ir::AttrValue::Int(3)}};
  call.attrs = ctx.List(absl::MakeConstSpan(attrs));
  const Var* c = f.Assign("c", ctx.New(call));
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after,
                          Run(InsertMxScaleAddr(), Program(f)));
  const ir::Block body = after->functions[0]->body;
  const auto* assign = ir::CheckedCast<ir::Assign>(body[body.size() - 2]);
  EXPECT_EQ(assign->var, c);
  const auto* rewritten = ir::CheckedCast<ir::Call>(assign->value);
  EXPECT_EQ(rewritten->type, call.type);
  EXPECT_EQ(rewritten->attrs.data(), call.attrs.data());
}

TEST_F(InsertMxScaleAddrTest, BiasIsUntouched_A18) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  const Var* bias = Fill(f, "b", {1, 32}, DataType::kFP32,
                         ir::TensorLayout::kND, MemorySpace::kBias);
  Mark(f);
  f.AssignOp("c", "tile.matmul_mx_bias",
             {l.data, l.scale, r.data, r.scale, bias});
  EXPECT_EQ(Rewritten(f),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "c:Acc = matmul_mx_bias(l, ls_bound, r, rs_bound, b)\n");
}

TEST_F(InsertMxScaleAddrTest, StatementsThatAssignNothingAreBoundToo) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  const Var* acc = f.AssignOp("acc", "tile.create", {List({16, 32})},
                              {{"dtype", ir::AttrValue::Of(DataType::kFP32)},
                               Target(MemorySpace::kAcc)});
  Mark(f);
  f.Eval(ir::MakeOpCall(&ctx, "tile.matmul_mx_acc",
                        {{acc, l.data, l.scale, r.data, r.scale}}, {}));
  EXPECT_EQ(Rewritten(f),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "matmul_mx_acc(acc, l, ls_bound, r, rs_bound)\n");
}

TEST_F(InsertMxScaleAddrTest, RecordsBindings) {
  FunctionBuilder f = InCore("cell");
  Matmul(f, "c", Left(f), Right(f));
  Rewritten(f);
  const std::vector<ScaleBinding>& bindings = pass_context.findings.bindings;
  ASSERT_THAT(bindings, SizeIs(2));
  EXPECT_EQ(bindings[0].function, "cell");
  EXPECT_EQ(bindings[0].scale, "ls");
  EXPECT_EQ(bindings[0].data, "l");
  EXPECT_EQ(bindings[0].side, "left");
  EXPECT_EQ(bindings[1].scale, "rs");
  EXPECT_EQ(bindings[1].side, "right");
}

// ---- Where

TEST_F(InsertMxScaleAddrTest, InEveryInCoreVariant_A6) {
  for (const FunctionType type :
       {FunctionType::kInCore, FunctionType::kAIC, FunctionType::kAIV}) {
    FunctionBuilder f = InCore("cell", type);
    Mark(f);
    Matmul(f, "c", Left(f), Right(f));
    EXPECT_THAT(Rewritten(f), HasSubstr("matmul_mx(l, ls_bound, r, rs_bound)"));
  }
}

TEST_F(InsertMxScaleAddrTest, OtherFunctionsStay_A20) {
  FunctionBuilder f = InCore("entry", FunctionType::kOrchestration);
  Matmul(f, "c", Left(f), Right(f));
  f.Return({});
  const ir::Program* program = Program(f);
  EXPECT_THAT(Run(InsertMxScaleAddr(), program), IsOkAndHolds(program));
}

TEST_F(InsertMxScaleAddrTest, FunctionsWithoutMxMatmulKeepTheirIdentity) {
  FunctionBuilder with = InCore("a_with");
  Matmul(with, "c", Left(with), Right(with));
  with.Return({});
  FunctionBuilder without = InCore("b_without");
  Left(without);
  without.Return({});
  const ir::Program* program =
      ir::MakeProgram(&ctx, "P", {with.Build(), without.Build()});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after,
                          Run(InsertMxScaleAddr(), program));
  EXPECT_NE(after->functions[0], program->functions[0]);
  EXPECT_EQ(after->functions[1], program->functions[1]);
}

TEST_F(InsertMxScaleAddrTest, BranchesBindOnTheirOwn_A4) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  Mark(f);
  f.BeginIf(ctx.Bool(true));
  Matmul(f, "c", l, r);
  f.BeginElse();
  Matmul(f, "d", l, r);
  f.EndIf();
  EXPECT_EQ(Rewritten(f),
            "if:\n"
            "  ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "  rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "  c:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n"
            "else:\n"
            "  ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "  rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "  d:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n");
}

TEST_F(InsertMxScaleAddrTest, BranchWithoutElse_A5) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  Mark(f);
  f.BeginIf(ctx.Bool(true));
  Matmul(f, "c", l, r);
  f.EndIf();
  EXPECT_EQ(Rewritten(f),
            "if:\n"
            "  ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "  rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "  c:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n");
}

TEST_F(InsertMxScaleAddrTest, CarriedOperandsAreBoundInsideTheLoop_A7) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  const Var* first = Matmul(f, "first", l, r);
  Mark(f);
  f.BeginFor("k", ctx.Index(0), ctx.Index(4), ctx.Index(1),
             {{"acc", first}, {"data", l.data}, {"scale", l.scale}});
  const Var* next =
      MatmulAcc(f, "next", f.iter_arg(0), {f.iter_arg(1), f.iter_arg(2)}, r);
  f.EndFor({next, f.iter_arg(1), f.iter_arg(2)}, {"total", "d", "s"});
  EXPECT_EQ(Rewritten(f),
            "for k, acc:Acc=first, data:Left=l, scale:LeftScale=ls:\n"
            "  scale_bound:LeftScale = tget_scale_addr(scale, data)\n"
            "  rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "  next:Acc = matmul_mx_acc(acc, data, scale_bound, r, rs_bound)\n"
            "  yield next, data, scale\n"
            "-> total:Acc, d:Left, s:LeftScale\n");
}

// ---- Reuse

TEST_F(InsertMxScaleAddrTest, SamePairsAreReused_A2) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  Mark(f);
  const Var* c = Matmul(f, "c", l, r);
  MatmulAcc(f, "d", c, l, r);
  EXPECT_EQ(Rewritten(f),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "c:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n"
            "d:Acc = matmul_mx_acc(c, l, ls_bound, r, rs_bound)\n");
}

TEST_F(InsertMxScaleAddrTest, WithoutReuseEachMatmulBinds_A2) {
  pass_context.options.reuse_scale_bindings = false;
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  Mark(f);
  const Var* c = Matmul(f, "c", l, r);
  MatmulAcc(f, "d", c, l, r);
  EXPECT_EQ(Rewritten(f),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "c:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n"
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "d:Acc = matmul_mx_acc(c, l, ls_bound, r, rs_bound)\n");
}

TEST_F(InsertMxScaleAddrTest, AnotherPairReplacesItsSide_A3) {
  FunctionBuilder f = InCore("cell");
  const Operand l0 = Left(f, "l");
  const Operand l1 = {Left(f, "k").data, l0.scale};
  const Operand r = Right(f);
  Mark(f);
  Matmul(f, "c", l0, r);
  Matmul(f, "d", l1, r);
  Matmul(f, "e", l0, r);
  EXPECT_EQ(Rewritten(f),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "c:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n"
            "ls_bound:LeftScale = tget_scale_addr(ls, k)\n"
            "d:Acc = matmul_mx(k, ls_bound, r, rs_bound)\n"
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "e:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n");
}

// Two matmuls of the same pairs with something between: which sides does the
// second one bind again?
class ForgettingTest : public InsertMxScaleAddrTest {
 protected:
  ForgettingTest() : f_(InCore("cell")), l_(Left(f_)), r_(Right(f_)) {
    mat_t_ = f_.Param("mat_t", Tensor({16, 64}, DataType::kFP8E4M3FN));
    mat_ = Load(f_, "mat", mat_t_, {Target(MemorySpace::kMat)});
    c_ = Matmul(f_, "c", l_, r_);
  }

  // "", "left", "right" or "left right".
  std::string Rebound() {
    Mark(f_);
    Matmul(f_, "d", l_, r_);
    const std::string text = Rewritten(f_);
    std::vector<std::string> sides;
    if (absl::StrContains(text, "(ls, l)")) sides.push_back("left");
    if (absl::StrContains(text, "(rs, r)")) sides.push_back("right");
    return absl::StrJoin(sides, " ");
  }

  FunctionBuilder f_;
  Operand l_;
  Operand r_;
  const Var* mat_t_;
  const Var* mat_;
  const Var* c_;
};

TEST_F(ForgettingTest, NothingBetween) { EXPECT_EQ(Rebound(), ""); }

TEST_F(ForgettingTest, MatLoadKeepsBoth_A13) {
  Load(f_, "again", mat_t_, {Target(MemorySpace::kMat)});
  EXPECT_EQ(Rebound(), "");
}

TEST_F(ForgettingTest, AccStoreKeepsBoth_A14) {
  const Var* dst = f_.Param("dst", Tensor({16, 32}, DataType::kFP32),
                            ir::ParamDirection::kOut);
  f_.AssignOp("s", "tile.store", {c_, List({0, 0}), dst});
  EXPECT_EQ(Rebound(), "");
}

TEST_F(ForgettingTest, ScalarsKeepBoth) {
  f_.Assign("n", ctx.NewBinary(ir::BinaryOp::kAdd, ctx.Index(1), ctx.Index(2)));
  EXPECT_EQ(Rebound(), "");
}

TEST_F(ForgettingTest, AMoveToLeftForgetsLeft_A12) {
  Move(f_, "other", mat_, MemorySpace::kLeft);
  EXPECT_EQ(Rebound(), "left");
}

TEST_F(ForgettingTest, AMoveToRightForgetsRight) {
  Move(f_, "other", mat_, MemorySpace::kRight);
  EXPECT_EQ(Rebound(), "right");
}

TEST_F(ForgettingTest, AnExplicitBindingForgetsItsSide) {
  f_.AssignOp("b", "tile.tget_scale_addr", {r_.scale, r_.data});
  EXPECT_EQ(Rebound(), "right");
}

TEST_F(ForgettingTest, AnAliasForgetsItsSide) {
  f_.Assign("same", l_.scale);
  EXPECT_EQ(Rebound(), "left");
}

TEST_F(ForgettingTest, ATupleForgetsTheSidesOfItsItems) {
  f_.Assign("item", ctx.NewTupleItem(ctx.NewTuple({{c_, r_.data}}), 0));
  EXPECT_EQ(Rebound(), "right");
}

TEST_F(ForgettingTest, ACallForgetsBoth_A15) {
  f_.AssignCall("v", "other", {}, ctx.IndexType());
  EXPECT_EQ(Rebound(), "left right");
}

TEST_F(ForgettingTest, ASubmitForgetsBoth) {
  ir::Submit submit;
  submit.kind = ir::ExprKind::kSubmit;
  submit.callee = ctx.GetFunction("other");
  submit.type = ctx.GetTupleType({ctx.GetScalarType(DataType::kTaskId)});
  f_.Assign("v", ctx.New(submit));
  EXPECT_EQ(Rebound(), "left right");
}

TEST_F(ForgettingTest, AnUnknownOperatorForgetsBoth) {
  f_.AssignOp("v", "some.op", {}, {}, ctx.IndexType());
  EXPECT_EQ(Rebound(), "left right");
}

TEST_F(ForgettingTest, AnIfForgetsBoth_A16) {
  f_.BeginIf(ctx.Bool(true));
  f_.Assign("n", ctx.Index(1));
  f_.EndIf();
  EXPECT_EQ(Rebound(), "left right");
}

TEST_F(InsertMxScaleAddrTest, ALoopIsABoundary_A17) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  Mark(f);
  Matmul(f, "c", l, r);
  f.BeginFor("i", 0, 4, 1);
  Matmul(f, "d", l, r);
  f.EndFor();
  Matmul(f, "e", l, r);
  EXPECT_EQ(Rewritten(f),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "c:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n"
            "for i:\n"
            "  ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "  rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "  d:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n"
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "e:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n");
}

TEST_F(InsertMxScaleAddrTest, ASecondRunAddsAnotherLayer_A8) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  Mark(f);
  Matmul(f, "c", l, r);
  f.Return({});
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* once,
                          Run(InsertMxScaleAddr(), Program(f)));
  EXPECT_EQ(Rewritten(once),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "ls_bound_bound:LeftScale = tget_scale_addr(ls_bound, l)\n"
            "rs_bound_bound:RightScale = tget_scale_addr(rs_bound, r)\n"
            "c:Acc = matmul_mx(l, ls_bound_bound, r, rs_bound_bound)\n");
}

// ---- The injected fault

TEST_F(InsertMxScaleAddrTest, DropsTheLastLeftBinding) {
  pass_context.options.fault = InjectedFault::kDropBinding;
  FunctionBuilder f = InCore("cell");
  const Operand l0 = Left(f, "l");
  const Operand l1 = Left(f, "k");
  const Operand r = Right(f);
  Mark(f);
  Matmul(f, "c", l0, r);
  const Var* d = Matmul(f, "d", l1, r);
  MatmulAcc(f, "e", d, l1, r);
  EXPECT_EQ(Rewritten(f),
            "ls_bound:LeftScale = tget_scale_addr(ls, l)\n"
            "rs_bound:RightScale = tget_scale_addr(rs, r)\n"
            "c:Acc = matmul_mx(l, ls_bound, r, rs_bound)\n"
            "d:Acc = matmul_mx(k, ks, r, rs_bound)\n"
            "e:Acc = matmul_mx_acc(d, k, ks, r, rs_bound)\n");
  EXPECT_THAT(pass_context.findings.bindings, SizeIs(2));
}

TEST_F(InsertMxScaleAddrTest, TheFaultNeedsABinding) {
  pass_context.options.fault = InjectedFault::kDropBinding;
  FunctionBuilder f = InCore("cell");
  f.Return({});
  const ir::Program* program = Program(f);
  EXPECT_THAT(Run(InsertMxScaleAddr(), program), IsOkAndHolds(program));
}

// ---- Refusals

TEST_F(InsertMxScaleAddrTest, OtherTargetsAreRefusedOnce_A9) {
  for (const std::string target : {"a2a3", "none"}) {
    pass_context.options.target = target;
    FunctionBuilder f = InCore("cell");
    const Operand l = Left(f);
    const Operand r = Right(f);
    Matmul(f, "c", l, r);
    Matmul(f, "d", l, r);
    const int before = sink.error_count();
    EXPECT_THAT(Rewritten(f), HasSubstr("INVALID_ARGUMENT"));
    EXPECT_EQ(sink.error_count(), before + 1);
    EXPECT_EQ(
        LastError(),
        absl::StrCat("MX-SCALEADDR-1: tile.matmul_mx is only supported on "
                     "Ascend950 ('a5'), the target is '",
                     target, "'"));
  }
}

TEST_F(InsertMxScaleAddrTest, OtherTargetsDoNotMatterWithoutMxMatmul) {
  pass_context.options.target = "a2a3";
  FunctionBuilder f = InCore("cell");
  f.Return({});
  const ir::Program* program = Program(f);
  EXPECT_THAT(Run(InsertMxScaleAddr(), program), IsOkAndHolds(program));
}

// The pass itself, without the manager, whose property check would refuse
// these programs before it.
class RefusalTest : public InsertMxScaleAddrTest {
 protected:
  std::string Refusal(FunctionBuilder& f) {
    f.Return({});
    const absl::StatusOr<const ir::Program*> after =
        InsertMxScaleAddr().Run(Program(f), pass_context);
    EXPECT_THAT(after, StatusIs(absl::StatusCode::kInvalidArgument, _));
    return LastError();
  }
};

TEST_F(RefusalTest, UnresolvedSpace_A10) {
  FunctionBuilder f = InCore("cell");
  Operand l = Left(f);
  l.scale =
      f.AssignOp("u", "some.op", {}, {}, Tile({16, 2}, DataType::kFP8E8M0));
  Matmul(f, "c", l, Right(f));
  EXPECT_EQ(
      Refusal(f),
      "MX-SCALEADDR-4: tile.matmul_mx has scale 'u' in no memory space and "
      "data 'l' in Left; it takes LeftScale with Left or RightScale with "
      "Right: run infer_tile_memory_space first");
}

TEST_F(RefusalTest, CrossedSides_A19) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  // Of the extents that a left operand has, so that only the space is wrong.
  const Var* crossed =
      f.AssignOp("crossed", "some.op", {}, {},
                 Tile({16, 64}, DataType::kFP8E4M3FN, MemorySpace::kRight));
  Matmul(f, "c", {crossed, l.scale}, r);
  EXPECT_THAT(Refusal(f),
              HasSubstr("scale 'ls' in LeftScale and data 'crossed' in Right"));
}

TEST_F(RefusalTest, ScaleIsNoVariable_A11) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  const ir::Expr* nested =
      ir::MakeOpCall(&ctx, "tile.tget_scale_addr", {{l.scale, l.data}}, {});
  f.AssignOp("c", "tile.matmul_mx", {l.data, nested, r.data, r.scale});
  EXPECT_EQ(Refusal(f),
            "MX-SCALEADDR-3: operand 1 of tile.matmul_mx must be a variable; "
            "assign it to one, or run PyPTO's flatten_call_expr first");
}

TEST_F(RefusalTest, NestedMatmul) {
  FunctionBuilder f = InCore("cell");
  const Operand l = Left(f);
  const Operand r = Right(f);
  const ir::Expr* nested = ir::MakeOpCall(
      &ctx, "tile.matmul_mx", {{l.data, l.scale, r.data, r.scale}}, {});
  f.AssignOp("m", "tile.move", {nested}, {Target(MemorySpace::kVec)});
  EXPECT_THAT(Refusal(f),
              HasSubstr("MX-SCALEADDR-2: tile.matmul_mx is an operand "
                        "of another expression"));
}

TEST_F(RefusalTest, TheBindingsOwnRules) {
  // An FP8E5M2 operand with a type that says so: no deduction stands before it.
  FunctionBuilder f = InCore("cell");
  Operand l = Left(f);
  const Operand r = Right(f);
  l.data = f.AssignOp("e5", "some.op", {}, {},
                      Tile({16, 64}, DataType::kFP8E5M2, MemorySpace::kLeft));
  f.AssignOp("c", "tile.matmul_mx", {l.data, l.scale, r.data, r.scale}, {},
             Tile({16, 32}, DataType::kFP32, MemorySpace::kAcc));
  EXPECT_THAT(Refusal(f), HasSubstr("MX-BIND-2: tile.tget_scale_addr"));
}

TEST_F(InsertMxScaleAddrTest, TheManagerAsksForInferredSpaces) {
  FunctionBuilder f = InCore("cell");
  Operand l = Left(f);
  l.data = f.AssignOp("u", "some.op", {}, {},
                      Tile({16, 64}, DataType::kFP8E4M3FN, MemorySpace::kMat));
  Matmul(f, "c", l, Right(f));
  EXPECT_THAT(Rewritten(f), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(sink.diagnostics().back().notes.back().message,
              HasSubstr("run infer_tile_memory_space first"));
}

}  // namespace
}  // namespace mxtile
