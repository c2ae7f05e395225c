#ifndef EXEC_SIMD_WORKLOADS_GEMM_H_
#define EXEC_SIMD_WORKLOADS_GEMM_H_

// c = a * b in f32, as tests and benchmarks run it.
//
//   MX_ASSIGN_OR_RETURN(const TileProgram program,
//                       BuildGemm({512, 512, 512, 6, 16, 64}));
//
//   view   buffer  shape, f32
//   a           0  [m, k]
//   b           1  [k, n]
//   c           2  [m, n]
//
// One instance computes one block [block_m, block_n] of c, with k ascending in
// blocks of block_k; instances count blocks of a row of blocks fastest. Blocks
// need not divide: the rest is cut off by limits.

#include <cstdint>

#include "absl/status/statusor.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct GemmShape {
  int64_t m;
  int64_t n;
  int64_t k;  // may be 0: c is zero
  int64_t block_m;
  int64_t block_n;
  int64_t block_k;
};

// Error (InvalidArgument): a number below 1, but for k.
absl::StatusOr<TileProgram> BuildGemm(const GemmShape& shape);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_WORKLOADS_GEMM_H_
