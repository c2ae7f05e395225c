#include "passes/infer_tile_memory_space/tile_spaces.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "passes/ir_queries.h"

namespace mxtile {
namespace {

using ir::Block;
using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::IterArg;
using ir::MemorySpace;
using ir::OpDef;
using ir::ResultSpace;
using ir::Stmt;
using ir::TileType;
using ir::Var;

constexpr absl::string_view kTargetMemory = "target_memory";

std::optional<MemorySpace> StatedSpace(const Expr* expr) {
  return ir::CheckedCast<TileType>(expr->type)->space;
}

// The operand that a kFirstInput operator takes its space from, or null.
const Expr* FirstTile(const Call& call) {
  const auto it = std::find_if(call.args.begin(), call.args.end(), IsTile);
  return it != call.args.end() ? *it : nullptr;
}

// ---- What uses want

class DemandSweep {
 public:
  explicit DemandSweep(Block body) { SweepBlock(body); }

  // Where a retargetable producer of the variable had best put it.
  MemorySpace TargetFor(const Var* var) const {
    const auto it = demands_.find(var);
    const bool wants_other =
        it != demands_.end() && it->second != MemorySpace::kVec;
    return wants_other ? MemorySpace::kMat : MemorySpace::kVec;
  }

 private:
  void SweepBlock(Block block) {
    for (auto it = block.rbegin(); it != block.rend(); ++it) SweepStmt(**it);
  }

  void SweepStmt(const Stmt& stmt) {
    if (const ir::If* branch = DynCast<ir::If>(&stmt)) {
      for (const Block body : {branch->then_body, branch->else_body}) {
        HandOnAll(branch->return_vars, YieldedBy(body));
        SweepBlock(body);
      }
    } else if (const ir::For* loop = DynCast<ir::For>(&stmt)) {
      SweepLoop(*loop);
    } else if (const ir::While* loop = DynCast<ir::While>(&stmt)) {
      SweepLoop(*loop);
    } else if (const ir::Assign* assign = DynCast<ir::Assign>(&stmt)) {
      SweepAssign(*assign);
    }
    ir::ForEachRootExpr(stmt, [this](const Expr* root) {
      ir::PostOrder(root, [this](const Expr* expr) { SweepOperands(expr); });
    });
  }

  template <typename Loop>
  void SweepLoop(const Loop& loop) {
    HandOnAll(loop.return_vars, YieldedBy(loop.body));
    SweepBlock(loop.body);
    for (const IterArg* arg : loop.iter_args) HandOn(arg, arg->init);
  }

  void SweepAssign(const ir::Assign& assign) {
    const OpDef* def = OpDefOf(assign.value);
    if (def != nullptr && def->result_space == ResultSpace::kFirstInput) {
      const Expr* first = FirstTile(*DynCast<Call>(assign.value));
      if (first != nullptr) HandOn(assign.var, first);
    }
    HandOn(assign.var, assign.value);
  }

  void SweepOperands(const Expr* expr) {
    const OpDef* def = OpDefOf(expr);
    if (def == nullptr) return;
    const ir::Exprs args = DynCast<Call>(expr)->args;
    const size_t count = std::min(def->operand_spaces.size(), args.size());
    for (size_t i = 0; i < count; ++i) {
      if (!def->operand_spaces[i].empty()) {
        Demand(args[i], def->operand_spaces[i].front());
      }
    }
  }

  void HandOnAll(ir::Vars from, ir::Exprs to) {
    for (size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
      HandOn(from[i], to[i]);
    }
  }

  void HandOn(const Var* from, const Expr* to) {
    const auto it = demands_.find(from);
    if (it != demands_.end()) Demand(to, it->second);
  }

  void Demand(const Expr* expr, MemorySpace space) {
    const Var* var = DynCast<Var>(expr);
    if (var == nullptr || !IsTile(var)) return;
    const auto [it, is_new] = demands_.emplace(var, space);
    if (!is_new && it->second == MemorySpace::kVec) it->second = space;
  }

  absl::flat_hash_map<const Var*, MemorySpace> demands_;
};

// Whether the producer can put its result there, as far as its own rules say.
bool CanProduceIn(const Call& producer, MemorySpace space,
                  ir::Context* context) {
  const OpDef* def = producer.callee->def;
  if (def->deduce == nullptr) return true;
  const Call call = WithTargetMemory(producer, space, context);
  return def->deduce({def, call.args, call.kwargs}, *context).ok();
}

}  // namespace

// ---- The solver

// The walk forwards. Each tile has either a known space or that of an open
// class; a class is represented by an iter arg whose loop is being walked, or
// by a retargetable producer's variable.
class SpaceSolver {
 public:
  SpaceSolver(const ir::Function& function, ir::Context* context)
      : context_(context), demands_(function.body) {
    WalkBlock(function.body);
    Finish();
  }

