#include "a5_model/cube/mx_accumulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "numerics/element_format.h"
#include "numerics/f32_product.h"
#include "numerics/f8e8m0fnu.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kGroup = 32;
constexpr uint8_t kNanScale = 255;

// k steps that one pass over a row of accumulators takes, and columns whose
// part of B (8 KiB of floats) stays in the first cache meanwhile.
constexpr int64_t kSteps = 8;
constexpr int64_t kColumns = 64;
// Columns of a run without a remainder, for the compiler to make vectors of.
constexpr int64_t kRun = 16;

// ---- Which form a group may take

// The scales of a group's lines that matter to the range of floats.
struct ScaleRange {
  int least = std::numeric_limits<int>::max();
  int largest = std::numeric_limits<int>::min();

  bool empty() const { return largest < least; }
};

// `codes` are 32 codes. The sign aside, zero is 0 in every format.
bool IsZeroLine(ElementFormat format, const uint8_t* codes) {
  unsigned bits = 0;
  for (int64_t i = 0; i < kGroup; ++i) bits |= codes[i];
  return (bits & ~SignMask(format)) == 0;
}

ScaleRange FindScaleRange(const MxFactor& factor, int64_t group) {
  ScaleRange range;
  for (int64_t line = 0; line < factor.lines; ++line) {
    const int64_t index = group * factor.lines + line;
    const int scale = factor.scales[index];
    if (scale == kNanScale ||
        IsZeroLine(factor.format, &factor.codes[index * kGroup])) {
      continue;
    }
    range.least = std::min(range.least, scale);
    range.largest = std::max(range.largest, scale);
  }
  return range;
}

bool FloatsAreExact(const F32ProductRange& exact, const ScaleRange& a,
                    const ScaleRange& b) {
  if (!a.empty() && a.largest > exact.max_left) return false;
  if (!b.empty() && b.largest > exact.max_right) return false;
  return a.empty() || b.empty() ||
         (a.least + b.least >= exact.min_sum &&
          a.largest + b.largest <= exact.max_sum);
}

// ---- From codes to numbers

template <typename T>
class Decoder {
 public:
  Decoder(ElementFormat format, bool saturate) : saturate_(saturate) {
    const float largest = MaxFinite(format);
    for (int code = 0; code < 256; ++code) {
      float value = Decode(format, code);
      if (saturate && std::isinf(value)) value = std::copysign(largest, value);
      if (saturate && std::isnan(value)) value = 0;
      values_[code] = value;
    }
  }

  // Element times scale, exact in T. Lines of zeros whose scale is outside the
  // range of T give zeros still.
  T Value(uint8_t code, T scale) const { return values_[code] * scale; }
  T Scale(uint8_t code) const {
    return saturate_ && code == kNanScale
               ? T{0}
               : static_cast<T>(DecodeF8E8M0FNU(code));
  }

 private:
  bool saturate_;
  std::array<T, 256> values_;
};

// A group as [lines, 32].
template <typename T>
void UnpackRows(const Decoder<T>& decoder, const MxFactor& factor,
                int64_t group, T* rows) {
  for (int64_t line = 0; line < factor.lines; ++line) {
    const int64_t index = group * factor.lines + line;
    const T scale = decoder.Scale(factor.scales[index]);
    const uint8_t* const codes = &factor.codes[index * kGroup];
    for (int64_t i = 0; i < kGroup; ++i) {
      rows[line * kGroup + i] = decoder.Value(codes[i], scale);
    }
  }
}

// A group as [32, pitch], the columns that no line has zero.
template <typename T>
void UnpackColumns(const Decoder<T>& decoder, const MxFactor& factor,
                   int64_t group, int64_t pitch, T* columns) {
  for (int64_t line = 0; line < factor.lines; ++line) {
    const int64_t index = group * factor.lines + line;
    const T scale = decoder.Scale(factor.scales[index]);
    const uint8_t* const codes = &factor.codes[index * kGroup];
    for (int64_t i = 0; i < kGroup; ++i) {
      columns[i * pitch + line] = decoder.Value(codes[i], scale);
    }
  }
}

// ---- The sums

// In doubles the conversions are what the definition asks for; in floats they
// do nothing, and product and sum round separately.
template <typename T>
float Step(float sum, T product) {
  return static_cast<float>(static_cast<T>(sum) + product);
}

