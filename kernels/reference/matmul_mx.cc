#include "kernels/reference/matmul_mx.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

constexpr int64_t kMaxExtent = 4095;
constexpr int64_t kExtentOfK = 2 * kScaleGroupSize;
constexpr uint32_t kNanBits = 0x7FC00000;

struct Extents {
  int64_t m;
  int64_t k;
  int64_t n;
};

absl::Status FormatFault(absl::string_view name, const TileType& type,
                         absl::string_view required) {
  return absl::InvalidArgumentError(
      absl::StrCat("MMAD_MX: the tile '", name, "', ", ToString(type),
                   ", must be ", required, " (KERNEL-MATMUL-1)"));
}

bool IsF8(ElementFormat format) {
  return format == ElementFormat::kF8E4M3FN || format == ElementFormat::kF8E5M2;
}

bool IsF4(ElementFormat format) {
  return format == ElementFormat::kF4E2M1FN || format == ElementFormat::kF4E1M2;
}

absl::Status CheckScaleFormat(absl::string_view name, const TileType& type) {
  if (type.format == ElementFormat::kF8E8M0FNU) return absl::OkStatus();
  return FormatFault(name, type, "f8E8M0FNU");
}

absl::Status CheckFloats(absl::string_view name, const TileType& type) {
  if (type.format == ElementFormat::kF32 && type.layout == TileLayout::kNd) {
    return absl::OkStatus();
  }
  return FormatFault(name, type, "row-major f32");
}

absl::Status CheckFormats(const MatmulMxTiles& tiles) {
  const TileType& a = tiles.a.type;
  const TileType& b = tiles.b.type;
  if (!IsF8(a.format) && !IsF4(a.format)) {
    return FormatFault("a", a, "f8E4M3FN, f8E5M2, f4E2M1FN or f4E1M2");
  }
  if (IsF8(a.format) ? !IsF8(b.format) : !IsF4(b.format)) {
    return FormatFault("b", b,
                       IsF8(a.format)
                           ? "f8E4M3FN or f8E5M2, since 'a' has 8 bits"
                           : "f4E2M1FN or f4E1M2, since 'a' has 4 bits");
  }
  MX_RETURN_IF_ERROR(CheckScaleFormat("a_scale", tiles.a_scale.type));
  MX_RETURN_IF_ERROR(CheckScaleFormat("b_scale", tiles.b_scale.type));
  MX_RETURN_IF_ERROR(CheckFloats("c", tiles.c.type));
  if (tiles.c_in) MX_RETURN_IF_ERROR(CheckFloats("c_in", tiles.c_in->type));
  if (tiles.bias) MX_RETURN_IF_ERROR(CheckFloats("bias", tiles.bias->type));
  return absl::OkStatus();
}

absl::Status CheckShape(absl::string_view name, const TileType& type,
                        int64_t rows, int64_t cols, const Extents& extents) {
  if (type.valid_rows == rows && type.valid_cols == cols) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "MMAD_MX of M = ", extents.m, ", K = ", extents.k, ", N = ", extents.n,
      ": the valid region of the tile '", name, "', ", ToString(type),
      ", must be [", rows, ", ", cols, "] (KERNEL-MATMUL-2)"));
}

absl::Status CheckExtents(const Extents& extents) {
  const auto in_range = [](int64_t extent) {
    return extent >= 1 && extent <= kMaxExtent;
  };
  if (in_range(extents.m) && in_range(extents.k) && in_range(extents.n) &&
      extents.k % kExtentOfK == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("MMAD_MX of M = ", extents.m, ", K = ", extents.k,
                   ", N = ", extents.n, ": each must be in 1 .. ", kMaxExtent,
                   " and K a multiple of ", kExtentOfK,
                   "; pad K with zero data and scales that are not 255 "
                   "(KERNEL-MATMUL-3)"));
}

absl::Status CheckShapes(const MatmulMxTiles& tiles, const Extents& extents) {
  const int64_t groups = extents.k / kScaleGroupSize;
  MX_RETURN_IF_ERROR(CheckExtents(extents));
  MX_RETURN_IF_ERROR(
      CheckShape("b", tiles.b.type, extents.k, extents.n, extents));
  MX_RETURN_IF_ERROR(
      CheckShape("a_scale", tiles.a_scale.type, extents.m, groups, extents));
  MX_RETURN_IF_ERROR(
      CheckShape("b_scale", tiles.b_scale.type, groups, extents.n, extents));
  MX_RETURN_IF_ERROR(
      CheckShape("c", tiles.c.type, extents.m, extents.n, extents));
  if (tiles.c_in) {
    MX_RETURN_IF_ERROR(
        CheckShape("c_in", tiles.c_in->type, extents.m, extents.n, extents));
  }
  if (tiles.bias) {
    MX_RETURN_IF_ERROR(
        CheckShape("bias", tiles.bias->type, 1, extents.n, extents));
  }
  return absl::OkStatus();
}

// `c` is the only tile that is written.
absl::Status CheckSharing(const MatmulMxTiles& tiles) {
  std::vector<NamedTile> inputs = {{"a", tiles.a},
                                   {"a_scale", tiles.a_scale},
                                   {"b", tiles.b},
                                   {"b_scale", tiles.b_scale}};
  const bool in_place = tiles.c_in &&
                        tiles.c_in->bytes.data() == tiles.c.bytes.data() &&
                        tiles.c_in->type == tiles.c.type;
  if (tiles.c_in && !in_place) inputs.push_back({"c_in", *tiles.c_in});
  if (tiles.bias) inputs.push_back({"bias", *tiles.bias});
  for (const NamedTile& input : inputs) {
    MX_RETURN_IF_ERROR(CheckDisjoint("MMAD_MX", {{"c", tiles.c}, input}));
  }
  return absl::OkStatus();
}

