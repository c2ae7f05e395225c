#ifndef EXEC_SIMD_EMIT_COST_MODEL_H_
#define EXEC_SIMD_EMIT_COST_MODEL_H_

// Estimated cycles of emitted code: what each instruction costs in throughput,
// times how often its block runs, plus what chains of accumulators wait for. A
// model to rank candidates by, not a clock: it knows nothing of caches.
//
//   CostModel cost(target);
//   cost.SetFrequency(block, 128);       // while emitting
//   cost.AddChain(128, 16, 1);           // a contraction's
//   cost.Cycles(*function)
//
// Costs are those of Zen 3 (Agner Fog's tables; the shapes of register blocks
// in simd_results.md, 5A), rounded: two FP operations, two loads and one store
// of a vector a cycle, an addition's latency of 3. Other AVX2 targets differ by
// less than candidates do.

#ifndef MX_WITHOUT_LLVM

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "exec/simd/jit/target.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

namespace mxtile::exec::simd {

class CostModel {
 public:
  explicit CostModel(const SimdTarget& target) : target_(target) {}

  // How often a block runs in one execution of the body. Blocks without a
  // frequency run once.
  void SetFrequency(const llvm::BasicBlock* block, double frequency) {
    frequencies_[block] = frequency;
  }
  // `accumulators` chains of `terms` additions each, side by side, `frequency`
  // times.
  void AddChain(double frequency, int64_t terms, int64_t accumulators);

  // Of one execution of the function.
  double Cycles(const llvm::Function& function) const;

 private:
  double CostOf(const llvm::Instruction& instruction) const;
  double CallCost(const llvm::Instruction& call) const;
  // Registers that a value takes.
  double Parts(const llvm::Type* type) const;

  const SimdTarget& target_;
  absl::flat_hash_map<const llvm::BasicBlock*, double> frequencies_;
  double stalls_ = 0;
};

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_EMIT_COST_MODEL_H_
