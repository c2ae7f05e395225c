// What an instruction costs on the host, and what the FP8 and FP4 inner loops
// make of that.
//
//   ./bazelw run -c opt //a5_model/vector:vector_unit_benchmark
//
// One iteration is one instruction, unless its name says a loop; those report
// elements a second.

#include <cstdint>
#include <cstring>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "base/check.h"
#include "benchmark/benchmark.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr uint64_t kSource = 0;
constexpr uint64_t kTarget = 0x20000;
constexpr int kBytes = 0x10000;

// A machine with 64 KiB of floats (or pairs of halves) in UB, and its unit.
struct Bench {
  Machine machine;
  VectorUnit unit;

  Bench() : unit(Filled()) {
    unit.DeclareBuffer("source", kSource, kBytes);
    unit.DeclareBuffer("target", kTarget, kBytes);
  }
  Machine& Filled() {
    auto bytes = machine.memory(MemorySpace::kVec)
                     .Write(machine.Begin("fill"), kSource, kBytes);
    for (int i = 0; i < kBytes; i += 2) {
      const uint16_t code = static_cast<uint16_t>(0x3C00 + i * 37 % 0x400);
      std::memcpy(bytes->data() + i, &code, 2);
    }
    return machine;
  }
  ~Bench() { MX_CHECK(unit.status().ok()) << unit.status().ToString(); }
};

// Instructions without a barrier between would fill the list of stores.
template <typename Instruction>
void Run(benchmark::State& state, Instruction instruction) {
  Bench bench;
  const Reg a = bench.unit.Vlds(UbPtr<float>{kSource}, 0);
  const Reg b = bench.unit.Vlds(UbPtr<float>{kSource}, 64);
  int i = 0;
  for (auto _ : state) {
    instruction(bench.unit, a, b, i);
    if (++i == 256) {
      i = 0;
      bench.unit.MemBar(Barrier::kVstVld);
    }
  }
}

const Mask kFull = Mask::All<float>();
const Mask kFull16 = Mask::All<uint16_t>();
const Mask kFull8 = Mask::All<uint8_t>();

#define MXTILE_BENCHMARK(name, mask, expression)                         \
  void name(benchmark::State& state) {                                   \
    Run(state, [](VectorUnit& unit, const Reg& a, const Reg& b, int i) { \
      expression;                                                        \
    });                                                                  \
  }                                                                      \
  BENCHMARK(name)

MXTILE_BENCHMARK(VldsNorm, kFull,
                 benchmark::DoNotOptimize(unit.Vlds(UbPtr<float>{kSource},
                                                    64 * i)));
MXTILE_BENCHMARK(VldsDintlv16, kFull,
                 benchmark::DoNotOptimize(
                     unit.VldsDintlv(UbPtr<BFloat>{kSource}, 256 * (i % 128))));
MXTILE_BENCHMARK(VldsE2b, kFull,
                 benchmark::DoNotOptimize(unit.Vlds(UbPtr<float>{kSource},
                                                    8 * i, LoadDist::kE2bB32)));
MXTILE_BENCHMARK(VldsBrc, kFull,
                 benchmark::DoNotOptimize(unit.Vlds(UbPtr<float>{kSource}, i,
                                                    LoadDist::kBrcB32)));
MXTILE_BENCHMARK(VstsNorm, kFull,
                 unit.Vsts(a, UbPtr<float>{kTarget}, 64 * i, StoreDist::kNorm,
                           kFull));
MXTILE_BENCHMARK(VstsPk4, kFull,
                 unit.Vsts(a, UbPtr<uint8_t>{kTarget}, 64 * i,
                           StoreDist::kPk4B32, kFull));
MXTILE_BENCHMARK(VstsPkB32, kFull,
                 unit.Vsts(a, UbPtr<uint16_t>{kTarget}, 64 * i,
                           StoreDist::kPkB32, kFull));
MXTILE_BENCHMARK(VstsOnept, kFull,
                 unit.Vsts(a, UbPtr<float>{kTarget}, i, StoreDist::kOneptB32,
                           kFull));
MXTILE_BENCHMARK(Vadd, kFull,
                 benchmark::DoNotOptimize(unit.Vadd<float>(a, b, kFull)));
MXTILE_BENCHMARK(VaddU16, kFull16,
                 benchmark::DoNotOptimize(unit.Vadd<uint16_t>(a, b, kFull16)));
MXTILE_BENCHMARK(Vmul, kFull,
                 benchmark::DoNotOptimize(unit.Vmul<float>(a, b, kFull)));
MXTILE_BENCHMARK(VmulBFloat, kFull16,
                 benchmark::DoNotOptimize(unit.Vmul<BFloat>(a, b, kFull16)));
MXTILE_BENCHMARK(Vmax, kFull,
                 benchmark::DoNotOptimize(unit.Vmax<float>(a, b, kFull)));
MXTILE_BENCHMARK(VmaxU16, kFull16,
                 benchmark::DoNotOptimize(unit.Vmax<uint16_t>(a, b, kFull16)));
MXTILE_BENCHMARK(Vabs, kFull,
                 benchmark::DoNotOptimize(unit.Vabs<float>(a, kFull)));
MXTILE_BENCHMARK(Vand, kFull,
                 benchmark::DoNotOptimize(unit.Vand<uint32_t>(a, b, kFull)));
MXTILE_BENCHMARK(Vshls, kFull,
                 benchmark::DoNotOptimize(unit.Vshls<uint32_t>(a, 7, kFull)));
MXTILE_BENCHMARK(Vsel, kFull,
                 benchmark::DoNotOptimize(
                     unit.Vsel<float>(a, b, Mask::FirstLanes<float>(i % 64))));
