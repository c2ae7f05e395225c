#include "kernels/a5/move.h"

#include <cstdint>

#include "a5_model/cube/load_2d.h"
#include "a5_model/cube/load_bias.h"
#include "a5_model/cube/load_mx.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
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

constexpr absl::string_view kOp = "TMOV";

absl::Status Misfit(const Tile& source, const Tile& destination,
                    absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(kOp, ": ", ToString(source),
                                                 " to ", ToString(destination),
                                                 ": ", why, " (A5-TILE-3)"));
}

absl::Status CheckPair(const Tile& source, TileLayout source_layout,
                       const Tile& destination, MemorySpace space,
                       TileLayout layout) {
  MX_RETURN_IF_ERROR(
      CheckTile(kOp, "source", source, MemorySpace::kMat, source_layout));
  MX_RETURN_IF_ERROR(CheckTile(kOp, "destination", destination, space, layout));
  if (source.valid_rows != destination.valid_rows ||
      source.valid_cols != destination.valid_cols) {
    return Misfit(source, destination, "the valid regions differ");
  }
  if (source.format != destination.format) {
    return Misfit(source, destination, "the formats differ");
  }
  return absl::OkStatus();
}

absl::Status CheckOperand(const Tile& source, const Tile& destination) {
  const int bits = BitWidth(source.format);
  if (bits == 8 || bits == 4) return absl::OkStatus();
  return Misfit(source, destination, "the elements have neither 8 nor 4 bits");
}

// Lines are the rows of A or the columns of B, depth is K; both are in
// elements. "Valid" is the region to move, the rest the shapes of the tiles.
struct Extents {
  int64_t valid_lines;
  int64_t valid_depth;
  int64_t source_lines;
  int64_t source_depth;
  int64_t destination_lines;
};

// The extents of A, or of B with rows and columns exchanged.
Extents ExtentsOf(const Tile& source, const Tile& destination) {
  if (destination.space == MemorySpace::kLeft) {
    return {source.valid_rows, source.valid_cols, source.rows, source.cols,
            destination.rows};
  }
  return {source.valid_cols, source.valid_rows, source.cols, source.rows,
          destination.cols};
}

Load2dParams ParamsOf(const Tile& source, const Tile& destination) {
  Load2dParams params;
  params.source = source.address;
  params.destination = destination.address;
  params.element = BitWidth(source.format) == 4 ? Load2dElement::k4Bit
                                                : Load2dElement::k8Bit;
  return params;
}

// Both sides keep lines in NZ order along K. Headers: mStep = lines / 16, kStep
// = K bytes / 32, strides in fractals; the destination's pitch is the rounded
// valid extent.
absl::Status CopyFractals(Machine& machine, const Tile& source,
                          const Tile& destination) {
  const CubeInfo& cube = machine.soc().cube;
  const Extents extents = ExtentsOf(source, destination);
  const int64_t blocks = CeilDivide(extents.valid_lines, cube.fractal_rows);
  Load2dParams params = ParamsOf(source, destination);
  params.m_step = blocks;
  params.k_step =
      CeilDivide(extents.valid_depth, FractalColumns(source.format));
  params.src_stride = extents.source_lines / cube.fractal_rows;
  params.dst_stride = blocks;
  return Load2d(machine, destination.space, params);
}

// The source is the NZ of [K, lines]. Headers: one transposing load per row of
// squares, 32 of K (64 for 4-bit elements), its destination 16 * ceil(lines /
// 16) * 32 bytes after the previous one's. When the lines leave fractals of the
// last square empty, each load spills those into the place of the next, which
// then overwrites them: the loads have to go in this order, and the last one
// spills past the matrix.
absl::Status TransposeFractals(Machine& machine, const Tile& source,
                               const Tile& destination) {
  const CubeInfo& cube = machine.soc().cube;
  const Extents extents = ExtentsOf(source, destination);
  const int64_t side = FractalColumns(source.format);
  const int64_t blocks = CeilDivide(extents.valid_lines, cube.fractal_rows);
  const int64_t squares = CeilDivide(extents.valid_lines, side);
  const bool left = destination.space == MemorySpace::kLeft;
  if (squares * side > extents.destination_lines) {
    return Misfit(
        source, destination,
        absl::StrFormat("a transposing load writes %d %s at a time: the "
                        "destination has too few",
                        side, left ? "rows" : "columns"));
  }
  if (extents.source_depth % side != 0) {
    return Misfit(source, destination,
                  absl::StrFormat("a transposing load reads %d of K at a time: "
                                  "the source has no multiple of that",
                                  side));
  }
  const int64_t square_fractals = side / cube.fractal_rows;
  for (int64_t i = 0; i < CeilDivide(extents.valid_depth, side); ++i) {
    Load2dParams params = ParamsOf(source, destination);
    params.destination += i * blocks * cube.fractal_bytes;
    params.m_start = square_fractals * i;
    params.m_step = square_fractals;
    params.k_step = squares;
    params.src_stride = extents.source_depth / cube.fractal_rows;
    params.dst_stride = blocks;
    params.transpose = true;
    MX_RETURN_IF_ERROR(Load2d(machine, destination.space, params));
  }
  return absl::OkStatus();
}

