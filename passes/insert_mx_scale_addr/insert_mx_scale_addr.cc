#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/rule_error.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/type_walk.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"
#include "passes/property.h"

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

enum Side { kLeft, kRight };
constexpr int kNumSides = 2;

absl::string_view SideName(Side side) {
  return side == kLeft ? "left" : "right";
}

// The side whose buffers the space is a part of.
std::optional<Side> SideOf(MemorySpace space) {
  switch (space) {
    case MemorySpace::kLeft:
    case MemorySpace::kLeftScale:
      return kLeft;
    case MemorySpace::kRight:
    case MemorySpace::kRightScale:
      return kRight;
    default:
      return std::nullopt;
  }
}

std::optional<MemorySpace> SpaceOf(const Expr* expr) {
  const TileType* tile = DynCast<TileType>(expr->type);
  return tile != nullptr ? tile->space : std::nullopt;
}

// The side that an MX matmul reads the pair from; nullopt when the two tiles
// do not belong together.
std::optional<Side> SideOfPair(const Expr* data, const Expr* scale) {
  const std::optional<MemorySpace> space = SpaceOf(data);
  if (space == MemorySpace::kLeft &&
      SpaceOf(scale) == MemorySpace::kLeftScale) {
    return kLeft;
  }
  if (space == MemorySpace::kRight &&
      SpaceOf(scale) == MemorySpace::kRightScale) {
    return kRight;
  }
  return std::nullopt;
}

// ---- Statements

const Call* AsMxMatmul(const Expr* expr) {
  const ir::OpDef* def = OpDefOf(expr);
  return def != nullptr && !def->mx_pairs.empty() ? DynCast<Call>(expr)
                                                  : nullptr;
}

// The MX matmul that the statement consists of, or null.
const Call* MxMatmulOf(const Stmt& stmt) { return AsMxMatmul(WholeExpr(stmt)); }

const Stmt* WithMxMatmul(const Stmt& stmt, const Call* matmul,
                         ir::Context& context) {
  if (const ir::Assign* assign = DynCast<ir::Assign>(&stmt)) {
    ir::Assign copy = *assign;
    copy.value = matmul;
    return context.New(copy);
  }
  ir::Eval copy = *ir::CheckedCast<ir::Eval>(&stmt);
  copy.expr = matmul;
  return context.New(copy);
}

// The variable that is the operand, or null.
const Var* OperandVar(const Call& call, int index) {
  return index < call.args.size() ? DynCast<Var>(call.args[index]) : nullptr;
}

// Whether the expression's evaluation runs code that this pass does not see.
bool RunsUnknownCode(const Expr& expr) {
  if (expr.kind == ir::ExprKind::kSubmit) return true;
  const Call* call = DynCast<Call>(&expr);
  return call != nullptr && call->callee->def == nullptr;
}

// ---- Plan: which matmul uses which binding

// One tile.tget_scale_addr to insert.
struct Binding {
  Side side;
  const Var* scale;
  const Var* data;
  const Var* bound;
  const Expr* value;
  ir::SourceSpan span;  // Of the matmul that it stands in front of.
  absl::string_view function;
  bool dropped = false;  // InjectedFault::kDropBinding.
};

struct PlannedPair {
  MxPair pair;
  int binding;    // Index into Plan::bindings.
  bool is_first;  // Inserted in front of this matmul, not reused.
};

struct Plan {
  std::vector<Binding> bindings;  // In program order.
  // By the statements that are MX matmuls.
  absl::flat_hash_map<const Stmt*, std::vector<PlannedPair>> matmuls;
};

class Planner {
 public:
  explicit Planner(PassContext& context)
      : context_(context), bind_(context.ir->GetOp(kBind)) {}

  void PlanFunction(const ir::Function& function) {
    function_ = function.name;
    PlanBlock(function.body);
  }

  Plan TakePlan() { return std::move(plan_); }

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

  void Forget(Side side) { last_[side] = std::nullopt; }
  void ForgetBoth() {
    Forget(kLeft);
    Forget(kRight);
  }

  // Anything but an MX matmul, in `stmt`.
  void Observe(const Expr* root, const Stmt& stmt) {
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
      const std::optional<Side> side = SideOf(*tile->space);
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
    std::vector<PlannedPair> planned;
    for (const MxPair& pair : matmul.callee->def->mx_pairs) {
      const std::optional<PlannedPair> bound = PlanPair(stmt, matmul, pair);
      if (!bound.has_value()) return;
      planned.push_back(*bound);
    }
    plan_.matmuls.emplace(&stmt, std::move(planned));
  }

  // Nullopt after an error.
  std::optional<PlannedPair> PlanPair(const Stmt& stmt, const Call& matmul,
                                      const MxPair& pair) {
    const Var* data = OperandVar(matmul, pair.data_index);
    const Var* scale = OperandVar(matmul, pair.scale_index);
    if (data == nullptr || scale == nullptr) {
      ReportOperandIsNoVariable(
          stmt, matmul, data == nullptr ? pair.data_index : pair.scale_index);
      return std::nullopt;
    }
    const std::optional<Side> side = SideOfPair(data, scale);
    if (!side.has_value()) {
      ReportSpaces(stmt, matmul, pair);
      return std::nullopt;
    }
    if (Remembers(*side, scale, data)) {
      return PlannedPair{pair, *last_[*side], /*is_first=*/false};
    }
    const std::optional<int> binding =
        Bind(*side, scale, data, PlaceOf(matmul, stmt));
    if (!binding.has_value()) return std::nullopt;
    return PlannedPair{pair, *binding, /*is_first=*/true};
  }

