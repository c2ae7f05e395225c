// Speed of the host kernels on one thread: elements and bytes a second, and the
// share of what a kernel that only reads and writes the same bytes reaches in
// the same run (memory_bound.h).
//
//   ./bazelw build -c opt //kernels/host:quantize_benchmark
//   bazel-bin/kernels/host/quantize_benchmark --benchmark_filter=DRAM
//
// One iteration interleaves 5 times the bound and the kernel, each for a while;
// figures are medians. Time is that of the thread, so that neighbours on the
// machine count as little as may be; caches and memory are shared all the same.
//
//   elements   elements a second
//   bytes      bytes read and written a second: source, codes and scales
//   of_bound   time of the bound / time of the kernel

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "benchmark/benchmark.h"
#include "hwy/aligned_allocator.h"
#include "kernels/group_axis.h"
#include "kernels/host/memory_bound.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantize_matrix.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr int kRepetitions = 5;
constexpr double kSecondsEach = 0.02;

struct Size {
  const char* name;
  int64_t rows;
  int64_t cols;
};
// Source and codes together: below 512 KiB, below 16 MiB, 80 MiB and more.
constexpr Size kL2 = {"L2", 64, 1024};
constexpr Size kL3 = {"L3", 512, 4096};
constexpr Size kDram = {"DRAM", 4096, 4096};
constexpr Size kDramOdd = {"DRAM", 4096, 4896};

struct Case {
  Size size;
  ElementFormat source = ElementFormat::kF32;
  ScaleRule rule = ScaleRule::kOcp;
  QuantizedForm form;
};

double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds of one call.
template <typename Function>
double SecondsOf(const Function& function) {
  const double start = ThreadSeconds();
  int64_t calls = 0;
  double seconds = 0;
  do {
    function();
    ++calls;
    seconds = ThreadSeconds() - start;
  } while (seconds < kSecondsEach);
  return seconds / static_cast<double>(calls);
}

template <typename Bound, typename Kernel>
void Measure(benchmark::State& state, int64_t elements, int64_t bytes,
             const Bound& bound, const Kernel& kernel) {
  for (auto _ : state) {
    std::vector<double> bounds;
    std::vector<double> kernels;
    std::vector<double> ratios;
    bound();
    kernel();
    for (int i = 0; i < kRepetitions; ++i) {
      bounds.push_back(SecondsOf(bound));
      kernels.push_back(SecondsOf(kernel));
      ratios.push_back(bounds.back() / kernels.back());
    }
    const double seconds = Median(kernels);
    state.SetIterationTime(seconds);
    state.counters["elements"] = static_cast<double>(elements) / seconds;
    state.counters["bytes"] = static_cast<double>(bytes) / seconds;
    state.counters["of_bound"] = Median(ratios);
  }
}

// Finite and of both signs, over a few binades.
std::vector<float> RandomValues(int64_t size) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

// At an address that is a multiple of a cache line, as pages of a file are.
class Buffer {
 public:
  explicit Buffer(int64_t size)
      : size_(size), bytes_(hwy::AllocateAligned<uint8_t>(size)) {
    std::memset(bytes_.get(), 1, size);
  }
  uint8_t* data() const { return bytes_.get(); }
  int64_t size() const { return size_; }
  absl::Span<uint8_t> span() const {
    return {data(), static_cast<size_t>(size_)};
  }

 private:
  int64_t size_;
  hwy::AlignedFreeUniquePtr<uint8_t[]> bytes_;
};

Buffer SourceBytes(ElementFormat format, int64_t size) {
  const std::vector<float> values =
      RandomValues(std::min<int64_t>(size, 1 << 22));
  const int bytes_each = BitWidth(format) / 8;
  Buffer bytes(size * bytes_each);
  for (int64_t i = 0; i < size; ++i) {
    const uint32_t code =
        Encode(format, values[i % values.size()], Overflow::kSaturate);
    std::memcpy(bytes.data() + i * bytes_each, &code, bytes_each);
  }
  return bytes;
}

void BM_Quantize(benchmark::State& state, const Case& c) {
  const QuantizedLayout layout =
      QuantizedLayout::Create(c.size.rows, c.size.cols, c.form).value();
  const int64_t elements = c.size.rows * c.size.cols;
  const Buffer source = SourceBytes(c.source, elements);
  const Buffer data(layout.data_size_bytes());
  const Buffer scales(layout.scale_size_bytes());
  const int ratio = BitWidth(c.source) / BitWidth(c.form.format);
  Measure(
      state, elements, source.size() + data.size() + scales.size(),
      [&] {
        ReadAndPack(source.data(), source.size(), ratio, data.data());
        std::memset(scales.data(), 0, scales.size());
      },
      [&] {
        MX_CHECK(QuantizeRows(layout, c.rule, {c.source, source.span()},
                              {0, layout.rows()}, {data.span(), scales.span()})
                     .ok());
      });
}

