#include "proof/value_range.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <vector>

#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "proof/facts.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {

void PrintTo(const ValueRange& range, std::ostream* out) {
  *out << range.min << " to " << range.max;
}

namespace {

using ir::DataType;
using ir::Expr;
using ir::FunctionBuilder;
using ir::Var;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(TypeRangeTest, Types) {
  EXPECT_EQ(TypeRange(DataType::kInt8), (ValueRange{-128, 127}));
  EXPECT_EQ(TypeRange(DataType::kUInt8), (ValueRange{0, 255}));
  EXPECT_EQ(TypeRange(DataType::kInt4), (ValueRange{-8, 7}));
  EXPECT_EQ(TypeRange(DataType::kInt32),
            (ValueRange{-(int64_t{1} << 31), (int64_t{1} << 31) - 1}));
  EXPECT_EQ(TypeRange(DataType::kUInt32),
            (ValueRange{0, (int64_t{1} << 32) - 1}));
  EXPECT_EQ(TypeRange(DataType::kIndex), (ValueRange{kMin, kMax}));
  EXPECT_EQ(TypeRange(DataType::kUInt64), std::nullopt);
  EXPECT_EQ(TypeRange(DataType::kBool), std::nullopt);
  EXPECT_EQ(TypeRange(DataType::kFP32), std::nullopt);
}

TEST(TypeRangeTest, Fits) {
  EXPECT_TRUE(FitsType({-128, 127}, DataType::kInt8));
  EXPECT_FALSE(FitsType({0, 128}, DataType::kInt8));
  EXPECT_FALSE(FitsType({-1, 0}, DataType::kUInt8));
  EXPECT_TRUE(FitsType({0, kMax}, DataType::kUInt64));
  EXPECT_FALSE(FitsType({-1, kMax}, DataType::kUInt64));
  EXPECT_FALSE(FitsType({0, 0}, DataType::kFP32));
}

class RangeFinderTest : public testing::Test {
 protected:
  const Var* Param(DataType type) {
    return f_.Param("p", ir_.context().GetScalarType(type));
  }
  void Build() {
    ir_.Add(f_);
    facts_.emplace(*ir_.Program());
  }
  std::optional<ValueRange> Exact(const Expr* expr) {
    return RangeFinder(*facts_).ExactRange(expr);
  }
  std::optional<ValueRange> Held(const Expr* expr) {
    return RangeFinder(*facts_).Range(expr);
  }

