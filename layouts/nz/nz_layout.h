#ifndef LAYOUTS_NZ_NZ_LAYOUT_H_
#define LAYOUTS_NZ_NZ_LAYOUT_H_

// Where an element of a cube operand lies: byte offsets of the fractal layouts
// of L1 and L0.
//
//   MX_ASSIGN_OR_RETURN(const NzLayout layout,
//                       NzLayout::Create(NzOrder::kNZ, /*rows=*/32,
//                                        /*cols=*/64, /*element_bytes=*/1));
//   layout.Offset(15, 31) == 511   // the last byte of the first 16x32 box
//   layout.Offset(16, 0) == 512    // the box below
//   layout.Offset(0, 32) == 1024   // the box to the right
//
//   order  box                   in a box   boxes         operand
//   NZ     16 rows x 32 bytes    row-major  column-major  A [M, K] in L0A, L1
//   ZN     32 bytes x 16 columns col-major  row-major     B [K, N] in L0B
//   L0C    16 x 16 floats        row-major  column-major  C [M, N] in L0C
//
//   NZ   (b/32)*R*32 + row*32 + b%32    with b = col*element_bytes
//   ZN   (b/32)*C*32 + col*32 + b%32    with b = row*element_bytes
//   L0C  (col/16)*R*64 + row*64 + (col%16)*4
//
// R and C are the rows and columns, rounded up to a multiple of 16. The other
// side is padded to whole boxes as well.
//
// A packed 4-bit matrix goes as bytes, two codes along the side of 32 bytes: a
// box is then 16 x 64 codes. A [M, K] is Create(kNZ, M, K/2, 1), B [K, N] is
// Create(kZN, K/2, N, 1).
//
// Source: PTO-ISA, tile fractals and the A5's L0 layouts.

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile {

enum class NzOrder { kNZ, kZN, kL0C };

// "NZ", "ZN", "L0C".
absl::string_view Name(NzOrder order);

// Rows of a column of NZ boxes.
enum class NzRows {
  // R.
  kAligned,
  // R + 1: 32 spare bytes after each column of boxes, which keep vector stores
  // into UB off one bank. NZ only.
  kRowPlusOne,
};

// A box of NZ and ZN: 16 lines of 32 bytes.
inline constexpr int64_t kNzBoxLines = 16;
inline constexpr int64_t kNzBoxLineBytes = 32;
inline constexpr int64_t kNzBoxBytes = kNzBoxLines * kNzBoxLineBytes;

class NzLayout {
 public:
  // The layout of a [rows, cols] matrix. Errors (kInvalidArgument):
  //   NZ-LAYOUT-1  both extents are in 1 .. kMaxExtent;
  //   NZ-LAYOUT-2  an element has 1, 2 or 4 bytes, in L0C 4;
  //   NZ-LAYOUT-3  kRowPlusOne is for NZ.
  static absl::StatusOr<NzLayout> Create(NzOrder order, int64_t rows,
                                         int64_t cols, int64_t element_bytes,
                                         NzRows box_rows = NzRows::kAligned);

  // Keeps every offset within an int64_t.
  static constexpr int64_t kMaxExtent = int64_t{1} << 29;

  NzOrder order() const { return order_; }
  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t element_bytes() const { return element_bytes_; }

  // Bytes that the matrix takes, padding and spare bytes included.
  int64_t size_bytes() const;

  // The first byte of an element; its others follow. 0 <= row < rows(),
  // 0 <= col < cols(). Elements do not overlap and end within size_bytes().
  int64_t Offset(int64_t row, int64_t col) const;

 private:
  NzLayout(NzOrder order, int64_t rows, int64_t cols, int64_t element_bytes,
           int64_t lines)
      : order_(order),
        rows_(rows),
        cols_(cols),
        element_bytes_(element_bytes),
        lines_(lines) {}

  NzOrder order_;
  int64_t rows_;
  int64_t cols_;
  int64_t element_bytes_;
  // Lines from one strip of boxes to the next: R, R + 1 or C.
  int64_t lines_;
};

}  // namespace mxtile

#endif  // LAYOUTS_NZ_NZ_LAYOUT_H_
