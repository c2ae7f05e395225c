#ifndef EXEC_SIMD_EMIT_COST_MODEL_H_
#define EXEC_SIMD_EMIT_COST_MODEL_H_

// Estimated cycles of emitted code: for each block what the busiest unit of the
// processor needs, times how often the block runs, plus what chains of
// accumulators wait for. A model to rank candidates by, not a clock: of
// caches it knows their sizes.
//
//   CostModel cost(target);
//   cost.SetFrequency(block, 128);       // while emitting
//   cost.AddChain(128, 16, 1);           // a contraction's
//   cost.Cycles(*function, resources.team_bytes)
//
// Units and their widths are those of Zen 3 (Agner Fog's instruction tables,
// and which register blocks `mxtile bench` found fastest there): two additions
// and two multiplications, two loads and one store of a vector a cycle, six
// operations in all. Other AVX2 targets differ by less than candidates do.

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "exec/simd/jit/target.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

namespace mxtile::exec::simd {

class CostModel {
 public:
  explicit CostModel(SimdTarget target) : target_(std::move(target)) {}

  // How often a block runs in one execution of the body. Blocks without a
  // frequency run once.
  void SetFrequency(const llvm::BasicBlock* block, double frequency) {
    frequencies_[block] = frequency;
  }
  // `accumulators` chains of `terms` additions each, side by side, `frequency`
  // times.
  void AddChain(double frequency, int64_t terms, int64_t accumulators);

  // A load that costs `factor` times as much as others.
  void AddSlowLoad(double frequency, double factor);

  // Of one execution of the function, whose arrays have that many bytes.
  double Cycles(const llvm::Function& function, int64_t array_bytes) const;

 private:
  // Cycles of each unit, and operations.
  struct Pressure {
    double add = 0;
    double multiply = 0;
    double load = 0;
    double store = 0;
    double shuffle = 0;
    double serial = 0;  // nothing else goes on meanwhile
    double operations = 0;
  };
  void Count(const llvm::Instruction& instruction, Pressure* pressure) const;
  void CountCall(const llvm::Instruction& call, Pressure* pressure) const;
  // Registers that a value takes.
  double Parts(const llvm::Type* type) const;

  SimdTarget target_;
  absl::flat_hash_map<const llvm::BasicBlock*, double> frequencies_;
  double stalls_ = 0;
};

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_EMIT_COST_MODEL_H_
