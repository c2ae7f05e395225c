#include "passes/insert_mx_scale_addr/scale_binding_checker.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/type_walk.h"

namespace mxtile {
namespace {

using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::MemorySpace;
using ir::SourceSpan;
using ir::Stmt;
using ir::Var;

// What is known of one side of the cube: `scale` is bound to `data`, or, where
// they are null, `event` ended what was bound.
struct SideState {
  MemorySpace data_space;
  MemorySpace scale_space;
  const Var* scale = nullptr;
  const Var* data = nullptr;
  BindingEvent event = BindingEvent::kNone;
  SourceSpan span;

  bool Holds(const ir::Type& type) const {
    bool found = false;
    ir::ForEachLeafType(type, [&](const ir::Type& leaf) {
      const auto* tile = DynCast<ir::TileType>(&leaf);
      found = found || (tile != nullptr && (tile->space == data_space ||
                                            tile->space == scale_space));
    });
    return found;
  }
  void End(BindingEvent what, SourceSpan where) {
    scale = nullptr;
    data = nullptr;
    event = what;
    span = where;
  }
};

std::string Describe(BindingEvent event) {
  switch (event) {
    case BindingEvent::kNone:
      return "the beginning of the function";
    case BindingEvent::kBinding:
      return "another binding";
    case BindingEvent::kOperator:
      return "an operator on tiles of that side";
    case BindingEvent::kAlias:
      return "an alias of a tile of that side";
    case BindingEvent::kUnknownCode:
      return "a call";
    case BindingEvent::kBoundary:
      return "the begin or end of a body";
  }
  return "?";
}

std::string NameOf(const Expr* expr) {
  const Var* var = expr == nullptr ? nullptr : DynCast<Var>(expr);
  return var == nullptr ? "?" : std::string(var->name);
}

const Call* AsCallOf(const Expr* expr, absl::string_view op) {
  const Call* call = DynCast<Call>(expr);
  return call != nullptr && !call->callee->is_function &&
                 call->callee->name == op
             ? call
             : nullptr;
}

class Walker {
 public:
  std::vector<BindingFault> Run(const ir::Function& function) {
    Walk(function.body);
    return faults_;
  }

 private:
  void Walk(ir::Block block) {
    for (const Stmt* stmt : block) Visit(*stmt);
  }

  void Visit(const Stmt& stmt) {
    const auto* assign = DynCast<ir::Assign>(&stmt);
    const auto* eval = DynCast<ir::Eval>(&stmt);
    const Expr* value = assign != nullptr ? assign->value
                        : eval != nullptr ? eval->expr
                                          : nullptr;
    const Call* call = DynCast<Call>(value);
    if (call != nullptr && call->callee->def != nullptr &&
        !call->callee->def->mx_pairs.empty()) {
      for (const Expr* arg : call->args) {
        if (DynCast<Var>(arg) == nullptr) Disturb(arg, stmt);
      }
      return CheckMatmul(stmt, *call);
    }
    ir::ForEachRootExpr(stmt, [&](const Expr* root) { Disturb(root, stmt); });
    if (assign != nullptr) Bind(*assign);
    ir::ForEachBlock(stmt, [&](ir::Block body) {
      EndBoth(BindingEvent::kBoundary, stmt.span);
      Walk(body);
      EndBoth(BindingEvent::kBoundary, stmt.span);
    });
  }

  // ---- Events

  void EndBoth(BindingEvent event, SourceSpan span) {
    left_.End(event, span);
    right_.End(event, span);
  }

