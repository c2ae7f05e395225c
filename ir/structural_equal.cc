#include "ir/structural_equal.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/var_table.h"

namespace mxtile::ir {
namespace {

// Compares two functions. Each Same... returns whether the parts agree; the
// first disagreement is kept in `difference_`.
class Comparer {
 public:
  bool SameFunctions(const Function& a, const Function& b);
  void Correspond(const Var* a, const Var* b) {
    forward_[a] = b;
    backward_[b] = a;
  }
  std::optional<Difference> TakeDifference() { return std::move(difference_); }

 private:
  // A step of the path to what is compared, ".args[2]" or ".value". Most are
  // never shown, so that their text is made for the difference only.
  struct PathStep {
    absl::string_view name;
    std::optional<size_t> index;
  };

  // Adds a step to the path while it lives. The name must live as long.
  class Step {
   public:
    Step(Comparer* comparer, absl::string_view name,
         std::optional<size_t> index = std::nullopt)
        : comparer_(comparer) {
      comparer_->path_.push_back({name, index});
    }
    ~Step() { comparer_->path_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Comparer* comparer_;
  };

  std::string PathText() const {
    std::string text;
    for (const PathStep& step : path_) {
      absl::StrAppend(&text, step.name);
      if (step.index.has_value()) absl::StrAppend(&text, "[", *step.index, "]");
    }
    return text;
  }

  bool Differ(absl::string_view lhs, absl::string_view rhs) {
    if (!difference_.has_value()) {
      difference_ = Difference{PathText(), std::string(lhs), std::string(rhs),
                               lhs_span_, rhs_span_};
    }
    return false;
  }
  bool DifferExprs(const Expr* a, const Expr* b) {
    return Differ(a == nullptr ? "nothing" : PrintExpr(a),
                  b == nullptr ? "nothing" : PrintExpr(b));
  }
  // Differ, with one more step on the path.
  bool DifferIn(absl::string_view where, absl::string_view lhs,
                absl::string_view rhs) {
    Step step(this, where);
    return Differ(lhs, rhs);
  }
  bool SameCount(size_t a, size_t b, absl::string_view what) {
    return a == b ||
           Differ(absl::StrCat(a, " ", what), absl::StrCat(b, " ", what));
  }

  bool SameVar(const Var* a, const Var* b) {
    const Var* partner = forward_[a];
    if (partner == nullptr && backward_[b] == nullptr) {
      return a == b || a->name == b->name;  // Neither is defined anywhere.
    }
    return partner == b;
  }
  bool DefineVars(const Var* a, const Var* b, absl::string_view where,
                  std::optional<size_t> index = std::nullopt);

  // The first difference inside two expressions: the way to it, by the numbers
  // of operands, and what stands there.
  struct ExprDifference {
    absl::InlinedVector<size_t, 8> way;
    const Expr* lhs;
    const Expr* rhs;
  };
  bool SameNode(const Expr* a, const Expr* b);
  bool SameFields(const Expr* a, const Expr* b);
  std::optional<ExprDifference> FindExprDifference(const Expr* a,
                                                   const Expr* b);
  bool EqualExprs(const Expr* a, const Expr* b) {
    return !FindExprDifference(a, b).has_value();
  }
  bool EqualOptional(const Expr* a, const Expr* b) {
    return a == nullptr || b == nullptr ? a == b : EqualExprs(a, b);
  }
  bool SameExprs(const Expr* a, const Expr* b);
  bool SameDims(Dims a, Dims b);
  bool SameMemRef(const MemRef* a, const MemRef* b);
  bool SameTensorView(const TensorView* a, const TensorView* b);
  bool SameTileView(const TileView* a, const TileView* b);
  bool EqualTypes(const Type* a, const Type* b);
  bool SameTypes(const Type* a, const Type* b) {
    return EqualTypes(a, b) || Differ(PrintType(a), PrintType(b));
  }
  bool EqualAttrValues(const AttrValue& a, const AttrValue& b);
  bool EqualAttrs(Attrs a, Attrs b);
  bool SameAttrs(Attrs a, Attrs b, absl::string_view where);
  bool SameBlocks(Block a, Block b, absl::string_view name);
  bool SameStmts(const Stmt* a, const Stmt* b);
  bool SameLoops(const For& a, const For& b);
  bool SameWhiles(const While& a, const While& b);
  bool SameIfs(const If& a, const If& b);
  bool SameScopes(const Scope& a, const Scope& b);
  bool DefineOptional(const Var* a, const Var* b, absl::string_view where);
  bool SameIterArgs(absl::Span<const IterArg* const> a,
                    absl::Span<const IterArg* const> b);
  bool SameResults(Vars a, Vars b);
  bool SameValueLists(Exprs a, Exprs b, absl::string_view name);
  bool SameField(const Expr* a, const Expr* b, absl::string_view name) {
    Step step(this, name);
    return SameExprs(a, b);
  }

