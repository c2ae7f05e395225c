// TQUANT along axis 0: a register holds one row of as many columns as it has
// lanes, and a group lies across 32 registers. No lane ever meets another.

#include <algorithm>
#include <cstdint>

#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_checker.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "kernels/a5/quant_registers.h"
#include "kernels/a5/tquant_loops.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_tile.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

class Axis0 {
 public:
  explicit Axis0(const QuantLoop& loop)
      : loop_(loop),
        unit_(loop.unit),
        tiles_(loop.tiles),
        rows_(loop.tiles.src.type.valid_rows),
        cols_(loop.tiles.src.type.valid_cols),
        groups_((rows_ + kScaleGroupSize - 1) / kScaleGroupSize) {}

  void Run() {
    unit_.BeginStage("max");
    loop_.f32() ? MaxF32() : MaxB16();
    unit_.MemBar(Barrier::kVstVld);
    unit_.BeginStage("scale");
    Scales();
    unit_.MemBar(Barrier::kVstVld);
    unit_.BeginStage("convert");
    loop_.f32() ? ConvertF32() : ConvertB16();
  }

 private:
  // Rows of a group that count.
  int64_t GroupRows(int64_t group) const {
    return std::min<int64_t>(kScaleGroupSize, rows_ - group * kScaleGroupSize);
  }

  // Calls step(group, first column, mask of the columns) for every register of
  // groups.
  template <typename T, typename Step>
  void ForEachGroups(Step step) {
    for (int64_t group = 0; group < groups_; ++group) {
      uint32_t left = static_cast<uint32_t>(cols_);
      for (int64_t col = 0; col < cols_; col += kLanes<T>) {
        step(group, col, unit_.CreatePredicate<T>(&left));
      }
    }
  }

  // The maxima of 32 rows: four chains, so that one vmax need not wait for the
  // one before.
  template <typename T, typename Magnitude>
  Reg MaxOfRows(int64_t group, int64_t col, const Mask& mask,
                Magnitude magnitude) {
    Reg chains[4];
    for (Reg& chain : chains) chain = unit_.Vbr<T>(T{0});
    for (int64_t i = 0; i < GroupRows(group); ++i) {
      const Reg x =
          unit_.Vlds(RowOf<T>(tiles_.src, group * kScaleGroupSize + i), col);
      chains[i % 4] = unit_.Vmax<T>(chains[i % 4], magnitude(x), mask);
    }
    const Reg low = unit_.Vmax<T>(chains[0], chains[1], mask);
    const Reg high = unit_.Vmax<T>(chains[2], chains[3], mask);
    loop_.Count("max/axis0");
    return unit_.Vmax<T>(low, high, mask);
  }

  void MaxF32() {
    ForEachGroups<float>([&](int64_t group, int64_t col, const Mask& mask) {
      const Reg max = MaxOfRows<float>(group, col, mask, [&](const Reg& x) {
        return unit_.Vabs<float>(x, mask);
      });
      unit_.Vsts(max, RowOf<float>(tiles_.max.tile, group), col,
                 StoreDist::kNorm, mask);
    });
  }

  void MaxB16() {
    const B16Magnitude magnitude(unit_, tiles_.src.type.format,
                                 loop_.options.rule);
    ForEachGroups<uint16_t>([&](int64_t group, int64_t col, const Mask& mask) {
      const Reg max = MaxOfRows<uint16_t>(
          group, col, mask, [&](const Reg& x) { return magnitude(x, mask); });
      unit_.Vsts(max, RowOf<uint16_t>(tiles_.max.tile, group), col,
                 StoreDist::kNorm, mask);
    });
  }

