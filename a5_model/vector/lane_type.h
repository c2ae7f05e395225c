#ifndef A5_MODEL_VECTOR_LANE_TYPE_H_
#define A5_MODEL_VECTOR_LANE_TYPE_H_

// The types that a lane of a vector register can have: int8_t, uint8_t,
// int16_t, uint16_t, int32_t, uint32_t, float, and two types for the 16-bit
// floats, which C++ has not.
//
//   kLanes<float>    // 64
//   kLanes<BFloat>   // 128
//
// Codes of 8 and 4 bits travel in lanes of uint8_t.

#include <cstdint>

namespace mxtile {
namespace a5 {

// The code of an f16 (numerics/f16.h) and of a bf16 (numerics/bf16.h).
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};

// Bytes of a vector register (VL), and of a block of it. [ini]
inline constexpr int kVectorBytes = 256;
inline constexpr int kBlockBytes = 32;
inline constexpr int kVectorBlocks = kVectorBytes / kBlockBytes;

template <typename T>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_LANE_TYPE_H_
