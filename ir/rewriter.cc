#include "ir/rewriter.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/check.h"
#include "ir/expr_walk.h"

namespace mxtile::ir {
namespace {

template <typename T>
bool SameList(absl::Span<const T> a, absl::Span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Most expressions have a few operands: without an allocation.
using FewExprs = absl::InlinedVector<const Expr*, 8>;

// Hands out operands one after the other, in the order of ForEachOperand.
class OperandReader {
 public:
  OperandReader(Context* context, Exprs operands)
      : context_(context), operands_(operands) {}

  const Expr* Next() { return operands_[next_++]; }
  Exprs Next(size_t count) {
    const Exprs result = context_->List(operands_.subspan(next_, count));
    next_ += count;
    return result;
  }
  Attrs NextAttrs(Attrs attrs) {
    std::vector<Attr> result(attrs.begin(), attrs.end());
    for (Attr& attr : result) attr.value = NextValue(attr.value);
    return context_->List(result);
  }
  bool done() const { return next_ == operands_.size(); }

 private:
  AttrValue NextValue(AttrValue value) {
    if (value.kind == AttrValue::Kind::kExpr) return AttrValue::Of(Next());
    if (!value.list.empty()) {
      std::vector<AttrValue> list(value.list.begin(), value.list.end());
      for (AttrValue& item : list) item = NextValue(item);
      value.list = context_->List(list);
    }
    return value;
  }

  Context* context_;
  Exprs operands_;
  size_t next_ = 0;
};

template <typename Node>
const Expr* Rebuilt(Context* context, Node node, const Type* type) {
  node.type = type;
  return context->New(node);
}

}  // namespace

const Expr* WithOperands(Context* context, const Expr* expr, Exprs operands,
                         const Type* type) {
  OperandReader reader(context, operands);
  const Expr* result = nullptr;
  switch (expr->kind) {
    case ExprKind::kVar:
    case ExprKind::kIterArg:
    case ExprKind::kConstInt:
    case ExprKind::kConstFloat:
    case ExprKind::kConstBool:
      return expr;
    case ExprKind::kCall: {
      Call call = *CheckedCast<Call>(expr);
      call.args = reader.Next(call.args.size());
      call.kwargs = reader.NextAttrs(call.kwargs);
      call.attrs = reader.NextAttrs(call.attrs);
      result = Rebuilt(context, call, type);
      break;
    }
    case ExprKind::kSubmit: {
      Submit submit = *CheckedCast<Submit>(expr);
      submit.args = reader.Next(submit.args.size());
      submit.deps = reader.Next(submit.deps.size());
      if (submit.core_num != nullptr) submit.core_num = reader.Next();
      if (submit.predicate != nullptr) submit.predicate = reader.Next();
      submit.kwargs = reader.NextAttrs(submit.kwargs);
      submit.attrs = reader.NextAttrs(submit.attrs);
      result = Rebuilt(context, submit, type);
      break;
    }
    case ExprKind::kTuple: {
      const size_t count = CheckedCast<Tuple>(expr)->elements.size();
      result = context->NewTuple(reader.Next(count), expr->span);
      break;
    }
    case ExprKind::kTupleItem: {
      TupleItem item = *CheckedCast<TupleItem>(expr);
      item.tuple = reader.Next();
      result = Rebuilt(context, item, type);
      break;
    }
    case ExprKind::kBinary: {
      Binary binary = *CheckedCast<Binary>(expr);
      binary.lhs = reader.Next();
      binary.rhs = reader.Next();
      result = Rebuilt(context, binary, type);
      break;
    }
    case ExprKind::kUnary: {
      Unary unary = *CheckedCast<Unary>(expr);
      unary.operand = reader.Next();
      // The negative of a constant is a constant.
      const bool is_constant =
          Isa<ConstInt>(unary.operand) || Isa<ConstFloat>(unary.operand);
      result = unary.op == UnaryOp::kNeg && is_constant
                   ? context->NewUnary(unary.op, unary.operand, unary.span)
                   : Rebuilt(context, unary, type);
      break;
    }
    case ExprKind::kCast: {
      Cast cast = *CheckedCast<Cast>(expr);
      cast.operand = reader.Next();
      result = Rebuilt(context, cast, type);
      break;
    }
  }
  MX_CHECK(reader.done()) << "operands left over";
  return result;
}

// ---- Types

Dims Rewriter::RewriteDims(Dims dims) {
  std::vector<const Expr*> rewritten;
  for (const Expr* dim : dims) {
    rewritten.push_back(AsConstInt(dim) != nullptr ? dim : RewriteExpr(dim));
  }
  return SameList<const Expr*>(dims, rewritten) ? dims
                                                : context_->List(rewritten);
}

const MemRef* Rewriter::RewriteMemRef(const MemRef* memref) {
  if (memref == nullptr) return nullptr;
  MemRef copy = *memref;
  copy.base = CheckedCast<Var>(RewriteExpr(memref->base));
  for (const Expr** expr : {&copy.byte_offset, &copy.slot_index}) {
    if (*expr != nullptr && AsConstInt(*expr) == nullptr) {
      *expr = RewriteExpr(*expr);
    }
  }
  const bool same = copy.base == memref->base &&
                    copy.byte_offset == memref->byte_offset &&
                    copy.slot_index == memref->slot_index;
  return same ? memref : context_->New(copy);
}

const Type* Rewriter::RewriteType(const Type* type) {
  // Types are uniqued: an unchanged one comes back as the same pointer.
  if (const TensorType* tensor = DynCast<TensorType>(type)) {
    TensorType copy = *tensor;
    copy.shape = RewriteDims(copy.shape);
    copy.memref = RewriteMemRef(copy.memref);
    TensorView view;
    if (copy.view != nullptr) {
      view = *copy.view;
      view.stride = RewriteDims(view.stride);
      view.valid_shape = RewriteDims(view.valid_shape);
      copy.view = &view;
    }
    return context_->GetTensorType(copy);
  }
  if (const TileType* tile = DynCast<TileType>(type)) {
    TileType copy = *tile;
    copy.shape = RewriteDims(copy.shape);
    copy.memref = RewriteMemRef(copy.memref);
    TileView view;
    if (copy.view != nullptr) {
      view = *copy.view;
      view.valid_shape = RewriteDims(view.valid_shape);
      view.stride = RewriteDims(view.stride);
      if (view.start_offset != nullptr) {
        view.start_offset = RewriteExpr(view.start_offset);
      }
      copy.view = &view;
    }
    return context_->GetTileType(copy);
  }
  if (const TupleType* tuple = DynCast<TupleType>(type)) {
    std::vector<const Type*> elements;
    for (const Type* element : tuple->elements) {
      elements.push_back(RewriteType(element));
    }
    return context_->GetTupleType(elements);
  }
  return type;
}

// ---- Expressions

const Expr* Rewriter::RewriteExpr(const Expr* root) {
  // Operands come first, so a node's rewritten operands are the last entries of
  // `done`.
  FewExprs done;
  PostOrder(root, [this, &done](const Expr* expr) {
    if (const Var* var = DynCast<Var>(expr)) {
      const auto it = replaced_.find(var);
      done.push_back(RewriteNode(it != replaced_.end() ? it->second : var));
      return;
    }
    FewExprs operands;
    ForEachOperand(*expr, [&](const Expr* e) { operands.push_back(e); });
    const size_t first = done.size() - operands.size();
    const Exprs rewritten = absl::MakeConstSpan(done).subspan(first);
    const Type* type = RewriteType(expr->type);
    const Expr* node = expr;
    if (type != expr->type || !SameList<const Expr*>(operands, rewritten)) {
      node = WithOperands(context_, expr, rewritten, type);
    }
    done.resize(first);
    done.push_back(RewriteNode(node));
  });
  MX_CHECK(done.size() == 1);
  return done[0];
}

Exprs Rewriter::RewriteExprs(Exprs exprs) {
  std::vector<const Expr*> rewritten;
  for (const Expr* expr : exprs) rewritten.push_back(RewriteExpr(expr));
  return SameList<const Expr*>(exprs, rewritten) ? exprs
                                                 : context_->List(rewritten);
}

AttrValue Rewriter::RewriteAttrValue(const AttrValue& value) {
  AttrValue result = value;
  if (value.kind == AttrValue::Kind::kExpr) {
    return AttrValue::Of(RewriteExpr(value.expr));
  }
  if (!value.list.empty()) {
    std::vector<AttrValue> list;
    bool changed = false;
    for (const AttrValue& item : value.list) {
      list.push_back(RewriteAttrValue(item));
      changed |= list.back().expr != item.expr ||
                 list.back().list.data() != item.list.data();
    }
    if (changed) result.list = context_->List(list);
  }
  return result;
}

Attrs Rewriter::RewriteAttrs(Attrs attrs) {
  std::vector<Attr> rewritten;
  bool changed = false;
  for (const Attr& attr : attrs) {
    rewritten.push_back({attr.name, RewriteAttrValue(attr.value)});
    const AttrValue& value = rewritten.back().value;
    changed |= value.expr != attr.value.expr ||
               value.list.data() != attr.value.list.data();
  }
  return changed ? context_->List(rewritten) : attrs;
}

// ---- Statements

const Var* Rewriter::DefineVar(const Var* var) {
  // Before SSA a variable may be defined again; it keeps its replacement.
  const auto it = replaced_.find(var);
  if (it != replaced_.end()) {
    const Var* known = DynCast<Var>(it->second);
    if (known != nullptr) return known;
  }
  const Type* type = RewriteType(var->type);
  if (type == var->type) return var;
  const Var* fresh = context_->NewVar(var->name, type, var->span);
  Substitute(var, fresh);
  return fresh;
}

Vars Rewriter::DefineVars(Vars vars) {
  std::vector<const Var*> defined;
  for (const Var* var : vars) defined.push_back(DefineVar(var));
  return SameList<const Var*>(vars, defined) ? vars : context_->List(defined);
}

absl::Span<const IterArg* const> Rewriter::DefineIterArgs(
    absl::Span<const IterArg* const> args) {
  std::vector<const IterArg*> defined;
  for (const IterArg* arg : args) {
    const Expr* init = RewriteExpr(arg->init);
    const Type* type = RewriteType(arg->type);
    if (init == arg->init && type == arg->type) {
      defined.push_back(arg);
    } else {
      defined.push_back(context_->NewIterArg(arg->name, type, init, arg->span));
      Substitute(arg, defined.back());
    }
  }
  return SameList<const IterArg*>(args, defined) ? args
                                                 : context_->List(defined);
}

const Stmt* Rewriter::RewriteParts(const Stmt* stmt) {
  switch (stmt->kind) {
    case StmtKind::kAssign: {
      Assign copy = *CheckedCast<Assign>(stmt);
      const Assign& old = *CheckedCast<Assign>(stmt);
      copy.value = RewriteExpr(old.value);
      copy.var = DefineVar(old.var);
      const bool same = copy.value == old.value && copy.var == old.var;
      return same ? stmt : context_->New(copy);
    }
    case StmtKind::kEval: {
      Eval copy = *CheckedCast<Eval>(stmt);
      const Expr* old = copy.expr;
      copy.expr = RewriteExpr(old);
      return copy.expr == old ? stmt : context_->New(copy);
    }
    case StmtKind::kIf: {
      If copy = *CheckedCast<If>(stmt);
      const If old = copy;
      copy.condition = RewriteExpr(old.condition);
      copy.then_body = RewriteBlock(old.then_body);
      copy.else_body = RewriteBlock(old.else_body);
      copy.return_vars = DefineVars(old.return_vars);
      const bool same = copy.condition == old.condition &&
                        copy.then_body.data() == old.then_body.data() &&
                        copy.else_body.data() == old.else_body.data() &&
                        copy.return_vars.data() == old.return_vars.data();
      return same ? stmt : context_->New(copy);
    }
    case StmtKind::kFor: {
      For copy = *CheckedCast<For>(stmt);
      const For old = copy;
      copy.start = RewriteExpr(old.start);
      copy.stop = RewriteExpr(old.stop);
      copy.step = RewriteExpr(old.step);
      copy.attrs = RewriteAttrs(old.attrs);
      copy.loop_var = DefineVar(old.loop_var);
      copy.iter_args = DefineIterArgs(old.iter_args);
      copy.body = RewriteBlock(old.body);
      copy.return_vars = DefineVars(old.return_vars);
      const bool same = copy.start == old.start && copy.stop == old.stop &&
                        copy.step == old.step &&
                        copy.attrs.data() == old.attrs.data() &&
                        copy.loop_var == old.loop_var &&
                        copy.iter_args.data() == old.iter_args.data() &&
                        copy.body.data() == old.body.data() &&
                        copy.return_vars.data() == old.return_vars.data();
      return same ? stmt : context_->New(copy);
    }
    case StmtKind::kWhile: {
      While copy = *CheckedCast<While>(stmt);
      const While old = copy;
      copy.iter_args = DefineIterArgs(old.iter_args);
      copy.condition = RewriteExpr(old.condition);
      copy.body = RewriteBlock(old.body);
      copy.return_vars = DefineVars(old.return_vars);
      const bool same = copy.iter_args.data() == old.iter_args.data() &&
                        copy.condition == old.condition &&
                        copy.body.data() == old.body.data() &&
                        copy.return_vars.data() == old.return_vars.data();
      return same ? stmt : context_->New(copy);
    }
    case StmtKind::kYield: {
      Yield copy = *CheckedCast<Yield>(stmt);
      const Exprs old = copy.values;
      copy.values = RewriteExprs(old);
      return copy.values.data() == old.data() ? stmt : context_->New(copy);
    }
    case StmtKind::kReturn: {
      Return copy = *CheckedCast<Return>(stmt);
      const Exprs old = copy.values;
      copy.values = RewriteExprs(old);
      return copy.values.data() == old.data() ? stmt : context_->New(copy);
    }
    case StmtKind::kScope: {
      Scope copy = *CheckedCast<Scope>(stmt);
      const Scope old = copy;
      copy.args = RewriteAttrs(old.args);
      if (old.index != nullptr) copy.index = DefineVar(old.index);
      copy.body = RewriteBlock(old.body);
      if (old.task_id != nullptr) copy.task_id = DefineVar(old.task_id);
      const bool same =
          copy.args.data() == old.args.data() && copy.index == old.index &&
          copy.task_id == old.task_id && copy.body.data() == old.body.data();
      return same ? stmt : context_->New(copy);
    }
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      return stmt;
  }
  return stmt;
}

void Rewriter::RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) {
  out->push_back(RewriteParts(stmt));
}

Block Rewriter::RewriteBlock(Block block) {
  std::vector<const Stmt*> rewritten;
  for (const Stmt* stmt : block) RewriteStmt(stmt, &rewritten);
  return SameList<const Stmt*>(block, rewritten) ? block
                                                 : context_->List(rewritten);
}

// ---- Functions and programs

const Function* Rewriter::RewriteFunction(const Function* function) {
  replaced_.clear();
  Function copy = *function;
  copy.params = DefineVars(function->params);
  std::vector<const Type*> returns;
  for (const Type* type : function->return_types) {
    returns.push_back(RewriteType(type));
  }
  if (!SameList<const Type*>(function->return_types, returns)) {
    copy.return_types = context_->List(returns);
  }
  copy.attrs = RewriteAttrs(function->attrs);
  copy.body = RewriteBlock(function->body);
  const bool same = copy.params.data() == function->params.data() &&
                    copy.return_types.data() == function->return_types.data() &&
                    copy.attrs.data() == function->attrs.data() &&
                    copy.body.data() == function->body.data();
  return same ? function : context_->New(copy);
}

const Program* Rewriter::RewriteProgram(const Program* program) {
  std::vector<const Function*> functions;
  for (const Function* function : program->functions) {
    functions.push_back(RewriteFunction(function));
  }
  if (SameList<const Function*>(program->functions, functions)) return program;
  Program copy = *program;
  copy.functions = context_->List(functions);
  return context_->New(copy);
}

}  // namespace mxtile::ir