  void Scales() {
    const ScaleStep step(unit_, loop_.options.rule, loop_.options.format);
    if (loop_.f32()) {
      ForEachScale<uint32_t>(StoreDist::kPk4B32, [&](int64_t group, int64_t col,
                                                     const Mask& mask) {
        const Reg max =
            unit_.Vlds(RowOf<uint32_t>(tiles_.max.tile, group), col);
        const ScaleRegs scale = step.FromF32(max, mask);
        unit_.Vsts(scale.reciprocal,
                   RowOf<uint32_t>(tiles_.scaling.tile, group), col,
                   StoreDist::kNorm, mask);
        return scale.exponent;
      });
    } else if (loop_.ocp()) {
      ForEachScale<uint16_t>(
          StoreDist::kPkB16, [&](int64_t group, int64_t col, const Mask& mask) {
            const Reg max =
                unit_.Vlds(RowOf<uint16_t>(tiles_.max.tile, group), col);
            const ScaleRegs scale = step.FromBF16(max, mask);
            unit_.Vsts(scale.reciprocal,
                       RowOf<uint16_t>(tiles_.scaling.tile, group), col,
                       StoreDist::kNorm, mask);
            return scale.exponent;
          });
    } else {
      ForEachScale<uint32_t>(StoreDist::kPk4B32, [&](int64_t group, int64_t col,
                                                     const Mask& mask) {
        const Reg max = LoadWidened(tiles_.max.tile, group, col, mask);
        const ScaleRegs scale = step.FromWidened(max, mask);
        unit_.Vsts(scale.reciprocal,
                   RowOf<uint16_t>(tiles_.scaling.tile, group), col,
                   StoreDist::kPkB32, mask);
        return scale.exponent;
      });
    }
  }

  // Stores the exponents that step(group, column, mask) returns in lanes of T:
  // as rows of bytes by `dist`, or interleaved.
  template <typename T, typename Step>
  void ForEachScale(StoreDist dist, Step step) {
    if (tiles_.exp.form != GroupForm::kInterleaved) {
      ForEachGroups<T>([&](int64_t group, int64_t col, const Mask& mask) {
        loop_.Count("scale/vector");
        unit_.Vsts(step(group, col, mask),
                   RowOf<uint8_t>(tiles_.exp.tile, group), col, dist, mask);
      });
      return;
    }
    ForEachGroups<T>([&](int64_t group, int64_t col, const Mask& mask) {
      if (group % 2 != 0) return;
      loop_.Count("scale/pairs");
      const Reg even = step(group, col, mask);
      Reg pair = unit_.Vshls<T>(step(group + 1, col, mask), 8, mask);
      pair = unit_.Vor<T>(pair, even, mask);
      unit_.Vsts(pair, RowOf<uint16_t>(tiles_.exp.tile, group / 2), col,
                 sizeof(T) == 4 ? StoreDist::kPkB32 : StoreDist::kNorm, mask);
    });
  }

  // 64 elements of a b16 tile as floats.
  Reg LoadWidened(const UbTile& tile, int64_t row, int64_t col,
                  const Mask& mask) {
    const Reg x =
        unit_.Vlds(RowOf<uint16_t>(tile, row), col, LoadDist::kUnpkB16);
    return Widened(tile.type.format, x, mask, HalfPart::kEven);
  }

  Reg Widened(ElementFormat format, const Reg& x, const Mask& mask,
              HalfPart part) {
    return WidenedB16(unit_, format, x, mask, part);
  }

  // Calls step(row, row of x) for the rows of a group.
  template <typename T, typename Step>
  void ForEachRow(int64_t group, int64_t col, Step step) {
    for (int64_t i = 0; i < GroupRows(group); ++i) {
      const int64_t row = group * kScaleGroupSize + i;
      loop_.Count("convert/axis0");
      step(row, unit_.Vlds(RowOf<T>(tiles_.src, row), col));
    }
  }

  void ConvertF32() {
    const F4Encoder f4(unit_);
    const F4Store f4_store(unit_, F4Store::HasBlockRows(tiles_.dst.type));
    ForEachGroups<float>([&](int64_t group, int64_t col, const Mask& mask) {
      const Reg scale =
          unit_.Vlds(RowOf<float>(tiles_.scaling.tile, group), col);
      const Mask pairs = PairMask(col, kLanes<float>);
      ForEachRow<float>(group, col, [&](int64_t row, const Reg& x) {
        const Reg y = unit_.Vmul<float>(x, scale, mask);
        if (loop_.f8()) {
          const Reg code =
              unit_.VcvtF32ToE4M3(y, mask, Saturate::kEnable, BytePart::kP0);
          unit_.Vsts(code, RowOf<uint8_t>(tiles_.dst, row), col,
                     StoreDist::kPk4B32, mask);
        } else {
          f4_store.Store(PairsOfLanes(unit_, f4(y, mask), pairs),
                         F4Row(row, col), PairCount(col, kLanes<float>), pairs);
        }
      });
    });
  }

