#ifndef LAYOUTS_MX_SCALE_LAYOUT_H_
#define LAYOUTS_MX_SCALE_LAYOUT_H_

// Where the E8M0 scale of a group lies: byte offsets of the scale matrices that
// quantisers write and the A5's cube reads. One scale is one byte.
//
//   MX_ASSIGN_OR_RETURN(const ScaleLayout layout,
//                       ScaleLayout::Create(ScaleOrder::kZZ, /*rows=*/32,
//                                           /*cols=*/4));
//   layout.Offset(15, 1) == 31   // the last byte of the first 16x2 box
//   layout.Offset(0, 2) == 32    // the second box
//   layout.size_bytes() == 128
//
// The cube's left operand A is [M, K], its scales are [M, G] with G = K/32; the
// right operand B is [K, N], its scales are [G, N]. Two scales that follow each
// other along K form a pair, the unit of the cube.
//
//   order   logical  padded to  offset of (row, col)
//   ND      [M, G]              row*G + col
//   DN      [G, N]              row*N + col
//   ZZ      [M, G]   M to 16    ((m/16)*(G/2) + g/2)*32 + (m%16)*2 + g%2
//   NN      [G, N]   N to 16    ((n/16)*(G/2) + g/2)*32 + (n%16)*2 + g%2
//   MX_A_ND [M, G]              m*G + g
//   MX_A_DN [M, G]              (g/2)*2*M + 2*m + g%2
//   MX_B_ND [G, N]              (g/2)*2*N + 2*n + g%2
//   MX_B_DN [G, N]              n*G + g
//
// The formulas are those of a dense matrix. A pitch makes the slowest storage
// row longer than its contents, as a tile of 32 columns is that holds 2 groups
// a row:
//
//   order              a storage row              dense pitch in bytes
//   ND, MX_A_ND        the G scales of a row      G
//   DN                 the N scales of a group    N
//   MX_B_DN            the G scales of a column   G
//   MX_A_DN, MX_B_ND   a pair of groups           2*M, 2*N
//   ZZ, NN             boxes of 16 lines          16*G
//
// MX_B_ND with its pitch rounded up to 32 is what TQUANT's interleaved form
// writes: [ceil(M/64), align32(2*N)].
//
// ND and DN are what a quantiser along axis 1 and along axis 0 writes. ZZ and
// NN (MX_A_ZZ and MX_B_NN in global memory) are boxes of 16 by one pair, 32
// bytes, and the only orders of L1 and L0. The four others are unboxed operands
// in global memory. MX_A_DN and MX_B_ND interleave the pairs: a plain DN matrix
// is not an MX_B_ND.
//
// Source: PTO-ISA, global-tensor MX layouts and tile fractals.

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "layouts/index_map.h"

namespace mxtile {

enum class ScaleOrder { kND, kDN, kZZ, kNN, kMxAND, kMxADN, kMxBND, kMxBDN };

// Every order, in the order of the enum.
inline constexpr ScaleOrder kScaleOrders[] = {
    ScaleOrder::kND,    ScaleOrder::kDN,    ScaleOrder::kZZ,
    ScaleOrder::kNN,    ScaleOrder::kMxAND, ScaleOrder::kMxADN,
    ScaleOrder::kMxBND, ScaleOrder::kMxBDN,
};

// As in the table above: "ND", ..., "MX_B_DN".
absl::string_view Name(ScaleOrder order);

// A box of ZZ and NN: 16 rows of A or columns of B by one pair.
inline constexpr int64_t kScaleBoxLines = 16;
inline constexpr int64_t kScaleBoxBytes = 32;

class ScaleLayout {
 public:
  // The layout of a logical [rows, cols] scale matrix; without a pitch, dense.
  // Errors (kInvalidArgument):
  //   MX-SCALE-1  both extents are in 1 .. kMaxExtent;
  //   MX-SCALE-2  G is even, in every order but ND and DN;
  //   MX-SCALE-3  a pitch is at least the dense one and at most 2^32 bytes; in
  //               ZZ and NN it is a multiple of 32 and at most 2^34.
  static absl::StatusOr<ScaleLayout> Create(ScaleOrder order, int64_t rows,
                                            int64_t cols);
  static absl::StatusOr<ScaleLayout> Create(ScaleOrder order, int64_t rows,
                                            int64_t cols, int64_t pitch_bytes);

  // Keeps every offset within an int64_t, as the limits of pitches do.
  static constexpr int64_t kMaxExtent = int64_t{1} << 30;

  ScaleOrder order() const { return order_; }
  int64_t rows() const { return map_.rows(); }
  int64_t cols() const { return map_.cols(); }
  // Bytes from a storage row to the next.
  int64_t pitch_bytes() const { return pitch_bytes_; }

  // Bytes that the matrix takes, padding included.
  int64_t size_bytes() const { return map_.size(); }

  // 0 <= row < rows(), 0 <= col < cols(). Different for every pair and below
  // size_bytes().
  int64_t Offset(int64_t row, int64_t col) const;

  // The layout over its logical [rows, cols].
  const IndexMap& map() const { return map_; }

  // The layout over [lines, groups], the lines being the rows of A or the
  // columns of B: the same matrix in every order, so that any two orders of the
  // same lines and groups convert into each other (layouts/conversion.h).
  IndexMap LineMap() const;

 private:
  ScaleLayout(ScaleOrder order, int64_t pitch_bytes, IndexMap map);

  ScaleOrder order_;
  int64_t pitch_bytes_;
  IndexMap map_;
};

// Whether the rows of a logical matrix of this order are groups and its columns
// lines: DN, NN, MX_B_ND and MX_B_DN.
bool GroupsAreRows(ScaleOrder order);

}  // namespace mxtile

#endif  // LAYOUTS_MX_SCALE_LAYOUT_H_
