#ifndef EXEC_REFERENCE_QUANT_OPS_H_
#define EXEC_REFERENCE_QUANT_OPS_H_

// Quantisation on tiles of numbers, and what brings its results to a matmul.
// The operators: ir/ops/quant_ops.h. In numbers
//
//   codes (INT8)        are what they stand for as f8E4M3FN,
//   exponents (UINT8)   are the scales' values, 2^(s-127),
//
// so that reading them as FP8E4M3FN or FP8E8M0 changes nothing.
//
// `call` is a call of the operator, `args` its arguments. Errors: MX-REF-1 (an
// element without a value), MX-REF-2 (extents), MX-REF-3 (a variant that has no
// meaning in numbers).

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/reference/number.h"
#include "exec/value.h"
#include "ir/expr.h"

namespace mxtile::exec {

template <typename Number>
struct QuantOps {
  // tile.tquant_mx, tile.tquant_mx_raw, tile.tmov_x2zz
  static absl::StatusOr<Value> Quantize(const ir::Call& call,
                                        absl::Span<const Value> args);
  static absl::StatusOr<Value> QuantizeRaw(const ir::Call& call,
                                           absl::Span<const Value> args);
  static absl::StatusOr<Value> ToZz(const ir::Call& call,
                                    absl::Span<const Value> args);
  // tile.reinterpret_view between bytes and what they stand for
  static absl::StatusOr<Value> Reinterpret(const ir::Call& call,
                                           absl::Span<const Value> args);
  // tile.transpose_view, and tile.transpose of the two axes of a matrix
  static absl::StatusOr<Value> Transpose(const ir::Call& call,
                                         absl::Span<const Value> args);
};

extern template struct QuantOps<double>;
extern template struct QuantOps<float>;
extern template struct QuantOps<Tracked>;

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_QUANT_OPS_H_
