#ifndef KERNELS_A5_TMOV_VECTOR_H_
#define KERNELS_A5_TMOV_VECTOR_H_

// TMOV between layouts on the vector unit, UB to UB: as
// kernels/reference/tmov.h says, instruction by instruction.
//
//   TMovNdToNz(unit, nz, nd);                    // data
//   TMovNdToZn(unit, zn, nd);                    // data
//   TMovNdToZz(unit, zz, exponents, tmp);        // exponents [M, G]
//   TMovDnToZz(unit, zz, exponents_dn);          // TMOV<0>: exponents [G, N]
//
// Elements are bytes: FP8 codes, exponents, or packed FP4 retyped as bytes, [M,
// N/2] for [M, N] codes. The valid region of the destination is written: 0
// where the source has no valid element, so a destination whose valid rows end
// before its boxes do keeps what it had there.
//
// Instructions for the unit of each, which the public kernel's are, too:
//
//   ND -> NZ   a row of 256 bytes: vlds, vsstb
//   ND -> ZZ   8 boxes: vlds E2B, vadd, vgather2, vsts; and vci, vadds, vstus
//              for each row of boxes, to build the indices
//   DN -> ZZ   8 boxes: 2 vlds, vintlv, vsstb; nothing else but plt
//   ND -> ZN   4 columns of 32 bytes: vadds, vgather2, vsts
//
// Loads of a last row read beyond it, as on the device: they warn (A5-VEC-3)
// where the buffer ends.

#include <cstdint>

#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "kernels/a5/ub_tile.h"

namespace mxtile {
namespace a5 {

// None ends the last stage: the caller calls unit.Finish(). Errors of all:
// A5-UB-1 to 3, those of TileMap (an odd number of groups has no ZZ: pad with
// PadToEvenGroups), and
//   A5-MOVE-1  both tiles are of one 8-bit format, in the layouts of the move;
//   A5-MOVE-2  the valid region of the destination is that of the source (for
//              DN -> ZZ of the transposed source), or more rows to whole boxes;
//   A5-MOVE-3  an index fits 16 bits: pitch * rows below 65536 for ND -> ZZ,
//              pitch * 32 + columns for ND -> ZN.
absl::Status TMovNdToNz(VectorUnit& unit, const UbTile& dst, const UbTile& src);
absl::Status TMovNdToZn(VectorUnit& unit, const UbTile& dst, const UbTile& src);

// Rows of `src` may be any even number of bytes apart: flat exponents of TQUANT
// are [M, G] without gaps. `tmp` holds indices: TmpBytesForZz(dst, src) bytes,
// which is at most 64 + ceil(M/16) * G, rounded up to whole blocks, for boxes
// side by side.
absl::Status TMovNdToZz(VectorUnit& unit, const UbTile& dst, const UbTile& src,
                        const UbTile& tmp);
int64_t TmpBytesForZz(const TileType& dst, const TileType& src);

absl::Status TMovDnToZz(VectorUnit& unit, const UbTile& dst, const UbTile& src);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_TMOV_VECTOR_H_
