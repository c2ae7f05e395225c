#include "kernels/a5/move.h"

#include <cstdint>

#include "a5_model/cube/load_2d.h"
#include "a5_model/cube/load_bias.h"
#include "a5_model/cube/load_mx.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr absl::string_view kOp = "TMOV";

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

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

absl::Status CheckByteElements(const Tile& source, const Tile& destination) {
  if (ElementBytes(source.format) == 1) return absl::OkStatus();
  return Misfit(source, destination, "the elements are not bytes");
}

// Lines are the rows of A or the columns of B, which both sides keep in NZ
// order along K. Headers: mStep = lines / 16, kStep = K bytes / 32, strides in
// fractals; the destination's pitch is the rounded valid extent.
absl::Status CopyFractals(Machine& machine, const Tile& source,
                          const Tile& destination, int64_t lines,
                          int64_t source_lines, int64_t depth) {
  const CubeInfo& cube = machine.soc().cube;
  const int64_t blocks = CeilDiv(lines, cube.fractal_rows);
  Load2dParams params;
  params.source = source.address;
  params.destination = destination.address;
  params.m_step = blocks;
  params.k_step = CeilDiv(depth, cube.fractal_row_bytes);
  params.src_stride = source_lines / cube.fractal_rows;
  params.dst_stride = blocks;
  return Load2d(machine, destination.space, params);
}

// An NZ [K, N] becomes ZN. Headers: one transposing load per 32 rows of K
// (mStep = 2), its destination 16 * ceil(N / 16) * 32 bytes after the previous
// one's. When N leaves the last square half empty (N % 32 in 1..16), each load
// spills one fractal into the place of the next, which then overwrites it: the
// loads have to go in this order, and the last one spills past the matrix.
absl::Status TransposeFractals(Machine& machine, const Tile& source,
                               const Tile& destination) {
  const CubeInfo& cube = machine.soc().cube;
  const int64_t side = cube.fractal_row_bytes;
  const int64_t blocks = CeilDiv(destination.valid_cols, cube.fractal_rows);
  const int64_t squares = CeilDiv(destination.valid_cols, side);
  if (squares * side > destination.cols) {
    return Misfit(source, destination,
                  "a transposing load writes 32 columns at a time: the "
                  "destination has too few");
  }
  if (source.rows % side != 0) {
    return Misfit(source, destination,
                  "a transposing load reads 32 rows at a time: the source has "
                  "no multiple of 32");
  }
  for (int64_t i = 0; i < CeilDiv(destination.valid_rows, side); ++i) {
    Load2dParams params;
    params.source = source.address;
    params.destination = destination.address + i * blocks * cube.fractal_bytes;
    params.m_start = 2 * i;
    params.m_step = 2;
    params.k_step = squares;
    params.src_stride = source.rows / cube.fractal_rows;
    params.dst_stride = blocks;
    params.transpose = true;
    MX_RETURN_IF_ERROR(Load2d(machine, destination.space, params));
  }
  return absl::OkStatus();
}

// Headers: xStep = lines / 16, yStep = groups / 2, strides in boxes: half the
// groups of the tile in Mat, half the valid groups in L0.
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
  params.x_step = CeilDiv(lines, machine.soc().cube.fractal_rows);
  params.y_step = groups / 2;
  params.src_stride = source_groups / 2;
  params.dst_stride = groups / 2;
  params.fill_id = destination.id;
  return LoadMx(machine, destination.space, params);
}

}  // namespace

absl::Status TMovToLeft(Machine& machine, const Tile& source,
                        const Tile& destination) {
  MX_RETURN_IF_ERROR(CheckPair(source, TileLayout::kNz, destination,
                               MemorySpace::kLeft, TileLayout::kNz));
  MX_RETURN_IF_ERROR(CheckByteElements(source, destination));
  return CopyFractals(machine, source, destination, source.valid_rows,
                      source.rows, source.valid_cols);
}

absl::Status TMovToRight(Machine& machine, const Tile& source,
                         const Tile& destination) {
  const bool transposed = source.layout == TileLayout::kZn;
  MX_RETURN_IF_ERROR(
      CheckPair(source, transposed ? TileLayout::kZn : TileLayout::kNz,
                destination, MemorySpace::kRight, TileLayout::kZn));
  MX_RETURN_IF_ERROR(CheckByteElements(source, destination));
  if (!transposed) return TransposeFractals(machine, source, destination);
  return CopyFractals(machine, source, destination, source.valid_cols,
                      source.cols, source.valid_rows);
}

absl::Status TMovToLeftScale(Machine& machine, const Tile& source,
                             const Tile& destination) {
  MX_RETURN_IF_ERROR(CheckPair(source, TileLayout::kZz, destination,
                               MemorySpace::kLeftScale, TileLayout::kZz));
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
