#include "passes/flatten_tile_nd_to_2d/flatten_tile_nd_to_2d.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/soc/soc.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "passes/flatten_tile_nd_to_2d/batch_matmul_lowering.h"
#include "passes/flatten_tile_nd_to_2d/batch_operands.h"
#include "passes/flatten_tile_nd_to_2d/flat_shapes.h"
#include "passes/flatten_tile_nd_to_2d/load_window.h"
#include "passes/flatten_tile_nd_to_2d/page_transposes.h"
#include "passes/flatten_tile_nd_to_2d/tile_checks.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"
#include "passes/statement_emitter.h"

namespace mxtile {
namespace {

using ir::Assign;
using ir::AttrValue;
using ir::Call;
using ir::CheckedCast;
using ir::DynCast;
using ir::Expr;
using ir::MemorySpace;
using ir::Stmt;
using ir::TileType;
using ir::Type;
using ir::Var;

std::optional<int64_t> MatBytes(absl::string_view target) {
  if (target != "a5") return std::nullopt;
  return a5::Ascend950().memory(a5::MemorySpace::kMat).size_bytes;
}

// Whether a load of that type goes to Mat in the boxes that MTE2 makes of rows.
bool IsUsualMatTile(const TileType& tile) {
  const ir::TileView view = tile.EffectiveView();
  return tile.space == MemorySpace::kMat &&
         view.blayout == ir::TileLayout::kColMajor &&
         view.slayout == ir::TileLayout::kRowMajor;
}

class TileFlattener : public ir::Rewriter {
 public:
  TileFlattener(ir::Context* context, ir::DiagnosticSink* sink,
                std::optional<int64_t> mat_bytes)
      : Rewriter(context), sink_(sink), mat_bytes_(mat_bytes) {}

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    if (!ir::IsInCore(function->function_type)) return function;
    operands_.emplace(*function, context(), mat_bytes_);
    return Rewriter::RewriteFunction(function);
  }

 protected:
  const Type* RewriteType(const Type* type) override {
    type = Rewriter::RewriteType(type);
    const TileType* tile = AsNdTile(type);
    return tile == nullptr ? type : FlatTile(context(), *tile);
  }

  ir::Block RewriteBlock(ir::Block block) override {
    std::vector<const Stmt*> out;
    for (size_t i = 0; i < block.size(); ++i) {
      const Stmt* next = i + 1 < block.size() ? block[i + 1] : nullptr;
      if (FuseWithStore(block[i], next, &out)) {
        ++i;
      } else {
        RewriteStmt(block[i], &out);
      }
    }
    return std::equal(out.begin(), out.end(), block.begin(), block.end())
               ? block
               : context().List(out);
  }

  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const Expr* whole = WholeExpr(*stmt);
    const Call* call = whole == nullptr ? nullptr : DynCast<Call>(whole);
    if (call != nullptr && !call->callee->is_function) {
      return RewriteCall(*call, stmt, out);
    }
    if (const auto* loop = DynCast<ir::For>(stmt)) {
      return Rewriter::RewriteStmt(WithFlatInits(*loop, out), out);
    }
    if (const auto* loop = DynCast<ir::While>(stmt)) {
      return Rewriter::RewriteStmt(WithFlatInits(*loop, out), out);
    }
    if (const auto* assign = DynCast<Assign>(stmt)) {
      const Expr* value = FlatOperand(RewriteExpr(assign->value), *stmt, out);
      if (value == assign->value) {
        return Rewriter::RewriteStmt(stmt, out);
      }
      return Bind(*assign, value, out);
    }
    if (const auto* yield = DynCast<ir::Yield>(stmt)) {
      ir::Yield copy = *yield;
      copy.values = FlatOperands(RewriteExprs(yield->values), *stmt, out);
      out->push_back(copy.values.data() == yield->values.data()
                         ? stmt
                         : context().New(copy));
      return;
    }
    Rewriter::RewriteStmt(stmt, out);
  }

 private:
  StatementEmitter Emitter(const Stmt& stmt, std::vector<const Stmt*>* out) {
    return StatementEmitter(context(), *sink_, stmt, out);
  }

  // ---- Definitions and operands

