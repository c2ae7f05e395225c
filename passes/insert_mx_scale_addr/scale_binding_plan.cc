#include "passes/insert_mx_scale_addr/scale_binding_plan.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/type_walk.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::MemorySpace;
using ir::MxPair;
using ir::Stmt;
using ir::TileType;
using ir::Var;

constexpr absl::string_view kBind = "tile.tget_scale_addr";
constexpr absl::string_view kArchitecture = "a5";

// ---- Sides of the cube

// The side whose buffers the space is a part of.
std::optional<CubeSide> SideOf(MemorySpace space) {
  switch (space) {
    case MemorySpace::kLeft:
    case MemorySpace::kLeftScale:
      return kLeftSide;
    case MemorySpace::kRight:
    case MemorySpace::kRightScale:
      return kRightSide;
    default:
      return std::nullopt;
  }
}

std::optional<MemorySpace> SpaceOf(const Expr* expr) {
  const TileType* tile = DynCast<TileType>(expr->type);
  return tile != nullptr ? tile->space : std::nullopt;
}

// The spaces of data and scale of a side.
MemorySpace DataSpace(CubeSide side) {
  return side == kLeftSide ? MemorySpace::kLeft : MemorySpace::kRight;
}
MemorySpace ScaleSpace(CubeSide side) {
  return side == kLeftSide ? MemorySpace::kLeftScale : MemorySpace::kRightScale;
}

// ---- Expressions

const Call* AsMxMatmul(const Expr* expr) {
  const ir::OpDef* def = OpDefOf(expr);
  return def != nullptr && !def->mx_pairs.empty() ? DynCast<Call>(expr)
                                                  : nullptr;
}

// The variable that is the operand, or null.
const Var* OperandVar(const Call& call, int index) {
  return index < call.args.size() ? DynCast<Var>(call.args[index]) : nullptr;
}

// p[0], p[1][0], ... of a variable p.
bool IsItemOfVariable(const Expr* expr) {
  const auto* item = DynCast<ir::TupleItem>(expr);
  if (item == nullptr) return false;
  while (const auto* inner = DynCast<ir::TupleItem>(item->tuple)) item = inner;
  return ir::Isa<Var>(item->tuple);
}

// Whether the expression's evaluation runs code that this pass does not see.
bool RunsUnknownCode(const Expr& expr) {
  if (expr.kind == ir::ExprKind::kSubmit) return true;
  const Call* call = DynCast<Call>(&expr);
  return call != nullptr && call->callee->def == nullptr;
}

// ---- Planning

class Planner {
 public:
  explicit Planner(PassContext& context)
      : context_(context), bind_(context.ir->GetOp(kBind)) {}

  void PlanFunction(const ir::Function& function) {
    function_ = function.name;
    PlanBlock(function.body);
  }

  ScaleBindingPlan TakePlan() { return std::move(plan_); }

 private:
  void PlanBlock(ir::Block block) {
    ForgetBoth();
    for (const Stmt* stmt : block) PlanStmt(*stmt);
    ForgetBoth();
  }

  void PlanStmt(const Stmt& stmt) {
    if (const Call* matmul = MxMatmulOf(stmt)) {
      PlanMatmul(stmt, *matmul);
      return;
    }
    ir::ForEachRootExpr(stmt, [&](const Expr* root) { Observe(root, stmt); });
    ir::ForEachBlock(stmt, [this](ir::Block block) { PlanBlock(block); });
  }

  // ---- What the sides remember

  void Forget(CubeSide side) { last_[side] = std::nullopt; }
  void ForgetBoth() {
    Forget(kLeftSide);
    Forget(kRightSide);
  }

  // Anything but an MX matmul, in `stmt`.
  void Observe(const Expr* root, const Stmt& stmt) {
    // An item is an alias of itself only, not of what is next to it.
    if (IsItemOfVariable(root)) return ForgetSidesIn(*root->type);
    ir::PostOrder(root, [&](const Expr* expr) {
      if (AsMxMatmul(expr) != nullptr) ReportNested(*expr, stmt);
      if (RunsUnknownCode(*expr)) ForgetBoth();
      ForgetSidesIn(*expr->type);
    });
  }

