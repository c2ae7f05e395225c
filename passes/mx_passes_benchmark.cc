// Speed of the two MX passes, in statements: block_mx_scale_tensor_views,
// insert_mx_scale_addr, and both one after the other.
//
//   ./bazelw run -c opt //passes:mx_passes_benchmark
//
// The program is one in-core function. Of 200 statements two are MX loads at
// offsets that have to be proven, eight fill the buffers of the cube, two are
// MX matmuls and the others are tile and scalar arithmetic. Linear means: ten
// times the statements take ten times the time.
//
// Memory that the process has freed stays with it (mallopt), so from the second
// round on no time goes into fresh pages.

#include <malloc.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
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
#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using ir::DataType;
using ir::Expr;
using ir::MemorySpace;
using ir::TensorLayout;
using ir::Var;

constexpr int kStatementsPerUnit = 200;

class ProgramMaker {
 public:
  explicit ProgramMaker(ir::Context* context)
      : context_(*context), f_(context, "cell", ir::FunctionType::kInCore) {}

  const ir::Program* Make(int64_t statements) {
    lhs_ = Param("lhs", {64, 64}, DataType::kFP8E4M3FN);
    lhs_scale_ =
        Param("lhs_scale", {64, 2}, DataType::kFP8E8M0, TensorLayout::kMxAZZ);
    rhs_ = Param("rhs", {64, 128}, DataType::kFP8E4M3FN);
    rhs_scale_ =
        Param("rhs_scale", {2, 128}, DataType::kFP8E8M0, TensorLayout::kMxBNN);
    const Var* x = Param("x", {16, 64}, DataType::kFP32);
    tile_ = Load("x_tile", x, {context_.Index(0), context_.Index(0)}, {16, 64},
                 MemorySpace::kVec);
    block_ = f_.AssignOp("block", "tile.get_block_idx", {});
    for (int64_t n = 0; n < statements; n += kStatementsPerUnit) Unit();
    f_.Return({});
    return ir::MakeProgram(&context_, "P", {f_.Build()});
  }

 private:
  // 200 statements.
  void Unit() {
    const Expr* zero = context_.Index(0);
    const Var* row = f_.Assign("row", Scaled(block_, 16));
    const Var* col = f_.Assign("col", Scaled(block_, 32));
    const Var* l =
        Move("l", Load("lm", lhs_, {row, zero}, {16, 64}, MemorySpace::kMat),
             MemorySpace::kLeft);
    const Var* ls = Move(
        "ls", Load("lsm", lhs_scale_, {row, zero}, {16, 2}, MemorySpace::kMat),
        MemorySpace::kLeftScale);
    const Var* r =
        Move("r", Load("rm", rhs_, {zero, col}, {64, 32}, MemorySpace::kMat),
             MemorySpace::kRight);
    const Var* rs = Move(
        "rs", Load("rsm", rhs_scale_, {zero, col}, {2, 32}, MemorySpace::kMat),
        MemorySpace::kRightScale);
    const Var* c = f_.AssignOp("c", "tile.matmul_mx", {l, ls, r, rs});
    f_.AssignOp("d", "tile.matmul_mx_acc", {c, l, ls, r, rs});
    for (int n = 12; n < kStatementsPerUnit; ++n) {
      if (n % 4 == 0) {
        f_.Assign("k", Scaled(row, n));
      } else {
        tile_ = f_.AssignOp("t", "tile.add", {tile_, tile_});
      }
    }
  }

  const Var* Param(absl::string_view name, const std::vector<int64_t>& shape,
                   DataType dtype, TensorLayout layout = TensorLayout::kND) {
    ir::TensorView view;
    view.layout = layout;
    ir::TensorType type;
    type.kind = ir::TypeKind::kTensor;
    type.shape = context_.StaticDims(shape);
    type.dtype = dtype;
    type.view = &view;
    return f_.Param(name, context_.GetTensorType(type));
  }
  const Expr* Scaled(const Expr* expr, int64_t factor) {
    return context_.NewBinary(ir::BinaryOp::kMul, expr, context_.Index(factor));
  }
  const Var* Load(absl::string_view name, const Var* tensor,
                  std::vector<const Expr*> offsets,
                  const std::vector<int64_t>& shape, MemorySpace space) {
    const Expr* window = context_.NewTuple(context_.StaticDims(shape));
    return f_.AssignOp(
        name, "tile.load",
        {tensor, context_.NewTuple(context_.List(offsets)), window, window},
        {{"target_memory", ir::AttrValue::Of(space)}});
  }
  const Var* Move(absl::string_view name, const Var* tile, MemorySpace space) {
    return f_.AssignOp(name, "tile.move", {tile},
                       {{"target_memory", ir::AttrValue::Of(space)}});
  }

  ir::Context& context_;
  ir::FunctionBuilder f_;
  const Var* lhs_ = nullptr;
  const Var* lhs_scale_ = nullptr;
  const Var* rhs_ = nullptr;
  const Var* rhs_scale_ = nullptr;
  const Var* block_ = nullptr;
  const Var* tile_ = nullptr;
};

void RunPasses(benchmark::State& state,
               const std::vector<const Pass*>& passes) {
  mallopt(M_TRIM_THRESHOLD, 2047 << 20);
  mallopt(M_MMAP_MAX, 0);  // What is mapped is given back at once.
  for (auto _ : state) {
    state.PauseTiming();
    // A context of its own each round: what a pass makes stays in it.
    auto ir = std::make_unique<ir::Context>(&ir::StandardOps());
    const ir::Program* program = ProgramMaker(ir.get()).Make(state.range(0));
    ir::DiagnosticSink sink;
    PassContext context;
    context.ir = ir.get();
    context.sink = &sink;
    state.ResumeTiming();
    for (const Pass* pass : passes) {
      const auto after = pass->Run(program, context);
      MX_CHECK(after.ok() && *after != program);
      program = *after;
    }
    state.PauseTiming();
    context.findings = {};
    ir.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_BlockMxScaleTensorViews(benchmark::State& state) {
  const BlockMxScaleTensorViews block;
  RunPasses(state, {&block});
}

void BM_InsertMxScaleAddr(benchmark::State& state) {
  const InsertMxScaleAddr insert;
  RunPasses(state, {&insert});
}

void BM_BothMxPasses(benchmark::State& state) {
  const BlockMxScaleTensorViews block;
  const InsertMxScaleAddr insert;
  RunPasses(state, {&block, &insert});
}

#define MX_PASS_BENCHMARK(name) \
  BENCHMARK(name)               \
      ->RangeMultiplier(10)     \
      ->Range(1000, 1000000)    \
      ->Unit(benchmark::kMillisecond)

MX_PASS_BENCHMARK(BM_BlockMxScaleTensorViews);
MX_PASS_BENCHMARK(BM_InsertMxScaleAddr);
MX_PASS_BENCHMARK(BM_BothMxPasses);

}  // namespace
}  // namespace mxtile
