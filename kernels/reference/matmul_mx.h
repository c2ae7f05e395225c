#ifndef KERNELS_REFERENCE_MATMUL_MX_H_
#define KERNELS_REFERENCE_MATMUL_MX_H_

// MMAD_MX on tiles in host memory:
//
//   C[m, n] = start + sum over k of A[m, k] * 2^(sa[m, k/32] - 127)
//                                 * B[k, n] * 2^(sb[k/32, n] - 127)
//
//   MatmulMxTiles tiles = {c, a, a_scale, b, b_scale};
//   tiles.bias = bias;
//   MX_RETURN_IF_ERROR(MatmulMx(tiles, {}));
//
// kernels/reference/pto.h spells it as PTO-ISA does.
//
//   tile        valid region  format
//   c, c_in     [M, N]        f32, row-major
//   a           [M, K]        f8E4M3FN or f8E5M2 for both a and b, or
//   b           [K, N]        f4E2M1FN or f4E1M2 for both, any layout of data
//   a_scale     [M, K/32]     f8E8M0FNU, any layout of scales
//   b_scale     [K/32, N]     the same
//   bias        [1, N]        f32, row-major
//
// M, K and N are 1 .. 4095, K a multiple of 64. Layouts only say where elements
// are: ND and the fractals of L0 give the same result.
//
// Numerics. k ascending; each step is
//
//   acc = float(double(acc) + double(a) * double(b) * 2^(sa + sb - 254))
//
// in which only the last sum and the conversion round. The NaN and Inf codes of
// the formats are NaN and Inf, a scale of 255 makes its products NaN; a NaN in
// C has the bits 0x7FC00000. The order inside the device is not public: this
// one is the project's decision. numerics/f32_product.h says where floats give
// the same bits.

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "kernels/tile_view.h"

namespace mxtile {

enum class AccumulateOrder {
  // The accumulator starts as C_in or as the bias, else as 0: the text of the
  // instruction.
  kStartFirst,
  // It starts as 0; C_in or the bias is added last, in float: what the public
  // CPU simulator of PTO-ISA does.
  kAddLast,
};

struct MatmulMxTiles {
  TileView c;
  ConstTileView a;
  ConstTileView a_scale;
  ConstTileView b;
  ConstTileView b_scale;
  // At most one of the two. `c_in` is the memory of `c`, or shares no byte with
  // it.
  absl::optional<ConstTileView> c_in;
  absl::optional<ConstTileView> bias;
};

struct MatmulMxOptions {
  // TGEMV_MX: M is 1. The result is the same.
  bool gemv = false;
  AccumulateOrder order = AccumulateOrder::kStartFirst;
  // The instruction's `sat`: an infinite input counts as the largest finite
  // value of its format, NaN (also by a scale of 255) as 0, and a sum that
  // overflows stays the largest float. Otherwise (`nosat`) they stay what they
  // are.
  bool saturate = false;
};

// Errors (kInvalidArgument):
//   KERNEL-MATMUL-1  the formats are as above;
//   KERNEL-MATMUL-2  the valid regions fit together;
//   KERNEL-MATMUL-3  M, K and N are in their range, K is a multiple of 64;
//   KERNEL-MATMUL-4  c_in and bias are not both given;
//   KERNEL-MATMUL-5  M is 1 in a gemv;
//   TILE-VIEW-5  c shares bytes with another tile;
// and those of kernels/tile_view.h.
absl::Status MatmulMx(const MatmulMxTiles& tiles,
                      const MatmulMxOptions& options);

}  // namespace mxtile

#endif  // KERNELS_REFERENCE_MATMUL_MX_H_
