#ifndef A5_MODEL_VECTOR_UB_POINTER_H_
#define A5_MODEL_VECTOR_UB_POINTER_H_

// An address in UB with the type of what lies there: offsets count elements,
// as with a `__ubuf__ T*` on the device.
//
//   UbPtr<float> max{0x400};
//   (max + 8).address;            // 0x420
//   max.As<uint16_t>() + 8;       // UbPtr<uint16_t>{0x410}

#include <cstdint>

namespace mxtile {
namespace a5 {

template <typename T>
struct UbPtr {
  uint64_t address = 0;

  template <typename U>
  UbPtr<U> As() const {
    return {address};
  }

  UbPtr& operator+=(int64_t elements) {
    address += static_cast<uint64_t>(elements) * sizeof(T);
    return *this;
  }
  UbPtr& operator-=(int64_t elements) { return *this += -elements; }
  friend UbPtr operator+(UbPtr pointer, int64_t elements) {
    return pointer += elements;
  }
  friend UbPtr operator-(UbPtr pointer, int64_t elements) {
    return pointer -= elements;
  }
  friend bool operator==(UbPtr a, UbPtr b) { return a.address == b.address; }
  friend bool operator!=(UbPtr a, UbPtr b) { return a.address != b.address; }
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_UB_POINTER_H_
