#include "tools/bench/hand_attention.h"

// This file is compiled for AVX2: it must not instantiate anything that other
// files could share with it, or they would run its code on every processor.
#include <cstdint>
#include <cstring>

#include "numerics/exp_steps.h"

namespace mxtile::bench {
namespace {

using exec::simd::AttentionShape;

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));

constexpr int kLanes = 8;
constexpr float kMasked = -1e30f;

inline F8 Splat(float x) { return F8{x, x, x, x, x, x, x, x}; }
inline I8 SplatInt(int32_t x) { return I8{x, x, x, x, x, x, x, x}; }
inline F8 LoadVector(const float* p) {
  F8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void StoreVector(float* p, F8 v) { std::memcpy(p, &v, sizeof v); }

struct VectorOps {
  using Float = F8;
  using Int = I8;

  F8 FloatConstant(float x) const { return Splat(x); }
  I8 IntConstant(int32_t x) const { return SplatInt(x); }
  F8 Add(F8 a, F8 b) const { return a + b; }
  F8 Subtract(F8 a, F8 b) const { return a - b; }
  F8 Multiply(F8 a, F8 b) const { return a * b; }
  I8 AddInt(I8 a, I8 b) const { return a + b; }
  I8 SubtractInt(I8 a, I8 b) const { return a - b; }
  I8 ShiftLeft(I8 a, int count) const { return a << count; }
  I8 ShiftRightArithmetic(I8 a, int count) const { return a >> count; }
  I8 BitsOf(F8 a) const { return (I8)a; }
  F8 FromBits(I8 a) const { return (F8)a; }
  F8 SelectLess(F8 a, F8 b, F8 then, F8 otherwise) const {
    return a < b ? then : otherwise;
  }
  F8 SelectNan(F8 a, F8 then, F8 otherwise) const {
    return a != a ? then : otherwise;
  }
};

inline F8 ExpVector(F8 x) {
  const VectorOps ops;
  return ExpSteps(ops, x);
}

float ExpOne(float x) { return ExpVector(Splat(x))[0]; }

inline F8 MaxVector(F8 a, F8 b) { return a > b ? a : b; }

float MaxOf(F8 v) {
  float max = v[0];
  for (int i = 1; i < kLanes; ++i) max = v[i] > max ? v[i] : max;
  return max;
}

// columns[d][lane] = rows[lane][d].
inline void Transpose(const float* const* rows, int64_t at, F8* columns) {
  F8 r[kLanes], s[kLanes], t[kLanes];
  for (int i = 0; i < kLanes; ++i) r[i] = LoadVector(rows[i] + at);
  for (int i = 0; i < kLanes; i += 2) {
    s[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    s[i + 1] =
        __builtin_shufflevector(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < kLanes; i += 4) {
    for (int j = 0; j < 2; ++j) {
      t[i + 2 * j] = __builtin_shufflevector(s[i + j], s[i + j + 2], 0, 1, 8, 9,
                                             4, 5, 12, 13);
      t[i + 2 * j + 1] = __builtin_shufflevector(s[i + j], s[i + j + 2], 2, 3,
                                                 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    columns[i] =
        __builtin_shufflevector(t[i], t[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    columns[i + 4] =
        __builtin_shufflevector(t[i], t[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// R query rows that share keys and values.
template <int R>
struct Rows {
  const float* q[R];
  float* out[R];
  float* acc[R];
  int64_t last_key[R];
  float max[R];
  float sum[R];
  float scores[R][kMaxBlockKeys];
  float alpha[R];
};

// Groups of eight keys that are done together: each has R accumulators, and one
// row alone needs several to hide the latency of the sum.
template <int R, int G>
inline void ScoreKeys(const AttentionShape& s, Rows<R>& rows, const float* k,
                      int64_t first_key, int64_t offset) {
  const int64_t depth = s.head_dim;
  const float* key_rows[G][kLanes];
  for (int g = 0; g < G; ++g) {
    for (int i = 0; i < kLanes; ++i) {
      const int64_t key = first_key + offset + g * kLanes + i;
      // What is beyond the last key is masked later.
      key_rows[g][i] = k + (key < s.keys ? key : s.keys - 1) * depth;
    }
  }
  F8 acc[G][R];
  for (int g = 0; g < G; ++g) {
    for (int r = 0; r < R; ++r) acc[g][r] = Splat(0);
  }
  int64_t d = 0;
  for (; d + kLanes <= depth; d += kLanes) {
    for (int g = 0; g < G; ++g) {
      F8 columns[kLanes];
      Transpose(key_rows[g], d, columns);
      for (int i = 0; i < kLanes; ++i) {
        for (int r = 0; r < R; ++r) {
          acc[g][r] = acc[g][r] + Splat(rows.q[r][d + i]) * columns[i];
        }
      }
    }
  }
  for (; d < depth; ++d) {
    for (int g = 0; g < G; ++g) {
      F8 column;
      for (int i = 0; i < kLanes; ++i) column[i] = key_rows[g][i][d];
      for (int r = 0; r < R; ++r) {
        acc[g][r] = acc[g][r] + Splat(rows.q[r][d]) * column;
      }
    }
  }
  for (int g = 0; g < G; ++g) {
    for (int r = 0; r < R; ++r) {
      StoreVector(&rows.scores[r][offset + g * kLanes], acc[g][r]);
    }
  }
}

inline I8 KeysAt(int64_t first) {
  return I8{0, 1, 2, 3, 4, 5, 6, 7} + SplatInt(static_cast<int32_t>(first));
}

// scores become weights; max, sum and alpha follow.
template <int R>
inline void Weigh(const AttentionShape& s, Rows<R>& rows, int64_t first_key,
                  int64_t padded, float scale) {
  I8 last[R];
  F8 difference = Splat(0);
  for (int r = 0; r < R; ++r) {
    float* const scores = rows.scores[r];
    const int64_t block_end = first_key + s.block_keys - 1;
    last[r] = SplatInt(static_cast<int32_t>(
        rows.last_key[r] < block_end ? rows.last_key[r] : block_end));
    F8 max = Splat(kMasked);
    for (int64_t i = 0; i < padded; i += kLanes) {
      const F8 scaled = LoadVector(scores + i) * Splat(scale);
      const F8 masked =
          KeysAt(first_key + i) <= last[r] ? scaled : Splat(kMasked);
      StoreVector(scores + i, masked);
      max = MaxVector(max, masked);
    }
    const float block_max = MaxOf(max);
    const float new_max = rows.max[r] >= block_max ? rows.max[r] : block_max;
    difference[r] = rows.max[r] - new_max;
    rows.max[r] = new_max;
  }
  const F8 alpha = ExpVector(difference);
  for (int r = 0; r < R; ++r) {
    rows.alpha[r] = alpha[r];
    float* const scores = rows.scores[r];
    for (int64_t i = 0; i < padded; i += kLanes) {
      const F8 p = ExpVector(LoadVector(scores + i) - Splat(rows.max[r]));
      StoreVector(scores + i, KeysAt(first_key + i) <= last[r] ? p : Splat(0));
    }
  }
  // Side by side: each sum is a chain.
  float sum[R];
  for (int r = 0; r < R; ++r) sum[r] = rows.scores[r][0];
  for (int64_t i = 1; i < s.block_keys; ++i) {
    for (int r = 0; r < R; ++r) sum[r] += rows.scores[r][i];
  }
  for (int r = 0; r < R; ++r) {
    rows.sum[r] = rows.sum[r] * rows.alpha[r] + sum[r];
  }
}

// acc = acc * alpha + weights * values, for V vectors of columns.
template <int R, int V>
inline void AddValues(const AttentionShape& s, Rows<R>& rows, const float* v,
                      int64_t first_key, int64_t col) {
  F8 acc[R][V];
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < V; ++c) {
      acc[r][c] =
          LoadVector(rows.acc[r] + col + c * kLanes) * Splat(rows.alpha[r]);
    }
  }
  for (int64_t i = 0; i < s.block_keys; ++i) {
    const int64_t key = first_key + i;
    // Beyond the last key the weight and the value are 0.
    if (key >= s.keys) break;
    const float* const row = v + key * s.value_dim + col;
    for (int c = 0; c < V; ++c) {
      const F8 value = LoadVector(row + c * kLanes);
      for (int r = 0; r < R; ++r) {
        acc[r][c] = acc[r][c] + Splat(rows.scores[r][i]) * value;
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < V; ++c) {
      StoreVector(rows.acc[r] + col + c * kLanes, acc[r][c]);
    }
  }
}

template <int R>
inline void AddValuesOfColumn(const AttentionShape& s, Rows<R>& rows,
                              const float* v, int64_t first_key, int64_t col) {
  for (int r = 0; r < R; ++r) {
    float acc = rows.acc[r][col] * rows.alpha[r];
    for (int64_t i = 0; i < s.block_keys && first_key + i < s.keys; ++i) {
      acc = acc + rows.scores[r][i] * v[(first_key + i) * s.value_dim + col];
    }
    rows.acc[r][col] = acc;
  }
}

template <int R>
void Attend(const AttentionShape& s, Rows<R>& rows, const float* k,
            const float* v, float scale) {
  // As many accumulators as hide the latency of a sum and fit the registers
  // beside the operands.
  constexpr int kVectors = R == 1 ? 8 : 2;
  constexpr int kGroups = R == 1 ? 2 : 1;
  for (int r = 0; r < R; ++r) {
    rows.max[r] = kMasked;
    rows.sum[r] = 0;
    for (int64_t c = 0; c < s.value_dim; ++c) rows.acc[r][c] = 0;
  }
  for (int64_t key = 0; key < s.keys; key += s.block_keys) {
    int64_t at = 0;
    for (; at + kGroups * kLanes <= s.block_keys; at += kGroups * kLanes) {
      ScoreKeys<R, kGroups>(s, rows, k, key, at);
    }
    for (; at < s.block_keys; at += kLanes) {
      ScoreKeys<R, 1>(s, rows, k, key, at);
    }
    Weigh<R>(s, rows, key, at, scale);
    int64_t col = 0;
    for (; col + kVectors * kLanes <= s.value_dim; col += kVectors * kLanes) {
      AddValues<R, kVectors>(s, rows, v, key, col);
    }
    for (; col + 2 * kLanes <= s.value_dim; col += 2 * kLanes) {
      AddValues<R, 2>(s, rows, v, key, col);
    }
    for (; col + kLanes <= s.value_dim; col += kLanes) {
      AddValues<R, 1>(s, rows, v, key, col);
    }
    for (; col < s.value_dim; ++col) AddValuesOfColumn<R>(s, rows, v, key, col);
  }
  for (int r = 0; r < R; ++r) {
    for (int64_t c = 0; c < s.value_dim; ++c) {
      rows.out[r][c] = rows.acc[r][c] / rows.sum[r];
    }
  }
}

// Of the rows that share a key/value head, those from `first` on.
template <int R>
void AttendRows(const AttentionShape& s, int64_t kv_head, int64_t first,
                const float* q, const float* k, const float* v, float* out,
                float* scratch, float scale) {
  const int64_t shared = s.query_heads / s.kv_heads * s.queries;
  Rows<R> rows;
  for (int r = 0; r < R; ++r) {
    const int64_t row = kv_head * shared + first + r;
    rows.q[r] = q + row * s.head_dim;
    rows.out[r] = out + row * s.value_dim;
    rows.acc[r] = scratch + r * s.value_dim;
    rows.last_key[r] = (first + r) % s.queries + s.keys - s.queries;
  }
  Attend<R>(s, rows, k + kv_head * s.keys * s.head_dim,
            v + kv_head * s.keys * s.value_dim, scale);
}

}  // namespace

int64_t HandAttentionScratch(const AttentionShape& shape) {
  return 4 * shape.value_dim;
}

void HandAttention(const AttentionShape& s, int rows, const float* q,
                   const float* k, const float* v, float* out, float* scratch) {
  // The nearest float to 1 / sqrt, as 1 / sqrtf has it.
  const float scale = 1.0f / __builtin_sqrtf(static_cast<float>(s.head_dim));
  const int64_t shared = s.query_heads / s.kv_heads * s.queries;
  // Batches follow each other, so heads can be counted through.
  for (int64_t head = 0; head < s.batch * s.kv_heads; ++head) {
    int64_t row = 0;
    if (rows == 4) {
      for (; row + 4 <= shared; row += 4) {
        AttendRows<4>(s, head, row, q, k, v, out, scratch, scale);
      }
    }
    for (; row < shared; ++row) {
      AttendRows<1>(s, head, row, q, k, v, out, scratch, scale);
    }
  }
}

void SoftmaxInPlace(float* row, int64_t visible, int64_t keys, float scale) {
  float max = kMasked;
  F8 max8 = Splat(kMasked);
  int64_t i = 0;
  for (; i + kLanes <= visible; i += kLanes) {
    max8 = MaxVector(max8, LoadVector(row + i));
  }
  max = MaxOf(max8);
  for (; i < visible; ++i) max = row[i] > max ? row[i] : max;
  max *= scale;
  F8 sum8 = Splat(0);
  for (i = 0; i + kLanes <= visible; i += kLanes) {
    const F8 p = ExpVector(LoadVector(row + i) * Splat(scale) - Splat(max));
    StoreVector(row + i, p);
    sum8 += p;
  }
  float sum = 0;
  for (; i < visible; ++i) sum += row[i] = ExpOne(row[i] * scale - max);
  for (int lane = 0; lane < kLanes; ++lane) sum += sum8[lane];
  for (i = visible; i < keys; ++i) row[i] = 0;
  const F8 factor = Splat(1 / sum);
  for (i = 0; i + kLanes <= visible; i += kLanes) {
    StoreVector(row + i, LoadVector(row + i) * factor);
  }
  for (; i < visible; ++i) row[i] *= factor[0];
}

}  // namespace mxtile::bench
