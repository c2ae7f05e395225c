#include "tools/bench/workload.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "tools/bench/declaration.h"

namespace mxtile::bench {
namespace {

using exec::simd::AttentionInputs;
using exec::simd::GemmShape;

std::vector<float> Sines(int64_t count, double frequency, double phase) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(
        std::sin(static_cast<double>(i) * frequency + phase));
  }
  return values;
}

std::vector<double> GemmOracle(const GemmShape& s, const std::vector<float>& a,
                               const std::vector<float>& b) {
  std::vector<double> c(s.m * s.n, 0.0);
  for (int64_t i = 0; i < s.m; ++i) {
    double* const row = c.data() + i * s.n;
    for (int64_t k = 0; k < s.k; ++k) {
      const double x = a[i * s.k + k];
      const float* const b_row = b.data() + k * s.n;
      for (int64_t j = 0; j < s.n; ++j) row[j] += x * b_row[j];
    }
  }
  return c;
}

}  // namespace

absl::StatusOr<Workload> MakeWorkload(const WorkloadSpec& spec) {
  Workload workload;
  workload.spec = spec;
  PairedProblem& problem = workload.problem;
  const std::vector<int64_t> sizes = spec.BufferSizes();
  if (spec.kind == WorkloadKind::kGemm) {
    MX_ASSIGN_OR_RETURN(workload.program, exec::simd::BuildGemm(spec.gemm));
    problem.buffers = {Sines(sizes[0], 12.9898, 0.1),
                       Sines(sizes[1], 78.233, 0.7)};
    problem.oracle =
        GemmOracle(spec.gemm, problem.buffers[0], problem.buffers[1]);
  } else {
    MX_ASSIGN_OR_RETURN(workload.program,
                        exec::simd::BuildAttention(spec.attention));
    AttentionInputs in = exec::simd::MakeAttentionInputs(spec.attention);
    problem.oracle = exec::simd::AttentionOracle(spec.attention, in);
    problem.buffers = {std::move(in.q), std::move(in.k), std::move(in.v)};
  }
  problem.output = static_cast<int>(problem.buffers.size());
  problem.buffers.emplace_back(sizes.back());
  problem.program_count = workload.program.program_count;
  problem.tolerance = exec::simd::kAttentionTolerance;
  return workload;
}

}  // namespace mxtile::bench
