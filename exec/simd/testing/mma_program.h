#ifndef EXEC_SIMD_TESTING_MMA_PROGRAM_H_
#define EXEC_SIMD_TESTING_MMA_PROGRAM_H_

// One contraction an instance, in the spellings and with the data that tell
// apart what must not be confused: c = a * b + c where a and c are overwritten
// between their loads and the contraction.
//
//   const MmaCase mma = {MmaForm::kSwapped, 2, 35, 17};
//   MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildMma(mma));
//   std::vector<std::vector<float>> memory = MmaMemory(mma);
//   ... run on memory ...
//   EXPECT_EQ(memory, MmaOracle(mma));    // bit for bit
//
//   buffer  shape, f32                         afterwards
//   0  a    [programs, m, k]                   13 everywhere
//   1  b    [programs, k, n], kTransposed:     the same
//           [programs, n, k]
//   2  c    [programs, m, n]                   the result
//
// Output (0, 0) of each instance is (1 + 2^-23) * (1 - 2^-23) - 1: 0 after two
// roundings, -2^-46 after one.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

enum class MmaForm {
  kPlain,       // a * b
  kSwapped,     // b * a
  kTransposed,  // b lies as [n, k]
  kExtracted,   // the result's rows are read at computed indices
};

struct MmaCase {
  MmaForm form = MmaForm::kPlain;
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  int64_t programs = 11;
};

inline constexpr MmaForm kMmaForms[] = {MmaForm::kPlain, MmaForm::kSwapped,
                                        MmaForm::kTransposed,
                                        MmaForm::kExtracted};

// "plain 2x35x17"
std::string ToString(const MmaCase& mma);

absl::StatusOr<TileProgram> BuildMma(const MmaCase& mma);

std::vector<std::vector<float>> MmaMemory(const MmaCase& mma);
// By volatile products and sums.
std::vector<std::vector<float>> MmaOracle(const MmaCase& mma);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_MMA_PROGRAM_H_
