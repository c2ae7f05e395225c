#ifndef A5_MODEL_CUBE_MMAD_MX_H_
#define A5_MODEL_CUBE_MMAD_MX_H_

// MMAD_MX (pipe M): C[m, n] (= | +=) sum over k of
//   A[m, k] * 2^(sa[m, k/32] - 127) * B[k, n] * 2^(sb[k/32, n] - 127).
//
//   MmadMx(machine, {/*acc=*/0, /*left=*/0x8000, /*right=*/0, /*m=*/32,
//                    /*k=*/128, /*n=*/64, ElementFormat::kF8E4M3FN,
//                    ElementFormat::kF8E5M2, AccumulatorInit::kZero});
//
// Operands, with R = 16 * ceil(m / 16), C = 16 * ceil(n / 16), G = k / 32, and
// c0 = 32 / element bytes elements in 32 bytes, 32 of 8 bits or 64 of 4:
//
//   A   Left        the byte of (m, k) at left + (k/c0)*R*32 + m*32 +
//                     (k%c0)*element bytes                           (NZ)
//   B   Right       the byte of (k, n) at right + (k/c0)*C*32 + n*32 +
//                     (k%c0)*element bytes                           (ZN)
//   sa  LeftScale   byte (m, g) at (left >> 4) +
//                     ((m/16)*(G/2) + g/2)*32 + (m%16)*2 + g%2       (ZZ)
//   sb  RightScale  byte (g, n) at (right >> 4), as sa with n for m  (NN)
//   C   Acc         fp32 (m, n) at acc + (n/16)*R*64 + m*64 + (n%16)*4 (NZ)
//
// Of two 4-bit elements in a byte the one of even k is in the low nibble.
//
// In gemv mode A is one row, without the 15 rows of padding that a fractal
// would need [headers: how the two are loaded]:
//
//   A   Left        the byte of k at left + k*element bytes
//   sa  LeftScale   byte g at (left >> 4) + g
//
// The instruction has no scale operand: what lies at the address is the scale.
// Only the bytes of valid rows and columns are read, and of C only those are
// written: the padding keeps what it had. Every byte that is read must have a
// value (A5-MEM-3).
//
// Numerics. k ascending; each step is
//
//   acc = float(double(acc) + double(a) * double(b) * scale)
//
// with scale = 2^(sa + sb - 254), in which only the last sum and the conversion
// round. The accumulator starts as 0, as C or as the bias of its column. E4M3
// NaN, E5M2 NaN and infinities are what the formats say; scale 255 makes every
// product NaN; a NaN in C has the bits 0x7FC00000. With `saturate` (the
// instruction's `sat`) an infinite input, also in C and in the bias, counts as
// the largest finite value of its format, NaN (also by a scale of 255) as 0,
// and a sum that overflows stays the largest float of its sign [vendor
// documents; that it is applied at every step: ours].
//
// The order and width inside the device are not public: this order is a
// decision, deterministic and easy to repeat. kernels/reference/matmul_mx.h has
// the same one; a5_model/cube/mx_accumulate.h computes it.

#include <cstdint>

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

enum class AccumulatorInit {
  kZero,        // C = A * B
  kAccumulate,  // C = C + A * B
  kBias,        // C = bias[n] + A * B
};

struct MmadMxParams {
  uint64_t acc;                // in Acc, a multiple of 128
  uint64_t left;               // in Left, a multiple of 512
  uint64_t right;              // in Right, a multiple of 512
  int64_t m;                   // 1..4095; 1 in gemv mode
  int64_t k;                   // 64..4095, a multiple of 64
  int64_t n;                   // 1..4095
  ElementFormat left_format;   // kF8E4M3FN or kF8E5M2, each on its own, or
  ElementFormat right_format;  // kF4E2M1FN or kF4E1M2, each on its own
  AccumulatorInit init = AccumulatorInit::kZero;
  uint64_t bias = 0;  // in Bias, a multiple of 64; for kBias only
  bool gemv = false;
  bool saturate = false;
};

absl::Status MmadMx(Machine& machine, const MmadMxParams& params);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_MMAD_MX_H_
