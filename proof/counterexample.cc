#include "proof/counterexample.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/check.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/facts.h"
#include "proof/goal.h"
#include "proof/value_range.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;
using Origin = VarFacts::Origin;
__extension__ using Int128 = __int128;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
// Of expressions inside expressions, so that the evaluation can recurse.
constexpr int kMaxDepth = 500;

// ---- Which of several ways a trial goes

// Tries all ways in order, the last choice first; after kOrderedTrials trials
// any, by a fixed sequence of numbers.
class Choices {
 public:
  int Pick(int options) {
    if (!ordered_) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      return static_cast<int>((state_ >> 33) % options);
    }
    if (next_ == picked_.size()) picked_.push_back({0, options});
    return picked_[next_++].option;
  }

  // False when every way has been tried.
  bool StartNextTrial() {
    if (trials_++ == kOrderedTrials) ordered_ = false;
    if (trials_ > kCounterexampleTrials) return false;
    if (trials_ == 1 || !ordered_) return true;
    picked_.resize(next_);
    next_ = 0;
    while (!picked_.empty()) {
      if (++picked_.back().option < picked_.back().options) return true;
      picked_.pop_back();
    }
    return false;
  }

 private:
  static constexpr int kOrderedTrials = kCounterexampleTrials / 2;

  struct Choice {
    int option;
    int options;
  };
  std::vector<Choice> picked_;
  size_t next_ = 0;
  int trials_ = 0;
  bool ordered_ = true;
  uint64_t state_ = 1;
};

// What a host may try, the most telling first.
const std::vector<int64_t>& HostValues(const Goal& goal) {
  static const auto& for_signs =
      *new std::vector<int64_t>{-1, -16, 0, 1, 16, 64, kMax, kMin};
  static const auto& for_multiples =
      *new std::vector<int64_t>{1, 2, 8, 0, 3, 16, 64, -1, kMax};
  return goal.is_sign() ? for_signs : for_multiples;
}

// The rounds of a loop that are worth a trial.
std::vector<int64_t> RoundsToTry(int64_t count) {
  std::vector<int64_t> rounds;
  for (const int64_t round :
       {int64_t{0}, int64_t{1}, count - 1, int64_t{2}, int64_t{3}}) {
    const bool is_new =
        std::find(rounds.begin(), rounds.end(), round) == rounds.end();
    if (round < count && is_new) rounds.push_back(round);
  }
  return rounds;
}

// ---- Arithmetic

std::optional<int64_t> Wrap(Int128 exact, ir::DataType type) {
  const int bits = ir::BitWidth(type);
  __extension__ using Unsigned128 = unsigned __int128;
  const Unsigned128 low =
      static_cast<Unsigned128>(exact) & ((Unsigned128{1} << bits) - 1);
  const bool negative = ir::IsSignedInteger(type) && (low >> (bits - 1)) != 0;
  const Int128 value =
      static_cast<Int128>(low) - (negative ? Int128{1} << bits : 0);
  if (value > kMax) return std::nullopt;  // UINT64 only.
  return static_cast<int64_t>(value);
}

// Nullopt where the result depends on how a division rounds, or is none.
std::optional<Int128> Apply(BinaryOp op, Int128 a, Int128 b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kMin:
      return std::min(a, b);
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      if (b == 0 || (a % b != 0 && (a < 0) != (b < 0))) return std::nullopt;
      return op == BinaryOp::kFloorDiv ? a / b : a % b;
    default:
      return std::nullopt;
  }
}

// ---- One trial after the other

class Finder {
 public:
  Finder(const ProgramFacts& facts, const Goal& goal)
      : facts_(facts), goal_(goal) {}

  std::optional<Counterexample> Run(const ir::Expr* expr) {
    while (visited_ < kCounterexampleBudget && choices_.StartNextTrial()) {
      values_.clear();
      entered_.clear();
      bindings_.clear();
      uses_.clear();
      users_ = {{nullptr, 0}};
      reaching_ = 0;
      const std::optional<int64_t> value = Eval(expr);
      if (!value.has_value() || goal_.HoldsFor(*value)) continue;
      Counterexample result;
      result.value = *value;
      result.bindings = NeededBindings();
      return result;
    }
    return std::nullopt;
  }

 private:
  using Value = std::optional<int64_t>;

  Value Eval(const ir::Expr* expr) {
    const std::optional<ir::DataType> type = ScalarDataType(*expr);
    if (!type.has_value() || !ir::IsInteger(*type)) return std::nullopt;
    if (depth_ == kMaxDepth || visited_ >= kCounterexampleBudget) {
      return std::nullopt;
    }
    ++visited_;
    ++depth_;
    const Value value = EvalInteger(*expr, *type);
    --depth_;
    return value;
  }

