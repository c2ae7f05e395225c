#include "passes/resolve_backend_op_layouts/resolve_backend_op_layouts.h"

#include <cstddef>
#include <vector>

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
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"
#include "passes/resolve_backend_op_layouts/row_major_ops.h"
#include "passes/statement_emitter.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::Stmt;
using ir::TileLayout;
using ir::TileType;

bool IsOne(const Expr* dim) {
  const ir::ConstInt* constant = ir::AsConstInt(dim);
  return constant != nullptr && constant->value == 1;
}

// Null for a tile that lies in rows, and for what is no tile.
const TileType* AsOtherThanRowMajor(const ir::Type* type) {
  const auto* tile = DynCast<TileType>(type);
  const bool is_other =
      tile != nullptr && tile->EffectiveView().blayout != TileLayout::kRowMajor;
  return is_other ? tile : nullptr;
}

// Whether the elements of the tile are a column that is a row as it lies.
bool IsColumn(const TileType& tile) {
  return tile.shape.size() == 2 && IsOne(tile.shape[1]) &&
         IsOne(tile.EffectiveValidShape()[1]) &&
         tile.EffectiveView().blayout == TileLayout::kColMajor;
}

// What a statement's call is asked for.
struct Repair {
  const RowMajorOp* op = nullptr;
  bool operands = false;  // Some operand is to change.
  bool result = false;
  bool by_reshape = false;
};

Repair RepairOf(const Call& call, const ir::Type* result) {
  Repair repair;
  repair.op = FindRowMajorOp(call.callee->name);
  if (repair.op == nullptr) return repair;
  repair.by_reshape = repair.op->walk == RowMajorOp::Walk::kElements;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const auto* tile = DynCast<TileType>(call.args[i]->type);
    if (tile == nullptr) continue;
    if (AsOtherThanRowMajor(tile) != nullptr) repair.operands = true;
    if (static_cast<int>(i) != repair.op->scratch && !IsColumn(*tile)) {
      repair.by_reshape = false;
    }
  }
  if (repair.op->result) {
    const auto* tile = DynCast<TileType>(result);
    repair.result = AsOtherThanRowMajor(result) != nullptr;
    if (tile == nullptr || !IsColumn(*tile)) repair.by_reshape = false;
  }
  return repair;
}

class LayoutRepairer : public ir::Rewriter {
 public:
  LayoutRepairer(ir::Context* context, ir::DiagnosticSink* sink)
      : Rewriter(context), sink_(*sink) {}

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    if (!ir::IsInCore(function->function_type)) return function;
    return Rewriter::RewriteFunction(function);
  }

 protected:
  // Calls inside of expressions come here, and those that need nothing.
  const Expr* RewriteNode(const Expr* node) override {
    const auto* call = DynCast<Call>(node);
    if (call == nullptr) return node;
    const Repair repair = RepairOf(*call, call->type);
    if (repair.operands || repair.result) {
      sink_.Error("MX-ROWMAJOR-1", call->span,
                  absl::StrCat(call->callee->name,
                               " takes and gives tiles that lie in rows, and "
                               "this one stands inside of an expression, where "
                               "its tiles cannot be rearranged; run "
                               "flatten_call_expr first"));
    }
    return node;
  }

  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const Expr* whole = WholeExpr(*stmt);
    const Call* call = whole == nullptr ? nullptr : DynCast<Call>(whole);
    const auto* assign = DynCast<ir::Assign>(stmt);
    const Repair repair =
        call == nullptr
            ? Repair()
            : RepairOf(*call, assign != nullptr ? assign->var->type : nullptr);
    if (!repair.operands && !repair.result) {
      return Rewriter::RewriteStmt(stmt, out);
    }
    StatementEmitter emit(context(), sink_, *stmt, out);
    const ir::Exprs args = RowMajorArgs(*call, repair, emit);
    if (!repair.result) {
      Call copy = *call;
      copy.args = args;
      return Finish(context().New(copy), stmt, out);
    }
    const Expr* result =
        emit.Assign(absl::StrCat(assign->var->name, "_row_major"),
                    RowMajorCall(*call, args, emit));
    const auto& wanted = *ir::CheckedCast<TileType>(assign->var->type);
    Call restored =
        repair.by_reshape
            ? *Reshaped(result, wanted.shape, call->span, emit)
            : *Moved(result, wanted, wanted.EffectiveView(), call->span, emit);
    restored.type = call->type;
    Finish(context().New(restored), stmt, out);
  }

 private:
  ir::Exprs RowMajorArgs(const Call& call, const Repair& repair,
                         StatementEmitter& emit) {
    const ir::Exprs old = RewriteExprs(call.args);
    std::vector<const Expr*> args(old.begin(), old.end());
    for (const Expr*& arg : args) {
      const TileType* tile = AsOtherThanRowMajor(arg->type);
      if (tile == nullptr) continue;
      const Call* value =
          repair.by_reshape && IsColumn(*tile)
              ? Reshaped(
                    arg,
                    context().ExprList({context().Index(1), tile->shape[0]}),
                    call.span, emit)
              : Moved(arg, *tile, ir::TileView(), call.span, emit);
      const auto* var = DynCast<ir::Var>(arg);
      arg = emit.Assign(
          absl::StrCat(var != nullptr ? var->name : "tile", "_row_major"),
          value);
    }
    return context().List(args);
  }

  // The call on tiles that lie in rows, of the type that follows.
  const Call* RowMajorCall(const Call& call, ir::Exprs args,
                           StatementEmitter& emit) {
    Call copy = *emit.Call(call.callee->name, args, call.kwargs, call.span,
                           args[0]->type);
    copy.attrs = call.attrs;
    return context().New(copy);
  }

  const Call* Reshaped(const Expr* tile, ir::Dims shape, ir::SourceSpan span,
                       StatementEmitter& emit) {
    return emit.Call("tile.reshape",
                     context().ExprList({tile, context().NewTuple(shape)}), {},
                     span, tile->type);
  }

  // Into the layout of `view`, in the space of `type`.
  const Call* Moved(const Expr* tile, const TileType& type,
                    const ir::TileView& view, ir::SourceSpan span,
                    StatementEmitter& emit) {
    const ir::MemorySpace space = type.space.value_or(ir::MemorySpace::kVec);
    const std::vector<ir::Attr> kwargs = {
        {"target_memory", ir::AttrValue::Of(space)},
        {"blayout", ir::AttrValue::Of(view.blayout)},
        {"slayout", ir::AttrValue::Of(view.slayout)}};
    return emit.Call("tile.move", context().ExprList({tile}),
                     context().List(kwargs), span, tile->type);
  }

  // Ends the statement with this call instead of its own.
  void Finish(const Call* call, const Stmt* stmt,
              std::vector<const Stmt*>* out) {
    if (const auto* assign = DynCast<ir::Assign>(stmt)) {
      ir::Assign copy = *assign;
      copy.value = call;
      out->push_back(context().New(copy));
      return;
    }
    ir::Eval copy = *ir::CheckedCast<ir::Eval>(stmt);
    copy.expr = call;
    out->push_back(context().New(copy));
  }

  ir::DiagnosticSink& sink_;
};

}  // namespace

absl::StatusOr<const ir::Program*> ResolveBackendOpLayouts::Run(
    const ir::Program* program, PassContext& context) const {
  if (context.options.target == "none") return program;
  const ir::Program* repaired =
      LayoutRepairer(context.ir, context.sink).RewriteProgram(program);
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return repaired;
}

}  // namespace mxtile
