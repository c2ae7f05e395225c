#include "passes/convert_to_ssa/ssa_facts.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/var_table.h"
#include "ir/verifier_walk.h"

namespace mxtile {
namespace {

using ir::Block;
using ir::DynCast;
using ir::Isa;
using ir::Stmt;
using ir::Var;

bool IsLoop(const Stmt& stmt) {
  return Isa<ir::For>(&stmt) || Isa<ir::While>(&stmt);
}

bool RunsAtLeastOnce(const Stmt& stmt) {
  const auto* loop = DynCast<ir::For>(&stmt);
  if (loop == nullptr) return false;
  const ir::ConstInt* start = ir::AsConstInt(loop->start);
  const ir::ConstInt* stop = ir::AsConstInt(loop->stop);
  const ir::ConstInt* step = ir::AsConstInt(loop->step);
  if (start == nullptr || stop == nullptr || step == nullptr) return false;
  return step->value > 0 ? start->value < stop->value
                         : step->value < 0 && start->value > stop->value;
}

// The variables that are defined more than once, or used where their block has
// ended. The body of a scope is part of the block around it.
class VersionedFinder {
 public:
  explicit VersionedFinder(absl::flat_hash_set<const Var*>* versioned)
      : versioned_(versioned) {}

  void Visit(const ir::Function& function) {
    OpenBlock();
    for (const Var* param : function.params) Define(param);
    Visit(function.body);
  }

 private:
  struct Definition {
    size_t block = 0;  // In which it stands, from 1 on; 0: none.
  };

  void OpenBlock() {
    is_open_.push_back(true);
    blocks_.push_back(is_open_.size());
  }
  void CloseBlock() {
    is_open_[blocks_.back() - 1] = false;
    blocks_.pop_back();
  }

  void Define(const Var* var) {
    Definition& definition = definitions_[var];
    if (definition.block != 0) versioned_->insert(var);
    if (definition.block == 0) definition.block = blocks_.back();
    walk_.InType(*var->type, [this](const Var* dim) { Use(dim); });
  }
  void Use(const Var* var) {
    const size_t block = definitions_[var].block;
    if (block != 0 && !is_open_[block - 1]) versioned_->insert(var);
  }
  void Uses(const Stmt& stmt) {
    walk_.ForEachUse(stmt,
                     [this](const Var* var, const ir::Expr*) { Use(var); });
  }

  void Visit(Block block) {
    for (const Stmt* stmt : block) Visit(*stmt);
  }
  void Visit(const Stmt& stmt) {
    Uses(stmt);
    if (const auto* branch = DynCast<ir::If>(&stmt)) {
      for (const Block body : {branch->then_body, branch->else_body}) {
        OpenBlock();
        Visit(body);
        CloseBlock();
      }
      for (const Var* var : branch->return_vars) Define(var);
    } else if (const auto* loop = DynCast<ir::For>(&stmt)) {
      VisitLoop(*loop, loop->loop_var);
    } else if (const auto* loop = DynCast<ir::While>(&stmt)) {
      VisitLoop(*loop, nullptr);
    } else {
      ir::ForEachDefinition(stmt, [this](const Var* var) { Define(var); });
      ir::ForEachBlock(stmt, [this](Block body) { Visit(body); });
    }
  }
  template <typename Loop>
  void VisitLoop(const Loop& loop, const Var* loop_var) {
    OpenBlock();
    if (loop_var != nullptr) Define(loop_var);
    for (const ir::IterArg* arg : loop.iter_args) Define(arg);
    Visit(loop.body);
    CloseBlock();
    for (const Var* var : loop.return_vars) Define(var);
  }

  absl::flat_hash_set<const Var*>* versioned_;
  std::vector<bool> is_open_;   // By number of the block, from 1 on.
  std::vector<size_t> blocks_;  // Those around the statement.
  ir::VarTable<Definition> definitions_;
  ir::UseWalk walk_;
};

// Fills in `assigned` and `left_early`.
class AssignedFinder {
 public:
  explicit AssignedFinder(SsaFacts* facts) : facts_(facts) {}

  void Visit(Block block, std::vector<const Var*>* assigned) {
    for (const Stmt* stmt : block) Visit(*stmt, assigned);
  }

 private:
  void Add(const Var* var, std::vector<const Var*>* assigned) {
    if (facts_->versioned.contains(var)) assigned->push_back(var);
  }

  void Visit(const Stmt& stmt, std::vector<const Var*>* assigned) {
    if (Isa<ir::If>(&stmt) || IsLoop(stmt)) {
      std::vector<const Var*> inside;
      if (IsLoop(stmt)) loops_.push_back(&stmt);
      ir::ForEachBlock(stmt, [&](Block body) { Visit(body, &inside); });
      if (IsLoop(stmt)) loops_.pop_back();
      Unique(&inside);
      assigned->insert(assigned->end(), inside.begin(), inside.end());
      AddResults(stmt, assigned);
      if (inside.empty()) return;
      std::stable_sort(
          inside.begin(), inside.end(),
          [](const Var* a, const Var* b) { return a->name < b->name; });
      facts_->assigned[&stmt] = std::move(inside);
      return;
    }
    const bool leaves = stmt.kind == ir::StmtKind::kBreak ||
                        stmt.kind == ir::StmtKind::kContinue;
    if (leaves && !loops_.empty()) facts_->left_early.insert(loops_.back());
    ir::ForEachDefinition(stmt, [&](const Var* var) { Add(var, assigned); });
    ir::ForEachBlock(stmt, [&](Block body) { Visit(body, assigned); });
  }

