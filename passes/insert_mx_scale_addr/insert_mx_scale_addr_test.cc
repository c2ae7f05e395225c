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

// The numbered cases of the specification are in
// insert_mx_scale_addr_cases_test.cc. Tests show what stands after Mark() in
// the rewritten function.
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

// ---- Reuse

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

TEST_F(ForgettingTest, MatLoadKeepsBoth) {
  Load(f_, "again", mat_t_, {Target(MemorySpace::kMat)});
  EXPECT_EQ(Rebound(), "");
}

TEST_F(ForgettingTest, AccStoreKeepsBoth) {
  const Var* dst = f_.Param("dst", Tensor({16, 32}, DataType::kFP32),
                            ir::ParamDirection::kOut);
  f_.AssignOp("s", "tile.store", {c_, List({0, 0}), dst});
  EXPECT_EQ(Rebound(), "");
}

TEST_F(ForgettingTest, ScalarsKeepBoth) {
  f_.Assign("n", ctx.NewBinary(ir::BinaryOp::kAdd, ctx.Index(1), ctx.Index(2)));
  EXPECT_EQ(Rebound(), "");
}

TEST_F(ForgettingTest, AMoveToLeftForgetsLeft) {
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

TEST_F(ForgettingTest, ACallForgetsBoth) {
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

TEST_F(ForgettingTest, AnIfForgetsBoth) {
  f_.BeginIf(ctx.Bool(true));
  f_.Assign("n", ctx.Index(1));
  f_.EndIf();
  EXPECT_EQ(Rebound(), "left right");
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
