// TQUANT along axis 1: a group is 32 neighbouring lanes. Its maximum is one
// lane of a reduction, and its scale is spread over its lanes again.

#include <algorithm>
#include <cstdint>

#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_checker.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "kernels/a5/axis1_converter.h"
#include "kernels/a5/quant_registers.h"
#include "kernels/a5/tquant_loops.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_tile.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kShortStream = 1024;  // up to here by 64
constexpr int64_t kUnrolled = 2048;     // 8 windows

class Axis1 {
 public:
  explicit Axis1(const QuantLoop& loop)
      : loop_(loop),
        unit_(loop.unit),
        tiles_(loop.tiles),
        src_(loop.tiles.src.type),
        rows_(src_.valid_rows),
        valid_cols_(src_.valid_cols) {}

  void Run() {
    unit_.BeginStage("zero-pad");
    const bool padded = loop_.flat() || !loop_.f32();
    if (padded) loop_.f32() ? PadRows<float>() : PadRows<uint16_t>();
    unit_.MemBar(Barrier::kVstVld);
    unit_.BeginStage("max");
    loop_.f32() ? MaxF32() : MaxB16();
    unit_.MemBar(Barrier::kVstVld);
    unit_.BeginStage("scale");
    loop_.flat() ? FlatScales() : ScalesByRow();
    unit_.MemBar(Barrier::kVstVld);
    unit_.BeginStage("convert");
    Convert();
  }

 private:
  // ---- shapes

  // Groups of a row.
  int64_t RowGroups() const {
    return loop_.flat() ? src_.cols / kGroup
                        : (valid_cols_ + kGroup - 1) / kGroup;
  }

  bool IsDense() const { return RowPitch(src_) == src_.cols; }

  // The groups of a row in a tile of maxima or scalings.
  template <typename T>
  UbPtr<T> GroupsOf(const UbTile& tile, int64_t row) const {
    return loop_.flat() ? RowOf<T>(tile, 0) + row * RowGroups()
                        : RowOf<T>(tile, row);
  }

  // Calls step(stream) for each row, or once for all rows when they are one
  // stream. `row_size` elements of a row are meant.
  template <typename T, typename Step>
  void ForEachStream(const UbTile& groups, int64_t row_size, Step step) const {
    if (loop_.flat() && IsDense() && row_size == src_.cols) {
      step(Axis1Stream<T>{RowOf<T>(tiles_.src, 0), RowOf<T>(groups, 0),
                          rows_ * row_size});
      return;
    }
    for (int64_t row = 0; row < rows_; ++row) {
      step(Axis1Stream<T>{RowOf<T>(tiles_.src, row), GroupsOf<T>(groups, row),
                          row_size});
    }
  }

  // ---- zero-pad

  template <typename T>
  void PadRows() {
    const int64_t block = kBlockBytes / static_cast<int64_t>(sizeof(T));
    const int64_t first = valid_cols_ / block * block;
    const Reg zero = unit_.Vbr<T>(T{0});
    const Mask all = unit_.Pset<T>(Pattern::kAll);
    for (int64_t row = 0; row < rows_; ++row) {
      for (int64_t col = first; col < src_.cols; col += kLanes<T>) {
        uint32_t valid =
            static_cast<uint32_t>(std::max<int64_t>(valid_cols_ - col, 0));
        uint32_t columns = static_cast<uint32_t>(src_.cols - col);
        const Mask kept = unit_.CreatePredicate<T>(&valid);
        const Mask used = unit_.CreatePredicate<T>(&columns);
        unit_.Vsts(zero, RowOf<T>(tiles_.src, row), col, StoreDist::kNorm,
                   unit_.Pxor(used, kept, all));
      }
    }
  }

  // ---- max

  // Maxima are a stream: those of 2-D tiles end with the row, since the next
  // one begins elsewhere.
  template <typename T, typename MaxOfStream>
  void MaxOfStreams(int64_t row_size, MaxOfStream max_of_stream) {
    ForEachStream<T>(tiles_.max.tile, row_size,
                     [&](const Axis1Stream<T>& stream) {
                       AlignReg align;
                       UbPtr<T> to = stream.groups;
                       max_of_stream(stream, align, &to);
                       unit_.Vstas(align, to);
                     });
  }

  void MaxF32() {
    // A row of a 2-D tile is not padded: its last group is masked.
    const int64_t row_size = loop_.flat() ? src_.cols : valid_cols_;
    MaxOfStreams<float>(row_size, [this](const Axis1Stream<float>& stream,
                                         AlignReg& align, UbPtr<float>* to) {
      int64_t done = 0;
      if (stream.size > kShortStream) {
        const bool unrolled = stream.size % kUnrolled == 0;
        for (; done + kWindow <= stream.size; done += kWindow) {
          loop_.Count(unrolled ? "max/f32/2048" : "max/f32/256");
          MaxOfWindow(stream.elements + done, align, to);
        }
      }
      for (; done < stream.size; done += kStep) {
        loop_.Count("max/f32/64");
        MaxOfStep(stream.elements + done, std::min(kStep, stream.size - done),
                  align, to);
      }
    });
  }

