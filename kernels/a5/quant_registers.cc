#include "kernels/a5/quant_registers.h"

#include <cstdint>

#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "base/check.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/float_bits.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr uint32_t kNanScale = 255;
constexpr uint32_t kLargestScale = 254;  // of Inf, by kNv
// 2^-127, which 2^(127 - 254) is: a subnormal, that shifting does not give.
constexpr uint32_t kLeastReciprocalBits = 0x00400000;

}  // namespace

ScaleStep::ScaleStep(VectorUnit& unit, ScaleRule rule, ElementFormat format)
    : unit_(unit),
      rule_(rule),
      reciprocal_of_largest_(1.0f / MaxFinite(format)) {
  const uint32_t emax = MaxExponent(format);
  const uint16_t bf16_nan = ReciprocalScaleBF16(format, kNanScale);
  infinity_ = unit.Vbr<uint32_t>(kFloatInfinityBits);
  quiet_nan_ = unit.Vbr<uint32_t>(kFloatQuietNanBits);
  nan_scale_ = unit.Vbr<uint32_t>(kNanScale);
  largest_scale_ = unit.Vbr<uint32_t>(kLargestScale);
  widened_nan_ = unit.Vbr<uint32_t>(bf16_nan);
  if (rule == ScaleRule::kOcp) {
    emax_ = unit.Vbr<uint32_t>(emax);
    b16_clamp_ = unit.Vbr<uint16_t>(static_cast<uint16_t>(emax << 7));
    b16_largest_ = unit.Vbr<uint16_t>(0x7F00);
    b16_infinity_ = unit.Vbr<uint16_t>(0x7F80);
    b16_nan_ = unit.Vbr<uint16_t>(bf16_nan);
    b16_nan_scale_ = unit.Vbr<uint16_t>(kNanScale);
  } else {
    mantissa_mask_ = unit.Vbr<uint32_t>(0x7FFFFF);
    least_reciprocal_ = unit.Vbr<uint32_t>(kLeastReciprocalBits);
  }
}

ScaleRegs ScaleStep::Ocp(const Reg& max, const Mask& mask) const {
  Reg exponent = unit_.Vand<uint32_t>(max, infinity_, mask);
  exponent = unit_.Vshrs<uint32_t>(exponent, 23, mask);
  const Mask nan = unit_.Vcmp<uint32_t>(Compare::kGt, max, infinity_, mask);
  // At emax and below the scale is 0.
  exponent = unit_.Vmax<uint32_t>(exponent, emax_, mask);
  Reg scale = unit_.Vsub<uint32_t>(exponent, emax_, mask);
  Reg reciprocal = unit_.Vsub<uint32_t>(largest_scale_, scale, mask);
  reciprocal = unit_.Vshls<uint32_t>(reciprocal, 23, mask);
  scale = unit_.Vsel<uint32_t>(nan_scale_, scale, nan);
  reciprocal = unit_.Vsel<uint32_t>(quiet_nan_, reciprocal, nan);
  return {scale, reciprocal};
}

ScaleRegs ScaleStep::Nv(const Reg& max, const Mask& mask) const {
  const Reg ratio = unit_.Vmuls<float>(max, reciprocal_of_largest_, mask);
  const Reg exponent = unit_.Vshrs<uint32_t>(ratio, 23, mask);
  const Reg mantissa = unit_.Vand<uint32_t>(ratio, mantissa_mask_, mask);
  // Above 2^-127 and no power of two: one more.
  const Mask above =
      unit_.Vcmps<uint32_t>(Compare::kGt, ratio, kLeastReciprocalBits, mask);
  const Mask up = unit_.Vcmps<uint32_t>(Compare::kNe, mantissa, 0, above);
  const Reg next = unit_.Vadds<uint32_t>(exponent, 1, mask);
  Reg scale = unit_.Vsel<uint32_t>(next, exponent, up);
  const Mask inf = unit_.Vcmp<uint32_t>(Compare::kEq, ratio, infinity_, mask);
  scale = unit_.Vsel<uint32_t>(largest_scale_, scale, inf);
  const Mask nan = unit_.Vcmp<uint32_t>(Compare::kGt, ratio, infinity_, mask);
  Reg reciprocal = unit_.Vsub<uint32_t>(largest_scale_, scale, mask);
  reciprocal = unit_.Vshls<uint32_t>(reciprocal, 23, mask);
  reciprocal = unit_.Vsel<uint32_t>(least_reciprocal_, reciprocal, inf);
  scale = unit_.Vsel<uint32_t>(nan_scale_, scale, nan);
  reciprocal = unit_.Vsel<uint32_t>(quiet_nan_, reciprocal, nan);
  return {scale, reciprocal};
}