// sums[c] steps through factors[i] * b[i][c] for i = 0 .. kSteps - 1.
template <typename T>
void AddRun(const T* __restrict factors, const T* __restrict b, int64_t pitch,
            float* __restrict sums) {
  for (int64_t c = 0; c < kRun; ++c) {
    float sum = sums[c];
    for (int64_t i = 0; i < kSteps; ++i) {
      sum = Step(sum, factors[i] * b[i * pitch + c]);
    }
    sums[c] = sum;
  }
}

bool AllFinite(const float* sums) {
  bool finite = true;
  for (int64_t c = 0; c < kRun; ++c) {
    finite &= std::fabs(sums[c]) <= std::numeric_limits<float>::max();
  }
  return finite;
}

// The same with sums that stay finite. Products are finite here, so a sum that
// overflowed once would still be infinite at the end of the run: only then are
// the steps done one by one.
template <typename T>
void AddSaturatingRun(const T* factors, const T* b, int64_t pitch,
                      float* sums) {
  std::array<float, kRun> before;
  std::copy_n(sums, kRun, before.begin());
  AddRun(factors, b, pitch, sums);
  if (AllFinite(sums)) return;
  constexpr float kLargest = std::numeric_limits<float>::max();
  for (int64_t c = 0; c < kRun; ++c) {
    float sum = before[c];
    for (int64_t i = 0; i < kSteps; ++i) {
      sum = Step(sum, factors[i] * b[i * pitch + c]);
      sum = std::min(std::max(sum, -kLargest), kLargest);
    }
    sums[c] = sum;
  }
}

template <typename T, bool kSaturate>
void AddGroup(const T* a, const T* b, int64_t lines, int64_t pitch,
              float* acc) {
  constexpr auto kAdd = kSaturate ? AddSaturatingRun<T> : AddRun<T>;
  for (int64_t first = 0; first < pitch; first += kColumns) {
    const int64_t end = std::min(first + kColumns, pitch);
    for (int64_t line = 0; line < lines; ++line) {
      for (int64_t i = 0; i < kGroup; i += kSteps) {
        for (int64_t c = first; c < end; c += kRun) {
          kAdd(a + line * kGroup + i, b + i * pitch + c, pitch,
               acc + line * pitch + c);
        }
      }
    }
  }
}

// One form of the product, with its buffers.
template <typename T>
class Form {
 public:
  Form(const MxFactor& a, const MxFactor& b, bool saturate)
      : a_(a),
        b_(b),
        saturate_(saturate),
        decode_a_(a.format, saturate),
        decode_b_(b.format, saturate) {}

  void Add(int64_t group, absl::Span<float> acc) {
    const int64_t pitch = MxPitch(b_.lines);
    rows_.resize(a_.lines * kGroup);
    columns_.resize(kGroup * pitch);
    UnpackRows(decode_a_, a_, group, rows_.data());
    UnpackColumns(decode_b_, b_, group, pitch, columns_.data());
    if (saturate_) {
      AddGroup<T, true>(rows_.data(), columns_.data(), a_.lines, pitch,
                        acc.data());
    } else {
      AddGroup<T, false>(rows_.data(), columns_.data(), a_.lines, pitch,
                         acc.data());
    }
  }

 private:
  const MxFactor& a_;
  const MxFactor& b_;
  const bool saturate_;
  const Decoder<T> decode_a_;
  const Decoder<T> decode_b_;
  std::vector<T> rows_;
  std::vector<T> columns_;
};

}  // namespace

MxForms AccumulateMx(const MxFactor& a, const MxFactor& b, int64_t groups,
                     bool saturate, absl::Span<float> acc) {
  for (const MxFactor& factor : {a, b}) {
    MX_CHECK(factor.scales.size() == factor.lines * groups &&
             factor.codes.size() == factor.scales.size() * kGroup)
        << factor.lines << " lines, " << groups << " groups";
  }
  MX_CHECK(acc.size() == a.lines * MxPitch(b.lines)) << acc.size();
  const F32ProductRange exact = ExactF32Products(a.format, b.format);
  Form<float> floats(a, b, saturate);
  Form<double> doubles(a, b, saturate);
  MxForms forms;
  for (int64_t group = 0; group < groups; ++group) {
    if (FloatsAreExact(exact, FindScaleRange(a, group),
                       FindScaleRange(b, group))) {
      floats.Add(group, acc);
      ++forms.float_groups;
    } else {
      doubles.Add(group, acc);
      ++forms.double_groups;
    }
  }
  return forms;
}

}  // namespace a5
}  // namespace mxtile