  bool Remembers(Side side, const Var* scale, const Var* data) const {
    if (!context_.options.reuse_scale_bindings || !last_[side].has_value()) {
      return false;
    }
    const Binding& last = plan_.bindings[*last_[side]];
    return last.scale == scale && last.data == data;
  }

  // Nullopt after an error.
  std::optional<int> Bind(Side side, const Var* scale, const Var* data,
                          ir::SourceSpan span) {
    Call call;
    call.kind = ir::ExprKind::kCall;
    call.span = span;
    call.callee = bind_;
    call.args = context_.ir->ExprList({scale, data});
    call.type = scale->type;
    if (bind_->def != nullptr) {
      const absl::StatusOr<const ir::Type*> type =
          bind_->def->deduce({bind_->def, call.args, {}}, *context_.ir);
      if (!type.ok()) {
        context_.sink->Error(ir::RuleOf(type.status()), span,
                             type.status().message());
        return std::nullopt;
      }
      call.type = *type;
    }
    Binding binding;
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
                     "variable, or run PyPTO's flatten_call_expr first"));
  }

  void ReportOperandIsNoVariable(const Stmt& stmt, const Call& matmul,
                                 int index) {
    context_.sink->Error(
        "MX-SCALEADDR-3", PlaceOf(matmul, stmt),
        absl::StrCat("operand ", index, " of ", matmul.callee->name,
                     " must be a variable; assign it to one, or run "
                     "PyPTO's flatten_call_expr first"));
  }

  void ReportSpaces(const Stmt& stmt, const Call& matmul, const MxPair& pair) {
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
                     describe(pair.data_index),
                     "; it takes LeftScale with Left or RightScale with Right: "
                     "run infer_tile_memory_space first"));
  }

  PassContext& context_;
  const ir::Callee* bind_;
  absl::string_view function_;
  std::array<std::optional<int>, kNumSides> last_;  // Index of the binding.
  bool target_reported_ = false;
  Plan plan_;
};

absl::StatusOr<Plan> MakePlan(const ir::Program& program,
                              PassContext& context) {
  Planner planner(context);
  for (const ir::Function* function : program.functions) {
    if (ir::IsInCore(function->function_type)) planner.PlanFunction(*function);
  }
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return planner.TakePlan();
}

void DropLastLeftBinding(Plan& plan) {
  for (auto it = plan.bindings.rbegin(); it != plan.bindings.rend(); ++it) {
    if (it->side != kLeft) continue;
    it->dropped = true;
    return;
  }
}

void RecordFindings(const Plan& plan, PassFindings* findings) {
  for (const Binding& binding : plan.bindings) {
    if (binding.dropped) continue;
    findings->bindings.push_back({binding.span, std::string(binding.function),
                                  std::string(binding.scale->name),
                                  std::string(binding.data->name),
                                  std::string(SideName(binding.side))});
  }
}

// ---- Rewrite

class BindingInserter : public ir::Rewriter {
 public:
  BindingInserter(ir::Context* context, const Plan* plan)
      : Rewriter(context), plan_(*plan) {}

 protected:
  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const auto planned = plan_.matmuls.find(stmt);
    if (planned == plan_.matmuls.end()) {
      Rewriter::RewriteStmt(stmt, out);
      return;
    }
    const Call& matmul = *MxMatmulOf(*stmt);
    std::vector<const Expr*> args(matmul.args.begin(), matmul.args.end());
    for (const PlannedPair& pair : planned->second) {
      const Binding& binding = plan_.bindings[pair.binding];
      if (binding.dropped) continue;
      if (pair.is_first) out->push_back(AssignmentOf(binding));
      args[pair.pair.scale_index] = binding.bound;
    }
    Call rewritten = matmul;
    rewritten.args = context().List(args);
    out->push_back(WithMxMatmul(*stmt, context().New(rewritten), context()));
  }

 private:
  const Stmt* AssignmentOf(const Binding& binding) {
    ir::Assign assign;
    assign.kind = ir::StmtKind::kAssign;
    assign.span = binding.span;
    assign.var = binding.bound;
    assign.value = binding.value;
    return context().New(assign);
  }

  const Plan& plan_;
};

PropertySet Preserved() {
  return {Property::kSsaForm, Property::kIncoreTileOps,
          Property::kTileMemoryInferred};
}

}  // namespace

PropertySet InsertMxScaleAddr::required() const { return Preserved(); }
PropertySet InsertMxScaleAddr::produced() const { return Preserved(); }

absl::StatusOr<const ir::Program*> InsertMxScaleAddr::Run(
    const ir::Program* program, PassContext& context) const {
  MX_ASSIGN_OR_RETURN(Plan plan, MakePlan(*program, context));
  if (context.options.fault == InjectedFault::kDropBinding) {
    DropLastLeftBinding(plan);
  }
  RecordFindings(plan, &context.findings);
  return BindingInserter(context.ir, &plan).RewriteProgram(program);
}

}  // namespace mxtile
