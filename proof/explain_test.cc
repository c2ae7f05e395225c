#include "proof/explain.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "proof/facts.h"
#include "proof/proof_test_util.h"
#include "proof/prover.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

class ExplainTest : public testing::Test {
 protected:
  // Adds "cell" on lines 40 and following.
  void Done() { ir_.Add(ir_.OnLines(f_.Build(), "gemm.py", 40)); }

  std::string Multiple(const Expr* expr, int64_t divisor = 16) {
    const ProgramFacts facts(*ir_.Program());
    return Explain(Prover(facts).ProveMultipleOf(expr, divisor));
  }
  std::string Sign(const Expr* expr) {
    const ProgramFacts facts(*ir_.Program());
    return Explain(Prover(facts).ProveNonNegative(expr));
  }
  std::string Both(const Expr* expr, int64_t divisor = 16) {
    const ProgramFacts facts(*ir_.Program());
    const Prover prover(facts);
    return Explain(prover.ProveMultipleOf(expr, divisor),
                   prover.ProveNonNegative(expr));
  }

  TestIr ir_;
  FunctionBuilder f_ = ir_.Function("cell");
};

TEST_F(ExplainTest, Quotient) {
  const Var* k0 = ir_.Loop(f_, 64, 256, 64, "k0");
  const Expr* offset = ir_.Div(k0, ir_.Int(32));
  Done();
  EXPECT_EQ(Both(offset, 2),
            "k0 // 32: multiple of 2 since k0 = 64 + 64*i (loop at 40) and 64 "
            "is a multiple of 32*2; >= 0 since the loop over k0 starts at 64 "
            "with step 64");
}

TEST_F(ExplainTest, DefinitionAndLoops) {
  const Var* i = ir_.Loop(f_, 32, 64, 16);
  const Var* row = f_.Assign("row", ir_.Add(i, ir_.Int(48)));
  Done();
  EXPECT_EQ(Both(row),
            "row: multiple of 16 since row = i + 48 (line 41), i = 32 + 16*j "
            "(loop at 40), 32 and 16 are multiples of 16 and 48 is a multiple "
            "of 16; >= 0 since row = i + 48 (line 41), the loop over i starts "
            "at 32 with step 16 and 48 >= 0");
}

TEST_F(ExplainTest, ConstantNeedsNoReason) {
  EXPECT_EQ(Both(ir_.Int(32)), "32: multiple of 16; >= 0");
}

TEST_F(ExplainTest, BlockIndex) {
  const Expr* offset = ir_.Mul(ir_.BlockIdx(f_), ir_.Int(16));
  Done();
  EXPECT_EQ(Both(offset),
            "b * 16: multiple of 16 since 16 is a multiple of 16; >= 0 since b "
            "is the result of pl.tile.get_block_idx() and 16 >= 0");
}

TEST_F(ExplainTest, Callers) {
  const Var* row = ir_.Param(f_, "row");
  Done();
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(32)});
  ir_.Call(main, "cell", {ir_.Mul(ir_.Int(16), ir_.BlockIdx(main))});
  ir_.Add(ir_.OnLines(main.Build(), "gemm.py", 10));
  EXPECT_EQ(Multiple(row),
            "row: multiple of 16 since caller 'main' at gemm.py:10 passes 32 "
            "for row, caller 'main' at gemm.py:12 passes 16 * b for row and 16 "
            "is a multiple of 16");
}

TEST_F(ExplainTest, LongProofsAreCut) {
  const Expr* sum = ir_.Int(16);
  for (int n = 2; n < 20; ++n) sum = ir_.Add(sum, ir_.Int(16 * n));
  Done();
  EXPECT_EQ(Sign(sum),
            "... + 144 + 160 + 176 + 192 + 208 + 224 + 240 + 256 + 272...: "
            ">= 0 since 16 >= 0, 32 >= 0, 48 >= 0, 64 >= 0, 80 >= 0, 96 >= 0 "
            "and more of the kind");
}

TEST_F(ExplainTest, RefusedConstant) {
  const Var* row = ir_.Param(f_, "row");
  const Expr* offset = ir_.Add(row, ir_.Int(8));
  Done();
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(16)});
  ir_.Add(main);
  EXPECT_EQ(Both(offset),
            "row + 8: 8 is not a multiple of 16; counterexample: row = 16 when "
            "'main' calls 'cell' gives 24");
}

