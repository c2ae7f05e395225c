#ifndef EXEC_SIMD_JIT_TARGET_H_
#define EXEC_SIMD_JIT_TARGET_H_

// What planning and code generation need to know of a processor.
//
//   const SimdTarget target = HostTarget();       // znver3: 8 lanes of f32
//   MX_ASSIGN_OR_RETURN(const SimdTarget other, NamedTarget("x86-64-v4"));
//   other.f32_lanes == 16 && other.vector_registers == 32
//
// A plan or an object for another processor than the host can be made and
// looked at; linking it (jit.h) is refused.

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace mxtile::exec::simd {

struct SimdTarget {
  // LLVM's names: "x86_64-unknown-linux-gnu", "znver3", "+avx2,-avx512f".
  // `features` are relative to those of `cpu`; empty for a named target.
  std::string triple;
  std::string cpu;
  std::string features;

  int f32_lanes = 4;          // of one vector register: 4, 8 or 16
  int vector_bytes = 16;      // 4 * f32_lanes
  int vector_registers = 16;  // architectural ones; 32 with AVX-512
  int cache_line_bytes = 64;

  // Data caches of one core: the host's own; for a named processor these, of
  // which LLVM says nothing.
  int64_t l1_bytes = 32 << 10;
  int64_t l2_bytes = 512 << 10;

  // Conversion of f16 in hardware. Without it f16 is converted by integer
  // arithmetic.
  bool has_f16c = false;
};

// The processor that this process runs on. In a build without LLVM (see
// third_party/README.md) the defaults above, named "generic".
SimdTarget HostTarget();

// A processor by the name that LLVM gives it: "znver3", "x86-64-v3",
// "skylake-avx512". The architecture is the host's. InvalidArgument for a name
// that LLVM does not know, with the known names that start alike;
// Unimplemented in a build without LLVM.
absl::StatusOr<SimdTarget> NamedTarget(const std::string& cpu);

// OK when the host has all that `target` may use; otherwise FailedPrecondition
// with the features that it lacks.
absl::Status CheckRunsOnHost(const SimdTarget& target);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_JIT_TARGET_H_