  TileSpaces TakeResult() { return std::move(result_); }

 private:
  struct Answer {
    std::optional<MemorySpace> space;
    const Var* like = nullptr;  // When no space: the class.

    static Answer Known(MemorySpace space) { return {space, nullptr}; }
    static Answer Like(const Var* var) { return {std::nullopt, var}; }
    bool operator==(const Answer& other) const {
      return space == other.space && like == other.like;
    }
  };

  struct Phi {
    const ir::If* branch;
    const Var* result;
    Answer then_answer;
    Answer else_answer;
  };

  // ---- Classes

  // The answer with classes replaced by what they have been joined to.
  Answer Find(Answer answer) {
    std::vector<const Var*> path;
    while (answer.like != nullptr) {
      const auto it = joined_.find(answer.like);
      if (it == joined_.end()) break;
      path.push_back(answer.like);
      answer = it->second;
    }
    for (const Var* var : path) joined_[var] = answer;
    return answer;
  }

  MemorySpace Resolve(Answer answer) {
    answer = Find(answer);
    if (answer.space.has_value()) return *answer.space;
    const MemorySpace space = DefaultOf(answer.like);
    joined_[answer.like] = Answer::Known(space);
    return space;
  }

  // Where a producer puts its tile when no loop forces it.
  MemorySpace DefaultOf(const Var* producer) {
    const auto it = producers_.find(producer);
    MX_CHECK(it != producers_.end()) << producer->name << " has no space";
    return TargetMemoryOf(*it->second).value_or(demands_.TargetFor(producer));
  }

  // ---- Walk

  void WalkBlock(Block block) {
    for (const Stmt* stmt : block) WalkStmt(*stmt);
  }

  void WalkStmt(const Stmt& stmt) {
    if (const ir::Assign* assign = DynCast<ir::Assign>(&stmt)) {
      WalkAssign(*assign);
    } else if (const ir::If* branch = DynCast<ir::If>(&stmt)) {
      WalkIf(*branch);
    } else if (const ir::For* loop = DynCast<ir::For>(&stmt)) {
      WalkLoop(*loop);
    } else if (const ir::While* loop = DynCast<ir::While>(&stmt)) {
      WalkLoop(*loop);
    }
  }

  void WalkAssign(const ir::Assign& assign) {
    if (!IsTile(assign.var)) return;
    if (const Call* producer = AsRetargetable(assign.value)) {
      producers_.emplace(assign.var, producer);
      Set(assign.var, Answer::Like(assign.var));
      return;
    }
    Set(assign.var, AnswerOf(assign.value));
    if (const Var* other = DynCast<Var>(assign.value)) {
      result_.sources_.emplace(assign.var, result_.SourceOf(other));
    }
  }

  void WalkIf(const ir::If& branch) {
    WalkBlock(branch.then_body);
    WalkBlock(branch.else_body);
    const ir::Exprs then_values = YieldedBy(branch.then_body);
    const ir::Exprs else_values = YieldedBy(branch.else_body);
    for (size_t i = 0; i < branch.return_vars.size(); ++i) {
      const Var* result = branch.return_vars[i];
      if (!IsTile(result)) continue;
      const Answer then_answer = YieldedAnswer(then_values, i, result);
      Set(result, then_answer);
      phis_.push_back({&branch, result, then_answer,
                       YieldedAnswer(else_values, i, result)});
    }
  }

  template <typename Loop>
  void WalkLoop(const Loop& loop) {
    for (const IterArg* arg : loop.iter_args) {
      if (IsTile(arg)) Set(arg, Answer::Like(arg));
    }
    WalkBlock(loop.body);
    const ir::Exprs yielded = YieldedBy(loop.body);
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      const IterArg* arg = loop.iter_args[i];
      if (IsTile(arg)) JoinCarried(arg, YieldedAnswer(yielded, i, arg));
    }
    for (size_t i = 0; i < loop.return_vars.size(); ++i) {
      if (!IsTile(loop.return_vars[i]) || i >= loop.iter_args.size()) continue;
      Set(loop.return_vars[i], Answer::Like(loop.iter_args[i]));
    }
  }

  // The iter arg lives where the loop yields; what it starts from too, if it
  // can.
  void JoinCarried(const IterArg* arg, Answer yielded) {
    const Answer init = Find(AnswerOf(arg->init));
    if (yielded == Answer::Like(arg)) {  // The loop hands on what it got.
      joined_[arg] = init;
      return;
    }
    joined_[arg] = yielded;
    const auto producer = producers_.find(init.like);
    if (producer == producers_.end() || init == yielded) return;
    if (yielded.space.has_value() &&
        !CanProduceIn(*producer->second, *yielded.space, context_)) {
      return;
    }
    joined_[init.like] = yielded;
  }

