#ifndef EXEC_REFERENCE_ELEMENTWISE_OPS_H_
#define EXEC_REFERENCE_ELEMENTWISE_OPS_H_

// Arithmetic of the vector core on tiles of numbers: element by element,
// reductions and expansions. Of double and Tracked only casts round, to their
// target; float rounds each operation (exec/reference/number.h).
//
//   const ElementwiseOps<double> ops(registry);
//   if (ops.Knows(call.callee->def)) value = ops.Eval(call, args);
//
//   tile.abs, exp, log, neg, recip, relu, rsqrt, sqrt
//   tile.add, sub, mul, div, maximum, minimum        extents equal, or 1
//   tile.adds, subs, muls, divs, maximums, minimums  with a scalar
//   tile.row_max, row_min, row_sum, col_max, col_min, col_sum
//   tile.row_expand, row_expand_add, ... _sub, _mul, _div, _max, _min, _expdif
//     (exp of the difference), and tile.col_expand...
//   tile.expands   a scalar over the extents of a tile
//   tile.cast   exec/reference/cast_ops.h
//
// Sums fold from the left, maxima of a NaN are NaN. Errors: MX-REF-1 (an
// element without a value), MX-REF-2 (extents), MX-REF-3 (a cast that is not
// there).

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "ir/expr.h"
#include "ir/op_registry.h"

namespace mxtile::exec {

template <typename Number>
class ElementwiseOps {
 public:
  explicit ElementwiseOps(const ir::OpRegistry& registry);

  bool Knows(const ir::OpDef* def) const { return ops_.contains(def); }
  // `call` is of an operator that is known; tiles among `args` are
  // ReferenceTile<Number>.
  absl::StatusOr<Value> Eval(const ir::Call& call,
                             absl::Span<const Value> args) const;

 private:
  using Tile = ReferenceTile<Number>;
  enum class Kind {
    kUnary,
    kBinary,
    kScalar,
    kRowReduction,
    kColReduction,
    kRowExpansion,
    kColExpansion,
    kCast,
  };
  struct Op {
    Kind kind;
    Number (*unary)(Number) = nullptr;
    Number (*binary)(Number, Number) = nullptr;
  };

  static absl::StatusOr<Value> Map(const ir::Call& call, const Op& op,
                                   const Tile& tile);
  static absl::StatusOr<Value> Reduce(const ir::Call& call, const Op& op,
                                      const Tile& tile);
  // Each element of `lhs`, or of the two together, with the element of `rhs` in
  // its row or column where `rhs` has only one there.
  static absl::StatusOr<Value> Combine(const ir::Call& call, const Op& op,
                                       const Tile& lhs, const Tile& rhs);

  absl::flat_hash_map<const ir::OpDef*, Op> ops_;
};

extern template class ElementwiseOps<double>;
extern template class ElementwiseOps<float>;
extern template class ElementwiseOps<Tracked>;

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_ELEMENTWISE_OPS_H_