TEST_F(ExplainTest, RefusedCaller) {
  const Var* row = ir_.Param(f_, "row");
  const Var* g = f_.Assign("g", ir_.Div(row, ir_.Int(2)));
  Done();
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(8)});
  ir_.Add(ir_.OnLines(main.Build(), "gemm.py", 12));
  EXPECT_EQ(Both(row),
            "row: parameter of 'cell'; caller 'main' at gemm.py:12 passes 8, "
            "not a multiple of 16");
  EXPECT_EQ(Multiple(g),
            "g: g = row // 2 (line 40); row is a parameter of 'cell'; caller "
            "'main' at gemm.py:12 passes 8, not a multiple of 32; "
            "counterexample: row = 8 when 'cell' is called at gemm.py:12 gives "
            "4");
}

TEST_F(ExplainTest, RefusedHost) {
  const Var* row = ir_.Param(f_, "row");
  const Expr* offset = ir_.Mul(row, ir_.Int(16));
  Done();
  EXPECT_EQ(Both(row),
            "row: parameter of 'cell', to which the host may pass anything, "
            "not known to be a multiple of 16; counterexample: row = 1 (which "
            "the host may pass)");
  EXPECT_EQ(Both(offset),
            "row * 16: row is a parameter of 'cell', to which the host may "
            "pass anything, not known to be >= 0; counterexample: row = -1 "
            "(which the host may pass) gives -16");
}

TEST_F(ExplainTest, RefusedMalformedAndOmitted) {
  const Var* p = ir_.Param(f_, "p");
  const Var* q = ir_.Param(f_, "q");
  Done();
  FunctionBuilder main = ir_.Function("main");
  ir_.Submit(main, "cell", {ir_.Int(16)});
  ir_.Call(main, "cell", {ir_.Int(16)});
  ir_.Add(ir_.OnLines(main.Build(), "gemm.py", 12));
  EXPECT_EQ(Sign(p),
            "p: parameter of 'cell', which 'main' at gemm.py:13 calls with a "
            "wrong number of arguments, not known to be >= 0");
  EXPECT_EQ(Sign(q),
            "q: parameter of 'cell', which 'main' at gemm.py:12 submits "
            "without this argument, not known to be >= 0");
}

TEST_F(ExplainTest, RefusedLoops) {
  const Var* n = ir_.Param(f_, "n");
  const Var* i = ir_.Loop(f_, 8, 64, 16);
  const Var* down = ir_.Loop(f_, 64, 0, -16, "down");
  const Var* from_n = ir_.Loop(f_, n, ir_.Int(64), ir_.Int(16), "m");
  Done();
  EXPECT_EQ(Both(i),
            "i: i = 8 + 16*j (loop at 40) takes the value 8, not a multiple of "
            "16");
  EXPECT_EQ(Sign(down),
            "down: down = 64 + -16*i (loop at 41) has the step -16, a negative "
            "value");
  EXPECT_EQ(Sign(from_n),
            "m: loop variable without constant start and step (loop at 42), "
            "not known to be >= 0; counterexample: n = -1 (which the host may "
            "pass) and m = -1 (loop at 42)");
}

TEST_F(ExplainTest, RefusedRecursion) {
  const Var* p = ir_.Param(f_, "p");
  ir_.Call(f_, "cell", {p});
  Done();
  EXPECT_EQ(Sign(p),
            "p: parameter of 'cell', which is recursive, not known to be >= 0");
}

TEST_F(ExplainTest, RefusedOperators) {
  const Var* i = ir_.Loop(f_, 0, 64, 16);
  Done();
  EXPECT_EQ(Sign(ir_.Sub(ir_.Int(48), i)),
            "48 - i: subtraction, which may be negative");
  EXPECT_EQ(Multiple(ir_.Add(ir_.Int(16), ir_.Div(i, ir_.Int(3)))),
            "16 + i // 3: i // 3 is a division by no power of two, not known "
            "to be a multiple of 16; counterexample: i = 16 (loop at 40) gives "
            "21");
  EXPECT_EQ(Multiple(ir_.Max(i, ir_.Int(0))),
            "pl.max(i, 0): kind of expression that no rule covers, not known "
            "to be a multiple of 16");
}

TEST_F(ExplainTest, Assumptions) {
  const Var* n = ir_.Param(f_, "n");
  const Var* i = ir_.Loop(f_, ir_.Int(0), n, ir_.Int(1));
  const Expr* scaled = ir_.Mul(i, ir_.Int(16));
  const Expr* offset = ir_.Add(scaled, ir_.Int(32));
  Done();
  EXPECT_EQ(Sign(scaled),
            "i * 16: >= 0 since the loop over i starts at 0 with step 1 and 16 "
            ">= 0, assuming that i * 16 does not overflow INDEX");
  EXPECT_EQ(Sign(offset),
            "i * 16 + 32: >= 0 since the loop over i starts at 0 with step 1, "
            "16 >= 0 and 32 >= 0, assuming that i * 16 does not overflow INDEX "
            "and 1 more values fit their types");
}

