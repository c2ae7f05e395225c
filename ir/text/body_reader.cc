#include "ir/text/body_reader.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "ir/enums.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {

TextRange HeaderSpan(const Stmt& stmt, const Expr* last) {
  TextRange span = stmt.span;
  span.end_line = last->span.end_line;
  span.end_column = last->span.end_column;
  return span;
}

const KeywordArgument* FindKeyword(const Call& call, absl::string_view name) {
  for (const KeywordArgument& keyword : call.keywords) {
    if (keyword.name == name) return &keyword;
  }
  return nullptr;
}

absl::string_view CommentText(const Comment& comment, Context* context) {
  absl::string_view text = comment.text;
  absl::ConsumePrefix(&text, "#");
  absl::ConsumePrefix(&text, " ");
  return context->Intern(text);
}

void BodyReader::Begin(const Stmt& stmt, TextRange span, ir::Stmt* node) {
  node->span = exprs_.At(span);
  if (waiting_comments_.empty() && stmt.comments.empty()) return;
  std::vector<absl::string_view> comments;
  for (const Comment& comment : waiting_comments_) {
    comments.push_back(CommentText(comment, &exprs_.context()));
  }
  waiting_comments_.clear();
  for (const Comment& comment : stmt.comments) {
    comments.push_back(CommentText(comment, &exprs_.context()));
  }
  node->comments = exprs_.context().List(comments);
}

// ---- Blocks

void BodyReader::KeepComments(const Stmt& stmt) {
  waiting_comments_.insert(waiting_comments_.end(), stmt.comments.begin(),
                           stmt.comments.end());
}

absl::StatusOr<ir::Block> BodyReader::ReadFunctionBody(Block block) {
  waiting_comments_.clear();
  std::vector<const ir::Stmt*> stmts;
  stmts.reserve(block.size());
  for (const Stmt* stmt : block) {
    if (AsYield(*stmt) != nullptr) {
      return exprs_.Error(kYieldRule, stmt->span,
                          "a function's body returns; it does not yield");
    }
    MX_RETURN_IF_ERROR(ReadStmt(*stmt, &stmts, nullptr));
  }
  return exprs_.context().List(stmts);
}

absl::StatusOr<BodyReader::Body> BodyReader::ReadBlock(Block block) {
  Body body;
  std::vector<const ir::Stmt*> stmts;
  stmts.reserve(block.size());
  for (const Stmt* stmt : block) {
    MX_RETURN_IF_ERROR(ReadStmt(*stmt, &stmts, &body.targets));
  }
  body.block = exprs_.context().List(stmts);
  return body;
}

absl::Status BodyReader::ReadStmt(const Stmt& stmt,
                                  std::vector<const ir::Stmt*>* out,
                                  std::vector<YieldTarget>* targets) {
  Context& context = exprs_.context();
  if (const Call* yield = AsYield(stmt)) {
    MX_ASSIGN_OR_RETURN(const ir::Stmt* node, ReadYield(stmt, *yield, targets));
    out->push_back(node);
    return absl::OkStatus();
  }
  switch (stmt.kind) {
    case StmtKind::kAssign:
    case StmtKind::kAnnAssign:
      return ReadAssignment(stmt, out);
    case StmtKind::kExprStmt: {
      const Expr* expr = stmt.As<ExprStmt>()->value;
      // `...` and docstrings do nothing.
      if (expr->As<Ellipsis>() != nullptr || expr->As<String>() != nullptr) {
        KeepComments(stmt);
        return absl::OkStatus();
      }
      auto node = Start<Eval>(ir::StmtKind::kEval, stmt, stmt.span);
      MX_ASSIGN_OR_RETURN(node.expr, exprs_.Read(expr));
      out->push_back(context.New(node));
      return absl::OkStatus();
    }
    case StmtKind::kReturn: {
      MX_ASSIGN_OR_RETURN(const ir::Stmt* node, ReadReturn(*stmt.As<Return>()));
      out->push_back(node);
      return absl::OkStatus();
    }
    case StmtKind::kPass:
      KeepComments(stmt);
      return absl::OkStatus();
    case StmtKind::kBreak:
      out->push_back(
          context.New(Start<ir::Stmt>(ir::StmtKind::kBreak, stmt, stmt.span)));
      return absl::OkStatus();
    case StmtKind::kContinue:
      out->push_back(context.New(
          Start<ir::Stmt>(ir::StmtKind::kContinue, stmt, stmt.span)));
      return absl::OkStatus();
    case StmtKind::kIf: {
      MX_ASSIGN_OR_RETURN(const ir::Stmt* node, ReadIf(*stmt.As<If>()));
      out->push_back(node);
      return absl::OkStatus();
    }
    case StmtKind::kFor: {
      MX_ASSIGN_OR_RETURN(const ir::Stmt* node, ReadFor(*stmt.As<For>()));
      out->push_back(node);
      return absl::OkStatus();
    }
    case StmtKind::kWhile: {
      MX_ASSIGN_OR_RETURN(const ir::Stmt* node, ReadWhile(*stmt.As<While>()));
      out->push_back(node);
      return absl::OkStatus();
    }
    case StmtKind::kWith: {
      MX_ASSIGN_OR_RETURN(const ir::Stmt* node, ReadWith(*stmt.As<With>()));
      out->push_back(node);
      return absl::OkStatus();
    }
    case StmtKind::kImport:
    case StmtKind::kFunctionDef:
    case StmtKind::kClassDef:
      break;
  }
  return exprs_.Error(kFormRule, stmt.span,
                      "this statement cannot stand in a function");
}