  // What the statement leaves behind, not what is visible in it only.
  void AddResults(const Stmt& stmt, std::vector<const Var*>* assigned) {
    ir::Vars results;
    if (const auto* branch = DynCast<ir::If>(&stmt)) {
      results = branch->return_vars;
    } else if (const auto* loop = DynCast<ir::For>(&stmt)) {
      results = loop->return_vars;
    } else if (const auto* loop = DynCast<ir::While>(&stmt)) {
      results = loop->return_vars;
    }
    for (const Var* var : results) Add(var, assigned);
  }

  // Keeps the first of each.
  static void Unique(std::vector<const Var*>* vars) {
    absl::flat_hash_set<const Var*> seen;
    vars->erase(std::remove_if(
                    vars->begin(), vars->end(),
                    [&](const Var* var) { return !seen.insert(var).second; }),
                vars->end());
  }

  SsaFacts* facts_;
  std::vector<const Stmt*> loops_;
};

// Fills in `needed`: which versioned variables are live behind a loop
// or branch. A
// walk from the end to the beginning over one set of live variables, with a
// list of its changes, so that branches cost what they change.
class Liveness {
 public:
  explicit Liveness(SsaFacts* facts) : facts_(facts) {}

  void Visit(Block block) {
    for (auto it = block.rbegin(); it != block.rend(); ++it) Visit(**it);
  }

 private:
  struct Change {
    const Var* var;
    bool was_live;
  };

  void Set(const Var* var, bool live) {
    if (!facts_->versioned.contains(var)) return;
    const bool was_live = live_.contains(var);
    if (was_live == live) return;
    changes_.push_back({var, was_live});
    if (live) {
      live_.insert(var);
    } else {
      live_.erase(var);
    }
  }

  void Uses(const Stmt& stmt) {
    walk_.ForEachUse(
        stmt, [this](const Var* var, const ir::Expr*) { Set(var, true); });
  }
  void TypeUses(const Var* var) {
    walk_.InType(*var->type, [this](const Var* dim) { Set(dim, true); });
  }
  void Define(const Var* var) {
    Set(var, false);
    TypeUses(var);
  }

  // What was live at `mark`, and has been changed since, in its first state.
  std::vector<Change> ChangesSince(size_t mark) const {
    absl::flat_hash_set<const Var*> seen;
    std::vector<Change> first;
    for (size_t i = mark; i < changes_.size(); ++i) {
      if (seen.insert(changes_[i].var).second) first.push_back(changes_[i]);
    }
    return first;
  }

  void Visit(const Stmt& stmt) {
    if (const auto* branch = DynCast<ir::If>(&stmt)) {
      VisitBranch(*branch);
    } else if (IsLoop(stmt)) {
      VisitLoop(stmt);
    } else {
      ir::ForEachDefinition(stmt, [this](const Var* var) { Define(var); });
      ir::ForEachBlock(stmt, [this](Block body) { Visit(body); });
      Uses(stmt);
    }
  }

  void RecordNeeded(const Stmt& stmt) {
    const auto assigned = facts_->assigned.find(&stmt);
    if (assigned == facts_->assigned.end()) return;
    absl::flat_hash_set<const Var*>& set = facts_->needed[&stmt];
    for (const Var* var : assigned->second) {
      if (live_.contains(var)) set.insert(var);
    }
  }

  void VisitBranch(const ir::If& branch) {
    RecordNeeded(branch);
    for (const Var* var : branch.return_vars) Define(var);
    const size_t mark = changes_.size();
    Visit(branch.then_body);
    std::vector<const Var*> live_in_then;
    const std::vector<Change> then_changes = ChangesSince(mark);
    for (const Change& change : then_changes) {
      if (live_.contains(change.var)) live_in_then.push_back(change.var);
    }
    for (const Change& change : then_changes) Set(change.var, change.was_live);
    const size_t else_mark = changes_.size();
    Visit(branch.else_body);
    absl::flat_hash_set<const Var*> changed_in_then;
    for (const Change& change : then_changes) {
      changed_in_then.insert(change.var);
    }
    for (const Change& change : ChangesSince(else_mark)) {
      if (change.was_live && !changed_in_then.contains(change.var)) {
        Set(change.var, true);
      }
    }
    for (const Var* var : live_in_then) Set(var, true);
    Uses(branch);
  }

  void VisitLoop(const Stmt& stmt) {
    RecordNeeded(stmt);
    const size_t mark = changes_.size();
    ir::ForEachBlock(stmt, [this](Block body) { Visit(body); });
    if (Isa<ir::While>(&stmt)) Uses(stmt);
    // What a round reads before it assigns it has to come from the one before.
    RecordNeeded(stmt);
    if (!RunsAtLeastOnce(stmt)) {
      for (const Change& change : ChangesSince(mark)) {
        if (change.was_live) Set(change.var, true);
      }
    }
    ir::ForEachDefinition(stmt, [this](const Var* var) { Define(var); });
    Uses(stmt);
  }

  SsaFacts* facts_;
  absl::flat_hash_set<const Var*> live_;
  std::vector<Change> changes_;
  ir::UseWalk walk_;
};

}  // namespace

SsaFacts CollectSsaFacts(const ir::Function& function) {
  SsaFacts facts;
  VersionedFinder(&facts.versioned).Visit(function);
  if (facts.versioned.empty()) return facts;
  std::vector<const Var*> assigned;
  AssignedFinder(&facts).Visit(function.body, &assigned);
  Liveness(&facts).Visit(function.body);
  return facts;
}

}  // namespace mxtile