  // ---- Answers

  void Set(const Var* var, Answer answer) {
    if (answers_.emplace(var, answer).second) tiles_.push_back(var);
  }

  Answer Stated(const Expr* expr) {
    return Answer::Known(StatedSpace(expr).value_or(MemorySpace::kVec));
  }

  // Of what a body yields for `result`, classes found; without a yield what its
  // type states.
  Answer YieldedAnswer(ir::Exprs values, size_t index, const Var* result) {
    return index < values.size() && IsTile(values[index])
               ? AnswerOf(values[index])
               : Stated(result);
  }

  Answer AnswerOf(const Expr* expr) {
    if (const Var* var = DynCast<Var>(expr)) {
      const auto it = answers_.find(var);
      return it != answers_.end() ? Find(it->second) : Stated(expr);
    }
    const OpDef* def = OpDefOf(expr);
    return def != nullptr ? AnswerOfOp(*def, *ir::CheckedCast<Call>(expr))
                          : Stated(expr);
  }

  Answer AnswerOfOp(const OpDef& def, const Call& call) {
    switch (def.result_space) {
      case ResultSpace::kFixed:
        return Answer::Known(*def.fixed_space);
      case ResultSpace::kKwargOrVec:
      case ResultSpace::kKwarg:  // Here only as an operand of something else.
        return Answer::Known(TargetMemoryOf(call).value_or(MemorySpace::kVec));
      case ResultSpace::kFirstInput: {
        const Var* first = DynCast<Var>(FirstTile(call));
        return first != nullptr ? AnswerOf(first) : Stated(&call);
      }
      case ResultSpace::kNone:
        return Stated(&call);
    }
    return Stated(&call);
  }

  // ---- Result

  void Finish() {
    for (const Var* tile : tiles_) {
      result_.spaces_.emplace(tile, Resolve(answers_.at(tile)));
    }
    for (const Phi& phi : phis_) {
      const MemorySpace then_space = Resolve(phi.then_answer);
      const MemorySpace else_space = Resolve(phi.else_answer);
      if (then_space == else_space) continue;
      result_.branch_conflicts_.push_back(
          {phi.branch, phi.result, then_space, else_space});
    }
  }

  ir::Context* context_;
  DemandSweep demands_;
  std::vector<const Var*> tiles_;  // The keys of answers_, in program order.
  absl::flat_hash_map<const Var*, Answer> answers_;
  absl::flat_hash_map<const Var*, Answer> joined_;
  absl::flat_hash_map<const Var*, const Call*> producers_;
  std::vector<Phi> phis_;
  TileSpaces result_;
};

TileSpaces TileSpaces::Solve(const ir::Function& function,
                             ir::Context* context) {
  return SpaceSolver(function, context).TakeResult();
}

std::optional<MemorySpace> TileSpaces::Of(const Var* var) const {
  const auto it = spaces_.find(var);
  if (it == spaces_.end()) return std::nullopt;
  return it->second;
}

const Var* TileSpaces::SourceOf(const Var* var) const {
  const auto it = sources_.find(var);
  return it != sources_.end() ? it->second : var;
}

// ---- Retargetable calls

const Call* AsRetargetable(const Expr* expr) {
  const OpDef* def = OpDefOf(expr);
  const bool retargetable =
      def != nullptr && def->result_space == ResultSpace::kKwarg;
  return retargetable ? ir::CheckedCast<Call>(expr) : nullptr;
}

std::optional<MemorySpace> TargetMemoryOf(const Call& call) {
  const ir::AttrValue* value = ir::FindAttr(call.kwargs, kTargetMemory);
  if (value == nullptr) return std::nullopt;
  return ir::EnumFromName<MemorySpace>(value->text);
}

Call WithTargetMemory(const Call& call, MemorySpace space,
                      ir::Context* context) {
  std::vector<ir::Attr> kwargs(call.kwargs.begin(), call.kwargs.end());
  const auto it = std::find_if(
      kwargs.begin(), kwargs.end(),
      [](const ir::Attr& attr) { return attr.name == kTargetMemory; });
  const ir::AttrValue value = ir::AttrValue::Of(space);
  if (it != kwargs.end()) {
    it->value = value;
  } else {
    kwargs.push_back({context->Intern(kTargetMemory), value});
  }
  Call result = call;
  result.kwargs = context->List(kwargs);
  return result;
}

}  // namespace mxtile
