#include "exec/reference/fill_ops.h"

#include <cstdint>
#include <limits>
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
using ::testing::HasSubstr;

// x = [[0 1 2 3], [4 5 6 7]]; stores tile `r`, [2, 4].
template <typename Number>
struct RefRun {
  explicit RefRun(absl::string_view body) {
    const TextProgram program(ProgramText({FunctionText(
        "InCore", "f",
        "x: pl.Tensor[[2, 4], pl.FP32], out: pl.Out[pl.Tensor[[2, 4], "
        "pl.FP32]], n: pl.Scalar[pl.INDEX]",
        absl::StrCat("tx = pl.load(x, [0, 0], [2, 4])\n"
                     "tmp = pl.create_tile([2, 4], dtype=pl.FP32)\n",
                     body, "\nstored = pl.store(r, [0, 0], out)"))}));
    if (program->functions.empty()) return;
    using Backend = ReferenceBackend<Number>;
    const Value out = Backend::MakeTensor({2, 4}, std::vector<double>(8, -77));
    Backend backend(program.context().registry());
    ir::DiagnosticSink sink;
    Interpreter interpreter(*program, &backend, &sink);
    const auto results =
        interpreter.Run(*program->functions[0],
                        {Backend::MakeTensor({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}),
                         out, Value(int64_t{3})});
    if (!results.ok()) {
      error = absl::StrCat(sink.diagnostics()[0].rule_id, " ",
                           sink.diagnostics()[0].message);
    }
    values = Backend::Tensor(out).values;
  }
  std::string error;
  std::vector<Number> values;
};

TEST(FillOpsTest, FullAndCount) {
  EXPECT_THAT(
      RefRun<double>("r = pl.tile.full([2, 4], dtype=pl.FP32, value=0.5)")
          .values,
      ElementsAre(.5, .5, .5, .5, .5, .5, .5, .5));
  EXPECT_THAT(RefRun<double>("c = pl.tile.ci(n, [2, 4], dtype=pl.INT32)\n"
                             "r = pl.cast(c, target_type=pl.FP32)")
                  .values,
              ElementsAre(3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(RefRun<double>(
                  "c = pl.tile.ci(n, [2, 4], dtype=pl.INT32, descending=True)\n"
                  "r = pl.cast(c, target_type=pl.FP32)")
                  .values,
              ElementsAre(3, 2, 1, 0, -1, -2, -3, -4));
}

TEST(FillOpsTest, FloatsCountAsFarAsTheyAreExact) {
  EXPECT_THAT(RefRun<float>("c = pl.tile.ci(16777216, [2, 4], dtype=pl.INT32)\n"
                            "r = pl.cast(c, target_type=pl.FP32)")
                  .error,
              HasSubstr("MX-REF-3 tile.ci beyond 2^24"));
}

TEST(FillOpsTest, PadFillsWhatIsNotValid) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(RefRun<double>("part = pl.load(x, [0, 0], [2, 4], [1, n])\n"
                             "r = pl.fillpad(part, pad_value=pl.PadValue.min)")
                  .values,
              ElementsAre(0, 1, 2, -inf, -inf, -inf, -inf, -inf));
  EXPECT_THAT(RefRun<double>("part = pl.load(x, [0, 0], [2, 4], [2, n])\n"
                             "r = pl.fillpad(part)")
                  .values,
              ElementsAre(0, 1, 2, 0, 4, 5, 6, 0));
  EXPECT_THAT(RefRun<double>("c = pl.tile.ci(0, [2, 4], dtype=pl.INT32)\n"
                             "d = pl.fillpad(c, pad_value=pl.PadValue.max)\n"
                             "r = pl.cast(d, target_type=pl.FP32)")
                  .error,
              HasSubstr("MX-REF-3 tile.fillpad with max"));
}

TEST(FillOpsTest, ReshapeKeepsTheOrder) {
  EXPECT_THAT(RefRun<double>("a = pl.tile.reshape(tx, [4, 2])\n"
                             "b = pl.tile.transpose_view(a)\n"
                             "c = pl.tile.reshape(b, [8, 1])\n"
                             "r = pl.tile.reshape(c, [2, 4])")
                  .values,
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

// cmp_type and which of 0 .. 7 compare so with 3.
TEST(FillOpsTest, ComparisonsAndChoices) {
  const std::vector<std::vector<double>> expected = {
      {0, 0, 0, 1, 0, 0, 0, 0}, {1, 1, 1, 0, 1, 1, 1, 1},
      {1, 1, 1, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 0, 0, 0, 0},
      {0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1, 1, 1}};
  for (int type = 0; type < 6; ++type) {
    const std::string body =
        absl::StrCat("mask = pl.cmp(tx, 3.0, cmp_type=", type,
                     ")\none = pl.tile.full([2, 4], dtype=pl.FP32, value=1.0)\n"
                     "r = pl.sels(mask, one, tmp, 0.0)");
    EXPECT_EQ(RefRun<double>(body).values, expected[type]) << body;
  }
  EXPECT_THAT(
      RefRun<double>("row = pl.load(x, [1, 0], [1, 4])\n"
                     "four = pl.tile.full([2, 4], dtype=pl.FP32, "
                     "value=4.0)\n"
                     "a = pl.cmp(tx, four, cmp_type=5)\n"
                     "b = pl.cmp(tx, row, cmp_type=0)\n"
                     "c = pl.tile.full([2, 4], dtype=pl.FP32, value=1.0)\n"
                     "d = pl.cmp(tx, c, cmp_type=3)\n"
                     "both = pl.tile.and_(a, b)\n"
                     "any = pl.tile.or_(both, d)\n"
                     "r = pl.sel(any, tx, four, tmp)")
          .values,
      ElementsAre(0, 1, 4, 4, 4, 5, 6, 7));
}

TEST(FillOpsTest, AMaskIsNoTileOfNumbers) {
  EXPECT_THAT(
      RefRun<double>("mask = pl.cmp(tx, tx)\nr = pl.tile.adds(tx, 1.0)\n"
                     "u = pl.tile.abs(mask)")
          .error,
      HasSubstr("MX-REF-3 tile.abs with the bits of a mask"));
}

}  // namespace
}  // namespace mxtile::exec
