#ifndef EXEC_REFERENCE_MACHINE_NUMBER_BACKEND_H_
#define EXEC_REFERENCE_MACHINE_NUMBER_BACKEND_H_

// The reference interpreter with the numbers of the A5 model: what a program
// computes is the same bits here, before lowering, as on exec/model afterwards.
//
//   MachineNumberBackend backend(context.registry());
//   Interpreter interpreter(*program, &backend, &sink);
//   ... as with ReferenceBackend<float>, which it is
//
// MX products are those of MMAD_MX (exec/reference/matmul_ops.h). What is
// computed element by element is computed in double and rounded to the element
// type of the result, nearest even, as exec/model/estimated_ops.h does; a
// result without a floating-point format stays a float. Everything else is
// ReferenceBackend<float>.

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/interpreter.h"
#include "exec/reference/elementwise_ops.h"
#include "exec/reference/reference_backend.h"
#include "exec/value.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/type.h"

namespace mxtile::exec {

class MachineNumberBackend : public ReferenceBackend<float> {
 public:
  explicit MachineNumberBackend(const ir::OpRegistry& registry);

  absl::StatusOr<Value> EvalOp(const ir::Call& call,
                               const ir::Type* result_type,
                               absl::Span<const Value> args,
                               BlockPosition block) override;

 private:
  ElementwiseOps<double> elementwise_;
};

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_MACHINE_NUMBER_BACKEND_H_
