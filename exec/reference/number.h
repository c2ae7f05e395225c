#ifndef EXEC_REFERENCE_NUMBER_H_
#define EXEC_REFERENCE_NUMBER_H_

// Number types for the reference interpreter. A number type has +, *, / and a
// constructor from double.
//
// `double` computes values. `float` computes what the SIMD backend computes,
// bit for bit: each operation is rounded once, folds go left, exp is
// numerics/exp.h (exec/simd/tile_program.h). `Tracked` computes the value and,
// beside it, what comes out when every intermediate is replaced by its absolute
// value: for a matmul the sum of absolute products, against which errors are
// measured.

#include <cmath>

namespace mxtile::exec {

struct Tracked {
  Tracked() = default;
  explicit Tracked(double v) : value(v), magnitude(std::fabs(v)) {}

  double value = 0;
  double magnitude = 0;

  friend Tracked operator+(Tracked a, Tracked b) {
    return Make(a.value + b.value, a.magnitude + b.magnitude);
  }
  friend Tracked operator*(Tracked a, Tracked b) {
    return Make(a.value * b.value, a.magnitude * b.magnitude);
  }
  // By the divisor's value: cancellation in it would make magnitudes smaller.
  friend Tracked operator/(Tracked a, Tracked b) {
    return Make(a.value / b.value, a.magnitude / std::fabs(b.value));
  }

 private:
  static Tracked Make(double value, double magnitude) {
    Tracked t;
    t.value = value;
    t.magnitude = magnitude;
    return t;
  }
};

inline double ValueOf(double number) { return number; }
inline double ValueOf(const Tracked& number) { return number.value; }

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_NUMBER_H_
