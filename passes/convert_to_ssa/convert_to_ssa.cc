#include "passes/convert_to_ssa/convert_to_ssa.h"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/verifier_walk.h"
#include "passes/convert_to_ssa/ssa_versions.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using ir::Block;
using ir::DynCast;
using ir::Expr;
using ir::IterArg;
using ir::Stmt;
using ir::Type;
using ir::Var;

// Whether control does not come out at the end of the block.
bool Leaves(Block block) {
  if (block.empty()) return false;
  const Stmt& last = *block.back();
  if (const auto* scope = DynCast<ir::Scope>(&last)) return Leaves(scope->body);
  return last.kind == ir::StmtKind::kReturn ||
         last.kind == ir::StmtKind::kBreak ||
         last.kind == ir::StmtKind::kContinue;
}

class SsaConverter : public SsaVersions {
 public:
  SsaConverter(ir::Context* context, ir::DiagnosticSink* sink)
      : SsaVersions(context), sink_(sink) {}

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    if (!Start(*function)) return function;
    function_ = function;
    reported_.clear();
    return Rewriter::RewriteFunction(function);
  }

 protected:
  const Expr* RewriteNode(const Expr* node) override {
    const Var* var = DynCast<Var>(node);
    if (var == nullptr || !IsVersioned(var) || Current(var) != nullptr ||
        !reported_.insert(var).second) {
      return node;
    }
    sink_->Error("MX-TOSSA-1", place_,
                 absl::StrCat("'", var->name,
                              "' has no value on every way to here; assign it "
                              "in front of the loop or branch that does"));
    return node;
  }

  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    place_ = stmt->span;
    const size_t visible = visible_mark();
    if (const auto* assign = DynCast<ir::Assign>(stmt)) {
      out->push_back(IsVersioned(assign->var) ? ConvertAssign(*assign)
                                              : RewriteParts(stmt));
    } else if (const auto* branch = DynCast<ir::If>(stmt)) {
      out->push_back(HandsOn(*branch) ? ConvertIf(*branch)
                                      : RewriteParts(stmt));
    } else if (const auto* loop = DynCast<ir::For>(stmt)) {
      out->push_back(HandsOn(*loop) ? ConvertLoop(*loop) : RewriteParts(stmt));
    } else if (const auto* loop = DynCast<ir::While>(stmt)) {
      out->push_back(HandsOn(*loop) ? ConvertLoop(*loop) : RewriteParts(stmt));
    } else if (const auto* scope = DynCast<ir::Scope>(stmt)) {
      out->push_back(HandsOn(*scope) ? ConvertScope(*scope)
                                     : RewriteParts(stmt));
    } else {
      out->push_back(RewriteParts(stmt));
    }
    if (!ir::Isa<ir::Scope>(stmt)) HideTo(visible);
    ShowResults(*stmt);
  }

 private:
  // ---- Statements

  const Stmt* ConvertAssign(const ir::Assign& assign) {
    ir::Assign copy = assign;
    copy.value = RewriteExpr(assign.value);
    copy.var = NewVersion(assign.var, "ssa", RewriteType(assign.var->type));
    return context().New(copy);
  }

  // The body with what it yields followed by `values`.
  Block WithYield(Block body, const std::vector<const Expr*>& values,
                  ir::SourceSpan span) {
    if (values.empty()) return body;
    std::vector<const Stmt*> stmts(body.begin(), body.end());
    const auto* scope =
        body.empty() ? nullptr : DynCast<ir::Scope>(body.back());
    if (scope != nullptr && ir::YieldAtEnd(body) != nullptr) {
      ir::Scope copy = *scope;
      copy.body = WithYield(scope->body, values, span);
      stmts.back() = context().New(copy);
      return context().List(stmts);
    }
    ir::Yield yield;
    yield.kind = ir::StmtKind::kYield;
    yield.span = span;
    if (const ir::Yield* old = ir::TrailingYield(body)) {
      yield = *old;
      stmts.pop_back();
    }
    std::vector<const Expr*> all(yield.values.begin(), yield.values.end());
    all.insert(all.end(), values.begin(), values.end());
    yield.values = context().List(all);
    stmts.push_back(context().New(yield));
    return context().List(stmts);
  }

  void RefuseOneBranch(const Stmt& stmt, const Var* var) {
    if (!reported_.insert(var).second) return;
    sink_->Error("MX-TOSSA-1", stmt.span,
                 absl::StrCat("'", var->name,
                              "' is assigned in one branch only, and read "
                              "behind it; assign it in the other one too, or "
                              "in front"));
  }
  void RefuseLeaving(const Stmt& stmt, const Var* var) {
    sink_->Error("MX-TOSSA-3", stmt.span,
                 absl::StrCat("the statement hands on '", var->name,
                              "', but is left by break, continue or return; "
                              "run PyPTO's ctrl_flow_transform first"));
  }

  // A branch, and what its variables are at its end.
  struct Converted {
    Block body;
    absl::flat_hash_map<const Var*, const Var*> versions;
  };
  Converted ConvertBranch(Block body) {
    const size_t mark = version_mark();
    const size_t visible = visible_mark();
    Converted result;
    result.body = RewriteBlock(body);
    for (const Var* var : ChangedSince(mark)) {
      if (const Var* version = Current(var)) result.versions[var] = version;
    }
    UndoTo(mark);
    HideTo(visible);
    return result;
  }

  const Stmt* ConvertIf(const ir::If& branch) {
    ir::If copy = branch;
    copy.condition = RewriteExpr(branch.condition);
    const Converted then_branch = ConvertBranch(branch.then_body);
    const Converted else_branch = ConvertBranch(branch.else_body);
    const auto version_in = [this](const Converted& b, const Var* var) {
      const auto it = b.versions.find(var);
      return it != b.versions.end() ? it->second : Current(var);
    };
    std::vector<const Var*> phis;
    std::vector<const Expr*> then_values;
    std::vector<const Expr*> else_values;
    for (const Var* var : AssignedIn(branch)) {
      const Var* then_version = version_in(then_branch, var);
      const Var* else_version = version_in(else_branch, var);
      if (then_version == nullptr || else_version == nullptr) {
        if (IsNeeded(branch, var)) RefuseOneBranch(branch, var);
        continue;
      }
      phis.push_back(var);
      then_values.push_back(then_version);
      else_values.push_back(else_version);
    }
    if (!phis.empty() &&
        (Leaves(branch.then_body) || Leaves(branch.else_body))) {
      RefuseLeaving(branch, phis[0]);
    }
    std::vector<const Var*> results;
    DefineAll(branch.return_vars, "phi", &results);
    for (size_t i = 0; i < phis.size(); ++i) {
      results.push_back(NewVersion(phis[i], "phi", then_values[i]->type));
    }
    copy.then_body = WithYield(then_branch.body, then_values, branch.span);
    copy.else_body = WithYield(else_branch.body, else_values, branch.span);
    copy.return_vars = context().List(results);
    return context().New(copy);
  }

  const Stmt* ConvertScope(const ir::Scope& scope) {
    ir::Scope copy = scope;
    copy.args = RewriteAttrs(scope.args);
    if (scope.index != nullptr) copy.index = Define(scope.index, "idx");
    copy.body = RewriteBlock(scope.body);
    if (scope.task_id != nullptr) copy.task_id = Define(scope.task_id, "ssa");
    return context().New(copy);
  }

  // ---- Loops

  // What a loop has to carry besides what it carries already.
  struct Carried {
    const Var* var;
    const Expr* init;
    const Type* type;
  };
  template <typename Loop>
  std::vector<Carried> FindCarried(const Loop& loop) {
    absl::flat_hash_set<const Var*> own(loop.iter_args.begin(),
                                        loop.iter_args.end());
    if constexpr (std::is_same_v<Loop, ir::For>) own.insert(loop.loop_var);
    std::vector<Carried> carried;
    for (const Var* var : AssignedIn(loop)) {
      const Var* before = Current(var);
      if (before == nullptr || own.contains(var)) continue;
      carried.push_back({var, before, before->type});
    }
    for (const Var* var : AssignedIn(loop)) {
      if (Current(var) != nullptr || own.contains(var) ||
          !IsNeeded(loop, var)) {
        continue;
      }
      const Type* type = RewriteType(var->type);
      carried.push_back({var, InitialValue(*var, type, loop), type});
    }
    return carried;
  }

  // Something of the type, for a loop to start with.
  const Expr* InitialValue(const Var& var, const Type* type, const Stmt& loop) {
    for (size_t i = 0; i < function_->params.size(); ++i) {
      if (function_->directions[i] == ir::ParamDirection::kIn) continue;
      const Expr* value = VisibleValue(function_->params[i]);
      if (value != nullptr && value->type == type) return value;
    }
    for (const Var* candidate : VisibleOfType(var.type)) {
      const Expr* value = VisibleValue(candidate);
      if (value != nullptr && value->type == type) return value;
    }
    if (const auto* scalar = DynCast<ir::ScalarType>(type)) {
      if (scalar->dtype == ir::DataType::kBool) return context().Bool(false);
      if (ir::IsInteger(scalar->dtype)) return context().Int(0, scalar->dtype);
      return context().Float(0, scalar->dtype);
    }
    sink_->Error("MX-TOSSA-2", loop.span,
                 absl::StrCat("the loop assigns '", var.name,
                              "', which is read behind it, and there is no ",
                              ir::PrintType(type),
                              " that it could be before the first round; "
                              "assign it in front of the loop"));
    return context().NewVar(var.name, type);
  }
  const Expr* VisibleValue(const Var* var) {
    return IsVersioned(var) ? Current(var) : RewriteExpr(var);
  }

  // The loop's own carried values; their versions are set by the caller.
  std::vector<const IterArg*> DefineIterArgs(
      absl::Span<const IterArg* const> args) {
    std::vector<const IterArg*> result;
    for (const IterArg* arg : args) {
      const Expr* init = RewriteExpr(arg->init);
      const Type* type = RewriteType(arg->type);
      const bool same =
          init == arg->init && type == arg->type && !IsVersioned(arg);
      result.push_back(
          same ? arg : context().NewIterArg(arg->name, type, init, arg->span));
    }
    return result;
  }

  template <typename Loop>
  const Stmt* ConvertLoop(const Loop& loop) {
    Loop copy = loop;
    if constexpr (std::is_same_v<Loop, ir::For>) {
      copy.start = RewriteExpr(loop.start);
      copy.stop = RewriteExpr(loop.stop);
      copy.step = RewriteExpr(loop.step);
      copy.attrs = RewriteAttrs(loop.attrs);
    }
    std::vector<const IterArg*> args = DefineIterArgs(loop.iter_args);
    const std::vector<Carried> carried = FindCarried(loop);
    if (!carried.empty() &&
        (facts().left_early.contains(&loop) || Leaves(loop.body))) {
      RefuseLeaving(loop, carried[0].var);
    }
    std::vector<std::string> result_names;
    for (const Carried& c : carried) {
      args.push_back(context().NewIterArg(NewName(c.var, "iter"), c.type,
                                          c.init, loop.span));
      result_names.push_back(NewName(c.var, "rv"));
    }

    const size_t mark = version_mark();
    const size_t visible = visible_mark();
    if constexpr (std::is_same_v<Loop, ir::For>) {
      copy.loop_var = Define(loop.loop_var, "idx");
    }
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      if (IsVersioned(loop.iter_args[i])) {
        Set(loop.iter_args[i], args[i]);
      } else if (args[i] != loop.iter_args[i]) {
        Substitute(loop.iter_args[i], args[i]);
      }
    }
    for (size_t i = 0; i < carried.size(); ++i) {
      Set(carried[i].var, args[loop.iter_args.size() + i]);
    }
    if constexpr (std::is_same_v<Loop, ir::While>) {
      copy.condition = RewriteExpr(loop.condition);
    }
    copy.body = RewriteBlock(loop.body);
    std::vector<const Expr*> values;
    for (const Carried& c : carried) values.push_back(Current(c.var));
    UndoTo(mark);
    HideTo(visible);

    std::vector<const Var*> results;
    DefineAll(loop.return_vars, "rv", &results);
    for (size_t i = 0; i < carried.size(); ++i) {
      results.push_back(
          context().NewVar(result_names[i], carried[i].type, loop.span));
      Set(carried[i].var, results.back());
    }
    copy.iter_args = context().List(args);
    copy.body = WithYield(copy.body, values, loop.span);
    copy.return_vars = context().List(results);
    return context().New(copy);
  }

  ir::DiagnosticSink* sink_;
  const ir::Function* function_ = nullptr;
  absl::flat_hash_set<const Var*> reported_;
  ir::SourceSpan place_;
};

}  // namespace

absl::StatusOr<const ir::Program*> ConvertToSsa::Run(
    const ir::Program* program, PassContext& context) const {
  const ir::Program* converted =
      SsaConverter(context.ir, context.sink).RewriteProgram(program);
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return converted;
}

}  // namespace mxtile
