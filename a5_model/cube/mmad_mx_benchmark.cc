// Speed of MMAD_MX on the model: one instruction with its reads and writes of
// memory, one thread.
//
//   bazel run -c opt //a5_model/cube:mmad_mx_benchmark
//
// The counter counts 2 * m * k * n floating-point operations an instruction.

#include <cstdint>
#include <random>
#include <vector>

#include "a5_model/cube/mmad_mx.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/check.h"
#include "benchmark/benchmark.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;

// Finite codes everywhere in Left and Right, scales from `low` to `high`.
void FillOperands(Machine& machine, ElementFormat format, int low, int high) {
  std::mt19937 random(1);
  for (const MemorySpace space : {MemorySpace::kLeft, MemorySpace::kRight}) {
    std::vector<uint8_t> bytes(machine.memory(space).size());
    for (uint8_t& byte : bytes) {
      do {
        byte = random();
      } while (BitWidth(format) == 8 &&
               KindOf(format, byte) != CodeKind::kFinite);
    }
    machine.memory(space).Poke(0, bytes);
  }
  for (const MemorySpace space :
       {MemorySpace::kLeftScale, MemorySpace::kRightScale}) {
    std::vector<uint8_t> scales(machine.memory(space).size());
    for (uint8_t& scale : scales) scale = low + random() % (high - low + 1);
    machine.memory(space).Poke(0, scales);
  }
}

// `count` instructions of m x k by k x n, the first of which starts at 0.
void Run(benchmark::State& state, ElementFormat format, int low, int high,
         int64_t count, MmadMxParams params) {
  Machine machine;
  FillOperands(machine, format, low, high);
  params.left_format = params.right_format = format;
  for (auto _ : state) {
    for (int64_t i = 0; i < count; ++i) {
      params.init =
          i == 0 ? AccumulatorInit::kZero : AccumulatorInit::kAccumulate;
      const absl::Status status = MmadMx(machine, params);
      MX_CHECK(status.ok()) << status;
    }
  }
  state.counters["FLOP/s"] = benchmark::Counter(
      2.0 * count * params.m * params.k * params.n * state.iterations(),
      benchmark::Counter::kIsRate);
}

// Extents of one instruction: the last fills Left, Right and Acc.
void BM_Mmad(benchmark::State& state, ElementFormat format, int low, int high) {
  MmadMxParams params = {};
  params.m = state.range(0);
  params.k = state.range(1);
  params.n = state.range(2);
  Run(state, format, low, high, /*count=*/1, params);
}
#define MX_MMAD_SHAPES        \
  ArgNames({"m", "k", "n"})   \
      ->Args({128, 128, 128}) \
      ->Args({128, 256, 128}) \
      ->Args({128, 512, 128}) \
      ->Args({256, 256, 256})
BENCHMARK_CAPTURE(BM_Mmad, e4m3, kE4M3, 112, 142)->MX_MMAD_SHAPES;
BENCHMARK_CAPTURE(BM_Mmad, e5m2, kE5M2, 112, 142)->MX_MMAD_SHAPES;
BENCHMARK_CAPTURE(BM_Mmad, e2m1, kE2M1, 112, 142)->MX_MMAD_SHAPES;
// Scales that floats are not exact for.
BENCHMARK_CAPTURE(BM_Mmad, e4m3_in_doubles, kE4M3, 40, 70)->MX_MMAD_SHAPES;

// 512 x 512 x 512 as 8 instructions of 256.
void BM_Mmad512(benchmark::State& state, ElementFormat format) {
  MmadMxParams params = {};
  params.m = params.k = params.n = 256;
  Run(state, format, 112, 142, /*count=*/8, params);
}
BENCHMARK_CAPTURE(BM_Mmad512, e4m3, kE4M3);
BENCHMARK_CAPTURE(BM_Mmad512, e5m2, kE5M2);
BENCHMARK_CAPTURE(BM_Mmad512, e2m1, kE2M1);

void BM_Saturating(benchmark::State& state) {
  MmadMxParams params = {};
  params.m = params.k = params.n = 128;
  params.saturate = true;
  Run(state, kE4M3, 112, 142, /*count=*/1, params);
}
BENCHMARK(BM_Saturating);

}  // namespace
}  // namespace a5
}  // namespace mxtile
