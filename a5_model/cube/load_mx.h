#ifndef A5_MODEL_CUBE_LOAD_MX_H_
#define A5_MODEL_CUBE_LOAD_MX_H_

// LOAD_MX_2Dv2 (pipe MTE1): scale boxes of 32 bytes from Mat to LeftScale
// (L0A_MX) or RightScale (L0B_MX).
//
//   // Rows 64..127, groups 4..7 of the ZZ scales of a [128, 8] tile: the whole
//   // of a tile [64, 4] whose data is at 0x8000 of Left.
//   LoadMx(machine, MemorySpace::kLeftScale,
//          {/*source=*/0, /*destination=*/0x8000 >> 4, /*x_start=*/4,
//           /*y_start=*/2, /*x_step=*/4, /*y_step=*/2, /*src_stride=*/4,
//           /*dst_stride=*/2, /*fill_id=*/7});
//
// A box is 16 rows of A (columns of B) x 2 groups; the boxes of a ZZ (NN)
// matrix are numbered block of 16 by block of 16, src_stride (dst_stride) boxes
// each. For i < x_step and j < y_step [headers]:
//
//   source box (x_start + i) * src_stride + y_start + j
//     -> destination box i * dst_stride + j.
//
// Groups move in pairs: an odd number of groups has no encoding, whoever
// computes the steps has to refuse it.
//
// MMAD_MX finds scales by address alone, at the address of the data >> 4. The
// machine therefore remembers which fill wrote which bytes, under a number that
// the program chooses: Machine::FindScaleFill.

#include <cstdint>

#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {

struct LoadMxParams {
  uint64_t source;       // in Mat, a multiple of 32
  uint64_t destination;  // in LeftScale or RightScale, a multiple of 32
  int64_t x_start = 0;   // blocks of 16 rows or columns; 0..65535
  int64_t y_start = 0;   // pairs of groups; 0..65535
  int64_t x_step;        // 1..255
  int64_t y_step;        // 1..255
  int64_t src_stride;    // boxes; 1..65535
  int64_t dst_stride;    // boxes; 1..65535
  int64_t fill_id;       // the program's number of the tile that it fills
};

// `to` is kLeftScale or kRightScale. Records the ScaleFill of the bytes from
// the first to the last box; with dst_stride > y_step that range has gaps, and
// FindScaleFill does not call a range with gaps filled.
absl::Status LoadMx(Machine& machine, MemorySpace to,
                    const LoadMxParams& params);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_LOAD_MX_H_
