#include "a5_model/vector/lanewise.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"

namespace mxtile {
namespace a5 {
namespace {

// Eight bits as eight bytes.
constexpr std::array<uint64_t, 256> MakeExpansions() {
  std::array<uint64_t, 256> table{};
  for (int bits = 0; bits < 256; ++bits) {
    uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i) {
      if (bits >> i & 1) bytes |= uint64_t{0xFF} << (8 * i);
    }
    table[bits] = bytes;
  }
  return table;
}

constexpr std::array<uint64_t, 256> kExpansions = MakeExpansions();

constexpr int kWordBytes = kVectorBytes / ByteBits::kWords;

}  // namespace

ByteMask::ByteMask(const ByteBits& bits) {
  for (int i = 0; i < kVectorBytes / 8; ++i) {
    words[i] = kExpansions[bits.words()[i / 8] >> (8 * (i % 8)) & 0xFF];
  }
}

void BlendBytes(const ByteBits& bits, const uint8_t* a, const uint8_t* b,
                uint8_t* to) {
  const ByteMask mask(bits);
  uint64_t x[kVectorBytes / 8];
  uint64_t y[kVectorBytes / 8];
  std::memcpy(x, a, kVectorBytes);
  std::memcpy(y, b, kVectorBytes);
  for (int i = 0; i < kVectorBytes / 8; ++i) {
    x[i] = (x[i] & mask.words[i]) | (y[i] & ~mask.words[i]);
  }
  std::memcpy(to, x, kVectorBytes);
}

void KeepBytes(const ByteBits& bytes, uint8_t* to) {
  // Predicates are full or end somewhere: few words are neither full nor empty.
  for (int w = 0; w < ByteBits::kWords; ++w) {
    const uint64_t word = bytes.words()[w];
    uint8_t* const here = to + kWordBytes * w;
    if (word == ~uint64_t{0}) continue;
    if (word == 0) {
      std::memset(here, 0, kWordBytes);
      continue;
    }
    for (int i = 0; i < 8; ++i) {
      uint64_t eight;
      std::memcpy(&eight, here + 8 * i, 8);
      eight &= kExpansions[word >> (8 * i) & 0xFF];
      std::memcpy(here + 8 * i, &eight, 8);
    }
  }
}

}  // namespace a5
}  // namespace mxtile