ScaleRegs ScaleStep::FromF32(const Reg& max, const Mask& mask) const {
  return rule_ == ScaleRule::kOcp ? Ocp(max, mask) : Nv(max, mask);
}

ScaleRegs ScaleStep::FromWidened(const Reg& max, const Mask& mask) const {
  ScaleRegs scale = FromF32(max, mask);
  const Mask nan =
      unit_.Vcmp<uint32_t>(Compare::kEq, scale.exponent, nan_scale_, mask);
  scale.reciprocal = unit_.Vshrs<uint32_t>(scale.reciprocal, 16, mask);
  scale.reciprocal = unit_.Vsel<uint32_t>(widened_nan_, scale.reciprocal, nan);
  return scale;
}

ScaleRegs ScaleStep::FromBF16(const Reg& max, const Mask& mask) const {
  MX_CHECK(rule_ == ScaleRule::kOcp);
  Reg exponent = unit_.Vand<uint16_t>(max, b16_infinity_, mask);
  exponent = unit_.Vmax<uint16_t>(exponent, b16_clamp_, mask);
  const Reg above = unit_.Vsub<uint16_t>(exponent, b16_clamp_, mask);
  Reg scale = unit_.Vshrs<uint16_t>(above, 7, mask);
  Reg reciprocal = unit_.Vsub<uint16_t>(b16_largest_, above, mask);
  const Mask nan = unit_.Vcmp<uint16_t>(Compare::kGt, max, b16_infinity_, mask);
  scale = unit_.Vsel<uint16_t>(b16_nan_scale_, scale, nan);
  reciprocal = unit_.Vsel<uint16_t>(b16_nan_, reciprocal, nan);
  return {scale, reciprocal};
}

B16Magnitude::B16Magnitude(VectorUnit& unit, ElementFormat source,
                           ScaleRule rule)
    : unit_(unit),
      to_bf16_(source == ElementFormat::kF16 && rule == ScaleRule::kOcp),
      magnitude_(unit.Vbr<uint16_t>(0x7FFF)) {
  if (!to_bf16_) return;
  f16_infinity_ = unit.Vbr<uint16_t>(0x7C00);
  f16_mantissa_ = unit.Vbr<uint16_t>(0x03FF);
  bf16_infinity_ = unit.Vbr<uint16_t>(0x7F80);
  bf16_nan_ = unit.Vbr<uint16_t>(0x7FC0);
}

Reg B16Magnitude::operator()(const Reg& x, const Mask& mask) const {
  const Reg magnitude = unit_.Vand<uint16_t>(x, magnitude_, mask);
  if (!to_bf16_) return magnitude;
  // Whether the conversion would saturate Inf or keep a NaN's payload does not
  // matter: both are put in by hand.
  const Reg exponent = unit_.Vand<uint16_t>(magnitude, f16_infinity_, mask);
  const Reg mantissa = unit_.Vand<uint16_t>(magnitude, f16_mantissa_, mask);
  const Mask special =
      unit_.Vcmp<uint16_t>(Compare::kEq, exponent, f16_infinity_, mask);
  const Mask nan = unit_.Vcmps<uint16_t>(Compare::kNe, mantissa, 0, special);
  const Mask inf = unit_.Vcmps<uint16_t>(Compare::kEq, mantissa, 0, special);
  Reg bf16 = unit_.VcvtHalfToBFloat(magnitude, mask, Round::kZ);
  bf16 = unit_.Vsel<uint16_t>(bf16_infinity_, bf16, inf);
  return unit_.Vsel<uint16_t>(bf16_nan_, bf16, nan);
}

