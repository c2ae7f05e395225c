#include "exec/simd/jit/float_ops.h"

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <numeric>

#include "base/check.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "numerics/element_format.h"
#include "numerics/exp_steps.h"

namespace mxtile::exec::simd {
namespace {

constexpr int32_t kMagnitudeMask = 0x7FFFFFFF;
constexpr int32_t kInfinityBits = 0x7F800000;
constexpr int32_t kQuietNanBits = 0x7FC00000;

}  // namespace

FloatOps::FloatOps(llvm::IRBuilderBase* builder, const SimdTarget& target,
                   int lanes)
    : builder_(*builder),
      guard_(*builder),
      has_f16c_(target.has_f16c),
      lanes_(lanes) {
  MX_CHECK(lanes >= 1 && lanes <= 16 && (lanes & (lanes - 1)) == 0);
  builder_.clearFastMathFlags();
}

llvm::Type* FloatOps::TypeOf(llvm::Type* element) const {
  if (lanes_ == 1) return element;
  return llvm::FixedVectorType::get(element, lanes_);
}

llvm::Value* FloatOps::Splat(llvm::Value* scalar) {
  return lanes_ == 1 ? scalar : builder_.CreateVectorSplat(lanes_, scalar);
}

FloatOps::Float FloatOps::FloatConstant(float value) {
  return llvm::ConstantFP::get(float_type(), llvm::APFloat(value));
}

FloatOps::Int FloatOps::IntConstant(int32_t value) {
  return llvm::ConstantInt::getSigned(IntType(), value);
}

FloatOps::Int FloatOps::BitsOf(Float a) {
  return builder_.CreateBitCast(a, IntType());
}

FloatOps::Float FloatOps::FromBits(Int a) {
  return builder_.CreateBitCast(a, float_type());
}

FloatOps::Float FloatOps::SelectLess(Float a, Float b, Float then,
                                     Float otherwise) {
  return builder_.CreateSelect(builder_.CreateFCmpOLT(a, b), then, otherwise);
}

FloatOps::Float FloatOps::SelectNan(Float a, Float then, Float otherwise) {
  return builder_.CreateSelect(builder_.CreateFCmpUNO(a, a), then, otherwise);
}

FloatOps::Float FloatOps::Sqrt(Float a) {
  return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
}

FloatOps::Float FloatOps::Abs(Float a) {
  return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
}

// A comparison with NaN is false, which leaves b: right unless a is the NaN.
FloatOps::Float FloatOps::SelectFirst(llvm::Value* a_wins, Float a, Float b) {
  llvm::Value* const is_a =
      builder_.CreateOr(builder_.CreateFCmpUNO(a, a), a_wins);
  return builder_.CreateSelect(is_a, a, b);
}

FloatOps::Float FloatOps::Max(Float a, Float b) {
  return SelectFirst(builder_.CreateFCmpOGE(a, b), a, b);
}

FloatOps::Float FloatOps::Min(Float a, Float b) {
  return SelectFirst(builder_.CreateFCmpOLE(a, b), a, b);
}

FloatOps::Float FloatOps::Exp(Float x) { return ExpSteps(*this, x); }

// Codes below the smallest normal count steps of the smallest subnormal; the
// product is exact and, in these formats, normal.
FloatOps::Float FloatOps::MinifloatValue(Int magnitude, int mantissa_bits,
                                         int bias) {
  const float step =
      llvm::APFloat(llvm::APFloat::IEEEsingle(),
                    llvm::APInt(32, (128 - bias - mantissa_bits) << 23))
          .convertToFloat();
  const Float subnormal = Multiply(
      builder_.CreateSIToFP(magnitude, float_type()), FloatConstant(step));
  const Float normal = FromBits(AddInt(ShiftLeft(magnitude, 23 - mantissa_bits),
                                       IntConstant((127 - bias) << 23)));
  llvm::Value* const is_subnormal =
      builder_.CreateICmpSLT(magnitude, IntConstant(1 << mantissa_bits));
  return builder_.CreateSelect(is_subnormal, subnormal, normal);
}

FloatOps::Float FloatOps::DecodeF16(Int code) {
  if (has_f16c_) {
    llvm::Value* const halves = builder_.CreateBitCast(
        builder_.CreateTrunc(code, TypeOf(builder_.getInt16Ty())),
        TypeOf(builder_.getHalfTy()));
    return builder_.CreateFPExt(halves, float_type());
  }
  const Int magnitude = builder_.CreateAnd(code, IntConstant(0x7FFF));
  const Int finite = BitsOf(MinifloatValue(magnitude, 10, 15));
  const Int special =
      builder_.CreateOr(ShiftLeft(magnitude, 13), IntConstant(kInfinityBits));
  const Int quiet = builder_.CreateSelect(
      builder_.CreateICmpSGT(magnitude, IntConstant(0x7C00)),
      IntConstant(kQuietNanBits), IntConstant(kInfinityBits));
  llvm::Value* const is_special =
      builder_.CreateICmpSGE(magnitude, IntConstant(0x7C00));
  const Int bits = builder_.CreateSelect(
      is_special, builder_.CreateOr(special, quiet), finite);
  const Int sign = ShiftLeft(builder_.CreateAnd(code, IntConstant(0x8000)), 16);
  return FromBits(builder_.CreateOr(bits, sign));
}

FloatOps::Float FloatOps::DecodeF8E8M0FNU(Int code) {
  const Int bits =
      builder_.CreateSelect(builder_.CreateICmpEQ(code, IntConstant(0)),
                            IntConstant(1 << 22), ShiftLeft(code, 23));
  return FromBits(
      builder_.CreateSelect(builder_.CreateICmpEQ(code, IntConstant(0xFF)),
                            IntConstant(kQuietNanBits), bits));
}

FloatOps::Float FloatOps::Decode(ElementFormat format, llvm::Value* codes) {
  const int width = BitWidth(format);
  Int code = builder_.CreateZExtOrTrunc(codes, IntType());
  if (width < 32) {
    code = builder_.CreateAnd(code, IntConstant((1 << width) - 1));
  }
  switch (format) {
    case ElementFormat::kF32:
      return FromBits(code);
    case ElementFormat::kBF16:
      return FromBits(ShiftLeft(code, 16));
    case ElementFormat::kF16:
      return DecodeF16(code);
    case ElementFormat::kF8E8M0FNU:
      return DecodeF8E8M0FNU(code);
    default:
      break;
  }
  const int sign_mask = 1 << (width - 1);
  const Int magnitude = builder_.CreateAnd(code, IntConstant(sign_mask - 1));
  // bits of the magnitude, of Inf and NaN too
  Int bits = nullptr;
  const auto replace = [&](llvm::Value* where, int32_t by) {
    bits = builder_.CreateSelect(where, IntConstant(by), bits);
  };
  switch (format) {
    case ElementFormat::kF8E4M3FN:
      bits = BitsOf(MinifloatValue(magnitude, 3, 7));
      replace(builder_.CreateICmpEQ(magnitude, IntConstant(0x7F)),
              kQuietNanBits);
      break;
    case ElementFormat::kF8E5M2:
      bits = BitsOf(MinifloatValue(magnitude, 2, 15));
      replace(builder_.CreateICmpEQ(magnitude, IntConstant(0x7C)),
              kInfinityBits);
      replace(builder_.CreateICmpSGT(magnitude, IntConstant(0x7C)),
              kQuietNanBits);
      break;
    case ElementFormat::kF4E2M1FN:
      bits = BitsOf(MinifloatValue(magnitude, 1, 1));
      break;
    case ElementFormat::kF4E1M2:
      bits = BitsOf(MinifloatValue(magnitude, 2, 1));
      break;
    default:
      MX_CHECK(false);
  }
  const Int sign =
      ShiftLeft(builder_.CreateAnd(code, IntConstant(sign_mask)), 32 - width);
  return FromBits(builder_.CreateOr(bits, sign));
}

// 16 bits: the sign of the float with `value_bits`, over `magnitude`.
llvm::Value* FloatOps::WithSign(Int value_bits, Int magnitude) {
  const Int sign = builder_.CreateAnd(builder_.CreateLShr(value_bits, 16),
                                      IntConstant(0x8000));
  return builder_.CreateTrunc(builder_.CreateOr(sign, magnitude),
                              TypeOf(builder_.getInt16Ty()));
}

llvm::Value* FloatOps::EncodeBF16(Float value) {
  const Int bits = BitsOf(value);
  const Int magnitude = builder_.CreateAnd(bits, IntConstant(kMagnitudeMask));
  const Int odd =
      builder_.CreateAnd(builder_.CreateLShr(magnitude, 16), IntConstant(1));
  const Int nearest = builder_.CreateLShr(
      AddInt(AddInt(magnitude, IntConstant(0x7FFF)), odd), 16);
  const Int quiet =
      builder_.CreateOr(builder_.CreateLShr(magnitude, 16), IntConstant(0x40));
  llvm::Value* const is_nan =
      builder_.CreateICmpSGT(magnitude, IntConstant(kInfinityBits));
  return WithSign(bits, builder_.CreateSelect(is_nan, quiet, nearest));
}

llvm::Value* FloatOps::EncodeF16(Float value) {
  if (has_f16c_) return HardwareEncodeF16(value);
  const Int bits = BitsOf(value);
  const Int magnitude = builder_.CreateAnd(bits, IntConstant(kMagnitudeMask));
  const Int odd =
      builder_.CreateAnd(builder_.CreateLShr(magnitude, 13), IntConstant(1));
  const Int rounded = builder_.CreateLShr(
      AddInt(AddInt(magnitude, IntConstant(0xFFF)), odd), 13);
  const Int rebiased = SubtractInt(rounded, IntConstant(112 << 10));
  const Int normal = builder_.CreateSelect(
      builder_.CreateICmpSGT(rebiased, IntConstant(0x7C00)),
      IntConstant(0x7C00), rebiased);
  // Floats around 1/2 are 2^-24 apart, the step of the subnormals.
  const Int subnormal =
      SubtractInt(BitsOf(Add(FromBits(magnitude), FloatConstant(0.5f))),
                  IntConstant(0x3F000000));
  llvm::Value* const is_normal =
      builder_.CreateICmpSGE(magnitude, IntConstant((127 - 14) << 23));
  const Int finite = builder_.CreateSelect(is_normal, normal, subnormal);
  const Int nan =
      builder_.CreateOr(builder_.CreateAnd(builder_.CreateLShr(magnitude, 13),
                                           IntConstant(0x3FF)),
                        IntConstant(0x7E00));
  llvm::Value* const is_nan =
      builder_.CreateICmpSGT(magnitude, IntConstant(kInfinityBits));
  return WithSign(bits, builder_.CreateSelect(is_nan, nan, finite));
}

llvm::Value* FloatOps::Part(llvm::Value* vector, int first, int count) {
  const int size = static_cast<int>(
      llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements());
  llvm::SmallVector<int, 16> mask(count);
  std::iota(mask.begin(), mask.end(), first);
  for (int& lane : mask) {
    if (lane >= size) lane = llvm::PoisonMaskElem;
  }
  return builder_.CreateShuffleVector(vector, mask);
}

// By the instruction's intrinsic, since fptrunc of what was a half would be
// folded away, and a signalling NaN would not become quiet.
llvm::Value* FloatOps::HardwareEncodeF16(Float value) {
  llvm::Value* const nearest = builder_.getInt32(0);
  if (lanes_ == 1) {
    llvm::Value* const vector = builder_.CreateInsertElement(
        llvm::PoisonValue::get(
            llvm::FixedVectorType::get(builder_.getFloatTy(), 4)),
        value, uint64_t{0});
    return builder_.CreateExtractElement(
        builder_.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_128,
                                 {vector, nearest}),
        uint64_t{0});
  }
  if (lanes_ <= 4) {
    llvm::Value* const vector = lanes_ == 4 ? value : Part(value, 0, 4);
    return Part(builder_.CreateIntrinsic(llvm::Intrinsic::x86_vcvtps2ph_128,
                                         {vector, nearest}),
                0, lanes_);
  }
  llvm::Value* halves[2];
  for (int first = 0; first < lanes_; first += 8) {
    llvm::Value* const vector = lanes_ == 8 ? value : Part(value, first, 8);
    halves[first / 8] = builder_.CreateIntrinsic(
        llvm::Intrinsic::x86_vcvtps2ph_256, {vector, nearest});
  }
  if (lanes_ == 8) return halves[0];
  llvm::SmallVector<int, 16> all(16);
  std::iota(all.begin(), all.end(), 0);
  return builder_.CreateShuffleVector(halves[0], halves[1], all);
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
