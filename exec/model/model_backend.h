#ifndef EXEC_MODEL_MODEL_BACKEND_H_
#define EXEC_MODEL_MODEL_BACKEND_H_

// Runs a lowered program on the A5 model: every tile operator becomes the
// instructions of kernels/a5, with real bytes in real address ranges.
//
//   ModelBackend backend(context.registry());
//   MX_ASSIGN_OR_RETURN(Value a, backend.MakeTensor(*a_type, "a", bytes));
//   Interpreter interpreter(*lowered, &backend, &sink);
//   ... interpreter.Run(*entry, {a, ...});
//   MX_ASSIGN_OR_RETURN(std::vector<uint8_t> c, backend.ReadTensor(c_value));
//   backend.machine().timeline().stats(a5::Pipe::kM).cycles;
//
// Tensors are global memory, packed or with the strides that their types state.
// Tiles are where their types' memrefs say; a tile without one is an error
// (MX-MODEL-1). `tile.tget_scale_addr` sets the scale tile's address to that of
// the data >> 4 and moves nothing. Traps of the machine are returned as they
// are. An operator, move or layout that the model has not: MX-MODEL-2. An
// accumulating matmul whose result is elsewhere than its accumulator, or a view
// elsewhere than its tile: MX-MODEL-3. A copy of Vec that does not fit:
// MX-MODEL-4.
//
// Vec (UB) is a memory of the same machine, so that one function may quantise
// on the vector core and multiply on the cube: vec_ops.h. INT8 tiles hold codes
// of f8E4M3FN, UINT8 tiles exponents (tile.tquant_mx_raw). Arithmetic without a
// kernel on the model's instructions runs by estimated_ops.h.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/interpreter.h"
#include "exec/model/estimated_ops.h"
#include "exec/value.h"
#include "ir/op_registry.h"
#include "ir/type.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"

namespace mxtile::exec {

inline constexpr absl::string_view kModelNoAddressRule = "MX-MODEL-1";
inline constexpr absl::string_view kModelUnsupportedRule = "MX-MODEL-2";

// The bytes of a tensor, and of each whether it was ever written.
struct TensorBytes {
  std::vector<uint8_t> bytes;  // 0 where nothing was written.
  std::vector<uint8_t> written;
};

class ModelBackend : public Backend {
 public:
  explicit ModelBackend(const ir::OpRegistry& registry);

  a5::Machine& machine() { return machine_; }
  // What ran without a kernel of its own, by operator.
  const std::map<std::string, EstimatedCost>& estimated() const {
    return estimated_ops_.costs();
  }

  // A tensor in global memory that holds `bytes`, in the type's own layout.
  absl::StatusOr<Value> MakeTensor(const ir::TensorType& type,
                                   absl::string_view name,
                                   absl::Span<const uint8_t> bytes);
  // All bytes of a packed tensor; A5-MEM traps where one was never written.
  absl::StatusOr<std::vector<uint8_t>> ReadTensor(const Value& tensor) const;
  // The same of a tensor that is partly written.
  absl::StatusOr<TensorBytes> ReadWritten(const Value& tensor) const;

  absl::StatusOr<Value> EvalOp(const ir::Call& call,
                               const ir::Type* result_type,
                               absl::Span<const Value> args,
                               BlockPosition block) override;
  absl::StatusOr<Value> CreateTensor(const ir::TensorType& type,
                                     absl::string_view name) override;

 private:
  struct OpCall {
    const ir::Call& call;
    const ir::Type* result_type;
    absl::Span<const Value> args;
    BlockPosition block;
  };
  using Handler = absl::StatusOr<Value> (ModelBackend::*)(const OpCall&);

  absl::StatusOr<Value> Load(const OpCall& op);
  absl::StatusOr<Value> Store(const OpCall& op);
  absl::StatusOr<Value> Move(const OpCall& op);
  absl::StatusOr<Value> CreateTile(const OpCall& op);
  absl::StatusOr<Value> CreateTensorOp(const OpCall& op);
  absl::StatusOr<Value> ViewTensor(const OpCall& op);
  absl::StatusOr<Value> BindScale(const OpCall& op);
  absl::StatusOr<Value> Nothing(const OpCall& op);
  absl::StatusOr<Value> BlockIndex(const OpCall& op);
  absl::StatusOr<Value> BlockCount(const OpCall& op);
  absl::StatusOr<Value> Estimate(const OpCall& op);
  absl::StatusOr<Value> QuantizeRaw(const OpCall& op);
  absl::StatusOr<Value> ToZz(const OpCall& op);
  absl::StatusOr<Value> ViewTile(const OpCall& op);
  absl::StatusOr<Value> MatmulMx(const OpCall& op);
  absl::StatusOr<Value> MatmulMxAcc(const OpCall& op);
  absl::StatusOr<Value> MatmulMxBias(const OpCall& op);

  // The tile that a result type describes, with an id of its own.
  absl::StatusOr<a5::Tile> TileOf(const ir::Type* type);

  a5::Machine machine_;
  EstimatedOps estimated_ops_;
  int64_t last_tile_id_ = 0;
  absl::flat_hash_map<const ir::OpDef*, Handler> handlers_;
};

}  // namespace mxtile::exec

#endif  // EXEC_MODEL_MODEL_BACKEND_H_
