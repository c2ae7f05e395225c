// The IR as an exchange format: reading, printing, protobuf, checking and
// comparing programs of 1e3 to 1e6 statements.
//
//   ./bazelw run -c opt //tools/benchmarks:exchange_benchmark
//
// The program is one function of statements `t_N: TYPE = pl.tile.add(t_N-1,
// t_N/2)`, all names different, half of the uses far away. Columns: bytes/s of
// text or protobuf; items/s are statements, each of three nodes (variable,
// call, assignment); ir_bytes/node is the memory of the context.
//
// Memory that the process has freed stays with it (mallopt), and each benchmark
// takes some seconds, so that little time goes into fresh pages. What a process
// reads first costs more: their first touch takes 2 to 5 ns a byte on virtual
// machines.

#include <malloc.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "benchmark/benchmark.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"
#include "ir/source_file.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/text/reader.h"
#include "ir/verifier.h"

namespace mxtile {
namespace {

constexpr double kNodesPerStatement = 3;

std::string Text(int64_t statements) {
  std::string text =
      "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\n"
      "class P:\n"
      "    @pl.function(type=pl.FunctionType.InCore, "
      "level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)\n"
      "    def f(x: pl.Tensor[[16, 64], pl.FP32]):\n"
      "        t_0: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = "
      "pl.tile.load(x, [0, 0], [16, 64], [16, 64], "
      "target_memory=pl.Mem.Vec)\n";
  for (int64_t i = 1; i < statements; ++i) {
    absl::StrAppend(&text, "        t_", i,
                    ": pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = "
                    "pl.tile.add(t_",
                    i - 1, ", t_", i / 2, ")\n");
  }
  return text;
}

struct Loaded {
  explicit Loaded(const ir::SourceFile& file)
      : context(std::make_unique<ir::Context>(&ir::StandardOps())) {
    ir::DiagnosticSink sink;
    const auto read = ir::ReadProgram(file, context.get(), &sink);
    MX_CHECK(read.ok()) << sink.diagnostics()[0].message;
    program = *read;
  }
  std::unique_ptr<ir::Context> context;
  const ir::Program* program;
};

void KeepFreedMemory() {
  mallopt(M_TRIM_THRESHOLD, 2047 << 20);
  mallopt(M_MMAP_MAX, 0);  // What is mapped is given back at once.
}

void Report(benchmark::State& state, int64_t bytes) {
  state.SetBytesProcessed(state.iterations() * bytes);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_ReadText(benchmark::State& state) {
  KeepFreedMemory();
  const std::string text = Text(state.range(0));
  { const Loaded warm_up(ir::SourceFile("a.py", text)); }
  size_t ir_bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const ir::SourceFile file("a.py", text);
    state.ResumeTiming();
    auto loaded = std::make_unique<Loaded>(file);
    state.PauseTiming();
    ir_bytes = loaded->context->used_bytes();
    loaded.reset();
    state.ResumeTiming();
  }
  Report(state, static_cast<int64_t>(text.size()));
  state.counters["ir_bytes/node"] =
      ir_bytes / (kNodesPerStatement * state.range(0));
}

void BM_PrintText(benchmark::State& state) {
  KeepFreedMemory();
  const std::string text = Text(state.range(0));
  const Loaded loaded(ir::SourceFile("a.py", text));
  benchmark::DoNotOptimize(ir::PrintProgram(*loaded.program));
  for (auto _ : state) {
    benchmark::DoNotOptimize(ir::PrintProgram(*loaded.program));
  }
  Report(state, static_cast<int64_t>(text.size()));
}

void BM_WriteProto(benchmark::State& state) {
  KeepFreedMemory();
  const Loaded loaded(ir::SourceFile("a.py", Text(state.range(0))));
  size_t bytes = ir::SerializeProgram(*loaded.program).size();
  for (auto _ : state) bytes = ir::SerializeProgram(*loaded.program).size();
  Report(state, static_cast<int64_t>(bytes));
}

void BM_ReadProto(benchmark::State& state) {
  KeepFreedMemory();
  const std::string bytes = ir::SerializeProgram(
      *Loaded(ir::SourceFile("a.py", Text(state.range(0)))).program);
  for (auto _ : state) {
    auto context = std::make_unique<ir::Context>(&ir::StandardOps());
    ir::DiagnosticSink sink;
    MX_CHECK(
        ir::ReadProtoProgram(bytes, "a.mxpb", {}, context.get(), &sink).ok());
    state.PauseTiming();
    context.reset();
    state.ResumeTiming();
  }
  Report(state, static_cast<int64_t>(bytes.size()));
}

// SSAForm, UseAfterDef and TypeChecked together.
void BM_Verify(benchmark::State& state) {
  KeepFreedMemory();
  const Loaded loaded(ir::SourceFile("a.py", Text(state.range(0))));
  for (auto _ : state) {
    ir::DiagnosticSink sink;
    ir::VerifySsaForm(*loaded.program, &sink);
    ir::VerifyUseAfterDef(*loaded.program, &sink);
    ir::VerifyTypeChecked(*loaded.program, &sink);
    MX_CHECK(!sink.has_errors());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Compare(benchmark::State& state) {
  KeepFreedMemory();
  const ir::SourceFile file("a.py", Text(state.range(0)));
  const Loaded a(file);
  const Loaded b(file);
  for (auto _ : state) {
    MX_CHECK(ir::StructurallyEqual(*a.program, *b.program));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

#define MX_EXCHANGE_BENCHMARK(name) \
  BENCHMARK(name)                   \
      ->RangeMultiplier(10)         \
      ->Range(1000, 1000000)        \
      ->MinTime(3)                  \
      ->Unit(benchmark::kMillisecond)

MX_EXCHANGE_BENCHMARK(BM_ReadText);
MX_EXCHANGE_BENCHMARK(BM_PrintText);
MX_EXCHANGE_BENCHMARK(BM_WriteProto);
MX_EXCHANGE_BENCHMARK(BM_ReadProto);
MX_EXCHANGE_BENCHMARK(BM_Verify);
MX_EXCHANGE_BENCHMARK(BM_Compare);

}  // namespace
}  // namespace mxtile
