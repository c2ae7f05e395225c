// Loads and stores of the vector unit.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "a5_model/cube/field.h"
#include "a5_model/memory.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

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

absl::string_view NameOf(StoreDist dist) {
  static constexpr absl::string_view kNames[] = {
      "vsts NORM",     "vsts PK_B16",    "vsts PK_B32",   "vsts PK4_B32",
      "vsts ONEPT_B8", "vsts ONEPT_B16", "vsts ONEPT_B32"};
  return kNames[static_cast<int>(dist)];
}

// "DINTLV_B8", "DINTLV_B16", "DINTLV_B32".
template <typename T>
absl::string_view DintlvName() {
  return sizeof(T) == 1   ? "vlds DINTLV_B8"
         : sizeof(T) == 2 ? "vlds DINTLV_B16"
                          : "vlds DINTLV_B32";
}
template <typename T>
absl::string_view IntlvName() {
  return sizeof(T) == 1   ? "vsts INTLV_B8"
         : sizeof(T) == 2 ? "vsts INTLV_B16"
                          : "vsts INTLV_B32";
}

// Unsigned lanes as wide as an index of vgather2.
template <int kBytes>
struct IndexOf;
template <>
struct IndexOf<1> {
  using Type = uint16_t;
};
template <>
struct IndexOf<2> {
  using Type = uint16_t;
};
template <>
struct IndexOf<4> {
  using Type = uint32_t;
};

constexpr uint32_t kMaxStrideField = 0xFFFF;

}  // namespace

// ---- loads