  void ForgetSidesIn(const ir::Type& type) {
    ir::ForEachLeafType(type, [this](const ir::Type& leaf) {
      const TileType* tile = DynCast<TileType>(&leaf);
      if (tile == nullptr || !tile->space.has_value()) return;
      const std::optional<CubeSide> side = SideOf(*tile->space);
      if (side.has_value()) Forget(*side);
    });
  }

  // ---- MX matmuls

  void PlanMatmul(const Stmt& stmt, const Call& matmul) {
    if (context_.options.target != kArchitecture) {
      ReportTarget(stmt, matmul);
      return;
    }
    for (const Expr* arg : matmul.args) {
      if (DynCast<Var>(arg) == nullptr) Observe(arg, stmt);
    }
    const std::vector<MxPair>& pairs = matmul.callee->def->mx_pairs;
    MX_CHECK(pairs.size() == kNumCubeSides) << matmul.callee->name;
    PlannedMatmul planned;
    std::vector<const Expr*> args(matmul.args.begin(), matmul.args.end());
    for (const CubeSide side : {kLeftSide, kRightSide}) {
      const std::optional<PlannedPair> bound =
          PlanPair(stmt, matmul, side, pairs[side]);
      if (!bound.has_value()) return;
      args[pairs[side].scale_index] = plan_.bindings[bound->binding].bound;
      planned.pairs[side] = *bound;
    }
    if (!Deduces(stmt, matmul, args)) return;
    plan_.matmuls.emplace(&stmt, planned);
  }

  // Whether the matmul takes these operands; reported otherwise. What it
  // returns is what it returned, as bound scales have the types of the scales.
  bool Deduces(const Stmt& stmt, const Call& matmul,
               const std::vector<const Expr*>& args) {
    const ir::OpDef& def = *matmul.callee->def;
    if (def.deduce == nullptr) return true;
    const absl::StatusOr<const ir::Type*> type =
        def.deduce({&def, args, matmul.kwargs, matmul.type}, *context_.ir);
    if (type.ok()) return true;
    context_.sink->Error(ir::RuleOf(type.status()), PlaceOf(matmul, stmt),
                         type.status().message());
    return false;
  }

  // Nullopt after an error.
  std::optional<PlannedPair> PlanPair(const Stmt& stmt, const Call& matmul,
                                      CubeSide side, const MxPair& pair) {
    const Var* data = OperandVar(matmul, pair.data_index);
    const Var* scale = OperandVar(matmul, pair.scale_index);
    if (data == nullptr || scale == nullptr) {
      ReportOperandIsNoVariable(
          stmt, matmul, data == nullptr ? pair.data_index : pair.scale_index);
      return std::nullopt;
    }
    if (SpaceOf(data) != DataSpace(side) ||
        SpaceOf(scale) != ScaleSpace(side)) {
      ReportSpaces(stmt, matmul, side, pair);
      return std::nullopt;
    }
    if (Remembers(side, scale, data)) {
      return PlannedPair{pair, *last_[side], /*is_first=*/false};
    }
    const std::optional<int> binding =
        Bind(side, scale, data, PlaceOf(matmul, stmt));
    if (!binding.has_value()) return std::nullopt;
    return PlannedPair{pair, *binding, /*is_first=*/true};
  }

  bool Remembers(CubeSide side, const Var* scale, const Var* data) const {
    if (!context_.options.reuse_scale_bindings || !last_[side].has_value()) {
      return false;
    }
    const PlannedBinding& last = plan_.bindings[*last_[side]];
    return last.scale == scale && last.data == data;
  }

