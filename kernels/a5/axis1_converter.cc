#include "kernels/a5/axis1_converter.h"

#include <algorithm>
#include <cstdint>

#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "kernels/a5/quant_registers.h"
#include "kernels/a5/tquant_loops.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

Axis1Converter::Axis1Converter(const QuantLoop& loop)
    : loop_(loop),
      unit_(loop.unit),
      format_(loop.tiles.src.type.format),
      block_rows_(loop.f8() || F4Store::HasBlockRows(loop.tiles.dst.type)),
      f4_(unit_),
      f4_store_(unit_, block_rows_) {}

template <typename T>
void Axis1Converter::Run(const Axis1Stream<T>& stream,
                         UbPtr<uint8_t> dst) const {
  const uint64_t block = sizeof(T) * kWindow / kGroup;
  const bool fast = block_rows_ && stream.groups.address % block == 0;
  int64_t done = 0;
  for (; fast && done + kWindow <= stream.size; done += kWindow) {
    loop_.Count("convert/fast");
    Window(stream.elements + done, stream.groups + done / kGroup,
           dst + Bytes(done));
  }
  for (; done < stream.size; done += kStep) {
    loop_.Count("convert/64");
    Step(stream.elements + done, stream.groups + done / kGroup,
         std::min(kStep, stream.size - done), dst + Bytes(done));
  }
}

template void Axis1Converter::Run(const Axis1Stream<float>&,
                                  UbPtr<uint8_t>) const;
template void Axis1Converter::Run(const Axis1Stream<uint16_t>&,
                                  UbPtr<uint8_t>) const;

// ---- 64 elements

void Axis1Converter::Step(UbPtr<float> from, UbPtr<float> scaling, int64_t size,
                          UbPtr<uint8_t> dst) const {
  const Mask mask = FirstLanes<float>(size);
  const Reg first = unit_.Vlds(scaling, 0, LoadDist::kBrcB32);
  const Reg x = unit_.Vlds(from, 0);
  StoreStep(Scaled(x, first, size, mask,
                   [&] { return unit_.Vlds(scaling, 1, LoadDist::kBrcB32); }),
            size, mask, dst);
}

void Axis1Converter::Step(UbPtr<uint16_t> from, UbPtr<uint16_t> scaling,
                          int64_t size, UbPtr<uint8_t> dst) const {
  const Mask mask = FirstLanes<float>(size);
  const Mask halves = unit_.Pset<uint16_t>(Pattern::kAll);
  const auto scale = [&](int64_t group) {
    const Reg bits = unit_.Vlds(scaling, group, LoadDist::kBrcB16);
    return unit_.VcvtToF32<BFloat>(bits, halves, HalfPart::kEven);
  };
  const Reg first = scale(0);
  const Reg bits = unit_.Vlds(from, 0, LoadDist::kUnpkB16);
  const Reg x = WidenedB16(unit_, format_, bits, mask, HalfPart::kEven);
  StoreStep(Scaled(x, first, size, mask, [&] { return scale(1); }), size, mask,
            dst);
}

template <typename Second>
Reg Axis1Converter::Scaled(const Reg& x, const Reg& first, int64_t size,
                           const Mask& mask, Second second) const {
  if (size <= kGroup) return unit_.Vmul<float>(x, first, mask);
  const Mask all = unit_.Pset<float>(Pattern::kAll);
  const Mask low = unit_.Pset<float>(Pattern::kVl32);
  const Mask high = unit_.Pxor(mask, low, all);
  const Reg of_first = unit_.Vmul<float>(x, first, low);
  const Reg of_second = unit_.Vmul<float>(x, second(), high);
  return unit_.Vor<uint32_t>(of_first, of_second, all);
}

void Axis1Converter::StoreStep(const Reg& y, int64_t size, const Mask& mask,
                               UbPtr<uint8_t> dst) const {
  if (loop_.f8()) {
    const Reg codes =
        unit_.VcvtF32ToE4M3(y, mask, Saturate::kEnable, BytePart::kP0);
    unit_.Vsts(codes, dst, 0, StoreDist::kPk4B32, mask);
    return;
  }
  const Mask pairs = FirstLanes<float>(size / 2);
  f4_store_.Store(PairsOfLanes(unit_, f4_(y, mask), pairs), dst, size / 2,
                  pairs);
}

// ---- 256 elements

void Axis1Converter::Window(UbPtr<float> from, UbPtr<float> scaling,
                            UbPtr<uint8_t> dst) const {
  const RegPair low = unit_.VldsDintlv(from, 0);
  const RegPair high = unit_.VldsDintlv(from, kWindow / 2);
  const Reg scale = unit_.Vlds(scaling, 0, LoadDist::kE2bB32);
  const Mask all = unit_.Pset<float>(Pattern::kAll);
  if (loop_.f8()) {
    // Block j of `scale` is that of group j; doubled, its 16 lanes are those of
    // every second element of the group.
    const RegPair doubled = unit_.Vintlv<uint32_t>(scale, scale);
    StoreF8Half(low, doubled.first, all, dst);
    StoreF8Half(high, doubled.second, all, dst + kWindow / 2);
    return;
  }
  const RegPair even = unit_.Vdintlv<float>(low.first, high.first);
  const RegPair odd = unit_.Vdintlv<float>(low.second, high.second);
  ScaleAndStoreFours({{even.first, odd.first, even.second, odd.second}}, scale,
                     all, dst);
}

