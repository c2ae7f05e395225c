#include "exec/model/estimated_ops.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "exec/interpreter.h"
#include "exec/model/model_backend.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;

constexpr int64_t kRows = 8;
constexpr int64_t kCols = 64;

// An FP32 tile in UB.
std::string Tile(int64_t rows, int64_t cols, int64_t address) {
  return absl::StrCat("pl.Tile[[", rows, ", ", cols,
                      "], pl.FP32, pl.MemRef(\"ub\", ", address, ", ",
                      rows * cols * 4, "), pl.Mem.Vec] = ");
}

struct ModelRun {
  explicit ModelRun(absl::string_view body)
      : program(ProgramText({FunctionText(
            "AIV", "f",
            "x: pl.Tensor[[8, 64], pl.FP32], out: pl.Out[pl.Tensor[[8, 64], "
            "pl.FP32]]",
            body)})),
        backend(program.context().registry()) {}

  // "" or the first diagnostic; `out` are the bytes as floats afterwards.
  std::string Run(const std::vector<float>& x) {
    const ir::Function& f = program.function("f");
    const auto type = [&](int i) -> const ir::TensorType& {
      return *ir::CheckedCast<ir::TensorType>(f.params[i]->type);
    };
    std::vector<uint8_t> bytes(x.size() * sizeof(float));
    std::memcpy(bytes.data(), x.data(), bytes.size());
    const auto in = backend.MakeTensor(type(0), "x", bytes);
    const auto result = backend.CreateTensor(type(1), "out");
    EXPECT_THAT(in, IsOk());
    EXPECT_THAT(result, IsOk());
    ir::DiagnosticSink sink;
    Interpreter interpreter(*program, &backend, &sink);
    if (!interpreter.Run(f, {*in, *result}).ok()) {
      return absl::StrCat(sink.diagnostics()[0].rule_id, " ",
                          sink.diagnostics()[0].message);
    }
    const auto read = backend.ReadTensor(*result);
    EXPECT_THAT(read, IsOk());
    out.resize(read->size() / sizeof(float));
    std::memcpy(out.data(), read->data(), read->size());
    return "";
  }

  TextProgram program;
  ModelBackend backend;
  std::vector<float> out;
};

std::string Load() {
  return absl::StrCat("t: ", Tile(kRows, kCols, 0x200),
                      "pl.tile.load(x, [0, 0], [8, 64], [8, 64], "
                      "target_memory=pl.Mem.Vec)\n");
}

std::vector<float> Ramp() {
  std::vector<float> values(kRows * kCols);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = 0.03125f * static_cast<float>(i % 97) - 1.5f;
  }
  return values;
}

// exp(x - max of the row): what is in UB after each step is an FP32.
TEST(EstimatedOpsTest, ComputesOnTheBytesInUb) {
  ModelRun run(absl::StrCat(
      Load(), "tmp: ", Tile(kRows, kCols, 0xA00),
      "pl.tile.create([8, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n",
      "m: ", Tile(kRows, 1, 0x1200), "pl.tile.row_max(t, tmp)\n",
      "d: ", Tile(kRows, kCols, 0x1400), "pl.tile.row_expand_sub(t, m)\n",
      "e: ", Tile(kRows, kCols, 0x1C00), "pl.tile.exp(d)\n",
      "stored = pl.tile.store(e, [0, 0], out)"));
  const std::vector<float> x = Ramp();
  ASSERT_EQ(run.Run(x), "");
  std::vector<float> expected(x.size());
  for (int64_t r = 0; r < kRows; ++r) {
    float max = x[r * kCols];
    for (int64_t c = 1; c < kCols; ++c) max = std::fmax(max, x[r * kCols + c]);
    for (int64_t c = 0; c < kCols; ++c) {
      const float difference = static_cast<float>(
          static_cast<double>(x[r * kCols + c]) - static_cast<double>(max));
      expected[r * kCols + c] =
          static_cast<float>(std::exp(static_cast<double>(difference)));
    }
  }
  EXPECT_EQ(run.out, expected);
}

TEST(EstimatedOpsTest, CostsAreMarked) {
  ModelRun run(
      absl::StrCat(Load(), "a: ", Tile(kRows, kCols, 0xA00), "pl.tile.exp(t)\n",
                   "b: ", Tile(kRows, kCols, 0x1200), "pl.tile.exp(a)\n",
                   "stored = pl.tile.store(b, [0, 0], out)"));
  ASSERT_EQ(run.Run(Ramp()), "");
  ASSERT_THAT(run.backend.estimated(), ElementsAre(Key("tile.exp")));
  // Of 8 registers of 64 lanes: 8 loads, 8 exps, 8 stores. 24 instructions at
  // two a cycle are slower than 8 of one kind; 23 + 12 to start and drain.
  const EstimatedCost& cost = run.backend.estimated().at("tile.exp");
  EXPECT_EQ(cost.calls, 2);
  EXPECT_EQ(cost.cycles, 2 * (23 + 12 + 12));
  const a5::PipeTimeline& timeline = run.backend.machine().timeline();
  EXPECT_EQ(timeline.stats(a5::Pipe::kV).cycles, cost.cycles);
  int marked = 0;
  for (const a5::TraceEvent& event : timeline.events()) {
    if (event.name == "tile.exp (estimated)") ++marked;
  }
  EXPECT_EQ(marked, 2);
}

TEST(EstimatedOpsTest, ErrorsNameTheOperator) {
  EXPECT_THAT(
      ModelRun(absl::StrCat("t: ", Tile(kRows, kCols, 0x200),
                            "pl.tile.create([8, 64], dtype=pl.FP32, "
                            "target_memory=pl.Mem.Vec)\n",
                            "e: ", Tile(kRows, kCols, 0xA00), "pl.tile.exp(t)"))
          .Run(Ramp()),
      HasSubstr("MX-REF-1 tile.exp: element [0, 0]"));
  EXPECT_THAT(
      ModelRun(absl::StrCat(Load(), "e: ", Tile(kRows, kCols, 253952 - 64),
                            "pl.tile.exp(t)"))
          .Run(Ramp()),
      HasSubstr("tile.exp: result tile Vec"));
}

}  // namespace
}  // namespace mxtile::exec