  // The assignment with another value; its variable takes the value's type, and
  // keeps the place in memory that it has.
  void Bind(const Assign& assign, const Expr* value,
            std::vector<const Stmt*>* out) {
    const Type* type = value->type;
    const auto* had = DynCast<TileType>(assign.var->type);
    const auto* tile = DynCast<TileType>(type);
    if (had != nullptr && tile != nullptr && had->memref != nullptr &&
        tile->memref == nullptr) {
      TileType placed = *tile;
      placed.memref = had->memref;
      type = context().GetTileType(placed);
      if (const Call* call = DynCast<Call>(value)) {
        Call copy = *call;
        copy.type = type;
        value = context().New(copy);
      }
    }
    Assign copy = assign;
    copy.value = value;
    if (type != assign.var->type) {
      copy.var = context().NewVar(assign.var->name, type, assign.var->span);
      Substitute(assign.var, copy.var);
    }
    out->push_back(context().New(copy));
  }

  // A flat reshape of a tile that still has more than two axes.
  const Expr* FlatOperand(const Expr* operand, const Stmt& stmt,
                          std::vector<const Stmt*>* out) {
    const TileType* tile = AsNdTile(operand->type);
    if (tile == nullptr || !ir::Isa<Var>(operand)) return operand;
    return Emitter(stmt, out).Op(
        "flat_tile", "tile.reshape",
        {operand, context().NewTuple(FlatDims(context(), tile->shape))});
  }
  ir::Exprs FlatOperands(ir::Exprs operands, const Stmt& stmt,
                         std::vector<const Stmt*>* out) {
    std::vector<const Expr*> flat;
    bool changed = false;
    for (const Expr* operand : operands) {
      flat.push_back(FlatOperand(operand, stmt, out));
      changed = changed || flat.back() != operand;
    }
    return changed ? context().List(flat) : operands;
  }

