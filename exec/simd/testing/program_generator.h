#ifndef EXEC_SIMD_TESTING_PROGRAM_GENERATOR_H_
#define EXEC_SIMD_TESTING_PROGRAM_GENERATOR_H_

// Random tile programs with their memory, to compare executions with the strict
// interpreter.
//
//   MX_ASSERT_OK_AND_ASSIGN(GeneratedProgram generated,
//                           GenerateProgram(seed));
//   std::vector<std::vector<uint8_t>> memory = generated.memory;
//   MX_ASSERT_OK(Interpret(generated.program, Spans(memory), AllOf(...)));
//   ... the same on another copy, then FirstDifference() of each buffer ...
//
// A program has 1 to 40 instances, tiles of rank 0 to 3 with up to some hundred
// elements, every kind of operation, loops and ifs two deep, and stores at
// least once. Instances are independent, no window leaves its view, and the
// same seed gives the same memory and, but for the numbers of values, the same
// program on every host.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct GeneratorOptions {
  // Otherwise 40 programs of 100 have NaNs and infinities in their memory.
  bool finite = false;
  bool mx_contractions = true;
};

// How often something occurs, by name.
using Histogram = std::map<std::string, int64_t>;

struct GeneratedProgram {
  TileProgram program;
  // By buffer number.
  std::vector<std::vector<uint8_t>> memory;
  std::vector<ElementType> types;
  // What the operations do not show: "ragged window", "loop without trips" ...
  Histogram features;
};

// An error is the generator's fault; it names the seed.
absl::StatusOr<GeneratedProgram> GenerateProgram(
    uint64_t seed, const GeneratorOptions& options = {});

// Adds the operations of the program: "contract", "unary exp", "reduce max" ...
void CountOperations(const TileProgram& program, Histogram& histogram);

std::vector<BufferSpan> Spans(std::vector<std::vector<uint8_t>>& memory);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_PROGRAM_GENERATOR_H_
