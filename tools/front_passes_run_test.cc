// The front passes on programs as people write them, judged by execution: after
// each pass the reference interpreter computes the same bits as before it.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
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

constexpr int64_t kElements = 2 * 8 * 32;

// What `cell` leaves in its output, the last parameter.
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
      Backend::MakeTensor({2, 8, 32}, std::vector<double>(kElements, -77.0));
  const auto results = interpreter.Run(
      *program.Find("cell"), {Backend::MakeTensor({2, 8, 32}, values), out});
  if (!results.ok()) {
    ADD_FAILURE() << results.status() << ' '
                  << (sink.diagnostics().empty()
                          ? ""
                          : sink.diagnostics()[0].message);
    return {};
  }
  return Backend::Tensor(out).values;
}

const std::vector<std::string>& Bodies() {
  static const auto* const bodies = new std::vector<std::string>{
      // Nested calls on a tile of three axes.
      "t = pl.load(x, [0, 0, 0], [2, 8, 32])\n"
      "t = pl.tile.muls(pl.tile.exp(pl.tile.neg(t)), 0.5)\n"
      "out = pl.store(t, [0, 0, 0], out)\n"
      "return out",
      // A batch in each round, in one of two ways.
      "for b in pl.range(2):\n"
      "    t = pl.load(x, [b, 0, 0], [1, 8, 32])\n"
      "    if b > 0:\n"
      "        t = pl.tile.adds(t, 3.0)\n"
      "    else:\n"
      "        t = pl.tile.exp(t)\n"
      "    out = pl.store(pl.tile.abs(t), [b, 0, 0], out)\n"
      "return out",
      // A tile of three axes that is carried, halved until a count runs out.
      "t = pl.load(x, [0, 0, 0], [2, 8, 32])\n"
      "n = 3\n"
      "while n > 0:\n"
      "    t = pl.tile.add(t, pl.tile.muls(t, 0.5))\n"
      "    n = n - 1\n"
      "out = pl.store(t, [0, 0, 0], out)\n"
      "return out",
      // Rows that are not all valid, a valid region that ends inside.
      "n = 5\n"
      "t = pl.load(x, [1, 2, 0], [1, 6, 32], valid_shape=[1, n, 32])\n"
      "out = pl.store(pl.tile.neg(t), [1, 2, 0], out)\n"
      "return out",
  };
  return *bodies;
}

TEST(FrontPassesRunTest, EachPassKeepsWhatAProgramComputes) {
  int changes = 0;
  for (const std::string& body : Bodies()) {
    SCOPED_TRACE(body);
    const ir::TextProgram text(ir::ProgramText(
        {ir::FunctionText("InCore", "cell",
                          "x: pl.Tensor[[2, 8, 32], pl.FP32], "
                          "out: pl.Out[pl.Tensor[[2, 8, 32], pl.FP32]]",
                          body, "pl.Tensor[[2, 8, 32], pl.FP32]")}));
    const ir::OpRegistry& ops = text.context().registry();
    const ir::Program* program = text.get();
    const std::vector<double> want = RunCell(*program, ops);
    ASSERT_EQ(want.size(), kElements);
    for (const char* name : {"convert_to_ssa", "normalize_stmt_structure",
                             "flatten_call_expr", "flatten_tile_nd_to_2d"}) {
      SCOPED_TRACE(name);
      ir::DiagnosticSink sink;
      PassContext context;
      context.ir = &text.context();
      context.sink = &sink;
      const absl::StatusOr<const ir::Program*> after =
          PassManager({FindPass(name)}).Run(program, context);
      ASSERT_TRUE(after.ok())
          << after.status() << ' ' << sink.diagnostics()[0].message;
      changes += *after != program ? 1 : 0;
      program = *after;
      EXPECT_EQ(RunCell(*program, ops), want) << ir::PrintProgram(*program);
    }
  }
  // All but normalize_stmt_structure have something to do in each of them.
  EXPECT_EQ(changes, 3 * Bodies().size());
}

}  // namespace
}  // namespace mxtile
