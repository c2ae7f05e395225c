// Loads of the vector unit.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "a5_model/memory.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/unsigned_lane.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {
namespace {

absl::string_view NameOf(LoadDist dist) {
  static constexpr absl::string_view kNames[] = {
      "vlds NORM",    "vlds BRC_B8",  "vlds BRC_B16",
      "vlds BRC_B32", "vlds UNPK_B8", "vlds UNPK_B16",
      "vlds BLK",     "vlds E2B_B16", "vlds E2B_B32"};
  return kNames[static_cast<int>(dist)];
}

template <typename T>
absl::string_view DintlvName() {
  return sizeof(T) == 1   ? "vlds DINTLV_B8"
         : sizeof(T) == 2 ? "vlds DINTLV_B16"
                          : "vlds DINTLV_B32";
}

// Where byte `to` of a register comes from, for the rare case that it matters
// byte by byte: calls `source(to)`, which is -1 for a byte that is made up.
template <typename Source>
ByteBits Moved(const ByteBits& undefined, Source source) {
  ByteBits moved;
  if (!undefined.any()) return moved;
  for (int to = 0; to < kVectorBytes; ++to) {
    const int from = source(to);
    if (from >= 0 && undefined.Test(from)) moved.Set(to);
  }
  return moved;
}

// Each of `kVectorBytes / sizeof(Unit) / copies` units, `copies` times.
template <typename Unit, int kUnits>
void Repeat(const uint8_t* from, uint8_t* to) {
  constexpr int kCopies = kLanes<Unit> / kUnits;
  Unit lanes[kLanes<Unit>];
  for (int unit = 0; unit < kUnits; ++unit) {
    Unit value;
    std::memcpy(&value, from + unit * sizeof(Unit), sizeof(Unit));
    std::fill_n(lanes + unit * kCopies, kCopies, value);
  }
  std::memcpy(to, lanes, kVectorBytes);
}

}  // namespace

bool VectorUnit::LoadBytes(uint64_t address, int size, uint8_t* to,
                           ByteBits* undefined) {
  *undefined = ByteBits();
  if (!ub_.IsInside(address, size)) {
    Fail(ub_.CheckInside(access_, "reads", address, size));
    return false;
  }
  stage_.bytes += size;
  std::memcpy(to, ub_.Bytes(address), size);
  const Memory::RangeInfo info = ub_.Info(address, size);
  int64_t usable = size;
  if (!checker_.IsPlainLoad(address, size, info.latest_writer)) {
    const absl::Status status =
        checker_.CheckLoad(access_, address, size, &usable);
    if (!status.ok()) {
      Fail(status);
      return false;
    }
  }
  if (usable == size && info.has_values) return true;
  for (int i = 0; i < size; ++i) {
    if (i >= usable || !ub_.HasValue(address + i, 1)) undefined->Set(i);
  }
  return true;
}

Reg VectorUnit::LoadNorm(uint64_t address) {
  Reg reg;
  ByteBits undefined;
  if (!CheckAligned("reads", address, kVectorBytes, kBlockBytes) ||
      !LoadBytes(address, kVectorBytes, reg.bytes(), &undefined)) {
    return Reg();
  }
  reg.set_undefined(undefined);
  return reg;
}

// BRC, BLK and E2B.
template <typename Unit, int kUnits>
Reg VectorUnit::LoadRepeated(uint64_t address) {
  constexpr int kWidth = sizeof(Unit);
  constexpr int kSize = kWidth * kUnits;
  uint8_t bytes[kSize];
  ByteBits undefined;
  if (!CheckAligned("reads", address, kSize, kSize) ||
      !LoadBytes(address, kSize, bytes, &undefined)) {
    return Reg();
  }
  Reg reg;
  Repeat<Unit, kUnits>(bytes, reg.bytes());
  reg.set_undefined(Moved(undefined, [](int to) {
    return to / (kVectorBytes / kUnits) * kWidth + to % kWidth;
  }));
  return reg;
}

