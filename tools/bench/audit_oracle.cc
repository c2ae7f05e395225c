#include "tools/bench/audit_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "tools/bench/declaration.h"

namespace mxtile::bench {
namespace {

using exec::simd::AttentionShape;
using exec::simd::GemmShape;

// Adds up a row of the output: weights exp(score - lse).
void AttendRow(const AttentionShape& s, const float* q, const float* k,
               const float* v, int64_t visible, double* out) {
  std::vector<long double> scores(visible);
  for (int64_t key = 0; key < visible; ++key) {
    long double dot = 0;
    for (int64_t d = s.head_dim - 1; d >= 0; --d) {
      dot += static_cast<long double>(k[key * s.head_dim + d]) * q[d];
    }
    scores[key] = dot / std::sqrt(static_cast<long double>(s.head_dim));
  }
  const long double max = *std::max_element(scores.begin(), scores.end());
  long double sum = 0;
  for (int64_t key = visible - 1; key >= 0; --key) {
    sum += std::exp(scores[key] - max);
  }
  const long double log_sum = max + std::log(sum);
  std::vector<long double> row(s.value_dim, 0);
  for (int64_t key = visible - 1; key >= 0; --key) {
    const long double weight = std::exp(scores[key] - log_sum);
    const float* const values = v + key * s.value_dim;
    for (int64_t c = 0; c < s.value_dim; ++c) row[c] += weight * values[c];
  }
  for (int64_t c = 0; c < s.value_dim; ++c) {
    out[c] = static_cast<double>(row[c]);
  }
}

std::vector<double> Attention(const AttentionShape& s,
                              const std::vector<std::vector<float>>& inputs) {
  std::vector<double> out(s.batch * s.query_heads * s.queries * s.value_dim);
  const int64_t rows = s.batch * s.query_heads * s.queries;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t query = row % s.queries;
    const int64_t head = row / s.queries % s.query_heads;
    const int64_t batch = row / s.queries / s.query_heads;
    const int64_t kv = batch * s.kv_heads + head * s.kv_heads / s.query_heads;
    AttendRow(s, inputs[0].data() + row * s.head_dim,
              inputs[1].data() + kv * s.keys * s.head_dim,
              inputs[2].data() + kv * s.keys * s.value_dim,
              s.keys - s.queries + query + 1, out.data() + row * s.value_dim);
  }
  return out;
}

std::vector<double> Gemm(const GemmShape& s, int64_t rounds,
                         const std::vector<std::vector<float>>& inputs) {
  constexpr int kSums = 4;
  std::vector<double> out;
  out.reserve(s.m * s.n);
  for (int64_t i = 0; i < s.m; ++i) {
    std::vector<double> sums[kSums];
    for (std::vector<double>& sum : sums) sum.assign(s.n, 0.0);
    for (int64_t k = s.k - 1; k >= 0; --k) {
      const double x = inputs[0][i * s.k + k];
      const float* const row = inputs[1].data() + k * s.n;
      double* const sum = sums[k % kSums].data();
      for (int64_t j = 0; j < s.n; ++j) sum[j] += row[j] * x;
    }
    for (int64_t j = 0; j < s.n; ++j) {
      out.push_back(static_cast<double>(rounds) *
                    ((sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j])));
    }
  }
  return out;
}

struct Sine {
  double frequency;
  double phase;
};
constexpr Sine kAttentionInputs[] = {{0.117, 0}, {0.148, 0.3}, {0.179, 0.6}};
constexpr Sine kGemmInputs[] = {{12.9898, 0.1}, {78.233, 0.7}};

}  // namespace

std::vector<double> IndependentOracle(
    const WorkloadSpec& spec, const std::vector<std::vector<float>>& inputs) {
  return spec.is_attention() ? Attention(spec.attention, inputs)
                             : Gemm(spec.gemm, spec.rounds, inputs);
}

double ExpectedInput(const WorkloadSpec& spec, int buffer, int64_t i) {
  const Sine& sine =
      spec.is_attention() ? kAttentionInputs[buffer] : kGemmInputs[buffer];
  return std::sin(static_cast<double>(i) * sine.frequency + sine.phase);
}

}  // namespace mxtile::bench
