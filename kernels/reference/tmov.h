#ifndef KERNELS_REFERENCE_TMOV_H_
#define KERNELS_REFERENCE_TMOV_H_

// TMOV between layouts, on tiles in host memory: the same matrix, or for DN->ZZ
// the transposed one, at other places. kernels/reference/pto.h spells it as
// PTO-ISA does.
//
//   TMov(nz, nd);          // data: ND -> NZ, also with the pitch of RowPlusOne
//   TMov(zn, nd);          // data: ND -> ZN
//   TMov(zz, exponents);   // exponents [M, G]: ND -> ZZ
//   TMovTransposed(zz, exponents_dn);   // exponents [G, N]: DN -> ZZ [N, G]
//   TMov(nd, nz);          // and back
//
// Any two layouts that hold the format convert into each other. FP4 moves as
// what it is: on the device packed FP4 is retyped as bytes, which gives the
// same places for ND -> NZ; ND -> ZN also packs along the other axis.
//
// The valid region of the destination is written: where the source has no valid
// element, 0. So padding rows of boxes become zero when the destination counts
// them as valid, and are left alone when it does not.

#include "absl/status/status.h"
#include "kernels/group_axis.h"
#include "kernels/tile_view.h"

namespace mxtile {

// Errors (kInvalidArgument):
//   KERNEL-MOVE-1    the two have one format;
//   KERNEL-MOVE-2    the valid region of the destination holds that of the
//   source; TILE-VIEW-5  they share bytes;
// and those of kernels/tile_view.h: a ZZ tile of an odd number of groups is
// MX-SCALE-2.
absl::Status TMov(const TileView& dst, const ConstTileView& src);

// dst(c, r) = src(r, c). TMOV<0>, DN -> ZZ, is this on [G, N] exponents; so is
// its inverse. A single row of groups (M = 32) cannot be paired and has no ZZ:
// TMov to a row-major [1, N] tile is the identity that the instruction
// documents for it. Errors as TMov.
absl::Status TMovTransposed(const TileView& dst, const ConstTileView& src);

// Copies exponents and adds a group of scale 0 when their number along `axis`
// is odd, so that they can be paired; the data of that group has to be zero.
// axis 1: [M, G] -> [M, G + G%2]; axis 0: [G, N] -> [G + G%2, N], as valid
// regions. Errors: KERNEL-MOVE-3 (other shapes), and as TMov.
absl::Status PadToEvenGroups(GroupAxis axis, const TileView& dst,
                             const ConstTileView& src);

}  // namespace mxtile

#endif  // KERNELS_REFERENCE_TMOV_H_
