#ifndef IR_VERIFIER_WALK_H_
#define IR_VERIFIER_WALK_H_

// What the checks of ir/verifier.h share: walks over the uses of variables,
// fast on programs of a million statements.
//
//   UseWalk walk;
//   walk.ForEachUse(*stmt, [&](const Var* var, const Expr* root) { ... });

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "ir/type_walk.h"

namespace mxtile::ir {

// Calls a function for each variable that is used. What a walk has to remember
// is kept from one walk to the next, so that a short one allocates nothing.
class UseWalk {
 public:
  // fn(var, root): for each variable that the statement's own expressions use,
  // in order; `root` is the expression in which it stands.
  template <typename Fn>
  void ForEachUse(const Stmt& stmt, Fn&& fn) {
    ForEachRootExpr(stmt, [&](const Expr* root) {
      InExpr(root, [&](const Var* var) { fn(var, root); });
    });
  }

  // fn(var): for each variable in the expression, from left to right.
  template <typename Fn>
  void InExpr(const Expr* root, Fn&& fn) {
    if (VisitLeaf(root, fn)) return;
    const size_t bottom = stack_.size();
    stack_.push_back(root);
    while (stack_.size() > bottom) {
      const Expr* expr = stack_.back();
      stack_.pop_back();
      if (VisitLeaf(expr, fn)) continue;
      // Leaves in front of the first operand that has operands of its own are
      // visited at once; the others wait, the first one on top.
      const size_t first = stack_.size();
      ForEachOperand(*expr, [&](const Expr* operand) {
        if (stack_.size() > first || !VisitLeaf(operand, fn)) {
          stack_.push_back(operand);
        }
      });
      std::reverse(stack_.begin() + first, stack_.end());
    }
  }

  // fn(var): for each variable that the type names.
  template <typename Fn>
  void InType(const Type& type, Fn&& fn) {
    if (type.kind == TypeKind::kScalar || &type == last_closed_) return;
    if (&type != last_open_ && closed_.contains(&type)) {
      last_closed_ = &type;
      return;
    }
    bool is_closed = true;
    ForEachDim(type, [&](const Expr* dim) {
      InExpr(dim, [&](const Var* var) {
        is_closed = false;
        fn(var);
      });
    });
    if (is_closed) {
      closed_.insert(&type);
    } else {
      last_open_ = &type;
    }
  }

 private:
  // Whether the expression has no operands; calls fn if it is a variable.
  template <typename Fn>
  static bool VisitLeaf(const Expr* expr, Fn& fn) {
    switch (expr->kind) {
      case ExprKind::kVar:
      case ExprKind::kIterArg:
        fn(static_cast<const Var*>(expr));
        return true;
      case ExprKind::kConstInt:
      case ExprKind::kConstFloat:
      case ExprKind::kConstBool:
        return true;
      default:
        return false;
    }
  }

  std::vector<const Expr*> stack_;
  // Types without variables. Types are few, and one object each.
  absl::flat_hash_set<const Type*> closed_;
  const Type* last_closed_ = nullptr;
  const Type* last_open_ = nullptr;
};

// The yield with which a body ends, also where scopes are around it.
inline const Yield* YieldAtEnd(Block block) {
  while (!block.empty()) {
    const Scope* scope = DynCast<Scope>(block.back());
    if (scope == nullptr) break;
    block = scope->body;
  }
  return TrailingYield(block);
}

// The place of an expression: its own, or that of the statement around it.
// Constants and compiler-made nodes have none; that of a variable is where it
// is defined.
inline SourceSpan PlaceOf(const Expr* expr, const Stmt& stmt) {
  return expr->span.known() && !Isa<Var>(expr) ? expr->span : stmt.span;
}

}  // namespace mxtile::ir

#endif  // IR_VERIFIER_WALK_H_
