#include "passes/flatten_tile_nd_to_2d/batch_operands.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/verifier_walk.h"
#include "passes/flatten_tile_nd_to_2d/flat_shapes.h"
#include "passes/ir_queries.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::TileType;
using ir::Var;

// Whether a reshape changes how batches are counted and nothing else.
bool ChangesBatchAxesOnly(const Call& reshape) {
  const auto* to = DynCast<TileType>(reshape.type);
  const auto* from = DynCast<TileType>(reshape.args[0]->type);
  if (to == nullptr || from == nullptr) return false;
  const size_t to_rank = to->shape.size();
  const size_t from_rank = from->shape.size();
  if (to_rank < 2 || from_rank < 2) return false;
  const auto pages = [](const TileType& tile) {
    return StaticProduct(tile.shape.first(tile.shape.size() - 2));
  };
  return to->shape[to_rank - 1] == from->shape[from_rank - 1] &&
         to->shape[to_rank - 2] == from->shape[from_rank - 2] &&
         pages(*to).has_value() && pages(*to) == pages(*from);
}

bool ReadsRowBand(const Call& load, ir::Context& context) {
  const auto* tensor = DynCast<ir::TensorType>(load.args[0]->type);
  const auto* window =
      DynCast<ir::Tuple>(load.args[load.args.size() > 3 ? 3 : 2]);
  if (tensor == nullptr || window == nullptr ||
      window->elements.size() != tensor->shape.size() ||
      tensor->shape.size() <= 2) {
    return true;
  }
  return IsRowBand(context, window->elements, tensor->shape);
}

}  // namespace

int FirstBatchOperand(const Call& call) {
  if (call.callee->name == "tile.batch_matmul") return 0;
  return call.callee->name == "tile.batch_matmul_acc" ? 1 : -1;
}

BatchOperands::BatchOperands(const ir::Function& function, ir::Context& context,
                             std::optional<int64_t> mat_bytes)
    : context_(context), mat_bytes_(mat_bytes) {
  std::vector<const Call*> matmuls;
  ir::ForEachStmt(function.body, [&](const ir::Stmt* stmt) {
    const Expr* whole = WholeExpr(*stmt);
    const Call* call = whole == nullptr ? nullptr : DynCast<Call>(whole);
    if (call == nullptr) return;
    if (FirstBatchOperand(*call) >= 0) matmuls.push_back(call);
    if (const auto* assign = DynCast<ir::Assign>(stmt)) {
      definitions_[assign->var] = call;
    }
  });
  if (matmuls.empty()) return;
  ir::UseWalk walk;
  ir::ForEachStmt(function.body, [&](const ir::Stmt* stmt) {
    walk.ForEachUse(*stmt,
                    [this](const Var* var, const Expr*) { ++uses_[var]; });
  });
  FindFeeding(matmuls);
  FindDropped(matmuls);
}

const Call* BatchOperands::DefinedBy(const Expr* tile,
                                     absl::string_view op) const {
  const auto it = definitions_.find(tile);
  return it != definitions_.end() && it->second->callee->name == op ? it->second
                                                                    : nullptr;
}

BatchOperand BatchOperands::Trace(const Expr* tile) const {
  BatchOperand operand;
  const Call* reshape;
  while ((reshape = DefinedBy(tile, "tile.reshape")) != nullptr &&
         ChangesBatchAxesOnly(*reshape)) {
    tile = reshape->args[0];
  }
  operand.tile = tile;
  operand.type = DynCast<TileType>(tile->type);
  const Call* view = DefinedBy(tile, "tile.transpose_view");
  operand.is_view = view != nullptr;
  operand.load = DefinedBy(view != nullptr ? view->args[0] : tile, "tile.load");
  return operand;
}

bool BatchOperands::FitMat(const BatchOperand& a, const BatchOperand& b) const {
  if (!mat_bytes_.has_value()) return true;
  int64_t total = 0;
  for (const BatchOperand* operand : {&a, &b}) {
    const std::optional<int64_t> elements =
        operand->type == nullptr ? std::nullopt
                                 : StaticProduct(operand->type->shape);
    if (!elements.has_value()) return true;
    if (*elements > *mat_bytes_ * 2) return false;
    total += ir::SizeInBytes(operand->type->dtype, *elements);
  }
  return total <= *mat_bytes_;
}

std::vector<BatchOperand> BatchOperands::OperandsOf(const Call& call) const {
  const int first = FirstBatchOperand(call);
  std::vector<BatchOperand> sides = {Trace(call.args[first]),
                                     Trace(call.args[first + 1])};
  const bool fit = FitMat(sides[0], sides[1]);
  for (BatchOperand& side : sides) {
    side.stays_whole =
        side.load == nullptr || (fit && ReadsRowBand(*side.load, context_));
  }
  return sides;
}

void BatchOperands::FindFeeding(const std::vector<const Call*>& matmuls) {
  absl::flat_hash_map<const Expr*, int> matmul_uses;
  std::vector<const Expr*> worklist;
  for (const Call* call : matmuls) {
    const int first = FirstBatchOperand(*call);
    for (const int i : {first, first + 1}) {
      const Expr* tile = call->args[i];
      if (++matmul_uses[tile] == uses_[tile]) worklist.push_back(tile);
    }
  }
  while (!worklist.empty()) {
    const Expr* tile = worklist.back();
    worklist.pop_back();
    if (!feeding_.insert(tile).second) continue;
    const Call* source = DefinedBy(tile, "tile.transpose_view");
    if (source == nullptr) {
      source = DefinedBy(tile, "tile.reshape");
      if (source == nullptr || !ChangesBatchAxesOnly(*source)) continue;
      dropped_.insert(tile);
    }
    if (uses_[source->args[0]] == 1) worklist.push_back(source->args[0]);
  }
}

void BatchOperands::FindDropped(const std::vector<const Call*>& matmuls) {
  absl::flat_hash_set<const Expr*> whole;
  absl::flat_hash_set<const Expr*> by_page;
  for (const Call* call : matmuls) {
    for (const BatchOperand& side : OperandsOf(*call)) {
      absl::flat_hash_set<const Expr*>& set =
          side.stays_whole ? whole : by_page;
      set.insert(side.tile);
      if (side.is_view) {
        set.insert(DefinedBy(side.tile, "tile.transpose_view")->args[0]);
      }
    }
  }
  for (const Expr* tile : by_page) {
    if (feeding_.contains(tile) && !whole.contains(tile)) {
      dropped_.insert(tile);
    }
  }
}

}  // namespace mxtile
