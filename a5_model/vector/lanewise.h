#ifndef A5_MODEL_VECTOR_LANEWISE_H_
#define A5_MODEL_VECTOR_LANEWISE_H_

// The loop over lanes that most instructions are, and what they share around
// it: lanes that are not active become 0, bytes without a value spread to the
// lanes that are computed from them.
//
//   MapLanes<float>(a, b, mask, [](float x, float y) { return x + y; });

#include <cstdint>
#include <cstring>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"

namespace mxtile {
namespace a5 {

// One byte of ones for each bit of `bits` that is set, otherwise of zeros.
struct ByteMask {
  explicit ByteMask(const ByteBits& bits);
  uint64_t words[kVectorBytes / 8];
};

// Bytes of `a` where `bits` are set, otherwise of `b`.
void BlendBytes(const ByteBits& bits, const uint8_t* a, const uint8_t* b,
                uint8_t* to);

// Clears the bytes whose bit in `bytes` is not set.
void KeepBytes(const ByteBits& bytes, uint8_t* to);

// Closes a result: lanes that are not active become 0; `undefined`, of the
// operands, spreads over its lanes.
template <typename T>
void CloseLanes(const ByteBits& undefined, const Mask& mask, Reg* result) {
  const ByteBits active = mask.bits().Spread<T>();
  KeepBytes(active, result->bytes());
  if (undefined.any() || mask.undefined().any()) {
    result->set_undefined((undefined.Widen<T>() & active) |
                          mask.undefined().Spread<T>());
  }
}

template <typename T, typename Function>
Reg MapLanes(const Reg& a, const Mask& mask, Function function) {
  alignas(32) T x[kLanes<T>];
  alignas(32) T z[kLanes<T>];
  std::memcpy(x, a.bytes(), kVectorBytes);
  for (int i = 0; i < kLanes<T>; ++i) z[i] = function(x[i]);
  Reg result;
  std::memcpy(result.bytes(), z, kVectorBytes);
  CloseLanes<T>(a.undefined(), mask, &result);
  return result;
}

template <typename T, typename Function>
Reg MapLanes(const Reg& a, const Reg& b, const Mask& mask, Function function) {
  alignas(32) T x[kLanes<T>];
  alignas(32) T y[kLanes<T>];
  alignas(32) T z[kLanes<T>];
  std::memcpy(x, a.bytes(), kVectorBytes);
  std::memcpy(y, b.bytes(), kVectorBytes);
  for (int i = 0; i < kLanes<T>; ++i) z[i] = function(x[i], y[i]);
  Reg result;
  std::memcpy(result.bytes(), z, kVectorBytes);
  CloseLanes<T>(a.undefined() | b.undefined(), mask, &result);
  return result;
}

// `function` of 64-bit words. A byte of the result depends on the same byte of
// the operands only, so bytes without a value do not spread. T: for the mask.
template <typename T, typename Function>
Reg MapBits(const Reg& a, const Reg& b, const Mask& mask, Function function) {
  constexpr int kWords = kVectorBytes / 8;
  alignas(32) uint64_t x[kWords];
  alignas(32) uint64_t y[kWords];
  std::memcpy(x, a.bytes(), kVectorBytes);
  std::memcpy(y, b.bytes(), kVectorBytes);
  for (int i = 0; i < kWords; ++i) x[i] = function(x[i], y[i]);
  Reg result;
  std::memcpy(result.bytes(), x, kVectorBytes);
  const ByteBits active = mask.bits().Spread<T>();
  KeepBytes(active, result.bytes());
  const ByteBits undefined = a.undefined() | b.undefined();
  if (undefined.any() || mask.undefined().any()) {
    result.set_undefined((undefined & active) | mask.undefined().Spread<T>());
  }
  return result;
}

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_LANEWISE_H_
