#ifndef TOOLS_REDUCE_LONG_PROGRAM_TEST_UTIL_H_
#define TOOLS_REDUCE_LONG_PROGRAM_TEST_UTIL_H_

// A program of more than 300 lines to be reduced: functions with loops that
// carry tiles, branches and arithmetic, all called by one. Somewhere in it:
//
//   * a tile.recip and, in another function, a tile.row_max
//   * an MX scale tensor that is read at a group offset that is no multiple
//     of 2 (MX-OFFSET-3 of block_mx_scale_tensor_views)

#include <string>

namespace mxtile {

std::string LongProgramText();

}  // namespace mxtile

#endif  // TOOLS_REDUCE_LONG_PROGRAM_TEST_UTIL_H_