template <typename Narrow, typename Wide>
Reg VectorUnit::LoadUnpacked(uint64_t address) {
  constexpr int kSize = kVectorBytes / 2;
  constexpr int kWidth = sizeof(Narrow);
  Narrow elements[kLanes<Wide>];
  uint8_t bytes[kSize];
  ByteBits undefined;
  if (!CheckAligned("reads", address, kSize, kBlockBytes) ||
      !LoadBytes(address, kSize, bytes, &undefined)) {
    return Reg();
  }
  std::memcpy(elements, bytes, kSize);
  Wide lanes[kLanes<Wide>];
  std::copy_n(elements, kLanes<Wide>, lanes);
  Reg reg;
  std::memcpy(reg.bytes(), lanes, kVectorBytes);
  reg.set_undefined(Moved(undefined, [](int to) {
    const int part = to % (2 * kWidth);
    return part < kWidth ? to / (2 * kWidth) * kWidth + part : -1;
  }));
  return reg;
}

Reg VectorUnit::Load(uint64_t address, LoadDist dist) {
  struct Block {
    uint8_t bytes[kBlockBytes];
  };
  if (!Begin(VectorOp::kVlds, NameOf(dist))) return Reg();
  switch (dist) {
    case LoadDist::kNorm:
      return LoadNorm(address);
    case LoadDist::kBrcB8:
      return LoadRepeated<uint8_t, 1>(address);
    case LoadDist::kBrcB16:
      return LoadRepeated<uint16_t, 1>(address);
    case LoadDist::kBrcB32:
      return LoadRepeated<uint32_t, 1>(address);
    case LoadDist::kUnpkB8:
      return LoadUnpacked<uint8_t, uint16_t>(address);
    case LoadDist::kUnpkB16:
      return LoadUnpacked<uint16_t, uint32_t>(address);
    case LoadDist::kBlk:
      return LoadRepeated<Block, 1>(address);
    case LoadDist::kE2bB16:
      return LoadRepeated<uint16_t, kVectorBlocks>(address);
    case LoadDist::kE2bB32:
      return LoadRepeated<uint32_t, kVectorBlocks>(address);
  }
  return Reg();
}

template <typename T>
Reg VectorUnit::Vlds(UbPtr<T> source, int64_t offset, LoadDist dist) {
  return Load((source + offset).address, dist);
}

template <typename T>
Reg VectorUnit::VldsPost(UbPtr<T>* source, int64_t offset, LoadDist dist) {
  const uint64_t address = source->address;
  *source += offset;
  return Load(address, dist);
}

template <typename T>
RegPair VectorUnit::VldsDintlv(UbPtr<T> source, int64_t offset) {
  using Lane = UnsignedLane<sizeof(T)>;
  constexpr int kWidth = sizeof(T);
  if (!Begin(VectorOp::kVldsDintlv, DintlvName<T>())) return {};
  const uint64_t address = (source + offset).address;
  Lane elements[2 * kLanes<Lane>];
  uint8_t bytes[2 * kVectorBytes];
  ByteBits undefined[2];
  if (!CheckAligned("reads", address, 2 * kVectorBytes, kBlockBytes) ||
      !LoadBytes(address, kVectorBytes, bytes, &undefined[0]) ||
      !LoadBytes(address + kVectorBytes, kVectorBytes, bytes + kVectorBytes,
                 &undefined[1])) {
    return {};
  }
  std::memcpy(elements, bytes, 2 * kVectorBytes);
  Lane lanes[2][kLanes<Lane>];
  for (int i = 0; i < kLanes<Lane>; ++i) {
    lanes[0][i] = elements[2 * i];
    lanes[1][i] = elements[2 * i + 1];
  }
  RegPair pair;
  std::memcpy(pair.first.bytes(), lanes[0], kVectorBytes);
  std::memcpy(pair.second.bytes(), lanes[1], kVectorBytes);
  if (undefined[0].any() || undefined[1].any()) {
    ByteBits bits[2];
    for (int i = 0; i < 2 * kVectorBytes; ++i) {
      if (!undefined[i / kVectorBytes].Test(i % kVectorBytes)) continue;
      const int lane = i / kWidth;
      bits[lane % 2].Set(lane / 2 * kWidth + i % kWidth);
    }
    pair.first.set_undefined(bits[0]);
    pair.second.set_undefined(bits[1]);
  }
  return pair;
}

template <typename T>
RegPair VectorUnit::VldsDintlvPost(UbPtr<T>* source, int64_t offset) {
  const UbPtr<T> here = *source;
  *source += offset;
  return VldsDintlv(here, 0);
}