  // Lanes of four neighbours each: two loads split them into even and odd, the
  // third step splits the pairs.
  void MaxOfWindow(UbPtr<float> from, AlignReg& align, UbPtr<float>* to) {
    const Mask all = unit_.Pset<float>(Pattern::kAll);
    const RegPair low = unit_.VldsDintlv(from, 0);
    const RegPair high = unit_.VldsDintlv(from, kWindow / 2);
    const Reg low_pairs =
        unit_.Vmax<float>(unit_.Vabs<float>(low.first, all),
                          unit_.Vabs<float>(low.second, all), all);
    const Reg high_pairs =
        unit_.Vmax<float>(unit_.Vabs<float>(high.first, all),
                          unit_.Vabs<float>(high.second, all), all);
    const RegPair pairs = unit_.Vdintlv<float>(low_pairs, high_pairs);
    const Reg fours = unit_.Vmax<float>(pairs.first, pairs.second, all);
    unit_.VstusPost(align, kWindow / kGroup, unit_.Vcgmax<float>(fours, all),
                    to);
  }

  void MaxOfStep(UbPtr<float> from, int64_t size, AlignReg& align,
                 UbPtr<float>* to) {
    uint32_t left = static_cast<uint32_t>(size);
    const Mask all = unit_.Pset<float>(Pattern::kAll);
    const Mask mask = unit_.CreatePredicate<float>(&left);
    const Mask first = unit_.Pand(mask, unit_.Pset<float>(Pattern::kVl32), all);
    const Reg magnitude = unit_.Vabs<float>(unit_.Vlds(from, 0), mask);
    unit_.VstusPost(align, 1, unit_.Vcmax<float>(magnitude, first), to);
    if (size <= kGroup) return;
    const Mask second = unit_.Pxor(mask, first, all);
    unit_.VstusPost(align, 1, unit_.Vcmax<float>(magnitude, second), to);
  }

  void MaxB16() {
    const B16Magnitude magnitude(unit_, src_.format, loop_.options.rule);
    MaxOfStreams<uint16_t>(
        RowGroups() * kGroup, [&](const Axis1Stream<uint16_t>& stream,
                                  AlignReg& align, UbPtr<uint16_t>* to) {
          for (int64_t done = 0; done < stream.size; done += kWindow) {
            loop_.Count("max/b16/256");
            const int64_t size = std::min(kWindow, stream.size - done);
            uint32_t left = static_cast<uint32_t>(size / 2);
            const Mask mask = unit_.CreatePredicate<uint16_t>(&left);
            const RegPair x = unit_.VldsDintlv(stream.elements, done);
            const Reg pairs = unit_.Vmax<uint16_t>(
                magnitude(x.first, mask), magnitude(x.second, mask), mask);
            unit_.VstusPost(align, size / kGroup,
                            unit_.Vcgmax<uint16_t>(pairs, mask), to);
          }
        });
  }

  // ---- scale

  void FlatScales() {
    const ScaleStep step(unit_, loop_.options.rule, loop_.options.format);
    const int64_t groups = rows_ * RowGroups();
    const UbPtr<uint8_t> exp = RowOf<uint8_t>(tiles_.exp.tile, 0);
    const UbTile& max = tiles_.max.tile;
    const UbTile& scaling = tiles_.scaling.tile;
    uint32_t left = static_cast<uint32_t>(groups);
    if (!loop_.f32() && loop_.ocp()) {
      for (int64_t i = 0; i < groups; i += kLanes<uint16_t>) {
        loop_.Count("scale/vector");
        const Mask mask = unit_.CreatePredicate<uint16_t>(&left);
        const ScaleRegs scale =
            step.FromBF16(unit_.Vlds(RowOf<uint16_t>(max, 0), i), mask);
        unit_.Vsts(scale.exponent, exp, i, StoreDist::kPkB16, mask);
        unit_.Vsts(scale.reciprocal, RowOf<uint16_t>(scaling, 0), i,
                   StoreDist::kNorm, mask);
      }
      return;
    }
    for (int64_t i = 0; i < groups; i += kLanes<float>) {
      loop_.Count("scale/vector");
      const Mask mask = unit_.CreatePredicate<float>(&left);
      const ScaleRegs scale = FlatScale(step, i, mask);
      unit_.Vsts(scale.exponent, exp, i, StoreDist::kPk4B32, mask);
      if (loop_.f32()) {
        unit_.Vsts(scale.reciprocal, RowOf<uint32_t>(scaling, 0), i,
                   StoreDist::kNorm, mask);
      } else {
        unit_.Vsts(scale.reciprocal, RowOf<uint16_t>(scaling, 0), i,
                   StoreDist::kPkB32, mask);
      }
    }
  }

