#ifndef A5_MODEL_VECTOR_VECTOR_TEST_UTIL_H_
#define A5_MODEL_VECTOR_VECTOR_TEST_UTIL_H_

// Registers, masks and a UB for tests of vector instructions.
//
//   VectorDraw draw(7);
//   const Reg x = draw.Lanes<float>();      // ordinary and special values
//   for (const Mask& mask : draw.Masks<float>()) ...
//
//   UbBench bench;
//   bench.Write(0x20, {1, 2, 3});
//   bench.unit().Vlds(UbPtr<uint8_t>{0x20}, 0);

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/vector_unit.h"

namespace mxtile {
namespace a5 {

class VectorDraw {
 public:
  explicit VectorDraw(uint64_t seed) : engine_(seed) {}

  uint64_t Number() { return engine_(); }
  int Below(int limit) {
    return static_cast<int>(engine_() % static_cast<uint64_t>(limit));
  }

  // Random bytes.
  Reg Bytes();
  // Half of the lanes are random bits, half special: zeros, ones, extremes,
  // subnormals, Inf, NaN, and neighbours of these.
  template <typename T>
  Reg Lanes();
  // Random bits.
  ByteBits Bits();

  // None, all, one lane at either end, all but those, even, odd, thirds, random
  // lanes; and some of them with bits set that belong to no lane.
  template <typename T>
  std::vector<Mask> Masks();

 private:
  std::mt19937_64 engine_;
};

// A machine, and a unit that is made when it is first used.
class UbBench {
 public:
  explicit UbBench(const VectorOptions& options = {}) : options_(options) {}

  Machine& machine() { return machine_; }
  Memory& ub();
  VectorUnit& unit();

  // As a pipe that is not the vector unit's.
  void Write(uint64_t address, const std::vector<uint8_t>& bytes);
  // Bytes as they lie, with or without a value.
  std::vector<uint8_t> Read(uint64_t address, int size);
  // Of each byte, whether it has a value: '1' or '.'.
  std::string Values(uint64_t address, int size);

 private:
  VectorOptions options_;
  Machine machine_;
  std::unique_ptr<VectorUnit> unit_;
};

// `count` random bytes.
std::vector<uint8_t> RandomBytes(VectorDraw& draw, int count);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_VECTOR_TEST_UTIL_H_
