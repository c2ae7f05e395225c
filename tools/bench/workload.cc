#include "tools/bench/workload.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "tools/bench/declaration.h"

namespace mxtile::bench {
namespace {

using exec::simd::AttentionInputs;
using exec::simd::DimId;
using exec::simd::ElementType;
using exec::simd::GemmShape;
using exec::simd::TileProgram;
using exec::simd::TileProgramBuilder;
using exec::simd::ValueId;
using exec::simd::ViewId;

std::vector<float> Sines(int64_t count, double frequency, double phase) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(
        std::sin(static_cast<double>(i) * frequency + phase));
  }
  return values;
}

// c = c + a * b, `rounds` times, from zero: tiles are loaded once.
absl::StatusOr<TileProgram> BuildTile(const GemmShape& s, int64_t rounds) {
  TileProgramBuilder b("tile", kTilePrograms);
  const DimId m = b.AddDim("m", s.block_m);
  const DimId n = b.AddDim("n", s.n);
  const DimId k = b.AddDim("k", s.k);
  const ViewId a_view = b.AddView({"a", ElementType::kF32, {s.m, s.k}, 0});
  const ViewId b_view = b.AddView({"b", ElementType::kF32, {s.k, s.n}, 1});
  const ViewId c_view = b.AddView({"c", ElementType::kF32, {s.m, s.n}, 2});
  const ValueId zero = b.Index(0);
  const ValueId row = b.Binary(exec::simd::BinaryKind::kMul, b.ProgramIndex(),
                               b.Index(s.block_m));
  const ValueId lhs = b.Load(a_view, {{row, zero}, {m, k}});
  const ValueId rhs = b.Load(b_view, {{zero, zero}, {k, n}});
  const std::vector<ValueId> acc = b.For(
      zero, b.Index(rounds), b.Index(1), {b.Broadcast(b.Constant(0), {m, n})},
      [&](ValueId, std::vector<ValueId> carried) {
        return std::vector<ValueId>{b.Contract(lhs, rhs, carried[0])};
      });
  b.Store(c_view, {{row, zero}, {m, n}}, acc[0]);
  return std::move(b).Finish();
}

std::vector<double> GemmOracle(const GemmShape& s, int64_t rounds,
                               const std::vector<float>& a,
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
  for (double& x : c) x *= static_cast<double>(rounds);
  return c;
}

}  // namespace

absl::StatusOr<Workload> MakeWorkload(const WorkloadSpec& spec) {
  Workload workload;
  workload.spec = spec;
  PairedProblem& problem = workload.problem;
  const std::vector<int64_t> sizes = spec.BufferSizes();
  if (!spec.is_attention()) {
    MX_ASSIGN_OR_RETURN(workload.program,
                        spec.kind == WorkloadKind::kGemm
                            ? exec::simd::BuildGemm(spec.gemm)
                            : BuildTile(spec.gemm, spec.rounds));
    problem.buffers = {Sines(sizes[0], 12.9898, 0.1),
                       Sines(sizes[1], 78.233, 0.7)};
    problem.oracle = GemmOracle(spec.gemm, spec.rounds, problem.buffers[0],
                                problem.buffers[1]);
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
