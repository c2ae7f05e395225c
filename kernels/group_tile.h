#ifndef KERNELS_GROUP_TILE_H_
#define KERNELS_GROUP_TILE_H_

// A tile with one value for each group of 32 elements of a source tile: its
// exponents, maxima or scalings. Three forms hold the same values at different
// places, so each is a type of its own:
//
//   TileView               [M, N/32] (axis 1) or [M/32, N] (axis 0), row-major
//                          with the tile's own pitch
//   FlatGroupTile          axis 1 only: one row; group (m, g) is element
//                          m * (columns of the source / 32) + g, where the
//                          columns are the allocated ones
//   InterleavedGroupTile   axis 0 only: rows in pairs, [M/64, 2*N]; group
//                          (h, n) is element (h/2, 2*n + h%2). The rows of the
//                          source, also the valid ones, are a multiple of 64
//
//   std::vector<uint8_t> bytes(4 * 64);
//   const GroupTile exponents =
//       TileView{FullTile(ElementFormat::kF8E8M0FNU, 4, 64),
//                absl::MakeSpan(bytes)};
//   MX_ASSIGN_OR_RETURN(const ElementWriter writer,
//                       CreateGroupWriter("exp", exponents, GroupAxis::kAxis0,
//                                         source_type));
//   writer.SetCode(/*group row=*/1, /*group column=*/5, 127);
//
// Source: PTO-ISA's TQUANT on the A5; the interleaved form is the scale order
// MX_B_ND (layouts/mx/scale_layout.h) in rows of the tile's pitch.

#include <cstdint>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernels/group_axis.h"
#include "kernels/tile_view.h"
#include "layouts/index_map.h"

namespace mxtile {

template <typename View>
struct BasicFlatGroupTile {
  View tile;
};
template <typename View>
struct BasicInterleavedGroupTile {
  View tile;
};

using FlatGroupTile = BasicFlatGroupTile<TileView>;
using ConstFlatGroupTile = BasicFlatGroupTile<ConstTileView>;
using InterleavedGroupTile = BasicInterleavedGroupTile<TileView>;
using ConstInterleavedGroupTile = BasicInterleavedGroupTile<ConstTileView>;

using GroupTile = std::variant<TileView, FlatGroupTile, InterleavedGroupTile>;
using ConstGroupTile =
    std::variant<ConstTileView, ConstFlatGroupTile, ConstInterleavedGroupTile>;

// The form as a value, in the order of the variants.
enum class GroupForm { k2d, kFlat, kInterleaved };
inline GroupForm FormOf(const GroupTile& groups) {
  return static_cast<GroupForm>(groups.index());
}

// The tile itself, whatever its form.
const TileView& TileOf(const GroupTile& groups);
const ConstTileView& TileOf(const ConstGroupTile& groups);

// Groups of a source tile: rows and columns of their matrix. A group with a
// valid element counts; in a flat tile every group of a valid row does, so that
// those of the padding are zero groups.
struct GroupShape {
  int64_t rows;
  int64_t cols;
};
GroupShape ShapeOfGroups(GroupAxis axis, const TileType& source);
GroupShape ShapeOfFlatGroups(const TileType& source);

// Where the groups of a source are in a tile of a form: a map over their
// matrix. `name` is what messages call the tile. Errors (kInvalidArgument):
//   MX-GROUP-1  the tile is row-major, and its valid region is that of the
//               form: the shape of the groups; [1, all groups]; [M/64, 2*N];
//   MX-GROUP-2  the form exists for the axis: flat 1, interleaved 0;
//   MX-GROUP-3  an interleaved tile is of a source whose rows are a multiple of
//               64;
// and those of TileMap.
absl::StatusOr<IndexMap> CreateGroupMap(absl::string_view name,
                                        const TileType& tile, GroupForm form,
                                        GroupAxis axis, const TileType& source);

// Writes (reads) the value of a group by its place in their matrix. Errors as
// above, and those of ElementReader::Create.
absl::StatusOr<ElementWriter> CreateGroupWriter(absl::string_view name,
                                                const GroupTile& groups,
                                                GroupAxis axis,
                                                const TileType& source);
absl::StatusOr<ElementReader> CreateGroupReader(absl::string_view name,
                                                const ConstGroupTile& groups,
                                                GroupAxis axis,
                                                const TileType& source);

}  // namespace mxtile

#endif  // KERNELS_GROUP_TILE_H_