  VarTable<const Var*> forward_;
  VarTable<const Var*> backward_;
  std::vector<PathStep> path_;
  SourceSpan lhs_span_;
  SourceSpan rhs_span_;
  std::optional<Difference> difference_;
};

// ---- Types

bool Comparer::SameDims(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const ConstInt* x = AsConstInt(a[i]);
    const ConstInt* y = AsConstInt(b[i]);
    if (x != nullptr && y != nullptr) {
      if (x->value != y->value) return false;
    } else if (!EqualExprs(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

bool Comparer::SameMemRef(const MemRef* a, const MemRef* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return SameVar(a->base, b->base) && a->size_bytes == b->size_bytes &&
         a->slot_count == b->slot_count &&
         EqualOptional(a->byte_offset, b->byte_offset) &&
         EqualOptional(a->slot_index, b->slot_index);
}

bool Comparer::SameTensorView(const TensorView* a, const TensorView* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->layout == b->layout && a->pad == b->pad &&
         SameDims(a->stride, b->stride) &&
         SameDims(a->valid_shape, b->valid_shape);
}

bool Comparer::SameTileView(const TileView* a, const TileView* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return EqualOptional(a->start_offset, b->start_offset) &&
         a->blayout == b->blayout && a->slayout == b->slayout &&
         a->fractal == b->fractal && a->pad == b->pad &&
         a->compact == b->compact && SameDims(a->valid_shape, b->valid_shape) &&
         SameDims(a->stride, b->stride);
}

bool Comparer::EqualTypes(const Type* a, const Type* b) {
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case TypeKind::kScalar:
      return CheckedCast<ScalarType>(a)->dtype ==
             CheckedCast<ScalarType>(b)->dtype;
    case TypeKind::kTensor:
    case TypeKind::kDistributedTensor: {
      const TensorType* x = CheckedCast<TensorType>(a);
      const TensorType* y = CheckedCast<TensorType>(b);
      return x->dtype == y->dtype && SameDims(x->shape, y->shape) &&
             SameMemRef(x->memref, y->memref) &&
             SameTensorView(x->view, y->view);
    }
    case TypeKind::kTile: {
      const TileType* x = CheckedCast<TileType>(a);
      const TileType* y = CheckedCast<TileType>(b);
      return x->dtype == y->dtype && x->space == y->space &&
             SameDims(x->shape, y->shape) && SameMemRef(x->memref, y->memref) &&
             SameTileView(x->view, y->view);
    }
    case TypeKind::kArray: {
      const ArrayType* x = CheckedCast<ArrayType>(a);
      const ArrayType* y = CheckedCast<ArrayType>(b);
      return x->extent == y->extent && x->dtype == y->dtype;
    }
    case TypeKind::kTuple: {
      const TupleType* x = CheckedCast<TupleType>(a);
      const TupleType* y = CheckedCast<TupleType>(b);
      if (x->elements.size() != y->elements.size()) return false;
      for (size_t i = 0; i < x->elements.size(); ++i) {
        if (!EqualTypes(x->elements[i], y->elements[i])) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

// ---- Expressions

bool Comparer::EqualAttrValues(const AttrValue& a, const AttrValue& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case AttrValue::Kind::kInt:
      return a.int_value == b.int_value;
    case AttrValue::Kind::kFloat:
      return std::memcmp(&a.float_value, &b.float_value, sizeof(double)) == 0;
    case AttrValue::Kind::kBool:
      return a.bool_value == b.bool_value;
    case AttrValue::Kind::kString:
      return a.text == b.text;
    case AttrValue::Kind::kEnum:
      return a.enum_class == b.enum_class && a.text == b.text;
    case AttrValue::Kind::kDataType:
      return a.data_type == b.data_type;
    case AttrValue::Kind::kExpr:
      return true;  // An operand: compared with the others.
    case AttrValue::Kind::kList:
      if (a.list.size() != b.list.size()) return false;
      for (size_t i = 0; i < a.list.size(); ++i) {
        if (!EqualAttrValues(a.list[i], b.list[i])) return false;
      }
      return true;
  }
  return false;
}

bool Comparer::EqualAttrs(Attrs a, Attrs b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || !EqualAttrValues(a[i].value, b[i].value)) {
      return false;
    }
  }
  return true;
}

// The fields of the node itself; operands are compared by the walk.
// Whether the node's type follows from its operands.
bool HasDerivedType(const Expr* expr) {
  switch (expr->kind) {
    case ExprKind::kTuple:
    case ExprKind::kTupleItem:
    case ExprKind::kBinary:
    case ExprKind::kUnary:
      return true;
    default:
      return false;
  }
}

// Not counting operands and what follows from them. Types of variables are
// compared where they are defined.
bool Comparer::SameNode(const Expr* a, const Expr* b) {
  if (a->kind != b->kind || !SameFields(a, b)) return false;
  return Isa<Var>(a) || HasDerivedType(a) || EqualTypes(a->type, b->type);
}

bool Comparer::SameFields(const Expr* a, const Expr* b) {
  switch (a->kind) {
    case ExprKind::kVar:
    case ExprKind::kIterArg:
      return SameVar(CheckedCast<Var>(a), CheckedCast<Var>(b));
    case ExprKind::kConstInt:
      return CheckedCast<ConstInt>(a)->value == CheckedCast<ConstInt>(b)->value;
    case ExprKind::kConstFloat: {
      const double x = CheckedCast<ConstFloat>(a)->value;
      const double y = CheckedCast<ConstFloat>(b)->value;
      return std::memcmp(&x, &y, sizeof(double)) == 0;
    }
    case ExprKind::kConstBool:
      return CheckedCast<ConstBool>(a)->value ==
             CheckedCast<ConstBool>(b)->value;
    case ExprKind::kCall: {
      const Call* x = CheckedCast<Call>(a);
      const Call* y = CheckedCast<Call>(b);
      return x->callee->name == y->callee->name &&
             x->callee->is_function == y->callee->is_function &&
             x->args.size() == y->args.size() &&
             EqualAttrs(x->kwargs, y->kwargs) && EqualAttrs(x->attrs, y->attrs);
    }
    case ExprKind::kSubmit: {
      const Submit* x = CheckedCast<Submit>(a);
      const Submit* y = CheckedCast<Submit>(b);
      return x->callee->name == y->callee->name &&
             x->args.size() == y->args.size() &&
             x->deps.size() == y->deps.size() &&
             (x->core_num == nullptr) == (y->core_num == nullptr) &&
             (x->predicate == nullptr) == (y->predicate == nullptr) &&
             x->sync_start == y->sync_start &&
             x->allow_early_resolve == y->allow_early_resolve &&
             EqualAttrs(x->kwargs, y->kwargs) && EqualAttrs(x->attrs, y->attrs);
    }
    case ExprKind::kTuple:
      return CheckedCast<Tuple>(a)->elements.size() ==
             CheckedCast<Tuple>(b)->elements.size();
    case ExprKind::kTupleItem:
      return CheckedCast<TupleItem>(a)->index ==
             CheckedCast<TupleItem>(b)->index;
    case ExprKind::kBinary:
      return CheckedCast<Binary>(a)->op == CheckedCast<Binary>(b)->op;
    case ExprKind::kUnary:
      return CheckedCast<Unary>(a)->op == CheckedCast<Unary>(b)->op;
    case ExprKind::kCast:
      return true;
  }
  return false;
}

std::optional<Comparer::ExprDifference> Comparer::FindExprDifference(
    const Expr* a, const Expr* b) {
  struct Pair {
    const Expr* lhs;
    const Expr* rhs;
    size_t depth;
    size_t operand;
  };
  absl::InlinedVector<Pair, 16> pending = {{a, b, 0, 0}};
  absl::InlinedVector<size_t, 8> way;  // To the pair at hand.
  std::optional<ExprDifference> derived;
  absl::InlinedVector<const Expr*, 16> left;
  absl::InlinedVector<const Expr*, 16> right;
  while (!pending.empty()) {
    const Pair pair = pending.back();
    pending.pop_back();
    if (pair.depth > 0) {
      way.resize(pair.depth - 1);
      way.push_back(pair.operand);
    }
    left.clear();
    right.clear();
    ForEachOperand(*pair.lhs, [&](const Expr* e) { left.push_back(e); });
    ForEachOperand(*pair.rhs, [&](const Expr* e) { right.push_back(e); });
    if (!SameNode(pair.lhs, pair.rhs) || left.size() != right.size()) {
      return ExprDifference{way, pair.lhs, pair.rhs};
    }
    // A difference further down explains this one.
    if (HasDerivedType(pair.lhs) && !derived.has_value() &&
        !EqualTypes(pair.lhs->type, pair.rhs->type)) {
      derived = ExprDifference{way, pair.lhs, pair.rhs};
    }
    for (size_t i = left.size(); i-- > 0;) {
      pending.push_back({left[i], right[i], pair.depth + 1, i});
    }
  }
  return derived;
}

// ".args[1]", ".lhs": the step to an operand, by its number in ForEachOperand.
std::string OperandStep(const Expr* expr, size_t operand) {
  const auto arg = [operand](size_t args) {
    // Behind the arguments: deps, core_num, predicate and attributes.
    return operand < args ? absl::StrCat(".args[", operand, "]")
                          : absl::StrCat(".operands[", operand, "]");
  };
  switch (expr->kind) {
    case ExprKind::kCall:
      return arg(CheckedCast<Call>(expr)->args.size());
    case ExprKind::kSubmit:
      return arg(CheckedCast<Submit>(expr)->args.size());
    case ExprKind::kTuple:
      return absl::StrCat("[", operand, "]");
    case ExprKind::kTupleItem:
      return ".tuple";
    case ExprKind::kBinary:
      return operand == 0 ? ".lhs" : ".rhs";
    default:
      return ".operand";
  }
}

bool Comparer::SameExprs(const Expr* a, const Expr* b) {
  const std::optional<ExprDifference> difference = FindExprDifference(a, b);
  if (!difference.has_value()) return true;
  constexpr size_t kShownSteps = 20;
  const auto& way = difference->way;
  std::string steps;
  const Expr* at = a;
  for (size_t i = 0; i < way.size(); ++i) {
    if (i + kShownSteps == way.size() && i > 0) steps = "...";
    absl::StrAppend(&steps, OperandStep(at, way[i]));
    size_t operand = 0;
    const Expr* next = nullptr;
    ForEachOperand(*at, [&](const Expr* e) {
      if (operand++ == way[i]) next = e;
    });
    at = next;
  }
  Step step(this, steps);
  const Expr* lhs = difference->lhs;
  const Expr* rhs = difference->rhs;
  if (!Isa<Var>(lhs) && PrintExpr(lhs) == PrintExpr(rhs)) {
    return DifferIn(".type", PrintType(lhs->type), PrintType(rhs->type));
  }
  return DifferExprs(lhs, rhs);
}

// ---- Statements

bool Comparer::DefineVars(const Var* a, const Var* b, absl::string_view where,
                          std::optional<size_t> index) {
  Step step(this, where, index);
  if (!SameTypes(a->type, b->type)) return false;
  // Before SSA a variable may be assigned again.
  if (forward_[a] != nullptr || backward_[b] != nullptr) {
    return SameVar(a, b) || Differ(a->name, b->name);
  }
  Correspond(a, b);
  return true;
}

// The attributes of a loop or function, which no expression holds.
bool Comparer::SameAttrs(Attrs a, Attrs b, absl::string_view where) {
  Step step(this, where);
  if (!EqualAttrs(a, b)) {
    const auto text = [](Attrs attrs) {
      const auto name = [](std::string* out, const Attr& attr) {
        absl::StrAppend(out, attr.name);
      };
      return absl::StrCat("{", absl::StrJoin(attrs, ", ", name), "}");
    };
    // Where the names agree, a value differs.
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
      if (a[i].name == b[i].name && !EqualAttrValues(a[i].value, b[i].value)) {
        return DifferIn(absl::StrCat(".", a[i].name),
                        PrintAttrValue(a[i].value), PrintAttrValue(b[i].value));
      }
    }
    return Differ(text(a), text(b));
  }
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<const Expr*> left;
    std::vector<const Expr*> right;
    const auto collect = [](std::vector<const Expr*>* out) {
      return [out](const Expr* e) { out->push_back(e); };
    };
    auto collect_left = collect(&left);
    auto collect_right = collect(&right);
    ForEachExprIn(a[i].value, collect_left);
    ForEachExprIn(b[i].value, collect_right);
    const std::string name = absl::StrCat(".", a[i].name);
    for (size_t j = 0; j < left.size(); ++j) {
      Step attr(this, name);
      if (!SameExprs(left[j], right[j])) return false;
    }
  }
  return true;
}

bool Comparer::SameValueLists(Exprs a, Exprs b, absl::string_view name) {
  if (!SameCount(a.size(), b.size(), name)) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    Step step(this, ".values", i);
    if (!SameExprs(a[i], b[i])) return false;
  }
  return true;
}

bool Comparer::SameIterArgs(absl::Span<const IterArg* const> a,
                            absl::Span<const IterArg* const> b) {
  if (!SameCount(a.size(), b.size(), "iter_args")) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    Step step(this, ".iter_args", i);
    if (!SameField(a[i]->init, b[i]->init, ".init")) return false;
    if (!DefineVars(a[i], b[i], "")) return false;
  }
  return true;
}

bool Comparer::SameResults(Vars a, Vars b) {
  if (!SameCount(a.size(), b.size(), "return_vars")) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!DefineVars(a[i], b[i], ".return_vars", i)) return false;
  }
  return true;
}

