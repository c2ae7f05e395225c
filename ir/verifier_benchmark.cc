// Speed of the verifier, in statements.
//
//   ./bazelw run -c opt //ir:verifier_benchmark

#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "benchmark/benchmark.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/type.h"
#include "ir/verifier.h"

namespace mxtile::ir {
namespace {

struct Made {
  std::unique_ptr<Context> context;
  const Program* program;
};

const TileType* Tile(Context& context, const Expr* valid_rows) {
  TileView view =
      ImplicitTileView(context.StaticDims({16, 64}), MemorySpace::kVec);
  const Expr* valid[] = {valid_rows, context.Index(64)};
  view.valid_shape = valid;
  TileType type;
  type.shape = context.StaticDims({16, 64});
  type.dtype = DataType::kFP16;
  type.space = MemorySpace::kVec;
  type.view = &view;
  return context.GetTileType(type);
}

// A loop of eight statements, as a kernel has them: arithmetic on offsets, a
// load, tile operators, an `if` with a result, a carried tile.
void AddLoop(FunctionBuilder& f, Context& context, const Var* x,
             const Var* rows, const Expr* carried) {
  const TileType* tile = Tile(context, rows);
  const Expr* sixteen = context.Index(16);
  f.BeginFor("i", context.Index(0), rows, context.Index(1), {{"acc", carried}});
  const Var* row =
      f.Assign("row", context.NewBinary(BinaryOp::kMul, f.loop_var(), sixteen));
  const Var* t = f.AssignOp(
      "t", "test.load",
      {x, context.NewTuple(context.ExprList({row, context.Index(0)}))}, {},
      tile);
  const Var* u = f.AssignOp("u", "test.add", {t, f.iter_arg(0)}, {}, tile);
  f.BeginIf(context.NewBinary(BinaryOp::kLt, row, rows));
  f.BeginElse({u});
  const std::vector<const Var*> v = f.EndIf({t}, {"v"});
  f.EndFor({v[0]}, {"r"});
}

// 8 statements a round: for, three assignments, if, three yields.
constexpr int kStatementsPerLoop = 8;

Made MakeLoops(int64_t statements) {
  Made made;
  made.context = std::make_unique<Context>(&StandardOps());
  Context& context = *made.context;
  FunctionBuilder f(&context, "f", FunctionType::kInCore);
  const Var* rows = f.Param("rows", context.IndexType());
  const Var* x = f.Param("x", Tile(context, rows));
  for (int64_t i = 0; i < statements; i += kStatementsPerLoop) {
    AddLoop(f, context, x, rows, x);
  }
  made.program = MakeProgram(&context, "P", {f.Build()});
  return made;
}

// One body of assignments, each of which uses the one before and one that is
// far away: no locality to profit from.
Made MakeFarUses(int64_t statements) {
  Made made;
  made.context = std::make_unique<Context>(&StandardOps());
  Context& context = *made.context;
  FunctionBuilder f(&context, "f", FunctionType::kInCore);
  std::vector<const Var*> vars = {f.Param("n", context.IndexType())};
  uint64_t random = 1;
  for (int64_t i = 0; i < statements; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const Var* far = vars[(random >> 33) % vars.size()];
    vars.push_back(
        f.Assign("v", context.NewBinary(BinaryOp::kAdd, vars.back(), far)));
  }
  made.program = MakeProgram(&context, "P", {f.Build()});
  return made;
}

using Check = void (*)(const Program&, DiagnosticSink*);

void AllThree(const Program& program, DiagnosticSink* sink) {
  VerifySsaForm(program, sink);
  VerifyUseAfterDef(program, sink);
  VerifyTypeChecked(program, sink);
}

void Run(benchmark::State& state, Made (*make)(int64_t), Check check) {
  const Made made = make(state.range(0));
  for (auto _ : state) {
    DiagnosticSink sink;
    check(*made.program, &sink);
    MX_CHECK(!sink.has_errors()) << sink.diagnostics()[0].message;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

#define MX_BENCHMARK(name, make, check)     \
  BENCHMARK_CAPTURE(Run, name, make, check) \
      ->ArgName("statements")               \
      ->RangeMultiplier(10)                 \
      ->Range(1000, 1'000'000)              \
      ->Unit(benchmark::kMicrosecond)

MX_BENCHMARK(loops_ssa_form, MakeLoops, VerifySsaForm);
MX_BENCHMARK(loops_use_after_def, MakeLoops, VerifyUseAfterDef);
MX_BENCHMARK(loops_type_checked, MakeLoops, VerifyTypeChecked);
MX_BENCHMARK(loops_all_three, MakeLoops, AllThree);
MX_BENCHMARK(far_uses_all_three, MakeFarUses, AllThree);

}  // namespace
}  // namespace mxtile::ir
