// FloatOps against numerics/: all codes of every format, all 2^16 halves, and
// floats by the million.
//
//   ./bazelw run //exec/simd/jit:float_ops_test -- --seed=7 --floats=100000000

#include "exec/simd/jit/float_ops.h"

#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "absl/types/span.h"
#include "base/random_test_main.h"
#include "base/status_matchers.h"
#include "exec/simd/jit/float_ops_test_util.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/linked_object.h"
#include "exec/simd/jit/target.h"
#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/element_format.h"
#include "numerics/exp.h"
#include "numerics/f16.h"

namespace mxtile::exec::simd {
namespace {

uint64_t seed = 1;
int num_random = 300'000;

#ifndef MX_WITHOUT_LLVM

using Inputs = ElementwiseKernel::Inputs;

uint32_t Bits(float value) { return absl::bit_cast<uint32_t>(value); }

// Every upper half, with lower halves around the ties of bf16 and f16; then
// random bits. A multiple of 16.
std::vector<float> Probes() {
  std::vector<float> probes;
  for (uint32_t high = 0; high < 0x10000; ++high) {
    for (const uint32_t low :
         {0x0000u, 0x0001u, 0x0FFFu, 0x1000u, 0x1001u, 0x2FFFu, 0x3000u,
          0x3001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      probes.push_back(absl::bit_cast<float>(high << 16 | low));
    }
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < num_random; ++i) {
    probes.push_back(absl::bit_cast<float>(static_cast<uint32_t>(random())));
  }
  while (probes.size() % 16 != 0) probes.push_back(0);
  return probes;
}

// Pairs: special values with each other, then equal, opposite, close and random
// ones.
void ProbePairs(std::vector<float>* a, std::vector<float>* b) {
  const uint32_t specials[] = {0x00000000, 0x00000001, 0x007FFFFF, 0x00800000,
                               0x3F800000, 0x3F800001, 0x7F7FFFFF, 0x7F800000,
                               0x7F800001, 0x7FC00000, 0x7FC12345, 0x7FFFFFFF};
  const auto add = [&](uint32_t x, uint32_t y) {
    for (const uint32_t signs : {0u, 1u, 2u, 3u}) {
      a->push_back(absl::bit_cast<float>(x ^ signs << 31));
      b->push_back(absl::bit_cast<float>(y ^ (signs >> 1) << 31));
    }
  };
  for (const uint32_t x : specials) {
    for (const uint32_t y : specials) add(x, y);
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < num_random / 16; ++i) {
    const uint64_t word = random();
    const uint32_t x = static_cast<uint32_t>(word);
    add(x, x);
    add(x, x + 1);
    add(x, static_cast<uint32_t>(word >> 32));
  }
  while (a->size() % 16 != 0) add(0, 0);
}

class FloatOpsTest : public ::testing::TestWithParam<TargetAndLanes> {
 protected:
  ElementwiseKernel::Shape Shape(int input_bits, int num_inputs,
                                 int output_bits) {
    return {GetParam().target, GetParam().lanes, input_bits, num_inputs,
            output_bits};
  }
};

TEST_P(FloatOpsTest, DecodesEveryCode) {
  for (const ElementFormat format : kElementFormats) {
    if (format == ElementFormat::kF32) continue;
    const int code_bits = BitWidth(format) > 8 ? 16 : 8;
    MX_ASSERT_OK_AND_ASSIGN(
        const ElementwiseKernel kernel,
        ElementwiseKernel::Make(Shape(code_bits, 1, 32),
                                [&](FloatOps& ops, Inputs inputs) {
                                  return ops.Decode(format, inputs[0]);
                                }));
    const int num_codes = 1 << code_bits;  // 4-bit ones with all higher bits
    std::vector<uint8_t> codes8(num_codes);
    std::vector<uint16_t> codes16(num_codes);
    for (int i = 0; i < num_codes; ++i) {
      codes8[i] = static_cast<uint8_t>(i);
      codes16[i] = static_cast<uint16_t>(i);
    }
    std::vector<float> values(num_codes);
    kernel.Run(code_bits == 8 ? static_cast<const void*>(codes8.data())
                              : codes16.data(),
               nullptr, values.data(), num_codes);
    for (int i = 0; i < num_codes; ++i) {
      ASSERT_EQ(Bits(values[i]), Bits(Decode(format, i)))
          << Name(format) << " code " << i;
    }
  }
}

template <typename Encode>
void ExpectEncodes(const ElementwiseKernel& kernel, Encode encode) {
  const std::vector<float> probes = Probes();
  std::vector<uint16_t> codes(probes.size());
  kernel.Run(probes.data(), nullptr, codes.data(), probes.size());
  for (size_t i = 0; i < probes.size(); ++i) {
    ASSERT_EQ(codes[i], encode(probes[i]))
        << std::hex << Bits(probes[i]) << ", seed " << std::dec << seed;
  }
}

TEST_P(FloatOpsTest, EncodesBF16) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel kernel,
      ElementwiseKernel::Make(Shape(32, 1, 16),
                              [](FloatOps& ops, Inputs inputs) {
                                return ops.EncodeBF16(inputs[0]);
                              }));
  ExpectEncodes(kernel, [](float value) { return EncodeBF16(value); });
}

TEST_P(FloatOpsTest, EncodesF16) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel kernel,
      ElementwiseKernel::Make(Shape(32, 1, 16),
                              [](FloatOps& ops, Inputs inputs) {
                                return ops.EncodeF16(inputs[0]);
                              }));
  ExpectEncodes(kernel, [](float value) { return EncodeF16(value); });
}

