#include "a5_model/vector/vector_test_util.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_unit.h"
#include "base/check.h"

namespace mxtile {
namespace a5 {
namespace {

// Magnitudes; signs are drawn.
const std::vector<uint32_t>& SpecialBits(int bytes, bool is_float, bool bf16) {
  static const std::vector<uint32_t> kF32 = {
      0,          1,          2,          0x007FFFFF, 0x00800000,
      0x00800001, 0x33800000, 0x3F7FFFFF, 0x3F800000, 0x3F800001,
      0x40000000, 0x43E00000, 0x7EFFFFFF, 0x7F000000, 0x7F7FFFFF,
      0x7F800000, 0x7F800001, 0x7FBFFFFF, 0x7FC00000, 0x7FFFFFFF};
  static const std::vector<uint32_t> kF16 = {
      0,      1,      0x03FF, 0x0400, 0x0401, 0x3BFF, 0x3C00, 0x3C01,
      0x4000, 0x7BFE, 0x7BFF, 0x7C00, 0x7C01, 0x7DFF, 0x7E00, 0x7FFF};
  static const std::vector<uint32_t> kBf16 = {
      0,      1,      0x007F, 0x0080, 0x0081, 0x3F7F, 0x3F80, 0x3F81,
      0x4000, 0x7F7E, 0x7F7F, 0x7F80, 0x7F81, 0x7FBF, 0x7FC0, 0x7FFF};
  static const std::vector<uint32_t> kInt8 = {0, 1, 2, 7, 0x7E, 0x7F};
  static const std::vector<uint32_t> kInt16 = {0, 1, 2, 15, 0x7FFE, 0x7FFF};
  static const std::vector<uint32_t> kInt32 = {0,  1,          2,
                                               31, 0x7FFFFFFE, 0x7FFFFFFF};
  if (is_float) return bytes == 4 ? kF32 : bf16 ? kBf16 : kF16;
  return bytes == 1 ? kInt8 : bytes == 2 ? kInt16 : kInt32;
}

}  // namespace

Reg VectorDraw::Bytes() {
  return Reg::Of<uint8_t>([&](int) { return engine_(); });
}

ByteBits VectorDraw::Bits() {
  ByteBits bits;
  for (uint64_t& word : bits.words()) word = engine_();
  return bits;
}

template <typename T>
Reg VectorDraw::Lanes() {
  constexpr bool kIsFloat = !std::is_integral_v<T>;
  const std::vector<uint32_t>& special =
      SpecialBits(sizeof(T), kIsFloat, std::is_same_v<T, BFloat>);
  constexpr uint32_t kSign = uint32_t{1} << (8 * sizeof(T) - 1);
  Reg reg;
  for (int i = 0; i < kLanes<T>; ++i) {
    uint32_t bits = static_cast<uint32_t>(engine_());
    if (bits % 2 == 0) {
      bits = special[Below(static_cast<int>(special.size()))];
      if (Below(2) == 1) bits |= kSign;
    }
    std::memcpy(reg.bytes() + i * sizeof(T), &bits, sizeof(T));
  }
  return reg;
}

template <typename T>
std::vector<Mask> VectorDraw::Masks() {
  constexpr int kCount = kLanes<T>;
  std::vector<Mask> masks;
  const auto add = [&](auto is_active) {
    ByteBits bits;
    for (int i = 0; i < kCount; ++i) {
      if (is_active(i)) bits.Set(i * static_cast<int>(sizeof(T)));
    }
    masks.push_back(Mask(bits));
    // Bits between the lanes, which must not matter.
    masks.push_back(Mask(bits | (Bits() & ~ByteBits::All().Lanes<T>())));
  };
  add([](int) { return false; });
  add([](int) { return true; });
  add([](int i) { return i == 0; });
  add([](int i) { return i == kCount - 1; });
  add([](int i) { return i != 0; });
  add([](int i) { return i != kCount - 1; });
  add([](int i) { return i < kCount / 2; });
  add([](int i) { return i % 2 == 0; });
  add([](int i) { return i % 2 == 1; });
  add([](int i) { return i % 3 == 0; });
  add([&](int) { return Below(2) == 0; });
  add([&](int) { return Below(10) == 0; });
  const int count = Below(kCount + 1);
  add([&](int i) { return i < count; });
  return masks;
}

#define MXTILE_INSTANTIATE(T)          \
  template Reg VectorDraw::Lanes<T>(); \
  template std::vector<Mask> VectorDraw::Masks<T>()
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

Memory& UbBench::ub() { return machine_.memory(MemorySpace::kVec); }

VectorUnit& UbBench::unit() {
  if (unit_ == nullptr) {
    unit_ = std::make_unique<VectorUnit>(machine_, options_);
  }
  return *unit_;
}

void UbBench::Write(uint64_t address, const std::vector<uint8_t>& bytes) {
  // Whole blocks have to begin at a block; a test may not care.
  const Access access = machine_.Begin("host write");
  MX_CHECK(ub().IsInside(address, bytes.size()));
  std::copy(bytes.begin(), bytes.end(),
            ub().Overwrite(access, address, bytes.size(), true));
}

std::vector<uint8_t> UbBench::Read(uint64_t address, int size) {
  return ub().Peek(address, size);
}

std::string UbBench::Values(uint64_t address, int size) {
  std::string values;
  for (int i = 0; i < size; ++i) {
    values += ub().HasValue(address + i, 1) ? '1' : '.';
  }
  return values;
}

std::vector<uint8_t> RandomBytes(VectorDraw& draw, int count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(draw.Number());
  return bytes;
}

}  // namespace a5
}  // namespace mxtile
