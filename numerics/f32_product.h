#ifndef NUMERICS_F32_PRODUCT_H_
#define NUMERICS_F32_PRODUCT_H_

// Where an MX product can be computed in floats.
//
// MMAD_MX adds to its accumulator (kernels/reference/matmul_mx.h)
//
//   float(double(acc) + double(a) * double(b) * 2^(sa + sb - 254))
//
// and a fast path would rather compute, each operation rounded to float,
//
//   acc + (a * 2^(sa - 127)) * (b * 2^(sb - 127))
//
// The two give the same bits for every acc when both factors and their product
// are floats exactly:
//
//   F32ProductRange range = ExactF32Products(ElementFormat::kF8E4M3FN,
//                                            ElementFormat::kF8E4M3FN);
//   // 246, 246, 123, 364
//
// Why. Let 2^l be the least magnitude of a format (its smallest subnormal), of
// which every value is a multiple, and Q its largest, with 2^e <= Q.
//   * a * 2^(sa-127) is a multiple of 2^(l + sa - 127) >= 2^-149, since l >=
//     -16, and has as many significant bits as a; it does not overflow while
//     e + sa - 127 <= 127.
//   * The product of the factors has at most 8 significant bits and is a
//     multiple of 2^(la + lb + sa + sb - 254). That is a float while this is
//     2^-149 or more and Qa * Qb * 2^(sa + sb - 254) is below 2^128.
//   * The sum of two floats, rounded to double and then to float, is the sum
//     rounded to float: 53 >= 2*24 + 2 bits make double rounding harmless.
// A scale of 255 is NaN in both.

#include "numerics/element_format.h"

namespace mxtile {

struct F32ProductRange {
  // The largest sa and sb: those of finite factors.
  int max_left;
  int max_right;
  // sa + sb.
  int min_sum;
  int max_sum;

  bool Holds(int left, int right) const {
    return left <= max_left && right <= max_right && left + right >= min_sum &&
           left + right <= max_sum;
  }
};

// For operands of f8E4M3FN, f8E5M2, f4E2M1FN or f4E1M2; another format is a
// bug. The range is the widest of its form: beyond each of its ends there are
// codes and an accumulator with other bits.
F32ProductRange ExactF32Products(ElementFormat left, ElementFormat right);

}  // namespace mxtile

#endif  // NUMERICS_F32_PRODUCT_H_
