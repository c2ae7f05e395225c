#ifndef A5_MODEL_CUBE_LOAD_BIAS_H_
#define A5_MODEL_CUBE_LOAD_BIAS_H_

// The move of fp32 bias values from Mat to the bias table (pipe MTE1).
//
//   LoadBias(machine, {/*source=*/0x4000, /*destination=*/0, /*count=*/64});
//
// Conversions from fp16 and bf16 on the way are not modelled.

#include <cstdint>

#include "a5_model/machine.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {

struct LoadBiasParams {
  uint64_t source;       // in Mat, a multiple of 32
  uint64_t destination;  // in Bias, a multiple of 64
  int64_t count;         // fp32 values; 1..1024
};

absl::Status LoadBias(Machine& machine, const LoadBiasParams& params);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_LOAD_BIAS_H_
