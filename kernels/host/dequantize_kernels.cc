// The vector kernels of dequantising, compiled for each instruction set; the
// one that runs is chosen at run time.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/base/casts.h"
#include "kernels/group_axis.h"
#include "kernels/host/format_traits.h"
#include "kernels/host/quantize_job.h"
#include "kernels/host/scalar_kernels.h"
#include "numerics/element_format.h"

#ifndef HWY_DISABLED_TARGETS
// Their vectors have no fixed size.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/host/dequantize_kernels.cc"
#include "hwy/foreach_target.h"
// Has to follow foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mxtile::host {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// One lane has no blocks: plain loops are the same.
void Dequantize(const DequantizeJob& job) { ScalarDequantize(job); }

#else

namespace hn = hwy::HWY_NAMESPACE;

using DF32 = hn::ScalableTag<float>;
using DI32 = hn::ScalableTag<int32_t>;
using VF32 = hn::Vec<DF32>;
using VI32 = hn::Vec<DI32>;
using D128 = hn::Full128<uint8_t>;

constexpr int kLanes = HWY_LANES(float);
constexpr int kGroup = 32;

// The float with these bits is 2^(s-127); 255 is the NaN 0x7FC00000.
HWY_INLINE uint32_t ScaleBits(uint8_t s) {
  if (s == 0) return 0x00400000;
  return s == 255 ? 0x7FC00000 : uint32_t{s} << 23;
}

// Values of codes, one in each lane. Exact.
template <class Format>
HWY_INLINE VF32 Decode(VI32 codes) {
  constexpr int kMantissa = Format::kMantissaBits;
  constexpr float kStep =
      1.0f / (1 << (127 - Format::kLeastExponent)) / (1 << kMantissa);
  const DF32 df;
  const DI32 di;
  const auto magnitude =
      hn::And(codes, hn::Set(di, (1 << (Format::kBits - 1)) - 1));
  const auto sign =
      hn::And(hn::ShiftLeft<32 - Format::kBits>(codes), hn::Set(di, INT32_MIN));
  const auto normal =
      hn::BitCast(df, hn::Add(hn::ShiftLeft<23 - kMantissa>(magnitude),
                              hn::Set(di, (Format::kLeastExponent - 1) << 23)));
  const auto subnormal =
      hn::Mul(hn::ConvertTo(df, magnitude), hn::Set(df, kStep));
  const auto is_normal = hn::Gt(magnitude, hn::Set(di, (1 << kMantissa) - 1));
  auto value = hn::BitCast(
      di, hn::IfThenElse(hn::RebindMask(df, is_normal), normal, subnormal));
  if constexpr (Format::kInfinity < 0x80) {
    value =
        hn::Or(value, hn::IfThenElseZero(
                          hn::Gt(magnitude, hn::Set(di, Format::kInfinity - 1)),
                          hn::Set(di, 0x7F800000)));
  }
  value = hn::Or(value, sign);
  if constexpr (Format::kFirstNan < 0x80) {
    value =
        hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, Format::kFirstNan - 1)),
                       hn::Set(di, 0x7FC00000), value);
  }
  return hn::BitCast(df, value);
}

// The codes of a group as bytes: those of 8 bits where they are.
template <class Format>
HWY_INLINE const uint8_t* GroupBytes(const uint8_t* HWY_RESTRICT from,
                                     uint8_t* HWY_RESTRICT unpacked) {
  if constexpr (Format::kBits == 8) {
    return from;
  } else {
    const D128 d8;
    const hn::Full128<uint16_t> d16;
    const auto bytes = hn::LoadU(d8, from);
    const auto mask = hn::Set(d8, 0x0F);
    const auto low = hn::And(bytes, mask);
    const auto high = hn::And(
        hn::BitCast(d8, hn::ShiftRight<4>(hn::BitCast(d16, bytes))), mask);
    hn::Store(hn::InterleaveLower(d8, low, high), d8, unpacked);
    hn::Store(hn::InterleaveUpper(d8, low, high), d8, unpacked + 16);
    return unpacked;
  }
}

struct OneScale {
  VF32 scale;
  HWY_INLINE VF32 Get(int) const { return scale; }
};
struct ScaleForEach {
  const float* scales;  // aligned
  HWY_INLINE VF32 Get(int element) const {
    return hn::Load(DF32(), scales + element);
  }
};

// 32 elements of a row.
template <class Format, class Scales>
HWY_INLINE void DecodeGroup(const uint8_t* HWY_RESTRICT from,
                            const Scales& scales, float* HWY_RESTRICT to) {
  const hn::Rebind<uint8_t, DI32> d8;
  alignas(32) uint8_t unpacked[kGroup];
  const uint8_t* bytes = GroupBytes<Format>(from, unpacked);
  for (int i = 0; i < kGroup; i += kLanes) {
    const auto codes = hn::PromoteTo(DI32(), hn::LoadU(d8, bytes + i));
    hn::StoreU(hn::Mul(Decode<Format>(codes), scales.Get(i)), DF32(), to + i);
  }
}

// The same, the last ones of a row; no byte beyond is touched.
template <class Format, class Scales>
HWY_NOINLINE void DecodeSome(const uint8_t* from, int64_t elements,
                             const Scales& scales, float* to) {
  uint8_t bytes[kGroup] = {};
  float values[kGroup];
  std::memcpy(bytes, from, (elements * Format::kBits + 7) / 8);
  DecodeGroup<Format>(bytes, scales, values);
  std::memcpy(to, values, elements * sizeof(float));
}

