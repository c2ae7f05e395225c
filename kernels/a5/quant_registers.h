#ifndef KERNELS_A5_QUANT_REGISTERS_H_
#define KERNELS_A5_QUANT_REGISTERS_H_

// TQUANT's steps on registers: what its loops have in common, whatever the
// shape of a tile. Counts of instructions, which the public kernel's are held
// against, are those of one call; constants are loaded once, by the
// constructors.
//
//   const ScaleStep step(unit, ScaleRule::kOcp, ElementFormat::kF8E4M3FN);
//   const ScaleRegs scale = step.FromF32(max_bits, mask);
//
// Registers hold, by lane: f32 values and their bits in lanes of 32 bits, codes
// and exponents in the low byte of a lane, b16 values in lanes of 16 bits.

#include <cstdint>

#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {

// The shared exponent and the reciprocal of each lane's group.
struct ScaleRegs {
  Reg exponent;
  Reg reciprocal;
};

// Step 2: from maxima to exponents and reciprocals (numerics/scale_rule.h).
class ScaleStep {
 public:
  // `format` is f8E4M3FN or f4E2M1FN.
  ScaleStep(VectorUnit& unit, ScaleRule rule, ElementFormat format);

  // From the bits of f32 maxima, in lanes of 32 bits; the reciprocal is an f32.
  // 9 instructions by kOcp, 15 by kNv.
  ScaleRegs FromF32(const Reg& max, const Mask& mask) const;

  // kOcp only: from bf16 bits, in lanes of 16 bits; the reciprocal is a bf16.
  // 8 instructions.
  ScaleRegs FromBF16(const Reg& max, const Mask& mask) const;

  // From f32 maxima as FromF32, with the reciprocal as a bf16 in the low half
  // of a lane of 32 bits: what b16 sources store. 3 instructions more.
  ScaleRegs FromWidened(const Reg& max, const Mask& mask) const;

 private:
  ScaleRegs Ocp(const Reg& max, const Mask& mask) const;
  ScaleRegs Nv(const Reg& max, const Mask& mask) const;

  VectorUnit& unit_;
  ScaleRule rule_;
  float reciprocal_of_largest_;
  // Lanes of 32 bits.
  Reg infinity_, quiet_nan_, mantissa_mask_;
  Reg emax_, largest_scale_, nan_scale_, least_reciprocal_, widened_nan_;
  // Lanes of 16 bits.
  Reg b16_infinity_, b16_clamp_, b16_largest_, b16_nan_, b16_nan_scale_;
};

// Magnitudes of b16 sources as their max tile has them, in lanes of 16 bits.
class B16Magnitude {
 public:
  // `source` is bf16 or f16.
  B16Magnitude(VectorUnit& unit, ElementFormat source, ScaleRule rule);

  // 1 instruction; of f16 by kOcp, which truncates to bf16, 9.
  Reg operator()(const Reg& x, const Mask& mask) const;

 private:
  VectorUnit& unit_;
  bool to_bf16_;
  Reg magnitude_, f16_infinity_, f16_mantissa_, bf16_infinity_, bf16_nan_;
};

// Step 3 for f4E2M1FN: codes in the low nibble of lanes of 32 bits, from f32
// values. By the integer method that A5 has for f16: adding 2^(22+e) rounds to
// the steps of the binade e = 0, 1, 2 of the format. 15 instructions.
class F4Encoder {
 public:
  explicit F4Encoder(VectorUnit& unit);

  Reg operator()(const Reg& value, const Mask& mask) const;

 private:
  VectorUnit& unit_;
  Reg magnitude_;
};

// Half of the lanes of a bf16 or f16 register as floats. 1 instruction.
Reg WidenedB16(VectorUnit& unit, ElementFormat format, const Reg& x,
               const Mask& mask, HalfPart part);

// NaN becomes +Inf in lanes of bf16, since the conversion to E2M1 is only
// documented for numbers. 5 instructions.
Reg BF16NanToInf(VectorUnit& unit, const Reg& value, const Mask& mask);

// Stores packed FP4 codes, two to the low byte of each lane of 32 bits. Where
// rows do not begin at a block, as those of 32 * odd codes do not, they go
// through the unaligned stream: 3 instructions, otherwise 1.
class F4Store {
 public:
  // Whether the rows of `dst` begin at blocks.
  static bool HasBlockRows(const TileType& dst);

  F4Store(VectorUnit& unit, bool block_rows);

  // The first `count` bytes; `pairs` is a mask of as many lanes.
  void Store(const Reg& bytes, UbPtr<uint8_t> to, int64_t count,
             const Mask& pairs) const;

 private:
  VectorUnit& unit_;
  bool block_rows_;
  Reg every_fourth_;
};

// Codes of 4 bits in lanes 2i and 2i + 1 to the low byte of lane i. 3
// instructions.
Reg PairsOfLanes(VectorUnit& unit, const Reg& codes, const Mask& pairs);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_QUANT_REGISTERS_H_
