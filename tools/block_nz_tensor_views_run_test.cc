// block_nz_tensor_views judged by execution: a blocked program on a tensor in
// its physical order computes what the program did on the logical one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "exec/interpreter.h"
#include "exec/reference/reference_backend.h"
#include "exec/value.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"

namespace mxtile {
namespace {

using Backend = exec::ReferenceBackend<double>;

constexpr int64_t kBatches = 3;
constexpr int64_t kRows = 48;
constexpr int64_t kCols = 64;
constexpr int64_t kFractal = 16;  // Rows, and columns of FP16.

// Each element its own number.
std::vector<double> Logical() {
  std::vector<double> values;
  for (int64_t i = 0; i < kBatches * kRows * kCols; ++i) {
    values.push_back(static_cast<double>(i));
  }
  return values;
}

// Stripes of 16 columns, in them fractals of 16 rows, row by row.
std::vector<double> Physical() {
  std::vector<double> values;
  for (int64_t batch = 0; batch < kBatches; ++batch) {
    for (int64_t stripe = 0; stripe < kCols; stripe += kFractal) {
      for (int64_t row = 0; row < kRows; ++row) {
        for (int64_t col = stripe; col < stripe + kFractal; ++col) {
          values.push_back(
              static_cast<double>((batch * kRows + row) * kCols + col));
        }
      }
    }
  }
  return values;
}

// What `cell` leaves in its output.
std::vector<double> RunCell(const ir::Program& program,
                            const ir::OpRegistry& ops, exec::Value tensor,
                            size_t size) {
  Backend backend(ops);
  ir::DiagnosticSink sink;
  exec::Interpreter interpreter(program, &backend, &sink);
  const int64_t rows = static_cast<int64_t>(size) / kCols;
  const exec::Value out =
      Backend::MakeTensor({rows, kCols}, std::vector<double>(size, -77.0));
  const auto results =
      interpreter.Run(*program.Find("cell"), {std::move(tensor), out});
  if (!results.ok()) {
    ADD_FAILURE() << results.status() << ' ' << sink.diagnostics()[0].message;
  }
  return Backend::Tensor(out).values;
}

struct Case {
  std::string tensor;  // Dims.
  std::vector<int64_t> logical;
  std::string body;
};

const Case kCases[] = {
    {"48, 64",
     {48, 64},
     "for r in pl.range(0, 48, 16):\n"
     "    for c in pl.range(0, 64, 32):\n"
     "        t = pl.tile.load(w, [r, c], [16, 32], [16, 32], "
     "target_memory=pl.Mem.Mat)\n"
     "        v = pl.tile.move(t, target_memory=pl.Mem.Vec)\n"
     "        s = pl.tile.store(v, [r, c], out)"},
    {"48, 64",
     {48, 64},
     "t = pl.tile.load(w, [16, 16], [32, 48], [16, 32], "
     "target_memory=pl.Mem.Mat)\n"
     "v = pl.tile.move(t, target_memory=pl.Mem.Vec)\n"
     "s = pl.tile.store(v, [0, 0], out)"},
    {"3, 48, 64",
     {3, 48, 64},
     "for b in pl.range(3):\n"
     "    t = pl.tile.load(w, [b, 16, 32], [1, 32, 32], [1, 32, 32], "
     "target_memory=pl.Mem.Mat)\n"
     "    v = pl.tile.move(t, target_memory=pl.Mem.Vec)\n"
     "    s = pl.tile.store(v, [b * 32, 0], out)"},
    {"3, 48, 64",
     {3, 48, 64},
     "t = pl.tile.load(w, [1, 0, 16], [2, 48, 48], [2, 48, 48], "
     "target_memory=pl.Mem.Mat)\n"
     "v = pl.tile.move(t, target_memory=pl.Mem.Vec)\n"
     "s = pl.tile.store(v, [0, 0], out)"},
};

TEST(BlockNzTensorViewsRunTest, TheSameElementsAreRead) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.body);
    const ir::TextProgram text(ir::ProgramText({ir::FunctionText(
        "InCore", "cell",
        absl::StrCat("w: pl.Tensor[[", c.tensor,
                     "], pl.FP16, pl.NZ], "
                     "out: pl.Out[pl.Tensor[[144, 64], pl.FP16]]"),
        c.body)}));
    const ir::OpRegistry& ops = text.context().registry();
    ir::DiagnosticSink sink;
    PassContext context;
    context.ir = &text.context();
    context.sink = &sink;
    const absl::StatusOr<const ir::Program*> flat =
        PassManager({FindPass("flatten_tile_nd_to_2d")})
            .Run(text.get(), context);
    ASSERT_TRUE(flat.ok()) << sink.diagnostics()[0].message;
    const absl::StatusOr<const ir::Program*> blocked =
        PassManager({FindPass("block_nz_tensor_views")}).Run(*flat, context);
    ASSERT_TRUE(blocked.ok()) << sink.diagnostics()[0].message;

    const bool is_batched = c.logical.size() == 3;
    const size_t size = (is_batched ? kBatches : 1) * kRows * kCols;
    std::vector<double> logical = Logical();
    std::vector<double> physical = Physical();
    logical.resize(size);
    physical.resize(size);
    constexpr size_t kOut = 144 * 64;
    const std::vector<double> want =
        RunCell(*text, ops, Backend::MakeTensor(c.logical, logical), kOut);
    const int64_t batches = is_batched ? kBatches : 1;
    EXPECT_EQ(
        RunCell(**blocked, ops,
                Backend::MakeTensor({batches, kCols / kFractal,
                                     kRows / kFractal, kFractal, kFractal},
                                    physical),
                kOut),
        want)
        << ir::PrintProgram(**blocked);
  }
}

}  // namespace
}  // namespace mxtile
