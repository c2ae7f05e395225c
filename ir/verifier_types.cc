#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/type_agreement.h"
#include "ir/verifier.h"
#include "ir/verifier_walk.h"

namespace mxtile::ir {
namespace {

std::string Quote(const Var* var) { return absl::StrCat("'", var->name, "'"); }

// A bare integer literal fits every integer type.
bool IsFittingLiteral(const Expr* value, const Type& type) {
  const ConstInt* literal = AsConstInt(value);
  const ScalarType* scalar = DynCast<ScalarType>(&type);
  return literal != nullptr && literal->dtype() == DataType::kIndex &&
         scalar != nullptr && IsInteger(scalar->dtype);
}

// ---- Windows of distributed tensors

// Which allocation a distributed tensor is a window of. Types do not say it, so
// it is followed through the definitions.
class WindowOrigins {
 public:
  void Reset(Block body) {
    body_ = body;
    definitions_.clear();
    is_collected_ = false;
  }

  // The allocation, or null when it is not known.
  const Var* Find(const Expr* value) {
    constexpr int kMaxHops = 100;
    for (int hops = 0; value != nullptr && hops < kMaxHops; ++hops) {
      if (const Var* var = DynCast<Var>(value)) {
        const Expr* definition = DefinitionOf(var);
        const bool is_root = definition == nullptr || Isa<Call>(definition);
        if (is_root && IsAllocation(*var->type)) return var;
        value = definition;
      } else if (const Call* call = DynCast<Call>(value)) {
        const bool is_window =
            !call->args.empty() && IsAllocation(*call->args[0]->type);
        value = is_window ? call->args[0] : nullptr;
      } else {
        value = nullptr;
      }
    }
    return nullptr;
  }

 private:
  static bool IsAllocation(const Type& type) {
    return type.kind == TypeKind::kPtr || type.kind == TypeKind::kWindowBuffer;
  }

  // What the variable holds; null when there is no single answer.
  const Expr* DefinitionOf(const Var* var) {
    if (!is_collected_) Collect();
    const auto it = definitions_.find(var);
    return it == definitions_.end() ? nullptr : it->second;
  }

  void Define(const Var* var, const Expr* value) {
    const auto [it, is_new] = definitions_.emplace(var, value);
    if (!is_new) it->second = nullptr;
  }

  void Collect() {
    is_collected_ = true;
    ForEachStmt(body_, [this](const Stmt* stmt) {
      if (const Assign* assign = DynCast<Assign>(stmt)) {
        Define(assign->var, assign->value);
      } else if (const For* loop = DynCast<For>(stmt)) {
        DefineCarried(loop->iter_args, loop->return_vars);
      } else if (const While* loop = DynCast<While>(stmt)) {
        DefineCarried(loop->iter_args, loop->return_vars);
      } else if (const If* branch = DynCast<If>(stmt)) {
        const Yield* yield = YieldAtEnd(branch->then_body);
        if (yield == nullptr) return;
        const size_t count =
            std::min(yield->values.size(), branch->return_vars.size());
        for (size_t i = 0; i < count; ++i) {
          Define(branch->return_vars[i], yield->values[i]);
        }
      }
    });
  }

  // What a loop carries stays in the window that it began with: that is what
  // the check is for.
  void DefineCarried(absl::Span<const IterArg* const> iter_args, Vars results) {
    for (size_t i = 0; i < iter_args.size(); ++i) {
      Define(iter_args[i], iter_args[i]->init);
      if (i < results.size()) Define(results[i], iter_args[i]);
    }
  }

  Block body_;
  bool is_collected_ = false;
  absl::flat_hash_map<const Var*, const Expr*> definitions_;
};

// ---- The check

class TypeChecker {
 public:
  explicit TypeChecker(DiagnosticSink* sink) : sink_(sink) {}

  void CheckFunction(const Function& function) {
    origins_.Reset(function.body);
    for (const Var* param : function.params) {
      CheckOwnType(*param->type, Quote(param), param->span);
    }
    for (const Type* type : function.return_types) {
      CheckOwnType(*type, "a returned value", function.span);
    }
    ForEachStmt(function.body, [this](const Stmt* stmt) { CheckStmt(*stmt); });
  }

 private:
  void CheckStmt(const Stmt& stmt) {
    ForEachDefinition(stmt, [&](const Var* var) {
      if (var->type->kind == TypeKind::kScalar || var->type == last_sound_) {
        return;
      }
      CheckOwnType(*var->type, Quote(var), stmt.span);
    });
    switch (stmt.kind) {
      case StmtKind::kAssign: {
        const auto& assign = static_cast<const Assign&>(stmt);
        if (assign.value->type == assign.var->type) return;
        return CheckEdge(assign.value, "the assigned value", assign.var,
                         stmt.span);
      }
      case StmtKind::kFor: {
        const auto& loop = static_cast<const For&>(stmt);
        CheckRange(loop.start, "start", stmt);
        CheckRange(loop.stop, "stop", stmt);
        CheckRange(loop.step, "step", stmt);
        return CheckCarried(stmt, loop.iter_args, loop.body, loop.return_vars);
      }
      case StmtKind::kWhile: {
        const auto& loop = static_cast<const While&>(stmt);
        CheckCondition(loop.condition, stmt);
        return CheckCarried(stmt, loop.iter_args, loop.body, loop.return_vars);
      }
      case StmtKind::kIf:
        return CheckIf(static_cast<const If&>(stmt));
      default:
        return;
    }
  }

