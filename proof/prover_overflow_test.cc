// What the prover makes of arithmetic that may not fit its type.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/type.h"
#include "proof/certificate.h"
#include "proof/facts.h"
#include "proof/proof_test_util.h"
#include "proof/prover.h"
#include "proof/refusal.h"

namespace mxtile::proof {
namespace {

using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

// What becomes of the root's overflow, and where its exact value lies.
std::string OverflowOf(const ProofResult& result) {
  if (!result.proven()) return Verdict(result);
  const CertificateNode& root = result.certificate().root();
  switch (root.overflow) {
    case Overflow::kIrrelevant:
      return "irrelevant";
    case Overflow::kAssumed:
      return "assumed";
    case Overflow::kDischarged:
      return absl::StrCat(root.exact_range->min, " to ", root.exact_range->max);
  }
  return "?";
}

class OverflowTest : public testing::Test {
 protected:
  const ir::Type* Type(ir::DataType type) {
    return ir_.context().GetScalarType(type);
  }
  const Expr* Int32(int64_t value) {
    return ir_.context().Int(value, ir::DataType::kInt32);
  }
  void Build() {
    ir_.Add(f_);
    facts_.emplace(*ir_.Program());
  }
  std::string Multiple(const Expr* expr, int64_t divisor,
                       ProofOptions options = {}) {
    return OverflowOf(Prover(*facts_, options).ProveMultipleOf(expr, divisor));
  }
  std::string Sign(const Expr* expr, ProofOptions options = {}) {
    return OverflowOf(Prover(*facts_, options).ProveNonNegative(expr));
  }
  static ProofOptions Strict() {
    ProofOptions options;
    options.strict_overflow = true;
    return options;
  }

  TestIr ir_;
  FunctionBuilder f_ = ir_.Function("cell");
  std::optional<ProgramFacts> facts_;
};

TEST_F(OverflowTest, APowerOfTwoSurvivesWrappingAndASignDoesNot) {
  const Var* n = ir_.Param(f_, "n");
  const Var* i = ir_.Loop(f_, ir_.Int(0), n, ir_.Int(1));
  const Expr* scaled = ir_.Mul(i, ir_.Int(16));
  const Expr* tripled = ir_.Mul(i, ir_.Int(3));
  const Expr* half = ir_.Div(i, ir_.Int(2));
  Build();
  EXPECT_EQ(Multiple(scaled, 16), "irrelevant");
  EXPECT_EQ(Multiple(scaled, 16, Strict()), "irrelevant");
  EXPECT_EQ(Multiple(tripled, 3), "assumed");
  EXPECT_EQ(Multiple(tripled, 3, Strict()), "kMayOverflow");
  EXPECT_EQ(Sign(scaled), "assumed");
  EXPECT_EQ(Sign(scaled, Strict()), "kMayOverflow");
  EXPECT_EQ(Sign(half, Strict()), "irrelevant");
  EXPECT_EQ(Sign(i, Strict()), "irrelevant");
}

TEST_F(OverflowTest, UnsignedTypesHaveNoSign) {
  const Var* n = f_.Param("n", Type(ir::DataType::kUInt32));
  const Expr* scaled =
      ir_.Mul(ir_.Loop(f_, ir_.Int(0), n, ir_.Int(1)), ir_.Int(16));
  Build();
  EXPECT_EQ(Sign(scaled, Strict()), "irrelevant");
}

// 8 bits hold 0 of every multiple of 512.
TEST_F(OverflowTest, DivisorsBeyondTheWidth) {
  const Var* n = f_.Param("n", Type(ir::DataType::kInt8));
  const Expr* big = ir_.Mul(n, ir_.Int(512));
  Build();
  EXPECT_EQ(Multiple(big, 512), "irrelevant");
}

TEST_F(OverflowTest, RangesDischarge) {
  const Var* i = ir_.Loop(f_, 0, 64, 1);
  const Var* row = ir_.Param(f_, "row");
  const Var* b = ir_.BlockIdx(f_);
  const Expr* scaled = ir_.Mul(i, ir_.Int(16));
  const Expr* tripled = ir_.Mul(i, ir_.Int(3));
  const Expr* with_row = ir_.Add(scaled, row);
  const Expr* of_block = ir_.Mul(b, ir_.Int(16));
  const Expr* huge = ir_.Mul(b, ir_.Int(int64_t{1} << 48));
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(32)});
  ir_.Call(main, "cell", {ir_.Loop(main, 64, 256, 64)});
  ir_.Add(main);
  Build();
  for (const ProofOptions& options : {ProofOptions(), Strict()}) {
    EXPECT_EQ(Sign(scaled, options), "0 to 1008");
    EXPECT_EQ(Multiple(tripled, 3, options), "0 to 189");
    EXPECT_EQ(Sign(with_row, options), "32 to 1200");
    EXPECT_EQ(Sign(of_block, options), "0 to 1048560");
  }
  // 65,535 * 2^48 is beyond 2^63; 72 blocks are not.
  EXPECT_EQ(Sign(huge, Strict()), "kMayOverflow");
  ProofOptions few_blocks = Strict();
  few_blocks.block_limit = 72;
  EXPECT_EQ(Sign(huge, few_blocks),
            absl::StrCat("0 to ", 72 * (int64_t{1} << 48)));
}