bool VectorUnit::LoadBytes(uint64_t address, int size, uint8_t* to,
                           ByteBits* undefined) {
  const auto bytes = ub_.ReadAsIs(access_, address, size);
  if (!bytes.ok()) {
    Fail(bytes.status());
    return false;
  }
  int64_t usable = size;
  const absl::Status status =
      checker_.CheckLoad(access_, address, size, &usable);
  if (!status.ok()) {
    Fail(status);
    return false;
  }
  std::memcpy(to, bytes->data(), size);
  stage_.bytes += size;
  *undefined = ByteBits();
  if (usable == size && ub_.Info(address, size).has_values) return true;
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

// BRC, BLK and E2B: unit i of what is read, of `width` bytes, `copies` times.
Reg VectorUnit::LoadRepeated(uint64_t address, int units, int width,
                             int copies) {
  const int size = units * width;
  uint8_t bytes[kVectorBytes];
  ByteBits undefined;
  if (!CheckAligned("reads", address, size, size) ||
      !LoadBytes(address, size, bytes, &undefined)) {
    return Reg();
  }
  Reg reg;
  uint8_t* to = reg.bytes();
  for (int unit = 0; unit < units; ++unit) {
    for (int copy = 0; copy < copies; ++copy) {
      std::memcpy(to, bytes + unit * width, width);
      to += width;
    }
  }
  if (undefined.any()) {
    ByteBits bits;
    for (int i = 0; i < kVectorBytes; ++i) {
      const int unit = i / (width * copies);
      if (undefined.Test(unit * width + i % width)) bits.Set(i);
    }
    reg.set_undefined(bits);
  }
  return reg;
}

Reg VectorUnit::LoadUnpacked(uint64_t address, int width) {
  constexpr int kSize = kVectorBytes / 2;
  uint8_t bytes[kSize];
  ByteBits undefined;
  if (!CheckAligned("reads", address, kSize, kBlockBytes) ||
      !LoadBytes(address, kSize, bytes, &undefined)) {
    return Reg();
  }
  Reg reg;
  ByteBits bits;
  for (int i = 0; i < kSize; ++i) {
    const int to = i / width * 2 * width + i % width;
    reg.bytes()[to] = bytes[i];
    if (undefined.Test(i)) bits.Set(to);
  }
  reg.set_undefined(bits);
  return reg;
}

Reg VectorUnit::Load(uint64_t address, LoadDist dist) {
  if (!Begin(VectorOp::kVlds, NameOf(dist))) return Reg();
  switch (dist) {
    case LoadDist::kNorm:
      return LoadNorm(address);
    case LoadDist::kBrcB8:
      return LoadRepeated(address, 1, 1, kVectorBytes);
    case LoadDist::kBrcB16:
      return LoadRepeated(address, 1, 2, kVectorBytes / 2);
    case LoadDist::kBrcB32:
      return LoadRepeated(address, 1, 4, kVectorBytes / 4);
    case LoadDist::kUnpkB8:
      return LoadUnpacked(address, 1);
    case LoadDist::kUnpkB16:
      return LoadUnpacked(address, 2);
    case LoadDist::kBlk:
      return LoadRepeated(address, 1, kBlockBytes, kVectorBlocks);
    case LoadDist::kE2bB16:
      return LoadRepeated(address, kVectorBlocks, 2, kBlockBytes / 2);
    case LoadDist::kE2bB32:
      return LoadRepeated(address, kVectorBlocks, 4, kBlockBytes / 4);
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
  if (!Begin(VectorOp::kVldsDintlv, DintlvName<T>())) return {};
  const uint64_t address = (source + offset).address;
  uint8_t bytes[2 * kVectorBytes];
  ByteBits undefined[2];
  if (!CheckAligned("reads", address, 2 * kVectorBytes, kBlockBytes) ||
      !LoadBytes(address, kVectorBytes, bytes, &undefined[0]) ||
      !LoadBytes(address + kVectorBytes, kVectorBytes, bytes + kVectorBytes,
                 &undefined[1])) {
    return {};
  }
  RegPair pair;
  for (int i = 0; i < kLanes<T>; ++i) {
    std::memcpy(pair.first.bytes() + i * sizeof(T), bytes + 2 * i * sizeof(T),
                sizeof(T));
    std::memcpy(pair.second.bytes() + i * sizeof(T),
                bytes + (2 * i + 1) * sizeof(T), sizeof(T));
  }
  if (undefined[0].any() || undefined[1].any()) {
    ByteBits bits[2];
    for (int i = 0; i < 2 * kVectorBytes; ++i) {
      if (!undefined[i / kVectorBytes].Test(i % kVectorBytes)) continue;
      const int lane = i / static_cast<int>(sizeof(T));
      bits[lane % 2].Set(lane / 2 * sizeof(T) + i % sizeof(T));
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
  using Lane = typename IndexOf<sizeof(T)>::Type;
  if (!Begin(VectorOp::kVgather2)) return Reg();
  if (!CheckAligned("reads", base.address, sizeof(T), sizeof(T))) return Reg();
  Reg reg;
  ByteBits bits;
  for (int i = 0; i < kLanes<Lane>; ++i) {
    const int byte = i * static_cast<int>(sizeof(Lane));
    if (mask.undefined().Test(byte)) {
      Fail(
          absl::StrFormat("the predicate of lane %d depends on a byte without "
                          "a value (A5-MEM-3)",
                          i));
      return Reg();
    }
    if (!mask.active<Lane>(i)) continue;
    if (index.undefined().any() &&
        (index.undefined().Widen<Lane>()).Test(byte)) {
      Fail(absl::StrFormat(
          "the index in lane %d depends on a byte without a value (A5-MEM-3)",
          i));
      return Reg();
    }
    const uint64_t address =
        base.address + uint64_t{index.lane<Lane>(i)} * sizeof(T);
    ByteBits undefined;
    if (!LoadBytes(address, sizeof(T), reg.bytes() + byte, &undefined)) {
      return Reg();
    }
    if (undefined.any()) {
      for (int b = 0; b < static_cast<int>(sizeof(T)); ++b) {
        if (undefined.Test(b)) bits.Set(byte + b);
      }
    }
  }
  reg.set_undefined(bits);
  return reg;
}

// ---- stores

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
  absl::Status status = ub_.CheckInside(access_, "writes", address, size);
  if (status.ok()) status = checker_.CheckStore(access_, address, size);
  if (!status.ok()) {
    Fail(status);
    return false;
  }
  const auto to = ub_.WriteAsIs(access_, address, size, !undefined);
  std::memcpy(to->data(), bytes, size);
  stage_.bytes += size;
  return true;
}

bool VectorUnit::StoreBytes(uint64_t address, const uint8_t* bytes, int size,
                            const ByteBits& enabled,
                            const ByteBits& undefined) {
  int begin = 0;
  while (begin < size) {
    if (!enabled.Test(begin)) {
      ++begin;
      continue;
    }
    const bool without_value = undefined.Test(begin);
    int end = begin + 1;
    while (end < size && enabled.Test(end) &&
           undefined.Test(end) == without_value) {
      ++end;
    }
    if (!StoreRun(address + begin, bytes + begin, end - begin, without_value)) {
      return false;
    }
    begin = end;
  }
  return true;
}

void VectorUnit::StoreLanes(const Reg& value, uint64_t address, int lane_bytes,
                            int kept_bytes, int lanes, int alignment,
                            const Mask& mask) {
  const int size = lanes * kept_bytes;
  if (!CheckAligned("writes", address, size, alignment) ||
      !CheckDefined(mask, lane_bytes)) {
    return;
  }
  uint8_t bytes[kVectorBytes];
  ByteBits enabled;
  ByteBits undefined;
  for (int i = 0; i < lanes; ++i) {
    for (int b = 0; b < kept_bytes; ++b) {
      const int from = i * lane_bytes + b;
      const int to = i * kept_bytes + b;
      bytes[to] = value.bytes()[from];
      if (mask.bits().Test(i * lane_bytes)) enabled.Set(to);
      if (value.undefined().Test(from)) undefined.Set(to);
    }
  }
  if (StoreBytes(address, bytes, size, enabled, undefined)) {
    checker_.RecordStore(access_);
  }
}

void VectorUnit::Store(const Reg& value, uint64_t address, int lane_bytes,
                       StoreDist dist, const Mask& mask) {
  if (!Begin(VectorOp::kVsts, NameOf(dist))) return;
  switch (dist) {
    case StoreDist::kNorm:
      StoreLanes(value, address, lane_bytes, lane_bytes,
                 kVectorBytes / lane_bytes, kBlockBytes, mask);
      return;
    case StoreDist::kPkB16:
      StoreLanes(value, address, 2, 1, kVectorBytes / 2, kBlockBytes, mask);
      return;
    case StoreDist::kPkB32:
      StoreLanes(value, address, 4, 2, kVectorBytes / 4, kBlockBytes, mask);
      return;
    case StoreDist::kPk4B32:
      StoreLanes(value, address, 4, 1, kVectorBytes / 4, kBlockBytes, mask);
      return;
    case StoreDist::kOneptB8:
      StoreLanes(value, address, 1, 1, 1, 1, mask);
      return;
    case StoreDist::kOneptB16:
      StoreLanes(value, address, 2, 2, 1, 2, mask);
      return;
    case StoreDist::kOneptB32:
      StoreLanes(value, address, 4, 4, 1, 4, mask);
      return;
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
  const uint32_t block_stride = config >> 16;
  const uint32_t repeat_stride = config & kMaxStrideField;
  destination->address += uint64_t{repeat_stride} * kBlockBytes;
  if (!Begin(VectorOp::kVsstb)) return;
  if (!CheckAligned("writes", address, kBlockBytes, kBlockBytes) ||
      !CheckDefined(mask, sizeof(T))) {
    return;
  }
  const ByteBits enabled = mask.bits().Spread<T>();
  int active_blocks = 0;
  for (int b = 0; b < kVectorBlocks; ++b) {
    ByteBits block_enabled;
    ByteBits block_undefined;
    bool any = false;
    for (int i = 0; i < kBlockBytes; ++i) {
      if (!enabled.Test(b * kBlockBytes + i)) continue;
      any = true;
      block_enabled.Set(i);
      if (value.undefined().Test(b * kBlockBytes + i)) block_undefined.Set(i);
    }
    if (!any) continue;
    const uint64_t to = address + uint64_t{block_stride} * kBlockBytes * b;
    if (block_stride == 0 && ++active_blocks == 2) {
      Fail(absl::StrFormat("writes %s twice: the block stride is 0 (A5-MEM-4)",
                           ToString({ub_.name(), to, kBlockBytes})));
      return;
    }
    if (!StoreBytes(to, value.bytes() + b * kBlockBytes, kBlockBytes,
                    block_enabled, block_undefined)) {
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
    const int from = static_cast<int>((offset + i) % kVectorBytes);
    rotated.bytes()[i] = value.bytes()[from];
    if (value.undefined().Test(from)) undefined.Set(i);
  }
  rotated.set_undefined(undefined);
  StoreLanes(rotated, destination.address, sizeof(T), sizeof(T), kLanes<T>,
             kBlockBytes, mask);
}

// ---- unaligned streams

void VectorUnit::AppendToStream(AlignReg& align, const uint8_t* bytes, int size,
                                const ByteBits& undefined, uint64_t address) {
  if (align.stream_ == 0) {
    align.stream_ = ++last_stream_;
    align.address_ = address;
    align.size_ = 0;
  } else if (align.address_ + align.size_ != address) {
    Fail(absl::StrFormat(
        "appends at 0x%x to a stream that has come to 0x%x (A5-VEC-5)", address,
        align.address_ + align.size_));
    return;
  }
  // What was held back and what comes, from the first byte that is not written.
  uint8_t all[kBlockBytes + kVectorBytes];
  std::memcpy(all, align.bytes_, align.size_);
  std::memcpy(all + align.size_, bytes, size);
  bool without_value[kBlockBytes + kVectorBytes];
  std::copy_n(align.undefined_, align.size_, without_value);
  for (int i = 0; i < size; ++i) {
    without_value[align.size_ + i] = undefined.Test(i);
  }
  const int total = align.size_ + size;
  const uint64_t end = align.address_ + total;
  // Whole blocks are written; the first may have begun inside its block.
  const uint64_t complete = end / kBlockBytes * kBlockBytes;
  const int written = complete > align.address_
                          ? static_cast<int>(complete - align.address_)
                          : 0;
  for (int begin = 0; begin < written;) {
    int next = begin + 1;
    while (next < written && without_value[next] == without_value[begin]) {
      ++next;
    }
    if (!StoreRun(align.address_ + begin, all + begin, next - begin,
                  without_value[begin])) {
      return;
    }
    begin = next;
  }
  if (written > 0) checker_.RecordStore(access_);
  align.address_ += written;
  align.size_ = total - written;
  std::copy_n(all + written, align.size_, align.bytes_);
  std::copy_n(without_value + written, align.size_, align.undefined_);
  checker_.HoldBack(align.stream_, align.address_, align.size_);
}

template <typename T>
void VectorUnit::Vstus(AlignReg& align, int64_t count, const Reg& value,
                       UbPtr<T> destination) {
  if (!Begin(VectorOp::kVstus)) return;
  const absl::Status status = CheckField(access_, "count", count, 0, kLanes<T>);
  if (!status.ok()) return Fail(status);
  if (count == 0) return;
  const int size = static_cast<int>(count * sizeof(T));
  if (!CheckAligned("writes", destination.address, size, sizeof(T))) return;
  AppendToStream(align, value.bytes(), size, value.undefined(),
                 destination.address);
}

template <typename T>
void VectorUnit::VstusPost(AlignReg& align, int64_t count, const Reg& value,
                           UbPtr<T>* destination) {
  const UbPtr<T> here = *destination;
  *destination += count;
  Vstus(align, count, value, here);
}

template <typename T>
void VectorUnit::Vstas(AlignReg& align, UbPtr<T> destination, int64_t offset) {
  if (!Begin(VectorOp::kVstas)) return;
  const uint64_t address = (destination + offset).address;
  if (align.size_ > 0) {
    if (align.address_ + align.size_ != address) {
      Fail(absl::StrFormat(
          "flushes at 0x%x a stream that has come to 0x%x (A5-VEC-5)", address,
          align.address_ + align.size_));
      return;
    }
    for (int i = 0; i < align.size_; ++i) {
      if (!StoreRun(align.address_ + i, align.bytes_ + i, 1,
                    align.undefined_[i])) {
        return;
      }
    }
    checker_.RecordStore(access_);
    checker_.HoldBack(align.stream_, 0, 0);
  }
  align.stream_ = 0;
  align.size_ = 0;
}

#define MXTILE_INSTANTIATE(T)                                                \
  template Reg VectorUnit::Vlds(UbPtr<T>, int64_t, LoadDist);                \
  template Reg VectorUnit::VldsPost(UbPtr<T>*, int64_t, LoadDist);           \
  template RegPair VectorUnit::VldsDintlv(UbPtr<T>, int64_t);                \
  template RegPair VectorUnit::VldsDintlvPost(UbPtr<T>*, int64_t);           \
  template void VectorUnit::Vsts(const Reg&, UbPtr<T>, int64_t, StoreDist,   \
                                 const Mask&);                               \
  template void VectorUnit::VstsPost(const Reg&, UbPtr<T>*, int64_t,         \
                                     StoreDist, const Mask&);                \
  template void VectorUnit::VstsIntlv(const Reg&, const Reg&, UbPtr<T>,      \
                                      int64_t, const Mask&);                 \
  template void VectorUnit::Vsstb(const Reg&, UbPtr<T>*, uint32_t,           \
                                  const Mask&);                              \
  template void VectorUnit::VsstbOffset(const Reg&, UbPtr<T>, uint32_t,      \
                                        const Mask&);                        \
  template void VectorUnit::Vstus(AlignReg&, int64_t, const Reg&, UbPtr<T>); \
  template void VectorUnit::VstusPost(AlignReg&, int64_t, const Reg&,        \
                                      UbPtr<T>*);                            \
  template void VectorUnit::Vstas(AlignReg&, UbPtr<T>, int64_t)
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
