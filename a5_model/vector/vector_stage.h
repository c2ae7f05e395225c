#ifndef A5_MODEL_VECTOR_VECTOR_STAGE_H_
#define A5_MODEL_VECTOR_VECTOR_STAGE_H_

// A stage of a kernel in the accounts of the vector unit: how often it executed
// which instruction, and how many cycles that takes.
//
//   const VectorStage& max = unit.stages()[0];
//   max.Count("vabs");                       // 4
//   max.total();                             // 12: all but predicates,
//   barriers const VectorStageCycles c = CyclesOf(costs, max); c.bound_by; //
//   "alu"
//
// The cycles are those of the busiest resource, as if the stage were one long
// unrolled loop: a lower bound. Chains of dependent instructions are not seen;
// `serial_cycles`, the sum of all latencies, is what it takes when each waits
// for the one before. A vector function starts and drains once, around all of
// its stages: that is not in here.

#include <array>
#include <cstdint>
#include <string>

#include "a5_model/soc/vector_costs.h"
#include "a5_model/vector/vector_op.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

struct VectorStage {
  std::string name;
  std::array<int64_t, kNumVectorOps> counts = {};  // by VectorOp
  int64_t bytes = 0;  // that loads and stores moved between UB and registers

  int64_t Count(VectorOp op) const { return counts[static_cast<int>(op)]; }
  // Of all forms of a mnemonic.
  int64_t Count(absl::string_view mnemonic) const;
  int64_t Count(VectorOpClass op_class) const;
  // Loads, stores, arithmetic and conversions, as public counts have it:
  // predicates, barriers and scalar code are left out.
  int64_t total() const;
};

struct VectorStageCycles {
  double issue;    // slots for instructions
  double load;     // load ports
  double store;    // the store port
  double alu;      // both execution units
  double exu0;     // what only the first of them has
  double barrier;  // added to the busiest of the above
  double serial_cycles;
  absl::string_view bound_by;  // "issue", "load", "store", "alu" or "exu0"
  int64_t cycles;              // rounded up
};

VectorStageCycles CyclesOf(const VectorCosts& costs, const VectorStage& stage);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_VECTOR_STAGE_H_
