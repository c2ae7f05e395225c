#include "exec/model/vec_ops.h"

#include <cstdint>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "a5_model/ub_copy.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/rule_error.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"
#include "kernels/a5/tmov_vector.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::exec {
namespace {

using a5::GmTensor;
using a5::GmWindow;
using a5::Machine;
using a5::MemorySpace;
using a5::Tile;
using a5::TileLayout;

absl::Status Misfit(absl::string_view op, absl::string_view what) {
  return ir::RuleError("MX-MODEL-4", absl::StrCat(op, ": ", what));
}

// ---- GM

// The window and the valid region are one matrix of adjacent columns.
absl::Status CheckRows(absl::string_view op, const Tile& tile,
                       const GmTensor& tensor, const GmWindow& window) {
  const std::vector<int64_t> valid = {tile.valid_rows, tile.valid_cols};
  if (window.sizes == valid && tensor.strides.back() == 1 &&
      tensor.format == tile.format) {
    return absl::OkStatus();
  }
  return Misfit(op,
                absl::StrCat(ToString(tile), " and ", ToString(tensor, window),
                             ": they have one format, the window is the "
                             "valid region, and columns are adjacent"));
}

// ---- Layouts

// The tile as bands of adjacent bytes: its rows, or strips of fractals or
// boxes.
struct Bands {
  int64_t count;
  int64_t bytes;
};

Bands BandsOf(const Tile& tile) {
  const a5::CubeInfo& cube = a5::Ascend950().cube;
  int64_t count = tile.rows;
  switch (tile.layout) {
    case TileLayout::kNd:
      break;
    case TileLayout::kNz:
      count = tile.cols / a5::FractalColumns(tile.format);
      break;
    case TileLayout::kZn:
      count = tile.rows / a5::FractalColumns(tile.format);
      break;
    case TileLayout::kZz:
      count = tile.rows / cube.fractal_rows;
      break;
    case TileLayout::kNn:
      count = tile.cols / cube.fractal_rows;
      break;
  }
  return {count, TileBytes(tile) / count};
}

// ---- The vector unit

a5::UbTile InUb(const Tile& tile) {
  return {{tile.format, tile.rows, tile.cols, tile.valid_rows, tile.valid_cols,
           tile.layout},
          tile.address};
}

bool IsWhole(const Tile& tile) {
  return tile.valid_rows == tile.rows && tile.valid_cols == tile.cols;
}

// A dense tile under another shape of as many elements.
Tile Reshaped(const Tile& tile, int64_t rows, int64_t cols) {
  Tile result = tile;
  result.rows = result.valid_rows = rows;
  result.cols = result.valid_cols = cols;
  return result;
}

// Along axis 1 flat where that is the same bytes.
a5::UbGroupTile Groups(const Tile& tile, GroupAxis axis) {
  if (axis == GroupAxis::kAxis0) return {InUb(tile), GroupForm::k2d};
  if (tile.rows == 1) return {InUb(tile), GroupForm::kFlat};
  if (!IsWhole(tile)) return {InUb(tile), GroupForm::k2d};
  return {InUb(Reshaped(tile, 1, tile.rows * tile.cols)), GroupForm::kFlat};
}

void Declare(a5::VectorUnit& unit, absl::string_view name, const Tile& tile) {
  unit.DeclareBuffer(name, tile.address, TileBytes(tile));
}

// The function's status, or what ending it says.
absl::Status Finished(a5::VectorUnit& unit, const absl::Status& status) {
  const absl::Status finished = unit.Finish();
  return status.ok() ? finished : status;
}

}  // namespace

absl::Status LoadToVec(Machine& machine, const GmTensor& source,
                       const GmWindow& window, const Tile& tile) {
  constexpr absl::string_view kOp = "TLOAD";
  MX_RETURN_IF_ERROR(
      CheckTile(kOp, "destination", tile, MemorySpace::kVec, TileLayout::kNd));
  MX_ASSIGN_OR_RETURN(const uint64_t address,
                      WindowAddress(kOp, source, window));
  MX_RETURN_IF_ERROR(CheckRows(kOp, tile, source, window));
  const auto bytes = [&](int64_t elements) {
    return a5::ElementBytes(tile.format, elements);
  };
  return CopyGmToUb(machine, {address, tile.address, tile.valid_rows,
                              bytes(tile.valid_cols), bytes(source.strides[0]),
                              tile.valid_rows == 1 ? 0 : bytes(tile.cols)});
}