F4Encoder::F4Encoder(VectorUnit& unit)
    : unit_(unit), magnitude_(unit.Vbr<uint32_t>(0x7FFFFFFF)) {}

Reg F4Encoder::operator()(const Reg& value, const Mask& mask) const {
  const Reg magnitude = unit_.Vand<uint32_t>(value, magnitude_, mask);
  Reg exponent = unit_.Vshrs<uint32_t>(magnitude, 23, mask);
  exponent = unit_.Vmaxs<uint32_t>(exponent, 127, mask);
  exponent = unit_.Vmins<uint32_t>(exponent, 129, mask);
  Reg anchor = unit_.Vadds<uint32_t>(exponent, 22, mask);
  anchor = unit_.Vshls<uint32_t>(anchor, 23, mask);
  const Reg rounded = unit_.Vadd<float>(magnitude, anchor, mask);
  const Reg steps = unit_.Vsub<uint32_t>(rounded, anchor, mask);
  Reg below =
      unit_.Vadds<uint32_t>(exponent, static_cast<uint32_t>(-127), mask);
  below = unit_.Vshls<uint32_t>(below, 1, mask);
  Reg code = unit_.Vadd<uint32_t>(steps, below, mask);
  // Inf and NaN are far above.
  code = unit_.Vmins<uint32_t>(code, 7, mask);
  Reg sign = unit_.Vshrs<uint32_t>(value, 31, mask);
  sign = unit_.Vshls<uint32_t>(sign, 3, mask);
  return unit_.Vor<uint32_t>(code, sign, mask);
}

Reg WidenedB16(VectorUnit& unit, ElementFormat format, const Reg& x,
               const Mask& mask, HalfPart part) {
  return format == ElementFormat::kBF16 ? unit.VcvtToF32<BFloat>(x, mask, part)
                                        : unit.VcvtToF32<Half>(x, mask, part);
}

Reg BF16NanToInf(VectorUnit& unit, const Reg& value, const Mask& mask) {
  const Reg infinity = unit.Vbr<uint16_t>(0x7F80);
  const Reg magnitude_mask = unit.Vbr<uint16_t>(0x7FFF);
  const Reg magnitude = unit.Vand<uint16_t>(value, magnitude_mask, mask);
  const Mask nan = unit.Vcmp<uint16_t>(Compare::kGt, magnitude, infinity, mask);
  return unit.Vsel<uint16_t>(infinity, value, nan);
}

bool F4Store::HasBlockRows(const TileType& dst) {
  return dst.rows == 1 ||
         ElementsToBytes(dst, RowPitch(dst)) % kBlockBytes == 0;
}

F4Store::F4Store(VectorUnit& unit, bool block_rows)
    : unit_(unit), block_rows_(block_rows) {
  if (block_rows) return;
  // 0, 4, 8 ... 252 in the first 64 lanes of 8 bits.
  const Mask all = unit.Pset<uint8_t>(Pattern::kAll);
  every_fourth_ = unit.Vshls<uint8_t>(unit.Vci<uint8_t>(0), 2, all);
}

void F4Store::Store(const Reg& bytes, UbPtr<uint8_t> to, int64_t count,
                    const Mask& pairs) const {
  if (block_rows_) {
    unit_.Vsts(bytes, to, 0, StoreDist::kPk4B32, pairs);
    return;
  }
  AlignReg align;
  unit_.Vstus(align, count, unit_.Vselr<uint8_t>(bytes, every_fourth_), to);
  unit_.Vstas(align, to, count);
}

Reg PairsOfLanes(VectorUnit& unit, const Reg& codes, const Mask& pairs) {
  const RegPair halves = unit.Vdintlv<uint32_t>(codes, codes);
  const Reg odd = unit.Vshls<uint32_t>(halves.second, 4, pairs);
  return unit.Vor<uint32_t>(odd, halves.first, pairs);
}

}  // namespace a5
}  // namespace mxtile