bool Comparer::SameLoops(const For& a, const For& b) {
  if (a.loop_kind != b.loop_kind) {
    return DifferIn(".kind", EnumName(a.loop_kind), EnumName(b.loop_kind));
  }
  return SameField(a.start, b.start, ".start") &&
         SameField(a.stop, b.stop, ".stop") &&
         SameField(a.step, b.step, ".step") &&
         SameAttrs(a.attrs, b.attrs, ".attrs") &&
         DefineVars(a.loop_var, b.loop_var, ".loop_var") &&
         SameIterArgs(a.iter_args, b.iter_args) &&
         SameBlocks(a.body, b.body, ".body") &&
         SameResults(a.return_vars, b.return_vars);
}

bool Comparer::SameWhiles(const While& a, const While& b) {
  return SameIterArgs(a.iter_args, b.iter_args) &&
         SameField(a.condition, b.condition, ".condition") &&
         SameBlocks(a.body, b.body, ".body") &&
         SameResults(a.return_vars, b.return_vars);
}

bool Comparer::SameIfs(const If& a, const If& b) {
  return SameField(a.condition, b.condition, ".condition") &&
         SameBlocks(a.then_body, b.then_body, ".then") &&
         SameBlocks(a.else_body, b.else_body, ".else") &&
         SameResults(a.return_vars, b.return_vars);
}

