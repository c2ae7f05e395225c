#include "kernels/host/quantize_test_util.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/int_math.h"
#include "hwy/targets.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "kernels/reference/quantize.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nd/nd_layout.h"
#include "layouts/nz/nz_layout.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {
namespace {

// The exponents of the format's values.
struct ExponentRange {
  int least;
  int largest;
};
ExponentRange RangeOf(ElementFormat format) {
  if (format == ElementFormat::kF16) return {-25, 15};
  return {format == ElementFormat::kBF16 ? -134 : -150, 127};
}

uint32_t RandomCode(ElementFormat format, int exponent,
                    std::mt19937_64& random) {
  const uint64_t bits = random();
  const uint32_t sign = bits & 1 ? SignMask(format) : 0;
  const uint64_t kind = bits >> 1 & 31;
  if (kind == 0) return sign;
  double significand = 1 + std::ldexp(static_cast<double>(bits >> 32), -32);
  // The last value below a power of two; a tie or its neighbours.
  if (kind < 4) significand = 2 - std::ldexp(1.0, -23);
  if (kind < 8 && kind >= 4) significand = 1 + (bits >> 32 & 15) / 16.0;
  const int below = static_cast<int>(bits >> 8 & 15);
  const float value =
      static_cast<float>(std::ldexp(significand, exponent - below));
  return sign | Encode(format, value, Overflow::kSaturate);
}

}  // namespace

std::vector<int64_t> VectorTargets() {
  std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  // The static target, which every processor runs, is in the list of generated
  // ones but not among what it detects.
  if (targets.empty() || targets.back() != HWY_STATIC_TARGET) {
    targets.push_back(HWY_STATIC_TARGET);
  }
  return targets;
}

std::string TargetName(int64_t target) { return hwy::TargetName(target); }

ScopedTarget::ScopedTarget(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(target);
}

ScopedTarget::~ScopedTarget() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

GuardedBytes::GuardedBytes(int64_t size, bool at_start) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  const int64_t inside = RoundUp(size, page);
  pages_bytes_ = inside + 2 * page;
  void* pages = mmap(nullptr, pages_bytes_, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MX_CHECK(pages != MAP_FAILED);
  pages_ = static_cast<uint8_t*>(pages);
  MX_CHECK(mprotect(pages_ + page, inside, PROT_READ | PROT_WRITE) == 0);
  span_ = absl::MakeSpan(pages_ + page + (at_start ? 0 : inside - size), size);
}

GuardedBytes::~GuardedBytes() { munmap(pages_, pages_bytes_); }

SourceMatrix SourceOfCodes(ElementFormat format, int64_t rows, int64_t cols,
                           const std::vector<uint32_t>& codes) {
  MX_CHECK(static_cast<int64_t>(codes.size()) == rows * cols);
  SourceMatrix source = {format, rows, cols, {}, {}};
  for (const uint32_t code : codes) {
    source.values.push_back(Decode(format, code));
    for (int byte = 0; byte < BitWidth(format) / 8; ++byte) {
      source.bytes.push_back(static_cast<uint8_t>(code >> (8 * byte)));
    }
  }
  return source;
}

SourceMatrix RandomSource(ElementFormat format, int64_t rows, int64_t cols,
                          std::mt19937_64& random) {
  const ExponentRange range = RangeOf(format);
  std::uniform_int_distribution<int> exponents(range.least, range.largest);
  const uint32_t infinity = Encode(format, INFINITY, Overflow::kSpecial);
  std::vector<uint32_t> codes(rows * cols);
  int exponent = 0;
  for (uint32_t& code : codes) {
    if (random() % 24 == 0) exponent = exponents(random);
    code = RandomCode(format, exponent, random);
    const uint64_t special = random() % 1024;
    if (special == 0) code = infinity | (code & SignMask(format));
    if (special == 1) code = (infinity + 1) | (code & SignMask(format));
    if (special == 2) code = NanCode(format) | (code & SignMask(format));
  }
  return SourceOfCodes(format, rows, cols, codes);
}

QuantizedMatrix ReferenceOf(const SourceMatrix& source, int64_t padded_rows,
                            int64_t padded_cols, GroupAxis axis,
                            ElementFormat format, ScaleRule rule) {
  std::vector<float> padded(padded_rows * padded_cols, 0.0f);
  for (int64_t row = 0; row < source.rows; ++row) {
    for (int64_t col = 0; col < source.cols; ++col) {
      padded[row * padded_cols + col] = source.values[row * source.cols + col];
    }
  }
  return Quantize(padded, padded_rows, padded_cols, axis, format, rule).value();
}

Quantized Placed(const QuantizedMatrix& matrix, const QuantizedLayout& layout) {
  const int bits = BitWidth(matrix.format);
  const int64_t rows = matrix.rows;
  const int64_t cols = matrix.cols;
  Quantized placed;
  placed.data.resize(layout.data_size_bytes());
  const auto place = [&](const auto& data_layout) {
    MX_CHECK(data_layout.size_bytes() == layout.data_size_bytes());
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t col = 0; col < cols; ++col) {
        const int64_t bit = data_layout.Offset(row, col) * bits;
        placed.data[bit / 8] |= matrix.codes[row * cols + col] << bit % 8;
      }
    }
  };
  if (layout.form().data_order == DataOrder::kND) {
    place(NdLayout::Create(rows, cols, bits).value());
  } else {
    place(NzLayout::Create(NzOrder::kNZ, rows, cols, bits).value());
  }
  const ScaleOrder order = layout.form().scale_order;
  const bool axis0 = matrix.axis == GroupAxis::kAxis0;
  // The reference's matrix has the groups as rows along axis 0.
  const bool turned = GroupsAreRows(order) != axis0;
  const ScaleLayout scales =
      ScaleLayout::Create(order, turned ? matrix.scale_cols : matrix.scale_rows,
                          turned ? matrix.scale_rows : matrix.scale_cols)
          .value();
  MX_CHECK(scales.size_bytes() == layout.scale_size_bytes());
  placed.scales.resize(scales.size_bytes());
  for (int64_t row = 0; row < matrix.scale_rows; ++row) {
    for (int64_t col = 0; col < matrix.scale_cols; ++col) {
      placed
          .scales[turned ? scales.Offset(col, row) : scales.Offset(row, col)] =
          matrix.scales[row * matrix.scale_cols + col];
    }
  }
  return placed;
}

}  // namespace mxtile::host