template <typename T>
Reg VectorUnit::Vgather2(UbPtr<T> base, const Reg& index, const Mask& mask) {
  // Bytes have indices of 16 bits, and come to lanes of 16 bits.
  using Lane = UnsignedLane<sizeof(T) == 1 ? 2 : sizeof(T)>;
  constexpr int kWidth = sizeof(T);
  if (!Begin(VectorOp::kVgather2)) return Reg();
  if (!CheckAligned("reads", base.address, kWidth, kWidth) ||
      !CheckDefined(mask, sizeof(Lane))) {
    return Reg();
  }
  const ByteBits unknown =
      index.undefined().any()
          ? index.undefined().Widen<Lane>() & mask.bits().Lanes<Lane>()
          : ByteBits();
  const auto indices = index.lanes<Lane>();
  uint64_t first = ~uint64_t{0};
  uint64_t last = 0;
  for (int i = 0; i < kLanes<Lane>; ++i) {
    if (unknown.Test(i * static_cast<int>(sizeof(Lane)))) {
      Fail(absl::StrFormat(
          "the index in lane %d depends on a byte without a value (A5-MEM-3)",
          i));
      return Reg();
    }
    if (!mask.active<Lane>(i)) continue;
    first = std::min<uint64_t>(first, indices[i]);
    last = std::max<uint64_t>(last, indices[i]);
  }
  if (first > last) return Reg();  // no lane is active
  // All at once where nothing between the first and the last can be wrong.
  const uint64_t begin = base.address + first * kWidth;
  const int64_t extent = static_cast<int64_t>(last - first + 1) * kWidth;
  if (ub_.IsInside(begin, extent)) {
    const Memory::RangeInfo info = ub_.Info(begin, extent);
    if (info.has_values &&
        checker_.IsPlainLoad(begin, extent, info.latest_writer)) {
      const uint8_t* const from = ub_.Bytes(begin);
      Reg reg;
      for (int i = 0; i < kLanes<Lane>; ++i) {
        if (!mask.active<Lane>(i)) continue;
        std::memcpy(reg.bytes() + i * sizeof(Lane),
                    from + (indices[i] - first) * kWidth, kWidth);
        stage_.bytes += kWidth;
      }
      return reg;
    }
  }
  Reg reg;
  ByteBits bits;
  for (int i = 0; i < kLanes<Lane>; ++i) {
    if (!mask.active<Lane>(i)) continue;
    const int byte = i * static_cast<int>(sizeof(Lane));
    ByteBits undefined;
    if (!LoadBytes(base.address + uint64_t{indices[i]} * kWidth, kWidth,
                   reg.bytes() + byte, &undefined)) {
      return Reg();
    }
    for (int b = 0; b < kWidth; ++b) {
      if (undefined.Test(b)) bits.Set(byte + b);
    }
  }
  reg.set_undefined(bits);
  return reg;
}

#define MXTILE_INSTANTIATE(T)                                      \
  template Reg VectorUnit::Vlds(UbPtr<T>, int64_t, LoadDist);      \
  template Reg VectorUnit::VldsPost(UbPtr<T>*, int64_t, LoadDist); \
  template RegPair VectorUnit::VldsDintlv(UbPtr<T>, int64_t);      \
  template RegPair VectorUnit::VldsDintlvPost(UbPtr<T>*, int64_t)
MXTILE_INSTANTIATE(int8_t);
MXTILE_INSTANTIATE(uint8_t);
MXTILE_INSTANTIATE(int16_t);
MXTILE_INSTANTIATE(uint16_t);
MXTILE_INSTANTIATE(int32_t);
MXTILE_INSTANTIATE(uint32_t);
MXTILE_INSTANTIATE(float);
MXTILE_INSTANTIATE(Half);
MXTILE_INSTANTIATE(BFloat);
#undef MXTILE_INSTANTIATE

template Reg VectorUnit::Vgather2(UbPtr<uint8_t>, const Reg&, const Mask&);
template Reg VectorUnit::Vgather2(UbPtr<int16_t>, const Reg&, const Mask&);
template Reg VectorUnit::Vgather2(UbPtr<uint16_t>, const Reg&, const Mask&);
template Reg VectorUnit::Vgather2(UbPtr<Half>, const Reg&, const Mask&);
template Reg VectorUnit::Vgather2(UbPtr<BFloat>, const Reg&, const Mask&);
template Reg VectorUnit::Vgather2(UbPtr<int32_t>, const Reg&, const Mask&);
template Reg VectorUnit::Vgather2(UbPtr<uint32_t>, const Reg&, const Mask&);
template Reg VectorUnit::Vgather2(UbPtr<float>, const Reg&, const Mask&);

}  // namespace a5
}  // namespace mxtile