bool Comparer::DefineOptional(const Var* a, const Var* b,
                              absl::string_view where) {
  if (a != nullptr && b != nullptr) return DefineVars(a, b, where);
  return a == b || DifferIn(where, a == nullptr ? "nothing" : a->name,
                            b == nullptr ? "nothing" : b->name);
}

bool Comparer::SameScopes(const Scope& a, const Scope& b) {
  if (a.scope_kind != b.scope_kind) {
    return DifferIn(".kind", EnumName(a.scope_kind), EnumName(b.scope_kind));
  }
  return SameAttrs(a.args, b.args, ".args") &&
         DefineOptional(a.index, b.index, ".index") &&
         SameBlocks(a.body, b.body, ".body") &&
         DefineOptional(a.task_id, b.task_id, ".task_id");
}

bool Comparer::SameStmts(const Stmt* a, const Stmt* b) {
  if (a->kind != b->kind) {
    return Differ(PrintStmt(a), PrintStmt(b));
  }
  switch (a->kind) {
    case StmtKind::kAssign: {
      const Assign* x = CheckedCast<Assign>(a);
      const Assign* y = CheckedCast<Assign>(b);
      return SameField(x->value, y->value, ".value") &&
             DefineVars(x->var, y->var, ".var");
    }
    case StmtKind::kEval:
      return SameField(CheckedCast<Eval>(a)->expr, CheckedCast<Eval>(b)->expr,
                       ".expr");
    case StmtKind::kIf:
      return SameIfs(*CheckedCast<If>(a), *CheckedCast<If>(b));
    case StmtKind::kFor:
      return SameLoops(*CheckedCast<For>(a), *CheckedCast<For>(b));
    case StmtKind::kWhile:
      return SameWhiles(*CheckedCast<While>(a), *CheckedCast<While>(b));
    case StmtKind::kYield:
      return SameValueLists(CheckedCast<Yield>(a)->values,
                            CheckedCast<Yield>(b)->values, "values");
    case StmtKind::kReturn:
      return SameValueLists(CheckedCast<Return>(a)->values,
                            CheckedCast<Return>(b)->values, "values");
    case StmtKind::kScope:
      return SameScopes(*CheckedCast<Scope>(a), *CheckedCast<Scope>(b));
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      return true;
  }
  return false;
}

