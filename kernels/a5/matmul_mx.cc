#include "kernels/a5/matmul_mx.h"

#include <cstdint>
#include <string>

#include "a5_model/cube/mmad_mx.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

absl::Status Misfit(absl::string_view op, absl::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat(op, ": ", message, " (A5-TILE-3)"));
}

absl::Status CheckTiles(absl::string_view op, const Tile& acc,
                        const MatmulMxOperands& operands, bool gemv) {
  MX_RETURN_IF_ERROR(CheckTile(op, "left", operands.left, MemorySpace::kLeft,
                               gemv ? TileLayout::kNd : TileLayout::kNz));
  MX_RETURN_IF_ERROR(CheckTile(op, "left scale", operands.left_scale,
                               MemorySpace::kLeftScale,
                               gemv ? TileLayout::kNd : TileLayout::kZz));
  MX_RETURN_IF_ERROR(CheckTile(op, "right", operands.right, MemorySpace::kRight,
                               TileLayout::kZn));
  MX_RETURN_IF_ERROR(CheckTile(op, "right scale", operands.right_scale,
                               MemorySpace::kRightScale, TileLayout::kNn));
  MX_RETURN_IF_ERROR(
      CheckTile(op, "accumulator", acc, MemorySpace::kAcc, TileLayout::kNz));
  if (acc.format != ElementFormat::kF32) {
    return Misfit(
        op, absl::StrCat("accumulator ", ToString(acc), " has to be f32"));
  }
  return absl::OkStatus();
}

absl::Status CheckShapes(absl::string_view op, const Tile& acc,
                         const MatmulMxOperands& operands) {
  const Tile& left = operands.left;
  const Tile& right = operands.right;
  if (left.valid_cols != right.valid_rows) {
    return Misfit(op, absl::StrFormat("K differs: left %s, right %s",
                                      ToString(left), ToString(right)));
  }
  if (acc.valid_rows != left.valid_rows || acc.valid_cols != right.valid_cols) {
    return Misfit(
        op, absl::StrFormat("accumulator %s is not [%d, %d]", ToString(acc),
                            left.valid_rows, right.valid_cols));
  }
  return absl::OkStatus();
}

// One side of the matmul: `lines` rows of A or columns of B.
struct Side {
  const Tile& data;
  const Tile& scale;
  int64_t lines;
  int64_t scale_lines;
  int64_t scale_groups;
};

// Bytes of the scales: whole boxes of 16 lines, or the one row of a gemv.
int64_t ScaleBytes(const Soc& soc, const Side& side) {
  if (side.scale.layout == TileLayout::kNd) return side.scale_groups;
  const int64_t boxes =
      CeilDivide(side.lines, soc.cube.fractal_rows) * (side.scale_groups / 2);
  return boxes * soc.cube.scale_box_bytes;
}

absl::Status CheckScaleShape(absl::string_view op, const Soc& soc,
                             const Side& side, int64_t k) {
  const int64_t rows = soc.cube.fractal_rows;
  if (side.scale_groups * soc.cube.scale_group == k &&
      side.scale_lines >= side.lines &&
      CeilDivide(side.scale_lines, rows) == CeilDivide(side.lines, rows)) {
    return absl::OkStatus();
  }
  return Misfit(op, absl::StrFormat("scale tile %s does not fit data tile %s",
                                    ToString(side.scale), ToString(side.data)));
}

absl::Status CheckScaleFill(absl::string_view op, const Machine& machine,
                            const Side& side) {
  const Soc& soc = machine.soc();
  const uint64_t expected = side.data.address >> soc.scale_address_shift;
  if (side.scale.address != expected) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: scale tile %s is not at 0x%x, the address of its data tile %s >> "
        "%d (A5-SCALE-1)",
        op, ToString(side.scale), expected, ToString(side.data),
        soc.scale_address_shift));
  }
  const absl::StatusOr<ScaleFill> fill =
      machine.FindScaleFill(side.scale.space, expected, ScaleBytes(soc, side));
  if (!fill.ok()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: scale tile %s is not filled: %s (A5-SCALE-2)", op,
                        ToString(side.scale), fill.status().message()));
  }
  if (fill->fill_id != side.scale.id || fill->address != expected) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: the bytes of scale tile %s belong to a fill of tile %d at 0x%x "
        "(instruction %d) (A5-SCALE-2)",
        op, ToString(side.scale), fill->fill_id, fill->address,
        fill->instruction));
  }
  return absl::OkStatus();
}

// How one of the forms of the operation starts its sums.
struct Start {
  absl::string_view suffix;
  AccumulatorInit init;
  uint64_t bias = 0;
};

absl::Status Matmul(Machine& machine, const Tile& acc,
                    const MatmulMxOperands& operands, const MatmulMxMode& mode,
                    const Start& start) {
  const std::string op =
      absl::StrCat(mode.gemv ? "TGEMV_MX" : "TMATMUL_MX", start.suffix);
  MX_RETURN_IF_ERROR(CheckTiles(op, acc, operands, mode.gemv));
  MX_RETURN_IF_ERROR(CheckShapes(op, acc, operands));
  const Side left = {operands.left, operands.left_scale, acc.valid_rows,
                     operands.left_scale.valid_rows,
                     operands.left_scale.valid_cols};
  const Side right = {operands.right, operands.right_scale, acc.valid_cols,
                      operands.right_scale.valid_cols,
                      operands.right_scale.valid_rows};
  const int64_t k = operands.left.valid_cols;
  for (const Side& side : {left, right}) {
    MX_RETURN_IF_ERROR(CheckScaleShape(op, machine.soc(), side, k));
    MX_RETURN_IF_ERROR(CheckScaleFill(op, machine, side));
  }
  MmadMxParams params;
  params.acc = acc.address;
  params.left = operands.left.address;
  params.right = operands.right.address;
  params.m = acc.valid_rows;
  params.k = k;
  params.n = acc.valid_cols;
  params.left_format = operands.left.format;
  params.right_format = operands.right.format;
  params.init = start.init;
  params.bias = start.bias;
  params.gemv = mode.gemv;
  params.saturate = mode.saturate;
  return MmadMx(machine, params);
}

}  // namespace

absl::Status TMatmulMx(Machine& machine, const Tile& acc,
                       const MatmulMxOperands& operands,
                       const MatmulMxMode& mode) {
  return Matmul(machine, acc, operands, mode, {"", AccumulatorInit::kZero});
}

absl::Status TMatmulMxAcc(Machine& machine, const Tile& acc,
                          const MatmulMxOperands& operands,
                          const MatmulMxMode& mode) {
  return Matmul(machine, acc, operands, mode,
                {"_ACC", AccumulatorInit::kAccumulate});
}

absl::Status TMatmulMxBias(Machine& machine, const Tile& acc,
                           const MatmulMxOperands& operands, const Tile& bias,
                           const MatmulMxMode& mode) {
  const absl::string_view op = mode.gemv ? "TGEMV_MX_BIAS" : "TMATMUL_MX_BIAS";
  MX_RETURN_IF_ERROR(
      CheckTile(op, "bias", bias, MemorySpace::kBias, TileLayout::kNd));
  if (bias.format != ElementFormat::kF32 || bias.valid_rows != 1 ||
      bias.valid_cols != acc.valid_cols) {
    return Misfit(op, absl::StrFormat("bias %s is not f32 [1, %d]",
                                      ToString(bias), acc.valid_cols));
  }
  return Matmul(machine, acc, operands, mode,
                {"_BIAS", AccumulatorInit::kBias, bias.address});
}

}  // namespace a5
}  // namespace mxtile