  // The loop with what it starts from flat; its carried values and results have
  // the types of that.
  template <typename Loop>
  const Stmt* WithFlatInits(const Loop& loop, std::vector<const Stmt*>* out) {
    Loop copy = loop;
    std::vector<const ir::IterArg*> args;
    bool changed = false;
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      const ir::IterArg* arg = loop.iter_args[i];
      const Expr* init = FlatOperand(RewriteExpr(arg->init), loop, out);
      args.push_back(arg);
      if (!ir::Isa<TileType>(arg->type) || init->type == arg->type) continue;
      changed = true;
      args.back() =
          context().NewIterArg(arg->name, init->type, init, arg->span);
      Substitute(arg, args.back());
      const Var* result = loop.return_vars[i];
      Substitute(result,
                 context().NewVar(result->name, init->type, result->span));
    }
    if (!changed) return &loop;
    copy.iter_args = context().List(args);
    return context().New(copy);
  }

  // ---- Calls

  using Handler = void (TileFlattener::*)(const Call&, const Stmt*,
                                          std::vector<const Stmt*>*);

  void RewriteCall(const Call& call, const Stmt* stmt,
                   std::vector<const Stmt*>* out) {
    static const auto* const handlers =
        new absl::flat_hash_map<absl::string_view, Handler>{
            {"tile.load", &TileFlattener::RewriteLoad},
            {"tile.store", &TileFlattener::RewriteStore},
            {"tile.create", &TileFlattener::RewriteCreate},
            {"tile.full", &TileFlattener::RewriteCreate},
            {"tile.assemble", &TileFlattener::RewriteAssemble},
            {"tile.transpose", &TileFlattener::RewriteTranspose},
            {"tile.reshape", &TileFlattener::RewriteReshape},
            {"tile.batch_matmul", &TileFlattener::RewriteBatchMatmul},
            {"tile.batch_matmul_acc", &TileFlattener::RewriteBatchMatmul},
        };
    const auto* assign = DynCast<Assign>(stmt);
    if (assign != nullptr && operands_->IsDropped(assign->var)) return;
    const auto handler = handlers->find(call.callee->name);
    if (handler == handlers->end()) return RewriteOther(call, stmt, out);
    (this->*handler->second)(call, stmt, out);
  }

  // Ends the statement with this call instead of its own.
  void Finish(const Call* call, const Stmt* stmt,
              std::vector<const Stmt*>* out) {
    if (const auto* assign = DynCast<Assign>(stmt)) {
      return Bind(*assign, call, out);
    }
    ir::Eval copy = *CheckedCast<ir::Eval>(stmt);
    copy.expr = call;
    out->push_back(context().New(copy));
  }

  // The call with other arguments and the type that follows from them.
  const Call* WithArgs(const Call& call, ir::Exprs args, const Stmt& stmt,
                       std::vector<const Stmt*>* out) {
    Call copy = *Emitter(stmt, out).Call(call.callee->name, args, call.kwargs,
                                         call.span, RewriteType(call.type));
    copy.attrs = RewriteAttrs(call.attrs);
    return context().New(copy);
  }

  void RewriteOther(const Call& call, const Stmt* stmt,
                    std::vector<const Stmt*>* out) {
    const ir::Exprs args = FlatOperands(RewriteExprs(call.args), *stmt, out);
    if (args.data() == call.args.data()) {
      const bool is_view = call.callee->name == "tile.reinterpret_view";
      if (AsNdTile(call.type) != nullptr && !is_view) {
        sink_->Error("MX-FLAT2D-2", PlaceOf(call, *stmt),
                     absl::StrCat(call.callee->name,
                                  " makes a tile with more than two axes, "
                                  "which has no flat form; make one with two "
                                  "and reshape it"));
      }
      return Rewriter::RewriteStmt(stmt, out);
    }
    Finish(WithArgs(call, args, *stmt, out), stmt, out);
  }

  // What is raised to more than two axes stays so until something uses it.
  void RewriteReshape(const Call& call, const Stmt* stmt,
                      std::vector<const Stmt*>* out) {
    const ir::Exprs args = RewriteExprs(call.args);
    if (args.data() == call.args.data()) {
      out->push_back(stmt);
      return;
    }
    Finish(WithArgs(call, args, *stmt, out), stmt, out);
  }

  void RewriteCreate(const Call& call, const Stmt* stmt,
                     std::vector<const Stmt*>* out) {
    const TileType* tile = AsNdTile(call.type);
    if (tile == nullptr) return RewriteOther(call, stmt, out);
    const ir::Exprs old = RewriteExprs(call.args);
    std::vector<const Expr*> args(old.begin(), old.end());
    args[0] = context().NewTuple(FlatDims(context(), tile->shape));
    Finish(WithArgs(call, args, *stmt, out), stmt, out);
  }

  void RewriteAssemble(const Call& call, const Stmt* stmt,
                       std::vector<const Stmt*>* out) {
    const TileType* target = AsNdTile(call.args[0]->type);
    if (target == nullptr) return RewriteOther(call, stmt, out);
    const ir::Exprs old = FlatOperands(RewriteExprs(call.args), *stmt, out);
    const ir::Exprs offset = CheckedCast<ir::Tuple>(old[2])->elements;
    std::vector<const Expr*> args(old.begin(), old.end());
    args[2] = context().NewTuple(context().ExprList(
        {RowOffset(context(), offset, target->shape), offset.back()}));
    Finish(WithArgs(call, args, *stmt, out), stmt, out);
  }

  // ---- Loads and stores

  void RewriteLoad(const Call& call, const Stmt* stmt,
                   std::vector<const Stmt*>* out) {
    const TileType* tile = AsNdTile(call.type);
    const auto* assign = DynCast<Assign>(stmt);
    if (tile == nullptr || assign == nullptr) {
      return RewriteOther(call, stmt, out);
    }
    Call copy = call;
    copy.args = RewriteExprs(call.args);
    TileType type = *tile;
    // A load for matmuls, for which nothing else has asked.
    const bool for_matmuls =
        operands_->FeedsMatmulsOnly(assign->var) &&
        ir::FindAttr(call.kwargs, "target_memory") == nullptr &&
        tile->space != MemorySpace::kMat;
    if (for_matmuls) {
      type.space = MemorySpace::kMat;
      std::vector<ir::Attr> kwargs(call.kwargs.begin(), call.kwargs.end());
      kwargs.push_back({"target_memory", AttrValue::Of(MemorySpace::kMat)});
      copy.kwargs = context().List(kwargs);
    }
    if (for_matmuls || IsUsualMatTile(*tile)) {
      StatementEmitter emit = Emitter(*stmt, out);
      FlattenWindow(*assign, context(), emit, sink_, &copy);
    }
    copy.attrs = RewriteAttrs(call.attrs);
    copy.type = RewriteType(context().GetTileType(type));
    Bind(*assign, context().New(copy), out);
  }

  void RewriteStore(const Call& call, const Stmt* stmt,
                    std::vector<const Stmt*>* out) {
    const auto* tensor = DynCast<ir::TensorType>(call.args[2]->type);
    const auto* tile = DynCast<TileType>(call.args[0]->type);
    if (tensor == nullptr || tile == nullptr || tensor->shape.size() <= 2 ||
        tile->shape.size() > tensor->shape.size() || call.args.size() > 3) {
      return RewriteOther(call, stmt, out);
    }
    std::vector<const Expr*> window(tensor->shape.size() - tile->shape.size(),
                                    context().Index(1));
    window.insert(window.end(), tile->shape.begin(), tile->shape.end());
    const ir::Exprs old = FlatOperands(RewriteExprs(call.args), *stmt, out);
    std::vector<const Expr*> args(old.begin(), old.end());
    args.push_back(context().NewTuple(context().List(window)));
    Call copy = call;
    copy.args = context().List(args);
    copy.attrs = RewriteAttrs(call.attrs);
    copy.type = RewriteType(call.type);
    Finish(context().New(copy), stmt, out);
  }

  // ---- Transposes

  void RewriteTranspose(const Call& call, const Stmt* stmt,
                        std::vector<const Stmt*>* out) {
    const auto* assign = DynCast<Assign>(stmt);
    const TileType* written = AsNdTile(call.args[0]->type);
    if (assign == nullptr || (written == nullptr && call.args.size() != 3)) {
      return RewriteOther(call, stmt, out);
    }
    const Expr* input = FlatOperand(RewriteExpr(call.args[0]), *stmt, out);
    const auto& tile = *CheckedCast<TileType>(input->type);
    const MemorySpace space = tile.space.value_or(MemorySpace::kVec);
    const ir::Attr dtype = {"dtype", AttrValue::Of(tile.dtype)};
    const ir::Attr target = {"target_memory", AttrValue::Of(space)};
    StatementEmitter emit = Emitter(*stmt, out);
    if (written == nullptr) {
      const Var* scratch =
          emit.Op("transpose_tmp", "tile.create",
                  {context().NewTuple(tile.shape)}, {dtype, target});
      return Finish(WithArgs(call,
                             context().ExprList(
                                 {input, call.args[1], call.args[2], scratch}),
                             *stmt, out),
                    stmt, out);
    }
    Substitute(assign->var, TransposePages(*written, input, assign->var->name,
                                           space, context(), emit));
  }

  // ---- Batch matmuls

  BatchMatmulLowering Lowering(const Call& call, const Stmt& stmt,
                               StatementEmitter& emit) {
    return BatchMatmulLowering(
        context(), *sink_, *operands_, emit,
        [this](const Expr* expr) { return RewriteExpr(expr); },
        PlaceOf(call, stmt));
  }

  void RewriteBatchMatmul(const Call& call, const Stmt* stmt,
                          std::vector<const Stmt*>* out) {
    const auto* assign = DynCast<Assign>(stmt);
    if (assign == nullptr) return RewriteOther(call, stmt, out);
    StatementEmitter emit = Emitter(*stmt, out);
    BatchMatmulLowering lowering = Lowering(call, *stmt, emit);
    const Var* result = FirstBatchOperand(call) == 0
                            ? lowering.Matmul(call, assign->var->name)
                            : lowering.Accumulate(call);
    if (result != nullptr) Substitute(assign->var, result);
  }

  // Whether the statement is a batch matmul and the next one the store that
  // alone uses its result; then both are done.
  bool FuseWithStore(const Stmt* stmt, const Stmt* next,
                     std::vector<const Stmt*>* out) {
    const auto* matmul = DynCast<Assign>(stmt);
    const auto* store = DynCast<Assign>(next);
    if (matmul == nullptr || store == nullptr) return false;
    const Call* product = DynCast<Call>(matmul->value);
    const Call* stored = DynCast<Call>(store->value);
    if (product == nullptr || product->callee->name != "tile.batch_matmul" ||
        stored == nullptr || stored->callee->name != "tile.store" ||
        stored->args.size() != 3 || stored->args[0] != matmul->var ||
        operands_->UsesOf(matmul->var) != 1) {
      return false;
    }
    StatementEmitter emit = Emitter(*store, out);
    const Var* result =
        Lowering(*product, *stmt, emit)
            .MatmulAndStore(*product, *stored, store->var->name);
    if (result != nullptr) Substitute(store->var, result);
    return true;
  }

  ir::DiagnosticSink* sink_;
  std::optional<int64_t> mat_bytes_;
  std::optional<BatchOperands> operands_;
};

}  // namespace

absl::StatusOr<const ir::Program*> FlattenTileNdTo2D::Run(
    const ir::Program* program, PassContext& context) const {
  for (const ir::Function* function : program->functions) {
    if (!ir::IsInCore(function->function_type)) continue;
    CheckNdTiles(*function, *context.ir, context.sink);
  }
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  const ir::Program* flat =
      TileFlattener(context.ir, context.sink, MatBytes(context.options.target))
          .RewriteProgram(program);
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return flat;
}

}  // namespace mxtile
