#include "kernels/group_tile.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "layouts/index_map.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

struct Requirement {
  absl::string_view form;
  GroupShape valid;
};

absl::Status CheckTile(absl::string_view name, const TileType& tile,
                       const Requirement& required) {
  if (tile.layout == TileLayout::kNd &&
      tile.valid_rows == required.valid.rows &&
      tile.valid_cols == required.valid.cols) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("tile '", name, "', ", ToString(tile), ": ", required.form,
                   " is row-major with the valid region [", required.valid.rows,
                   ", ", required.valid.cols, "] (MX-GROUP-1)"));
}

absl::Status CheckAxis(absl::string_view name, absl::string_view form,
                       GroupAxis axis, GroupAxis required) {
  if (axis == required) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("tile '", name, "': ", form, " is for groups along axis ",
                   static_cast<int>(required), ", but they lie along axis ",
                   static_cast<int>(axis), "; use a 2-D tile (MX-GROUP-2)"));
}

absl::StatusOr<IndexMap> FlatMap(absl::string_view name, const TileType& tile,
                                 GroupAxis axis, const TileType& source) {
  constexpr absl::string_view kForm = "a flat tile of groups";
  MX_RETURN_IF_ERROR(CheckAxis(name, kForm, axis, GroupAxis::kAxis1));
  const GroupShape shape = ShapeOfFlatGroups(source);
  MX_RETURN_IF_ERROR(
      CheckTile(name, tile, {kForm, {1, shape.rows * shape.cols}}));
  return IndexMap(shape.rows, shape.cols, {{shape.rows, shape.cols}},
                  {{shape.cols, 1}});
}

absl::StatusOr<IndexMap> InterleavedMap(absl::string_view name,
                                        const TileType& tile, GroupAxis axis,
                                        const TileType& source) {
  constexpr absl::string_view kForm = "an interleaved tile of groups";
  constexpr int64_t kPairRows = 2 * kScaleGroupSize;
  MX_RETURN_IF_ERROR(CheckAxis(name, kForm, axis, GroupAxis::kAxis0));
  if (source.rows % kPairRows != 0 || source.valid_rows % kPairRows != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tile '", name, "': ", kForm, " pairs groups of rows, but the source ",
        ToString(source),
        " has rows that are no multiple of 64; pad it with zero rows "
        "(MX-GROUP-3)"));
  }
  const GroupShape shape = ShapeOfGroups(axis, source);
  MX_RETURN_IF_ERROR(
      CheckTile(name, tile, {kForm, {shape.rows / 2, 2 * shape.cols}}));
  const int64_t pitch = tile.pitch == 0 ? tile.cols : tile.pitch;
  MX_ASSIGN_OR_RETURN(
      const ScaleLayout layout,
      ScaleLayout::Create(ScaleOrder::kMxBND, shape.rows, shape.cols, pitch));
  return layout.map();
}

struct GetTile {
  template <typename View>
  const View& operator()(const View& view) const {
    return view;
  }
  template <typename View>
  const View& operator()(const BasicFlatGroupTile<View>& flat) const {
    return flat.tile;
  }
  template <typename View>
  const View& operator()(const BasicInterleavedGroupTile<View>& pairs) const {
    return pairs.tile;
  }
};

}  // namespace

const TileView& TileOf(const GroupTile& groups) {
  return std::visit(GetTile(), groups);
}

const ConstTileView& TileOf(const ConstGroupTile& groups) {
  return std::visit(GetTile(), groups);
}

GroupShape ShapeOfGroups(GroupAxis axis, const TileType& source) {
  if (axis == GroupAxis::kAxis1) {
    return {source.valid_rows, CeilDivide(source.valid_cols, kScaleGroupSize)};
  }
  return {CeilDivide(source.valid_rows, kScaleGroupSize), source.valid_cols};
}

GroupShape ShapeOfFlatGroups(const TileType& source) {
  return {source.valid_rows, source.cols / kScaleGroupSize};
}

absl::StatusOr<IndexMap> CreateGroupMap(absl::string_view name,
                                        const TileType& tile, GroupForm form,
                                        GroupAxis axis,
                                        const TileType& source) {
  MX_ASSIGN_OR_RETURN(const IndexMap map, TileMap(tile));
  switch (form) {
    case GroupForm::k2d: {
      const GroupShape shape = ShapeOfGroups(axis, source);
      MX_RETURN_IF_ERROR(CheckTile(name, tile, {"a tile of groups", shape}));
      return IndexMap(shape.rows, shape.cols, map.row_digits(),
                      map.col_digits());
    }
    case GroupForm::kFlat:
      return FlatMap(name, tile, axis, source);
    case GroupForm::kInterleaved:
      return InterleavedMap(name, tile, axis, source);
  }
  return absl::InternalError("a form of groups without a map");
}

absl::StatusOr<ElementWriter> CreateGroupWriter(absl::string_view name,
                                                const GroupTile& groups,
                                                GroupAxis axis,
                                                const TileType& source) {
  const TileView& tile = TileOf(groups);
  MX_ASSIGN_OR_RETURN(
      IndexMap map,
      CreateGroupMap(name, tile.type, static_cast<GroupForm>(groups.index()),
                     axis, source));
  return ElementWriter::Create(name, tile.type.format, std::move(map),
                               tile.bytes);
}

absl::StatusOr<ElementReader> CreateGroupReader(absl::string_view name,
                                                const ConstGroupTile& groups,
                                                GroupAxis axis,
                                                const TileType& source) {
  const ConstTileView& tile = TileOf(groups);
  MX_ASSIGN_OR_RETURN(
      IndexMap map,
      CreateGroupMap(name, tile.type, static_cast<GroupForm>(groups.index()),
                     axis, source));
  return ElementReader::Create(name, tile.type.format, std::move(map),
                               tile.bytes);
}

}  // namespace mxtile
