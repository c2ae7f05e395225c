#ifndef EXEC_REFERENCE_MATMUL_OPS_H_
#define EXEC_REFERENCE_MATMUL_OPS_H_

// Matrix products on tiles of numbers, with and without MX scales:
//
//   tile.matmul, matmul_acc, matmul_bias        c = start + sum of a * b
//   tile.gemv, gemv_acc, gemv_bias              the same of one row
//   tile.matmul_mx, matmul_mx_acc, ..._mx_bias  a * sa * b * sb
//
//   const MatmulOps<double> ops(registry);
//   if (ops.Knows(call.callee->def)) value = ops.Eval(call, args);
//
// The sum starts as 0, as acc or as bias; k ascends. Numbers of float: a * b
// and the sum are rounded one after the other; with scales the product is
// exact and the sum rounded, as MMAD_MX does (kernels/reference/matmul_mx.h).
//
// Errors: MX-REF-1 (an element without a value), MX-REF-2 (extents).

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/reference/number.h"
#include "exec/value.h"
#include "ir/expr.h"
#include "ir/op_registry.h"

namespace mxtile::exec {

template <typename Number>
class MatmulOps {
 public:
  explicit MatmulOps(const ir::OpRegistry& registry);

  bool Knows(const ir::OpDef* def) const { return ops_.contains(def); }
  // `call` is of an operator that is known; tiles among `args` are
  // ReferenceTile<Number>.
  absl::StatusOr<Value> Eval(const ir::Call& call,
                             absl::Span<const Value> args) const;

 private:
  // Which argument has which part; -1: none.
  struct Roles {
    int lhs = 0;
    int lhs_scale = -1;
    int rhs = 1;
    int rhs_scale = -1;
    int acc = -1;
    int bias = -1;
  };

  absl::flat_hash_map<const ir::OpDef*, Roles> ops_;
};

extern template class MatmulOps<double>;
extern template class MatmulOps<float>;
extern template class MatmulOps<Tracked>;

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_MATMUL_OPS_H_
