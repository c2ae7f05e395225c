#ifndef KERNELS_HOST_QUANTIZE_TEST_UTIL_H_
#define KERNELS_HOST_QUANTIZE_TEST_UTIL_H_

// For tests of the host kernels: each instruction set of this processor in
// turn, matrices with every kind of value, and what kernels/reference makes of
// them in a layout.
//
//   for (const int64_t target : VectorTargets()) {
//     const ScopedTarget scoped(target);
//     ...
//   }

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "kernels/reference/quantize.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {

// Instruction sets that this binary has and this processor runs, as Highway
// numbers them; plain loops (SCALAR, or EMU128) are always the last.
std::vector<int64_t> VectorTargets();
std::string TargetName(int64_t target);

// While it lives, kernels run on this instruction set alone.
class ScopedTarget {
 public:
  explicit ScopedTarget(int64_t target);
  ~ScopedTarget();
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;
};

// Elements in some source format, and their values.
struct SourceMatrix {
  ElementFormat format;
  int64_t rows;
  int64_t cols;
  std::vector<uint8_t> bytes;
  std::vector<float> values;
};

// Runs of values around one exponent each, anywhere in the range of the format,
// among them zeros, subnormals, values just below a power of two, and now and
// then Inf and NaN; both signs.
SourceMatrix RandomSource(ElementFormat format, int64_t rows, int64_t cols,
                          std::mt19937_64& random);

// The source in f32, bf16 or f16 codes: one for each element.
SourceMatrix SourceOfCodes(ElementFormat format, int64_t rows, int64_t cols,
                           const std::vector<uint32_t>& codes);

// Bytes that end where a page begins that traps every access; and, when
// `at_start`, that begin where one ends.
class GuardedBytes {
 public:
  GuardedBytes(int64_t size, bool at_start);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  absl::Span<uint8_t> span() const { return span_; }

 private:
  uint8_t* pages_;
  int64_t pages_bytes_;
  absl::Span<uint8_t> span_;
};

struct Quantized {
  std::vector<uint8_t> data;
  std::vector<uint8_t> scales;
};

// The reference's codes and scales of the source padded with zeros to
// [padded_rows, padded_cols].
QuantizedMatrix ReferenceOf(const SourceMatrix& source, int64_t padded_rows,
                            int64_t padded_cols, GroupAxis axis,
                            ElementFormat format, ScaleRule rule);

// Its bytes in the layout, by the maps of layouts/ rather than by strides.
Quantized Placed(const QuantizedMatrix& matrix, const QuantizedLayout& layout);

}  // namespace mxtile::host

#endif  // KERNELS_HOST_QUANTIZE_TEST_UTIL_H_
