#include "tools/bench/openblas.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "tools/bench/hand_attention.h"

#ifndef MX_WITHOUT_OPENBLAS
#include "cblas.h"
#endif

namespace mxtile::bench {

using exec::simd::AttentionShape;
using exec::simd::GemmShape;

int64_t OpenBlasAttentionScratch(const AttentionShape& s) {
  return s.query_heads / s.kv_heads * s.queries * s.keys;
}

#ifdef MX_WITHOUT_OPENBLAS

bool HaveOpenBlas() { return false; }
std::string OpenBlasVersion() { return ""; }
void OpenBlasGemm(const GemmShape&, const float*, const float*, float*) {}
void OpenBlasAttention(const AttentionShape&, const float*, const float*,
                       const float*, float*, float*) {}

#else

namespace {

// scores [rows, keys] = q [rows, d] * k^T.
void Scores(const AttentionShape& s, int64_t rows, const float* q,
            const float* k, float* scores) {
  if (rows == 1) {
    cblas_sgemv(CblasRowMajor, CblasNoTrans, s.keys, s.head_dim, 1, k,
                s.head_dim, q, 1, 0, scores, 1);
    return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, s.keys, s.head_dim,
              1, q, s.head_dim, k, s.head_dim, 0, scores, s.keys);
}

// out [rows, dv] = weights [rows, keys] * v.
void Values(const AttentionShape& s, int64_t rows, const float* weights,
            const float* v, float* out) {
  if (rows == 1) {
    cblas_sgemv(CblasRowMajor, CblasTrans, s.keys, s.value_dim, 1, v,
                s.value_dim, weights, 1, 0, out, 1);
    return;
  }
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, s.value_dim,
              s.keys, 1, weights, s.keys, v, s.value_dim, 0, out, s.value_dim);
}

}  // namespace

bool HaveOpenBlas() { return true; }

std::string OpenBlasVersion() {
  return absl::StrCat(openblas_get_config(), ", core ",
                      openblas_get_corename());
}

void OpenBlasGemm(const GemmShape& s, const float* a, const float* b,
                  float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s.m, s.n, s.k, 1, a,
              s.k, b, s.n, 0, c, s.n);
}

void OpenBlasAttention(const AttentionShape& s, const float* q, const float* k,
                       const float* v, float* out, float* scratch) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(s.head_dim));
  const int64_t rows = s.query_heads / s.kv_heads * s.queries;
  for (int64_t head = 0; head < s.batch * s.kv_heads; ++head) {
    Scores(s, rows, q + head * rows * s.head_dim,
           k + head * s.keys * s.head_dim, scratch);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t visible = r % s.queries + s.keys - s.queries + 1;
      SoftmaxInPlace(scratch + r * s.keys, visible, s.keys, scale);
    }
    Values(s, rows, scratch, v + head * s.keys * s.value_dim,
           out + head * rows * s.value_dim);
  }
}

#endif  // MX_WITHOUT_OPENBLAS

}  // namespace mxtile::bench
