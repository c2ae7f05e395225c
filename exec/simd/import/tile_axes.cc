#include "exec/simd/import/tile_axes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "exec/window.h"
#include "ir/expr_walk.h"

namespace mxtile::exec::simd {
namespace {

std::optional<TileExtent> ExtentOf(const ir::Type* type) {
  const auto* tile = ir::DynCast<ir::TileType>(type);
  if (tile == nullptr) return std::nullopt;
  std::vector<int64_t> sizes;
  for (const ir::Expr* dim : tile->shape) {
    const ir::ConstInt* size = ir::AsConstInt(dim);
    if (size == nullptr) return std::nullopt;
    sizes.push_back(size->value);
  }
  return FoldedExtent(sizes);
}

}  // namespace

TileAxes TileAxes::Of(const ir::Function& function, const OpTable& table) {
  TileAxes axes(table);
  axes.VisitBlock(function.body);
  return axes;
}

const AxisPair* TileAxes::Find(const ir::Expr* expr) const {
  const auto it = axes_.find(expr);
  return it == axes_.end() ? nullptr : &it->second;
}

DimId TileAxes::DimOf(const TileAxis& axis, TileProgramBuilder& builder) {
  if (axis.extent == 1) return kNoDim;
  Node& root = nodes_[Root(axis.node)];
  if (root.dim == kNoDim) root.dim = builder.AddDim(root.name, axis.extent);
  return root.dim;
}

// ---- union

TileAxis TileAxes::NewAxis(int64_t extent, absl::string_view name) {
  const int node = static_cast<int>(nodes_.size());
  nodes_.push_back({node, {}, std::string(name), kNoDim});
  return {node, extent};
}

AxisPair TileAxes::NewPair(int64_t rows, int64_t cols) {
  const AxisPair axes = {NewAxis(rows, ""), NewAxis(cols, "")};
  KeepApart(axes.rows, axes.cols);
  return axes;
}

void TileAxes::KeepApart(const TileAxis& a, const TileAxis& b) {
  const int x = Root(a.node);
  const int y = Root(b.node);
  if (a.extent == 1 || b.extent == 1 || x == y) return;
  nodes_[x].apart.insert(y);
  nodes_[y].apart.insert(x);
}

int TileAxes::Root(int node) const {
  while (nodes_[node].parent != node) {
    nodes_[node].parent = nodes_[nodes_[node].parent].parent;
    node = nodes_[node].parent;
  }
  return node;
}

void TileAxes::Unite(const TileAxis& a, const TileAxis& b) {
  if (a.extent != b.extent || a.extent == 1) return;
  const int from = Root(std::max(a.node, b.node));
  const int to = Root(std::min(a.node, b.node));
  if (from == to || nodes_[to].apart.contains(from)) return;
  nodes_[from].parent = to;
  for (const int other : nodes_[from].apart) {
    nodes_[other].apart.erase(from);
    nodes_[other].apart.insert(to);
    nodes_[to].apart.insert(other);
  }
  if (nodes_[to].name.empty()) nodes_[to].name = nodes_[from].name;
}

void TileAxes::Unite(const AxisPair& a, const AxisPair& b) {
  Unite(a.rows, b.rows);
  Unite(a.cols, b.cols);
}

void TileAxes::Name(const AxisPair& axes, absl::string_view name) {
  for (const bool is_row : {true, false}) {
    std::string& dim =
        nodes_[Root(is_row ? axes.rows.node : axes.cols.node)].name;
    if (dim.empty()) dim = absl::StrCat(name, is_row ? ".rows" : ".cols");
  }
}

// ---- statements

void TileAxes::VisitBlock(ir::Block block) {
  for (const ir::Stmt* stmt : block) VisitStmt(*stmt);
}

void TileAxes::VisitStmt(const ir::Stmt& stmt) {
  switch (stmt.kind) {
    case ir::StmtKind::kAssign: {
      const auto& assign = static_cast<const ir::Assign&>(stmt);
      VisitExpr(assign.value);
      const AxisPair* axes = Find(assign.value);
      if (axes == nullptr) return;
      const AxisPair value = *axes;
      Name(value, assign.var->name);
      const auto [it, is_new] = axes_.emplace(assign.var, value);
      if (!is_new) Unite(AxisPair(it->second), value);
      return;
    }
    case ir::StmtKind::kEval:
      return VisitExpr(static_cast<const ir::Eval&>(stmt).expr);
    case ir::StmtKind::kIf:
      return VisitIf(static_cast<const ir::If&>(stmt));
    case ir::StmtKind::kFor:
      return VisitLoop(static_cast<const ir::For&>(stmt));
    case ir::StmtKind::kYield:
      for (const ir::Expr* value : static_cast<const ir::Yield&>(stmt).values) {
        VisitExpr(value);
      }
      return;
    default:
      return;
  }
}

void TileAxes::VisitLoop(const ir::For& loop) {
  for (const ir::IterArg* arg : loop.iter_args) {
    VisitExpr(arg->init);
    const AxisPair* init = Find(arg->init);
    if (init == nullptr) continue;
    const AxisPair outer = *init;
    const AxisPair inner = NewPair(outer.rows.extent, outer.cols.extent);
    Unite(inner, outer);
    axes_[arg] = inner;
  }
  VisitBlock(loop.body);
  const ir::Yield* yield = ir::TrailingYield(loop.body);
  for (size_t i = 0; i < loop.iter_args.size(); ++i) {
    const AxisPair* arg = Find(loop.iter_args[i]);
    if (arg == nullptr) continue;
    const AxisPair axes = *arg;
    if (yield != nullptr && i < yield->values.size()) {
      const AxisPair* next = Find(yield->values[i]);
      if (next != nullptr) Unite(axes, AxisPair(*next));
    }
    if (i < loop.return_vars.size()) axes_[loop.return_vars[i]] = axes;
  }
}

void TileAxes::VisitIf(const ir::If& branch) {
  VisitExpr(branch.condition);
  VisitBlock(branch.then_body);
  VisitBlock(branch.else_body);
  for (const ir::Block body : {branch.then_body, branch.else_body}) {
    const ir::Yield* yield = ir::TrailingYield(body);
    if (yield == nullptr) continue;
    const size_t count =
        std::min(branch.return_vars.size(), yield->values.size());
    for (size_t i = 0; i < count; ++i) {
      const AxisPair* axes = Find(yield->values[i]);
      if (axes == nullptr) continue;
      const AxisPair value = *axes;
      const auto [it, is_new] = axes_.emplace(branch.return_vars[i], value);
      if (!is_new) Unite(AxisPair(it->second), value);
    }
  }
}

// ---- expressions

void TileAxes::VisitExpr(const ir::Expr* root) {
  ir::PostOrder(root, [&](const ir::Expr* expr) {
    if (const auto* call = ir::DynCast<ir::Call>(expr)) VisitCall(*call);
    if (ir::Isa<ir::Var>(expr)) ++uses_[expr];
  });
}

void TileAxes::CountScratch(const ir::Call& call, const OpInfo& info) {
  switch (info.family) {
    case OpFamily::kUnary:
    case OpFamily::kRowReduction:
    case OpFamily::kColReduction:
    case OpFamily::kRowExpansion:
    case OpFamily::kSelect:
    case OpFamily::kSelectScalar:
      for (size_t i = info.values; i < call.args.size(); ++i) {
        ++scratch_uses_[call.args[i]];
      }
      return;
    default:
      return;
  }
}

bool TileAxes::IsScratch(const ir::Var* var) const {
  const auto uses = uses_.find(var);
  const auto scratch = scratch_uses_.find(var);
  return uses == uses_.end() ||
         (scratch != scratch_uses_.end() && scratch->second == uses->second);
}

void TileAxes::VisitCall(const ir::Call& call) {
  const OpInfo* info = table_.Find(call.callee->def);
  if (info == nullptr) return;
  CountScratch(call, *info);
  const auto arg = [&](int index) {
    return index >= 0 && index < static_cast<int>(call.args.size())
               ? Find(call.args[index])
               : nullptr;
  };
  const AxisPair* first = arg(0);
  switch (info->family) {
    case OpFamily::kMatmul:
      return VisitMatmul(call, info->roles);
    case OpFamily::kSame:
      if (first != nullptr) axes_[&call] = AxisPair(*first);
      return;
    case OpFamily::kTranspose:
      if (first != nullptr) {
        const AxisPair swapped = {first->cols, first->rows};
        axes_[&call] = swapped;
      }
      return;
    case OpFamily::kReshape: {
      const std::optional<TileExtent> extent = ExtentOf(call.type);
      if (first == nullptr || !extent.has_value()) return;
      const AxisPair tile = *first;
      AxisPair result = NewPair(extent->rows, extent->cols);
      // A vector stays one, lying or standing.
      const TileAxis& from = tile.rows.extent == 1 ? tile.cols : tile.rows;
      const TileAxis& to = extent->rows == 1 ? result.cols : result.rows;
      if ((tile.rows.extent == 1 || tile.cols.extent == 1) &&
          (extent->rows == 1 || extent->cols == 1)) {
        Unite(from, to);
      } else {
        Unite(result, tile);
      }
      axes_[&call] = result;
      return;
    }
    case OpFamily::kRowReduction:
    case OpFamily::kColReduction: {
      if (first == nullptr) return;
      const AxisPair tile = *first;
      const bool by_rows = info->family == OpFamily::kRowReduction;
      const AxisPair result =
          by_rows ? NewPair(tile.rows.extent, 1) : NewPair(1, tile.cols.extent);
      Unite(result, tile);
      axes_[&call] = result;
      return;
    }
    case OpFamily::kCompare:
    case OpFamily::kMaskLogic: {
      if (first == nullptr) return;
      int64_t rows = first->rows.extent;
      int64_t cols = first->cols.extent;
      if (const AxisPair* second = arg(1)) {
        if (rows == 1) rows = second->rows.extent;
        if (cols == 1) cols = second->cols.extent;
      }
      axes_[&call] = NewPair(rows, cols);
      break;
    }
    default: {
      const std::optional<TileExtent> extent = ExtentOf(call.type);
      if (!extent.has_value()) return;
      axes_[&call] = NewPair(extent->rows, extent->cols);
    }
  }
  const AxisPair result = axes_[&call];
  for (int i = 0; i < info->values; ++i) {
    if (const AxisPair* tile = arg(i)) Unite(result, AxisPair(*tile));
  }
}

void TileAxes::VisitMatmul(const ir::Call& call, const MatmulRoles& roles) {
  const auto arg = [&](int index) -> std::optional<AxisPair> {
    if (index < 0 || index >= static_cast<int>(call.args.size())) {
      return std::nullopt;
    }
    const AxisPair* axes = Find(call.args[index]);
    if (axes == nullptr) return std::nullopt;
    return *axes;
  };
  const std::optional<AxisPair> lhs = arg(roles.lhs);
  const std::optional<AxisPair> rhs = arg(roles.rhs);
  if (!lhs.has_value() || !rhs.has_value()) return;
  const AxisPair result = NewPair(lhs->rows.extent, rhs->cols.extent);
  axes_[&call] = result;
  Unite(lhs->cols, rhs->rows);
  Unite(result.rows, lhs->rows);
  Unite(result.cols, rhs->cols);
  KeepApart(result.rows, lhs->cols);
  KeepApart(result.cols, lhs->cols);
  if (const auto acc = arg(roles.acc)) Unite(result, *acc);
  if (const auto bias = arg(roles.bias)) Unite(result.cols, bias->cols);
  const std::optional<AxisPair> lhs_scale = arg(roles.lhs_scale);
  const std::optional<AxisPair> rhs_scale = arg(roles.rhs_scale);
  if (!lhs_scale.has_value() || !rhs_scale.has_value()) return;
  KeepApart(result.rows, lhs_scale->cols);
  KeepApart(result.cols, lhs_scale->cols);
  Unite(lhs_scale->rows, lhs->rows);
  Unite(rhs_scale->cols, rhs->cols);
  Unite(lhs_scale->cols, rhs_scale->rows);
}

}  // namespace mxtile::exec::simd
