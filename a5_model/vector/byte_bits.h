#ifndef A5_MODEL_VECTOR_BYTE_BITS_H_
#define A5_MODEL_VECTOR_BYTE_BITS_H_

// 256 bits, one for each byte of a vector register: what a predicate register
// is made of, and how a register remembers which of its bytes have no value.
//
//   const ByteBits lanes = ByteBits::FirstLanes<float>(3);  // bits 0, 4, 8
//   lanes.Spread<float>();                                  // bits 0 .. 11
//
// The bit of a lane of n bytes is that of its first byte.

#include <array>
#include <cstdint>

namespace mxtile {
namespace a5 {

class ByteBits {
 public:
  static constexpr int kBits = 256;
  static constexpr int kWords = 4;

  // No bit is set.
  constexpr ByteBits() : words_{} {}

  static constexpr ByteBits All() {
    ByteBits bits;
    for (uint64_t& word : bits.words_) word = ~uint64_t{0};
    return bits;
  }

  // Bits 0 .. count - 1; 0 <= count <= 256.
  static constexpr ByteBits First(int count) {
    ByteBits bits;
    for (int i = 0; i < kWords; ++i) {
      const int here = count - 64 * i;
      if (here >= 64) {
        bits.words_[i] = ~uint64_t{0};
      } else if (here > 0) {
        bits.words_[i] = (uint64_t{1} << here) - 1;
      }
    }
    return bits;
  }

  // The bits of lanes 0 .. count - 1, and of no others, of sizeof(T) bytes.
  template <typename T>
  static constexpr ByteBits FirstLanes(int count) {
    return First(count * static_cast<int>(sizeof(T))).Lanes<T>();
  }

  bool Test(int bit) const { return words_[bit >> 6] >> (bit & 63) & 1; }
  void Set(int bit) { words_[bit >> 6] |= uint64_t{1} << (bit & 63); }

  // The first bit from `begin` on that is set (clear); 256 for none.
  int NextSet(int begin) const { return Next(begin, 0); }
  int NextClear(int begin) const { return Next(begin, ~uint64_t{0}); }

  // Bits 32 * block .. 32 * block + 31, as bits 0 .. 31.
  ByteBits Block(int block) const {
    ByteBits bits;
    bits.words_[0] = words_[block / 2] >> (32 * (block % 2)) & 0xFFFFFFFF;
    return bits;
  }

  const std::array<uint64_t, kWords>& words() const { return words_; }
  std::array<uint64_t, kWords>& words() { return words_; }

  constexpr bool any() const {
    return (words_[0] | words_[1] | words_[2] | words_[3]) != 0;
  }

  // Only the bits that can stand for a lane of sizeof(T) bytes.
  template <typename T>
  constexpr ByteBits Lanes() const {
    ByteBits result;
    for (int i = 0; i < kWords; ++i) {
      result.words_[i] = words_[i] & kLaneWord<sizeof(T)>;
    }
    return result;
  }

  // The bit of each lane, for all bytes of the lane.
  template <typename T>
  constexpr ByteBits Spread() const {
    ByteBits result = Lanes<T>();
    for (uint64_t& word : result.words_) {
      if (sizeof(T) >= 2) word |= word << 1;
      if (sizeof(T) >= 4) word |= word << 2;
    }
    return result;
  }

  // All bytes of each lane of which any byte's bit is set.
  template <typename T>
  constexpr ByteBits Widen() const {
    ByteBits result = *this;
    for (uint64_t& word : result.words_) {
      if (sizeof(T) >= 2) word |= word >> 1;
      if (sizeof(T) >= 4) word |= word >> 2;
    }
    return result.Spread<T>();
  }

  friend constexpr ByteBits operator&(const ByteBits& a, const ByteBits& b) {
    ByteBits result;
    for (int i = 0; i < kWords; ++i) {
      result.words_[i] = a.words_[i] & b.words_[i];
    }
    return result;
  }
  friend constexpr ByteBits operator|(const ByteBits& a, const ByteBits& b) {
    ByteBits result;
    for (int i = 0; i < kWords; ++i) {
      result.words_[i] = a.words_[i] | b.words_[i];
    }
    return result;
  }
  friend constexpr ByteBits operator^(const ByteBits& a, const ByteBits& b) {
    ByteBits result;
    for (int i = 0; i < kWords; ++i) {
      result.words_[i] = a.words_[i] ^ b.words_[i];
    }
    return result;
  }
  friend constexpr ByteBits operator~(const ByteBits& a) { return a ^ All(); }
  friend constexpr bool operator==(const ByteBits& a, const ByteBits& b) {
    return !(a ^ b).any();
  }
  friend constexpr bool operator!=(const ByteBits& a, const ByteBits& b) {
    return (a ^ b).any();
  }

 private:
  int Next(int begin, uint64_t flip) const {
    if (begin >= kBits) return kBits;
    int word = begin >> 6;
    uint64_t bits = (words_[word] ^ flip) >> (begin & 63);
    if (bits != 0) return begin + __builtin_ctzll(bits);
    while (++word < kWords) {
      bits = words_[word] ^ flip;
      if (bits != 0) return 64 * word + __builtin_ctzll(bits);
    }
    return kBits;
  }

  template <int kBytes>
  static constexpr uint64_t kLaneWord = kBytes == 1   ? ~uint64_t{0}
                                        : kBytes == 2 ? 0x5555555555555555
                                                      : 0x1111111111111111;

  std::array<uint64_t, kWords> words_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_BYTE_BITS_H_
