#ifndef EXEC_SIMD_JIT_FLOAT_OPS_H_
#define EXEC_SIMD_JIT_FLOAT_OPS_H_

// Emits the arithmetic of f32 and the conversions of the element formats, for
// one value or a vector of them, with the bits that numerics/ has. Private to
// exec/simd; empty in a build without LLVM.
//
//   FloatOps ops(&builder, options.target, /*lanes=*/8);
//   llvm::Value* x = ops.Decode(ElementFormat::kF8E4M3FN, codes);  // <8 x i8>
//   llvm::Value* y = ops.Exp(ops.Subtract(x, ops.Splat(max)));
//   llvm::Value* h = ops.EncodeBF16(y);                            // <8 x i16>
//
// A value is <lanes x float>, or float where lanes is 1, and codes likewise.
// While a FloatOps lives its builder makes no fast-math flags.
//
// The sign and payload of a NaN that arithmetic makes are not LLVM's to keep:
// it commutes operands and computes with constants itself. Selections,
// conversions and Exp have the bits stated here, NaNs included.

#ifndef MX_WITHOUT_LLVM

#include <cstdint>

#include "exec/simd/jit/target.h"
#include "llvm/IR/IRBuilder.h"
#include "numerics/element_format.h"

namespace mxtile::exec::simd {

class FloatOps {
 public:
  using Float = llvm::Value*;
  using Int = llvm::Value*;  // lanes of i32

  // `builder` has an insertion point and outlives this. 1 <= lanes <= 16, a
  // power of two; more or fewer than target.f32_lanes is fine. The function is
  // compiled for `target`.
  FloatOps(llvm::IRBuilderBase* builder, const SimdTarget& target, int lanes);

  int lanes() const { return lanes_; }
  llvm::Type* float_type() const { return TypeOf(builder_.getFloatTy()); }

  // `scalar` in every lane.
  llvm::Value* Splat(llvm::Value* scalar);

  // --- IEEE arithmetic, each rounded by itself
  Float Add(Float a, Float b) { return builder_.CreateFAdd(a, b); }
  Float Subtract(Float a, Float b) { return builder_.CreateFSub(a, b); }
  Float Multiply(Float a, Float b) { return builder_.CreateFMul(a, b); }
  Float Divide(Float a, Float b) { return builder_.CreateFDiv(a, b); }
  Float Sqrt(Float a);

  // The sign bit alone, of NaNs too.
  Float Negate(Float a) { return builder_.CreateFNeg(a); }
  Float Abs(Float a);

  // isnan(a) ? a : isnan(b) ? b : a >= b ? a : b; with a <= b for Min. Of +0
  // and -0 it is a.
  Float Max(Float a, Float b);
  Float Min(Float a, Float b);

  // numerics/exp.h.
  Float Exp(Float x);

  // --- Conversions
  // numerics' Decode. `codes` are lanes of an integer with at least
  // BitWidth(format) bits, whose higher bits are ignored.
  Float Decode(ElementFormat format, llvm::Value* codes);

  // numerics' EncodeBF16 and EncodeF16 with Overflow::kSpecial: lanes of i16.
  llvm::Value* EncodeBF16(Float value);
  llvm::Value* EncodeF16(Float value);

  // --- What ExpSteps (numerics/exp_steps.h) asks for
  Float FloatConstant(float value);
  Int IntConstant(int32_t value);
  Int AddInt(Int a, Int b) { return builder_.CreateAdd(a, b); }
  Int SubtractInt(Int a, Int b) { return builder_.CreateSub(a, b); }
  Int ShiftLeft(Int a, int count) { return builder_.CreateShl(a, count); }
  Int ShiftRightArithmetic(Int a, int count) {
    return builder_.CreateAShr(a, count);
  }
  Int BitsOf(Float a);
  Float FromBits(Int a);
  Float SelectLess(Float a, Float b, Float then, Float otherwise);
  Float SelectNan(Float a, Float then, Float otherwise);

 private:
  llvm::Type* TypeOf(llvm::Type* element) const;
  llvm::Type* IntType() const { return TypeOf(builder_.getInt32Ty()); }
  Float SelectFirst(llvm::Value* a_wins, Float a, Float b);
  Float MinifloatValue(Int magnitude, int mantissa_bits, int bias);
  Float DecodeF16(Int code);
  Float DecodeF8E8M0FNU(Int code);
  llvm::Value* WithSign(Int value_bits, Int magnitude);
  llvm::Value* HardwareEncodeF16(Float value);
  // Lanes first .. first + count - 1 of a vector; those beyond it are poison.
  llvm::Value* Part(llvm::Value* vector, int first, int count);

  llvm::IRBuilderBase& builder_;
  llvm::IRBuilderBase::FastMathFlagGuard guard_;
  const bool has_f16c_;
  const int lanes_;
};

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_JIT_FLOAT_OPS_H_
