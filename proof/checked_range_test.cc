#include "proof/checked_range.h"

#include <cstdint>
#include <optional>

#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "proof/facts.h"
#include "proof/program_index.h"
#include "proof/proof_test_util.h"
#include "proof/random_program_test_util.h"
#include "proof/value_range.h"

namespace mxtile::proof {
namespace {

using ir::DataType;
using ir::Expr;

TEST(CheckedRangeTest, BoundsOfTypes) {
  TestIr ir;
  const auto bounds = [&](DataType type) {
    return BoundsOfType(
        *ir.context().NewVar("v", ir.context().GetScalarType(type)));
  };
  EXPECT_TRUE(bounds(DataType::kInt8)->lo == -128);
  EXPECT_TRUE(bounds(DataType::kInt8)->hi == 127);
  EXPECT_TRUE(bounds(DataType::kUInt64)->lo == 0);
  EXPECT_TRUE(bounds(DataType::kUInt64)->hi == (Wide{1} << 64) - 1);
  EXPECT_FALSE(bounds(DataType::kBool).has_value());
  EXPECT_FALSE(bounds(DataType::kFP32).has_value());
}

// Whatever the prover's ranges discharge, these do.
TEST(CheckedRangeTest, WithinTheProversRanges) {
  constexpr uint64_t kSeed = 7;
  Random random(kSeed);
  int known = 0;
  for (int round = 0; round < 200; ++round) {
    TestIr ir;
    const ir::Program& program = *RandomProgram(&ir, &random);
    const ProgramFacts facts(program);
    const ProgramIndex index(program, "");
    CheckedRanges checked(index, kDefaultBlockLimit);
    for (const ir::Assign* assign : ScalarAssignments(program)) {
      for (const Expr* expr :
           {assign->value, static_cast<const Expr*>(assign->var)}) {
        const std::optional<ValueRange> range =
            RangeFinder(facts).ExactRange(expr);
        if (!range.has_value()) continue;
        ++known;
        EXPECT_TRUE(
            checked.Exact(expr).Within(Interval{range->min, range->max}))
            << assign->var->name << ", seed " << kSeed;
      }
    }
  }
  EXPECT_GT(known, 500);
}

}  // namespace
}  // namespace mxtile::proof
