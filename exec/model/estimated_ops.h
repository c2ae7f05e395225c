#ifndef EXEC_MODEL_ESTIMATED_OPS_H_
#define EXEC_MODEL_ESTIMATED_OPS_H_

// Operators of the vector core that have no kernel on the model's instructions:
// what they compute is exec/reference/elementwise_ops.h, on the bytes in UB;
// what they cost is estimated.
//
//   EstimatedOps ops(registry);
//   if (ops.Knows(def)) ops.Eval(machine, call, args, tiles, result);
//   ops.costs().at("tile.exp").cycles;
//
// Elements are decoded, computed in double and rounded to the result's format,
// nearest even. What the device does between, such as a polynomial for exp, is
// not public.
//
// The cost of one call: a vector function that loads each operand, does one
// arithmetic instruction for each register of an operand, and stores the
// result, lanes being 4 bytes. It is booked on pipe V as "tile.exp
// (estimated)".

#include <cstdint>
#include <map>
#include <string>

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "exec/reference/elementwise_ops.h"
#include "exec/value.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "kernels/a5/tile.h"

namespace mxtile::exec {

struct EstimatedCost {
  int64_t calls = 0;
  int64_t cycles = 0;
};

class EstimatedOps {
 public:
  explicit EstimatedOps(const ir::OpRegistry& registry) : ops_(registry) {}

  bool Knows(const ir::OpDef* def) const { return ops_.Knows(def); }

  // `tiles`: one an argument, null for what is no tile. Fills `result`, and
  // sets its valid region. Errors: those of ElementwiseOps; MX-MODEL-2 for
  // elements of 4 bits, A5-TILE-1 for what is no ND tile in Vec.
  absl::Status Eval(a5::Machine& machine, const ir::Call& call,
                    absl::Span<const Value> args,
                    absl::Span<const a5::Tile* const> tiles, a5::Tile* result);

  // By operator.
  const std::map<std::string, EstimatedCost>& costs() const { return costs_; }

 private:
  ElementwiseOps<double> ops_;
  std::map<std::string, EstimatedCost> costs_;
};

}  // namespace mxtile::exec

#endif  // EXEC_MODEL_ESTIMATED_OPS_H_
