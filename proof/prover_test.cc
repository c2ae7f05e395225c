#include "proof/prover.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/facts.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

constexpr absl::string_view kProven = "proven";

// ---- The conformance cases P1 to P35 ----------------------------------------

struct Case {
  std::string name;
  // Builds the body of function "cell", and other functions, and returns the
  // offset in question.
  const Expr* (*build)(TestIr& ir, FunctionBuilder& f);
  // "proven", or the reason of the refusal.
  absl::string_view multiple;
  absl::string_view sign;
  int64_t divisor = 16;
  // The sign with ProofOptions::extended; empty: as without.
  absl::string_view extended_sign = "";
};

// Calls "cell" once from a new function that nobody calls.
void CallFrom(TestIr& ir, absl::string_view caller, const Expr* value) {
  FunctionBuilder f = ir.Function(caller);
  ir.Call(f, "cell", {value});
  ir.Add(f);
}

const Expr* AliasChain(TestIr& ir, FunctionBuilder& f, int definitions) {
  const Expr* v = ir.Mul(ir.Loop(f, 0, 4, 1), ir.Int(16));
  for (int n = 0; n < definitions; ++n) v = f.Assign("v", v);
  return v;
}

const std::vector<Case>& Cases() {
  static const auto& cases = *new std::vector<Case>{
      {"P1",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         return ir.Loop(f, 0, 64, 16);
       },
       kProven, kProven},
      {"P2",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         return ir.Loop(f, 0, 64, 8);
       },
       "kLoopViolates", kProven},
      {"P3",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         return ir.Loop(f, 8, 64, 16);
       },
       "kLoopViolates", kProven},
      {"P4",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         const Var* n = ir.Param(f, "n");
         return ir.Loop(f, n, ir.Int(64), ir.Int(16));
       },
       "kLoopNotConstant", "kLoopNotConstant"},
      {"P5",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Mul(ir.Loop(f, 0, 64, 1), ir.Int(16));
       },
       kProven, kProven},
      {"P6",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Mul(ir.Int(16), ir.Loop(f, 0, 64, 1));
       },
       kProven, kProven},
      {"P7",
       [](TestIr& ir, FunctionBuilder& f) {
         const Var* i =
             ir.Loop(f, ir.Param(f, "n"), ir.Param(f, "m"), ir.Int(1));
         return ir.Mul(i, ir.Int(16));
       },
       kProven, "kLoopNotConstant"},
      {"P8",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Add(ir.Mul(ir.Loop(f, 0, 64, 1), ir.Int(16)), ir.Int(32));
       },
       kProven, kProven},
      {"P9",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Add(ir.Mul(ir.Loop(f, 0, 64, 1), ir.Int(16)), ir.Int(8));
       },
       "kConstantViolates", kProven},
      {"P10",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Sub(ir.Int(48), ir.Mul(ir.Loop(f, 0, 2, 1), ir.Int(16)));
       },
       kProven, "kSubtraction"},
      {"P11",
       [](TestIr& ir, FunctionBuilder& f) {
         const Expr* scaled = ir.Mul(ir.Loop(f, 0, 2, 1), ir.Int(16));
         return ir.Add(ir.Sub(scaled, ir.Int(16)), ir.Int(32));
       },
       kProven, "kSubtraction"},
      {"P12",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Div(ir.Loop(f, 0, 256, 32, "k"), ir.Int(2));
       },
       kProven, kProven},
      {"P13",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Div(ir.Loop(f, 0, 256, 16, "k"), ir.Int(2));
       },
       "kLoopViolates", kProven},
      {"P14",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Div(ir.Loop(f, 0, 256, 48, "k"), ir.Int(3));
       },
       "kNotPowerOfTwo", "kNotPowerOfTwo", 16, kProven},
      {"P15",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Div(ir.Loop(f, 0, 256, 64, "k0"), ir.Int(32));
       },
       kProven, kProven, 2},
      {"P16",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Div(ir.Loop(f, 0, 256, 32, "k0"), ir.Int(32));
       },
       "kLoopViolates", kProven, 2},
      {"P17",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Div(ir.Loop(f, 0, 256, 32, "k"), ir.Int(int64_t{1} << 60));
       },
       "kOverflow", kProven},
      {"P18",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Mul(ir.BlockIdx(f), ir.Int(16));
       },
       kProven, kProven},
      {"P19",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Mul(ir.Mul(ir.Int(-1), ir.Loop(f, 0, 64, 1)), ir.Int(16));
       },
       kProven, "kConstantViolates"},
      {"P20",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         return ir.Loop(f, 64, 0, -16);
       },
       kProven, "kLoopViolates"},
      {"P21",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Max(ir.Mul(ir.Loop(f, 0, 64, 1), ir.Int(16)), ir.Int(0));
       },
       "kUnsupportedOperator", "kUnsupportedOperator", 16, kProven},
      {"P22",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Mul(ir.Mod(ir.Param(f, "x"), ir.Int(2)), ir.Int(512));
       },
       kProven, "kUnsupportedOperator", 16, "kUnknownSource"},
      {"P22DividendNotNegative",
       [](TestIr& ir, FunctionBuilder& f) {
         return ir.Mul(ir.Mod(ir.Loop(f, 0, 64, 1), ir.Int(2)), ir.Int(512));
       },
       kProven, "kUnsupportedOperator", 16, kProven},
      {"P23",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         f.BeginFor("i", ir.Int(0), ir.Int(4), ir.Int(1), {{"at", ir.Int(0)}});
         const ir::IterArg* at = f.iter_arg(0);
         f.EndFor({ir.Add(at, ir.Int(16))}, {"end"});
         return at;
       },
       "kIterArg", "kIterArg"},
      {"P23LoopResult",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         f.BeginFor("i", ir.Int(0), ir.Int(4), ir.Int(1), {{"at", ir.Int(0)}});
         const ir::IterArg* at = f.iter_arg(0);
         return f.EndFor({ir.Add(at, ir.Int(16))}, {"end"})[0];
       },
       "kLoopResult", "kLoopResult"},
      {"P24",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         f.BeginIf(ir.context().Bool(true));
         f.BeginElse({ir.Int(0)});
         return f.EndIf({ir.Int(16)}, {"phi"})[0];
       },
       "kIfResult", "kIfResult"},
      {"P25",
       [](TestIr& ir, FunctionBuilder& f) { return AliasChain(ir, f, 3); },
       kProven, kProven},
      {"P26",
       [](TestIr& ir, FunctionBuilder& f) { return AliasChain(ir, f, 300); },
       "kBudget", "kBudget"},
      {"P27",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         FunctionBuilder caller = ir.Function("caller");
         ir.Call(caller, "cell", {ir.Int(0)});
         ir.Call(caller, "cell", {ir.Int(16)});
         caller.BeginFor("i", 0, 4, 1);
         ir.Call(caller, "cell", {ir.Mul(caller.loop_var(), ir.Int(16))});
         caller.EndFor();
         ir.Add(caller);
         return ir.Param(f, "p");
       },
       kProven, kProven},
      {"P28",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         CallFrom(ir, "good", ir.Int(16));
         FunctionBuilder bad = ir.Function("bad");
         ir.Call(bad, "cell", {ir.Param(bad, "n")});
         ir.Add(bad);
         return ir.Param(f, "p");
       },
       "kUnknownSource", "kUnknownSource"},
      {"P29",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         FunctionBuilder caller = ir.Function("caller");
         ir.Call(caller, "cell", {ir.Int(16)});
         ir.Call(caller, "cell", {ir.Int(16), ir.Int(16)});
         ir.Add(caller);
         return ir.Param(f, "p");
       },
       "kUnknownSource", "kUnknownSource"},
      {"P30",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         const Var* p = ir.Param(f, "p");
         f.Param("out", ir.context().GetMarkerType(ir::TypeKind::kPtr),
                 ir::ParamDirection::kOut);
         FunctionBuilder caller = ir.Function("caller");
         ir.Submit(caller, "cell", {ir.Int(32)});
         ir.Add(caller);
         return p;
       },
       kProven, kProven},
      {"P31",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         FunctionBuilder caller = ir.Function("caller");
         ir.Submit(caller, "cell", {ir.Int(16), ir.Int(16)});
         ir.Add(caller);
         return ir.Param(f, "p");
       },
       "kUnknownSource", "kUnknownSource"},
      {"P32",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         const Var* p = ir.Param(f, "p");
         ir.Call(f, "cell", {p});
         CallFrom(ir, "caller", ir.Int(16));
         return p;
       },
       "kRecursion", "kRecursion"},
      {"P32ConstantArgument",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         ir.Call(f, "cell", {ir.Int(16)});
         CallFrom(ir, "caller", ir.Int(16));
         return ir.Param(f, "p");
       },
       "kRecursion", "kRecursion"},
      {"P33",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         FunctionBuilder middle = ir.Function("middle");
         ir.Call(middle, "cell", {ir.Param(middle, "q")});
         ir.Add(middle);
         FunctionBuilder outer = ir.Function("outer");
         ir.Call(outer, "middle", {ir.Int(48)});
         ir.Add(outer);
         return ir.Param(f, "p");
       },
       kProven, kProven},
      {"P34",
       [](TestIr& ir, FunctionBuilder& f) {
         const Var* n = f.AssignOp("n", "tile.get_block_num", {});
         return ir.Mul(n, ir.Int(16));
       },
       kProven, kProven},
      {"P35",
       [](TestIr& ir, FunctionBuilder& f) {
         const Expr* cast =
             ir.context().NewCast(ir.Loop(f, 0, 64, 1), ir::DataType::kIndex);
         return ir.Mul(cast, ir.Int(16));
       },
       kProven, "kCast"},
      // From the public unit tests.
      {"B7",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         return ir.Param(f, "row_offset");
       },
       "kUnknownSource", "kUnknownSource"},
      {"B8",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         const Var* k0 = ir.Loop(f, 256, 2048, 256, "k0");
         return f.Assign("g", ir.Div(k0, ir.Int(32)));
       },
       kProven, kProven, 2},
      {"B9",
       [](TestIr& ir, FunctionBuilder& f) {
         const Var* row = ir.Param(f, "row");
         FunctionBuilder main = ir.Function("main");
         main.BeginFor("mt", ir.Int(0), ir.Int(2), ir.Int(1), {},
                       ir::LoopKind::kParallel);
         const Var* scaled =
             main.Assign("row", ir.Mul(main.loop_var(), ir.Int(16)));
         ir.Submit(main, "cell", {scaled});
         main.EndFor();
         ir.Add(main);
         return ir.Add(row, ir.Mul(ir.BlockIdx(f), ir.Int(16)));
       },
       kProven, kProven},
      {"B10",
       [](TestIr& ir, FunctionBuilder& f) -> const Expr* {
         CallFrom(ir, "caller0", ir.Int(0));
         CallFrom(ir, "caller1", ir.Int(1));
         return ir.Param(f, "row");
       },
       "kConstantViolates", kProven},
  };
  return cases;
}

class ConformanceTest : public testing::TestWithParam<Case> {};

TEST_P(ConformanceTest, BothQuestions) {
  const Case& c = GetParam();
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Expr* offset = c.build(ir, f);
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());

  const Prover prover(facts);
  EXPECT_EQ(Verdict(prover.ProveMultipleOf(offset, c.divisor)), c.multiple);
  EXPECT_EQ(Verdict(prover.ProveNonNegative(offset)), c.sign);

  const Prover extended(facts, {/*extended=*/true});
  EXPECT_EQ(Verdict(extended.ProveMultipleOf(offset, c.divisor)), c.multiple);
  EXPECT_EQ(Verdict(extended.ProveNonNegative(offset)),
            c.extended_sign.empty() ? c.sign : c.extended_sign);
}

INSTANTIATE_TEST_SUITE_P(Cases, ConformanceTest, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mxtile::proof
