#ifndef LAYOUTS_ND_ND_LAYOUT_H_
#define LAYOUTS_ND_ND_LAYOUT_H_

// Where an element of a row-major data matrix lies: tiles of the vector unit
// and tensors in global memory, before they become fractals (layouts/nz).
// Offsets are in elements, as there: element o of packed 4-bit elements is in
// byte o/2, in the low nibble when o is even.
//
//   MX_ASSIGN_OR_RETURN(const NdLayout tile,
//                       NdLayout::Create(/*rows=*/16, /*cols=*/40,
//                                        /*element_bits=*/8,
//                                        /*pitch_bytes=*/64));
//   tile.Offset(1, 0) == 64      // a row is 64 bytes from the next
//   tile.size_bytes() == 16 * 64
//
//   ND  row*P + col    with P = pitch_bytes * 8 / element_bits
//
// The pitch is that of what was allocated, the tile's columns, and never the
// valid columns: a tile of 64 columns that holds 40 has a pitch of 64 elements.
// Without one the rows are dense; rows of 4-bit elements start at a byte, so
// that an odd number of columns leaves the last high nibble of each row unused.
//
// A row-major matrix of scales is ScaleLayout with ScaleOrder::kND instead.
//
// Source: PTO-ISA, tiles with BLayout RowMajor and no fractal.

#include <cstdint>

#include "absl/status/statusor.h"
#include "layouts/index_map.h"

namespace mxtile {

class NdLayout {
 public:
  // The layout of a [rows, cols] matrix. Errors (kInvalidArgument):
  //   MX-ND-1  both extents are in 1 .. kMaxExtent;
  //   MX-ND-2  an element has 4, 8, 16 or 32 bits;
  //   MX-ND-3  a pitch holds a row, is a multiple of the bytes of an element
  //            and at most 4 * kMaxExtent.
  static absl::StatusOr<NdLayout> Create(int64_t rows, int64_t cols,
                                         int element_bits);
  static absl::StatusOr<NdLayout> Create(int64_t rows, int64_t cols,
                                         int element_bits, int64_t pitch_bytes);

  // Keeps every offset within an int64_t.
  static constexpr int64_t kMaxExtent = int64_t{1} << 29;

  int64_t rows() const { return map_.rows(); }
  int64_t cols() const { return map_.cols(); }
  int element_bits() const { return element_bits_; }
  // Bytes from a row to the next.
  int64_t pitch_bytes() const { return pitch_bytes_; }

  // Bytes that the matrix takes, padding of every row included.
  int64_t size_bytes() const { return rows() * pitch_bytes_; }

  // In elements. 0 <= row < rows(), 0 <= col < cols(). Different for every pair
  // and below map().size().
  int64_t Offset(int64_t row, int64_t col) const;

  const IndexMap& map() const { return map_; }

 private:
  NdLayout(int element_bits, int64_t pitch_bytes, IndexMap map);

  int element_bits_;
  int64_t pitch_bytes_;
  IndexMap map_;
};

}  // namespace mxtile

#endif  // LAYOUTS_ND_ND_LAYOUT_H_