absl::Status CheckTiles(const MatmulMxTiles& tiles, const Extents& extents,
                        bool gemv) {
  MX_RETURN_IF_ERROR(CheckFormats(tiles));
  if (gemv && extents.m != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("MMAD_MX in gemv mode: 'a' has ", extents.m,
                     " valid rows; it must have one (KERNEL-MATMUL-5)"));
  }
  if (tiles.c_in && tiles.bias) {
    return absl::InvalidArgumentError(
        "MMAD_MX: both 'c_in' and 'bias' are given; the accumulator starts as "
        "one of them (KERNEL-MATMUL-4)");
  }
  MX_RETURN_IF_ERROR(CheckShapes(tiles, extents));
  return CheckSharing(tiles);
}

double Saturated(double value, double largest) {
  if (std::isnan(value)) return 0;
  return std::isinf(value) ? std::copysign(largest, value) : value;
}

float SaturatedFloat(float value) {
  return static_cast<float>(
      Saturated(value, std::numeric_limits<float>::max()));
}

// What an operand contributes: element times scale, which a double holds
// exactly, row-major over the valid region.
absl::StatusOr<std::vector<double>> ReadOperand(const ConstTileView& data,
                                                const ConstTileView& scale,
                                                GroupAxis axis, bool saturate) {
  MX_ASSIGN_OR_RETURN(const ElementReader elements,
                      ElementReader::Create(data));
  MX_ASSIGN_OR_RETURN(const ElementReader scales, ElementReader::Create(scale));
  const double largest = MaxFinite(data.type.format);
  const bool along_rows = axis == GroupAxis::kAxis1;
  std::vector<double> values;
  values.reserve(data.type.valid_rows * data.type.valid_cols);
  for (int64_t row = 0; row < data.type.valid_rows; ++row) {
    for (int64_t col = 0; col < data.type.valid_cols; ++col) {
      const double factor = along_rows
                                ? scales.Value(row, col / kScaleGroupSize)
                                : scales.Value(row / kScaleGroupSize, col);
      const double element = elements.Value(row, col);
      // Only a scale of 255 makes the saturated product anything but finite.
      values.push_back(saturate
                           ? Saturated(Saturated(element, largest) * factor, 0)
                           : element * factor);
    }
  }
  return values;
}

// C_in, the bias of each column, or zeros; [M, N].
absl::StatusOr<std::vector<float>> ReadStart(const MatmulMxTiles& tiles,
                                             const Extents& extents,
                                             bool saturate) {
  std::vector<float> start(extents.m * extents.n, 0.0f);
  if (!tiles.c_in && !tiles.bias) return start;
  MX_ASSIGN_OR_RETURN(
      const ElementReader reader,
      ElementReader::Create(tiles.c_in ? *tiles.c_in : *tiles.bias));
  for (int64_t m = 0; m < extents.m; ++m) {
    for (int64_t n = 0; n < extents.n; ++n) {
      const float value = reader.Value(tiles.c_in ? m : 0, n);
      start[m * extents.n + n] = saturate ? SaturatedFloat(value) : value;
    }
  }
  return start;
}

}  // namespace

absl::Status MatmulMx(const MatmulMxTiles& tiles,
                      const MatmulMxOptions& options) {
  const Extents extents = {tiles.a.type.valid_rows, tiles.a.type.valid_cols,
                           tiles.b.type.valid_cols};
  MX_RETURN_IF_ERROR(CheckTiles(tiles, extents, options.gemv));
  const bool saturate = options.saturate;
  MX_ASSIGN_OR_RETURN(
      const std::vector<double> a,
      ReadOperand(tiles.a, tiles.a_scale, GroupAxis::kAxis1, saturate));
  MX_ASSIGN_OR_RETURN(
      const std::vector<double> b,
      ReadOperand(tiles.b, tiles.b_scale, GroupAxis::kAxis0, saturate));
  MX_ASSIGN_OR_RETURN(const std::vector<float> start,
                      ReadStart(tiles, extents, saturate));
  MX_ASSIGN_OR_RETURN(const ElementWriter c, ElementWriter::Create(tiles.c));
  const bool start_first = options.order == AccumulateOrder::kStartFirst;
  const bool add_last = !start_first && (tiles.c_in || tiles.bias);
  for (int64_t m = 0; m < extents.m; ++m) {
    for (int64_t n = 0; n < extents.n; ++n) {
      const float from = start[m * extents.n + n];
      float acc = start_first ? from : 0.0f;
      for (int64_t k = 0; k < extents.k; ++k) {
        const double product = a[m * extents.k + k] * b[k * extents.n + n];
        acc = static_cast<float>(static_cast<double>(acc) + product);
        if (saturate) acc = SaturatedFloat(acc);
      }
      if (add_last) acc = acc + from;
      if (saturate) acc = SaturatedFloat(acc);
      c.SetCode(m, n,
                std::isnan(acc) ? kNanBits : absl::bit_cast<uint32_t>(acc));
    }
  }
  return absl::OkStatus();
}

}  // namespace mxtile
