#include "exec/reference/elementwise_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/interpreter.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_backend.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

constexpr int64_t kRows = 3;
constexpr int64_t kCols = 4;

// Element (r, c) of x, and of y.
double X(int64_t r, int64_t c) { return 0.25 + 1.5 * r + 0.75 * c * c; }
double Y(int64_t r, int64_t c) { return 2.5 - 0.5 * r * c + c; }

template <typename Number>
struct RefRun {
  // Stores tile `r`, [rows, cols], that the body makes of tx and ty.
  RefRun(absl::string_view body, int64_t rows, int64_t cols) {
    const TextProgram program(ProgramText({FunctionText(
        "InCore", "f",
        absl::StrCat("x: pl.Tensor[[3, 4], pl.FP32], y: pl.Tensor[[3, 4], "
                     "pl.FP32], out: pl.Out[pl.Tensor[[",
                     rows, ", ", cols, "], pl.FP32]]"),
        absl::StrCat("tx = pl.load(x, [0, 0], [3, 4])\n"
                     "ty = pl.load(y, [0, 0], [3, 4])\n"
                     "tmp = pl.create_tile([3, 4], dtype=pl.FP32)\n",
                     body, "\nstored = pl.store(r, [0, 0], out)"))}));
    if (program->functions.empty()) return;
    using Backend = ReferenceBackend<Number>;
    std::vector<double> xs, ys;
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < kCols; ++c) {
        xs.push_back(X(r, c));
        ys.push_back(Y(r, c));
      }
    }
    const Value out = Backend::MakeTensor(
        {rows, cols}, std::vector<double>(rows * cols, -77.0));
    Backend backend(program.context().registry());
    ir::DiagnosticSink sink;
    Interpreter interpreter(*program, &backend, &sink);
    const auto results = interpreter.Run(
        *program->functions[0], {Backend::MakeTensor({kRows, kCols}, xs),
                                 Backend::MakeTensor({kRows, kCols}, ys), out});
    if (!results.ok()) {
      error = absl::StrCat(sink.diagnostics()[0].rule_id, " ",
                           sink.diagnostics()[0].message);
    }
    values = Backend::Tensor(out).values;
  }

  std::string error;
  std::vector<Number> values;
};

std::vector<double> Matrix(
    int64_t rows, int64_t cols,
    const std::function<double(int64_t, int64_t)>& element) {
  std::vector<double> values;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) values.push_back(element(r, c));
  }
  return values;
}

struct Case {
  std::string name;
  std::string body;
  int64_t rows;
  int64_t cols;
  std::function<double(int64_t, int64_t)> expected;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class ElementwiseTest : public TestWithParam<Case> {};

TEST_P(ElementwiseTest, EqualsTheFormula) {
  const Case& c = GetParam();
  const RefRun<double> run(c.body, c.rows, c.cols);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.values, Matrix(c.rows, c.cols, c.expected));
}

// Row 1 of y as a row, column 1 of x as a column.
constexpr absl::string_view kRowOfY =
    "row = pl.load(y, [1, 0], [1, 4])\n"
    "col = pl.load(x, [0, 1], [3, 1])\n";

