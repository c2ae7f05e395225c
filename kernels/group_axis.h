#ifndef KERNELS_GROUP_AXIS_H_
#define KERNELS_GROUP_AXIS_H_

// Along which axis of a [rows, cols] matrix 32 elements share a scale.
//
//   GroupAxis::kAxis1   32 neighbours of a row; scales [rows, cols/32] (ND)
//   GroupAxis::kAxis0   32 neighbours of a column; scales [rows/32, cols] (DN)
//
// The numbers are those of TQUANT's grp_axis.

namespace mxtile {

enum class GroupAxis { kAxis0 = 0, kAxis1 = 1 };

}  // namespace mxtile

#endif  // KERNELS_GROUP_AXIS_H_
