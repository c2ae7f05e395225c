#ifndef A5_MODEL_VECTOR_REGISTER_H_
#define A5_MODEL_VECTOR_REGISTER_H_

// A vector register: 256 bytes, which instructions read as lanes of the type
// in their suffix. A register is a value; the same bytes can be read as any
// type, as a cast of a register does on the device.
//
//   Reg reg = Reg::Of<float>([](int lane) { return 0.5f * lane; });
//   reg.lane<float>(3);      // 1.5f
//   reg.lane<uint32_t>(3);   // 0x3FC00000
//
// A byte may have no value: one loaded from memory that nobody wrote, or from
// beyond a buffer, and what was computed from it. Such bytes hold something,
// and instructions go on, as on the device; `undefined` tells which they are.
// They become an error where something depends on them: see vector_unit.h.

#include <array>
#include <cstdint>
#include <cstring>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"

namespace mxtile {
namespace a5 {

class alignas(32) Reg {
 public:
  // Zeros.
  Reg() : bytes_{} {}

  // `value` of each lane number.
  template <typename T, typename Value>
  static Reg Of(Value value) {
    Reg reg;
    for (int i = 0; i < kLanes<T>; ++i) {
      reg.set_lane<T>(i, static_cast<T>(value(i)));
    }
    return reg;
  }

  template <typename T>
  T lane(int i) const {
    T value;
    std::memcpy(&value, &bytes_[i * sizeof(T)], sizeof(T));
    return value;
  }
  template <typename T>
  void set_lane(int i, T value) {
    std::memcpy(&bytes_[i * sizeof(T)], &value, sizeof(T));
  }
  template <typename T>
  std::array<T, kLanes<T>> lanes() const {
    std::array<T, kLanes<T>> values;
    std::memcpy(values.data(), bytes_.data(), kVectorBytes);
    return values;
  }

  const uint8_t* bytes() const { return bytes_.data(); }
  uint8_t* bytes() { return bytes_.data(); }

  // The bytes without a value.
  const ByteBits& undefined() const { return undefined_; }
  void set_undefined(const ByteBits& bytes) { undefined_ = bytes; }

  // Bytes and undefined bytes alike.
  friend bool operator==(const Reg& a, const Reg& b) {
    return a.bytes_ == b.bytes_ && a.undefined_ == b.undefined_;
  }
  friend bool operator!=(const Reg& a, const Reg& b) { return !(a == b); }

 private:
  std::array<uint8_t, kVectorBytes> bytes_;
  ByteBits undefined_;
};

// The two destinations of an instruction that has two.
struct RegPair {
  Reg first;
  Reg second;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_REGISTER_H_
