#ifndef EXEC_SIMD_WORKLOADS_ATTENTION_H_
#define EXEC_SIMD_WORKLOADS_ATTENTION_H_

// Attention as tests and benchmarks run it: online softmax, bottom-right
// causal, key/value heads shared by groups of query heads.
//
//   MX_ASSIGN_OR_RETURN(const TileProgram program, BuildAttention(kDecode));
//   const AttentionInputs in = MakeAttentionInputs(kDecode);
//   // buffers 0 .. 3: in.q, in.k, in.v and the result
//   const std::vector<double> expected = AttentionOracle(kDecode, in);
//
//   view   buffer  shape, f32
//   q           0  [batch, query_heads, queries, head_dim]
//   k           1  [batch, kv_heads, keys, head_dim]
//   v           2  [batch, kv_heads, keys, value_dim]
//   out         3  [batch, query_heads, queries, value_dim]
//
// One instance computes block_queries rows of one head; instances count query
// blocks fastest, then heads, then batches. Query i sees the keys 0 .. i + keys
// - queries.

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct AttentionShape {
  int64_t batch;
  int64_t query_heads;
  int64_t kv_heads;  // divides query_heads
  int64_t queries;   // at most `keys`
  int64_t keys;
  int64_t head_dim;
  int64_t value_dim;
  int64_t block_queries;
  int64_t block_keys;
};

struct NamedAttentionShape {
  absl::string_view name;
  AttentionShape shape;
};

inline constexpr AttentionShape kDecode = {1, 8, 2, 1, 2053, 80, 96, 1, 16};
inline constexpr AttentionShape kPrefill = {1, 4, 2, 32, 65, 32, 32, 4, 16};
// Those whose measurements are public.
inline constexpr NamedAttentionShape kAttentionShapes[] = {
    {"decode", kDecode},
    {"prefill", kPrefill},
    {"mha", {1, 8, 8, 1, 2048, 64, 64, 1, 16}},
    {"long", {1, 16, 4, 1, 8193, 128, 128, 1, 16}},
    {"mqa_batch", {2, 8, 1, 1, 2053, 80, 96, 1, 16}},
    {"prefill_q8", {1, 4, 2, 64, 129, 32, 48, 8, 16}},
};

// Contraction of q and k over head_dim from zero, scale by 1 / sqrt(head_dim),
// mask to -1e30, row maximum, exp, row sum, contraction with v into the
// rescaled accumulator; key blocks ascending. Error (InvalidArgument): a number
// below 1, kv_heads that do not divide query_heads, more queries than keys.
absl::StatusOr<TileProgram> BuildAttention(const AttentionShape& shape);

struct AttentionInputs {
  std::vector<float> q;
  std::vector<float> k;
  std::vector<float> v;
};

// Sines of the element's flat index: sin(0.117 i), sin(0.148 i + 0.3) and
// sin(0.179 i + 0.6).
AttentionInputs MakeAttentionInputs(const AttentionShape& shape);

// [batch, query_heads, queries, value_dim]: softmax over whole rows, in double.
std::vector<double> AttentionOracle(const AttentionShape& shape,
                                    const AttentionInputs& inputs);

// How far an f32 result may be from the oracle, absolute plus relative to it.
inline constexpr double kAttentionTolerance = 5e-5;

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_WORKLOADS_ATTENTION_H_
