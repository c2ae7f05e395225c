#ifndef KERNELS_A5_TQUANT_H_
#define KERNELS_A5_TQUANT_H_

// TQUANT on the vector unit: MX quantisation as the device does it, in UB,
// register by register.
//
//   VectorUnit unit(machine);
//   MX_RETURN_IF_ERROR(TQuant(
//       unit, {GroupAxis::kAxis0, ScaleRule::kOcp, ElementFormat::kF8E4M3FN},
//       {dst, src, exp, max, scaling}));
//
// The outputs are those of kernels/reference/tquant.h, bit for bit: in the
// valid regions; nothing else of an output is written. The source is written,
// too: what lies beyond its valid columns becomes zero where a loop takes rows
// as one stream (all flat tiles), and in every 16-bit source along axis 1.
//
// Four stages, with mem_bar(VST_VLD) between: zero-pad, max, scale, convert.
// Loops by shape; a path has a name, and `paths` counts its steps:
//
//   max/f32/2048      axis 1, a stream of whole 2048: 8 windows of 256 a turn
//   max/f32/256       windows of 256
//   max/f32/64        streams of up to 1024, and tails: 64 elements
//   max/b16/256       windows of 256, the last one shorter
//   max/axis0         a column of registers, 32 rows
//   scale/vector      groups by the register: flat tiles, axis 0
//   scale/pairs       the same for two rows of groups, interleaved
//   scale/row         groups by the register, which begin anywhere in a block:
//                     2-D tiles along axis 1
//   convert/fast      axis 1: 256 elements under 8 scales
//   convert/64        64 elements under 2 scales: where the scales of a row do
//                     not begin at a block, and tails
//   convert/axis0     a row under a register of scales
//
// each followed by the source's format, convert also by the destination's.
//
// Counts of instructions are those of the public kernel (a5_machine, 5) or
// lower; kernels/a5/tquant_counts_test.cc says where and why. Faults of the
// public kernel that are not here (pto_numerics, 7): 8 to 13.
//
// FP4 from f32 (an extension) goes by the f16 method on f32 lanes. E5M2 has no
// instruction.

#include <cstdint>
#include <map>
#include <string>

#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_tile.h"
#include "kernels/tquant_options.h"

namespace mxtile {
namespace a5 {

struct UbGroupTile {
  UbTile tile;
  GroupForm form = GroupForm::k2d;
};

struct UbQuantTiles {
  UbTile dst;
  UbTile src;
  UbGroupTile exp;
  UbGroupTile max;
  UbGroupTile scaling;
};

using PathCounts = std::map<std::string, int64_t>;

// Does not end the last stage: the caller calls unit.Finish(). Errors: those of
// CheckTQuant (kernels/tquant_options.h), and
//   A5-UB-1 to 3   (kernels/a5/ub_tile.h); rows of exponents, maxima and
//                  scalings are whole blocks along axis 0, along axis 1 they
//                  may be any;
//   A5-QUANT-1     f8E5M2, which the model has no conversion for;
//   A5-QUANT-2     maxima and scalings are in the format of the source;
//   A5-QUANT-3     the three tiles of groups are all flat or none is;
//   A5-QUANT-4     FP4 has an even number of valid columns: stores write bytes;
// and the traps of the vector unit.
absl::Status TQuant(VectorUnit& unit, const TQuantOptions& options,
                    const UbQuantTiles& tiles, PathCounts* paths = nullptr);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_TQUANT_H_