HWY_INLINE int64_t GroupOffset(const DataStrides& stride, int bits,
                               int64_t col) {
  const int64_t byte = col * bits / 8;
  return byte / 32 * stride.chunk + byte % 32;
}

// Columns of a row that are decoded together, and rows that take turns: in NZ
// they share cache lines. No more rows than an L1 has ways, since they may lie
// a power of two apart.
constexpr int64_t kUnit = 128;
constexpr int64_t kBandRows = 8;

// Calls decode(row, col) for each row of [0, rows) and each group of columns of
// [0, cols), in an order that suits the layout.
template <class Decode>
HWY_INLINE void ForEachGroup(const DataStrides& stride, int64_t rows,
                             int64_t cols, const Decode& decode) {
  const bool dense = stride.chunk == 32;
  const int64_t band = dense ? 1 : kBandRows;
  const int64_t unit = dense ? cols : kUnit;
  for (int64_t first_row = 0; first_row < rows; first_row += band) {
    const int64_t last_row = std::min(first_row + band, rows);
    for (int64_t first_col = 0; first_col < cols; first_col += unit) {
      const int64_t last_col = std::min(first_col + unit, cols);
      for (int64_t row = first_row; row < last_row; ++row) {
        for (int64_t col = first_col; col < last_col; col += kGroup) {
          decode(row, col);
        }
      }
    }
  }
}

// The group of a row that begins at a column, or what is left of it.
template <class Format, class Scales>
HWY_INLINE void DecodeAt(const DequantizeJob& job, int64_t row, int64_t col,
                         const Scales& scales) {
  const uint8_t* from = job.data + row * job.data_strides.line +
                        GroupOffset(job.data_strides, Format::kBits, col);
  float* to = job.values + row * job.cols + col;
  if (HWY_LIKELY(col + kGroup <= job.cols)) {
    DecodeGroup<Format>(from, scales, to);
  } else {
    DecodeSome<Format>(from, job.cols - col, scales, to);
  }
}

template <class Format>
HWY_NOINLINE void DequantizeAxis1(const DequantizeJob& job) {
  const ScaleStrides stride = job.scale_strides;
  ForEachGroup(
      job.data_strides, job.rows, job.cols,
      [&](int64_t row, int64_t col) HWY_ATTR {
        const int64_t line = job.first_line + row;
        const int64_t group = col / kGroup;
        const uint8_t s =
            job.scales[line / 16 * stride.box + line % 16 * stride.line +
                       group / 2 * stride.pair + group % 2 * stride.group];
        const OneScale scale = {
            hn::Set(DF32(), absl::bit_cast<float>(ScaleBits(s)))};
        DecodeAt<Format>(job, row, col, scale);
      });
}

constexpr int kBlockCols = 1024;

// The scales of columns first_col ... of one group.
HWY_INLINE void LoadScales(const DequantizeJob& job, int64_t group,
                           int64_t first_col, int64_t cols,
                           float* HWY_RESTRICT scales) {
  const ScaleStrides stride = job.scale_strides;
  const uint8_t* from =
      job.scales + group / 2 * stride.pair + group % 2 * stride.group;
  for (int64_t col = 0; col < cols; ++col) {
    const int64_t line = first_col + col;
    scales[col] = absl::bit_cast<float>(
        ScaleBits(from[line / 16 * stride.box + line % 16 * stride.line]));
  }
}

template <class Format>
HWY_NOINLINE void DequantizeAxis0(const DequantizeJob& job) {
  alignas(64) float scales[kBlockCols] = {};
  for (int64_t first_row = 0; first_row < job.rows; first_row += kGroup) {
    const int64_t rows = std::min<int64_t>(kGroup, job.rows - first_row);
    for (int64_t first_col = 0; first_col < job.cols; first_col += kBlockCols) {
      const int64_t cols = std::min<int64_t>(kBlockCols, job.cols - first_col);
      LoadScales(job, job.first_group + first_row / kGroup, first_col, cols,
                 scales);
      ForEachGroup(job.data_strides, rows, cols,
                   [&](int64_t row, int64_t col) HWY_ATTR {
                     DecodeAt<Format>(job, first_row + row, first_col + col,
                                      ScaleForEach{scales + col});
                   });
    }
  }
}

template <class Format>
void DequantizeFormat(const DequantizeJob& job) {
  if (job.axis == GroupAxis::kAxis1) {
    DequantizeAxis1<Format>(job);
  } else {
    DequantizeAxis0<Format>(job);
  }
}

void Dequantize(const DequantizeJob& job) {
  switch (job.format) {
    case ElementFormat::kF8E4M3FN:
      return DequantizeFormat<F8E4M3Traits>(job);
    case ElementFormat::kF8E5M2:
      return DequantizeFormat<F8E5M2Traits>(job);
    case ElementFormat::kF4E2M1FN:
      return DequantizeFormat<F4E2M1Traits>(job);
    default:
      return DequantizeFormat<F4E1M2Traits>(job);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace mxtile::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mxtile::host {

HWY_EXPORT(Dequantize);

void RunDequantize(const DequantizeJob& job) {
  HWY_DYNAMIC_DISPATCH(Dequantize)(job);
}

}  // namespace mxtile::host
#endif  // HWY_ONCE
