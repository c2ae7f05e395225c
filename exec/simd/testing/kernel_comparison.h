#ifndef EXEC_SIMD_TESTING_KERNEL_COMPARISON_H_
#define EXEC_SIMD_TESTING_KERNEL_COMPARISON_H_

// A compiled candidate against the strict interpreter: all bytes of all
// buffers, in memory that ends, and in memory that begins, at pages nobody may
// touch.
//
//   MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
//                           InterpretedMemory(program, memory));
//   EXPECT_EQ(KernelDifference(program, memory, expected, candidate), "");

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/candidate.h"
#include "exec/simd/jit/block_pool.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// By buffer number.
using Memory = std::vector<std::vector<uint8_t>>;

// What the interpreter leaves.
absl::StatusOr<Memory> InterpretedMemory(const TileProgram& program,
                                         Memory memory);

struct ComparisonOptions {
  BlockPool* pool = nullptr;
  // One whose code the host can run.
  SimdTarget target = HostTarget();
  // Of optimisation: 0 compiles in a third of the time of the others.
  int level = 1;
};

// Empty when the kernel leaves `expected`; otherwise the error of compiling or
// running it, or the first element that differs.
std::string KernelDifference(const TileProgram& program, const Memory& memory,
                             const Memory& expected, const Candidate& candidate,
                             const ComparisonOptions& options = {});

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_KERNEL_COMPARISON_H_