  void ConvertB16() {
    const F4Encoder f4(unit_);
    const F4Store f4_store(unit_, F4Store::HasBlockRows(tiles_.dst.type));
    ForEachGroups<uint16_t>([&](int64_t group, int64_t col, const Mask& mask) {
      const Reg scale =
          unit_.Vlds(RowOf<uint16_t>(tiles_.scaling.tile, group), col);
      const Mask pairs = PairMask(col, kLanes<uint16_t>);
      if (loop_.f8()) {
        ConvertToF8(group, col, scale, mask);
      } else if (tiles_.src.type.format == ElementFormat::kBF16) {
        ForEachRow<uint16_t>(group, col, [&](int64_t row, const Reg& x) {
          const Reg y =
              BF16NanToInf(unit_, unit_.Vmul<BFloat>(x, scale, mask), mask);
          f4_store.Store(unit_.VcvtBFloatToE2M1x2(y, mask, BytePart::kP0),
                         F4Row(row, col), PairCount(col, kLanes<uint16_t>),
                         pairs);
        });
      } else {
        const Reg even_scale = Scale(scale, mask, HalfPart::kEven);
        const Reg odd_scale = Scale(scale, mask, HalfPart::kOdd);
        ForEachRow<uint16_t>(group, col, [&](int64_t row, const Reg& x) {
          const Reg even =
              f4(Scaled(x, even_scale, mask, HalfPart::kEven), pairs);
          Reg byte = f4(Scaled(x, odd_scale, mask, HalfPart::kOdd), pairs);
          byte = unit_.Vshls<uint32_t>(byte, 4, pairs);
          byte = unit_.Vor<uint32_t>(byte, even, pairs);
          f4_store.Store(byte, F4Row(row, col),
                         PairCount(col, kLanes<uint16_t>), pairs);
        });
      }
    });
  }

  // The code of each lane in the low byte of its 16 bits.
  void ConvertToF8(int64_t group, int64_t col, const Reg& scale,
                   const Mask& mask) {
    const Reg even_scale = Scale(scale, mask, HalfPart::kEven);
    const Reg odd_scale = Scale(scale, mask, HalfPart::kOdd);
    // Of a lane of 32 bits the even column decides; the odd one may be beyond
    // the last.
    const Mask all = unit_.Pset<float>(Pattern::kAll);
    ForEachRow<uint16_t>(group, col, [&](int64_t row, const Reg& x) {
      const Reg even =
          unit_.VcvtF32ToE4M3(Scaled(x, even_scale, mask, HalfPart::kEven), all,
                              Saturate::kEnable, BytePart::kP0);
      const Reg odd =
          unit_.VcvtF32ToE4M3(Scaled(x, odd_scale, mask, HalfPart::kOdd), all,
                              Saturate::kEnable, BytePart::kP2);
      unit_.Vsts(unit_.Vor<uint16_t>(even, odd, mask),
                 RowOf<uint8_t>(tiles_.dst, row), col, StoreDist::kPkB16, mask);
    });
  }

  Reg Scale(const Reg& scale, const Mask& mask, HalfPart part) {
    return unit_.VcvtToF32<BFloat>(scale, mask, part);
  }

  // A half of the lanes of x times their scale, as floats.
  Reg Scaled(const Reg& x, const Reg& scale, const Mask& mask, HalfPart part) {
    const Reg value = Widened(tiles_.src.type.format, x, mask, part);
    return unit_.Vmul<float>(value, scale, unit_.Pset<float>(Pattern::kAll));
  }

  // Two columns each from `col` on, of which there are `cols` at most.
  int64_t PairCount(int64_t col, int64_t cols) const {
    return std::min(cols, cols_ - col) / 2;
  }

  Mask PairMask(int64_t col, int64_t cols) {
    uint32_t pairs = static_cast<uint32_t>(PairCount(col, cols));
    return unit_.CreatePredicate<uint32_t>(&pairs);
  }

  UbPtr<uint8_t> F4Row(int64_t row, int64_t col) const {
    return RowOf<uint8_t>(tiles_.dst, row) + col / 2;
  }

  const QuantLoop& loop_;
  VectorUnit& unit_;
  const UbQuantTiles& tiles_;
  const int64_t rows_;
  const int64_t cols_;
  const int64_t groups_;
};

}  // namespace

void QuantizeAxis0(const QuantLoop& loop) { Axis0(loop).Run(); }

}  // namespace a5
}  // namespace mxtile
