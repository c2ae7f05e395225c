#ifndef A5_MODEL_CUBE_LOAD_2D_H_
#define A5_MODEL_CUBE_LOAD_2D_H_

// LOAD_2Dv2 (pipe MTE1): fractals of 16 rows x 32 bytes from an NZ matrix in
// Mat to Left (L0A) or Right (L0B).
//
//   // Rows 64..127 and bytes 128..255 of a row of an NZ tile of 128 rows.
//   Load2d(machine, MemorySpace::kLeft,
//          {/*source=*/0, /*destination=*/0, /*m_start=*/4, /*k_start=*/4,
//           /*m_step=*/4, /*k_step=*/4, /*src_stride=*/8, /*dst_stride=*/4});
//
// Fractals of both sides are 512 bytes and numbered column of fractals by
// column of fractals, src_stride (dst_stride) fractals a column.
//
// Without transpose, for i < m_step and j < k_step [headers]:
//
//   source fractal (k_start + j) * src_stride + m_start + i
//     -> destination fractal j * dst_stride + i, unchanged.
//
// With transpose, for 8-bit elements, the unit is a square of 32 x 32 bytes:
// two fractals, one below the other [vendor documents]. The square of source
// fractals m_start + 2i, m_start + 2i + 1 in column k_start + j is transposed
// and becomes
//
//   destination fractals i * dst_stride + 2j and i * dst_stride + 2j + 1:
//
// its 32 byte columns become 32 rows, so that rows and columns of the whole
// matrix change places. The kernels of the headers either issue one load of
// the whole tile or a load per row of squares (m_step = 2, where dst_stride
// does not matter); that both mean this formula is our reading of them.
//
// What it gives: Left wants NZ with K as the columns, Right wants ZN, which is
// the NZ of the transposed matrix. An NZ tile [M, K] goes to Left without
// transpose, an NZ tile [K, N] to Right with it, a ZN tile [K, N] (the NZ of
// [N, K]) to Right without it: M stands for N there.
//
// The _s4 form moves 4-bit elements, two to a byte, the one of even k (or n) in
// the low nibble: a fractal is 16 rows x 64 elements. All fields count the same
// fractals of 512 bytes, so that k_start and k_step are half of what they would
// be if an element were a byte; the headers divide them by two [headers].
// Without transpose it does what the 8-bit form does. With transpose the unit
// is a square of 64 x 64 elements, four fractals one below the other, whose
// elements change bytes and nibbles:
//
//   source fractals m_start + 4i .. m_start + 4i + 3 of column k_start + j
//     -> destination fractals i * dst_stride + 4j .. i * dst_stride + 4j + 3,
//   row r, element c of the square -> row c, element r.
//
// Bytes without a value move as such (a ragged tile has them in its last
// fractals); MMAD traps if it uses them. A byte that the _s4 transpose makes of
// two has a value when both had.

#include <cstdint>

#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {

// Whether the instruction is the plain form or _s4.
enum class Load2dElement { k8Bit, k4Bit };

struct Load2dParams {
  uint64_t source;       // in Mat, a multiple of 32
  uint64_t destination;  // in Left or Right, a multiple of 512
  int64_t m_start = 0;   // fractals of 16 rows; 0..65535
  int64_t k_start = 0;   // fractals of 32 bytes; 0..65535
  int64_t m_step;        // 1..255; even with transpose, of 4 bits a multiple of
                         // 4
  int64_t k_step;        // 1..255
  int64_t src_stride;    // 1..65535
  int64_t dst_stride;    // 1..65535
  bool transpose = false;
  Load2dElement element = Load2dElement::k8Bit;
};

// `to` is kLeft or kRight.
absl::Status Load2d(Machine& machine, MemorySpace to,
                    const Load2dParams& params);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_LOAD_2D_H_
