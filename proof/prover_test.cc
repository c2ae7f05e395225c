#include "proof/prover.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "proof/facts.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

constexpr absl::string_view kProven = "proven";

// ---- The conformance cases P1 to P35

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

// ---- The budget

// The chain visits its definitions, the product, i (whose loop does not help)
// and 16.
constexpr int kLongestChain = kProofBudget - 3;

TEST(ProverTest, BudgetIsEnough_P26) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Expr* chain = AliasChain(ir, f, kLongestChain);
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  for (const ProofResult& result : {Prover(facts).ProveMultipleOf(chain, 16),
                                    Prover(facts).ProveNonNegative(chain)}) {
    EXPECT_EQ(Verdict(result), kProven);
    EXPECT_EQ(result.visited, 256);
  }
}

TEST(ProverTest, OneVisitMoreThanTheBudget_P26) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Expr* chain = AliasChain(ir, f, kLongestChain + 1);
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  for (const ProofResult& result : {Prover(facts).ProveMultipleOf(chain, 16),
                                    Prover(facts).ProveNonNegative(chain)}) {
    EXPECT_EQ(Verdict(result), "kBudget");
    EXPECT_EQ(result.visited, 256);
    // The visit that was one too many.
    EXPECT_EQ(result.refusal().expr, ir.Int(16));
    EXPECT_EQ(result.refusal().hops.size(), kLongestChain + 1);
  }
}

TEST(ProverTest, BudgetIsForEachQuestion) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Expr* chain = AliasChain(ir, f, kLongestChain);
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  const Prover prover(facts);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(prover.ProveMultipleOf(chain, 16).proven());
    EXPECT_TRUE(prover.ProveNonNegative(chain).proven());
  }
}

TEST(ProverTest, EveryCallerCounts) {
  for (const int callers : {255, 256}) {
    TestIr ir;
    FunctionBuilder f = ir.Function("cell");
    const Var* p = ir.Param(f, "p");
    ir.Add(f);
    FunctionBuilder main = ir.Function("main");
    for (int n = 0; n < callers; ++n) ir.Call(main, "cell", {ir.Int(16)});
    ir.Add(main);
    const ProgramFacts facts(*ir.Program());
    EXPECT_EQ(Prover(facts).ProveMultipleOf(p, 16).proven(), callers == 255);
  }
}

TEST(ProverTest, HugeSumsExhaustTheBudget) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Expr* left = ir.Int(16);
  const Expr* right = ir.Int(16);
  const Expr* doubled = ir.Int(16);  // 2^100 terms, heavily shared.
  for (int n = 0; n < 100000; ++n) {
    left = ir.Add(left, ir.Int(16));
    right = ir.Add(ir.Int(16), right);
  }
  for (int n = 0; n < 100; ++n) doubled = ir.Add(doubled, doubled);
  for (const Expr* sum : {left, right, doubled}) f.Assign("sum", sum);
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  for (const Expr* sum : {left, right, doubled}) {
    EXPECT_EQ(Verdict(Prover(facts).ProveMultipleOf(sum, 16)), "kBudget");
    EXPECT_EQ(Verdict(Prover(facts).ProveNonNegative(sum)), "kBudget");
  }
}

// ---- What the table of rules says besides

class RuleTest : public testing::Test {
 protected:
  // Of an expression over constants, loops of f_ and so on.
  std::string Multiple(const Expr* expr, int64_t divisor = 16) {
    return Verdict(Prover(Facts()).ProveMultipleOf(expr, divisor));
  }
  std::string Sign(const Expr* expr, bool extended = false) {
    return Verdict(Prover(Facts(), {extended}).ProveNonNegative(expr));
  }
  const ProgramFacts& Facts() {
    if (!facts_.has_value()) {
      ir_.Add(f_);
      facts_.emplace(*ir_.Program());
    }
    return *facts_;
  }

  TestIr ir_;
  FunctionBuilder f_ = ir_.Function("cell");
  std::optional<ProgramFacts> facts_;
};

