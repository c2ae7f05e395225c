#ifndef LAYOUTS_NZ_NZ_LAYOUT_H_
#define LAYOUTS_NZ_NZ_LAYOUT_H_

// Where an element of a cube operand lies: the fractal layouts of L1 and L0.
// Offsets are in elements, so that a 4-bit element has one too: element o of a
// packed matrix is in byte o/2, in the low nibble when o is even.
//
//   MX_ASSIGN_OR_RETURN(const NzLayout layout,
//                       NzLayout::Create(NzOrder::kNZ, /*rows=*/32,
//                                        /*cols=*/64, /*element_bits=*/8));
//   layout.Offset(15, 31) == 511   // the last element of the first 16x32 box
//   layout.Offset(16, 0) == 512    // the box below
//   layout.Offset(0, 32) == 1024   // the box to the right
//
//   order  box                   in a box   boxes         operand
//   NZ     16 rows x 32 bytes    row-major  column-major  A [M, K] in L0A, L1
//   ZN     32 bytes x 16 columns col-major  row-major     B [K, N] in L0B
//   L0C    16 x 16 floats        row-major  column-major  C [M, N] in L0C
//
//   NZ   (col/L)*R*L + row*L + col%L      with L = 256 / element_bits,
//   ZN   (row/L)*C*L + col*L + row%L      the elements of 32 bytes
//   L0C  (col/16)*R*16 + row*16 + col%16
//
// R and C are the lines from one strip of boxes to the next: the rows (columns)
// rounded up to a multiple of 16, or what the pitch says. The other side is
// padded to whole boxes as well. Boxes of 4-bit elements are 16 x 64: the
// device moves packed FP4 as bytes.
//
// Source: PTO-ISA, tile fractals and the A5's L0 layouts.

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "layouts/index_map.h"

namespace mxtile {

enum class NzOrder { kNZ, kZN, kL0C };

// "NZ", "ZN", "L0C".
absl::string_view Name(NzOrder order);

// A box of NZ and ZN: 16 lines of 32 bytes.
inline constexpr int64_t kNzBoxLines = 16;
inline constexpr int64_t kNzBoxLineBytes = 32;
inline constexpr int64_t kNzBoxBytes = kNzBoxLines * kNzBoxLineBytes;

class NzLayout {
 public:
  // The layout of a [rows, cols] matrix; `pitch_lines` is R or C. Errors
  // (kInvalidArgument):
  //   NZ-LAYOUT-1  both extents are in 1 .. kMaxExtent;
  //   NZ-LAYOUT-2  an element has 4, 8, 16 or 32 bits, in L0C 32;
  //   NZ-LAYOUT-3  the pitch is that of whole boxes, or one line more in NZ.
  static absl::StatusOr<NzLayout> Create(NzOrder order, int64_t rows,
                                         int64_t cols, int element_bits);
  static absl::StatusOr<NzLayout> Create(NzOrder order, int64_t rows,
                                         int64_t cols, int element_bits,
                                         int64_t pitch_lines);

  // NZ with 32 spare bytes after each column of boxes, which keep the vector
  // unit's stores off one bank (CompactMode::RowPlusOne).
  static absl::StatusOr<NzLayout> CreateRowPlusOne(int64_t rows, int64_t cols,
                                                   int element_bits);

  // Keeps every offset within an int64_t.
  static constexpr int64_t kMaxExtent = int64_t{1} << 29;

  NzOrder order() const { return order_; }
  int64_t rows() const { return map_.rows(); }
  int64_t cols() const { return map_.cols(); }
  int element_bits() const { return element_bits_; }
  int64_t pitch_lines() const { return pitch_lines_; }

  // Bytes that the matrix takes, padding and spare lines included.
  int64_t size_bytes() const { return map_.size() / 2 * element_bits_ / 4; }

  // In elements. 0 <= row < rows(), 0 <= col < cols(). Different for every pair
  // and below map().size().
  int64_t Offset(int64_t row, int64_t col) const;

  const IndexMap& map() const { return map_; }

 private:
  NzLayout(NzOrder order, int element_bits, int64_t pitch_lines, IndexMap map);

  NzOrder order_;
  int element_bits_;
  int64_t pitch_lines_;
  IndexMap map_;
};

}  // namespace mxtile

#endif  // LAYOUTS_NZ_NZ_LAYOUT_H_