absl::Status StoreFromVec(Machine& machine, const Tile& tile,
                          const GmTensor& destination, const GmWindow& window) {
  constexpr absl::string_view kOp = "TSTORE";
  MX_RETURN_IF_ERROR(
      CheckTile(kOp, "source", tile, MemorySpace::kVec, TileLayout::kNd));
  MX_ASSIGN_OR_RETURN(const uint64_t address,
                      WindowAddress(kOp, destination, window));
  MX_RETURN_IF_ERROR(CheckRows(kOp, tile, destination, window));
  const auto bytes = [&](int64_t elements) {
    return a5::ElementBytes(tile.format, elements);
  };
  return CopyUbToGm(
      machine, {tile.address, address, tile.valid_rows, bytes(tile.valid_cols),
                tile.valid_rows == 1 ? 0 : bytes(tile.cols),
                bytes(destination.strides[0])});
}

absl::Status MoveVecToMat(Machine& machine, const Tile& source,
                          const Tile& destination) {
  constexpr absl::string_view kOp = "TMOV";
  MX_RETURN_IF_ERROR(
      CheckTile(kOp, "source", source, MemorySpace::kVec, source.layout));
  MX_RETURN_IF_ERROR(CheckTile(kOp, "destination", destination,
                               MemorySpace::kMat, destination.layout));
  if (source.layout != destination.layout ||
      source.format != destination.format || source.rows != destination.rows ||
      source.cols != destination.cols) {
    return Misfit(kOp, absl::StrCat("from ", ToString(source), " to ",
                                    ToString(destination),
                                    ": the copy changes neither layout nor "
                                    "format nor shape; move to the layout in "
                                    "Vec first"));
  }
  const Bands bands = BandsOf(source);
  const int64_t stride = bands.count == 1 ? 0 : bands.bytes;
  return CopyUbToMat(machine, {source.address, destination.address, bands.count,
                               bands.bytes, stride, stride});
}

absl::Status MoveInVec(Machine& machine, const Tile& source,
                       const Tile& destination) {
  a5::VectorUnit unit(machine);
  Declare(unit, "src", source);
  Declare(unit, "dst", destination);
  const bool to_zn = destination.layout == TileLayout::kZn;
  return Finished(unit,
                  to_zn ? TMovNdToZn(unit, InUb(destination), InUb(source))
                        : TMovNdToNz(unit, InUb(destination), InUb(source)));
}

absl::Status QuantizeInVec(Machine& machine, GroupAxis axis,
                           const QuantTiles& tiles) {
  a5::VectorUnit unit(machine);
  Declare(unit, "dst", tiles.codes);
  Declare(unit, "src", tiles.source);
  Declare(unit, "exp", tiles.exponents);
  Declare(unit, "max", tiles.max);
  Declare(unit, "scaling", tiles.scaling);
  return Finished(
      unit, TQuant(unit, {axis, ScaleRule::kOcp, ElementFormat::kF8E4M3FN},
                   {InUb(tiles.codes), InUb(tiles.source),
                    Groups(tiles.exponents, axis), Groups(tiles.max, axis),
                    Groups(tiles.scaling, axis)}));
}

absl::Status BoxInVec(Machine& machine, GroupAxis axis, const Tile& source,
                      const Tile& tmp, const Tile& destination) {
  a5::VectorUnit unit(machine);
  Declare(unit, "src", source);
  Declare(unit, "dst", destination);
  if (axis == GroupAxis::kAxis0) {
    return Finished(unit, TMovDnToZz(unit, InUb(destination), InUb(source)));
  }
  Declare(unit, "tmp", tmp);
  const bool is_flat =
      source.rows == 1 && IsWhole(source) && destination.valid_rows > 1;
  const Tile matrix =
      is_flat ? Reshaped(source, destination.valid_rows, destination.valid_cols)
              : source;
  return Finished(unit,
                  TMovNdToZz(unit, InUb(destination), InUb(matrix), InUb(tmp)));
}

}  // namespace mxtile::exec