TEST_F(RuleTest, Constants_MX_PROOF_1) {
  EXPECT_EQ(Multiple(ir_.Int(0)), kProven);
  EXPECT_EQ(Multiple(ir_.Int(-32)), kProven);
  EXPECT_EQ(Multiple(ir_.Int(-8)), "kConstantViolates");
  EXPECT_EQ(Multiple(ir_.Int(3), 3), kProven);
  EXPECT_EQ(Sign(ir_.Int(0)), kProven);
  EXPECT_EQ(Sign(ir_.Int(-1)), "kConstantViolates");
}

TEST_F(RuleTest, FactorsDoNotCombine_MX_PROOF_2) {
  EXPECT_EQ(Multiple(ir_.Mul(ir_.Int(4), ir_.Int(4))), "kConstantViolates");
  EXPECT_EQ(Sign(ir_.Mul(ir_.Int(-4), ir_.Int(-4))), "kConstantViolates");
}

TEST_F(RuleTest, Quotients_MX_PROOF_5) {
  const Var* k = ir_.Loop(f_, 0, 256, 64);
  const Var* n = ir_.Param(f_, "n");
  EXPECT_EQ(Multiple(ir_.Div(k, ir_.Int(1)), 64), kProven);
  EXPECT_EQ(Multiple(ir_.Div(k, n)), "kDivisorNotConstant");
  EXPECT_EQ(Multiple(ir_.Div(k, ir_.Int(0))), "kDivisorNotPositive");
  EXPECT_EQ(Sign(ir_.Div(k, ir_.Int(-2))), "kDivisorNotPositive");
  EXPECT_EQ(Sign(ir_.Div(k, ir_.Int(-2)), true), "kDivisorNotPositive");
  EXPECT_EQ(Sign(ir_.Div(k, ir_.Int(3))), "kNotPowerOfTwo");
  EXPECT_EQ(Sign(ir_.Div(k, ir_.Int(3)), true), kProven);
  // 2^58 * 16 fits, twice as much does not.
  EXPECT_EQ(Multiple(ir_.Div(ir_.Int(0), ir_.Int(int64_t{1} << 58))), kProven);
  EXPECT_EQ(Multiple(ir_.Div(ir_.Int(0), ir_.Int(int64_t{1} << 59))),
            "kOverflow");
}

TEST_F(RuleTest, BlockIndexOnlyThroughAVariable_MX_PROOF_7) {
  const Var* b = ir_.BlockIdx(f_);
  const Var* alias = f_.Assign("alias", b);
  EXPECT_EQ(Sign(b), kProven);
  EXPECT_EQ(Sign(alias), kProven);
  EXPECT_EQ(Multiple(b), "kCallResult");
  EXPECT_EQ(Sign(MakeOpCall(&ir_.context(), "tile.get_block_idx", {}, {})),
            "kCallResult");
}

TEST_F(RuleTest, UnregisteredOperatorsMayBeNegative) {
  const Var* other =
      f_.AssignOp("other", "tile.other", {}, {}, ir_.context().IndexType());
  EXPECT_EQ(Sign(other), "kCallResult");
}

TEST_F(RuleTest, MinMaxAndRemainder_MX_PROOF_10_11_12) {
  const Var* i = ir_.Loop(f_, 0, 64, 16);
  const Var* n = ir_.Param(f_, "n");
  const Expr* zero = ir_.Int(0);
  EXPECT_EQ(Sign(ir_.Min(i, zero)), "kUnsupportedOperator");
  EXPECT_EQ(Sign(ir_.Min(i, zero), true), kProven);
  EXPECT_EQ(Sign(ir_.Min(i, n), true), "kUnknownSource");
  EXPECT_EQ(Sign(ir_.Max(n, zero), true), kProven);
  EXPECT_EQ(Sign(ir_.Max(zero, n), true), kProven);
  EXPECT_EQ(Sign(ir_.Max(n, n), true), "kUnknownSource");
  EXPECT_EQ(Sign(ir_.Mod(i, ir_.Int(3)), true), kProven);
  EXPECT_EQ(Sign(ir_.Mod(i, ir_.Int(0)), true), "kDivisorNotPositive");
  EXPECT_EQ(Sign(ir_.Mod(i, n), true), "kDivisorNotConstant");
  // Divisibility stays as it is.
  const Prover extended(Facts(), {true});
  for (const Expr* expr :
       {ir_.Min(i, zero), ir_.Max(i, zero), ir_.Mod(i, ir_.Int(32))}) {
    EXPECT_EQ(Verdict(extended.ProveMultipleOf(expr, 16)),
              "kUnsupportedOperator");
  }
}

