#ifndef A5_MODEL_VECTOR_MASK_H_
#define A5_MODEL_VECTOR_MASK_H_

// A predicate register: 256 bits, one for each byte of a vector register. An
// instruction on lanes of n bytes looks at the bit of each lane's first byte
// and at no other, so a b32 predicate has its bits at 0, 4, 8, ...
//
//   const Mask mask = Mask::FirstLanes<float>(40);
//   mask.active<float>(39);     // true
//   mask.active<uint8_t>(157);  // false: no b8 predicate
//
// A bit that was computed from bytes without a value (register.h) has none
// either.

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"

namespace mxtile {
namespace a5 {

class Mask {
 public:
  // Nothing is active.
  Mask() = default;
  explicit Mask(const ByteBits& bits, const ByteBits& undefined = ByteBits())
      : bits_(bits), undefined_(undefined) {}

  // Lanes 0 .. count - 1; 0 <= count <= kLanes<T>.
  template <typename T>
  static Mask FirstLanes(int count) {
    return Mask(ByteBits::FirstLanes<T>(count));
  }
  template <typename T>
  static Mask All() {
    return FirstLanes<T>(kLanes<T>);
  }

  template <typename T>
  bool active(int lane) const {
    return bits_.Test(lane * static_cast<int>(sizeof(T)));
  }

  const ByteBits& bits() const { return bits_; }
  const ByteBits& undefined() const { return undefined_; }

  friend bool operator==(const Mask& a, const Mask& b) {
    return a.bits_ == b.bits_ && a.undefined_ == b.undefined_;
  }
  friend bool operator!=(const Mask& a, const Mask& b) { return !(a == b); }

 private:
  ByteBits bits_;
  ByteBits undefined_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_MASK_H_
