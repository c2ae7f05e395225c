// Loops.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/builder.h"
#include "ir/enums.h"
#include "ir/text/body_reader.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {
namespace {

constexpr absl::string_view kStages = "pipeline_stages";

// A tuple's or list's elements; null for anything else.
const absl::Span<const Expr* const>* Elements(const Expr* expr) {
  if (const Tuple* tuple = expr->As<Tuple>()) return &tuple->elements;
  if (const List* list = expr->As<List>()) return &list->elements;
  return nullptr;
}

}  // namespace

// `for i in`, `for i, (a, b) in` or, of pl.while_, `for (a, b) in`.
absl::StatusOr<BodyReader::LoopHeader> BodyReader::ReadLoopHeader(
    const For& stmt) {
  LoopHeader header;
  header.call = stmt.iterator->As<Call>();
  const Path path =
      header.call == nullptr ? Path() : exprs_.PlPath(header.call->callee);
  const bool known =
      path.size() == 1 &&
      (path[0] == "while_" || EnumFromName<LoopKind>(path[0]).has_value());
  if (!known) {
    return exprs_.Error(kLoopRule, stmt.iterator->span,
                        "a loop runs over pl.range, pl.parallel, pl.unroll, "
                        "pl.pipeline, pl.while_, pl.spmd or pl.split_aiv");
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
  for (const absl::string_view scope : {"spmd", "split_aiv"}) {
    if (AsPlCall(stmt.iterator, scope) != nullptr) return ReadScopeLoop(stmt);
  }
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
    if (!MayBeInteger(*bounds[i]->type)) {
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
                      ReadLoopResults(body, node.iter_args.size(), node.span));
  return context.New(node);
}

// Before SSA form a loop may carry values and yield none: its body assigns to
// the carried names.
absl::StatusOr<Vars> BodyReader::ReadLoopResults(const Body& body, size_t count,
                                                 TextRange span) {
  const bool yields =
      TrailingYield(body.block) != nullptr || !body.targets.empty();
  if (!yields) count = 0;
  return ReadResults(body, count, span);
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
                      ReadLoopResults(body, node.iter_args.size(), node.span));
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