TEST_F(RuleTest, OnlyIntegersAreMultiples) {
  ir::Context& context = ir_.context();
  const Var* half =
      f_.Param("half", context.GetScalarType(ir::DataType::kFP32));
  const Var* tensor = f_.Param("tensor", ir_.TensorType());
  EXPECT_EQ(Multiple(half), "kNotInteger");
  EXPECT_EQ(Multiple(tensor), "kNotInteger");
  EXPECT_EQ(Multiple(context.Bool(true), 1), "kNotInteger");
  // 0.5 * 16 is no multiple of 16, whatever type the product claims.
  EXPECT_EQ(Multiple(ir_.Mul(half, ir_.Int(16))), "kNotInteger");
  EXPECT_EQ(Multiple(ir_.Mul(ir_.Int(16), half)), "kNotInteger");
}

TEST_F(RuleTest, LeavesWithoutARule) {
  ir::Context& context = ir_.context();
  const Var* n = ir_.Param(f_, "n");
  const Var* free = context.NewVar("free", context.IndexType());
  const Expr* item = context.NewTupleItem(
      context.NewTuple(context.ExprList({ir_.Int(16)})), 0);
  EXPECT_EQ(Multiple(free), "kNoFact");
  EXPECT_EQ(Multiple(item), "kTupleItem");
  EXPECT_EQ(Multiple(context.NewUnary(ir::UnaryOp::kNeg, n)),
            "kUnsupportedOperator");
  EXPECT_EQ(Multiple(context.NewBinary(ir::BinaryOp::kShiftL, n, ir_.Int(4))),
            "kUnsupportedOperator");
}

TEST(ProverTest, DynamicDim) {
  TestIr ir;
  const Var* m = ir.context().NewVar("M", ir.context().IndexType());
  const ProgramFacts facts(*ir.Program({m}));
  EXPECT_EQ(Verdict(Prover(facts).ProveNonNegative(m)), "kDynamicDim");
}

TEST(ProverTest, VariablesBoundTwiceAreNotProven) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* v = f.Assign("v", ir.Int(16));
  ir::Assign again;
  again.kind = ir::StmtKind::kAssign;
  again.var = v;
  again.value = ir.Int(7);
  ir::Function function = *f.Build();
  function.body = ir.context().List(
      std::vector<const ir::Stmt*>{function.body[0], ir.context().New(again)});
  ir.Add(ir.context().New(function));
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(Verdict(Prover(facts).ProveMultipleOf(v, 16)), "kRebound");
}

TEST(ProverTest, SubmitThatLeavesAScalarOutIsUnknown) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* p = ir.Param(f, "p");
  const Var* q = ir.Param(f, "q");
  ir.Add(f);
  FunctionBuilder main = ir.Function("main");
  ir.Submit(main, "cell", {ir.Int(16)});
  ir.Submit(main, "cell", {ir.Int(32), ir.Int(64)});
  ir.Add(main);
  const ProgramFacts facts(*ir.Program());
  EXPECT_EQ(Verdict(Prover(facts).ProveMultipleOf(p, 16)), kProven);
  EXPECT_EQ(Verdict(Prover(facts).ProveMultipleOf(q, 16)), "kUnknownSource");
}