TEST_F(ExplainTest, RefusedOverflow) {
  const Var* n = ir_.Param(f_, "n");
  const Var* i = ir_.Loop(f_, ir_.Int(0), n, ir_.Int(1));
  const Expr* scaled = ir_.Mul(i, ir_.Int(16));
  Done();
  const ProgramFacts facts(*ir_.Program());
  ProofOptions strict;
  strict.strict_overflow = true;
  EXPECT_EQ(Explain(Prover(facts, strict).ProveNonNegative(scaled)),
            "i * 16: value that may not fit INDEX, not known to be >= 0; "
            "counterexample: n = 9223372036854775807 (which the host may pass) "
            "and i = 9223372036854775806 (loop at 40) gives -32");
}

TEST_F(ExplainTest, ATree) {
  const Var* row = ir_.Param(f_, "row");
  const Var* i = ir_.Loop(f_, 0, 64, 1);
  const Expr* offset = ir_.Add(ir_.Mul(i, ir_.Int(16)), row);
  Done();
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(32)});
  ir_.Add(ir_.OnLines(main.Build(), "gemm.py", 12));
  const ProgramFacts facts(*ir_.Program());
  const Prover prover(facts);
  EXPECT_EQ(
      ExplainAtLength(prover.ProveNonNegative(offset)),
      "i * 16 + row: >= 0: proven\n"
      "  i * 16 + row >= 0 [MX-PROOF-3]; 32 to 1040 fits INDEX\n"
      "    i * 16 >= 0 [MX-PROOF-2]; 0 to 1008 fits INDEX\n"
      "      i >= 0 [MX-PROOF-6] i = 1*j (loop at 40)\n"
      "      16 >= 0 [MX-PROOF-1]\n"
      "    row >= 0 [MX-PROOF-8] parameter of 'cell'\n"
      "      caller 'main' at gemm.py:12 passes 32: 32 >= 0 [MX-PROOF-1]\n");
  EXPECT_EQ(ExplainAtLength(prover.ProveMultipleOf(row, 64)),
            "row: multiple of 64: not proven\n"
            "  parameter of 'cell'\n"
            "  caller 'main' at gemm.py:12 passes 32, not a multiple of 64\n"
            "  counterexample: row = 32 when 'cell' is called at gemm.py:12\n");
}

TEST_F(ExplainTest, Briefly) {
  const Var* row = ir_.Param(f_, "row");
  const Var* i = ir_.Loop(f_, 0, 64, 1);
  const Expr* offset = ir_.Add(ir_.Mul(i, ir_.Int(16)), row);
  const Expr* of_block = ir_.Mul(ir_.BlockIdx(f_), ir_.Int(16));
  Done();
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(32)});
  ir_.Add(ir_.OnLines(main.Build(), "gemm.py", 12));
  const ProgramFacts facts(*ir_.Program());
  const Prover prover(facts);
  const auto brief = [&](const Expr* expr, int64_t divisor) {
    return ExplainBriefly(prover.ProveMultipleOf(expr, divisor),
                          prover.ProveNonNegative(expr));
  };
  EXPECT_EQ(brief(ir_.Int(32), 16), "constant");
  EXPECT_EQ(brief(offset, 16), "i = 1*j (loop at 40)");
  EXPECT_EQ(brief(of_block, 16), "b = pl.tile.get_block_idx() (line 41)");
  EXPECT_EQ(brief(row, 64),
            "caller 'main' at gemm.py:12 passes 32, not a multiple of 64");
  EXPECT_EQ(brief(offset, 32),
            "16 is not a multiple of 32; counterexample: i = 1 (loop at 40) "
            "and row = 32 when 'cell' is called at gemm.py:12 gives 48");
}

TEST_F(ExplainTest, LongChainsAreCut) {
  const Expr* v = ir_.Int(16);
  for (int n = 0; n < 300; ++n) v = f_.Assign("v", v);
  Done();
  EXPECT_EQ(Sign(v),
            "v: v = v (line 339); v = v (line 338); v = v (line 337); ...; "
            "v = v (line 84); the proof would take more than 256 steps");
}

}  // namespace
}  // namespace mxtile::proof
