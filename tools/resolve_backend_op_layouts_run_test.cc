// resolve_backend_op_layouts judged by execution: the reference interpreter
// computes the same bits before and after it.

#include <cstdint>
#include <string>
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

constexpr int64_t kElements = 16 * 16;

// What `cell` leaves in its output.
std::vector<double> RunCell(const ir::Program& program,
                            const ir::OpRegistry& ops) {
  Backend backend(ops);
  ir::DiagnosticSink sink;
  exec::Interpreter interpreter(program, &backend, &sink);
  std::vector<double> values;
  for (int64_t i = 0; i < kElements; ++i) {
    values.push_back(static_cast<double>(i * 37 % 101) / 64 - 0.75);
  }
  const exec::Value out =
      Backend::MakeTensor({16, 16}, std::vector<double>(kElements, -77.0));
  const auto results = interpreter.Run(
      *program.Find("cell"), {Backend::MakeTensor({16, 16}, values), out});
  if (!results.ok()) {
    ADD_FAILURE() << results.status() << ' ' << sink.diagnostics()[0].message;
  }
  return Backend::Tensor(out).values;
}

// r, made of the column a, the tile w of as many rows as columns, and the same
// in boxes, f.
const char* const kBodies[] = {
    "r = pl.tile.exp(pl.tile.mul(a, a))",
    "p = pl.load(x, [0, 2], [16, 1], valid_shape=[5, 1])\n"
    "r = pl.tile.muls(p, 3.0)",
    // Of a square tile, a column taken for a row would give other sums.
    "r = pl.tile.add(w, a)",
    "r = pl.tile.sub(a, w)",
    "r = pl.tile.exp(f)",
    "r = pl.tile.add(f, a)",
    "r = pl.tile.maximum(w, f)",
    "s = pl.tile.abs(a)\n"
    "r = pl.tile.row_expand_mul(w, s)",
    "r = pl.tile.cast(a, target_type=pl.FP16, mode='rint')\n"
    "r = pl.tile.cast(r, target_type=pl.FP32)",
};

TEST(ResolveBackendOpLayoutsRunTest, NoResultChanges) {
  for (const char* body : kBodies) {
    SCOPED_TRACE(body);
    const ir::TextProgram text(ir::ProgramText({ir::FunctionText(
        "InCore", "cell",
        "x: pl.Tensor[[16, 16], pl.FP32], "
        "out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]",
        absl::StrCat("a = pl.load(x, [0, 1], [16, 1])\n"
                     "w = pl.load(x, [0, 0], [16, 16])\n"
                     "f = pl.tile.move(w, target_memory=pl.Mem.Vec, "
                     "blayout=pl.TileLayout.col_major, "
                     "slayout=pl.TileLayout.row_major)\n",
                     body, "\nstored = pl.store(r, [0, 0], out)"))}));
    const ir::OpRegistry& ops = text.context().registry();
    ir::DiagnosticSink sink;
    PassContext context;
    context.ir = &text.context();
    context.sink = &sink;
    const absl::StatusOr<const ir::Program*> before =
        PassManager({FindPass("convert_to_ssa"), FindPass("flatten_call_expr")})
            .Run(text.get(), context);
    ASSERT_TRUE(before.ok()) << sink.diagnostics()[0].message;
    const absl::StatusOr<const ir::Program*> after =
        PassManager({FindPass("resolve_backend_op_layouts")})
            .Run(*before, context);
    ASSERT_TRUE(after.ok()) << sink.diagnostics()[0].message;
    EXPECT_NE(*after, *before);
    EXPECT_EQ(RunCell(**after, ops), RunCell(**before, ops))
        << ir::PrintProgram(**after);
  }
}

}  // namespace
}  // namespace mxtile