bool Comparer::SameBlocks(Block a, Block b, absl::string_view name) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    Step step(this, name, i);
    const SourceSpan outer_lhs = std::exchange(lhs_span_, a[i]->span);
    const SourceSpan outer_rhs = std::exchange(rhs_span_, b[i]->span);
    if (!SameStmts(a[i], b[i])) return false;
    lhs_span_ = outer_lhs;
    rhs_span_ = outer_rhs;
  }
  Step step(this, name);
  return SameCount(a.size(), b.size(), "statements");
}

bool Comparer::SameFunctions(const Function& a, const Function& b) {
  const std::string name = absl::StrCat(a.name, ": ");
  Step step(this, name);
  lhs_span_ = a.span;
  rhs_span_ = b.span;
  if (a.name != b.name) return DifferIn("name", a.name, b.name);
  if (a.function_type != b.function_type) {
    return DifferIn("type", EnumName(a.function_type),
                    EnumName(b.function_type));
  }
  const auto name_of = [](auto value) {
    return value.has_value() ? EnumName(*value) : "none";
  };
  if (a.level != b.level) {
    return DifferIn("level", name_of(a.level), name_of(b.level));
  }
  if (a.role != b.role) {
    return DifferIn("role", name_of(a.role), name_of(b.role));
  }
  if (a.params.size() != b.params.size()) {
    return DifferIn("params", absl::StrCat(a.params.size()),
                    absl::StrCat(b.params.size()));
  }
  for (size_t i = 0; i < a.params.size(); ++i) {
    if (a.directions[i] != b.directions[i]) {
      return DifferIn(absl::StrCat("params[", i, "]"),
                      EnumName(a.directions[i]), EnumName(b.directions[i]));
    }
    if (!DefineVars(a.params[i], b.params[i], "params", i)) return false;
  }
  if (a.return_types.size() != b.return_types.size()) {
    return DifferIn("returns", absl::StrCat(a.return_types.size()),
                    absl::StrCat(b.return_types.size()));
  }
  for (size_t i = 0; i < a.return_types.size(); ++i) {
    Step type(this, "returns", i);
    if (!SameTypes(a.return_types[i], b.return_types[i])) return false;
  }
  return SameAttrs(a.attrs, b.attrs, "attrs") &&
         SameBlocks(a.body, b.body, "body");
}

}  // namespace

