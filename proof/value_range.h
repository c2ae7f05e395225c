#ifndef PROOF_VALUE_RANGE_H_
#define PROOF_VALUE_RANGE_H_

// Between which bounds an integer expression of a program stays: what
// discharges the assumption that nothing overflows.
//
//   RangeFinder ranges(facts);
//   ranges.ExactRange(i_times_16)     // {0, 1008} for i in range(0, 64)
//
// Each integer type has a width, and what does not fit wraps. The exact value
// of an expression is what it would be without that: of an operation, the
// result for its operands as they are held; of a variable, what is stored in it
// before it is brought to the variable's type. When the exact value fits the
// type it is the value. A constant beyond its type counts both as it is written
// and as any value of the type.
//
// | Expression                 | Its exact value lies in                     |
// |----------------------------|---------------------------------------------|
// | constant c                 | [c, c]                                      |
// | a + b, a - b, a * b, -a    | what the ranges of the operands give        |
// | a // c, a % c, with c > 0  | that of both operands and the result,       |
// |                            | rounded down or towards zero                |
// | min(a, b), max(a, b)       | that of both operands                       |
// | loop variable              | from the start to before the stop           |
// | block index, block count   | [0, block limit]                            |
// | parameter                  | the values of all sources                   |
// | assigned variable          | the value of its definition                 |
// | conversion of an integer   | the value of its operand                    |
// | anything else              | unknown                                     |
//
// Cost: at most kRangeBudget expressions are looked into for one finder, each
// once; the ranges of others are unknown. So a finder is made for one question.

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "proof/facts.h"

namespace mxtile::proof {

inline constexpr int kRangeBudget = 1024;

// A launch has at most as many blocks: the runtime holds their number in 16
// bits. No machine has as many cores; blocks may take turns.
inline constexpr int64_t kDefaultBlockLimit = 65535;

// Both bounds inclusive, min <= max.
struct ValueRange {
  int64_t min = 0;
  int64_t max = 0;

  bool Contains(int64_t value) const { return min <= value && value <= max; }
  bool Contains(const ValueRange& other) const {
    return min <= other.min && other.max <= max;
  }
  bool operator==(const ValueRange& other) const {
    return min == other.min && max == other.max;
  }
};

// The values of an integer type; nullopt for UINT64, which has some that int64
// cannot hold, and for types of no integers.
std::optional<ValueRange> TypeRange(ir::DataType type);

// Whether the type holds all of the range.
bool FitsType(const ValueRange& range, ir::DataType type);

// The element type of a scalar expression; nullopt for others.
std::optional<ir::DataType> ScalarDataType(const ir::Expr& expr);

class RangeFinder {
 public:
  explicit RangeFinder(const ProgramFacts& facts,
                       int64_t block_limit = kDefaultBlockLimit)
      : facts_(facts), block_limit_(block_limit) {}

  // Of the value, as the expression's type holds it. Nullopt: nothing is known
  // that fits int64.
  std::optional<ValueRange> Range(const ir::Expr* expr);
  // Of the exact value. Nullopt: unknown.
  std::optional<ValueRange> ExactRange(const ir::Expr* expr);

 private:
  struct Ranges {
    std::optional<ValueRange> exact;
    std::optional<ValueRange> value;
  };

  Ranges Find(const ir::Expr* expr);
  Ranges Compute(const ir::Expr& expr);
  Ranges ComputeBinary(const ir::Binary& binary);
  std::optional<ValueRange> ExactOfVar(const ir::Var& var);
  std::optional<ValueRange> ExactOfLoopVar(const ir::For& loop);
  std::optional<ValueRange> ExactOfParam(const VarFacts& facts);
  std::optional<ValueRange> ExactOfCall(const ir::Call& call) const;

  const ProgramFacts& facts_;
  int64_t block_limit_;
  int visited_ = 0;
  absl::flat_hash_map<const ir::Expr*, Ranges> found_;
};

}  // namespace mxtile::proof

#endif  // PROOF_VALUE_RANGE_H_