  // Of 64 maxima from the i-th on; b16 ones by kNv.
  ScaleRegs FlatScale(const ScaleStep& step, int64_t i, const Mask& mask) {
    const UbTile& max = tiles_.max.tile;
    if (loop_.f32()) {
      return step.FromF32(unit_.Vlds(RowOf<uint32_t>(max, 0), i), mask);
    }
    const Reg x = unit_.Vlds(RowOf<uint16_t>(max, 0), i, LoadDist::kUnpkB16);
    return step.FromWidened(
        WidenedB16(unit_, src_.format, x, mask, HalfPart::kEven), mask);
  }

  // A row of a 2-D tile's groups begins anywhere in a block: its maxima are
  // gathered, what comes of them is appended to a stream.
  void ScalesByRow() {
    const ScaleStep step(unit_, loop_.options.rule, loop_.options.format);
    if (loop_.f32()) {
      const Reg lanes = unit_.Vci<uint32_t>(0);
      ScaleRows<uint32_t, uint32_t>(lanes,
                                    [&](const Reg& max, const Mask& mask) {
                                      return step.FromF32(max, mask);
                                    });
    } else if (loop_.ocp()) {
      const Reg lanes = unit_.Vci<uint16_t>(0);
      ScaleRows<uint16_t, uint16_t>(lanes,
                                    [&](const Reg& max, const Mask& mask) {
                                      return step.FromBF16(max, mask);
                                    });
    } else {
      // Into the even lanes, which are widened.
      const Mask all = unit_.Pset<uint16_t>(Pattern::kAll);
      const Reg lanes = unit_.Vshrs<uint16_t>(unit_.Vci<uint16_t>(0), 1, all);
      ScaleRows<uint16_t, uint32_t>(lanes, [&](const Reg& max,
                                               const Mask& mask) {
        return step.FromWidened(
            WidenedB16(unit_, src_.format, max, mask, HalfPart::kEven), mask);
      });
    }
  }

  // Maxima and scalings are T, what scale_of() works on is lanes of Lane.
  template <typename T, typename Lane, typename ScaleOf>
  void ScaleRows(const Reg& lanes, ScaleOf scale_of) {
    const Reg exponent_bytes = EveryNth<uint8_t>(sizeof(Lane));
    const Reg reciprocals = EveryNth<T>(sizeof(Lane) / sizeof(T));
    for (int64_t row = 0; row < rows_; ++row) {
      AlignReg exp_align;
      AlignReg scaling_align;
      UbPtr<uint8_t> exp = RowOf<uint8_t>(tiles_.exp.tile, row);
      UbPtr<T> scaling = RowOf<T>(tiles_.scaling.tile, row);
      uint32_t left = static_cast<uint32_t>(RowGroups());
      for (int64_t group = 0; group < RowGroups(); group += kLanes<Lane>) {
        loop_.Count("scale/row");
        const int64_t count = std::min<int64_t>(left, kLanes<Lane>);
        const Mask mask = unit_.CreatePredicate<Lane>(&left);
        const ScaleRegs scale = scale_of(
            unit_.Vgather2(RowOf<T>(tiles_.max.tile, row) + group, lanes, mask),
            mask);
        unit_.VstusPost(exp_align, count,
                        unit_.Vselr<uint8_t>(scale.exponent, exponent_bytes),
                        &exp);
        const Reg packed = sizeof(T) == sizeof(Lane)
                               ? scale.reciprocal
                               : unit_.Vselr<T>(scale.reciprocal, reciprocals);
        unit_.VstusPost(scaling_align, count, packed, &scaling);
      }
      unit_.Vstas(exp_align, exp);
      unit_.Vstas(scaling_align, scaling);
    }
  }

  // 0, n, 2n ...: of a register of n-fold lanes, what vselr packs. n is a power
  // of two.
  template <typename T>
  Reg EveryNth(int n) {
    const Mask all = unit_.Pset<T>(Pattern::kAll);
    return unit_.Vshls<T>(unit_.Vci<T>(0), __builtin_ctz(n), all);
  }

  // ---- convert

  void Convert() {
    loop_.f32() ? ConvertStreams<float>() : ConvertStreams<uint16_t>();
  }

  // Rows are one stream when nothing lies between them in the destination
  // either.
  template <typename T>
  void ConvertStreams() {
    const Axis1Converter convert(loop_);
    const TileType& dst = tiles_.dst.type;
    const bool one_stream = loop_.flat() && IsDense() &&
                            valid_cols_ == src_.cols &&
                            RowPitch(dst) == dst.cols;
    const int64_t streams = one_stream ? 1 : rows_;
    const int64_t size = one_stream ? rows_ * valid_cols_ : valid_cols_;
    for (int64_t row = 0; row < streams; ++row) {
      convert.Run(Axis1Stream<T>{RowOf<T>(tiles_.src, row),
                                 GroupsOf<T>(tiles_.scaling.tile, row), size},
                  RowOf<uint8_t>(tiles_.dst, row));
    }
  }

  const QuantLoop& loop_;
  VectorUnit& unit_;
  const UbQuantTiles& tiles_;
  const TileType& src_;
  const int64_t rows_;
  const int64_t valid_cols_;
};

}  // namespace

void QuantizeAxis1(const QuantLoop& loop) { Axis1(loop).Run(); }

}  // namespace a5
}  // namespace mxtile