absl::StatusOr<const Var*> BodyReader::Define(absl::string_view name,
                                              const Type* type,
                                              TextRange span) {
  const Var* var = exprs_.scope().Assign(
      name, type, exprs_.At(span), [](const Type* known, const Type* other) {
        return !TypeReader::FindContradiction(known, other).has_value();
      });
  if (var != nullptr) return var;
  return exprs_.Error(
      kNameRule, span,
      absl::StrCat("'", name,
                   "' gets another type in a loop that has read it; "
                   "the next round would read either"));
}

absl::StatusOr<const ir::Stmt*> BodyReader::ReadReturn(const Return& stmt) {
  auto node = Start<ir::Return>(ir::StmtKind::kReturn, stmt, stmt.span);
  if (stmt.value != nullptr && stmt.value->As<None>() == nullptr) {
    const Tuple* tuple = stmt.value->As<Tuple>();
    MX_ASSIGN_OR_RETURN(
        node.values, exprs_.ReadList(tuple != nullptr ? tuple->elements
                                                      : absl::MakeConstSpan(
                                                            &stmt.value, 1)));
  }
  return exprs_.context().New(node);
}

// ---- Yields

const Call* BodyReader::AsPlCall(const Expr* expr,
                                 absl::string_view name) const {
  const Call* call = expr->As<Call>();
  if (call == nullptr) return nullptr;
  const Attribute* callee = call->callee->As<Attribute>();
  if (callee == nullptr || callee->name != name) return nullptr;
  return exprs_.PlPath(callee).size() == 1 ? call : nullptr;
}

const Call* BodyReader::AsYield(const Stmt& stmt) const {
  const Expr* value = nullptr;
  if (const Assign* assign = stmt.As<Assign>()) value = assign->value;
  if (const AnnAssign* assign = stmt.As<AnnAssign>()) value = assign->value;
  if (const ExprStmt* expr = stmt.As<ExprStmt>()) value = expr->value;
  return value == nullptr ? nullptr : AsPlCall(value, "yield_");
}

absl::StatusOr<const ir::Stmt*> BodyReader::ReadYield(
    const Stmt& stmt, const Call& call, std::vector<YieldTarget>* targets) {
  auto node = Start<Yield>(ir::StmtKind::kYield, stmt, stmt.span);
  MX_ASSIGN_OR_RETURN(node.values, exprs_.ReadList(call.arguments));
  std::vector<YieldTarget> names;
  const auto add = [&](const Name& name, const Expr* annotation) {
    names.push_back({name.name, annotation, exprs_.At(name.span)});
  };
  if (const AnnAssign* assign = stmt.As<AnnAssign>()) {
    add(*assign->target, assign->annotation);
  } else if (const Assign* assign = stmt.As<Assign>()) {
    const Tuple* tuple = assign->target->As<Tuple>();
    for (const Expr* element : tuple != nullptr
                                   ? tuple->elements
                                   : absl::MakeConstSpan(&assign->target, 1)) {
      const Name* name = element->As<Name>();
      if (name == nullptr) {
        return exprs_.Error(kYieldRule, element->span,
                            "the results of a yield are names");
      }
      add(*name, nullptr);
    }
  }
  if (!names.empty() && names.size() != node.values.size()) {
    return exprs_.Error(kYieldRule, stmt.span,
                        absl::StrCat(names.size(), " names for ",
                                     node.values.size(), " yielded values"));
  }
  *targets = names;
  return exprs_.context().New(node);
}