std::optional<Difference> FindDifference(const Function& lhs,
                                         const Function& rhs) {
  Comparer comparer;
  comparer.SameFunctions(lhs, rhs);
  return comparer.TakeDifference();
}

std::optional<Difference> FindDifference(const Program& lhs,
                                         const Program& rhs) {
  if (lhs.dynamic_dims.size() != rhs.dynamic_dims.size()) {
    return Difference{"dynamic dims", absl::StrCat(lhs.dynamic_dims.size()),
                      absl::StrCat(rhs.dynamic_dims.size())};
  }
  for (const Function* function : lhs.functions) {
    if (rhs.Find(function->name) == nullptr) {
      return Difference{"functions", std::string(function->name), "nothing",
                        function->span};
    }
  }
  for (const Function* function : rhs.functions) {
    if (lhs.Find(function->name) == nullptr) {
      return Difference{"functions", "nothing", std::string(function->name),
                        SourceSpan(), function->span};
    }
  }
  for (const Function* function : lhs.functions) {
    Comparer comparer;
    for (size_t i = 0; i < lhs.dynamic_dims.size(); ++i) {
      comparer.Correspond(lhs.dynamic_dims[i], rhs.dynamic_dims[i]);
    }
    comparer.SameFunctions(*function, *rhs.Find(function->name));
    std::optional<Difference> difference = comparer.TakeDifference();
    if (difference.has_value()) return difference;
  }
  return std::nullopt;
}

}  // namespace mxtile::ir
