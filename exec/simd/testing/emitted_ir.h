#ifndef EXEC_SIMD_TESTING_EMITTED_IR_H_
#define EXEC_SIMD_TESTING_EMITTED_IR_H_

// What an emitted kernel consists of, counted in its instructions: to be
// compared with what was planned.
//
//   MX_ASSERT_OK_AND_ASSIGN(EmittedKernel kernel, EmitKernel(...));
//   EXPECT_EQ(MemoryOf(kernel, "body").allocas, plan.resources().allocations);

#include <cstdint>
#include <string>
#include <vector>

#include "exec/simd/emit/kernel_emitter.h"

namespace mxtile::exec::simd {

// Both bodies are named as kernel_emitter.h does: "body", "team".

bool HasBody(EmittedKernel& kernel, const std::string& body);

struct EmittedMemory {
  int64_t allocas = 0;
  int64_t alloca_bytes = 0;
  // Where arrays begin in the workspace, in bytes, in the order of the code.
  std::vector<int64_t> workspace_offsets;
};
EmittedMemory MemoryOf(EmittedKernel& kernel, const std::string& body);

struct EmittedArithmetic {
  int64_t instructions = 0;
  int64_t multiplies = 0;  // of floats: fmul
  int64_t adds = 0;        // fadd
  int64_t fast = 0;        // operations with a fast-math flag
  int64_t loops = 0;       // that carry floats, by their phis:
  int64_t carried = 0;
  int64_t calls = 0;
};
EmittedArithmetic ArithmeticOf(EmittedKernel& kernel, const std::string& body);

// How often the entry calls it.
int64_t CallsOf(EmittedKernel& kernel, const std::string& body);

// The module as LLVM's assembly.
std::string TextOf(EmittedKernel& kernel);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_EMITTED_IR_H_
