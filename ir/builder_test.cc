#include "ir/builder.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

class BuilderTest : public ::testing::Test {
 protected:
  const TensorType* Tensor() {
    TensorType type;
    type.kind = TypeKind::kTensor;
    type.shape = context_.StaticDims({64, 64});
    return context_.GetTensorType(type);
  }
  const Expr* List(std::initializer_list<int64_t> values) {
    return context_.NewTuple(context_.StaticDims(values));
  }
  const Expr* Less(const Expr* a, const Expr* b) {
    return context_.NewBinary(BinaryOp::kLt, a, b);
  }
  // The lines of the function's body, after a round trip.
  std::string Body() {
    const std::string text =
        PrintAndReadBack(*MakeProgram(&context_, "P", {f_.Build()}));
    return text.substr(text.find("):\n") + 3);
  }

  Context context_{&StandardOps()};
  FunctionBuilder f_{&context_, "f", FunctionType::kInCore};
  const Var* n_ = f_.Param("n", context_.IndexType());
};

TEST_F(BuilderTest, BuildsSignatures) {
  const Var* out = f_.Param("out", Tensor(), ParamDirection::kOut);
  f_.ReturnType(Tensor());
  f_.FunctionAttr("split", AttrValue::Int(1));
  f_.Return({out});
  EXPECT_EQ(PrintFunction(*f_.Build()),
            "@pl.function(type=pl.FunctionType.InCore, "
            "level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
            "def f(n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[64, 64], "
            "pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:\n"
            "    pl.func_attr({\"split\": 1})\n"
            "    return out\n");
}

TEST_F(BuilderTest, AssignsValuesAndOperators) {
  const Var* x = f_.Param("x", Tensor());
  const Var* y = f_.Assign("y", n_);
  EXPECT_EQ(y->type, n_->type);
  const Var* t = f_.AssignOp(
      "t", "tile.load", {x, List({0, 0}), List({16, 64}), List({16, 64})},
      {{"target_memory", AttrValue::Of(MemorySpace::kVec)}});
  EXPECT_EQ(PrintType(t->type), "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]");
  const Var* u = f_.AssignOp("u", "tile.mystery", {t}, {}, t->type);
  EXPECT_EQ(u->type, t->type);
  f_.Eval(MakeOpCall(&context_, "tile.store", {u, List({0, 0}), x}, {}));
  EXPECT_EQ(Body(),
            "        y: pl.Scalar[pl.INDEX] = n\n"
            "        t: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = "
            "pl.tile.load(x, [0, 0], [16, 64], [16, 64], "
            "target_memory=pl.Mem.Vec)\n"
            "        u: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = "
            "pl.tile.mystery(t)\n"
            "        pl.tile.store(u, [0, 0], x)\n");
}

TEST_F(BuilderTest, NestsLoopsAndBranches) {
  f_.BeginFor("i", n_, context_.Index(64), context_.Index(16),
              {{"a", n_}, {"c", context_.Index(0)}});
  const IterArg* a = f_.iter_arg(0);
  const Var* i = f_.loop_var();
  f_.BeginFor("j", 0, 4, 1);
  EXPECT_NE(f_.loop_var(), i);
  f_.Assign("y", f_.loop_var());
  EXPECT_TRUE(f_.EndFor().empty());
  EXPECT_EQ(f_.loop_var(), i);
  f_.BeginIf(Less(i, a));
  EXPECT_EQ(f_.loop_var(), i);  // Of the loop around.
  f_.BeginElse({a});
  const std::vector<const Var*> chosen = f_.EndIf({i}, {"chosen"});
  const std::vector<const Var*> results =
      f_.EndFor({chosen[0], f_.iter_arg(1)}, {"r", "s"});
  f_.BeginIf(Less(n_, results[0]));
  f_.Assign("z", n_);
  f_.EndIf();
  f_.Return({results[1]});
  EXPECT_EQ(Body(),
            "        for i, (a, c) in pl.range(n, 64, 16, init_values=(n, "
            "0)):\n"
            "            for j in pl.range(4):\n"
            "                y: pl.Scalar[pl.INDEX] = j\n"
            "            if i < a:\n"
            "                chosen: pl.Scalar[pl.INDEX] = pl.yield_(a)\n"
            "            else:\n"
            "                chosen: pl.Scalar[pl.INDEX] = pl.yield_(i)\n"
            "            r, s = pl.yield_(chosen, c)\n"
            "        if n < r:\n"
            "            z: pl.Scalar[pl.INDEX] = n\n"
            "        return s\n");
}

TEST_F(BuilderTest, TheLoopVariableHasTheTypeOfTheOddBound) {
  const Type* int32 = context_.GetScalarType(DataType::kInt32);
  const Expr* i32 = context_.NewVar("i32", int32);
  const Expr* zero = context_.Index(0);
  EXPECT_EQ(LoopVarType(zero, zero, zero), context_.IndexType());
  EXPECT_EQ(LoopVarType(i32, zero, zero), int32);
  EXPECT_EQ(LoopVarType(zero, i32, zero), int32);
  EXPECT_EQ(LoopVarType(zero, zero, i32), int32);
  f_.BeginFor("i", zero, i32, context_.Index(1));
  EXPECT_EQ(f_.loop_var()->type, int32);
  f_.EndFor();
}

TEST_F(BuilderTest, CallsFunctions) {
  FunctionBuilder g(&context_, "g", FunctionType::kOpaque);
  const Var* m = g.Param("m", context_.IndexType());
  g.AssignCall("r", "f", {m}, context_.GetTupleType({}));
  f_.Return({});
  const Program* program = MakeProgram(&context_, "P", {g.Build(), f_.Build()});
  EXPECT_EQ(program->functions[0]->name, "f");  // By name.
  EXPECT_EQ(program->functions[1]->name, "g");
  EXPECT_EQ(program->Find("g"), program->functions[1]);
  EXPECT_EQ(program->Find("h"), nullptr);
  const Call* call = CheckedCast<Call>(
      CheckedCast<Assign>(program->Find("g")->body[0])->value);
  EXPECT_TRUE(call->callee->is_function);
  PrintAndReadBack(*program);
}

TEST_F(BuilderTest, ProgramsHaveDynamicDims) {
  const std::vector<const Var*> dims = {
      context_.NewVar("M", context_.IndexType())};
  const Program* program = MakeProgram(&context_, "P", {f_.Build()}, dims);
  EXPECT_THAT(program->dynamic_dims, ElementsAre(dims[0]));
  PrintAndReadBack(*program);
}

using BuilderDeathTest = BuilderTest;

TEST_F(BuilderDeathTest, ChecksThatBlocksAreClosed) {
  f_.BeginFor("i", 0, 4, 1);
  EXPECT_DEATH(f_.Build(), "a loop or if is still open");
  EXPECT_DEATH(f_.BeginElse(), "no open if");
  EXPECT_DEATH(f_.EndIf(), "no open if");
  f_.EndFor();
  EXPECT_DEATH(f_.EndFor(), "no open loop");
  EXPECT_DEATH(f_.loop_var(), "no open loop");
}

TEST_F(BuilderDeathTest, ChecksResults) {
  f_.BeginFor("i", 0, 4, 1);
  EXPECT_DEATH(f_.EndFor({n_}, {}), "one name a yielded value");
  EXPECT_DEATH(f_.AssignOp("y", "tile.mystery", {}), "needs a type");
  EXPECT_DEATH(f_.AssignOp("y", "tile.load", {n_}), "takes 3 to 4 arguments");
}

}  // namespace
}  // namespace mxtile::ir