  // Nullopt after an error.
  std::optional<int> Bind(CubeSide side, const Var* scale, const Var* data,
                          ir::SourceSpan span) {
    Call call;
    call.kind = ir::ExprKind::kCall;
    call.span = span;
    call.callee = bind_;
    call.args = context_.ir->ExprList({scale, data});
    call.type = scale->type;
    if (bind_->def != nullptr && bind_->def->deduce != nullptr) {
      const absl::StatusOr<const ir::Type*> type =
          bind_->def->deduce({bind_->def, call.args, {}}, *context_.ir);
      if (!type.ok()) {
        context_.sink->Error(ir::RuleOf(type.status()), span,
                             type.status().message());
        return std::nullopt;
      }
      call.type = *type;
    }
    PlannedBinding binding;
    binding.side = side;
    binding.scale = scale;
    binding.data = data;
    binding.bound = context_.ir->NewVar(absl::StrCat(scale->name, "_bound"),
                                        call.type, span);
    binding.value = context_.ir->New(call);
    binding.span = span;
    binding.function = function_;
    last_[side] = static_cast<int>(plan_.bindings.size());
    plan_.bindings.push_back(binding);
    return last_[side];
  }

  // ---- Refusals

  // Once a program: the target is wrong for all of it.
  void ReportTarget(const Stmt& stmt, const Call& matmul) {
    if (target_reported_) return;
    target_reported_ = true;
    context_.sink->Error(
        "MX-SCALEADDR-1", PlaceOf(matmul, stmt),
        absl::StrCat(matmul.callee->name, " is only supported on Ascend950 ('",
                     kArchitecture, "'), the target is '",
                     context_.options.target, "'"));
  }

  void ReportNested(const Expr& matmul, const Stmt& stmt) {
    context_.sink->Error(
        "MX-SCALEADDR-2", PlaceOf(matmul, stmt),
        absl::StrCat(ir::CheckedCast<Call>(&matmul)->callee->name,
                     " is an operand of another expression; assign it to a "
                     "variable, or run flatten_call_expr first"));
  }

  void ReportOperandIsNoVariable(const Stmt& stmt, const Call& matmul,
                                 int index) {
    context_.sink->Error(
        "MX-SCALEADDR-3", PlaceOf(matmul, stmt),
        absl::StrCat("operand ", index, " of ", matmul.callee->name,
                     " must be a variable; assign it to one, or run "
                     "flatten_call_expr first"));
  }

  void ReportSpaces(const Stmt& stmt, const Call& matmul, CubeSide side,
                    const MxPair& pair) {
    const auto describe = [&](int index) {
      const std::optional<MemorySpace> space = SpaceOf(matmul.args[index]);
      return absl::StrCat(
          "'", ir::CheckedCast<Var>(matmul.args[index])->name, "' in ",
          space.has_value() ? ir::EnumName(*space) : "no memory space");
    };
    context_.sink->Error(
        "MX-SCALEADDR-4", PlaceOf(matmul, stmt),
        absl::StrCat(matmul.callee->name, " has scale ",
                     describe(pair.scale_index), " and data ",
                     describe(pair.data_index), "; on its ", SideName(side),
                     " it takes a scale in ", ir::EnumName(ScaleSpace(side)),
                     " with data in ", ir::EnumName(DataSpace(side)),
                     ": run infer_tile_memory_space first"));
  }

  PassContext& context_;
  const ir::Callee* bind_;
  absl::string_view function_;
  std::array<std::optional<int>, kNumCubeSides> last_;  // Index of the binding.
  bool target_reported_ = false;
  ScaleBindingPlan plan_;
};

}  // namespace

absl::string_view SideName(CubeSide side) {
  return side == kLeftSide ? "left" : "right";
}

const Call* MxMatmulOf(const Stmt& stmt) { return AsMxMatmul(WholeExpr(stmt)); }

absl::StatusOr<ScaleBindingPlan> PlanScaleBindings(const ir::Program& program,
                                                   PassContext& context) {
  Planner planner(context);
  for (const ir::Function* function : program.functions) {
    if (ir::IsInCore(function->function_type)) planner.PlanFunction(*function);
  }
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return planner.TakePlan();
}

}  // namespace mxtile
