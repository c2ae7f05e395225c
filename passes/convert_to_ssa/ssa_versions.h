#ifndef PASSES_CONVERT_TO_SSA_SSA_VERSIONS_H_
#define PASSES_CONVERT_TO_SSA_SSA_VERSIONS_H_

// The base of ConvertToSsa's rewriter: which version of each variable is the
// one to read at the place that the walk has come to, and which variables are
// visible there.
//
//   const size_t mark = version_mark();
//   NewVersion(var, "ssa", type);     // Uses of var become the new one ...
//   UndoTo(mark);                     // ... and here what they were before.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "passes/convert_to_ssa/ssa_facts.h"

namespace mxtile {

class SsaVersions : public ir::Rewriter {
 protected:
  using Expr = ir::Expr;
  using Stmt = ir::Stmt;
  using Type = ir::Type;
  using Var = ir::Var;

  using Rewriter::Rewriter;

  // Forgets all and begins with the function's parameters. False when no
  // variable of it needs versions.
  bool Start(const ir::Function& function) {
    facts_ = CollectSsaFacts(function);
    current_.clear();
    changes_.clear();
    next_version_.clear();
    visible_.clear();
    visible_types_.clear();
    for (const Var* param : function.params) {
      if (IsVersioned(param)) Set(param, param);
      Show(param);
    }
    return !facts_.versioned.empty();
  }
  const SsaFacts& facts() const { return facts_; }

  bool IsVersioned(const Var* var) const {
    return facts_.versioned.contains(var);
  }

  void Set(const Var* var, const Var* version) {
    const auto it = current_.find(var);
    changes_.push_back({var, it == current_.end() ? nullptr : it->second});
    current_[var] = version;
    Substitute(var, version);
  }
  void UndoTo(size_t mark) {
    for (; changes_.size() > mark; changes_.pop_back()) {
      const auto& [var, before] = changes_.back();
      if (before != nullptr) {
        current_[var] = before;
      } else {
        current_.erase(var);
      }
      Substitute(var, before != nullptr ? before : var);
    }
  }
  // The version that is visible here; null when the variable has no value.
  const Var* Current(const Var* var) const {
    const auto it = current_.find(var);
    return it == current_.end() ? nullptr : it->second;
  }

  // The variable, as the program names it, is visible from here on.
  void Show(const Var* var) {
    visible_[var->type].push_back(var);
    visible_types_.push_back(var->type);
  }
  // What the statement defines and leaves behind.
  void ShowResults(const Stmt& stmt) {
    ir::Vars results;
    if (const auto* assign = ir::DynCast<ir::Assign>(&stmt))
      return Show(assign->var);
    if (const auto* branch = ir::DynCast<ir::If>(&stmt)) {
      results = branch->return_vars;
    } else if (const auto* loop = ir::DynCast<ir::For>(&stmt)) {
      results = loop->return_vars;
    } else if (const auto* loop = ir::DynCast<ir::While>(&stmt)) {
      results = loop->return_vars;
    }
    for (const Var* var : results) Show(var);
  }
  void HideTo(size_t mark) {
    for (; visible_types_.size() > mark; visible_types_.pop_back()) {
      visible_[visible_types_.back()].pop_back();
    }
  }

  std::string NewName(const Var* var, absl::string_view role) {
    return absl::StrCat(BaseName(var->name), "__", role, "_v",
                        next_version_[var]++);
  }
  const Var* NewVersion(const Var* var, absl::string_view role,
                        const Type* type) {
    const Var* version = context().NewVar(NewName(var, role), type, var->span);
    Set(var, version);
    return version;
  }
  const Var* Define(const Var* var, absl::string_view role) {
    return IsVersioned(var) ? NewVersion(var, role, RewriteType(var->type))
                            : DefineVar(var);
  }
  template <typename Vars>
  void DefineAll(const Vars& vars, absl::string_view role,
                 std::vector<const Var*>* out) {
    for (const Var* var : vars) out->push_back(Define(var, role));
  }

  // Whether the statement defines or hands on something versioned.
  bool HandsOn(const Stmt& stmt) const {
    if (facts_.assigned.contains(&stmt)) return true;
    bool found = false;
    ir::ForEachDefinition(
        stmt, [&](const Var* var) { found = found || IsVersioned(var); });
    return found;
  }

  const std::vector<const Var*>& AssignedIn(const Stmt& stmt) const {
    static const auto* const none = new std::vector<const Var*>;
    const auto it = facts_.assigned.find(&stmt);
    return it == facts_.assigned.end() ? *none : it->second;
  }

  bool IsNeeded(const Stmt& stmt, const Var* var) const {
    const auto it = facts_.needed.find(&stmt);
    return it != facts_.needed.end() && it->second.contains(var);
  }

  size_t version_mark() const { return changes_.size(); }
  std::vector<const Var*> ChangedSince(size_t mark) const {
    std::vector<const Var*> changed;
    for (size_t i = mark; i < changes_.size(); ++i) {
      changed.push_back(changes_[i].first);
    }
    return changed;
  }
  size_t visible_mark() const { return visible_types_.size(); }
  // In program order.
  const std::vector<const Var*>& VisibleOfType(const Type* type) {
    return visible_[type];
  }

 private:
  // "total" of "total" and of "total__iter_v1".
  static absl::string_view BaseName(absl::string_view name) {
    const size_t end = name.find("__");
    return end == 0 ? name : name.substr(0, end);
  }

  SsaFacts facts_;
  // The visible version of each versioned variable that has a value.
  absl::flat_hash_map<const Var*, const Var*> current_;
  // What was changed in `current_`, with the version before.
  std::vector<std::pair<const Var*, const Var*>> changes_;
  absl::flat_hash_map<const Var*, int> next_version_;
  // The variables of the function that are visible, by type, in program order;
  // and their types in the order in which they became so.
  absl::flat_hash_map<const Type*, std::vector<const Var*>> visible_;
  std::vector<const Type*> visible_types_;
};

}  // namespace mxtile

#endif  // PASSES_CONVERT_TO_SSA_SSA_VERSIONS_H_
