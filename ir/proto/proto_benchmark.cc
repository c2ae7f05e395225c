// Speed of the protobuf form: statements a second, bytes a statement in the
// file, and bytes of IR a node.
//
//   ./bazelw run -c opt //ir/proto:proto_benchmark
//
// Freed memory is kept by the process, as fresh pages can cost more than all
// the rest (about 0.3 KB of IR a statement); BM_ReadFresh gives them back.

#include <malloc.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "benchmark/benchmark.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"

namespace mxtile::ir {
namespace {

enum Flavour { kPlain, kSpans };

// One function of so many statements t_N = pl.tile.add(t_N-1, t_N-2), all names
// different.
const Program* Generate(Context* context, int statements, Flavour flavour) {
  TileType tile;
  tile.shape = context->StaticDims({16, 64});
  tile.space = MemorySpace::kVec;
  const Type* type = context->GetTileType(tile);
  const auto span = [&](int line, int column) {
    SourceSpan span;
    if (flavour == kSpans) {
      span = {context->Intern("generated.py"), line, column, line, column + 20};
    }
    return span;
  };
  const Var* a = context->NewVar("a", type);
  const Var* b = context->NewVar("b", type);
  Function function;
  function.name = context->Intern("f");
  function.function_type = FunctionType::kInCore;
  function.params = context->List(std::vector<const Var*>{a, b});
  function.directions =
      context->List(std::vector<ParamDirection>(2, ParamDirection::kIn));
  std::vector<const Stmt*> body;
  body.reserve(statements);
  for (int i = 0; i < statements; ++i) {
    Call call;
    call.kind = ExprKind::kCall;
    call.type = type;
    call.callee = context->GetOp("tile.add");
    call.args = context->ExprList({a, b});
    call.span = span(i + 1, 20);
    Assign assign;
    assign.kind = StmtKind::kAssign;
    assign.span = span(i + 1, 9);
    assign.value = context->New(call);
    assign.var = context->NewVar(absl::StrCat("t_", i), type, span(i + 1, 9));
    body.push_back(context->New(assign));
    a = b;
    b = assign.var;
  }
  function.body = context->List(body);
  Program program;
  program.name = context->Intern("P");
  program.functions =
      context->List(std::vector<const Function*>{context->New(function)});
  return context->New(program);
}

std::string Bytes(int statements, Flavour flavour) {
  Context context(&StandardOps());
  return SerializeProgram(*Generate(&context, statements, flavour));
}

void Read(benchmark::State& state, Flavour flavour, bool fresh) {
  // Without these, freed memory goes back to the system at once.
  mallopt(M_TRIM_THRESHOLD, 2047 << 20);
  mallopt(M_MMAP_MAX, 0);  // What is mapped is given back at once.
  const int statements = static_cast<int>(state.range(0));
  const std::string bytes = Bytes(statements, flavour);
  size_t ir_bytes = 0;
  if (!fresh) {  // The process gets its memory now.
    Context context(&StandardOps());
    DiagnosticSink sink;
    MX_CHECK(ReadProtoProgram(bytes, "a.mxpb", {}, &context, &sink).ok());
  }
  for (auto _ : state) {
    if (fresh) {
      state.PauseTiming();
      malloc_trim(0);
      state.ResumeTiming();
    }
    auto context = std::make_unique<Context>(&StandardOps());
    DiagnosticSink sink;
    MX_CHECK(ReadProtoProgram(bytes, "a.mxpb", {}, context.get(), &sink).ok());
    ir_bytes = context->used_bytes();
    state.PauseTiming();
    context.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * statements);
  state.counters["file_bytes/stmt"] =
      static_cast<double>(bytes.size()) / statements;
  // A statement is three nodes: Var, Call, Assign.
  state.counters["ir_bytes/node"] =
      static_cast<double>(ir_bytes) / (3.0 * statements);
}

void BM_Read(benchmark::State& state) { Read(state, kPlain, false); }
BENCHMARK(BM_Read)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMillisecond);

void BM_ReadSpans(benchmark::State& state) { Read(state, kSpans, false); }
BENCHMARK(BM_ReadSpans)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMillisecond);

void BM_ReadFresh(benchmark::State& state) { Read(state, kPlain, true); }
BENCHMARK(BM_ReadFresh)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMillisecond);

void BM_Write(benchmark::State& state) {
  const int statements = static_cast<int>(state.range(0));
  Context context(&StandardOps());
  const Program* program = Generate(&context, statements, kSpans);
  for (auto _ : state) {
    benchmark::DoNotOptimize(SerializeProgram(*program));
  }
  state.SetItemsProcessed(state.iterations() * statements);
}
BENCHMARK(BM_Write)
    ->RangeMultiplier(10)
    ->Range(1000, 1000000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mxtile::ir
