// Unaligned stores of the vector unit: a stream of bytes that goes to memory
// block by block.

#include <cstdint>
#include <cstring>

#include "a5_model/cube/field.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace mxtile {
namespace a5 {

bool VectorUnit::CheckContinues(const AlignReg& align, absl::string_view verb,
                                uint64_t address) {
  const uint64_t end = align.address_ + align.size_;
  if (end == address) return true;
  Fail(absl::StrFormat("%s at 0x%x a stream that has come to 0x%x (A5-VEC-5)",
                       verb, address, end));
  return false;
}

// Completes the block that has begun, writes whole blocks, holds the rest back.
void VectorUnit::AppendToStream(AlignReg& align, const Reg& value, int size,
                                uint64_t address) {
  if (align.stream_ == 0) {
    align.stream_ = ++last_stream_;
    align.address_ = address;
    align.size_ = 0;
    align.undefined_ = ByteBits();
  } else if (!CheckContinues(align, "continues", address)) {
    return;
  }
  const uint64_t end = address + size;
  const uint64_t complete = end / kBlockBytes * kBlockBytes;
  int taken = 0;
  if (complete > address) {
    if (align.size_ > 0) {
      if (!StoreBytes(align.address_, align.bytes_, align.size_,
                      ByteBits::First(align.size_), align.undefined_)) {
        return;
      }
    }
    taken = static_cast<int>(complete - address);
    if (!StoreBytes(address, value.bytes(), taken, ByteBits::First(taken),
                    value.undefined())) {
      return;
    }
    checker_.RecordStore(access_);
    align.address_ = complete;
    align.size_ = 0;
    align.undefined_ = ByteBits();
  }
  for (int i = taken; i < size; ++i) {
    if (value.undefined().Test(i)) align.undefined_.Set(align.size_);
    align.bytes_[align.size_++] = value.bytes()[i];
  }
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
  AppendToStream(align, value, size, destination.address);
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
  if (align.size_ > 0) {
    if (!CheckContinues(align, "flushes", (destination + offset).address) ||
        !StoreBytes(align.address_, align.bytes_, align.size_,
                    ByteBits::First(align.size_), align.undefined_)) {
      return;
    }
    checker_.RecordStore(access_);
    checker_.HoldBack(align.stream_, 0, 0);
  }
  align.stream_ = 0;
  align.size_ = 0;
}

#define MXTILE_INSTANTIATE(T)                                                \
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

}  // namespace a5
}  // namespace mxtile
