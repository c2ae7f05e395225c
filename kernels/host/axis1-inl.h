// Groups along rows: a unit of 128 elements is 4 groups, which find their
// maxima together. Included once for each instruction set by
// quantize_kernels.cc.

#if defined(KERNELS_HOST_AXIS1_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_HOST_AXIS1_INL_H_
#undef KERNELS_HOST_AXIS1_INL_H_
#else
#define KERNELS_HOST_AXIS1_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/host/encode-inl.h"
#include "kernels/host/quantize_job.h"

HWY_BEFORE_NAMESPACE();
namespace mxtile::host {
namespace HWY_NAMESPACE {

template <class Source>
HWY_INLINE VI32 GroupMaxima(const uint8_t* HWY_RESTRICT from) {
  VI32 max_bits = Magnitudes(Source::Load(from));
  for (int k = 1; k < kGroupVectors; ++k) {
    max_bits = hn::Max(
        max_bits, Magnitudes(Source::Load(from + k * kLanes * Source::kBytes)));
  }
  return max_bits;
}

// The maxima of a unit's groups, in lanes 0 .. 3 of every block.
template <class Source>
HWY_INLINE VI32 UnitMaxima(const uint8_t* HWY_RESTRICT from) {
  constexpr int kGroupBytes = 32 * Source::kBytes;
  const DI32 di;
  const hn::Repartition<int64_t, DI32> di64;
  const VI32 m0 = GroupMaxima<Source>(from);
  const VI32 m1 = GroupMaxima<Source>(from + kGroupBytes);
  const VI32 m2 = GroupMaxima<Source>(from + 2 * kGroupBytes);
  const VI32 m3 = GroupMaxima<Source>(from + 3 * kGroupBytes);
  const auto m01 = hn::BitCast(di64, hn::Max(hn::InterleaveLower(di, m0, m1),
                                             hn::InterleaveUpper(di, m0, m1)));
  const auto m23 = hn::BitCast(di64, hn::Max(hn::InterleaveLower(di, m2, m3),
                                             hn::InterleaveUpper(di, m2, m3)));
  VI32 max_bits = hn::Max(hn::BitCast(di, hn::InterleaveLower(di64, m01, m23)),
                          hn::BitCast(di, hn::InterleaveUpper(di64, m01, m23)));
  if constexpr (kBlocks == 4) {
    max_bits = hn::Max(max_bits, hn::SwapAdjacentBlocks(max_bits));
  }
  if constexpr (kBlocks >= 2) {
    max_bits = hn::Max(max_bits, hn::ConcatLowerUpper(di, max_bits, max_bits));
  }
  return max_bits;
}

// Lanes 0 .. 3 as bytes.
HWY_INLINE uint32_t FirstFourBytes(VI32 shared_exponents) {
  const hn::Rebind<uint8_t, DI32> d8;
  const hn::Repartition<uint32_t, decltype(d8)> d32;
  return hn::GetLane(hn::BitCast(d32, hn::DemoteTo(d8, shared_exponents)));
}

// Every code of the groups whose scale is NaN.
template <class Format>
HWY_NOINLINE void FillNanGroups(uint32_t scales, uint8_t* to,
                                int64_t chunk_stride) {
  constexpr int kGroupBytes = 32 * Format::kBits / 8;
  constexpr int kCode =
      Format::kBits == 8 ? Format::kNanCode : Format::kNanCode * 0x11;
  for (int group = 0; group < 4; ++group) {
    if ((scales >> (8 * group) & 0xFF) != 0xFF) continue;
    const int byte = group * kGroupBytes;
    std::memset(to + byte / 32 * chunk_stride + byte % 32, kCode, kGroupBytes);
  }
}

// Quantises a unit; returns its 4 scales, the first in the lowest byte.
template <class Source, class Format, class Chunks>
HWY_INLINE uint32_t QuantizeUnit(ScaleRule rule,
                                 const uint8_t* HWY_RESTRICT from,
                                 uint8_t* HWY_RESTRICT to,
                                 const Chunks& chunks) {
  const DI32 di;
  const VI32 max_bits = UnitMaxima<Source>(from);
  const Scales scales = ScalesOf<Format>(rule, max_bits);
  EncodeUnit<Source, Format>(from, ByGroup{scales.reciprocals}, to, chunks);
  const auto nan = IsNan(max_bits);
  if (HWY_LIKELY(hn::AllFalse(di, nan))) {
    return FirstFourBytes(scales.exponents);
  }
  const uint32_t bytes =
      FirstFourBytes(hn::IfThenElse(nan, hn::Set(di, 255), scales.exponents));
  FillNanGroups<Format>(bytes, to, chunks.stride());
  return bytes;
}

// The last groups of a row, fewer than a unit, the last of them padded with +0.
template <class Source, class Format>
HWY_NOINLINE void QuantizeTail(const QuantizeJob& job, const uint8_t* from,
                               int64_t cols, uint8_t* to, uint8_t* scale_to) {
  constexpr int kGroupBytes = 32 * Format::kBits / 8;
  alignas(64) uint8_t elements[kUnit * Source::kBytes] = {};
  alignas(64) uint8_t codes[kUnit];
  std::memcpy(elements, from, cols * Source::kBytes);
  const uint32_t scales =
      QuantizeUnit<Source, Format>(job.rule, elements, codes, DenseChunks());
  const ScaleStrides& stride = job.scale_strides;
  for (int64_t group = 0; group * 32 < cols; ++group) {
    const int64_t byte = group * kGroupBytes;
    std::memcpy(to + byte / 32 * job.data_strides.chunk + byte % 32,
                codes + byte, kGroupBytes);
    scale_to[group / 2 * stride.pair + group % 2 * stride.group] =
        static_cast<uint8_t>(scales >> (8 * group));
  }
}

// How far ahead in the row that is read.
constexpr int64_t kPrefetchBytes = 1024;

// Rows that go together, unit by unit: in NZ they share cache lines. No more
// than an L1 has ways, since rows may lie a power of two apart.
constexpr int kBandRows = 8;

// Rows [first, last), at most kBandRows.
template <class Source, class Format, class Chunks>
HWY_INLINE void QuantizeBand(const QuantizeJob& job, const Chunks& chunks,
                             int64_t first, int64_t last) {
  constexpr int64_t kUnitChunks = kUnit * Format::kBits / 8 / 32;
  constexpr int64_t kUnitBytes = kUnit * Source::kBytes;
  const ScaleStrides stride = job.scale_strides;
  const int64_t data_line = job.data_strides.line;
  const int64_t units = job.cols / kUnit;
  uint8_t* scales_of[kBandRows];
  for (int64_t row = first; row < last; ++row) {
    const int64_t line = job.first_line + row;
    scales_of[row - first] =
        job.scales + line / 16 * stride.box + line % 16 * stride.line;
  }
  for (int64_t unit = 0; unit < units; ++unit) {
    const uint8_t* from =
        job.source + first * job.source_pitch_bytes + unit * kUnitBytes;
    uint8_t* to =
        job.data + first * data_line + unit * kUnitChunks * chunks.stride();
    for (int64_t row = 0; row < last - first; ++row) {
      for (int64_t byte = 0; byte < kUnitBytes; byte += 64) {
        hwy::Prefetch(from + kPrefetchBytes + byte);
      }
      const uint32_t scales =
          QuantizeUnit<Source, Format>(job.rule, from, to, chunks);
      // Both scales of a pair are neighbours: no order of this axis is DN.
      uint8_t* scale_to = scales_of[row] + unit * 2 * stride.pair;
      const uint16_t pairs[2] = {static_cast<uint16_t>(scales),
                                 static_cast<uint16_t>(scales >> 16)};
      std::memcpy(scale_to, &pairs[0], 2);
      std::memcpy(scale_to + stride.pair, &pairs[1], 2);
      from += job.source_pitch_bytes;
      to += data_line;
    }
  }
  const int64_t rest = job.cols - units * kUnit;
  if (rest == 0) return;
  for (int64_t row = first; row < last; ++row) {
    QuantizeTail<Source, Format>(
        job, job.source + row * job.source_pitch_bytes + units * kUnitBytes,
        rest,
        job.data + row * data_line + units * kUnitChunks * chunks.stride(),
        scales_of[row - first] + units * 2 * stride.pair);
  }
}

template <class Source, class Format>
HWY_NOINLINE void QuantizeAxis1(const QuantizeJob& job) {
  if (job.data_strides.chunk == 32) {
    for (int64_t row = 0; row < job.rows; ++row) {
      QuantizeBand<Source, Format>(job, DenseChunks(), row, row + 1);
    }
    return;
  }
  const ChunksApart chunks = {job.data_strides.chunk};
  for (int64_t row = 0; row < job.rows; row += kBandRows) {
    QuantizeBand<Source, Format>(job, chunks, row,
                                 std::min(row + kBandRows, job.rows));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mxtile::host
HWY_AFTER_NAMESPACE();

#endif  // KERNELS_HOST_AXIS1_INL_H_
