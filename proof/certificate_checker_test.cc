#include "proof/certificate_checker.h"

#include <memory>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "proof/certificate.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/proof_test_util.h"
#include "proof/prover.h"
#include "proof/value_range.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

class CheckerTest : public testing::Test {
 protected:
  // Adds "cell" and proves.
  ProofResult Prove(const Expr* expr, const Goal& goal) {
    ir_.Add(f_);
    program_ = ir_.Program();
    facts_ = std::make_unique<ProgramFacts>(*program_);
    const Prover prover(*facts_, {/*extended=*/true});
    return goal.is_sign() ? prover.ProveNonNegative(expr)
                          : prover.ProveMultipleOf(expr, goal.divisor);
  }
  absl::Status Check(const ProofResult& result,
                     const CertificateCheckOptions& options = {}) {
    return CertificateChecker(*program_, options)
        .Check(result.expr, result.goal, result.certificate());
  }

  TestIr ir_;
  FunctionBuilder f_ = ir_.Function("cell");
  const ir::Program* program_ = nullptr;
  std::unique_ptr<ProgramFacts> facts_;
};

TEST_F(CheckerTest, AcceptsWhatIsProven) {
  const Var* i = ir_.Loop(f_, 0, 64, 1);
  const Expr* offset = ir_.Mul(i, ir_.Int(16));
  const ProofResult result = Prove(offset, Goal::MultipleOf(16));
  ASSERT_TRUE(result.proven());
  EXPECT_TRUE(Check(result).ok());
}

TEST_F(CheckerTest, ConcludesWhatWasAsked) {
  const Var* i = ir_.Loop(f_, 0, 64, 16);
  const ProofResult result = Prove(i, Goal::MultipleOf(16));
  const CertificateChecker checker(*program_);
  const Certificate& certificate = result.certificate();
  EXPECT_TRUE(checker.Check(i, Goal::MultipleOf(16), certificate).ok());
  EXPECT_FALSE(checker.Check(i, Goal::MultipleOf(8), certificate).ok());
  EXPECT_FALSE(checker.Check(i, Goal::NonNegative(), certificate).ok());
  EXPECT_FALSE(
      checker.Check(ir_.Int(16), Goal::MultipleOf(16), certificate).ok());
  EXPECT_FALSE(checker.Check(i, Goal::MultipleOf(16), {}).ok());
}

TEST_F(CheckerTest, NamesTheNode) {
  const Var* i = ir_.Loop(f_, 0, 64, 1);
  ProofResult result = Prove(ir_.Mul(i, ir_.Int(16)), Goal::MultipleOf(16));
  Certificate wrong = result.certificate();
  wrong.nodes[1].rule = Rule::kSum;
  const absl::Status status =
      CertificateChecker(*program_).Check(result.expr, result.goal, wrong);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "node 1 does not follow by MX-PROOF-3");
}

// The callers are found in the program, whatever the certificate lists.
TEST_F(CheckerTest, FindsTheCallerThatTheListLeavesOut) {
  const Var* row = ir_.Param(f_, "row");
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(16)});
  ir_.Add(main);
  const ProofResult result = Prove(row, Goal::MultipleOf(16));
  ASSERT_TRUE(Check(result).ok());

  FunctionBuilder other = ir_.Function("other");
  ir_.Call(other, "cell", {ir_.Int(32)});
  ir_.Add(other);
  program_ = ir_.Program();
  EXPECT_FALSE(Check(result).ok());
}

TEST_F(CheckerTest, TheEntryHasAnotherCaller) {
  const Var* row = ir_.Param(f_, "row");
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(16)});
  ir_.Add(main);
  const ProofResult result = Prove(row, Goal::MultipleOf(16));
  CertificateCheckOptions options;
  options.entry = "main";
  EXPECT_TRUE(Check(result, options).ok());
  options.entry = "cell";
  EXPECT_FALSE(Check(result, options).ok());
}

TEST_F(CheckerTest, Assumptions) {
  const Var* n = ir_.Param(f_, "n");
  const Var* i = ir_.Loop(f_, ir_.Int(0), n, ir_.Int(1));
  const ProofResult result =
      Prove(ir_.Mul(i, ir_.Int(16)), Goal::NonNegative());
  ASSERT_TRUE(result.certificate().has_assumptions());
  EXPECT_TRUE(Check(result).ok());
  CertificateCheckOptions strict;
  strict.refuse_assumptions = true;
  EXPECT_FALSE(Check(result, strict).ok());
}

TEST_F(CheckerTest, ComputesRangesAnew) {
  const Var* i = ir_.Loop(f_, 0, 64, 1);
  const ProofResult result =
      Prove(ir_.Mul(i, ir_.Int(16)), Goal::NonNegative());
  Certificate certificate = result.certificate();
  CertificateNode& product = certificate.nodes.back();
  ASSERT_EQ(product.overflow, Overflow::kDischarged);
  ASSERT_EQ(product.exact_range, (ValueRange{0, 63 * 16}));
  const CertificateChecker checker(*program_);
  const auto accepts = [&](ValueRange range) {
    product.exact_range = range;
    return checker.Check(result.expr, result.goal, certificate).ok();
  };
  EXPECT_TRUE(accepts({0, 63 * 16}));
  EXPECT_TRUE(accepts({-1, 2000}));  // Weaker, and true.
  EXPECT_FALSE(accepts({0, 63 * 16 - 1}));
  EXPECT_FALSE(accepts({1, 63 * 16}));
}

TEST_F(CheckerTest, BlockLimit) {
  const Expr* offset = ir_.Mul(ir_.BlockIdx(f_), ir_.Int(16));
  const ProofResult result = Prove(offset, Goal::NonNegative());
  EXPECT_EQ(result.certificate().root().exact_range,
            (ValueRange{0, 65535 * 16}));
  CertificateCheckOptions options;
  EXPECT_TRUE(Check(result, options).ok());
  options.block_limit = 65536;
  EXPECT_FALSE(Check(result, options).ok());
}

}  // namespace
}  // namespace mxtile::proof
