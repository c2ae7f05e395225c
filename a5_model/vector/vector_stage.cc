#include "a5_model/vector/vector_stage.h"

#include <cmath>
#include <cstdint>

#include "a5_model/soc/vector_costs.h"
#include "a5_model/vector/vector_op.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

int64_t VectorStage::Count(absl::string_view mnemonic) const {
  int64_t count = 0;
  for (int i = 0; i < kNumVectorOps; ++i) {
    if (Mnemonic(static_cast<VectorOp>(i)) == mnemonic) count += counts[i];
  }
  return count;
}

int64_t VectorStage::Count(VectorOpClass op_class) const {
  int64_t count = 0;
  for (int i = 0; i < kNumVectorOps; ++i) {
    if (ClassOf(static_cast<VectorOp>(i)) == op_class) count += counts[i];
  }
  return count;
}

int64_t VectorStage::total() const {
  return Count(VectorOpClass::kLoad) + Count(VectorOpClass::kStore) +
         Count(VectorOpClass::kAlu) + Count(VectorOpClass::kConvert);
}

VectorStageCycles CyclesOf(const VectorCosts& costs, const VectorStage& stage) {
  VectorStageCycles result = {};
  for (int i = 0; i < kNumVectorOps; ++i) {
    const VectorOp op = static_cast<VectorOp>(i);
    const double count = static_cast<double>(stage.counts[i]);
    if (ClassOf(op) == VectorOpClass::kBarrier) {
      result.barrier += count * costs.barrier_cycles;
      continue;
    }
    const VectorOpCost cost = CostOf(costs, op);
    const double cycles = count / cost.per_cycle;
    result.issue += count / costs.issues_per_cycle;
    result.serial_cycles += count * cost.latency_cycles;
    switch (ClassOf(op)) {
      case VectorOpClass::kLoad:
        result.load += cycles;
        break;
      case VectorOpClass::kStore:
        result.store += cycles;
        break;
      case VectorOpClass::kAlu:
      case VectorOpClass::kConvert:
        result.alu += cycles;
        if (IsExu0Only(op)) result.exu0 += cycles;
        break;
      case VectorOpClass::kPredicate:
      case VectorOpClass::kBarrier:
        break;  // a slot is all that they take
    }
  }
  struct Resource {
    absl::string_view name;
    double cycles;
  };
  Resource busiest = {"issue", result.issue};
  for (const Resource& resource :
       {Resource{"load", result.load}, Resource{"store", result.store},
        Resource{"alu", result.alu}, Resource{"exu0", result.exu0}}) {
    if (resource.cycles > busiest.cycles) busiest = resource;
  }
  result.bound_by = busiest.name;
  result.cycles =
      static_cast<int64_t>(std::ceil(busiest.cycles + result.barrier));
  return result;
}

}  // namespace a5
}  // namespace mxtile
