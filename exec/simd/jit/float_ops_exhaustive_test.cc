// FloatOps' functions of one float over all 2^32 of them.

#include <cstdint>
#include <vector>

#include "absl/base/casts.h"
#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "exec/simd/jit/float_ops.h"
#include "exec/simd/jit/float_ops_test_util.h"
#include "exec/simd/jit/target.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/exp.h"
#include "numerics/f16.h"

namespace mxtile::exec::simd {
namespace {

#ifndef MX_WITHOUT_LLVM

using Inputs = ElementwiseKernel::Inputs;

constexpr uint64_t kParts = 16;
constexpr uint64_t kChunk = 1 << 16;

// On the host; on every other target the same steps are made of more.
class FloatOpsExhaustiveTest : public ::testing::TestWithParam<int> {
 protected:
  static absl::StatusOr<ElementwiseKernel> MakeKernel(
      const SimdTarget& target, int output_bits, ElementwiseKernel::Emit emit) {
    return ElementwiseKernel::Make({target, 8, 32, 1, output_bits}, emit);
  }

  // Out is the type of the result's bits, or float.
  template <typename Out, typename Expected>
  void Walk(const ElementwiseKernel& kernel, Expected expected) {
    constexpr uint64_t kPart = (uint64_t{1} << 32) / kParts;
    const uint64_t first = kPart * GetParam();
    std::vector<float> in(kChunk);
    std::vector<Out> out(kChunk);
    for (uint64_t begin = first; begin < first + kPart; begin += kChunk) {
      for (uint64_t i = 0; i < kChunk; ++i) {
        in[i] = absl::bit_cast<float>(static_cast<uint32_t>(begin + i));
      }
      kernel.Run(in.data(), nullptr, out.data(), kChunk);
      for (uint64_t i = 0; i < kChunk; ++i) {
        if (out[i] != expected(in[i])) {
          FAIL() << std::hex << begin + i << " is " << out[i];
        }
      }
    }
  }
};

TEST_P(FloatOpsExhaustiveTest, Exp) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel kernel,
      MakeKernel(HostTarget(), 32, [](FloatOps& ops, Inputs inputs) {
        return ops.Exp(inputs[0]);
      }));
  Walk<uint32_t>(
      kernel, [](float x) { return absl::bit_cast<uint32_t>(mxtile::Exp(x)); });
}

TEST_P(FloatOpsExhaustiveTest, EncodeBF16) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel kernel,
      MakeKernel(HostTarget(), 16, [](FloatOps& ops, Inputs inputs) {
        return ops.EncodeBF16(inputs[0]);
      }));
  Walk<uint16_t>(kernel, [](float x) { return EncodeBF16(x); });
}

// By the instruction where the host has it, and by integer arithmetic.
TEST_P(FloatOpsExhaustiveTest, EncodeF16) {
  for (const bool has_f16c : {HostTarget().has_f16c, false}) {
    SimdTarget target = HostTarget();
    target.has_f16c = has_f16c;
    MX_ASSERT_OK_AND_ASSIGN(
        const ElementwiseKernel kernel,
        MakeKernel(target, 16, [](FloatOps& ops, Inputs inputs) {
          return ops.EncodeF16(inputs[0]);
        }));
    Walk<uint16_t>(kernel, [](float x) { return EncodeF16(x); });
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, FloatOpsExhaustiveTest,
                         ::testing::Range(0, static_cast<int>(kParts)));

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd
