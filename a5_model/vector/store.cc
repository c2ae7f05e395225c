// Stores of the vector unit to addresses that are aligned.

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

absl::string_view NameOf(StoreDist dist) {
  static constexpr absl::string_view kNames[] = {
      "vsts NORM",     "vsts PK_B16",    "vsts PK_B32",   "vsts PK4_B32",
      "vsts ONEPT_B8", "vsts ONEPT_B16", "vsts ONEPT_B32"};
  return kNames[static_cast<int>(dist)];
}

template <typename T>
absl::string_view IntlvName() {
  return sizeof(T) == 1   ? "vsts INTLV_B8"
         : sizeof(T) == 2 ? "vsts INTLV_B16"
                          : "vsts INTLV_B32";
}

constexpr uint32_t kStrideField = 0xFFFF;

// The first kTo bytes of each lane of kFrom bytes, side by side.
template <int kFrom, int kTo>
void Pack(const uint8_t* from, uint8_t* to) {
  constexpr int kCount = kVectorBytes / kFrom;
  UnsignedLane<kFrom> wide[kCount];
  UnsignedLane<kTo> narrow[kCount];
  std::memcpy(wide, from, kVectorBytes);
  for (int i = 0; i < kCount; ++i) {
    narrow[i] = static_cast<UnsignedLane<kTo>>(wide[i]);
  }
  std::memcpy(to, narrow, kCount * kTo);
}

// The same of bits.
template <int kFrom, int kTo>
ByteBits PackBits(const ByteBits& bits) {
  if (bits == ByteBits::All())
    return ByteBits::First(kVectorBytes / kFrom * kTo);
  ByteBits packed;
  for (int i = 0; i < kVectorBytes / kFrom; ++i) {
    for (int b = 0; b < kTo; ++b) {
      if (bits.Test(i * kFrom + b)) packed.Set(i * kTo + b);
    }
  }
  return packed;
}

}  // namespace

bool VectorUnit::CheckDefined(const Mask& mask, int lane_bytes) {
  if (!mask.undefined().any()) return true;
  for (int bit = 0; bit < kVectorBytes; bit += lane_bytes) {
    if (!mask.undefined().Test(bit)) continue;
    Fail(
        absl::StrFormat("the predicate of lane %d depends on a byte without a "
                        "value (A5-MEM-3)",
                        bit / lane_bytes));
    return false;
  }
  return true;
}

bool VectorUnit::StoreRun(uint64_t address, const uint8_t* bytes, int size,
                          bool undefined) {
  if (!ub_.IsInside(address, size)) {
    Fail(ub_.CheckInside(access_, "writes", address, size));
    return false;
  }
  if (!checker_.IsPlainStore(address, size,
                             ub_.Info(address, size).latest_writer)) {
    const absl::Status status = checker_.CheckStore(access_, address, size);
    if (!status.ok()) {
      Fail(status);
      return false;
    }
  }
  std::memcpy(ub_.Overwrite(access_, address, size, !undefined), bytes, size);
  stage_.bytes += size;
  return true;
}

bool VectorUnit::StoreBytes(uint64_t address, const uint8_t* bytes, int size,
                            const ByteBits& enabled,
                            const ByteBits& undefined) {
  int begin = 0;
  while ((begin = enabled.NextSet(begin)) < size) {
    const bool without_value = undefined.Test(begin);
    int end = enabled.NextClear(begin);
    if (end > size) end = size;
    const int change =
        without_value ? undefined.NextClear(begin) : undefined.NextSet(begin);
    if (end > change) end = change;
    if (!StoreRun(address + begin, bytes + begin, end - begin, without_value)) {
      return false;
    }
    begin = end;
  }
  return true;
}

template <int kFrom, int kTo>
void VectorUnit::StoreLanes(const Reg& value, uint64_t address,
                            const Mask& mask) {
  constexpr int kSize = kVectorBytes / kFrom * kTo;
  if (!CheckAligned("writes", address, kSize, kBlockBytes) ||
      !CheckDefined(mask, kFrom)) {
    return;
  }
  using Lane = UnsignedLane<kFrom>;
  const ByteBits active = mask.bits().Spread<Lane>();
  bool stored;
  if constexpr (kFrom == kTo) {
    stored =
        StoreBytes(address, value.bytes(), kSize, active, value.undefined());
  } else {
    uint8_t bytes[kSize];
    Pack<kFrom, kTo>(value.bytes(), bytes);
    stored = StoreBytes(address, bytes, kSize, PackBits<kFrom, kTo>(active),
                        value.undefined().any()
                            ? PackBits<kFrom, kTo>(value.undefined())
                            : ByteBits());
  }
  if (stored) checker_.RecordStore(access_);
}

template <int kWidth>
void VectorUnit::StoreOne(const Reg& value, uint64_t address,
                          const Mask& mask) {
  if (!CheckAligned("writes", address, kWidth, kWidth)) return;
  if (mask.undefined().Test(0)) {
    CheckDefined(mask, kWidth);
    return;
  }
  if (!mask.bits().Test(0)) return;
  if (StoreBytes(address, value.bytes(), kWidth, ByteBits::First(kWidth),
                 value.undefined())) {
    checker_.RecordStore(access_);
  }
}

void VectorUnit::Store(const Reg& value, uint64_t address, int lane_bytes,
                       StoreDist dist, const Mask& mask) {
  if (!Begin(VectorOp::kVsts, NameOf(dist))) return;
  switch (dist) {
    case StoreDist::kNorm:
      if (lane_bytes == 1) return StoreLanes<1, 1>(value, address, mask);
      if (lane_bytes == 2) return StoreLanes<2, 2>(value, address, mask);
      return StoreLanes<4, 4>(value, address, mask);
    case StoreDist::kPkB16:
      return StoreLanes<2, 1>(value, address, mask);
    case StoreDist::kPkB32:
      return StoreLanes<4, 2>(value, address, mask);
    case StoreDist::kPk4B32:
      return StoreLanes<4, 1>(value, address, mask);
    case StoreDist::kOneptB8:
      return StoreOne<1>(value, address, mask);
    case StoreDist::kOneptB16:
      return StoreOne<2>(value, address, mask);
    case StoreDist::kOneptB32:
      return StoreOne<4>(value, address, mask);
  }
}

template <typename T>
void VectorUnit::Vsts(const Reg& value, UbPtr<T> destination, int64_t offset,
                      StoreDist dist, const Mask& mask) {
  Store(value, (destination + offset).address, sizeof(T), dist, mask);
}

template <typename T>
void VectorUnit::VstsPost(const Reg& value, UbPtr<T>* destination,
                          int64_t offset, StoreDist dist, const Mask& mask) {
  const uint64_t address = destination->address;
  *destination += offset;
  Store(value, address, sizeof(T), dist, mask);
}

template <typename T>
void VectorUnit::VstsIntlv(const Reg& even, const Reg& odd,
                           UbPtr<T> destination, int64_t offset,
                           const Mask& mask) {
  if (!Begin(VectorOp::kVstsIntlv, IntlvName<T>())) return;
  constexpr int kWidth = sizeof(T);
  const uint64_t address = (destination + offset).address;
  if (!CheckAligned("writes", address, 2 * kVectorBytes, kBlockBytes) ||
      !CheckDefined(mask, kWidth)) {
    return;
  }
  for (int half = 0; half < 2; ++half) {
    uint8_t bytes[kVectorBytes];
    ByteBits enabled;
    ByteBits undefined;
    for (int to = 0; to < kVectorBytes; ++to) {
      const int element = half * kLanes<T> + to / kWidth;
      const Reg& source = element % 2 == 0 ? even : odd;
      const int from = element / 2 * kWidth + to % kWidth;
      bytes[to] = source.bytes()[from];
      if (mask.active<T>(element / 2)) enabled.Set(to);
      if (source.undefined().Test(from)) undefined.Set(to);
    }
    if (!StoreBytes(address + half * kVectorBytes, bytes, kVectorBytes, enabled,
                    undefined)) {
      return;
    }
  }
  checker_.RecordStore(access_);
}

template <typename T>
void VectorUnit::Vsstb(const Reg& value, UbPtr<T>* destination, uint32_t config,
                       const Mask& mask) {
  const uint64_t address = destination->address;
  const uint64_t block_stride = uint64_t{config >> 16} * kBlockBytes;
  destination->address += uint64_t{config & kStrideField} * kBlockBytes;
  if (!Begin(VectorOp::kVsstb)) return;
  if (!CheckAligned("writes", address, kBlockBytes, kBlockBytes) ||
      !CheckDefined(mask, sizeof(T))) {
    return;
  }
  const ByteBits active = mask.bits().Spread<T>();
  int written = 0;
  for (int b = 0; b < kVectorBlocks; ++b) {
    const ByteBits enabled = active.Block(b);
    if (!enabled.any()) continue;
    const uint64_t to = address + block_stride * b;
    if (++written == 2 && block_stride == 0) {
      Fail(absl::StrFormat("writes %s twice: the block stride is 0 (A5-MEM-4)",
                           ToString({ub_.name(), to, kBlockBytes})));
      return;
    }
    if (!StoreBytes(to, value.bytes() + b * kBlockBytes, kBlockBytes, enabled,
                    value.undefined().Block(b))) {
      return;
    }
  }
  checker_.RecordStore(access_);
}

template <typename T>
void VectorUnit::VsstbOffset(const Reg& value, UbPtr<T> destination,
                             uint32_t offset, const Mask& mask) {
  if (!Begin(VectorOp::kVsstb, "vsstb (4 arguments)")) return;
  Reg rotated;
  ByteBits undefined;
  for (int i = 0; i < kVectorBytes; ++i) {
    const int from = static_cast<int>((uint64_t{offset} + i) % kVectorBytes);
    rotated.bytes()[i] = value.bytes()[from];
    if (value.undefined().Test(from)) undefined.Set(i);
  }
  rotated.set_undefined(undefined);
  StoreLanes<sizeof(T), sizeof(T)>(rotated, destination.address, mask);
}

#define MXTILE_INSTANTIATE(T)                                              \
  template void VectorUnit::Vsts(const Reg&, UbPtr<T>, int64_t, StoreDist, \
                                 const Mask&);                             \
  template void VectorUnit::VstsPost(const Reg&, UbPtr<T>*, int64_t,       \
                                     StoreDist, const Mask&);              \
  template void VectorUnit::VstsIntlv(const Reg&, const Reg&, UbPtr<T>,    \
                                      int64_t, const Mask&);               \
  template void VectorUnit::Vsstb(const Reg&, UbPtr<T>*, uint32_t,         \
                                  const Mask&);                            \
  template void VectorUnit::VsstbOffset(const Reg&, UbPtr<T>, uint32_t,    \
                                        const Mask&)
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

}  // namespace a5
}  // namespace mxtile
