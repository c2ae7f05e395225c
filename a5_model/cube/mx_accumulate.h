#ifndef A5_MODEL_CUBE_MX_ACCUMULATE_H_
#define A5_MODEL_CUBE_MX_ACCUMULATE_H_

// The arithmetic of MMAD_MX on codes: acc += A * B under MX scales.
//
//   const MxFactor a = {ElementFormat::kF8E4M3FN, /*lines=*/m, a_codes,
//                       a_scales};
//   const MxFactor b = {ElementFormat::kF8E5M2, /*lines=*/n, b_codes,
//   b_scales}; std::vector<float> acc(m * MxPitch(n));   // row-major, C at a
//   pitch AccumulateMx(a, b, /*groups=*/k / 32, /*saturate=*/false,
//                absl::MakeSpan(acc));
//
// k ascending; each step is, bit for bit,
//
//   acc = float(double(acc) + double(a) * double(b) * 2^(sa + sb - 254))
//
// It is computed in floats for the groups of 32 k whose scales are inside the
// range of numerics/f32_product.h, where that gives the same bits, and in
// doubles for the others. Lines of zeros, whose scale changes nothing, and NaN
// scales do not count for the range.
//
// The NaN and Inf codes are NaN and Inf, a scale of 255 makes its products NaN;
// which NaN is not defined. With `saturate` an infinite element counts as the
// largest finite value of its format, NaN (also by a scale) as 0, and a sum
// that overflows stays the largest float of its sign; the accumulators are
// finite before.

#include <cstdint>

#include "absl/types/span.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

// One input, in the order of the cube: `lines` are the rows of A or the columns
// of B.
struct MxFactor {
  ElementFormat format;  // f8E4M3FN, f8E5M2, f4E2M1FN or f4E1M2
  int64_t lines;
  absl::Span<const uint8_t> codes;   // [groups, lines, 32], one a byte
  absl::Span<const uint8_t> scales;  // [groups, lines]
};

// Floats from one row of accumulators to the next: n rounded up to whole
// vectors. What lies between n and the pitch is unspecified afterwards.
constexpr int64_t MxPitch(int64_t n) { return (n + 15) / 16 * 16; }

// How many groups took which way.
struct MxForms {
  int64_t float_groups = 0;
  int64_t double_groups = 0;
};

// `acc` is [a.lines, MxPitch(b.lines)].
MxForms AccumulateMx(const MxFactor& a, const MxFactor& b, int64_t groups,
                     bool saturate, absl::Span<float> acc);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_MX_ACCUMULATE_H_