  // Whatever `root` does to either side.
  void Disturb(const Expr* root, const Stmt& stmt) {
    // Of a tuple in a variable only the item that is taken gets a name.
    const Expr* tuple = root;
    while (const auto* item = DynCast<ir::TupleItem>(tuple)) {
      tuple = item->tuple;
    }
    if (tuple != root && DynCast<Var>(tuple) != nullptr) {
      for (SideState* side : {&left_, &right_}) {
        if (side->Holds(*root->type))
          side->End(BindingEvent::kAlias, stmt.span);
      }
      return;
    }
    ir::PostOrder(root, [&](const Expr* expr) {
      const Call* call = DynCast<Call>(expr);
      const bool is_unknown =
          expr->kind == ir::ExprKind::kSubmit ||
          (call != nullptr &&
           (call->callee->is_function || call->callee->def == nullptr));
      if (is_unknown) EndBoth(BindingEvent::kUnknownCode, stmt.span);
      const bool is_binding = AsCallOf(expr, "tile.tget_scale_addr") != nullptr;
      for (SideState* side : {&left_, &right_}) {
        if (is_unknown || !Touches(*side, *expr)) continue;
        side->End(is_binding        ? BindingEvent::kBinding
                  : call != nullptr ? BindingEvent::kOperator
                                    : BindingEvent::kAlias,
                  stmt.span);
      }
    });
  }

  // Of a call, the arguments are looked at with it, so that it is the call that
  // is to blame.
  static bool Touches(const SideState& side, const Expr& expr) {
    bool touches = side.Holds(*expr.type);
    ir::ForEachOperand(expr, [&](const Expr* operand) {
      touches = touches || side.Holds(*operand->type);
    });
    return touches;
  }

  void Bind(const ir::Assign& assign) {
    const Call* call = AsCallOf(assign.value, "tile.tget_scale_addr");
    if (call == nullptr || call->args.size() != 2) return;
    for (SideState* side : {&left_, &right_}) {
      const auto* scale = DynCast<ir::TileType>(assign.var->type);
      const auto* data = DynCast<ir::TileType>(call->args[1]->type);
      if (scale == nullptr || scale->space != side->scale_space) continue;
      if (data == nullptr || data->space != side->data_space) continue;
      side->scale = assign.var;
      side->data = DynCast<Var>(call->args[1]);
      side->event = BindingEvent::kBinding;
      side->span = assign.span;
    }
  }

  // ---- Matmuls

  void CheckMatmul(const Stmt& stmt, const Call& call) {
    const std::vector<ir::MxPair>& pairs = call.callee->def->mx_pairs;
    for (size_t i = 0; i < pairs.size(); ++i) {
      CheckPair(stmt, call, pairs[i], /*is_left=*/i == 0);
    }
  }

  void CheckPair(const Stmt& stmt, const Call& call, const ir::MxPair& pair,
                 bool is_left) {
    const SideState& side = is_left ? left_ : right_;
    const auto operand = [&](int index) {
      return index < call.args.size() ? call.args[index] : nullptr;
    };
    const Expr* scale = operand(pair.scale_index);
    const Expr* data = operand(pair.data_index);
    if (side.scale != nullptr && side.data != nullptr && scale == side.scale &&
        data == side.data) {
      return;
    }
    BindingFault fault;
    fault.matmul = &stmt;
    fault.is_left = is_left;
    fault.event = side.event;
    fault.event_span = side.span;
    fault.message = absl::StrCat(
        call.callee->name, " reads its ", is_left ? "left" : "right",
        " scale '", NameOf(scale), "' with data '", NameOf(data), "': ",
        side.scale != nullptr
            ? absl::StrCat("'", NameOf(side.scale), "' is bound there, to '",
                           NameOf(side.data), "', at line ", side.span.line)
            : absl::StrCat("nothing is bound there since ",
                           Describe(side.event), " at line ", side.span.line));
    faults_.push_back(fault);
  }

  SideState left_ = {MemorySpace::kLeft, MemorySpace::kLeftScale};
  SideState right_ = {MemorySpace::kRight, MemorySpace::kRightScale};
  std::vector<BindingFault> faults_;
};

}  // namespace

std::vector<BindingFault> FindBindingFaults(const ir::Function& function) {
  return Walker().Run(function);
}

}  // namespace mxtile