MXTILE_BENCHMARK(Vcmps, kFull,
                 benchmark::DoNotOptimize(
                     unit.Vcmps<uint32_t>(Compare::kGt, a, 0x3E003E00, kFull)));
MXTILE_BENCHMARK(VcmpsU16, kFull16,
                 benchmark::DoNotOptimize(
                     unit.Vcmps<uint16_t>(Compare::kGt, a, 0x3E00, kFull16)));
MXTILE_BENCHMARK(Vbr, kFull, benchmark::DoNotOptimize(unit.Vbr<float>(i)));
MXTILE_BENCHMARK(Vintlv8, kFull8,
                 benchmark::DoNotOptimize(unit.Vintlv<uint8_t>(a, b)));
MXTILE_BENCHMARK(Vdintlv32, kFull,
                 benchmark::DoNotOptimize(unit.Vdintlv<float>(a, b)));
MXTILE_BENCHMARK(Vselr, kFull8,
                 benchmark::DoNotOptimize(unit.Vselr<uint8_t>(a, b)));
MXTILE_BENCHMARK(Vcmax, kFull,
                 benchmark::DoNotOptimize(unit.Vcmax<float>(a, kFull)));
MXTILE_BENCHMARK(Vcgmax, kFull,
                 benchmark::DoNotOptimize(unit.Vcgmax<float>(a, kFull)));
MXTILE_BENCHMARK(VcgmaxU16, kFull16,
                 benchmark::DoNotOptimize(unit.Vcgmax<uint16_t>(a, kFull16)));
MXTILE_BENCHMARK(VcvtHalfToF32, kFull16,
                 benchmark::DoNotOptimize(
                     unit.VcvtToF32<Half>(a, kFull16, HalfPart::kEven)));
MXTILE_BENCHMARK(VcvtBFloatToF32, kFull16,
                 benchmark::DoNotOptimize(
                     unit.VcvtToF32<BFloat>(a, kFull16, HalfPart::kEven)));
MXTILE_BENCHMARK(VcvtHalfToBFloat, kFull16,
                 benchmark::DoNotOptimize(unit.VcvtHalfToBFloat(a, kFull16,
                                                                Round::kZ)));
MXTILE_BENCHMARK(VcvtF32ToE4M3, kFull,
                 benchmark::DoNotOptimize(unit.VcvtF32ToE4M3(a, kFull,
                                                             Saturate::kEnable,
                                                             BytePart::kP0)));
MXTILE_BENCHMARK(VcvtBFloatToE2M1x2, kFull16,
                 benchmark::DoNotOptimize(
                     unit.VcvtBFloatToE2M1x2(a, kFull16, BytePart::kP0)));
MXTILE_BENCHMARK(Vgather2, kFull16,
                 benchmark::DoNotOptimize(
                     unit.Vgather2(UbPtr<uint16_t>{kSource}, a, kFull16)));
MXTILE_BENCHMARK(Plt, kFull, uint32_t count = i;
                 benchmark::DoNotOptimize(unit.Plt<float>(&count)));

// Stage 3 of fp32 -> FP8, 128 elements in 8 instructions.
void ConvertLoop(benchmark::State& state) {
  Bench bench;
  VectorUnit& unit = bench.unit;
  const UbPtr<float> source{kSource};
  const UbPtr<uint16_t> target{kTarget};
  for (auto _ : state) {
    for (int i = 0; i < 128; ++i) {
      const RegPair x = unit.VldsDintlv(source, 128 * i);
      const Reg scale = unit.Vlds(source, 8 * i, LoadDist::kE2bB32);
      const Reg even =
          unit.VcvtF32ToE4M3(unit.Vmul<float>(x.first, scale, kFull), kFull,
                             Saturate::kEnable, BytePart::kP0);
      const Reg odd =
          unit.VcvtF32ToE4M3(unit.Vmul<float>(x.second, scale, kFull), kFull,
                             Saturate::kEnable, BytePart::kP1);
      unit.Vsts(unit.Vor<uint8_t>(even, odd, kFull8), target, 64 * i,
                StoreDist::kPkB32, kFull);
    }
    unit.MemBar(Barrier::kVstVld);
  }
  state.SetItemsProcessed(state.iterations() * 128 * 128);
}
BENCHMARK(ConvertLoop);

// Stage 1 of fp32, 256 elements in 12 instructions.
void MaxLoop(benchmark::State& state) {
  Bench bench;
  VectorUnit& unit = bench.unit;
  const UbPtr<float> source{kSource};
  for (auto _ : state) {
    UbPtr<float> target{kTarget};
    AlignReg align;
    for (int i = 0; i < 64; ++i) {
      const RegPair x = unit.VldsDintlv(source, 256 * i);
      const RegPair y = unit.VldsDintlv(source, 256 * i + 128);
      const Reg low =
          unit.Vmax<float>(unit.Vabs<float>(x.first, kFull),
                           unit.Vabs<float>(x.second, kFull), kFull);
      const Reg high =
          unit.Vmax<float>(unit.Vabs<float>(y.first, kFull),
                           unit.Vabs<float>(y.second, kFull), kFull);
      const RegPair z = unit.Vdintlv<float>(low, high);
      const Reg max =
          unit.Vcgmax<float>(unit.Vmax<float>(z.first, z.second, kFull), kFull);
      unit.VstusPost(align, 8, max, &target);
    }
    unit.Vstas(align, target);
    unit.MemBar(Barrier::kVstVld);
  }
  state.SetItemsProcessed(state.iterations() * 64 * 256);
}
BENCHMARK(MaxLoop);

}  // namespace
}  // namespace a5
}  // namespace mxtile
