#ifndef EXEC_SIMD_JIT_FLOAT_OPS_TEST_UTIL_H_
#define EXEC_SIMD_JIT_FLOAT_OPS_TEST_UTIL_H_

// FloatOps over arrays, for its tests.
//
//   MX_ASSERT_OK_AND_ASSIGN(
//       const ElementwiseKernel kernel,
//       ElementwiseKernel::Make({target, lanes, 32, 1, 16},
//           [](FloatOps& ops, Inputs in) { return ops.EncodeBF16(in[0]); }));
//   kernel.Run(floats.data(), nullptr, codes.data(), floats.size());

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "exec/simd/jit/float_ops.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/target.h"

namespace mxtile::exec::simd {

class ElementwiseKernel {
 public:
  struct Shape {
    SimdTarget target;
    int lanes;
    int input_bits;  // 8 and 16 are codes, 32 are floats
    int num_inputs;  // 1 or 2
    int output_bits;
  };
  using Inputs = absl::Span<llvm::Value* const>;
  using Emit = absl::FunctionRef<llvm::Value*(FloatOps& ops, Inputs inputs)>;

  static absl::StatusOr<ElementwiseKernel> Make(const Shape& shape, Emit emit);

  // The same without linking: the object.
  static absl::StatusOr<CompiledObject> MakeObject(const Shape& shape,
                                                   Emit emit);

  // out[i] = emitted(a[i], b[i]) for i < count, a multiple of the lanes.
  void Run(const void* a, const void* b, void* out, int64_t count) const {
    run_(a, b, out, count);
  }

 private:
  using Function = void (*)(const void*, const void*, void*, int64_t);
  explicit ElementwiseKernel(std::unique_ptr<JitCode> code)
      : code_(std::move(code)),
        run_(reinterpret_cast<Function>(code_->Find("run"))) {}

  std::unique_ptr<JitCode> code_;
  Function run_;
};

struct TargetAndLanes {
  SimdTarget target;
  int lanes;
};

// The host and, where it is an x86, what every x86-64 has, which converts f16
// by integer arithmetic; each with 1, 2, 4, 8 and 16 lanes.
std::vector<TargetAndLanes> TestedTargets();

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_JIT_FLOAT_OPS_TEST_UTIL_H_
