#include "passes/flatten_tile_nd_to_2d/tile_checks.h"

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/flatten_tile_nd_to_2d/flat_shapes.h"
#include "passes/ir_queries.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::TileType;

// These address elements or windows by one index an axis.
bool AddressesByAxis(absl::string_view op) {
  return op == "tile.read" || op == "tile.write" || op == "tile.slice";
}

// These reduce all rows to one; of a flat tile they would reduce its batches
// too.
bool ReducesRows(absl::string_view op) {
  static const auto* const ops = new absl::flat_hash_set<absl::string_view>{
      "tile.col_sum",  "tile.col_max",    "tile.col_min",
      "tile.col_prod", "tile.col_argmax", "tile.col_argmin"};
  return ops->contains(op);
}

std::string ShapeText(ir::Context& context, ir::Dims shape) {
  return ir::PrintExpr(context.NewTuple(shape));
}

class Checker {
 public:
  Checker(ir::Context& context, ir::DiagnosticSink* sink)
      : context_(context), sink_(sink) {}

  void Check(const ir::Stmt& stmt) {
    const Expr* whole = WholeExpr(stmt);
    ir::ForEachRootExpr(stmt, [&](const Expr* root) {
      ir::PostOrder(root, [&](const Expr* expr) {
        const Call* call = DynCast<Call>(expr);
        if (call == nullptr || call->callee->is_function) return;
        CheckCall(*call, PlaceOf(*call, stmt), call == whole);
      });
    });
  }

 private:
  void Error(absl::string_view rule, absl::string_view message) {
    sink_->Error(rule, place_, absl::StrCat(op_, message));
  }

  void CheckCall(const Call& call, ir::SourceSpan place, bool is_whole) {
    place_ = place;
    op_ = call.callee->name;
    const int errors = sink_->error_count();
    bool has_nd_tile = AsNdTile(call.type) != nullptr;
    CheckTile(call.type);
    for (const Expr* arg : call.args) {
      has_nd_tile = has_nd_tile || AsNdTile(arg->type) != nullptr;
      CheckTile(arg->type);
    }
    if (!has_nd_tile || sink_->error_count() > errors) return;
    if (!is_whole) {
      return Error("MX-FLAT2D-9",
                   " of a tile with more than two axes is part of another "
                   "expression; run flatten_call_expr first");
    }
    const TileType* first =
        call.args.empty() ? nullptr : AsNdTile(call.args[0]->type);
    if (first == nullptr) return;
    if (AddressesByAxis(op_) || ReducesRows(op_)) {
      return Error(AddressesByAxis(op_) ? "MX-FLAT2D-2" : "MX-FLAT2D-6",
                   absl::StrCat(" takes tiles with at most two axes, this one "
                                "has shape ",
                                ShapeText(context_, first->shape),
                                "; reshape it first"));
    }
    if (op_ == "tile.assemble") CheckAssemble(call, *first);
    if (op_ == "tile.transpose") CheckTranspose(call, *first);
  }

  void CheckTile(const ir::Type* type) {
    const TileType* tile = AsNdTile(type);
    if (tile == nullptr || !seen_.insert(type).second) return;
    if (!StaticProduct(tile->shape).has_value()) {
      return Error(
          "MX-FLAT2D-1",
          absl::StrCat(": a tile of shape ", ShapeText(context_, tile->shape),
                       " cannot be flattened: its dims have to be "
                       "positive constants; walk over the dynamic one "
                       "in steps, or reshape before the kernel"));
    }
    const ir::Dims valid = tile->EffectiveValidShape();
    if (valid.size() == tile->shape.size() &&
        !IsRowBand(context_, valid, tile->shape)) {
      Error(
          "MX-FLAT2D-7",
          absl::StrCat(": the valid region ", ShapeText(context_, valid),
                       " of a tile of shape ", ShapeText(context_, tile->shape),
                       " is no band of rows once the tile is flat; every axis "
                       "behind its first partial one, but the last, has to "
                       "be whole"));
    }
  }

  void CheckAssemble(const Call& call, const TileType& target) {
    const size_t rank = target.shape.size();
    const auto* source = DynCast<TileType>(call.args[1]->type);
    const auto* offset = DynCast<ir::Tuple>(call.args[2]);
    if (source == nullptr || offset == nullptr ||
        source->shape.size() != rank || offset->elements.size() != rank) {
      return Error(
          "MX-FLAT2D-3",
          absl::StrCat(" into a tile with ", rank,
                       " axes needs a source with as many and an "
                       "offset written in place with as many, here ",
                       source == nullptr ? 0 : source->shape.size(), " and ",
                       offset == nullptr ? 0 : offset->elements.size()));
    }
    if (IsRowBand(context_, source->shape, target.shape)) return;
    Error("MX-FLAT2D-4",
          absl::StrCat(" writes ", ShapeText(context_, source->shape), " into ",
                       ShapeText(context_, target.shape),
                       ", which is no contiguous row band once the tile is "
                       "flat; assemble it page by page"));
  }

  void CheckTranspose(const Call& call, const TileType& tile) {
    const int64_t rank = tile.shape.size();
    int64_t sum = 0;
    bool both_last = call.args.size() >= 3;
    for (size_t i = 1; i < call.args.size() && i < 3; ++i) {
      const ir::ConstInt* axis = ir::AsConstInt(call.args[i]);
      const int64_t value = axis == nullptr ? -1 : (axis->value + rank) % rank;
      both_last = both_last && value >= rank - 2;
      sum += value;
    }
    if (both_last && sum == 2 * rank - 3) return;
    Error("MX-FLAT2D-5",
          absl::StrCat(" of a tile with ", rank,
                       " axes swaps its last two only; reshape it so that the "
                       "axes to swap are the last"));
  }

  ir::Context& context_;
  ir::DiagnosticSink* sink_;
  // Types that have been checked.
  absl::flat_hash_set<const ir::Type*> seen_;
  // Of the call at hand.
  ir::SourceSpan place_;
  absl::string_view op_;
};

}  // namespace

void CheckNdTiles(const ir::Function& function, ir::Context& context,
                  ir::DiagnosticSink* sink) {
  Checker checker(context, sink);
  ir::ForEachStmt(function.body,
                  [&](const ir::Stmt* stmt) { checker.Check(*stmt); });
}

}  // namespace mxtile
