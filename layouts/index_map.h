#ifndef LAYOUTS_INDEX_MAP_H_
#define LAYOUTS_INDEX_MAP_H_

// Where the element (row, col) of a matrix lies, as an offset in elements: what
// all layouts of this room are made of, so that they can be inverted, composed
// and drawn by one code.
//
// An index is split into digits of a mixed radix, the innermost first, and each
// digit has a stride:
//
//   offset(row, col) = sum of digit * stride over the digits of row and of col
//
//   // ZZ of [M, G]: boxes of 16 rows by 2 columns, boxes row-major.
//   const IndexMap zz(m, g, /*row_digits=*/{{16, 2}, {m / 16, 16 * g}},
//                     /*col_digits=*/{{2, 1}, {g / 2, 32}});
//   zz.Offset(15, 1) == 31
//   zz.IndexAt(32)->col == 2
//
// These are the shape:stride pairs of tiled-layout algebras, of two modes.
//
// The stride of a digit exceeds what all digits of smaller strides reach
// together. So no two elements share an offset, by construction, and the
// inverse is a division by each stride, the largest first.

#include <cstdint>
#include <optional>
#include <vector>

namespace mxtile {

class IndexMap {
 public:
  struct Digit {
    int64_t extent;  // values 0 .. extent - 1
    int64_t stride;  // in elements, at least 1
  };
  struct Index {
    int64_t row;
    int64_t col;
  };

  // Whether the stride of each digit of more than one value exceeds what those
  // of smaller strides reach together. Then no two values of the digits share
  // an offset. (The other way round it may be so by chance, as with strides 2
  // and 3; such digits make no map.)
  static bool AreNested(std::vector<Digit> digits);

  // Digits are innermost first. The extents of a side multiply to its number of
  // rows (columns) or more: what is more is padding. The digits of both sides
  // together are nested. Anything else is a bug of the caller.
  IndexMap(int64_t rows, int64_t cols, std::vector<Digit> row_digits,
           std::vector<Digit> col_digits);

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  const std::vector<Digit>& row_digits() const { return row_digits_; }
  const std::vector<Digit>& col_digits() const { return col_digits_; }

  // Elements that the matrix takes, padding included: offsets are below.
  int64_t size() const;

  // 0 <= row < rows(), 0 <= col < cols().
  int64_t Offset(int64_t row, int64_t col) const;

  // The two parts of it: Offset(row, col) == RowOffset(row) + ColOffset(col). A
  // walk over a matrix computes each of them once.
  int64_t RowOffset(int64_t row) const;
  int64_t ColOffset(int64_t col) const;

  // The element at an offset; nothing where padding is. 0 <= offset < size().
  std::optional<Index> IndexAt(int64_t offset) const;

  // The map of the transposed matrix with every element where it is.
  IndexMap Transposed() const;

 private:
  struct PlacedDigit {
    Digit digit;
    bool of_row;
    int64_t divisor;  // product of the extents further in
  };

  int64_t rows_;
  int64_t cols_;
  std::vector<Digit> row_digits_;
  std::vector<Digit> col_digits_;
  // Those of more than one value, by descending stride.
  std::vector<PlacedDigit> by_stride_;
};

}  // namespace mxtile

#endif  // LAYOUTS_INDEX_MAP_H_
