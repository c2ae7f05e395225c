#ifndef TOOLS_LAYOUT_LAYOUT_PAIR_H_
#define TOOLS_LAYOUT_LAYOUT_PAIR_H_

// Two layouts of one matrix by the names that a user types, with what text and
// pictures say about them: `mxtile layout` as a library.
//
//   LayoutRequest request;
//   request.from = "dn", request.to = "zz";
//   request.rows = 4, request.cols = 32;     // of the DN matrix
//   MX_ASSIGN_OR_RETURN(const LayoutPair pair, MakeLayoutPair(request));
//   pair.to.map.rows() == 32                 // ZZ holds lines as rows
//   pair.to.map.Offset(pair.ToIndex({1, 0}).row, pair.ToIndex({1, 0}).col) == 1
//
//   scales  nd dn zz nn mx-a-zz mx-b-nn mx-a-nd mx-a-dn mx-b-nd mx-b-dn
//   data    nd nz nz-row-plus-one zn l0c
//
// mx-a-zz is zz and mx-b-nn is nn. nd is scales beside a layout of scales, and
// data otherwise. Scales do not become data: that is another command's work.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "layouts/conversion.h"
#include "layouts/index_map.h"

namespace mxtile {

// One of the two.
struct PlacedLayout {
  std::string name;  // "DN", "NZ row plus one"
  int element_bits;
  bool lines_are_rows;  // Lines are the rows of A, the columns of B.
  IndexMap map;         // over its logical matrix

  // The same over everything that the layout takes, padding as well: offsets of
  // elements are those of `map`. What only the end of the last row of memory
  // holds can be missing.
  IndexMap places;

  // What lies together in memory: a row, a pair of groups, a box. Blocks start
  // at multiples of these; what is beyond whole blocks in `places` is spare.
  int64_t block_rows, block_cols;
  bool boxed;
  std::string block_name;  // "box"
  std::string storage;     // "boxes of 16 x 2, row-major inside; ..."

  int64_t pitch;
  std::string pitch_unit;  // "bytes" or "lines"

  int64_t size_bytes() const {
    return BytesOfElements(map.size(), element_bits);
  }
  // Places that hold no element.
  int64_t padding_elements() const {
    return map.size() - map.rows() * map.cols();
  }

  // Whole blocks in `places`, one below the other and beside each other.
  int64_t blocks_down() const { return places.rows() / block_rows; }
  int64_t blocks_right() const { return places.cols() / block_cols; }
  // The block that an index lies in, counted in memory from 0; nothing for an
  // index in the spare part.
  std::optional<int64_t> BlockOf(IndexMap::Index index) const;
  // The first index of the n-th block in memory.
  IndexMap::Index StartOfBlock(int64_t block) const;
  // The offset of an index from the start of its block, in elements.
  int64_t PositionInBlock(IndexMap::Index index) const;

  // Whether a block's neighbour in memory is to the right of it, not below.
  bool BlocksAreRowMajor() const;
};

struct LayoutPair {
  PlacedLayout from;
  PlacedLayout to;
  bool scales;
  // Whether lines are rows on one side and columns on the other.
  bool transposed;

  // An index of `from` in `to` and the other way round.
  IndexMap::Index ToIndex(IndexMap::Index index) const;
  IndexMap::Index FromIndex(IndexMap::Index index) const {
    return ToIndex(index);
  }
  // Over the matrix of `from`.
  Conversion conversion() const;

  // The one whose blocks tell most: boxes, otherwise those of `to`.
  const PlacedLayout& lead() const {
    return from.boxed && !to.boxed ? from : to;
  }
};

struct LayoutRequest {
  std::string from;
  std::string to;
  int64_t rows = 0;  // of the matrix of `from`, in its own elements
  int64_t cols = 0;
  // 8, or 32 with l0c; scales have 8.
  std::optional<int> element_bits;
  // Of nd, dn and scales in bytes, of nz, zn and l0c in lines; dense otherwise.
  std::optional<int64_t> from_pitch;
  std::optional<int64_t> to_pitch;
};

// All names.
const std::vector<std::string>& LayoutNames();

// The name as above: in small letters, with hyphens.
std::string NormalizedLayoutName(absl::string_view name);

// Whether the request makes sense without its shape: error (kInvalidArgument)
// for an unknown name, scales with data, and options that do not go with the
// layouts.
absl::Status CheckLayoutNames(const LayoutRequest& request);

// Errors: those of CheckLayoutNames and of the layouts (MX-SCALE, MX-ND,
// NZ-LAYOUT).
absl::StatusOr<LayoutPair> MakeLayoutPair(const LayoutRequest& request);

// The bytes of `from` as those of `to`. Error (kInvalidArgument) MX-CONVERT-2:
// they are not as many as the layout takes.
absl::StatusOr<std::string> ConvertBytes(const LayoutPair& pair,
                                         absl::string_view bytes);

}  // namespace mxtile

#endif  // TOOLS_LAYOUT_LAYOUT_PAIR_H_
