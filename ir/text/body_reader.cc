#include "ir/text/body_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "ir/builder.h"
#include "ir/enums.h"
#include "ir/text/printer.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {
namespace {

// The statement's first line: a diagnostic about a loop does not mean its body.
SourceSpan HeaderSpan(const Stmt& stmt, const Expr* last) {
  SourceSpan span = stmt.span;
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

constexpr absl::string_view kStages = "pipeline_stages";

// A tuple's or list's elements; nullopt for anything else.
const absl::Span<const Expr* const>* Elements(const Expr* expr) {
  if (const Tuple* tuple = expr->As<Tuple>()) return &tuple->elements;
  if (const List* list = expr->As<List>()) return &list->elements;
  return nullptr;
}

}  // namespace

absl::string_view CommentText(const Comment& comment, Context* context) {
  absl::string_view text = comment.text;
  absl::ConsumePrefix(&text, "#");
  absl::ConsumePrefix(&text, " ");
  return context->Intern(text);
}

template <typename Node>
Node BodyReader::Start(ir::StmtKind kind, const Stmt& stmt, SourceSpan span) {
  Node node;
  node.kind = kind;
  node.span = exprs_.At(span);
  std::vector<absl::string_view> comments;
  for (const Comment& comment : waiting_comments_) {
    comments.push_back(CommentText(comment, &exprs_.context()));
  }
  waiting_comments_.clear();
  for (const Comment& comment : stmt.comments) {
    comments.push_back(CommentText(comment, &exprs_.context()));
  }
  node.comments = exprs_.context().List(comments);
  return node;
}

// ---- Blocks

void BodyReader::KeepComments(const Stmt& stmt) {
  waiting_comments_.insert(waiting_comments_.end(), stmt.comments.begin(),
                           stmt.comments.end());
}

absl::StatusOr<ir::Block> BodyReader::ReadFunctionBody(Block block) {
  waiting_comments_.clear();
  std::vector<const ir::Stmt*> stmts;
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
    case StmtKind::kWith:
    case StmtKind::kImport:
    case StmtKind::kFunctionDef:
    case StmtKind::kClassDef:
      break;
  }
  return exprs_.Error(kFormRule, stmt.span,
                      "this statement cannot stand in a function");
}

absl::Status BodyReader::ReadAssignment(const Stmt& stmt,
                                        std::vector<const ir::Stmt*>* out) {
  const AnnAssign* annotated = stmt.As<AnnAssign>();
  const Assign* plain = stmt.As<Assign>();
  const Expr* target = annotated != nullptr ? annotated->target : plain->target;
  const Expr* value = annotated != nullptr ? annotated->value : plain->value;
  const Name* name = target->As<Name>();
  if (name == nullptr) {
    return exprs_.Error(kFormRule, target->span,
                        "only a yield has several targets; take a tuple's "
                        "items one by one");
  }
  const Type* annotation = nullptr;
  if (annotated != nullptr) {
    MX_ASSIGN_OR_RETURN(annotation, types_.Read(annotated->annotation));
  }
  auto node = Start<ir::Assign>(ir::StmtKind::kAssign, stmt, stmt.span);
  MX_ASSIGN_OR_RETURN(node.value, exprs_.Read(value, annotation));
  const Type* type = node.value->type;
  if (annotation != nullptr) {
    MX_ASSIGN_OR_RETURN(
        type, types_.Merge(type, annotation, annotated->annotation->span));
    // What the annotation adds is true of the call too.
    const ir::Call* call = DynCast<ir::Call>(node.value);
    if (call != nullptr && call->type != type) {
      ir::Call copy = *call;
      copy.type = type;
      node.value = exprs_.context().New(copy);
    }
  }
  MX_ASSIGN_OR_RETURN(node.var, Define(name->name, type, name->span));
  out->push_back(exprs_.context().New(node));
  return absl::OkStatus();
}

