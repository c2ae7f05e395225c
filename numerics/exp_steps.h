#ifndef NUMERICS_EXP_STEPS_H_
#define NUMERICS_EXP_STEPS_H_

// exp(x) in float as one fixed sequence of operations, over whatever executes
// or emits them: Exp (exp.h) runs it on floats, a compiler instantiates it with
// a builder of instructions, and both have the same bits.
//
//   struct Emit { using Float = llvm::Value*; using Int = llvm::Value*; ... };
//   llvm::Value* y = ExpSteps(emit, x);
//
//    1  c  = max(x, -104)       NaN stays NaN; below it exp is 0
//    2  c  = min(c, 89)         above it exp is Inf
//    3  t  = c * kLog2E
//    4  z  = t + kMagic         rounds t to an integer
//    5  n  = z - kMagic         that integer: exp(x) = 2^n * exp(r)
//    6  k  = bits(z) - bits(kMagic)       n as an int
//    7  u  = n * kLn2High       exact: 8 bits times 15 bits
//    8  a  = c - u              exact
//    9  b  = n * kLn2Low
//   10  r  = a - b              |r| < 0.34664
//   11  d  = a - r
//   12  e  = d - b              what rounding lost in step 10
//   13  p  = kC6
//       p  = p * r;  p = p + kC5          and so on to kC2: two roundings each
//   14  s  = r * r
//   15  q  = s * p              exp(r) = 1 + r + q
//   16  h  = 1 + r
//   17  v  = h - 1
//   18  w  = r - v              what rounding lost in step 16
//   19  m  = q + e
//   20  l  = w + m
//   21  y  = h + l              exp(r), in (0.7, 1.42)
//   22  k1 = k >> 1             arithmetic shift
//   23  k2 = k - k1
//   24  y  = y * float((k1 + 127) << 23)  exact
//   25  y  = y * float((k2 + 127) << 23)  rounds in subnormals; Inf beyond
//   26  the result is 0x7FC00000 where x is NaN, else y
//
// Every step is one operation, rounded to float, nearest, ties to even,
// subnormals kept. No two steps may be contracted into one.
//
// Steps 7 to 9 are the reduction of Cody and Waite: kLn2High is ln 2 to 15
// bits, kLn2Low the float nearest to the rest. kC2 .. kC6 are the polynomial P
// with the least largest |P(r) r^2 + 1 + r - exp(r)| / exp(r) over |r| <
// 0.34664, found by Remez exchange in 60 digits, then rounded to float from kC2
// upward, each time with the others fitted again. That error is 3.2e-9, 0.053
// ulp of the smallest results.

#include <cstdint>

namespace mxtile {

// `Ops` has types Float and Int (32 bits, wrapping) and
//   Float FloatConstant(float)
//   Int   IntConstant(int32_t)
//   Float Add(Float, Float), Subtract(Float, Float), Multiply(Float, Float)
//   Int   AddInt(Int, Int), SubtractInt(Int, Int)
//   Int   ShiftLeft(Int, int), ShiftRightArithmetic(Int, int)
//   Int   BitsOf(Float); Float FromBits(Int)
//   Float SelectLess(Float a, Float b, Float then, Float otherwise)
//             then where a < b; otherwise too where one of them is NaN
//   Float SelectNan(Float a, Float then, Float otherwise)
template <typename Ops>
typename Ops::Float ExpSteps(Ops& ops, typename Ops::Float x) {
  using Float = typename Ops::Float;
  using Int = typename Ops::Int;
  constexpr float kLog2E = 0x1.715476p+0f;
  constexpr float kMagic = 0x1.8p+23f;
  constexpr int32_t kMagicBits = 0x4B400000;
  constexpr float kLn2High = 0x1.62e4p-1f;
  constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  constexpr float kC6 = 0x1.6ac714p-10f;
  constexpr float kLowerC[] = {0x1.123ddep-7f, 0x1.555858p-5f, 0x1.55548cp-3f,
                               0x1.fffffcp-2f};  // kC5 .. kC2
  constexpr int32_t kQuietNanBits = 0x7FC00000;

  const Float low = ops.FloatConstant(-104);
  const Float high = ops.FloatConstant(89);
  const Float raised = ops.SelectLess(x, low, low, x);
  const Float c = ops.SelectLess(high, raised, high, raised);

  const Float magic = ops.FloatConstant(kMagic);
  const Float t = ops.Multiply(c, ops.FloatConstant(kLog2E));
  const Float z = ops.Add(t, magic);
  const Float n = ops.Subtract(z, magic);
  const Int k = ops.SubtractInt(ops.BitsOf(z), ops.IntConstant(kMagicBits));

  const Float u = ops.Multiply(n, ops.FloatConstant(kLn2High));
  const Float a = ops.Subtract(c, u);
  const Float b = ops.Multiply(n, ops.FloatConstant(kLn2Low));
  const Float r = ops.Subtract(a, b);
  const Float d = ops.Subtract(a, r);
  const Float e = ops.Subtract(d, b);

  Float p = ops.FloatConstant(kC6);
  for (const float coefficient : kLowerC) {
    p = ops.Multiply(p, r);
    p = ops.Add(p, ops.FloatConstant(coefficient));
  }
  const Float s = ops.Multiply(r, r);
  const Float q = ops.Multiply(s, p);

  const Float one = ops.FloatConstant(1);
  const Float h = ops.Add(one, r);
  const Float v = ops.Subtract(h, one);
  const Float w = ops.Subtract(r, v);
  const Float m = ops.Add(q, e);
  const Float l = ops.Add(w, m);
  Float y = ops.Add(h, l);

  const Int k1 = ops.ShiftRightArithmetic(k, 1);
  const Int k2 = ops.SubtractInt(k, k1);
  for (const Int half : {k1, k2}) {
    const Int field = ops.AddInt(half, ops.IntConstant(127));
    y = ops.Multiply(y, ops.FromBits(ops.ShiftLeft(field, 23)));
  }
  return ops.SelectNan(x, ops.FromBits(ops.IntConstant(kQuietNanBits)), y);
}

}  // namespace mxtile

#endif  // NUMERICS_EXP_STEPS_H_
