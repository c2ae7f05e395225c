#include "ir/ops/valid_region.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/ops/op_test_util.h"

namespace mxtile::ir {
namespace {

struct RegionCase {
  std::string name;
  Ints valid;
  Ints offsets;
  Ints extents;
  std::optional<Ints> result;
};

std::ostream& operator<<(std::ostream& out, const RegionCase& c) {
  return out << c.name;
}

Ints Constants(const std::vector<const Expr*>& dims) {
  Ints values;
  for (const Expr* dim : dims) {
    const ConstInt* constant = AsConstInt(dim);
    values.push_back(constant != nullptr ? constant->value : kSymbolic);
  }
  return values;
}

class UnionTest : public ::testing::TestWithParam<RegionCase> {};

TEST_P(UnionTest, UnionWithWritten) {
  OpTester t;
  const RegionCase& c = GetParam();
  const auto grown = UnionWithWritten(
      {t.Shape(c.valid), t.Shape(c.offsets), t.Shape(c.extents)}, t.context());
  ASSERT_EQ(grown.has_value(), c.result.has_value());
  if (grown.has_value()) {
    EXPECT_EQ(Constants(*grown), *c.result);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, UnionTest,
    ::testing::Values(
        RegionCase{"Inside", {32, 64}, {8, 0}, {16, 64}, Ints{32, 64}},
        RegionCase{"Below", {16, 64}, {16, 0}, {16, 64}, Ints{32, 64}},
        RegionCase{"Overlapping", {16, 64}, {8, 0}, {16, 64}, Ints{24, 64}},
        RegionCase{"Beside", {16, 32}, {0, 32}, {16, 32}, Ints{16, 64}},
        RegionCase{"CoversAll", {8, 8}, {0, 0}, {16, 16}, Ints{16, 16}},
        RegionCase{"NothingWritten", {8, 8}, {90, 90}, {0, 16}, Ints{8, 8}},
        RegionCase{"NothingBefore", {0, 64}, {0, 0}, {16, 32}, Ints{16, 32}},
        RegionCase{"NothingBeforeAway", {0, 64}, {8, 0}, {16, 32}, {}},
        RegionCase{"Gap", {16, 64}, {17, 0}, {16, 64}, {}},
        RegionCase{"NarrowerSlab", {16, 64}, {16, 0}, {16, 32}, {}},
        RegionCase{"ShiftedSlab", {16, 64}, {16, 8}, {16, 56}, {}},
        RegionCase{"TwoDimsGrow", {16, 16}, {8, 8}, {16, 16}, {}},
        RegionCase{"SymbolicAppend",
                   {kSymbolic, 64},
                   {kSymbolic, 0},
                   {16, 64},
                   Ints{kSymbolic, 64}},
        RegionCase{"UnknownPlace", {16, 64}, {kSymbolic, 0}, {16, 64}, {}},
        RegionCase{"HugeEnd",
                   {16, 64},
                   {std::numeric_limits<int64_t>::max(), 0},
                   {16, 64},
                   {}}),
    [](const auto& info) { return info.param.name; });

class VisibleTest : public ::testing::TestWithParam<RegionCase> {};

TEST_P(VisibleTest, VisibleThrough) {
  OpTester t;
  const RegionCase& c = GetParam();
  EXPECT_EQ(Constants(VisibleThrough(
                {t.Shape(c.valid), t.Shape(c.offsets), t.Shape(c.extents)},
                t.context())),
            *c.result);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, VisibleTest,
    ::testing::Values(
        RegionCase{"All", {64, 64}, {32, 0}, {32, 64}, Ints{32, 64}},
        RegionCase{"Part", {40, 64}, {32, 0}, {32, 64}, Ints{8, 64}},
        RegionCase{"None", {16, 64}, {32, 0}, {32, 64}, Ints{0, 64}},
        RegionCase{
            "SymbolicValid", {kSymbolic, 64}, {32, 0}, {32, 64}, Ints{32, 64}},
        RegionCase{
            "SymbolicOffset", {16, 64}, {kSymbolic, 0}, {32, 64}, Ints{32, 64}},
        RegionCase{"SymbolicExtent",
                   {16, 64},
                   {0, 0},
                   {kSymbolic, 64},
                   Ints{kSymbolic, 64}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mxtile::ir
