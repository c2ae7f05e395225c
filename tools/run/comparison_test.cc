#include "tools/run/comparison.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace mxtile {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(CompareTest, OneElement) {
  const struct {
    double actual;
    double expected;
    double magnitude;
    double absolute;
    double relative;
    double scaled;
  } kCases[] = {
      {1.5, 1.5, 4, 0, 0, 0},
      {3, 2, 4, 1, 0.5, 0.25},
      {2, 3, 4, 1, 1.0 / 3.0, 0.25},
      // Signs.
      {-2, 2, 4, 4, 2, 1},
      {-3, -2, 4, 1, 0.5, 0.25},
      {-0.0, 0.0, 4, 0, 0, 0},
      // Relative errors are of elements that are not 0.
      {1, 0, 4, 1, 0, 0.25},
      // A sum of nothing has no magnitude.
      {0, 0, 0, 0, 0, 0},
      {0.5, 0, 0, 0.5, 0, 0.5},
      // Special values are equal to themselves,
      {kNaN, kNaN, kNaN, 0, 0, 0},
      {kInf, kInf, kInf, 0, 0, 0},
      {-kInf, -kInf, kInf, 0, 0, 0},
      // and missed entirely otherwise.
      {kInf, -kInf, kInf, kInf, kInf, kInf},
      {kNaN, kInf, kInf, kInf, kInf, kInf},
      {kInf, kNaN, kInf, kInf, kInf, kInf},
      {kNaN, 1, 4, kInf, kInf, kInf},
      {1, kNaN, kNaN, kInf, kInf, kInf},
      {1, kInf, kInf, kInf, kInf, kInf},
      {-kInf, 1, 4, kInf, kInf, kInf},
      // Against 0 there is no relative error, however large the miss.
      {kInf, 0, 4, kInf, 0, kInf},
      // An infinite magnitude must not make a finite error vanish.
      {3, 2, kInf, 1, 0.5, 1},
      {3, 2, kNaN, 1, 0.5, 1},
  };
  for (const auto& c : kCases) {
    const Comparison got = Compare({c.actual}, {c.expected}, {c.magnitude});
    SCOPED_TRACE(testing::Message() << c.actual << " against " << c.expected
                                    << ", magnitude " << c.magnitude);
    EXPECT_EQ(got.max_absolute_error, c.absolute);
    EXPECT_EQ(got.max_relative_error, c.relative);
    EXPECT_EQ(got.max_scaled_error, c.scaled);
    EXPECT_EQ(got.worst_index, 0);
  }
}

TEST(CompareTest, NoElements) {
  const Comparison got = Compare({}, {}, {});
  EXPECT_EQ(got.worst_index, -1);
  EXPECT_EQ(got.max_absolute_error, 0);
  EXPECT_EQ(got.max_relative_error, 0);
  EXPECT_EQ(got.max_scaled_error, 0);
}

// Each maximum is one of its own; the worst element is that of the scaled one.
TEST(CompareTest, MaximaAreIndependent) {
  const std::vector<double> expected = {100, 1, 2, 8};
  const std::vector<double> actual = {110, 3, 3, 8};
  const std::vector<double> magnitudes = {1000, 100, 4, 8};
  const Comparison got = Compare(actual, expected, magnitudes);
  EXPECT_EQ(got.max_absolute_error, 10);
  EXPECT_EQ(got.max_relative_error, 2);
  EXPECT_EQ(got.max_scaled_error, 0.25);
  EXPECT_EQ(got.worst_index, 2);
}

TEST(CompareTest, FirstOfTheWorst) {
  EXPECT_EQ(Compare({1, 3, 3}, {1, 2, 2}, {1, 1, 1}).worst_index, 1);
  EXPECT_EQ(Compare({kNaN, 2, kNaN}, {1, 1, 1}, {1, 1, 1}).worst_index, 0);
}

}  // namespace
}  // namespace mxtile
