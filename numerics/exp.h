#ifndef NUMERICS_EXP_H_
#define NUMERICS_EXP_H_

// The `exp` of programs. Interpreter, model and compiled code have these bits,
// on every host: libm's differ from one to the next.
//
//   Exp(1.0f) == 2.71828175f
//
// Exp executes the operations of exp_steps.h, which an emitter of code takes
// from there. The host has to round to nearest and to keep subnormals, as it
// does by default.
//
//   x                     Exp(x)
//   NaN                   0x7FC00000
//   -Inf                  +0
//   below -103.97208      +0: exp(x) < 2^-150, half of the smallest subnormal
//   +-0                   1
//   88.722839 and above   Inf: exp(x) rounds beyond the largest float
//   +Inf                  Inf
//
// In between the error is below 0.71 ulp where the result is a normal float and
// below 0.78 ulp where it is subnormal; for 4.4 million floats the result is
// not the nearest float but the one after it. Exp is monotonic: a larger x
// never has a smaller result. All that is tested over all 2^32 floats
// (exp_exhaustive_test.cc). An ulp is the distance of floats in the binade of
// the exact result.

namespace mxtile {

float Exp(float x);

}  // namespace mxtile

#endif  // NUMERICS_EXP_H_
