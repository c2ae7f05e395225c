#include "proof/wrapping.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/goal.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {
namespace {

using ir::DataType;
using ir::Expr;
using ir::FunctionBuilder;

// The 8-bit types, all values.
int Wrapped(int value, DataType type) {
  return type == DataType::kInt8 ? static_cast<int8_t>(value)
                                 : static_cast<uint8_t>(value);
}

std::vector<Goal> Goals() {
  std::vector<Goal> goals = {Goal::NonNegative()};
  for (int divisor = 1; divisor <= 600; ++divisor) {
    goals.push_back(Goal::MultipleOf(divisor));
  }
  return goals;
}

TEST(WrappingTest, AgreesWithAllValuesOf8Bits) {
  for (const DataType type : {DataType::kInt8, DataType::kUInt8}) {
    for (const Goal& goal : Goals()) {
      bool breaks = false;
      for (int exact = -70000; exact <= 70000; ++exact) {
        breaks |= goal.HoldsFor(exact) && !goal.HoldsFor(Wrapped(exact, type));
      }
      EXPECT_EQ(WrappingBreaks(goal, type), breaks)
          << ir::DataTypeName(type) << ", divisor " << goal.divisor;
    }
  }
}

TEST(WrappingTest, Widths) {
  // Of 2^33 nothing is left in 32 bits, and 0 is a multiple of it.
  EXPECT_FALSE(
      WrappingBreaks(Goal::MultipleOf(int64_t{1} << 33), DataType::kInt32));
  EXPECT_FALSE(
      WrappingBreaks(Goal::MultipleOf(int64_t{1} << 62), DataType::kIndex));
  EXPECT_TRUE(WrappingBreaks(Goal::MultipleOf(3), DataType::kIndex));
  EXPECT_TRUE(WrappingBreaks(Goal::NonNegative(), DataType::kIndex));
  EXPECT_FALSE(WrappingBreaks(Goal::NonNegative(), DataType::kUInt64));
}

// Between the 4-bit and 8-bit types, all values.
TEST(WrappingTest, ConversionsAgreeWithAllValues) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const struct {
    DataType type;
    int min;
    int max;
  } types[] = {{DataType::kInt4, -8, 7},
               {DataType::kUInt4, 0, 15},
               {DataType::kInt8, -128, 127},
               {DataType::kUInt8, 0, 255}};
  for (const auto& from : types) {
    for (const auto& to : types) {
      const Expr* source = f.Param("a", ir.context().GetScalarType(from.type));
      const Expr* target = f.Param("b", ir.context().GetScalarType(to.type));
      for (const Goal& goal : Goals()) {
        // Larger divisors leave only 0 of the smaller types.
        if (goal.divisor > 16) continue;
        bool breaks = false;
        for (int value = from.min; value <= from.max; ++value) {
          int held = value;
          const int modulus = to.max - to.min + 1;
          while (held < to.min) held += modulus;
          while (held > to.max) held -= modulus;
          breaks |= goal.HoldsFor(value) && !goal.HoldsFor(held);
        }
        // It may err on one side only.
        const bool said = ConversionBreaks(goal, *source, *target);
        EXPECT_TRUE(said || !breaks)
            << ir::DataTypeName(from.type) << " to "
            << ir::DataTypeName(to.type) << ", divisor " << goal.divisor;
        const bool is_exact = goal.is_sign() || goal.divisor == 3;
        if (is_exact && from.min <= to.min) {
          EXPECT_EQ(said, breaks)
              << ir::DataTypeName(from.type) << " to "
              << ir::DataTypeName(to.type) << ", divisor " << goal.divisor;
        }
      }
    }
  }
}

TEST(WrappingTest, Loops) {
  TestIr ir;
  FunctionBuilder f = ir.Function("cell");
  const auto loop_of = [&](const Expr* start, const Expr* stop,
                           const Expr* step) {
    ir.Loop(f, start, stop, step);
    return ir::CheckedCast<ir::For>(f.Build()->body.back());
  };
  const auto typed = [&](int64_t value) {
    return ir.context().Int(value, DataType::kInt32);
  };
  const Expr* narrow =
      f.Param("n", ir.context().GetScalarType(DataType::kInt32));
  const Expr* wide = ir.Param(f, "m");
  EXPECT_FALSE(LoopMayLeaveType(*loop_of(ir.Int(0), ir.Int(64), ir.Int(1))));
  EXPECT_FALSE(LoopMayLeaveType(*loop_of(ir.Int(0), wide, ir.Int(1))));
  EXPECT_FALSE(LoopMayLeaveType(*loop_of(ir.Int(0), narrow, ir.Int(1))));
  // The variable is INT32.
  EXPECT_TRUE(LoopMayLeaveType(*loop_of(typed(0), wide, ir.Int(1))));
  EXPECT_TRUE(LoopMayLeaveType(
      *loop_of(typed(0), ir.Int(int64_t{1} << 40), ir.Int(1))));
  EXPECT_FALSE(LoopMayLeaveType(*loop_of(typed(0), ir.Int(64), ir.Int(1))));
}

}  // namespace
}  // namespace mxtile::proof