INSTANTIATE_TEST_SUITE_P(
    Operators, ElementwiseTest,
    ValuesIn(std::vector<Case>{
        {"exp", "r = pl.exp(tx)", 3, 4,
         [](auto r, auto c) { return std::exp(X(r, c)); }},
        {"neg", "r = pl.neg(tx)", 3, 4,
         [](auto r, auto c) { return -X(r, c); }},
        {"abs", "n = pl.neg(tx)\nr = pl.abs(n)", 3, 4, X},
        {"relu", "r = pl.relu(ty)", 3, 4,
         [](auto r, auto c) { return std::max(Y(r, c), 0.0); }},
        {"recip", "r = pl.recip(tx)", 3, 4,
         [](auto r, auto c) { return 1 / X(r, c); }},
        {"rsqrt", "r = pl.rsqrt(tx)", 3, 4,
         [](auto r, auto c) { return 1 / std::sqrt(X(r, c)); }},
        {"log", "r = pl.log(tx)", 3, 4,
         [](auto r, auto c) { return std::log(X(r, c)); }},
        {"add", "r = pl.add(tx, ty)", 3, 4,
         [](auto r, auto c) { return X(r, c) + Y(r, c); }},
        {"sub", "r = pl.sub(tx, ty)", 3, 4,
         [](auto r, auto c) { return X(r, c) - Y(r, c); }},
        {"mul", "r = pl.mul(tx, ty)", 3, 4,
         [](auto r, auto c) { return X(r, c) * Y(r, c); }},
        {"div", "r = pl.div(ty, tx)", 3, 4,
         [](auto r, auto c) { return Y(r, c) / X(r, c); }},
        {"maximum", "r = pl.maximum(tx, ty)", 3, 4,
         [](auto r, auto c) { return std::max(X(r, c), Y(r, c)); }},
        {"minimum", "r = pl.minimum(tx, ty)", 3, 4,
         [](auto r, auto c) { return std::min(X(r, c), Y(r, c)); }},
        {"muls", "r = pl.mul(tx, 3.0)", 3, 4,
         [](auto r, auto c) { return X(r, c) * 3; }},
        {"adds", "r = pl.add(tx, -0.5)", 3, 4,
         [](auto r, auto c) { return X(r, c) - 0.5; }},
        {"row_max", "r = pl.row_max(ty, tmp)", 3, 1,
         [](auto r, auto) {
           return std::max(std::max(Y(r, 0), Y(r, 1)),
                           std::max(Y(r, 2), Y(r, 3)));
         }},
        {"row_sum", "r = pl.row_sum(tx, tmp)", 3, 1,
         [](auto r, auto) { return X(r, 0) + X(r, 1) + X(r, 2) + X(r, 3); }},
        {"col_min", "r = pl.col_min(ty)", 1, 4,
         [](auto, auto c) {
           return std::min(std::min(Y(0, c), Y(1, c)), Y(2, c));
         }},
        {"row_expand_sub",
         absl::StrCat(kRowOfY, "r = pl.row_expand_sub(ty, col)"), 3, 4,
         [](auto r, auto c) { return Y(r, c) - X(r, 1); }},
        {"col_expand_mul",
         absl::StrCat(kRowOfY, "r = pl.col_expand_mul(tx, row)"), 3, 4,
         [](auto r, auto c) { return X(r, c) * Y(1, c); }},
        {"row_expand", absl::StrCat(kRowOfY, "r = pl.row_expand(tmp, col)"), 3,
         4, [](auto r, auto) { return X(r, 1); }},
        // 0.1 = 0x3DCCCCCD; as a bfloat 0x3DCD.
        {"cast",
         "t = pl.mul(tx, 0.0)\n"
         "a = pl.add(t, 0.1)\n"
         "h = pl.cast(a, target_type=pl.BF16, mode=\"rint\")\n"
         "r = pl.cast(h, target_type=pl.FP32)",
         3, 4, [](auto, auto) { return 0x1.9Ap-4; }},
    }),
    [](const TestParamInfo<Case>& info) { return info.param.name; });

TEST(ElementwiseTrackedTest, MagnitudesOfADifferenceAdd) {
  const RefRun<Tracked> run("r = pl.sub(tx, ty)", 3, 4);
  EXPECT_EQ(run.error, "");
  for (int64_t i = 0; i < kRows * kCols; ++i) {
    const double x = X(i / kCols, i % kCols);
    const double y = Y(i / kCols, i % kCols);
    EXPECT_EQ(run.values[i].value, x - y);
    EXPECT_EQ(run.values[i].magnitude, std::fabs(x) + std::fabs(y));
  }
}

// A quotient is as far from its exact value as its dividend is.
TEST(ElementwiseTrackedTest, MagnitudesOfAQuotientAreThoseOfTheDividend) {
  const RefRun<Tracked> run("d = pl.sub(tx, ty)\nr = pl.div(d, ty)", 3, 4);
  EXPECT_EQ(run.error, "");
  for (int64_t i = 0; i < kRows * kCols; ++i) {
    const double x = X(i / kCols, i % kCols);
    const double y = Y(i / kCols, i % kCols);
    EXPECT_EQ(run.values[i].value, (x - y) / y);
    EXPECT_EQ(run.values[i].magnitude,
              (std::fabs(x) + std::fabs(y)) / std::fabs(y));
  }
}

TEST(ElementwiseErrorTest, WhatHasNoValue_MX_REF_1) {
  EXPECT_THAT(RefRun<double>("r = pl.exp(tmp)", 3, 4).error,
              StartsWith("MX-REF-1 tile.exp: element [0, 0]"));
}

}  // namespace
}  // namespace mxtile::exec
