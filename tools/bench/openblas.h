#ifndef TOOLS_BENCH_OPENBLAS_H_
#define TOOLS_BENCH_OPENBLAS_H_

// What dense OpenBLAS reaches, with one thread: fused and reassociated as it
// likes.
//
//   if (HaveOpenBlas()) OpenBlasGemm(shape, a, b, c);

#include <cstdint>
#include <string>

#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"

namespace mxtile::bench {

// False in a build without it (third_party/README.md); the others then do
// nothing.
bool HaveOpenBlas();

// "OpenBLAS 0.3.21 ... Zen"; empty without it.
std::string OpenBlasVersion();

// c = a * b.
void OpenBlasGemm(const exec::simd::GemmShape& shape, const float* a,
                  const float* b, float* c);

// Floats.
int64_t OpenBlasAttentionScratch(const exec::simd::AttentionShape& shape);

// All scores of the rows that share keys, their softmax, all weights times
// values; a single row by matrix times vector.
void OpenBlasAttention(const exec::simd::AttentionShape& shape, const float* q,
                       const float* k, const float* v, float* out,
                       float* scratch);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_OPENBLAS_H_