void Axis1Converter::Window(UbPtr<uint16_t> from, UbPtr<uint16_t> scaling,
                            UbPtr<uint8_t> dst) const {
  const RegPair x = unit_.VldsDintlv(from, 0);
  const Reg scale = unit_.Vlds(scaling, 0, LoadDist::kE2bB16);
  const Mask halves = unit_.Pset<uint16_t>(Pattern::kAll);
  const Mask all = unit_.Pset<float>(Pattern::kAll);
  if (format_ == ElementFormat::kF16) {
    const Reg widened = unit_.VcvtToF32<BFloat>(scale, halves, HalfPart::kEven);
    ScaleAndStoreFours(Fours(x, halves), widened, all, dst);
    return;
  }
  // A power of two: exact but for subnormal and infinite products, which no
  // code shows.
  const RegPair y = {unit_.Vmul<BFloat>(x.first, scale, halves),
                     unit_.Vmul<BFloat>(x.second, scale, halves)};
  if (loop_.f8()) {
    StoreF8Fours(Fours(y, halves), all, dst);
  } else {
    StoreF4FromBF16(y, halves, all, dst);
  }
}

Axis1Converter::FourRegs Axis1Converter::Fours(const RegPair& x,
                                               const Mask& halves) const {
  const auto widened = [&](const Reg& reg, HalfPart part) {
    return WidenedB16(unit_, format_, reg, halves, part);
  };
  return {{widened(x.first, HalfPart::kEven),
           widened(x.second, HalfPart::kEven), widened(x.first, HalfPart::kOdd),
           widened(x.second, HalfPart::kOdd)}};
}

void Axis1Converter::ScaleAndStoreFours(const FourRegs& x, const Reg& scale,
                                        const Mask& all,
                                        UbPtr<uint8_t> dst) const {
  FourRegs y;
  for (int i = 0; i < 4; ++i) {
    y.of[i] = unit_.Vmul<float>(x.of[i], scale, all);
  }
  if (loop_.f8()) {
    StoreF8Fours(y, all, dst);
  } else {
    StoreF4Fours(y, all, dst);
  }
}

void Axis1Converter::StoreF8Fours(const FourRegs& y, const Mask& all,
                                  UbPtr<uint8_t> dst) const {
  constexpr BytePart kParts[] = {BytePart::kP0, BytePart::kP1, BytePart::kP2,
                                 BytePart::kP3};
  Reg codes;
  for (int i = 0; i < 4; ++i) {
    const Reg code =
        unit_.VcvtF32ToE4M3(y.of[i], all, Saturate::kEnable, kParts[i]);
    codes = i == 0 ? code : unit_.Vor<uint32_t>(codes, code, all);
  }
  unit_.Vsts(codes, dst, 0, StoreDist::kNorm,
             unit_.Pset<uint8_t>(Pattern::kAll));
}

void Axis1Converter::StoreF8Half(const RegPair& x, const Reg& scale,
                                 const Mask& all, UbPtr<uint8_t> dst) const {
  const Reg even = unit_.VcvtF32ToE4M3(unit_.Vmul<float>(x.first, scale, all),
                                       all, Saturate::kEnable, BytePart::kP0);
  const Reg odd = unit_.VcvtF32ToE4M3(unit_.Vmul<float>(x.second, scale, all),
                                      all, Saturate::kEnable, BytePart::kP1);
  unit_.Vsts(unit_.Vor<uint32_t>(even, odd, all), dst, 0, StoreDist::kPkB32,
             all);
}

void Axis1Converter::StoreF4Fours(const FourRegs& y, const Mask& all,
                                  UbPtr<uint8_t> dst) const {
  const Reg low = NibblePair(f4_(y.of[0], all), f4_(y.of[1], all), all);
  const Reg high = NibblePair(f4_(y.of[2], all), f4_(y.of[3], all), all);
  const Reg shifted = unit_.Vshls<uint32_t>(high, 8, all);
  unit_.Vsts(unit_.Vor<uint32_t>(shifted, low, all), dst, 0, StoreDist::kPkB32,
             all);
}

Reg Axis1Converter::NibblePair(const Reg& low, const Reg& high,
                               const Mask& all) const {
  return unit_.Vor<uint32_t>(low, unit_.Vshls<uint32_t>(high, 4, all), all);
}

void Axis1Converter::StoreF4FromBF16(const RegPair& y, const Mask& halves,
                                     const Mask& all,
                                     UbPtr<uint8_t> dst) const {
  const RegPair in_order =
      unit_.Vintlv<uint16_t>(BF16NanToInf(unit_, y.first, halves),
                             BF16NanToInf(unit_, y.second, halves));
  const auto store = [&](const Reg& reg, UbPtr<uint8_t> to) {
    const Reg codes = unit_.VcvtBFloatToE2M1x2(reg, halves, BytePart::kP0);
    unit_.Vsts(codes, to, 0, StoreDist::kPk4B32, all);
  };
  store(in_order.first, dst);
  store(in_order.second, dst + kWindow / 4);
}

}  // namespace a5
}  // namespace mxtile
