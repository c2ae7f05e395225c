#ifndef PROOF_RANDOM_PROGRAM_TEST_UTIL_H_
#define PROOF_RANDOM_PROGRAM_TEST_UTIL_H_

// Random programs.
//
//   Random random(seed);
//   TestIr ir;
//   const ir::Program& program = *RandomProgram(&ir, &random);
//
// Programs have loops, ifs, carried values, calls, Submits that leave out
// arguments, malformed calls, recursion, casts and all integer operators, over
// variables of several integer types, with mostly small constants and some at
// the ends of their types.

#include <cstdint>
#include <random>
#include <vector>

#include "ir/program.h"
#include "ir/stmt.h"
#include "proof/proof_test_util.h"

namespace mxtile::proof {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  int Below(int limit) { return static_cast<int>(engine_() % limit); }
  bool OneIn(int n) { return Below(n) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[Below(static_cast<int>(values.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

const ir::Program* RandomProgram(TestIr* ir, Random* random);

// The assignments of scalars, but for Submits and constants, in program order.
std::vector<const ir::Assign*> ScalarAssignments(const ir::Program& program);

}  // namespace mxtile::proof

#endif  // PROOF_RANDOM_PROGRAM_TEST_UTIL_H_