void BM_Dequantize(benchmark::State& state, const Case& c) {
  const QuantizedLayout layout =
      QuantizedLayout::Create(c.size.rows, c.size.cols, c.form).value();
  const int64_t elements = c.size.rows * c.size.cols;
  const Buffer data(layout.data_size_bytes());
  const Buffer scales(layout.scale_size_bytes());
  MX_CHECK(QuantizeRows(layout, c.rule,
                        {c.source, SourceBytes(c.source, elements).span()},
                        {0, layout.rows()}, {data.span(), scales.span()})
               .ok());
  const Buffer bytes(4 * elements);
  const absl::Span<float> values(reinterpret_cast<float*>(bytes.data()),
                                 elements);
  Measure(
      state, elements, data.size() + scales.size() + 4 * elements,
      [&] {
        ReadAndSpread(data.data(), 4 * elements, 32 / BitWidth(c.form.format),
                      bytes.data());
        benchmark::DoNotOptimize(
            std::memchr(scales.data(), 255, scales.size()));
      },
      [&] {
        MX_CHECK(DequantizeRows(layout, {data.span(), scales.span()},
                                {0, layout.rows()}, values)
                     .ok());
      });
}

QuantizedForm FormOf(ElementFormat format, GroupAxis axis, DataOrder data,
                     ScaleOrder scales) {
  QuantizedForm form;
  form.format = format;
  form.axis = axis;
  form.data_order = data;
  form.scale_order = scales;
  return form;
}

std::string NameOf(const char* what, const Case& c) {
  return absl::StrCat(what, "/", c.size.name, "/", c.size.rows, "x",
                      c.size.cols, "/", Name(c.source), "/",
                      Name(c.form.format),
                      c.rule == ScaleRule::kOcp ? "/ocp" : "/nv", "/axis",
                      c.form.axis == GroupAxis::kAxis0 ? 0 : 1, "/",
                      Name(c.form.data_order), "/", Name(c.form.scale_order));
}

void Register(const Case& c) {
  benchmark::RegisterBenchmark(NameOf("quantize", c).c_str(), BM_Quantize, c)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMicrosecond);
}

void RegisterAll() {
  constexpr GroupAxis k0 = GroupAxis::kAxis0;
  constexpr GroupAxis k1 = GroupAxis::kAxis1;
  constexpr DataOrder kNd = DataOrder::kND;
  constexpr DataOrder kNz = DataOrder::kNZ;
  for (const Size& size : {kL2, kL3, kDram, kDramOdd}) {
    const auto add = [&](QuantizedForm form, ScaleRule rule = ScaleRule::kOcp,
                         ElementFormat source = ElementFormat::kF32) {
      Register({size, source, rule, form});
    };
    for (const ElementFormat format : {kE4M3, kE2M1}) {
      add(FormOf(format, k1, kNd, ScaleOrder::kND));
      add(FormOf(format, k1, kNd, ScaleOrder::kND), ScaleRule::kNv);
      add(FormOf(format, k1, kNz, ScaleOrder::kZZ));
      add(FormOf(format, k0, kNd, ScaleOrder::kDN));
      add(FormOf(format, k0, kNz, ScaleOrder::kNN));
    }
    add(FormOf(ElementFormat::kF8E5M2, k1, kNd, ScaleOrder::kND));
    for (const ElementFormat source :
         {ElementFormat::kBF16, ElementFormat::kF16}) {
      add(FormOf(kE4M3, k1, kNd, ScaleOrder::kND), ScaleRule::kOcp, source);
    }
    for (const ElementFormat format : {kE4M3, kE2M1}) {
      for (const QuantizedForm& form :
           {FormOf(format, k1, kNd, ScaleOrder::kND),
            FormOf(format, k1, kNz, ScaleOrder::kZZ),
            FormOf(format, k0, kNz, ScaleOrder::kNN)}) {
        const Case c = {size, ElementFormat::kF32, ScaleRule::kOcp, form};
        benchmark::RegisterBenchmark(NameOf("dequantize", c).c_str(),
                                     BM_Dequantize, c)
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

// On the clock of the wall, with pauses of the neighbours in it.
void BM_QuantizeOnThreads(benchmark::State& state) {
  const QuantizedLayout layout =
      QuantizedLayout::Create(kDram.rows, kDram.cols, {}).value();
  const int64_t elements = kDram.rows * kDram.cols;
  const Buffer source = SourceBytes(ElementFormat::kF32, elements);
  const Buffer data(layout.data_size_bytes());
  const Buffer scales(layout.scale_size_bytes());
  for (auto _ : state) {
    MX_CHECK(QuantizeMatrix(
                 layout, ScaleRule::kOcp, {ElementFormat::kF32, source.span()},
                 static_cast<int>(state.range(0)), {data.span(), scales.span()})
                 .ok());
  }
  state.SetItemsProcessed(state.iterations() * elements);
}
BENCHMARK(BM_QuantizeOnThreads)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime();

}  // namespace
}  // namespace mxtile::host

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  mxtile::host::RegisterAll();
  benchmark::AddCustomContext("instruction set",
                              mxtile::host::InstructionSet());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
