#ifndef IR_EXPR_WALK_H_
#define IR_EXPR_WALK_H_

// Walks over expressions without recursion: a sum may have 100,000 terms.
//
//   PostOrder(expr, [&](const Expr* e) { count += Isa<Var>(e); });

#include <utility>
#include <vector>

#include "ir/expr.h"

namespace mxtile::ir {

// Calls fn(expr) for each expression inside an attribute's value.
template <typename Fn>
void ForEachExprIn(const AttrValue& value, Fn& fn) {
  if (value.kind == AttrValue::Kind::kExpr) fn(value.expr);
  for (const AttrValue& item : value.list) ForEachExprIn(item, fn);
}

// Calls fn(child) for each direct operand, in order: arguments, then deps,
// core_num, predicate, then expressions inside kwargs and attributes. An iter
// arg's initial value belongs to its loop and is no operand.
template <typename Fn>
void ForEachOperand(const Expr& expr, Fn&& fn) {
  auto each = [&fn](Exprs exprs) {
    for (const Expr* e : exprs) fn(e);
  };
  auto each_attr = [&fn](Attrs attrs) {
    for (const Attr& attr : attrs) ForEachExprIn(attr.value, fn);
  };
  switch (expr.kind) {
    case ExprKind::kVar:
    case ExprKind::kIterArg:
    case ExprKind::kConstInt:
    case ExprKind::kConstFloat:
    case ExprKind::kConstBool:
      return;
    case ExprKind::kCall: {
      const auto& call = static_cast<const Call&>(expr);
      each(call.args);
      each_attr(call.kwargs);
      each_attr(call.attrs);
      return;
    }
    case ExprKind::kSubmit: {
      const auto& submit = static_cast<const Submit&>(expr);
      each(submit.args);
      each(submit.deps);
      if (submit.core_num != nullptr) fn(submit.core_num);
      if (submit.predicate != nullptr) fn(submit.predicate);
      each_attr(submit.kwargs);
      each_attr(submit.attrs);
      return;
    }
    case ExprKind::kTuple:
      return each(static_cast<const Tuple&>(expr).elements);
    case ExprKind::kTupleItem:
      return fn(static_cast<const TupleItem&>(expr).tuple);
    case ExprKind::kBinary: {
      const auto& binary = static_cast<const Binary&>(expr);
      fn(binary.lhs);
      return fn(binary.rhs);
    }
    case ExprKind::kUnary:
      return fn(static_cast<const Unary&>(expr).operand);
    case ExprKind::kCast:
      return fn(static_cast<const Cast&>(expr).operand);
  }
}

// Whether the expression never has operands: a variable or a constant.
inline bool IsLeaf(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kVar:
    case ExprKind::kIterArg:
    case ExprKind::kConstInt:
    case ExprKind::kConstFloat:
    case ExprKind::kConstBool:
      return true;
    default:
      return false;
  }
}

// Calls fn(node) for the expression and everything below it, operands before
// users and left before right.
template <typename Fn>
void PostOrder(const Expr* root, Fn&& fn) {
  // Most expressions are one operator on variables and constants, for which no
  // stack has to be allocated.
  bool is_flat = true;
  ForEachOperand(*root,
                 [&](const Expr* e) { is_flat = is_flat && IsLeaf(*e); });
  if (is_flat) {
    ForEachOperand(*root, [&](const Expr* e) { fn(e); });
    fn(root);
    return;
  }
  struct Entry {
    const Expr* expr;
    bool expanded;
  };
  std::vector<Entry> stack = {{root, false}};
  std::vector<const Expr*> operands;
  while (!stack.empty()) {
    Entry& top = stack.back();
    const Expr* expr = top.expr;
    if (top.expanded) {
      stack.pop_back();
      fn(expr);
      continue;
    }
    top.expanded = true;
    operands.clear();
    ForEachOperand(*expr, [&](const Expr* e) { operands.push_back(e); });
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
      stack.push_back({*it, false});
    }
  }
}

}  // namespace mxtile::ir

#endif  // IR_EXPR_WALK_H_
