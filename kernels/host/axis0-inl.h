// Groups along columns: 32 rows by a block of columns, first the maxima of the
// columns, row after row, then the codes; the second time the elements come
// from a cache. Included once for each instruction set by quantize_kernels.cc.

#if defined(KERNELS_HOST_AXIS0_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef KERNELS_HOST_AXIS0_INL_H_
#undef KERNELS_HOST_AXIS0_INL_H_
#else
#define KERNELS_HOST_AXIS0_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "kernels/host/encode-inl.h"
#include "kernels/host/quantize_job.h"

HWY_BEFORE_NAMESPACE();
namespace mxtile::host {
namespace HWY_NAMESPACE {

// Columns of a block: 32 rows of it, 128 KiB of floats, fit in an L2.
constexpr int kBlockCols = 1024;

// 32 rows, or the last ones, of at most kBlockCols columns, whole units.
struct Block {
  const uint8_t* source;
  int64_t pitch_bytes;
  int64_t rows;
  int64_t cols;
  uint8_t* data;  // of 32 rows
  DataStrides strides;
};

struct BlockScales {
  alignas(64) int32_t max_bits[kBlockCols];
  alignas(64) float reciprocals[kBlockCols];
  alignas(64) uint8_t exponents[kBlockCols];
};

// Maxima of kRows rows and what `max_bits` holds.
template <class Source, int kRows>
HWY_INLINE void RaiseMaxima(const uint8_t* HWY_RESTRICT from,
                            int64_t pitch_bytes, int64_t cols,
                            int32_t* HWY_RESTRICT max_bits) {
  const DI32 di;
  for (int64_t col = 0; col < cols; col += kLanes) {
    const uint8_t* at = from + col * Source::kBytes;
    VI32 column_max = hn::Load(di, max_bits + col);
    for (int row = 0; row < kRows; ++row) {
      column_max =
          hn::Max(column_max, Magnitudes(Source::Load(at + row * pitch_bytes)));
    }
    hn::Store(column_max, di, max_bits + col);
  }
}

// Scales and reciprocals of the columns; returns whether one is NaN.
template <class Format>
HWY_INLINE bool ScalesOfMaxima(ScaleRule rule, int64_t cols,
                               BlockScales* scales) {
  const DI32 di;
  const hn::Rebind<uint8_t, DI32> d8;
  bool any_nan = false;
  for (int64_t col = 0; col < cols; col += kLanes) {
    const VI32 max_bits = hn::Load(di, scales->max_bits + col);
    const Scales found = ScalesOf<Format>(rule, max_bits);
    hn::Store(found.reciprocals, DF32(), scales->reciprocals + col);
    const auto nan = IsNan(max_bits);
    any_nan |= !hn::AllFalse(di, nan);
    const VI32 codes = hn::IfThenElse(nan, hn::Set(di, 255), found.exponents);
    hn::StoreU(hn::DemoteTo(d8, codes), d8, scales->exponents + col);
  }
  return any_nan;
}

template <class Format>
HWY_NOINLINE void FillNanColumns(const Block& block, const uint8_t* exponents) {
  for (int64_t col = 0; col < block.cols; ++col) {
    if (exponents[col] != 255) continue;
    const int64_t byte = col * Format::kBits / 8;
    uint8_t* at = block.data + byte / 32 * block.strides.chunk + byte % 32;
    for (int row = 0; row < 32; ++row, at += block.strides.line) {
      if constexpr (Format::kBits == 8) {
        *at = Format::kNanCode;
      } else {
        const int shift = 4 * static_cast<int>(col % 2);
        *at = static_cast<uint8_t>((*at & (0xF0 >> shift)) | Format::kNanCode
                                                                 << shift);
      }
    }
  }
}

template <class Source, class Format, class Chunks>
HWY_INLINE void EncodeBlockUnit(const Block& block, const Chunks& chunks,
                                const float* HWY_RESTRICT reciprocals,
                                int64_t row, int64_t col) {
  constexpr int64_t kUnitChunks = kUnit * Format::kBits / 8 / 32;
  const int64_t offset = row * block.pitch_bytes + col * Source::kBytes;
  EncodeUnit<Source, Format>(block.source + offset,
                             ByElement{reciprocals + col},
                             block.data + row * block.strides.line +
                                 col / kUnit * kUnitChunks * chunks.stride(),
                             chunks);
}

// Row after row in ND; in NZ unit after unit, whose rows share cache lines.
template <class Source, class Format>
HWY_INLINE void EncodeBlock(const Block& block,
                            const float* HWY_RESTRICT reciprocals) {
  if (block.strides.chunk == 32) {
    for (int64_t row = 0; row < block.rows; ++row) {
      for (int64_t col = 0; col < block.cols; col += kUnit) {
        EncodeBlockUnit<Source, Format>(block, DenseChunks(), reciprocals, row,
                                        col);
      }
    }
    return;
  }
  const ChunksApart chunks = {block.strides.chunk};
  for (int64_t col = 0; col < block.cols; col += kUnit) {
    for (int64_t row = 0; row < block.rows; ++row) {
      EncodeBlockUnit<Source, Format>(block, chunks, reciprocals, row, col);
    }
  }
}

template <class Source, class Format>
HWY_INLINE void QuantizeBlock(ScaleRule rule, const Block& block,
                              BlockScales* HWY_RESTRICT scales) {
  constexpr int kRowsAtOnce = 4;
  std::memset(scales->max_bits, 0, block.cols * sizeof(int32_t));
  const uint8_t* from = block.source;
  int64_t row = 0;
  for (; row + kRowsAtOnce <= block.rows; row += kRowsAtOnce) {
    RaiseMaxima<Source, kRowsAtOnce>(from, block.pitch_bytes, block.cols,
                                     scales->max_bits);
    from += kRowsAtOnce * block.pitch_bytes;
  }
  for (; row < block.rows; ++row, from += block.pitch_bytes) {
    RaiseMaxima<Source, 1>(from, block.pitch_bytes, block.cols,
                           scales->max_bits);
  }
  const bool any_nan = ScalesOfMaxima<Format>(rule, block.cols, scales);

  EncodeBlock<Source, Format>(block, scales->reciprocals);
  if (HWY_UNLIKELY(any_nan)) FillNanColumns<Format>(block, scales->exponents);
}

// The scales of columns first_col ... of one group, in their order.
HWY_INLINE void StoreScales(const QuantizeJob& job, const uint8_t* exponents,
                            int64_t group, int64_t first_col, int64_t cols) {
  const ScaleStrides& stride = job.scale_strides;
  uint8_t* to = job.scales + group / 2 * stride.pair + group % 2 * stride.group;
  if (stride.line == 1) {
    std::memcpy(to + first_col, exponents, cols);
    return;
  }
  // first_col is a multiple of 16.
  for (int64_t col = 0; col < cols; ++col) {
    const int64_t line = first_col + col;
    to[line / 16 * stride.box + line % 16 * stride.line] = exponents[col];
  }
}

// The last columns, fewer than a unit, copied to where they can be padded.
template <class Source, class Format>
HWY_NOINLINE void QuantizeLastColumns(ScaleRule rule, const Block& block,
                                      BlockScales* scales) {
  constexpr int kRowBytes = kUnit * Source::kBytes;
  alignas(64) uint8_t elements[32 * kRowBytes] = {};
  alignas(64) uint8_t codes[32 * kUnit] = {};
  for (int64_t row = 0; row < block.rows; ++row) {
    std::memcpy(elements + row * kRowBytes,
                block.source + row * block.pitch_bytes,
                block.cols * Source::kBytes);
  }
  QuantizeBlock<Source, Format>(
      rule, {elements, kRowBytes, block.rows, kUnit, codes, {kUnit, 32}},
      scales);
  const int64_t bytes = (block.cols * Format::kBits + 7) / 8;
  for (int row = 0; row < 32; ++row) {
    for (int64_t byte = 0; byte < bytes; byte += 32) {
      std::memcpy(block.data + row * block.strides.line +
                      byte / 32 * block.strides.chunk,
                  codes + row * kUnit + byte,
                  std::min<int64_t>(32, bytes - byte));
    }
  }
}

template <class Source, class Format>
HWY_NOINLINE void QuantizeAxis0(const QuantizeJob& job) {
  BlockScales scales;
  const int64_t whole_cols = job.cols / kUnit * kUnit;
  for (int64_t row = 0; row < job.rows; row += 32) {
    const int64_t group = job.first_group + row / 32;
    for (int64_t col = 0; col < job.cols;) {
      const bool whole = col < whole_cols;
      const int64_t cols = whole
                               ? std::min<int64_t>(kBlockCols, whole_cols - col)
                               : job.cols - col;
      const Block block = {
          job.source + row * job.source_pitch_bytes + col * Source::kBytes,
          job.source_pitch_bytes,
          std::min<int64_t>(32, job.rows - row),
          cols,
          job.data + row * job.data_strides.line +
              col * Format::kBits / 8 / 32 * job.data_strides.chunk,
          job.data_strides};
      if (whole) {
        QuantizeBlock<Source, Format>(job.rule, block, &scales);
      } else {
        QuantizeLastColumns<Source, Format>(job.rule, block, &scales);
      }
      StoreScales(job, scales.exponents, group, col, cols);
      col += cols;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace mxtile::host
HWY_AFTER_NAMESPACE();

#endif  // KERNELS_HOST_AXIS0_INL_H_
