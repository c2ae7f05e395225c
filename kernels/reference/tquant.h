#ifndef KERNELS_REFERENCE_TQUANT_H_
#define KERNELS_REFERENCE_TQUANT_H_

// TQUANT on tiles: MX quantisation with the outputs that the device's kernel
// has. kernels/reference/pto.h spells it as PTO-ISA does.
//
//   TQuant({GroupAxis::kAxis0, ScaleRule::kOcp, ElementFormat::kF8E4M3FN},
//          {dst, src, exponents, maxima, scalings});
//
// For source [M, N] and each group of 32 elements along the axis:
//
//   output    shape (axis 1, axis 0)  format              a group's value
//   dst       [M, N]                  f8E4M3FN, f4E2M1FN  see Quantize
//   exp       [M, N/32], [M/32, N]    f8E8M0FNU           s
//   max       as exp                  f32 or the source's largest |x|
//   scaling   as exp                  f32 or the source's 2^(127-s)
//
// Exponents, maxima and scalings may be flat, exponents interleaved
// (kernels/group_tile.h). A ragged tile: elements outside of the valid region
// of the source count as zero; of the outputs nothing outside of the valid
// region is written.
//
// What s and the codes are, also for NaN, Inf and zeros, is said in
// kernels/reference/quantize.h. A maximum and a scaling of format f32 are
// floats; those in the source's format hold what the A5's tiles hold:
//
//   source  rule  max                                  scaling
//   f32           bits of |x|                          bits of the float
//   bf16          bits & 0x7FFF                        bf16 bits
//   f16     kOcp  |x| truncated to bf16: bf16 bits     bf16 bits
//   f16     kNv   bits & 0x7FFF                        bf16 bits
//
// so that an f32 maximum of an f16 source by kOcp is the truncated one, too.
// The scaling of a NaN group is 0x7FC00000 (f32), 0x7F81 (8-bit elements) or
// 0x7FC0 (4-bit elements).
//
// Sources: PTO-ISA's TQUANT for the A5; NaN groups and zeros by the project's
// own decisions, which the public CPU simulator does not share.

#include "absl/status/status.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"

namespace mxtile {

struct TQuantTiles {
  TileView dst;
  ConstTileView src;
  GroupTile exp;
  GroupTile max;
  GroupTile scaling;
};

// Either all outputs are written or, on an error, none. Errors
// (kInvalidArgument): MX-QUANT-1 and 3 to 6, MX-GROUP-1 to 3 as
// kernels/tquant_options.h says, TILE-VIEW-5 when two tiles share bytes, and
// those of kernels/tile_view.h.
absl::Status TQuant(const TQuantOptions& options, const TQuantTiles& tiles);

// The way back: each valid element of `dst`, row-major f32 with the shape and
// the valid region of `data`, is code * 2^(s-127). Exact, but for magnitudes
// beyond the largest float, which become Inf; a scale of 255 makes its group
// NaN. `data` is row-major. Errors: MX-QUANT-1, 3, 5, 6 and as above.
absl::Status TDequant(GroupAxis axis, const TileView& dst,
                      const ConstTileView& data, const ConstGroupTile& exp);

}  // namespace mxtile

#endif  // KERNELS_REFERENCE_TQUANT_H_