absl::StatusOr<const Var*> BodyReader::Define(absl::string_view name,
                                              const Type* type,
                                              SourceSpan span) {
  const Var* var = exprs_.scope().Assign(name, type, exprs_.At(span));
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
  const std::vector<absl::string_view> path = exprs_.PlPath(call->callee);
  return path.size() == 1 && path[0] == name ? call : nullptr;
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
    if (const Name* name = assign->target->As<Name>()) {
      add(*name, nullptr);
    } else {
      for (const Expr* element : assign->target->As<Tuple>()->elements) {
        add(*element->As<Name>(), nullptr);
      }
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
                                             SourceSpan span) {
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
  if (condition->type->kind == TypeKind::kScalar) return condition;
  return exprs_.Error(kFormRule, expr->span, "a condition is a scalar");
}

// ---- Loops

// `for i in`, `for i, (a, b) in` or, of pl.while_, `for (a, b) in`.
absl::StatusOr<BodyReader::LoopHeader> BodyReader::ReadLoopHeader(
    const For& stmt) {
  LoopHeader header;
  header.call = stmt.iterator->As<Call>();
  const std::vector<absl::string_view> path =
      header.call == nullptr ? std::vector<absl::string_view>()
                             : exprs_.PlPath(header.call->callee);
  const bool known =
      path.size() == 1 &&
      (path[0] == "while_" || EnumFromName<LoopKind>(path[0]).has_value());
  if (!known) {
    return exprs_.Error(kLoopRule, stmt.iterator->span,
                        "a loop runs over pl.range, pl.parallel, pl.unroll, "
                        "pl.pipeline or pl.while_");
  }
  header.kind = path[0];
  const Tuple* tuple = stmt.target->As<Tuple>();
  if (header.kind == "while_") {
    if (tuple != nullptr) header.carried = tuple->elements;
  } else if (tuple == nullptr) {
    header.loop_var = stmt.target->As<Name>();
  } else if (tuple->elements.size() == 2) {
    header.loop_var = tuple->elements[0]->As<Name>();
    const Tuple* carried = tuple->elements[1]->As<Tuple>();
    if (carried != nullptr) header.carried = carried->elements;
  }
  bool well_formed = header.kind == "while_"
                         ? tuple != nullptr
                         : header.loop_var != nullptr &&
                               (tuple == nullptr || !header.carried.empty());
  for (const Expr* name : header.carried) {
    well_formed &= name->As<Name>() != nullptr;
  }
  if (!well_formed) {
    return exprs_.Error(kLoopRule, stmt.target->span,
                        header.kind == "while_"
                            ? "expected for (CARRIED,) in pl.while_(...)"
                            : "expected for VAR, (CARRIED,) in ...");
  }
  return header;
}

absl::StatusOr<absl::Span<const IterArg* const>> BodyReader::ReadIterArgs(
    const LoopHeader& header) {
  const KeywordArgument* keyword = FindKeyword(*header.call, "init_values");
  absl::Span<const Expr* const> inits;
  if (keyword != nullptr) {
    const absl::Span<const Expr* const>* elements = Elements(keyword->value);
    if (elements == nullptr) {
      return exprs_.Error(kLoopRule, keyword->value->span,
                          "init_values is a tuple: (a,)");
    }
    inits = *elements;
  }
  if (inits.size() != header.carried.size()) {
    return exprs_.Error(
        kLoopRule, header.call->span,
        absl::StrCat(header.carried.size(), " carried names for ", inits.size(),
                     " initial values"));
  }
  MX_ASSIGN_OR_RETURN(const Exprs values, exprs_.ReadList(inits));
  std::vector<const IterArg*> args;
  for (size_t i = 0; i < values.size(); ++i) {
    const Name* name = header.carried[i]->As<Name>();
    args.push_back(exprs_.context().NewIterArg(
        name->name, values[i]->type, values[i], exprs_.At(name->span)));
  }
  return exprs_.context().List(args);
}

absl::StatusOr<const ir::Stmt*> BodyReader::ReadFor(const For& stmt) {
  MX_ASSIGN_OR_RETURN(const LoopHeader header, ReadLoopHeader(stmt));
  return header.kind == "while_" ? ReadCarriedWhile(stmt, header)
                                 : ReadCountedLoop(stmt, header);
}

absl::Status BodyReader::ReadRange(const Call& call, ir::For* loop) {
  Context& context = exprs_.context();
  MX_RETURN_IF_ERROR(
      CheckLoopKeywords(call, {"stage", "init_values", "attrs"}));
  MX_ASSIGN_OR_RETURN(const Exprs bounds, exprs_.ReadList(call.arguments));
  if (bounds.empty() || bounds.size() > 3) {
    return exprs_.Error(kLoopRule, call.span,
                        "a range has a stop, a start and a stop, or a start, "
                        "a stop and a step");
  }
  for (size_t i = 0; i < bounds.size(); ++i) {
    const ScalarType* type = DynCast<ScalarType>(bounds[i]->type);
    if (type == nullptr || !IsInteger(type->dtype)) {
      return exprs_.Error(kLoopRule, call.arguments[i]->span,
                          "a loop bound is an integer scalar");
    }
  }
  loop->start = bounds.size() > 1 ? bounds[0] : context.Index(0);
  loop->stop = bounds.size() > 1 ? bounds[1] : bounds[0];
  loop->step = bounds.size() > 2 ? bounds[2] : context.Index(1);
  return ReadLoopAttrs(call, loop);
}

absl::Status BodyReader::CheckLoopKeywords(
    const Call& call, absl::Span<const absl::string_view> known) {
  for (const KeywordArgument& keyword : call.keywords) {
    if (std::find(known.begin(), known.end(), keyword.name) == known.end()) {
      return exprs_.Error(
          kLoopRule, keyword.name_span,
          absl::StrCat("a loop has no '", keyword.name, "'; it has ",
                       absl::StrJoin(known, ", ")));
    }
  }
  return absl::OkStatus();
}

// `stage=2` first, as it prints, then the entries of `attrs`.
absl::Status BodyReader::ReadLoopAttrs(const Call& call, ir::For* loop) {
  std::vector<Attr> attrs;
  const KeywordArgument* stage = FindKeyword(call, "stage");
  if (stage != nullptr) {
    MX_ASSIGN_OR_RETURN(const AttrValue value,
                        exprs_.ReadAttrValue(stage->value));
    attrs.push_back({kStages, value});
  }
  if (const KeywordArgument* others = FindKeyword(call, "attrs")) {
    MX_ASSIGN_OR_RETURN(const Attrs read, exprs_.ReadAttrs(others->value));
    if (stage != nullptr && FindAttr(read, kStages) != nullptr) {
      return exprs_.Error(kLoopRule, stage->name_span,
                          "stage and the attribute pipeline_stages say the "
                          "same; give one of them");
    }
    attrs.insert(attrs.end(), read.begin(), read.end());
    std::stable_partition(attrs.begin(), attrs.end(), [](const Attr& attr) {
      return attr.name == kStages;
    });
  }
  const AttrValue* stages = FindAttr(attrs, kStages);
  if ((loop->loop_kind == LoopKind::kPipeline) != (stages != nullptr)) {
    return exprs_.Error(kLoopRule, call.span,
                        stages != nullptr ? "stage belongs to pl.pipeline"
                                          : "pl.pipeline needs stage=COUNT");
  }
  const bool counts =
      stages == nullptr ||
      (stages->kind == AttrValue::Kind::kInt && stages->int_value > 0);
  if (!counts) {
    return exprs_.Error(kLoopRule, call.span,
                        "stage must be a positive integer constant");
  }
  loop->attrs = exprs_.context().List(attrs);
  return absl::OkStatus();
}

absl::StatusOr<const ir::Stmt*> BodyReader::ReadCountedLoop(
    const For& stmt, const LoopHeader& header) {
  Context& context = exprs_.context();
  auto node =
      Start<ir::For>(ir::StmtKind::kFor, stmt, HeaderSpan(stmt, stmt.iterator));
  node.loop_kind = *EnumFromName<LoopKind>(header.kind);
  MX_RETURN_IF_ERROR(ReadRange(*header.call, &node));
  MX_ASSIGN_OR_RETURN(node.iter_args, ReadIterArgs(header));
  if (node.loop_kind == LoopKind::kUnroll && !node.iter_args.empty()) {
    return exprs_.Error(kLoopRule, header.call->span,
                        "pl.unroll carries no values");
  }
  node.loop_var = context.NewVar(header.loop_var->name,
                                 LoopVarType(node.start, node.stop, node.step),
                                 exprs_.At(header.loop_var->span));
  exprs_.scope().OpenBlock(/*is_loop=*/true);
  exprs_.scope().Bind(node.loop_var);
  for (const IterArg* arg : node.iter_args) exprs_.scope().Bind(arg);
  MX_ASSIGN_OR_RETURN(const Body body, ReadBlock(stmt.body));
  exprs_.scope().CloseBlock();
  node.body = body.block;
  MX_ASSIGN_OR_RETURN(node.return_vars,
                      ReadResults(body, node.iter_args.size(), node.span));
  return context.New(node);
}

// for (a,) in pl.while_(init_values=(x,)): pl.cond(...) ...
absl::StatusOr<const ir::Stmt*> BodyReader::ReadCarriedWhile(
    const For& stmt, const LoopHeader& header) {
  auto node = Start<ir::While>(ir::StmtKind::kWhile, stmt,
                               HeaderSpan(stmt, stmt.iterator));
  MX_RETURN_IF_ERROR(CheckLoopKeywords(*header.call, {"init_values"}));
  if (!header.call->arguments.empty()) {
    return exprs_.Error(kLoopRule, header.call->arguments[0]->span,
                        "pl.while_ has init_values only; its condition is "
                        "pl.cond(CONDITION)");
  }
  MX_ASSIGN_OR_RETURN(node.iter_args, ReadIterArgs(header));
  const ExprStmt* first =
      stmt.body.empty() ? nullptr : stmt.body[0]->As<ExprStmt>();
  const Call* condition =
      first == nullptr ? nullptr : AsPlCall(first->value, "cond");
  if (condition == nullptr || condition->arguments.size() != 1 ||
      !condition->keywords.empty()) {
    return exprs_.Error(kLoopRule, node.span,
                        "the body of pl.while_ begins with pl.cond(CONDITION)");
  }
  exprs_.scope().OpenBlock(/*is_loop=*/true);
  for (const IterArg* arg : node.iter_args) exprs_.scope().Bind(arg);
  KeepComments(*first);
  MX_ASSIGN_OR_RETURN(node.condition, ReadCondition(condition->arguments[0]));
  MX_ASSIGN_OR_RETURN(const Body body, ReadBlock(stmt.body.subspan(1)));
  exprs_.scope().CloseBlock();
  node.body = body.block;
  MX_ASSIGN_OR_RETURN(node.return_vars,
                      ReadResults(body, node.iter_args.size(), node.span));
  return exprs_.context().New(node);
}

absl::StatusOr<const ir::Stmt*> BodyReader::ReadWhile(const While& stmt) {
  auto node = Start<ir::While>(ir::StmtKind::kWhile, stmt,
                               HeaderSpan(stmt, stmt.condition));
  exprs_.scope().OpenBlock(/*is_loop=*/true);
  // Every round evaluates it.
  MX_ASSIGN_OR_RETURN(node.condition, ReadCondition(stmt.condition));
  MX_ASSIGN_OR_RETURN(const Body body, ReadBlock(stmt.body));
  exprs_.scope().CloseBlock();
  node.body = body.block;
  MX_ASSIGN_OR_RETURN(node.return_vars, ReadResults(body, 0, node.span));
  return exprs_.context().New(node);
}

}  // namespace mxtile::ir::text
