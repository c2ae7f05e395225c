#ifndef EXEC_REFERENCE_FILL_OPS_H_
#define EXEC_REFERENCE_FILL_OPS_H_

// Tiles made of values, and choices between tiles.
//
//   tile.full             one value everywhere
//   tile.ci               start, start + 1, ... (descending: start - 1, ...)
//   tile.fillpad, fillpad_inplace, fillpad_expand
//                         what is not valid becomes 0, inf or -inf
//   tile.reshape          the same elements, row by row; all of them valid, or
//                         to the extents that there are
//   tile.cmp, tile.cmps   a mask; cmp_type 0 to 5: == != < <= > >=
//   tile.and, tile.or     of two masks
//   tile.sel, tile.sels   by a mask, element by element
//
//   const FillOps<double> ops(registry);
//   if (ops.Knows(call.callee->def)) value = ops.Eval(call, args);
//
// A mask has the extents of what was compared (ReferenceTile::is_mask); its
// packed bits are never looked at. Comparisons with a NaN are false, != is
// true.
//
// Errors: MX-REF-1 (an element without a value), MX-REF-2 (extents), MX-REF-3
// (a variant that has no meaning in numbers: other pads, and, or and sel of
// what no comparison made).

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "ir/expr.h"
#include "ir/op_registry.h"

namespace mxtile::exec {

template <typename Number>
class FillOps {
 public:
  explicit FillOps(const ir::OpRegistry& registry);

  bool Knows(const ir::OpDef* def) const { return ops_.contains(def); }
  // `call` is of an operator that is known; tiles among `args` are
  // ReferenceTile<Number>.
  absl::StatusOr<Value> Eval(const ir::Call& call,
                             absl::Span<const Value> args) const;

 private:
  using Tile = ReferenceTile<Number>;
  using Handler = absl::StatusOr<Value> (*)(const ir::Call&,
                                            absl::Span<const Value>);

  static absl::StatusOr<Value> Full(const ir::Call& call,
                                    absl::Span<const Value> args);
  static absl::StatusOr<Value> Count(const ir::Call& call,
                                     absl::Span<const Value> args);
  static absl::StatusOr<Value> Pad(const ir::Call& call,
                                   absl::Span<const Value> args);
  static absl::StatusOr<Value> Reshape(const ir::Call& call,
                                       absl::Span<const Value> args);
  static absl::StatusOr<Value> Compare(const ir::Call& call,
                                       absl::Span<const Value> args);
  static absl::StatusOr<Value> And(const ir::Call& call,
                                   absl::Span<const Value> args);
  static absl::StatusOr<Value> Or(const ir::Call& call,
                                  absl::Span<const Value> args);
  static absl::StatusOr<Value> Select(const ir::Call& call,
                                      absl::Span<const Value> args);
  static absl::StatusOr<Value> SelectScalar(const ir::Call& call,
                                            absl::Span<const Value> args);

  absl::flat_hash_map<const ir::OpDef*, Handler> ops_;
};

extern template class FillOps<double>;
extern template class FillOps<float>;
extern template class FillOps<Tracked>;

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_FILL_OPS_H_