// Also a signalling NaN, which must not pass through as it is.
TEST_P(FloatOpsTest, F16ThereAndBack) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel kernel,
      ElementwiseKernel::Make(
          Shape(16, 1, 16), [](FloatOps& ops, Inputs inputs) {
            return ops.EncodeF16(ops.Decode(ElementFormat::kF16, inputs[0]));
          }));
  std::vector<uint16_t> codes(0x10000);
  for (int i = 0; i < 0x10000; ++i) codes[i] = static_cast<uint16_t>(i);
  std::vector<uint16_t> back(codes.size());
  kernel.Run(codes.data(), nullptr, back.data(), codes.size());
  for (int i = 0; i < 0x10000; ++i) {
    ASSERT_EQ(back[i], EncodeF16(DecodeF16(codes[i]))) << i;
  }
}

// NaNs that arithmetic makes compare as one.
template <typename Expected>
void ExpectUnary(const ElementwiseKernel& kernel, bool with_nan_bits,
                 Expected expected) {
  const std::vector<float> probes = Probes();
  std::vector<float> results(probes.size());
  kernel.Run(probes.data(), nullptr, results.data(), probes.size());
  for (size_t i = 0; i < probes.size(); ++i) {
    const float result = expected(probes[i]);
    if (!with_nan_bits && std::isnan(result) && std::isnan(results[i])) {
      continue;
    }
    ASSERT_EQ(Bits(results[i]), Bits(result))
        << std::hex << Bits(probes[i]) << ", seed " << std::dec << seed;
  }
}

TEST_P(FloatOpsTest, Exp) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel kernel,
      ElementwiseKernel::Make(
          Shape(32, 1, 32),
          [](FloatOps& ops, Inputs inputs) { return ops.Exp(inputs[0]); }));
  ExpectUnary(kernel, true, [](float x) { return mxtile::Exp(x); });
}

TEST_P(FloatOpsTest, NegateAndAbsAreOfTheSignBit) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel negate,
      ElementwiseKernel::Make(
          Shape(32, 1, 32),
          [](FloatOps& ops, Inputs inputs) { return ops.Negate(inputs[0]); }));
  ExpectUnary(negate, true, [](float x) {
    return absl::bit_cast<float>(Bits(x) ^ 0x80000000);
  });
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel abs,
      ElementwiseKernel::Make(
          Shape(32, 1, 32),
          [](FloatOps& ops, Inputs inputs) { return ops.Abs(inputs[0]); }));
  ExpectUnary(abs, true, [](float x) {
    return absl::bit_cast<float>(Bits(x) & 0x7FFFFFFF);
  });
}

// The nearest float: of a root in double by its two neighbours, whose squares
// and midpoints are exact in long double.
TEST_P(FloatOpsTest, SqrtIsCorrectlyRounded) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel kernel,
      ElementwiseKernel::Make(
          Shape(32, 1, 32),
          [](FloatOps& ops, Inputs inputs) { return ops.Sqrt(inputs[0]); }));
  // 53 bits are more than twice 24 and 2: rounding twice is rounding once.
  ExpectUnary(kernel, false, [](float x) {
    return static_cast<float>(std::sqrt(static_cast<double>(x)));
  });
}

