// Instructions of the vector unit that move lanes or make them.

#include <cstdint>
#include <cstring>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/lanewise.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/unsigned_lane.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_unit.h"

namespace mxtile {
namespace a5 {
namespace {

// a0 b0 a1 b1 ...
template <typename Lane>
RegPair Zip(const uint8_t* a, const uint8_t* b) {
  Lane x[kLanes<Lane>];
  Lane y[kLanes<Lane>];
  Lane z[2 * kLanes<Lane>];
  std::memcpy(x, a, kVectorBytes);
  std::memcpy(y, b, kVectorBytes);
  for (int i = 0; i < kLanes<Lane>; ++i) {
    z[2 * i] = x[i];
    z[2 * i + 1] = y[i];
  }
  RegPair pair;
  std::memcpy(pair.first.bytes(), z, kVectorBytes);
  std::memcpy(pair.second.bytes(), z + kLanes<Lane>, kVectorBytes);
  return pair;
}

template <typename Lane>
RegPair Unzip(const uint8_t* a, const uint8_t* b) {
  Lane z[2 * kLanes<Lane>];
  Lane x[kLanes<Lane>];
  Lane y[kLanes<Lane>];
  std::memcpy(z, a, kVectorBytes);
  std::memcpy(z + kLanes<Lane>, b, kVectorBytes);
  for (int i = 0; i < kLanes<Lane>; ++i) {
    x[i] = z[2 * i];
    y[i] = z[2 * i + 1];
  }
  RegPair pair;
  std::memcpy(pair.first.bytes(), x, kVectorBytes);
  std::memcpy(pair.second.bytes(), y, kVectorBytes);
  return pair;
}

// Bytes of ones where a byte has no value, to send through the same moves.
Reg UndefinedBytes(const Reg& a) {
  const ByteMask mask(a.undefined());
  Reg bytes;
  std::memcpy(bytes.bytes(), mask.words, kVectorBytes);
  return bytes;
}

ByteBits BitsOf(const Reg& bytes) {
  ByteBits bits;
  for (int i = 0; i < kVectorBytes; ++i) {
    if (bytes.bytes()[i] != 0) bits.Set(i);
  }
  return bits;
}

using Mover = RegPair (*)(const uint8_t*, const uint8_t*);

RegPair Move(Mover mover, const Reg& a, const Reg& b) {
  RegPair pair = mover(a.bytes(), b.bytes());
  if (a.undefined().any() || b.undefined().any()) {
    const RegPair undefined =
        mover(UndefinedBytes(a).bytes(), UndefinedBytes(b).bytes());
    pair.first.set_undefined(BitsOf(undefined.first));
    pair.second.set_undefined(BitsOf(undefined.second));
  }
  return pair;
}

}  // namespace

template <typename T>
RegPair VectorUnit::Vintlv(const Reg& a, const Reg& b) {
  if (!Begin(VectorOp::kVintlv)) return {};
  return Move(&Zip<UnsignedLane<sizeof(T)>>, a, b);
}

template <typename T>
RegPair VectorUnit::Vdintlv(const Reg& a, const Reg& b) {
  if (!Begin(VectorOp::kVdintlv)) return {};
  return Move(&Unzip<UnsignedLane<sizeof(T)>>, a, b);
}

template <typename T>
Reg VectorUnit::Vselr(const Reg& a, const Reg& index) {
  if (!Begin(VectorOp::kVselr)) return Reg();
  const auto lanes = a.lanes<T>();
  const auto indices = index.lanes<T>();
  Reg result;
  for (int i = 0; i < kLanes<T>; ++i) {
    result.set_lane<T>(i, lanes[indices[i] % kLanes<T>]);
  }
  if (a.undefined().any() || index.undefined().any()) {
    const ByteBits unknown_index = index.undefined().Widen<T>();
    constexpr int kBytes = sizeof(T);
    ByteBits undefined;
    for (int i = 0; i < kVectorBytes; ++i) {
      const int from =
          static_cast<int>(indices[i / kBytes] % kLanes<T>) * kBytes +
          i % kBytes;
      if (unknown_index.Test(i) || a.undefined().Test(from)) undefined.Set(i);
    }
    result.set_undefined(undefined);
  }
  return result;
}

template <typename T>
Reg VectorUnit::Vdup(T scalar, const Mask& mask) {
  if (!Begin(VectorOp::kVdup)) return Reg();
  Reg result = Reg::Of<T>([&](int) { return scalar; });
  CloseLanes<T>(ByteBits(), mask, &result);
  return result;
}

template <typename T>
Reg VectorUnit::Vbr(T scalar) {
  if (!Begin(VectorOp::kVbr)) return Reg();
  return Reg::Of<T>([&](int) { return scalar; });
}

template <typename T>
Reg VectorUnit::Vci(T first) {
  if (!Begin(VectorOp::kVci)) return Reg();
  return Reg::Of<T>([&](int lane) {
    return static_cast<T>(static_cast<uint32_t>(first) +
                          static_cast<uint32_t>(lane));
  });
}

#define MXTILE_INSTANTIATE(T)                                      \
  template RegPair VectorUnit::Vintlv<T>(const Reg&, const Reg&);  \
  template RegPair VectorUnit::Vdintlv<T>(const Reg&, const Reg&); \
  template Reg VectorUnit::Vdup<T>(T, const Mask&);                \
  template Reg VectorUnit::Vbr<T>(T)
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

template Reg VectorUnit::Vselr<uint8_t>(const Reg&, const Reg&);
template Reg VectorUnit::Vselr<uint16_t>(const Reg&, const Reg&);
template Reg VectorUnit::Vselr<uint32_t>(const Reg&, const Reg&);

template Reg VectorUnit::Vci<int8_t>(int8_t);
template Reg VectorUnit::Vci<uint8_t>(uint8_t);
template Reg VectorUnit::Vci<int16_t>(int16_t);
template Reg VectorUnit::Vci<uint16_t>(uint16_t);
template Reg VectorUnit::Vci<int32_t>(int32_t);
template Reg VectorUnit::Vci<uint32_t>(uint32_t);

}  // namespace a5
}  // namespace mxtile
