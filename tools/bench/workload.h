#ifndef TOOLS_BENCH_WORKLOAD_H_
#define TOOLS_BENCH_WORKLOAD_H_

// A workload that can be run: its tile program, its inputs and what has to come
// out.
//
//   MX_ASSIGN_OR_RETURN(const WorkloadSpec spec, ParseWorkload("decode"));
//   MX_ASSIGN_OR_RETURN(const Workload decode, MakeWorkload(spec));
//   CallOnce(decode.problem, arm)
//
// Inputs of attention are those of exec/simd/workloads/attention.h; of gemm
// and tile, a[i] = sin(12.9898 i + 0.1) and b[i] = sin(78.233 i + 0.7) in
// double, as f32, so that sums along k stay small.

#include "absl/status/statusor.h"
#include "exec/simd/tile_program.h"
#include "tools/bench/declaration.h"
#include "tools/bench/paired.h"

namespace mxtile::bench {

struct Workload {
  WorkloadSpec spec;
  exec::simd::TileProgram program;
  PairedProblem problem;
};

// Errors: those of BuildAttention and BuildGemm.
absl::StatusOr<Workload> MakeWorkload(const WorkloadSpec& spec);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_WORKLOAD_H_