TEST(ProverTest, EntryOfTheRunIsUnknown) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* p = ir.Param(f, "p");
  ir.Add(f);
  CallFrom(ir, "main", ir.Int(16));
  const ProgramFacts called(*ir.Program());
  EXPECT_TRUE(Prover(called).ProveMultipleOf(p, 16).proven());
  const ProgramFacts entry(*ir.Program(), {/*entry=*/"cell"});
  EXPECT_EQ(Verdict(Prover(entry).ProveMultipleOf(p, 16)), "kUnknownSource");
}

// ---- Certificates

TEST(CertificateTest, TreeAndFacts) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* k0 = ir.Loop(f, 64, 256, 64, "k0");
  const Var* row = ir.Param(f, "row");
  const Expr* value = ir.Add(ir.Div(k0, ir.Int(32)), row);
  const Var* g = f.Assign("g", value);
  ir.Add(f);
  CallFrom(ir, "main", ir.Int(6));
  const ProgramFacts facts(*ir.Program());

  const ProofResult result = Prover(facts).ProveMultipleOf(g, 2);
  ASSERT_TRUE(result.proven());
  EXPECT_EQ(result.expr, g);
  EXPECT_EQ(result.goal, (Goal{Property::kMultipleOf, 2}));
  EXPECT_EQ(result.visited, 6);
  const std::vector<CertificateNode>& nodes = result.certificate().nodes;
  ASSERT_EQ(nodes.size(), 6);

  EXPECT_EQ(nodes[0].rule, Rule::kLoopVar);
  EXPECT_EQ(nodes[0].goal.divisor, 64);
  EXPECT_EQ(nodes[0].loop, facts.Find(k0)->loop);
  EXPECT_EQ(nodes[0].range->start, 64);
  EXPECT_EQ(nodes[1].rule, Rule::kQuotient);
  EXPECT_EQ(nodes[1].children, std::vector<int>{0});
  EXPECT_EQ(nodes[2].rule, Rule::kConstant);
  EXPECT_EQ(nodes[2].expr, ir.Int(6));
  EXPECT_EQ(nodes[3].rule, Rule::kCallers);
  EXPECT_EQ(nodes[3].children, std::vector<int>{2});
  EXPECT_EQ(nodes[3].function->name, "cell");
  ASSERT_EQ(nodes[3].sources.size(), 1);
  EXPECT_EQ(nodes[3].sources[0].caller->name, "main");
  EXPECT_EQ(nodes[4].rule, Rule::kSum);
  EXPECT_EQ(nodes[4].expr, value);
  EXPECT_EQ(nodes[4].children, (std::vector<int>{1, 3}));
  EXPECT_EQ(nodes[5].rule, Rule::kDefinition);
  EXPECT_EQ(nodes[5].definition->var, g);
  EXPECT_EQ(nodes[5].children, std::vector<int>{4});
}

TEST(CertificateTest, FailedFactorLeavesNoNodes) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  // 16 is proven, then 8 is not: the sum must leave the certificate.
  const Expr* sum = ir.Add(ir.Int(16), ir.Int(8));
  const Expr* product = ir.Mul(sum, ir.Int(32));
  f.Assign("v", product);
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  const ProofResult result = Prover(facts).ProveMultipleOf(product, 16);
  ASSERT_TRUE(result.proven());
  const std::vector<CertificateNode>& nodes = result.certificate().nodes;
  ASSERT_EQ(nodes.size(), 2);
  EXPECT_EQ(nodes[0].expr, ir.Int(32));
  EXPECT_EQ(nodes[1].children, std::vector<int>{0});
}

// ---- Refusals