absl::StatusOr<Vars> BodyReader::ReadResults(const Body& body, size_t count,
                                             TextRange span) {
  const Yield* yield = TrailingYield(body.block);
  const size_t yielded = yield == nullptr ? 0 : yield->values.size();
  if (yielded != count) {
    return exprs_.Error(kYieldRule, span,
                        absl::StrCat("the body must end in a yield of ", count,
                                     " values, it yields ", yielded));
  }
  if (count != 0 && body.targets.size() != count) {
    return exprs_.Error(
        kYieldRule, yield->span,
        "the yield must name its results: NAME = pl.yield_(...)");
  }
  std::vector<const Var*> results;
  for (size_t i = 0; i < count; ++i) {
    const YieldTarget& target = body.targets[i];
    MX_ASSIGN_OR_RETURN(const Type* type,
                        ResultType(target, yield->values[i]->type));
    MX_ASSIGN_OR_RETURN(const Var* var, Define(target.name, type, target.span));
    results.push_back(var);
  }
  return exprs_.context().List(results);
}

absl::StatusOr<const Type*> BodyReader::ResultType(const YieldTarget& target,
                                                   const Type* yielded) {
  if (target.annotation == nullptr) return yielded;
  MX_ASSIGN_OR_RETURN(const Type* annotated, types_.Read(target.annotation));
  return types_.Merge(yielded, annotated, target.annotation->span);
}

// ---- Branches

absl::StatusOr<const ir::Stmt*> BodyReader::ReadIf(const If& stmt) {
  auto node =
      Start<ir::If>(ir::StmtKind::kIf, stmt, HeaderSpan(stmt, stmt.condition));
  MX_ASSIGN_OR_RETURN(node.condition, ReadCondition(stmt.condition));
  exprs_.scope().OpenBlock();
  MX_ASSIGN_OR_RETURN(const Body then_body, ReadBlock(stmt.body));
  exprs_.scope().CloseBlock();
  exprs_.scope().OpenBlock();
  MX_ASSIGN_OR_RETURN(const Body else_body, ReadBlock(stmt.else_body));
  exprs_.scope().CloseBlock();
  node.then_body = then_body.block;
  node.else_body = else_body.block;
  const size_t count = then_body.targets.size();
  if (count != else_body.targets.size()) {
    return exprs_.Error(
        kYieldRule, node.span,
        absl::StrCat("one branch yields ", count, " results, the other ",
                     else_body.targets.size()));
  }
  if (count != 0) {
    MX_RETURN_IF_ERROR(CheckElse(then_body, else_body));
    MX_ASSIGN_OR_RETURN(node.return_vars,
                        ReadResults(then_body, count, node.span));
  }
  return exprs_.context().New(node);
}

// Both branches name the same results, of types that agree.
absl::Status BodyReader::CheckElse(const Body& then_body,
                                   const Body& else_body) {
  const Yield* then_yield = TrailingYield(then_body.block);
  const Yield* else_yield = TrailingYield(else_body.block);
  // Where one is missing, ReadResults says so.
  if (then_yield == nullptr) return absl::OkStatus();
  if (else_yield == nullptr) {
    return exprs_.Error(kYieldRule, else_body.targets[0].span,
                        "a branch with results ends in its yield");
  }
  for (size_t i = 0; i < then_body.targets.size(); ++i) {
    const YieldTarget& target = else_body.targets[i];
    const absl::string_view name = then_body.targets[i].name;
    if (target.name != name) {
      return exprs_.Error(kYieldRule, target.span,
                          absl::StrCat("the other branch names this result '",
                                       name, "', not '", target.name, "'"));
    }
    MX_ASSIGN_OR_RETURN(const Type* type,
                        ResultType(target, else_yield->values[i]->type));
    const auto contradiction =
        TypeReader::FindContradiction(then_yield->values[i]->type, type);
    if (contradiction.has_value()) {
      return exprs_.Error(kYieldRule, else_yield->span,
                          absl::StrCat("'", name, "' has ", contradiction->lhs,
                                       " in one branch, ", contradiction->rhs,
                                       " in the other"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const ir::Expr*> BodyReader::ReadCondition(const Expr* expr) {
  MX_ASSIGN_OR_RETURN(const ir::Expr* condition, exprs_.Read(expr));
  const bool may_be_scalar = condition->type->kind == TypeKind::kScalar ||
                             condition->type->kind == TypeKind::kUnknown;
  if (may_be_scalar) return condition;
  return exprs_.Error(kFormRule, expr->span, "a condition is a scalar");
}

}  // namespace mxtile::ir::text