template <typename Expected>
void ExpectBinary(const ElementwiseKernel& kernel, bool with_nan_bits,
                  Expected expected) {
  std::vector<float> a, b;
  ProbePairs(&a, &b);
  std::vector<float> results(a.size());
  kernel.Run(a.data(), b.data(), results.data(), a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const float result = expected(a[i], b[i]);
    if (!with_nan_bits && std::isnan(result) && std::isnan(results[i])) {
      continue;
    }
    ASSERT_EQ(Bits(results[i]), Bits(result))
        << std::hex << Bits(a[i]) << " and " << Bits(b[i]) << ", seed "
        << std::dec << seed;
  }
}

TEST_P(FloatOpsTest, MaxAndMin) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel max,
      ElementwiseKernel::Make(Shape(32, 2, 32),
                              [](FloatOps& ops, Inputs inputs) {
                                return ops.Max(inputs[0], inputs[1]);
                              }));
  ExpectBinary(max, true, [](float a, float b) {
    return std::isnan(a) ? a : (std::isnan(b) ? b : (a >= b ? a : b));
  });
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel min,
      ElementwiseKernel::Make(Shape(32, 2, 32),
                              [](FloatOps& ops, Inputs inputs) {
                                return ops.Min(inputs[0], inputs[1]);
                              }));
  ExpectBinary(min, true, [](float a, float b) {
    return std::isnan(a) ? a : (std::isnan(b) ? b : (a <= b ? a : b));
  });
}

// In double the operation of two floats is exact or rounded so finely that
// rounding it again gives what rounding once does.
TEST_P(FloatOpsTest, ArithmeticIsIeee) {
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel divide,
      ElementwiseKernel::Make(Shape(32, 2, 32),
                              [](FloatOps& ops, Inputs inputs) {
                                return ops.Divide(inputs[0], inputs[1]);
                              }));
  ExpectBinary(divide, false, [](float a, float b) {
    return static_cast<float>(static_cast<double>(a) / static_cast<double>(b));
  });
  MX_ASSERT_OK_AND_ASSIGN(
      const ElementwiseKernel muladd,
      ElementwiseKernel::Make(
          Shape(32, 2, 32), [](FloatOps& ops, Inputs inputs) {
            return ops.Add(ops.Multiply(inputs[0], inputs[1]), inputs[0]);
          }));
  ExpectBinary(muladd, false, [](float a, float b) {
    volatile float product = a * b;
    return product + a;
  });
}

std::string TestName(const ::testing::TestParamInfo<TargetAndLanes>& info) {
  return std::string(info.index < 5 ? "Host" : "BaseX86") +
         std::to_string(info.param.lanes);
}

INSTANTIATE_TEST_SUITE_P(Targets, FloatOpsTest,
                         ::testing::ValuesIn(TestedTargets()), TestName);

// Without the instruction for a conversion LLVM would call a function of the
// compiler's library, which linking refuses.
TEST(FloatOpsLibraryTest, NoTargetCallsAnything) {
  for (const char* const cpu : {"x86-64", "x86-64-v2", "sandybridge",
                                "x86-64-v3", "znver3", "x86-64-v4"}) {
    MX_ASSERT_OK_AND_ASSIGN(const SimdTarget target, NamedTarget(cpu));
    for (const int lanes : {1, 4, 8, 16}) {
      MX_ASSERT_OK_AND_ASSIGN(
          const CompiledObject object,
          ElementwiseKernel::MakeObject(
              {target, lanes, 16, 2, 16}, [](FloatOps& ops, Inputs inputs) {
                const auto a = ops.Decode(ElementFormat::kF16, inputs[0]);
                const auto b = ops.Decode(ElementFormat::kBF16, inputs[1]);
                const auto c = ops.Exp(ops.Max(a, ops.Sqrt(ops.Abs(b))));
                return ops.EncodeF16(ops.Divide(c, ops.Negate(ops.Min(a, b))));
              }));
      MX_EXPECT_OK(LinkObject(object.bytes)) << cpu << " " << lanes;
    }
  }
}

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv,
                                "--floats=", &mxtile::exec::simd::seed,
                                &mxtile::exec::simd::num_random);
}