  Value EvalInteger(const ir::Expr& expr, ir::DataType type) {
    switch (expr.kind) {
      case ir::ExprKind::kConstInt: {
        const int64_t value = static_cast<const ir::ConstInt&>(expr).value;
        return FitsType({value, value}, type) ? Value(value) : std::nullopt;
      }
      case ir::ExprKind::kVar:
        return EvalVar(static_cast<const ir::Var&>(expr), type);
      case ir::ExprKind::kBinary:
        return EvalBinary(static_cast<const ir::Binary&>(expr), type);
      case ir::ExprKind::kUnary: {
        const auto& unary = static_cast<const ir::Unary&>(expr);
        if (unary.op != ir::UnaryOp::kNeg) return std::nullopt;
        const Value operand = Eval(unary.operand);
        if (!operand.has_value()) return std::nullopt;
        return Wrap(-Int128{*operand}, type);
      }
      case ir::ExprKind::kCast: {
        const Value value = Eval(static_cast<const ir::Cast&>(expr).operand);
        return value.has_value() ? Wrap(*value, type) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  Value EvalBinary(const ir::Binary& binary, ir::DataType type) {
    const Value lhs = Eval(binary.lhs);
    if (!lhs.has_value()) return std::nullopt;
    const Value rhs = Eval(binary.rhs);
    if (!rhs.has_value()) return std::nullopt;
    // Nobody says when an operand of another type is brought to this one.
    if (!FitsType({*lhs, *lhs}, type) || !FitsType({*rhs, *rhs}, type)) {
      return std::nullopt;
    }
    const std::optional<Int128> exact = Apply(binary.op, *lhs, *rhs);
    return exact.has_value() ? Wrap(*exact, type) : std::nullopt;
  }

  Value EvalVar(const ir::Var& var, ir::DataType type) {
    if (users_.back().reaching == reaching_) {
      uses_[users_.back().var].push_back(&var);
    }
    const auto it = values_.find(&var);
    if (it != values_.end()) return it->second;
    const VarFacts* facts = facts_.Find(&var);
    if (facts == nullptr || facts->rebound) return std::nullopt;
    users_.push_back({&var, reaching_});
    Value value = ValueOf(var, *facts, type);
    users_.pop_back();
    if (value.has_value()) value = Wrap(*value, type);
    values_[&var] = value;
    // ValueOf leaves the variable's own binding last.
    if (value.has_value() && !bindings_.empty() &&
        bindings_.back().var == &var) {
      bindings_.back().value = *value;
    }
    return value;
  }

  // Those that the value depends on, and what the host has to choose for the
  // run to get there.
  std::vector<Binding> NeededBindings() {
    absl::flat_hash_set<const ir::Var*> needed;
    std::vector<const ir::Var*> pending = {nullptr};
    while (!pending.empty()) {
      const auto it = uses_.find(pending.back());
      pending.pop_back();
      if (it == uses_.end()) continue;
      for (const ir::Var* var : it->second) {
        if (needed.insert(var).second) pending.push_back(var);
      }
    }
    std::vector<Binding> bindings;
    for (const Binding& binding : bindings_) {
      const bool is_chosen = binding.kind == Binding::Kind::kHost ||
                             binding.kind == Binding::Kind::kDim;
      if (is_chosen || needed.contains(binding.var)) {
        bindings.push_back(binding);
      }
    }
    return bindings;
  }

  Value ValueOf(const ir::Var& var, const VarFacts& facts, ir::DataType type) {
    switch (facts.origin) {
      case Origin::kAssigned:
        if (!Reach(facts.at, facts.function)) return std::nullopt;
        return Eval(facts.definition->value);
      case Origin::kLoopVar:
        return ValueOfLoopVar(var, facts);
      case Origin::kParam:
        return ValueOfParam(var, facts, type);
      case Origin::kDynamicDim: {
        const Value value = HostValue(type);
        if (!value.has_value() || *value <= 0) return std::nullopt;
        bindings_.push_back({Binding::Kind::kDim, &var});
        return value;
      }
      case Origin::kIterArg:
      case Origin::kLoopResult:
      case Origin::kIfResult:
        return std::nullopt;
    }
    return std::nullopt;
  }

  Value HostValue(ir::DataType type) {
    const std::vector<int64_t>& values = HostValues(goal_);
    const int64_t value =
        values[choices_.Pick(static_cast<int>(values.size()))];
    const std::optional<ValueRange> all = TypeRange(type);
    if (value == kMax && all.has_value()) return all->max;
    if (value == kMin && all.has_value()) return all->min;
    return FitsType({value, value}, type) ? Value(value) : std::nullopt;
  }

  Value ValueOfLoopVar(const ir::Var& var, const VarFacts& facts) {
    if (!Reach(facts.at, facts.function)) return std::nullopt;
    const ir::For& loop = *facts.loop;
    const Value start = Eval(loop.start);
    const Value stop = start.has_value() ? Eval(loop.stop) : std::nullopt;
    const Value step = stop.has_value() ? Eval(loop.step) : std::nullopt;
    if (!step.has_value() || *step == 0) return std::nullopt;
    const Int128 length =
        *step > 0 ? Int128{*stop} - *start : Int128{*start} - *stop;
    const Int128 stride = *step > 0 ? Int128{*step} : -Int128{*step};
    if (length <= 0) return std::nullopt;
    const Int128 count = std::min<Int128>((length + stride - 1) / stride, kMax);
    const std::vector<int64_t> rounds =
        RoundsToTry(static_cast<int64_t>(count));
    const int64_t round =
        rounds[choices_.Pick(static_cast<int>(rounds.size()))];
    const Int128 value = *start + round * Int128{*step};
    if (!FitsType({static_cast<int64_t>(value), static_cast<int64_t>(value)},
                  *ScalarDataType(var))) {
      return std::nullopt;
    }
    bindings_.push_back({Binding::Kind::kLoop, &var, 0, &loop});
    return static_cast<int64_t>(value);
  }

  Value ValueOfParam(const ir::Var& var, const VarFacts& facts,
                     ir::DataType type) {
    const std::optional<size_t> source = Enter(facts.function);
    if (!source.has_value()) return std::nullopt;
    MX_CHECK(*source < facts.sources.size()) << "a source for each caller";
    const ParamSource& from = facts.sources[*source];
    if (from.kind == ParamSource::Kind::kHost) {
      const Value value = HostValue(type);
      if (value.has_value()) bindings_.push_back({Binding::Kind::kHost, &var});
      return value;
    }
    if (from.kind != ParamSource::Kind::kArgument) return std::nullopt;
    const Value value = Eval(from.value);
    if (!value.has_value()) return std::nullopt;
    const FunctionFacts& callee = *facts_.Find(facts.function);
    bindings_.push_back(
        {Binding::Kind::kArgument, &var, 0, nullptr, &callee.sites[*source]});
    return value;
  }

  // Whether the run comes by the place. The loops around it get their rounds.
  bool Reach(const Surroundings& at, const ir::Function* function) {
    ++reaching_;
    const bool reached =
        !at.conditional && Enter(function).has_value() &&
        (at.loop == nullptr || Eval(at.loop->loop_var).has_value());
    --reaching_;
    return reached;
  }

  // Through which of its sources the run enters the function; nullopt when it
  // need not enter it there, or may leave it early.
  std::optional<size_t> Enter(const ir::Function* function) {
    const auto it = entered_.find(function);
    if (it != entered_.end()) return it->second;
    const FunctionFacts* facts = facts_.Find(function);
    if (facts == nullptr || facts->recursive || facts->early_exit) {
      return std::nullopt;
    }
    const size_t options = facts->sites.size() + (facts->host_calls ? 1 : 0);
    if (options == 0) return std::nullopt;
    std::optional<size_t> source =
        choices_.Pick(static_cast<int>(std::min<size_t>(options, 1 << 20)));
    entered_[function] = source;
    if (*source < facts->sites.size()) {
      const CallSite& site = facts->sites[*source];
      if (!Reach(site.at, site.caller)) source = std::nullopt;
    }
    entered_[function] = source;
    return source;
  }

  const ProgramFacts& facts_;
  const Goal goal_;
  Choices choices_;
  int visited_ = 0;
  int depth_ = 0;

  // Of the trial.
  absl::flat_hash_map<const ir::Var*, Value> values_;
  absl::flat_hash_map<const ir::Function*, std::optional<size_t>> entered_;
  std::vector<Binding> bindings_;
  int reaching_ = 0;  // Above 0: for the sake of getting there only.
  // Which variables the value of one, or of the whole (null), is made of.
  absl::flat_hash_map<const ir::Var*, std::vector<const ir::Var*>> uses_;
  struct User {
    const ir::Var* var;
    int reaching;
  };
  std::vector<User> users_;  // Whose value is being found, innermost last.
};

}  // namespace

std::optional<Counterexample> FindCounterexample(const ProgramFacts& facts,
                                                 const ir::Expr* expr,
                                                 const Goal& goal) {
  return Finder(facts, goal).Run(expr);
}

}  // namespace mxtile::proof
