#ifndef KERNELS_TILE_VIEW_H_
#define KERNELS_TILE_VIEW_H_

// A tile in host memory: what its bytes mean, as a value, and the bytes.
//
//   // [128, 64] bfloats in rows of 80, of which 100 x 50 are valid.
//   TileType type = {ElementFormat::kBF16, /*rows=*/128, /*cols=*/64,
//                    /*valid_rows=*/100, /*valid_cols=*/50,
//                    TileLayout::kNd, /*pitch=*/80};
//   const ConstTileView source = {type, bytes};
//   MX_ASSIGN_OR_RETURN(const ElementReader reader,
//   ElementReader::Create(source)); reader.Code(3, 7);   // the bits of element
//   (3, 7)
//
// Rows and columns count elements, also those of 4 bits, of which two share a
// byte: the one of even offset has the low nibble. Elements of more than 8 bits
// are little endian.
//
// Nothing depends on the alignment of the bytes.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/tile_layout.h"
#include "layouts/index_map.h"
#include "numerics/element_format.h"

namespace mxtile {

struct TileType {
  ElementFormat format;
  // The allocated shape; [valid_rows, valid_cols] of it at the upper left is
  // meant. What a kernel writes is the valid region and nothing else.
  int64_t rows;
  int64_t cols;
  int64_t valid_rows;
  int64_t valid_cols;
  TileLayout layout = TileLayout::kNd;
  // From one storage row to the next; 0 for the least that the shape allows.
  //   kNd        elements of a row, at least cols
  //   kNz, kZn   lines of a strip of fractals: rows (columns) rounded up to a
  //              multiple of 16, or more; one more than such a multiple is the
  //              NZ of CompactMode::RowPlusOne
  //   kZz, kNn   bytes of a row of boxes, at least 16 * groups
  int64_t pitch = 0;
};

bool operator==(const TileType& a, const TileType& b);
inline bool operator!=(const TileType& a, const TileType& b) {
  return !(a == b);
}

// A dense tile that is valid as a whole.
TileType FullTile(ElementFormat format, int64_t rows, int64_t cols,
                  TileLayout layout = TileLayout::kNd);

// "f8E4M3FN ND [32, 64] valid [30, 64] pitch 80".
std::string ToString(const TileType& type);

// Where the elements of the allocated shape lie. Errors (kInvalidArgument):
//   TILE-VIEW-1  1 <= valid <= shape <= 2^29;
//   TILE-VIEW-2  the pitch is one that the layout has, and even for 4-bit
//                elements;
//   TILE-VIEW-3  ZZ and NN hold f8E8M0FNU, NZ and ZN anything else;
// and those of the layouts: MX-SCALE-2 (an odd number of groups).
absl::StatusOr<IndexMap> TileMap(const TileType& type);

// Bytes of a tile, whole pitches included. The errors of TileMap.
absl::StatusOr<int64_t> TileBytes(const TileType& type);

struct ConstTileView {
  TileType type;
  absl::Span<const uint8_t> bytes;
};

struct TileView {
  operator ConstTileView() const { return {type, bytes}; }

  TileType type;
  absl::Span<uint8_t> bytes;
};

// Reads the elements of a map over bytes; of a tile, those of its allocated
// shape.
class ElementReader {
 public:
  // The errors of TileMap; TILE-VIEW-4 when the view has fewer bytes than the
  // tile.
  static absl::StatusOr<ElementReader> Create(const ConstTileView& view);
  // TILE-VIEW-4; `name` is what messages call the map.
  static absl::StatusOr<ElementReader> Create(absl::string_view name,
                                              ElementFormat format,
                                              IndexMap map,
                                              absl::Span<const uint8_t> bytes);

  // The bits of an element.
  uint32_t Code(int64_t row, int64_t col) const;
  // What they stand for.
  float Value(int64_t row, int64_t col) const {
    return Decode(format_, Code(row, col));
  }

 private:
  ElementReader(ElementFormat format, IndexMap map,
                absl::Span<const uint8_t> bytes);

  ElementFormat format_;
  IndexMap map_;
  absl::Span<const uint8_t> bytes_;
};

// Writes them; the other nibble of a shared byte is kept.
class ElementWriter {
 public:
  // As those of ElementReader.
  static absl::StatusOr<ElementWriter> Create(const TileView& view);
  static absl::StatusOr<ElementWriter> Create(absl::string_view name,
                                              ElementFormat format,
                                              IndexMap map,
                                              absl::Span<uint8_t> bytes);

  ElementFormat format() const { return format_; }
  const IndexMap& map() const { return map_; }
  void SetCode(int64_t row, int64_t col, uint32_t code) const;

 private:
  ElementWriter(ElementFormat format, IndexMap map, absl::Span<uint8_t> bytes);

  ElementFormat format_;
  IndexMap map_;
  absl::Span<uint8_t> bytes_;
};

// A tile with the name that it has in messages.
struct NamedTile {
  absl::string_view name;
  ConstTileView view;
};

// TILE-VIEW-5 (kInvalidArgument) when two of the tiles share a byte: kernels
// write their outputs in stages.
absl::Status CheckDisjoint(absl::string_view kernel,
                           absl::Span<const NamedTile> tiles);

}  // namespace mxtile

#endif  // KERNELS_TILE_VIEW_H_
