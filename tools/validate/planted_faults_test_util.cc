#include "tools/validate/planted_faults_test_util.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "tools/validate/stage_run.h"

namespace mxtile {

using ir::CheckedCast;
using ir::Context;
using ir::DynCast;
using ir::Expr;
using ir::Stmt;

const char kGemm[] = R"(# pypto.program: Gemm
import pypto.language as pl

@pl.program
class Gemm:
    @pl.function(type=pl.FunctionType.InCore)
    def main(
        a: pl.Tensor[[32, 192], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[32, 6], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[192, 64], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[6, 64], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        a0 = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        sa0 = pl.load(a_scale, [0, 0], [32, 2])
        b0 = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        sb0 = pl.load(b_scale, [0, 0], [2, 64])
        first = pl.matmul_mx(a0, sa0, b0, sb0)
        for k0, (acc,) in pl.range(64, 192, 64, init_values=(first,)):
            a1 = pl.load(a, [0, k0], [32, 64], target_memory=pl.Mem.Mat)
            sa1 = pl.load(a_scale, [0, k0 // 32], [32, 2])
            b1 = pl.load(b, [k0, 0], [64, 64], target_memory=pl.Mem.Mat)
            sb1 = pl.load(b_scale, [k0 // 32, 0], [2, 64])
            acc_next = pl.matmul_mx_acc(acc, a1, sa1, b1, sb1)
            total = pl.yield_(acc_next)
        result = pl.store(total, [0, 0], c)
        return result
)";

const char kVector[] = R"(# pypto.program: Vector
import pypto.language as pl

@pl.program
class Vector:
    @pl.function(type=pl.FunctionType.InCore)
    def main(
        x: pl.Tensor[[16, 64], pl.FP32],
        y: pl.Tensor[[16, 64], pl.FP32],
        z: pl.Out[pl.Tensor[[16, 64], pl.FP16]],
        w: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP16]:
        s = pl.load(x, [0, 0], [16, 64], target_memory=pl.Mem.Vec)
        t = pl.load(y, [0, 0], [16, 64], target_memory=pl.Mem.Vec)
        u = pl.load(y, [0, 0], [16, 64], [10, 64], target_memory=pl.Mem.Vec)
        d = pl.tile.sub(s, t)
        h = pl.tile.cast(d, target_type=pl.FP16, mode="rint")
        v = pl.store(u, [0, 0], w)
        z_next = pl.store(h, [0, 0], z)
        return z_next
)";

const ir::Call* AsOp(const Expr* expr, absl::string_view op) {
  const auto* call = DynCast<ir::Call>(expr);
  return call != nullptr && call->callee->name == op ? call : nullptr;
}

const Expr* WithArg(Context& context, const ir::Call& call, size_t index,
                    const Expr* arg) {
  std::vector<const Expr*> args(call.args.begin(), call.args.end());
  args[index] = arg;
  ir::Call copy = call;
  copy.args = context.List(args);
  return context.New(copy);
}

const ir::TileType* Elsewhere(Context& context, const ir::Type* type,
                              int64_t address) {
  const auto* tile = DynCast<ir::TileType>(type);
  if (tile == nullptr || tile->memref == nullptr) return nullptr;
  ir::MemRef memref = *tile->memref;
  memref.byte_offset = context.Index(address);
  ir::TileType copy = *tile;
  copy.memref = context.New(memref);
  return context.GetTileType(copy);
}

int64_t AddressOf(const ir::Type* type) {
  return ir::AsConstInt(CheckedCast<ir::TileType>(type)->memref->byte_offset)
      ->value;
}

namespace {

// A tuple of these integers.
const Expr* Integers(Context& context, std::vector<int64_t> values) {
  std::vector<const Expr*> items;
  for (const int64_t value : values) items.push_back(context.Index(value));
  return context.NewTuple(context.List(items));
}

// The call of `op` with two arguments exchanged.
Planter::OnExpr Swap(absl::string_view op, size_t i, size_t j) {
  return [=](Context& context, const Expr* expr) -> const Expr* {
    const ir::Call* call = AsOp(expr, op);
    if (call == nullptr) return nullptr;
    const Expr* first = WithArg(context, *call, i, call->args[j]);
    return WithArg(context, *CheckedCast<ir::Call>(first), j, call->args[i]);
  };
}

const Expr* OtherOffset(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.store");
  if (call == nullptr) return nullptr;
  // The 10 rows of u, of which w has 16.
  const auto* tensor = CheckedCast<ir::TensorType>(call->args[2]->type);
  return tensor->dtype == ir::DataType::kFP32
             ? WithArg(context, *call, 1, Integers(context, {1, 0}))
             : nullptr;
}

const Expr* OtherLoadOffset(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.load");
  if (call == nullptr) return nullptr;
  const auto* tensor = CheckedCast<ir::TensorType>(call->args[0]->type);
  // The operand b, 64 rows of 192 at row 0.
  return tensor->dtype == ir::DataType::kFP8E4M3FN &&
                 ir::AsConstInt(tensor->shape[0])->value == 192
             ? WithArg(context, *call, 1, Integers(context, {64, 0}))
             : nullptr;
}

const Expr* OtherValidShape(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.load");
  if (call == nullptr || call->args.size() < 4) return nullptr;
  const auto* valid = DynCast<ir::Tuple>(call->args[3]);
  return valid != nullptr && ir::AsConstInt(valid->elements[0])->value == 10
             ? WithArg(context, *call, 3, Integers(context, {9, 64}))
             : nullptr;
}

const Expr* OtherCastMode(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.cast");
  if (call == nullptr) return nullptr;
  std::vector<ir::Attr> kwargs(call->kwargs.begin(), call->kwargs.end());
  for (ir::Attr& kwarg : kwargs) {
    if (kwarg.name == "mode") {
      kwarg.value = ir::AttrValue::String(context.Intern("trunc"));
    }
  }
  ir::Call copy = *call;
  copy.kwargs = context.List(kwargs);
  return context.New(copy);
}

// The store into w, whose result nobody uses.
std::optional<std::vector<const Stmt*>> DropStore(Context&, const Stmt* stmt) {
  const auto* assign = DynCast<ir::Assign>(stmt);
  if (assign == nullptr || assign->var->name != "v") return std::nullopt;
  return std::vector<const Stmt*>();
}

std::optional<std::vector<const Stmt*>> OneRoundLess(Context& context,
                                                     const Stmt* stmt) {
  const auto* loop = DynCast<ir::For>(stmt);
  if (loop == nullptr) return std::nullopt;
  ir::For copy = *loop;
  copy.stop = context.Index(128);
  return std::vector<const Stmt*>{context.New(copy)};
}

// The loop hands on what came in.
std::optional<std::vector<const Stmt*>> OtherCarriedValue(Context& context,
                                                          const Stmt* stmt) {
  const auto* loop = DynCast<ir::For>(stmt);
  if (loop == nullptr) return std::nullopt;
  std::vector<const Stmt*> body(loop->body.begin(), loop->body.end());
  ir::Yield yield = *ir::TrailingYield(loop->body);
  yield.values = context.ExprList({loop->iter_args[0]});
  body.back() = context.New(yield);
  ir::For copy = *loop;
  copy.body = context.List(body);
  return std::vector<const Stmt*>{context.New(copy)};
}

}  // namespace

const std::vector<Fault>& Faults() {
  static const auto* const faults = new std::vector<Fault>{
      {"wrong store offset", kVector, OtherOffset, nullptr},
      {"wrong load offset", kGemm, OtherLoadOffset, nullptr},
      {"wrong valid shape", kVector, OtherValidShape, nullptr},
      {"swapped operands", kVector, Swap("tile.sub", 0, 1), nullptr},
      {"dropped statement", kVector, nullptr, DropStore},
      // The reference knows no such rounding, and nobody wrote it.
      {"wrong cast mode", kVector, OtherCastMode, nullptr, Engine::kReference,
       "MX-VALIDATE-2"},
      {"wrong loop bound", kGemm, nullptr, OneRoundLess},
      {"wrong carried value", kGemm, nullptr, OtherCarriedValue},
  };
  return *faults;
}

}  // namespace mxtile
