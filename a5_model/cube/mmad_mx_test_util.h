#ifndef A5_MODEL_CUBE_MMAD_MX_TEST_UTIL_H_
#define A5_MODEL_CUBE_MMAD_MX_TEST_UTIL_H_

// Problems for tests of MMAD_MX: matrices of codes in logical order, put into
// the memories of the cube by walking over their layouts, and the definition of
// the result as loops.
//
//   MmadProblem p = ZeroProblem(/*m=*/3, /*k=*/64, /*n=*/5);
//   p.a[1 * 64 + 2] = 0x38;
//   EXPECT_EQ(RunMmad(p), NaiveMmad(p));

#include <cstdint>
#include <random>
#include <vector>

#include "a5_model/cube/mmad_mx.h"
#include "a5_model/machine.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

struct MmadProblem {
  int64_t m, k, n;
  std::vector<uint8_t> a;   // [m, k], one code a byte
  std::vector<uint8_t> sa;  // [m, k / 32]
  std::vector<uint8_t> b;   // [k, n]
  std::vector<uint8_t> sb;  // [k / 32, n]
  ElementFormat left = ElementFormat::kF8E4M3FN;
  ElementFormat right = ElementFormat::kF8E4M3FN;
  bool gemv = false;
  bool saturate = false;
};

// Zeros under scales of 1, E4M3.
MmadProblem ZeroProblem(int64_t m, int64_t k, int64_t n);

// Any codes under scales from `low_scale` to `high_scale`; NaN and Inf codes
// only with `specials`.
MmadProblem RandomProblem(std::mt19937& random, int64_t m, int64_t k, int64_t n,
                          ElementFormat left, ElementFormat right,
                          int low_scale, int high_scale, bool specials);

// Codes and scales to the addresses and their scale addresses; padding stays
// without a value.
void PlaceProblem(Machine& machine, const MmadProblem& p, uint64_t left,
                  uint64_t right);

// The parameters of the problem, every address 0.
MmadMxParams MmadParamsOf(const MmadProblem& p);

// C of `p` at `acc`, by the address formula of the header, as row-major bits.
std::vector<uint32_t> AccBits(const Machine& machine, uint64_t acc,
                              const MmadProblem& p);

// C on a machine of its own, every address 0, as row-major bits.
std::vector<uint32_t> RunMmad(const MmadProblem& p);

// The definition in doubles, one element at a time; `start` is [m, n].
std::vector<uint32_t> NaiveMmad(const MmadProblem& p,
                                const std::vector<float>& start);
std::vector<uint32_t> NaiveMmad(const MmadProblem& p);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_MMAD_MX_TEST_UTIL_H_
