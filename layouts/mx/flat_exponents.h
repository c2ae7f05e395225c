#ifndef LAYOUTS_MX_FLAT_EXPONENTS_H_
#define LAYOUTS_MX_FLAT_EXPONENTS_H_

// Where the exponents of a quantised tile lie when the quantiser writes them
// into ONE row: byte after byte, with the groups of a source row as far from
// those of the next as the source tile's allocated columns say.
//
//   // A tile of 128 columns, [16, 96] of it valid: 3 of 4 groups of each row.
//   MX_ASSIGN_OR_RETURN(const FlatExponents exponents,
//                       FlatExponents::Create(/*valid_rows=*/16,
//                                             /*valid_cols=*/96,
//                                             /*tile_cols=*/128));
//   exponents.Offset(1, 0) == 4       // not 3
//   exponents.size_bytes() == 64
//
//   offset(row, group) = row * (tile_cols/32) + group
//
// The columns between valid_cols and tile_cols have groups as well, which are
// padding: a last group that is partly valid is none of them.
//
// A 2-D exponent tile, of one row for each source row and with a pitch of its
// own (32 bytes or more on the vector unit), is a ScaleLayout ND with that
// pitch. The two hold the same scales at different bytes, so they are two
// types: neither is accepted where the other is meant.
//
// Source: PTO-ISA, TQUANT's flat exponent, maximum and scaling tiles.

#include <cstdint>

#include "absl/status/statusor.h"
#include "layouts/index_map.h"

namespace mxtile {

class FlatExponents {
 public:
  // The exponents of the [valid_rows, valid_cols] part of a source tile of
  // tile_cols columns. Errors (kInvalidArgument):
  //   MX-FLAT-1  all three are in 1 .. kMaxExtent;
  //   MX-FLAT-2  tile_cols is a multiple of 32 and at least valid_cols.
  static absl::StatusOr<FlatExponents> Create(int64_t valid_rows,
                                              int64_t valid_cols,
                                              int64_t tile_cols);

  // Keeps every offset within an int64_t.
  static constexpr int64_t kMaxExtent = int64_t{1} << 30;

  int64_t rows() const { return map_.rows(); }
  // Groups of a row that hold a valid column.
  int64_t groups() const { return map_.cols(); }
  // Groups from a row to the next: tile_cols / 32.
  int64_t row_stride_bytes() const { return row_stride_bytes_; }

  // Bytes of the flat tile, padding groups included.
  int64_t size_bytes() const { return rows() * row_stride_bytes_; }

  // 0 <= row < rows(), 0 <= group < groups().
  int64_t Offset(int64_t row, int64_t group) const;

  // The layout over [rows, groups].
  const IndexMap& map() const { return map_; }

 private:
  FlatExponents(int64_t row_stride_bytes, IndexMap map);

  int64_t row_stride_bytes_;
  IndexMap map_;
};

}  // namespace mxtile

#endif  // LAYOUTS_MX_FLAT_EXPONENTS_H_
