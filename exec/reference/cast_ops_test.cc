#include "exec/reference/cast_ops.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct CastRun {
  // The values, of type `from`, cast to `to` with these further arguments.
  CastRun(absl::string_view from, absl::string_view to, absl::string_view rest,
          const std::vector<double>& inputs) {
    const auto tensor = [&](absl::string_view type) {
      return absl::StrCat("pl.Tensor[[1, ", inputs.size(), "], pl.", type, "]");
    };
    const ir::TextProgram program(ir::ProgramText({ir::FunctionText(
        "InCore", "f",
        absl::StrCat("x: ", tensor(from), ", out: pl.Out[", tensor(to), "]"),
        absl::StrCat("t = pl.load(x, [0, 0], [1, ", inputs.size(), "])\n",
                     "r = pl.tile.cast(t, target_type=pl.", to, rest, ")\n",
                     "stored = pl.store(r, [0, 0], out)"))}));
    if (program->functions.empty()) return;
    using Backend = ReferenceBackend<double>;
    const auto size = static_cast<int64_t>(inputs.size());
    const Value out =
        Backend::MakeTensor({1, size}, std::vector<double>(size, -77.0));
    Backend backend(program.context().registry());
    ir::DiagnosticSink sink;
    Interpreter interpreter(*program, &backend, &sink);
    const auto results = interpreter.Run(
        *program->functions[0], {Backend::MakeTensor({1, size}, inputs), out});
    if (!results.ok()) {
      error = absl::StrCat(sink.diagnostics()[0].rule_id, " ",
                           sink.diagnostics()[0].message);
    }
    values = Backend::Tensor(out).values;
  }

  std::string error;
  std::vector<double> values;
};

// 2.5 + 2^-20 lies nearer to 3 than to 2, but is 2.5 in BF16, which lies
// between 2 and 3 in FP4, and 2 is the even one.
TEST(CastOpsTest, RoundsInEachStepOfTheChain) {
  const double value = 2.5 + 0x1p-20;
  EXPECT_THAT(CastRun("FP32", "FP4", ", mode=\"rint\"", {value, 6.0}).values,
              ElementsAre(2.0, 6.0));
  EXPECT_THAT(CastRun("FP32", "BF16", ", mode=\"rint\"", {value, 6.0}).values,
              ElementsAre(2.5, 6.0));
  // By way of FP16, which holds 200.25.
  EXPECT_THAT(CastRun("FP32", "UINT8", ", mode=\"ceil\"", {200.25}).values,
              ElementsAre(201.0));
}

TEST(CastOpsTest, ModesToIntegers) {
  const std::vector<double> values = {-2.5, -1.5, -0.5, -0.25,
                                      0.5,  1.5,  2.5,  2.75};
  const auto cast = [&](absl::string_view mode) {
    return CastRun("FP32", "INT32", absl::StrCat(", mode=\"", mode, "\""),
                   values)
        .values;
  };
  EXPECT_THAT(cast("rint"), ElementsAre(-2, -2, 0, 0, 0, 2, 2, 3));
  EXPECT_THAT(cast("round"), ElementsAre(-3, -2, -1, 0, 1, 2, 3, 3));
  EXPECT_THAT(cast("floor"), ElementsAre(-3, -2, -1, -1, 0, 1, 2, 2));
  EXPECT_THAT(cast("ceil"), ElementsAre(-2, -1, 0, 0, 1, 2, 3, 3));
  EXPECT_THAT(cast("trunc"), ElementsAre(-2, -1, 0, 0, 0, 1, 2, 2));
  EXPECT_THAT(cast("odd"), ElementsAre(-3, -1, -1, 0, 1, 1, 3, 3));
  for (const double value :
       CastRun("FP32", "INT32", ", mode=\"rint\"", values).values) {
    EXPECT_FALSE(value == 0 && std::signbit(value));
  }
}

TEST(CastOpsTest, WhatATypeHoldsStaysInAnyMode) {
  for (const char* rest : {"", ", mode=\"none\"", ", mode=\"odd\""}) {
    EXPECT_THAT(CastRun("FP4", "FP8E4M3FN", rest, {-6, -0.5, 1.5, 0}).values,
                ElementsAre(-6, -0.5, 1.5, 0));
    EXPECT_THAT(CastRun("INT64", "UINT8", rest, {0, 255}).values,
                ElementsAre(0, 255));
    EXPECT_THAT(CastRun("INT32", "INT16", rest, {-32768, 32767}).values,
                ElementsAre(-32768, 32767));
  }
}

TEST(CastOpsTest, NearestEvenAndSaturatingToFloatingPoint) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(
      CastRun("FP32", "FP8E4M3FN", ", mode=\"rint\"", {17, 19, 500, -infinity})
          .values,
      ElementsAre(16, 20, 448, -448));
  EXPECT_THAT(CastRun("BF16", "FP32", "", {infinity, 0.5}).values,
              ElementsAre(infinity, 0.5));
}

TEST(CastOpsTest, WhatNoSourceTells_MX_REF_3) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<std::string, CastRun> runs[] = {
      {"0.1 to BF16", {"FP32", "BF16", ", mode=\"round\"", {0.1}}},
      {"0.5 to INT32", {"FP32", "INT32", ", mode=\"none\"", {0.5}}},
      {"32768 to INT16", {"FP32", "INT16", ", mode=\"rint\"", {32768}}},
      {"-1 to UINT8", {"INT16", "UINT8", "", {-1}}},
      {"nan to INT32", {"FP32", "INT32", ", mode=\"rint\"", {nan}}},
      {"1 to HF8", {"FP32", "HF8", ", mode=\"rint\"", {1}}},
  };
  for (const auto& [what, run] : runs) {
    EXPECT_THAT(run.error,
                HasSubstr(absl::StrCat("MX-REF-3 tile.cast: ", what, " ")));
  }
}

}  // namespace
}  // namespace mxtile::exec