TEST(RefusalTest, NamesTheCallerChainAndTheValue) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* p = ir.Param(f, "p");
  const Var* v = f.Assign("v", ir.Mul(p, ir.Int(1)));
  ir.Add(f);
  FunctionBuilder middle = ir.Function("middle");
  const Var* q = ir.Param(middle, "q");
  ir.Call(middle, "cell", {q});
  ir.Add(ir.OnLines(middle.Build(), "gemm.py", 20));
  FunctionBuilder main = ir.Function("main");
  ir.Call(main, "middle", {ir.Int(16)});
  ir.Call(main, "middle", {ir.Int(-3)});
  ir.Add(ir.OnLines(main.Build(), "gemm.py", 30));
  const ProgramFacts facts(*ir.Program());

  const ProofResult result = Prover(facts).ProveNonNegative(v);
  const Refusal& refusal = result.refusal();
  EXPECT_EQ(refusal.reason, RefusalReason::kConstantViolates);
  EXPECT_EQ(refusal.expr, ir.Int(-3));
  EXPECT_EQ(refusal.value, -3);
  ASSERT_EQ(refusal.hops.size(), 3);
  EXPECT_EQ(refusal.hops[0].var, v);
  EXPECT_EQ(refusal.hops[0].definition->var, v);
  EXPECT_EQ(refusal.hops[1].var, p);
  EXPECT_EQ(refusal.hops[1].function->name, "cell");
  EXPECT_EQ(refusal.hops[1].source->caller->name, "middle");
  EXPECT_EQ(refusal.hops[1].source->span().line, 20);
  EXPECT_EQ(refusal.hops[2].var, q);
  EXPECT_EQ(refusal.hops[2].source->caller->name, "main");
  EXPECT_EQ(refusal.hops[2].source->span().file, "gemm.py");
  EXPECT_EQ(refusal.hops[2].source->span().line, 31);
}

TEST(RefusalTest, LoopValues) {
  struct {
    int64_t start, stop, step;
    std::optional<int64_t> multiple, sign;
  } const cases[] = {
      {8, 64, 16, 8, std::nullopt},
      {0, 64, 8, 8, std::nullopt},
      {0, 8, 8, std::nullopt, std::nullopt},   // Only 0 is reached.
      {8, 8, 16, std::nullopt, std::nullopt},  // Nothing is.
      {-16, 64, 16, std::nullopt, -16},
      {8, -32, -16, 8, -8},
      {64, 0, -16, std::nullopt, std::nullopt},
  };
  for (const auto& c : cases) {
    TestIr ir;
    FunctionBuilder f = ir.Function("cell");
    const Var* i = ir.Loop(f, c.start, c.stop, c.step);
    ir.Add(f);
    const ProgramFacts facts(*ir.Program());
    const auto value = [](const ProofResult& result) {
      return result.proven() ? std::nullopt : result.refusal().value;
    };
    EXPECT_EQ(value(Prover(facts).ProveMultipleOf(i, 16)), c.multiple)
        << c.start << ", " << c.stop << ", " << c.step;
    EXPECT_EQ(value(Prover(facts).ProveNonNegative(i)), c.sign)
        << c.start << ", " << c.stop << ", " << c.step;
  }
}

TEST(RefusalTest, ConstantFactorIsReported) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const Var* n = ir.Param(f, "n");
  const Expr* left = ir.Mul(ir.Int(8), n);
  const Expr* right = ir.Mul(n, ir.Int(8));
  const Expr* neither = ir.Mul(n, ir.Loop(f, 0, 4, 1));
  ir.Add(f);
  const ProgramFacts facts(*ir.Program());
  const Prover prover(facts);
  EXPECT_EQ(prover.ProveMultipleOf(left, 16).refusal().expr, ir.Int(8));
  EXPECT_EQ(prover.ProveMultipleOf(right, 16).refusal().expr, ir.Int(8));
  EXPECT_EQ(prover.ProveMultipleOf(neither, 16).refusal().expr, n);
}

TEST(RefusalTest, RuleIds) {
  EXPECT_EQ(RuleId(Rule::kConstant), "MX-PROOF-1");
  EXPECT_EQ(RuleId(Rule::kRemainder), "MX-PROOF-12");
}

}  // namespace
}  // namespace mxtile::proof
