#ifndef PROOF_CHECKED_RANGE_H_
#define PROOF_CHECKED_RANGE_H_

// The ranges of values as the certificate checker computes them: the rules of
// proof/value_range.h, written a second time over wider numbers and over
// proof/program_index.h. No code is shared, on purpose.
//
//   CheckedRanges ranges(index, kDefaultBlockLimit);
//   ranges.Exact(product).Within(*BoundsOfType(*product))

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "ir/expr.h"
#include "proof/program_index.h"

namespace mxtile::proof {

// Both bounds inclusive. Products of 64-bit numbers fit; what does not is kHuge
// or more in magnitude.
__extension__ using Wide = __int128;
inline constexpr Wide kHuge = Wide{1} << 126;

struct Interval {
  Wide lo = -kHuge;
  Wide hi = kHuge;

  static Interval Of(Wide value) { return {value, value}; }
  bool Within(const Interval& other) const {
    return other.lo <= lo && hi <= other.hi;
  }
};

// Nullopt for an expression of no integer type.
std::optional<Interval> BoundsOfType(const ir::Expr& expr);

class CheckedRanges {
 public:
  CheckedRanges(const ProgramIndex& index, int64_t block_limit)
      : index_(index), block_limit_(block_limit) {}

  // Of what has to fit the type of `expr`, so that nothing overflows.
  Interval Exact(const ir::Expr* expr);

 private:
  Interval Value(const ir::Expr* expr);
  Interval ExactOfLoop(const ir::For& loop);
  Interval ExactOfParam(const ProgramIndex::Binding& binding);

  const ProgramIndex& index_;
  const int64_t block_limit_;
  absl::flat_hash_map<const ir::Expr*, Interval> values_;
  int depth_ = 0;
};

}  // namespace mxtile::proof

#endif  // PROOF_CHECKED_RANGE_H_