  // Types are few and one object each: each is looked at until it is found
  // sound.
  void CheckOwnType(const Type& type, absl::string_view what,
                    SourceSpan place) {
    if (sound_.contains(&type)) {
      last_sound_ = &type;
      return;
    }
    const std::optional<TypeMismatch> unsound = FindUnsoundValidShape(type);
    if (!unsound.has_value()) {
      sound_.insert(&type);
      return;
    }
    sink_->Error(unsound->rule, place,
                 absl::StrCat("in the type of ", what, " ", unsound->what));
  }

  // The value's type against that of the variable that takes it.
  void CheckEdge(const Expr* value, absl::string_view what, const Var* var,
                 SourceSpan place) {
    const std::optional<TypeMismatch> mismatch =
        FindTypeMismatch(*value->type, *var->type);
    if (!mismatch.has_value() || IsFittingLiteral(value, *var->type)) return;
    Report(*mismatch, absl::StrCat(what, " and ", Quote(var)), place);
  }

  void Report(const TypeMismatch& mismatch, absl::string_view what,
              SourceSpan place) {
    sink_->Error(mismatch.rule, place,
                 absl::StrCat(what, " do not agree: ", mismatch.what));
  }

  // Two values of which one variable takes either.
  void CheckWindow(const Expr* a, const Expr* b, const Var* var,
                   SourceSpan place) {
    if (var->type->kind != TypeKind::kDistributedTensor) return;
    const Var* in_a = origins_.Find(a);
    const Var* in_b = origins_.Find(b);
    if (in_a == nullptr || in_b == nullptr || in_a == in_b) return;
    sink_->Error(
        "MX-TYPE-10", place,
        absl::StrCat(Quote(var), " is a window of ", Quote(in_a), " or of ",
                     Quote(in_b), "; it must be one window on every path"));
  }

  void CheckCondition(const Expr* condition, const Stmt& stmt) {
    const Type& type = *condition->type;
    const ScalarType* scalar = DynCast<ScalarType>(&type);
    if (scalar != nullptr && scalar->dtype == DataType::kBool) return;
    if (type.kind == TypeKind::kUnknown) return;
    const SourceSpan place = PlaceOf(condition, stmt);
    if (scalar == nullptr) {
      sink_->Error("MX-TYPE-6", place,
                   absl::StrCat("a condition must be a scalar, it is ",
                                PrintType(&type)));
    } else {
      sink_->Error("MX-TYPE-8", place,
                   absl::StrCat("a condition must be BOOL, it is ",
                                DataTypeName(scalar->dtype),
                                "; compare it, as in x != 0"));
    }
  }

  void CheckRange(const Expr* bound, absl::string_view what, const Stmt& stmt) {
    if (bound->type->kind == TypeKind::kScalar ||
        bound->type->kind == TypeKind::kUnknown) {
      return;
    }
    sink_->Error("MX-TYPE-7", stmt.span,
                 absl::StrCat("the ", what,
                              " of a loop must be a scalar, it "
                              "is ",
                              PrintType(bound->type)));
  }

  // Initial values, what the body yields and the results, one to one. A body
  // without a yield is SsaForm's to report.
  void CheckCarried(const Stmt& stmt,
                    absl::Span<const IterArg* const> iter_args, Block body,
                    Vars results) {
    const Yield* yield = YieldAtEnd(body);
    const size_t count = iter_args.size();
    if (results.size() != count ||
        (yield != nullptr && yield->values.size() != count)) {
      sink_->Error(
          "MX-TYPE-5", stmt.span,
          absl::StrCat("the loop carries ", count, " values",
                       yield == nullptr
                           ? ""
                           : absl::StrCat(", yields ", yield->values.size()),
                       " and has ", results.size(), " results"));
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      CheckEdge(iter_args[i]->init, "the initial value", iter_args[i],
                stmt.span);
      CheckEdge(iter_args[i], "the carried value", results[i], stmt.span);
      if (yield == nullptr) continue;
      CheckEdge(yield->values[i], "the yielded value", iter_args[i],
                yield->span);
      CheckWindow(iter_args[i]->init, yield->values[i], results[i],
                  yield->span);
    }
  }

  void CheckIf(const If& branch) {
    CheckCondition(branch.condition, branch);
    const Yield* yields[] = {YieldAtEnd(branch.then_body),
                             YieldAtEnd(branch.else_body)};
    const size_t count = branch.return_vars.size();
    for (const Yield* yield : yields) {
      if (yield == nullptr) continue;
      if (yield->values.size() != count) {
        sink_->Error("MX-TYPE-5", yield->span,
                     absl::StrCat("the branch yields ", yield->values.size(),
                                  " values, the if has ", count, " results"));
        return;
      }
      for (size_t i = 0; i < count; ++i) {
        CheckEdge(yield->values[i], "the yielded value", branch.return_vars[i],
                  yield->span);
      }
    }
    if (yields[0] == nullptr || yields[1] == nullptr) return;
    for (size_t i = 0; i < count; ++i) {
      CheckWindow(yields[0]->values[i], yields[1]->values[i],
                  branch.return_vars[i], yields[1]->span);
    }
  }

  DiagnosticSink* sink_;
  WindowOrigins origins_;
  absl::flat_hash_set<const Type*> sound_;
  const Type* last_sound_ = nullptr;
};

}  // namespace

void VerifyTypeChecked(const Program& program, DiagnosticSink* sink) {
  TypeChecker checker(sink);
  for (const Function* function : program.functions) {
    checker.CheckFunction(*function);
  }
}

}  // namespace mxtile::ir