  TestIr ir_;
  FunctionBuilder f_ = ir_.Function("cell");
  std::optional<ProgramFacts> facts_;
};

TEST_F(RangeFinderTest, Loops) {
  const Var* up = ir_.Loop(f_, 0, 64, 16);
  const Var* uneven = ir_.Loop(f_, 8, 64, 16);
  const Var* down = ir_.Loop(f_, 64, 0, -16);
  const Var* none = ir_.Loop(f_, 64, 0, 16);
  const Var* n = Param(DataType::kInt8);
  const Var* to_n = ir_.Loop(f_, ir_.Int(0), n, ir_.Int(1));
  const Var* from_n = ir_.Loop(f_, n, ir_.Int(5), ir_.Int(1));
  const Var* by_n = ir_.Loop(f_, ir_.Int(3), ir_.Int(5), n);
  Build();
  EXPECT_EQ(Exact(up), (ValueRange{0, 48}));
  EXPECT_EQ(Exact(uneven), (ValueRange{8, 56}));
  EXPECT_EQ(Exact(down), (ValueRange{1, 64}));
  EXPECT_EQ(Exact(none), (ValueRange{64, 64}));
  EXPECT_EQ(Exact(to_n), (ValueRange{0, 126}));
  EXPECT_EQ(Exact(from_n), (ValueRange{-128, 127}));
  EXPECT_EQ(Exact(by_n), (ValueRange{3, 5}));
}

// Against all values of the operands, at the edges of 8 bits.
TEST_F(RangeFinderTest, OperationsHoldAllResults) {
  struct Bounds {
    int min;
    int max;
  };
  const std::vector<Bounds> all = {{0, 0},    {0, 5},    {-3, 4},  {-7, -2},
                                   {1, 3},    {2, 2},    {-1, -1}, {100, 127},
                                   {-128, 3}, {-128, -1}};
  using ir::BinaryOp;
  int checked = 0;
  for (const Bounds& a : all) {
    for (const Bounds& b : all) {
      TestIr ir;
      FunctionBuilder f = ir.Function("cell");
      const Var* x = ir.Loop(f, a.min, a.max + 1, 1);
      const Var* y = ir.Loop(f, b.min, b.max + 1, 1);
      ir.Add(f);
      const ProgramFacts facts(*ir.Program());
      for (const BinaryOp op :
           {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kMin,
            BinaryOp::kMax, BinaryOp::kFloorDiv, BinaryOp::kFloorMod}) {
        const auto range =
            RangeFinder(facts).Range(ir.context().NewBinary(op, x, y));
        ASSERT_TRUE(range.has_value());
        for (int v = a.min; v <= a.max; ++v) {
          for (int w = b.min; w <= b.max; ++w) {
            std::vector<int> results;
            if (op == BinaryOp::kAdd) results = {v + w};
            if (op == BinaryOp::kSub) results = {v - w};
            if (op == BinaryOp::kMul) results = {v * w};
            if (op == BinaryOp::kMin) results = {v < w ? v : w};
            if (op == BinaryOp::kMax) results = {v < w ? w : v};
            if (op == BinaryOp::kFloorDiv && w != 0) {
              const int down = (v % w != 0 && (v < 0) != (w < 0)) ? 1 : 0;
              results = {v / w, v / w - down};
            }
            if (op == BinaryOp::kFloorMod && w != 0) {
              const int up = (v % w != 0 && (v < 0) != (w < 0)) ? w : 0;
              results = {v % w, v % w + up};
            }
            for (const int result : results) {
              EXPECT_TRUE(range->Contains(result))
                  << v << " and " << w << " give " << result << ", op "
                  << static_cast<int>(op);
              ++checked;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 100000);
}

TEST_F(RangeFinderTest, WhatDoesNotFitWraps) {
  const Var* small = Param(DataType::kInt8);
  const Expr* doubled = ir_.Mul(small, ir_.Int(2));
  const Expr* halved = ir_.Div(doubled, ir_.Int(2));
  const Var* i = ir_.Loop(f_, 0, 64, 1);
  const Expr* huge = ir_.Mul(i, ir_.Int(int64_t{1} << 59));
  Build();
  EXPECT_EQ(Exact(doubled), (ValueRange{-256, 254}));
  EXPECT_EQ(Held(doubled), (ValueRange{-128, 127}));
  EXPECT_EQ(Held(halved), (ValueRange{-64, 63}));
  // 63 * 2^59 is more than 64 bits hold.
  EXPECT_EQ(Exact(huge), std::nullopt);
  EXPECT_EQ(Held(huge), (ValueRange{kMin, kMax}));
}

TEST_F(RangeFinderTest, ConstantsBeyondTheirType) {
  const Expr* constant = ir_.context().Int(-48, DataType::kUInt8);
  Build();
  EXPECT_EQ(Exact(constant), (ValueRange{-48, -48}));
  EXPECT_EQ(Held(constant), (ValueRange{-48, 255}));
}

TEST_F(RangeFinderTest, OperandsOfAnotherType) {
  const Var* small = Param(DataType::kInt8);
  const Var* wide = Param(DataType::kIndex);
  // The result is INT8; an operand beyond it may be brought to INT8 first.
  const Expr* least = ir_.Min(small, wide);
  const Expr* quotient = ir_.Div(small, ir_.Int(200));
  Build();
  EXPECT_EQ(Exact(least), (ValueRange{kMin, kMax}));
  EXPECT_EQ(Held(least), (ValueRange{-128, 127}));
  EXPECT_EQ(Exact(quotient), (ValueRange{-128, 200}));
  EXPECT_EQ(Held(quotient), (ValueRange{-128, 127}));
}

TEST_F(RangeFinderTest, VariablesAndConversions) {
  const Var* i = ir_.Loop(f_, 0, 300, 1);
  const Var* row = f_.Assign("row", ir_.Add(i, ir_.Int(4)));
  const Var* narrow =
      f_.Assign("n", row, ir_.context().GetScalarType(DataType::kUInt8));
  const Expr* cast = ir_.context().NewCast(i, DataType::kInt8);
  const Expr* negative = ir_.context().NewUnary(ir::UnaryOp::kNeg, i);
  const Var* b = ir_.BlockIdx(f_);
  f_.BeginFor("i", ir_.Int(0), ir_.Int(4), ir_.Int(1), {{"at", ir_.Int(0)}});
  const ir::IterArg* at = f_.iter_arg(0);
  f_.EndFor({ir_.Int(1)}, {"end"});
  Build();
  EXPECT_EQ(Held(row), (ValueRange{4, 303}));
  EXPECT_EQ(Exact(narrow), (ValueRange{4, 303}));
  EXPECT_EQ(Held(narrow), (ValueRange{0, 255}));
  EXPECT_EQ(Exact(cast), (ValueRange{0, 299}));
  EXPECT_EQ(Held(cast), (ValueRange{-128, 127}));
  EXPECT_EQ(Held(negative), (ValueRange{-299, 0}));
  EXPECT_EQ(Held(b), (ValueRange{0, 65535}));
  EXPECT_EQ(RangeFinder(*facts_, 72).Range(b), (ValueRange{0, 72}));
  EXPECT_EQ(Exact(at), std::nullopt);
  EXPECT_EQ(Held(at), (ValueRange{kMin, kMax}));
}

TEST_F(RangeFinderTest, Callers) {
  const Var* known = Param(DataType::kIndex);
  const Var* open = Param(DataType::kIndex);
  FunctionBuilder main = ir_.Function("main");
  const Var* q = ir_.Param(main, "q");
  ir_.Call(main, "cell", {ir_.Int(8), ir_.Int(8)});
  ir_.Call(main, "cell", {ir_.Loop(main, 16, 64, 16), q});
  ir_.Add(main);
  Build();
  EXPECT_EQ(Held(known), (ValueRange{8, 48}));
  EXPECT_EQ(Exact(open), (ValueRange{kMin, kMax}));
  EXPECT_EQ(Exact(q), std::nullopt);
}

TEST_F(RangeFinderTest, BudgetEndsTheSearch) {
  const Expr* within = ir_.Int(1);
  for (int n = 0; n < kRangeBudget - 1; ++n) within = f_.Assign("v", within);
  const Var* beyond = f_.Assign("v", within);
  Build();
  EXPECT_EQ(Held(within), (ValueRange{1, 1}));
  EXPECT_EQ(Held(beyond), (ValueRange{kMin, kMax}));
}

TEST_F(RangeFinderTest, SharedExpressionsCountOnce) {
  const Var* one = f_.Assign("one", ir_.Int(1));
  const Expr* sum = one;
  for (int n = 0; n < 60; ++n) sum = ir_.Add(sum, sum);
  Build();
  EXPECT_EQ(Held(sum), (ValueRange{int64_t{1} << 60, int64_t{1} << 60}));
}

}  // namespace
}  // namespace mxtile::proof
