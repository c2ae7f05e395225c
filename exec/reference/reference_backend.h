#ifndef EXEC_REFERENCE_REFERENCE_BACKEND_H_
#define EXEC_REFERENCE_REFERENCE_BACKEND_H_

// What a program means, in plain loops over numbers: no memory spaces, no
// layouts; what is rounded is the number type's affair
// (exec/reference/number.h). Runs programs before and after lowering.
//
//   ReferenceBackend<double> backend(context.registry());
//   Value a = backend.MakeTensor({128, 512}, dequantised);
//   Interpreter interpreter(*program, &backend, &sink);
//   ... interpreter.Run(*entry, {a, ...});
//   backend.Tensor(a).values;
//
// Tensors hold their elements in logical row-major order; an MX scale tensor
// [M, G] holds the scales' values (2^(s-127)). A blocked one, of rank 5, and a
// blocked NZ tensor hold their physical order.
//
// A tile's elements outside its valid region are not defined, nor are those of
// a fresh tile or tensor; computing with one is an error (MX-REF-1), as are
// extents that do not fit, such as a window that leaves its tensor (MX-REF-2),
// and an operator that is not listed in reference_backend.cc,
// elementwise_ops.h, fill_ops.h, matmul_ops.h or quant_ops.h, or a variant of
// one (MX-REF-3).

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/interpreter.h"
#include "exec/reference/elementwise_ops.h"
#include "exec/reference/fill_ops.h"
#include "exec/reference/matmul_ops.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "ir/op_registry.h"

namespace mxtile::exec {

inline constexpr absl::string_view kReferenceUnsupportedRule = "MX-REF-3";

template <typename Number>
class ReferenceBackend : public Backend {
 public:
  explicit ReferenceBackend(const ir::OpRegistry& registry);

  // A tensor with these values, row-major.
  static Value MakeTensor(std::vector<int64_t> shape,
                          absl::Span<const double> values);
  // The tensor behind a value.
  static const ReferenceTensor<Number>& Tensor(const Value& value);

  absl::StatusOr<Value> EvalOp(const ir::Call& call,
                               const ir::Type* result_type,
                               absl::Span<const Value> args,
                               BlockPosition block) override;
  absl::StatusOr<Value> CreateTensor(const ir::TensorType& type,
                                     absl::string_view name) override;

 private:
  struct OpCall {
    const ir::Call& call;
    absl::Span<const Value> args;
    BlockPosition block;
  };
  using Handler = absl::StatusOr<Value> (*)(const OpCall&);

  static absl::StatusOr<Value> Load(const OpCall& op);
  static absl::StatusOr<Value> Store(const OpCall& op);
  static absl::StatusOr<Value> Move(const OpCall& op);
  static absl::StatusOr<Value> CreateTile(const OpCall& op);
  static absl::StatusOr<Value> CreateTensorOp(const OpCall& op);
  static absl::StatusOr<Value> FirstArg(const OpCall& op);
  static absl::StatusOr<Value> Nothing(const OpCall& op);
  static absl::StatusOr<Value> BlockIndex(const OpCall& op);
  static absl::StatusOr<Value> BlockCount(const OpCall& op);

  // Of exec/reference/quant_ops.h.
  static absl::StatusOr<Value> Quantize(const OpCall& op);
  static absl::StatusOr<Value> QuantizeRaw(const OpCall& op);
  static absl::StatusOr<Value> ToZz(const OpCall& op);
  static absl::StatusOr<Value> Reinterpret(const OpCall& op);
  static absl::StatusOr<Value> Transpose(const OpCall& op);

  absl::flat_hash_map<const ir::OpDef*, Handler> handlers_;
  ElementwiseOps<Number> elementwise_;
  FillOps<Number> fill_;
  MatmulOps<Number> matmul_;
};

extern template class ReferenceBackend<double>;
extern template class ReferenceBackend<float>;
extern template class ReferenceBackend<Tracked>;

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_REFERENCE_BACKEND_H_