// The A of a gemv, one row without padding. Headers: whole fractals of 512
// bytes, mStep = 1 and both strides 1.
absl::Status CopyVector(Machine& machine, const Tile& source,
                        const Tile& destination) {
  const CubeInfo& cube = machine.soc().cube;
  if (source.rows != 1 || destination.rows != 1) {
    return Misfit(source, destination, "the A of a gemv is one row");
  }
  Load2dParams params = ParamsOf(source, destination);
  params.m_step = 1;
  params.k_step = CeilDivide(ElementBytes(source.format, source.valid_cols),
                             cube.fractal_bytes);
  params.src_stride = params.dst_stride = 1;
  return Load2d(machine, destination.space, params);
}

// Headers: xStep = lines / 16, yStep = groups / 2, strides in boxes: half the
// groups of the tile in Mat, half the valid groups in L0. A single row (gemv)
// is not in boxes of 16: xStep = 1, yStep = groups / 32.
absl::Status FillScales(Machine& machine, const Tile& source,
                        const Tile& destination, int64_t lines, int64_t groups,
                        int64_t source_groups) {
  if (source.format != ElementFormat::kF8E8M0FNU) {
    return Misfit(source, destination, "scales are f8E8M0FNU");
  }
  if (groups % 2 != 0) {
    return Misfit(source, destination,
                  "LOAD_MX moves pairs of groups: pad to an even number");
  }
  LoadMxParams params;
  params.source = source.address;
  params.destination = destination.address;
  params.x_step = CeilDivide(lines, machine.soc().cube.fractal_rows);
  params.y_step = groups / 2;
  params.src_stride = source_groups / 2;
  params.dst_stride = groups / 2;
  params.fill_id = destination.id;
  if (source.layout == TileLayout::kNd) {
    params.y_step = params.src_stride = params.dst_stride =
        CeilDivide(groups, machine.soc().cube.scale_box_bytes);
  }
  return LoadMx(machine, destination.space, params);
}

// Data is in Mat as one of two layouts.
TileLayout DataLayout(const Tile& source) {
  return source.layout == TileLayout::kZn ? TileLayout::kZn : TileLayout::kNz;
}

}  // namespace

absl::Status TMovToLeft(Machine& machine, const Tile& source,
                        const Tile& destination) {
  const bool vector = source.layout == TileLayout::kNd;
  const TileLayout layout = vector ? TileLayout::kNd : DataLayout(source);
  MX_RETURN_IF_ERROR(CheckPair(source, layout, destination, MemorySpace::kLeft,
                               vector ? TileLayout::kNd : TileLayout::kNz));
  MX_RETURN_IF_ERROR(CheckOperand(source, destination));
  if (vector) return CopyVector(machine, source, destination);
  return layout == TileLayout::kNz
             ? CopyFractals(machine, source, destination)
             : TransposeFractals(machine, source, destination);
}

absl::Status TMovToRight(Machine& machine, const Tile& source,
                         const Tile& destination) {
  const TileLayout layout = DataLayout(source);
  MX_RETURN_IF_ERROR(CheckPair(source, layout, destination, MemorySpace::kRight,
                               TileLayout::kZn));
  MX_RETURN_IF_ERROR(CheckOperand(source, destination));
  return layout == TileLayout::kZn
             ? CopyFractals(machine, source, destination)
             : TransposeFractals(machine, source, destination);
}

absl::Status TMovToLeftScale(Machine& machine, const Tile& source,
                             const Tile& destination) {
  const bool vector = source.layout == TileLayout::kNd;
  const TileLayout layout = vector ? TileLayout::kNd : TileLayout::kZz;
  MX_RETURN_IF_ERROR(
      CheckPair(source, layout, destination, MemorySpace::kLeftScale, layout));
  if (vector && (source.rows != 1 || destination.rows != 1)) {
    return Misfit(source, destination, "the scales of a gemv's A are one row");
  }
  return FillScales(machine, source, destination, source.valid_rows,
                    source.valid_cols, source.cols);
}

absl::Status TMovToRightScale(Machine& machine, const Tile& source,
                              const Tile& destination) {
  MX_RETURN_IF_ERROR(CheckPair(source, TileLayout::kNn, destination,
                               MemorySpace::kRightScale, TileLayout::kNn));
  return FillScales(machine, source, destination, source.valid_cols,
                    source.valid_rows, source.rows);
}

absl::Status TMovToBias(Machine& machine, const Tile& source,
                        const Tile& destination) {
  MX_RETURN_IF_ERROR(CheckPair(source, TileLayout::kNd, destination,
                               MemorySpace::kBias, TileLayout::kNd));
  if (source.format != ElementFormat::kF32 || source.valid_rows != 1) {
    return Misfit(source, destination, "a bias is one row of f32");
  }
  return LoadBias(machine,
                  {source.address, destination.address, source.valid_cols});
}

}  // namespace a5
}  // namespace mxtile
