#ifndef A5_MODEL_VECTOR_UNSIGNED_LANE_H_
#define A5_MODEL_VECTOR_UNSIGNED_LANE_H_

// The bits of a lane, for instructions that move them: UnsignedLane<2> is
// uint16_t.

#include <cstdint>
#include <type_traits>

namespace mxtile {
namespace a5 {

template <int kBytes>
using UnsignedLane =
    std::conditional_t<kBytes == 1, uint8_t,
                       std::conditional_t<kBytes == 2, uint16_t, uint32_t>>;

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_UNSIGNED_LANE_H_
