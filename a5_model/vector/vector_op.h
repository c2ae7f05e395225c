#ifndef A5_MODEL_VECTOR_VECTOR_OP_H_
#define A5_MODEL_VECTOR_VECTOR_OP_H_

// The instructions of the vector unit as data: their names, what they are
// counted as, and what they cost.
//
//   Mnemonic(VectorOp::kVldsDintlv);               // "vlds"
//   ClassOf(VectorOp::kVldsDintlv);                // VectorOpClass::kLoad
//   CostOf(VectorCosts(), VectorOp::kVmul).latency_cycles;   // 8

#include "a5_model/soc/vector_costs.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

enum class VectorOp {
  kVlds,
  kVldsDintlv,  // two destinations
  kVgather2,
  kVsts,
  kVstsIntlv,  // two sources
  kVsstb,
  kVstus,
  kVstas,
  kVadd,
  kVsub,
  kVmul,
  kVmax,
  kVmin,
  kVadds,
  kVmuls,
  kVmaxs,
  kVmins,
  kVabs,
  kVand,
  kVor,
  kVxor,
  kVnot,
  kVshl,
  kVshr,
  kVshls,
  kVshrs,
  kVsel,
  kVcmp,
  kVcmps,
  kVdup,
  kVbr,
  kVci,
  kVintlv,
  kVdintlv,
  kVselr,
  kVcmax,
  kVcgmax,
  kVcvt,
  kPset,
  kPlt,
  kPand,
  kPor,
  kPxor,
  kPnot,
  kMemBar,
};
inline constexpr int kNumVectorOps = static_cast<int>(VectorOp::kMemBar) + 1;

enum class VectorOpClass {
  kLoad,
  kStore,
  kAlu,
  kConvert,
  kPredicate,
  kBarrier,
};
inline constexpr int kNumVectorOpClasses = 6;

// As the device writes it. The one-register and two-register forms of loads and
// stores share a mnemonic.
absl::string_view Mnemonic(VectorOp op);
VectorOpClass ClassOf(VectorOp op);
// Whether only the first of the two execution units has it. [fit]
bool IsExu0Only(VectorOp op);

// Not for kMemBar, which stops the unit for `VectorCosts::barrier_cycles`.
VectorOpCost CostOf(const VectorCosts& costs, VectorOp op);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_VECTOR_OP_H_