TEST_F(OverflowTest, Int32) {
  const Var* i = ir_.Loop(f_, Int32(0), Int32(1 << 20), Int32(1));
  const Expr* fits = ir_.Mul(i, ir_.Int(1 << 10));
  const Expr* wraps = ir_.Mul(i, ir_.Int(1 << 12));
  Build();
  EXPECT_EQ(Sign(fits, Strict()), absl::StrCat("0 to ", ((1 << 20) - 1) << 10));
  EXPECT_EQ(Sign(wraps), "assumed");
  EXPECT_EQ(Sign(wraps, Strict()), "kMayOverflow");
  EXPECT_EQ(Multiple(wraps, 1 << 12, Strict()), "irrelevant");
}

TEST_F(OverflowTest, Conversions) {
  const Var* i = ir_.Loop(f_, 0, 4, 1);
  const Expr* scaled = ir_.Mul(i, ir_.Int(100));
  const Var* narrow = f_.Assign("n", scaled, Type(ir::DataType::kInt8));
  const Var* small = f_.Assign("s", i, Type(ir::DataType::kInt32));
  const Var* three =
      f_.Assign("t", ir_.Mul(i, ir_.Int(3)), Type(ir::DataType::kUInt8));
  const Var* p = f_.Param("p", Type(ir::DataType::kInt8));
  FunctionBuilder main = ir_.Function("main");
  ir_.Call(main, "cell", {ir_.Int(16)});
  ir_.Call(main, "cell", {ir_.Loop(main, 0, 256, 128)});
  ir_.Add(main);
  Build();
  // Storing the low 8 bits keeps multiples of 4, but no signs.
  EXPECT_EQ(Multiple(narrow, 4), "irrelevant");
  EXPECT_EQ(Sign(narrow), "assumed");
  EXPECT_EQ(Sign(narrow, Strict()), "kMayOverflow");
  EXPECT_EQ(Sign(small, Strict()), "0 to 3");
  EXPECT_EQ(Multiple(three, 3, Strict()), "0 to 9");
  EXPECT_EQ(Multiple(p, 16), "irrelevant");
  EXPECT_EQ(Sign(p, Strict()), "kMayOverflow");
}

// A comparison or division may bring an operand to its own type first.
TEST_F(OverflowTest, OperandsOfAnotherType) {
  const Var* i = ir_.Loop(f_, Int32(0), Int32(64), Int32(1));
  const Var* n = ir_.Param(f_, "n");
  const Var* wide = ir_.Loop(f_, ir_.Int(0), n, ir_.Int(1));
  const Expr* least = ir_.Min(i, wide);
  const Expr* most = ir_.Max(i, ir_.Int(5));
  const Expr* most_of_wide = ir_.Max(i, wide);
  const Expr* rest = ir_.Mod(i, ir_.Int(int64_t{1} << 31));
  Build();
  ProofOptions extended;
  extended.extended = true;
  ProofOptions strict = Strict();
  strict.extended = true;
  EXPECT_EQ(Sign(least, extended), "assumed");
  EXPECT_EQ(Sign(least, strict), "kMayOverflow");
  EXPECT_EQ(Sign(most, strict), "0 to 63");
  EXPECT_EQ(Sign(most_of_wide, strict), "kMayOverflow");
  EXPECT_EQ(Sign(rest, strict), "kMayOverflow");
}

// Where one factor may overflow, the other may do.
TEST_F(OverflowTest, StrictnessLooksForAnotherWay) {
  const Var* n = ir_.Param(f_, "n");
  const Expr* tripled = ir_.Mul(n, ir_.Int(3));
  const Var* i = ir_.Loop(f_, 0, 4, 1);
  const Expr* product = ir_.Mul(i, ir_.Int(3));
  const Expr* both = ir_.Min(tripled, product);
  Build();
  EXPECT_EQ(Multiple(ir_.Sub(product, tripled), 3, Strict()), "kMayOverflow");
  EXPECT_EQ(Multiple(both, 3, Strict()), "kUnsupportedOperator");
  const ProofResult result =
      Prover(*facts_, Strict()).ProveMultipleOf(tripled, 3);
  EXPECT_EQ(result.refusal().expr, tripled);
  EXPECT_EQ(result.refusal().range, std::nullopt);
}

}  // namespace
}  // namespace mxtile::proof
