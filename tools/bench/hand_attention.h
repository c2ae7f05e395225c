#ifndef TOOLS_BENCH_HAND_ATTENTION_H_
#define TOOLS_BENCH_HAND_ATTENTION_H_

// Attention as a person would write it for one core with eight lanes: what the
// generated code is held against. Strict: products and sums are two roundings,
// k ascends; masked work is done. Bit for bit the program of
// exec/simd/workloads/attention.h.
//
//   std::vector<float> scratch(HandAttentionScratch(shape));
//   HandAttention(shape, /*rows=*/4, q, k, v, out, scratch.data());
//
// With four rows, the query rows that share keys and values, whatever their
// head, go through them together; rows left over go alone.

#include <cstdint>

#include "exec/simd/workloads/attention.h"

namespace mxtile::bench {

// Floats.
int64_t HandAttentionScratch(const exec::simd::AttentionShape& shape);

// rows is 1 or 4; block_keys at most 64 (kMaxBlockKeys).
void HandAttention(const exec::simd::AttentionShape& shape, int rows,
                   const float* q, const float* k, const float* v, float* out,
                   float* scratch);

inline constexpr int64_t kMaxBlockKeys = 64;

// row[i] becomes the weight of key i: exp(scale * row[i] - max), over their sum
// for i < visible, 0 for visible <= i < keys. Not strict: eight partial sums.
void SoftmaxInPlace(float* row, int64_t visible, int64_t keys, float scale);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_HAND_ATTENTION_H_
