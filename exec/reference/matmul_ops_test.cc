#include "exec/reference/matmul_ops.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/interpreter.h"
#include "exec/reference/reference_backend.h"
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

// a [2, 3], b [3, 2], c [2, 2]; stores tile `r`, [rows, 2].
template <typename Number>
struct RefRun {
  RefRun(absl::string_view body, std::vector<double> a, std::vector<double> b,
         int64_t rows = 2) {
    const TextProgram program(ProgramText({FunctionText(
        "InCore", "f",
        absl::StrCat("a: pl.Tensor[[2, 3], pl.FP32], b: pl.Tensor[[3, 2], "
                     "pl.FP32], c: pl.Tensor[[2, 2], pl.FP32], out: "
                     "pl.Out[pl.Tensor[[",
                     rows, ", 2], pl.FP32]], go: pl.Scalar[pl.BOOL]"),
        absl::StrCat("ta = pl.load(a, [0, 0], [2, 3])\n"
                     "tb = pl.load(b, [0, 0], [3, 2])\n"
                     "tc = pl.load(c, [0, 0], [2, 2])\n",
                     body, "\nstored = pl.store(r, [0, 0], out)"))}));
    if (program->functions.empty()) return;
    using Backend = ReferenceBackend<Number>;
    const Value out =
        Backend::MakeTensor({rows, 2}, std::vector<double>(rows * 2, -77));
    Backend backend(program.context().registry());
    ir::DiagnosticSink sink;
    Interpreter interpreter(*program, &backend, &sink);
    const auto results = interpreter.Run(
        *program->functions[0],
        {Backend::MakeTensor({2, 3}, a), Backend::MakeTensor({3, 2}, b),
         Backend::MakeTensor({2, 2}, {100, 200, 300, 400}), out, Value(true)});
    if (!results.ok()) error = sink.diagnostics()[0].message;
    values = Backend::Tensor(out).values;
  }
  std::string error;
  std::vector<Number> values;
};

const std::vector<double> kA = {1, 2, 3, 4, 5, 6};
const std::vector<double> kB = {1, 10, 2, 20, 3, 30};

TEST(MatmulOpsTest, Family) {
  EXPECT_THAT(RefRun<double>("r = pl.matmul(ta, tb)", kA, kB).values,
              ElementsAre(14, 140, 32, 320));
  EXPECT_THAT(RefRun<double>("r = pl.matmul_acc(tc, ta, tb)", kA, kB).values,
              ElementsAre(114, 340, 332, 720));
  EXPECT_THAT(
      RefRun<double>("r = pl.tile.matmul_acc(tc, ta, tb, go)", kA, kB).values,
      ElementsAre(14, 140, 32, 320));
  EXPECT_THAT(RefRun<double>("bias = pl.load(c, [1, 0], [1, 2])\n"
                             "r = pl.matmul_bias(ta, tb, bias)",
                             kA, kB)
                  .values,
              ElementsAre(314, 540, 332, 720));
  EXPECT_THAT(RefRun<double>("row = pl.load(a, [1, 0], [1, 3])\n"
                             "r = pl.tile.gemv(row, tb)",
                             kA, kB, 1)
                  .values,
              ElementsAre(32, 320));
}

// Column 0: (1 + e) (1 - e) + -1: a product of 1 - e^2 rounds to 1. Column 1:
// 2^24 + 1 + -2^24 is 0 in this order.
TEST(MatmulOpsTest, FloatsRoundProductsAndSums) {
  constexpr double kE = 1.0 / (1 << 23);
  constexpr double kBig = 1 << 24;
  const RefRun<float> run("r = pl.matmul(ta, tb)", {1 + kE, -1, 0, 1, 1, 1},
                          {1 - kE, kBig, 1, 1, 0, -kBig});
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.values[0], 0);
  EXPECT_EQ(run.values[3], 0);
  EXPECT_THAT(RefRun<double>("r = pl.matmul(ta, tb)", {1 + kE, -1, 0, 1, 1, 1},
                             {1 - kE, kBig, 1, 1, 0, -kBig})
                  .values[3],
              1);
}

TEST(MatmulOpsTest, OnlyTheValidKCounts) {
  EXPECT_THAT(RefRun<double>("part = pl.load(a, [0, 0], [2, 3], [2, 2])\n"
                             "r = pl.matmul(part, tb)",
                             kA, kB)
                  .values,
              ElementsAre(5, 50, 14, 140));
}

}  // namespace
}  // namespace mxtile::exec
