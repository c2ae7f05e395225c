#ifndef NUMERICS_EXP_TEST_UTIL_H_
#define NUMERICS_EXP_TEST_UTIL_H_

// How far a float is from exp(x).
//
//   ExpError(1.0f, std::exp(1.0f)).ulps < 1
//
// The reference is libm's exp in long double. It is off by less than 2^-62 of
// its value where that is a format of 64 bits, and by 2^-52 where it is double:
// at most 2^-28 ulp of a float, far below the digits that are compared. The
// double exp is another program; `references_agree` says that the two are
// within 2^-52 of each other, where the result is a finite float above 0.

namespace mxtile {

struct ExpErrorResult {
  // The exact result rounds to 0, to a subnormal, a normal or Inf.
  enum class Range { kZero, kSubnormal, kNormal, kInfinity } range;
  // |result - exp(x)| / ulp; 0 in kZero and kInfinity for the right result, Inf
  // for another one.
  double ulps;
  // The result is the float nearest to exp(x).
  bool is_nearest;
  bool references_agree;
};

// `x` is not NaN.
ExpErrorResult ExpError(float x, float result);

}  // namespace mxtile

#endif  // NUMERICS_EXP_TEST_UTIL_H_
