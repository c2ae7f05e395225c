#include "a5_model/cube/mmad_mx.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "a5_model/cube/mmad_mx_test_util.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr uint8_t kOne = 0x38;  // E4M3 1.0
constexpr uint8_t kUnit = 127;  // E8M0 1.0
constexpr uint32_t kNan = 0x7FC00000;
constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;
constexpr ElementFormat kE1M2 = ElementFormat::kF4E1M2;
constexpr std::pair<ElementFormat, ElementFormat> kFormatPairs[] = {
    {kE4M3, kE4M3}, {kE4M3, kE5M2}, {kE5M2, kE4M3}, {kE5M2, kE5M2},
    {kE2M1, kE2M1}, {kE2M1, kE1M2}, {kE1M2, kE2M1}, {kE1M2, kE1M2}};

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

float AccAt(const Machine& machine, uint64_t acc, const MmadProblem& p,
            int64_t m, int64_t n) {
  const uint32_t bits = AccBits(machine, acc, p)[m * p.n + n];
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint32_t CanonicalBits(float value) {
  return std::isnan(value) ? kNan : Bits(value);
}

// Every pair of codes of every pair of formats: rows are the codes of A,
// columns those of B, at k = 0; all other products are zero.
TEST(MmadMxTest, EveryPairOfCodes) {
  for (const auto& [left, right] : kFormatPairs) {
    MmadProblem p = ZeroProblem(CodeCount(left), 64, CodeCount(right));
    p.left = left;
    p.right = right;
    for (int64_t code = 0; code < p.m; ++code) p.a[code * 64] = code;
    for (int64_t code = 0; code < p.n; ++code) p.b[code] = code;
    const std::vector<uint32_t> bits = RunMmad(p);
    for (int64_t m = 0; m < p.m; ++m) {
      for (int64_t n = 0; n < p.n; ++n) {
        // 0 + product: turns -0 into +0.
        const float expected = static_cast<float>(
            0.0 + double{Decode(left, m)} * Decode(right, n));
        ASSERT_EQ(bits[m * p.n + n], CanonicalBits(expected))
            << Name(left) << " " << m << " x " << Name(right) << " " << n;
      }
    }
  }
}

// Every pair of scales, on 1 * 1 at k = 0.
TEST(MmadMxTest, EveryPairOfScales) {
  MmadProblem p = ZeroProblem(256, 64, 256);
  for (int i = 0; i < 256; ++i) {
    p.a[i * 64] = kOne;
    p.b[i] = kOne;
    p.sa[i * 2] = i;
    p.sb[i] = i;
  }
  const std::vector<uint32_t> bits = RunMmad(p);
  for (int m = 0; m < 256; ++m) {
    for (int n = 0; n < 256; ++n) {
      uint32_t expected = kNan;
      if (m != 255 && n != 255) {
        // 2^e by its bits: Inf above 127, subnormal below -126, 0 below -149.
        const int e = m + n - 254;
        if (e > 127) {
          expected = 0x7F800000;
        } else if (e >= -126) {
          expected = static_cast<uint32_t>(e + 127) << 23;
        } else {
          expected = e < -149 ? 0 : 1u << (e + 149);
        }
      }
      ASSERT_EQ(bits[m * 256 + n], expected) << m << " + " << n;
    }
  }
}

// One 1 * 1 product per k: each k meets its own row, column, group and scale.
TEST(MmadMxTest, EachKUsesItsOwnScale) {
  constexpr int64_t kK = 256;
  for (int64_t k = 0; k < kK; ++k) {
    MmadProblem p = ZeroProblem(1, kK, 1);
    p.a[k] = kOne;
    p.b[k] = kOne;
    for (int64_t g = 0; g < kK / 32; ++g) {
      p.sa[g] = 127 + g;
      p.sb[g] = 127 + 2 * g;
    }
    EXPECT_EQ(RunMmad(p),
              std::vector<uint32_t>{Bits(std::ldexp(1.0f, k / 32 * 3))})
        << k;
  }
}

// 2^23 + 0.5 rounds to 2^23 in fp32. Column 0 of B has the large number first,
// so that each of 62 halves is rounded away; column 1 has it last.
TEST(MmadMxTest, KAscendsAndEachStepRounds) {
  constexpr uint8_t kTwoTo8 = 0x78;   // E4M3
  constexpr uint8_t kTwoTo15 = 0x78;  // E5M2
  constexpr uint8_t kHalf = 0x38;     // E5M2
  MmadProblem p = ZeroProblem(1, 64, 2);
  p.right = kE5M2;
  p.a.assign(64, kOne);
  p.a[0] = p.a[63] = kTwoTo8;
  for (int64_t k = 1; k < 63; ++k) p.b[k * 2] = p.b[k * 2 + 1] = kHalf;
  p.b[0] = kTwoTo15;
  p.b[63 * 2 + 1] = kTwoTo15;
  EXPECT_EQ(RunMmad(p), (std::vector<uint32_t>{Bits(8388608.0f),
                                               Bits(8388608.0f + 31.0f)}));
}

// Row 17 and group 3 of A at 0x8000, [32, 128]: the scale is at 0x863, and
// counts for k = 96 .. 127 of that row only.
TEST(MmadMxTest, WorkedExample) {
  MmadProblem p = ZeroProblem(32, 128, 64);
  p.a.assign(32 * 128, kOne);
  p.b.assign(128 * 64, kOne);
  Machine machine;
  PlaceProblem(machine, p, 0x8000, 0);
  machine.memory(MemorySpace::kLeftScale).Poke(0x863, {kUnit + 3});
  MmadMxParams params = MmadParamsOf(p);
  params.left = 0x8000;
  MX_ASSERT_OK(MmadMx(machine, params));
  for (int64_t m = 0; m < 32; ++m) {
    EXPECT_EQ(AccAt(machine, 0, p, m, 63), m == 17 ? 96 + 32 * 8 : 128) << m;
  }
}

TEST(MmadMxTest, SpecialValues) {
  constexpr uint8_t kInf = 0x7C;  // E5M2
  constexpr uint8_t kMinusInf = 0xFC;
  constexpr uint8_t kE5M2One = 0x3C;
  MmadProblem p = ZeroProblem(6, 64, 1);
  p.left = kE5M2;
  p.right = kE5M2;
  p.b.assign(64, kE5M2One);
  const auto a = [&](int64_t m, int64_t k) -> uint8_t& {
    return p.a[m * 64 + k];
  };
  a(0, 5) = kInf;
  a(1, 5) = kMinusInf;
  a(2, 5) = kInf;
  a(2, 40) = kMinusInf;
  a(3, 63) = 0x7E;        // NaN
  p.sa[4 * 2 + 1] = 255;  // a NaN scale over zeros
  a(5, 0) = 0x80;         // -0
  EXPECT_EQ(RunMmad(p), (std::vector<uint32_t>{0x7F800000, 0xFF800000, kNan,
                                               kNan, kNan, 0}));
}

TEST(MmadMxTest, InfTimesZeroIsNan) {
  MmadProblem p = ZeroProblem(1, 64, 1);
  p.left = kE5M2;
  p.a[0] = 0x7C;
  EXPECT_EQ(RunMmad(p), std::vector<uint32_t>{kNan});
}

TEST(MmadMxTest, OverflowOfTheSumIsInf) {
  MmadProblem p = ZeroProblem(1, 64, 1);
  p.a[0] = p.b[0] = 0x7E;  // 448
  p.sa[0] = p.sb[0] = 127 + 60;
  EXPECT_EQ(RunMmad(p), std::vector<uint32_t>{0x7F800000});
}

TEST(MmadMxTest, AccumulateAndBiasStartTheSum) {
  MmadProblem p = ZeroProblem(17, 64, 20);
  for (int64_t m = 0; m < 17; ++m) p.a[m * 64] = kOne;
  for (int64_t n = 0; n < 20; ++n) p.b[n] = kOne;
  Machine machine;
  PlaceProblem(machine, p, 0x1000, 0x2000);
  std::vector<float> bias(20);
  for (int n = 0; n < 20; ++n) bias[n] = n * 0.25f - 1;
  std::vector<uint8_t> bytes(80);
  std::memcpy(bytes.data(), bias.data(), 80);
  machine.memory(MemorySpace::kBias).Poke(64, bytes);
  MmadMxParams params = MmadParamsOf(p);
  params.acc = 0x4000;
  params.left = 0x1000;
  params.right = 0x2000;
  params.bias = 64;
  params.init = AccumulatorInit::kBias;
  MX_ASSERT_OK(MmadMx(machine, params));
  params.init = AccumulatorInit::kAccumulate;
  MX_ASSERT_OK(MmadMx(machine, params));
  for (int64_t m = 0; m < 17; ++m) {
    for (int64_t n = 0; n < 20; ++n) {
      EXPECT_EQ(AccAt(machine, 0x4000, p, m, n), n * 0.25f - 1 + 2);
    }
  }
}

TEST(MmadMxTest, AccumulatorNanBecomesCanonical) {
  MmadProblem p = ZeroProblem(1, 64, 1);
  Machine machine;
  PlaceProblem(machine, p, 0, 0);
  machine.memory(MemorySpace::kAcc).Poke(0, {0x01, 0x00, 0x80, 0xFF});
  MmadMxParams params = MmadParamsOf(p);
  params.init = AccumulatorInit::kAccumulate;
  MX_ASSERT_OK(MmadMx(machine, params));
  EXPECT_EQ(Bits(AccAt(machine, 0, p, 0, 0)), kNan);
}

TEST(MmadMxTest, PaddingOfCStaysAsItWas) {
  MmadProblem p = ZeroProblem(17, 64, 20);
  Machine machine;
  PlaceProblem(machine, p, 0, 0);
  MX_ASSERT_OK(MmadMx(machine, MmadParamsOf(p)));
  for (int64_t n = 0; n < 32; ++n) {
    for (int64_t m = 0; m < 32; ++m) {
      const uint64_t address = n / 16 * 32 * 64 + m * 64 + n % 16 * 4;
      EXPECT_EQ(machine.memory(MemorySpace::kAcc).HasValue(address, 4),
                m < 17 && n < 20);
    }
  }
}

// Bit for bit against the definition, in every form and both modes, from every
// start, at addresses other than 0, over scales for which floats are exact and
// over all others.
TEST(MmadMxTest, RandomProblems) {
  const uint32_t seed = 20240917;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 64; ++i) {
    const auto& [left, right] = kFormatPairs[i % 8];
    const bool wide = i / 8 % 2 == 1;
    const bool gemv = i / 16 % 4 == 3;
    MmadProblem p = RandomProblem(random, gemv ? 1 : 1 + random() % 50,
                                  64 * (1 + random() % 4), 1 + random() % 50,
                                  left, right, wide ? 0 : 112, wide ? 255 : 142,
                                  /*specials=*/random() % 2 == 0);
    p.gemv = gemv;
    p.saturate = random() % 2 == 0;
    SCOPED_TRACE(absl::StrCat(i, ": ", p.m, "x", p.k, "x", p.n));
    std::vector<float> start(p.m * p.n, 0.0f);
    Machine machine;
    PlaceProblem(machine, p, 0x2000, 0x4400);
    MmadMxParams params = MmadParamsOf(p);
    params.acc = 0x1080;
    params.left = 0x2000;
    params.right = 0x4400;
    MX_ASSERT_OK(MmadMx(machine, params));
    std::vector<uint32_t> bits = AccBits(machine, params.acc, p);
    ASSERT_EQ(bits, NaiveMmad(p, start));
    std::memcpy(start.data(), bits.data(), bits.size() * 4);
    params.init = AccumulatorInit::kAccumulate;
    MX_ASSERT_OK(MmadMx(machine, params));
    ASSERT_EQ(AccBits(machine, params.acc, p), NaiveMmad(p, start));
    std::vector<uint8_t> bias(p.n * 4);
    for (uint8_t& byte : bias) byte = random();
    machine.memory(MemorySpace::kBias).Poke(0xC0, bias);
    params.bias = 0xC0;
    params.init = AccumulatorInit::kBias;
    MX_ASSERT_OK(MmadMx(machine, params));
    for (int64_t m = 0; m < p.m; ++m) {
      std::memcpy(&start[m * p.n], bias.data(), bias.size());
    }
    ASSERT_EQ(AccBits(machine, params.acc, p), NaiveMmad(p, start));
  }
}

// Within the error bound of k roundings of a sum in double, which does not know
// about steps.
TEST(MmadMxTest, EachStepRoundsOnce) {
  const uint32_t seed = 3;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  const MmadProblem p = RandomProblem(random, 20, 256, 30, kE4M3, kE5M2, 117,
                                      137, /*specials=*/false);
  const std::vector<uint32_t> bits = RunMmad(p);
  for (int64_t i = 0; i < 20 * 30; ++i) {
    double exact = 0;
    double magnitude = 0;
    for (int64_t k = 0; k < 256; ++k) {
      const double product =
          double{Decode(kE4M3, p.a[i / 30 * 256 + k])} *
          Decode(kE5M2, p.b[k * 30 + i % 30]) *
          std::ldexp(1.0, p.sa[i / 30 * 8 + k / 32] +
                              p.sb[k / 32 * 30 + i % 30] - 254);
      exact += product;
      magnitude += std::abs(product);
    }
    float value;
    std::memcpy(&value, &bits[i], 4);
    EXPECT_LE(std::abs(value - exact),
              256 * std::numeric_limits<float>::epsilon() * magnitude);
  }
}

TEST(MmadMxTest, SaturatingReplacesSpecials) {
  MmadProblem p = ZeroProblem(5, 64, 1);
  p.left = p.right = kE5M2;
  p.saturate = true;
  p.b.assign(64, 0x3C);    // 1
  p.a[0 * 64 + 5] = 0x7C;  // Inf
  p.a[1 * 64 + 5] = 0xFC;  // -Inf
  p.a[2 * 64 + 5] = 0x7E;  // NaN
  p.a[2 * 64 + 6] = 0x3C;
  p.a[3 * 64 + 0] = 0x7B;  // 57344, under a scale of 2^127
  p.sa[3 * 2] = 254;
  p.a[3 * 64 + 40] = 0xBC;  // -1
  p.a[4 * 64 + 0] = 0x7B;
  p.sa[4 * 2] = 255;
  EXPECT_EQ(RunMmad(p), (std::vector<uint32_t>{Bits(57344), Bits(-57344),
                                               Bits(1), 0x7F7FFFFF, 0}));
  p.saturate = false;
  EXPECT_EQ(RunMmad(p), (std::vector<uint32_t>{0x7F800000, 0xFF800000, kNan,
                                               0x7F800000, kNan}));
}

TEST(MmadMxTest, SaturatingStartsFromAFiniteAccumulator) {
  MmadProblem p = ZeroProblem(1, 64, 3);
  p.saturate = true;
  Machine machine;
  PlaceProblem(machine, p, 0, 0);
  const uint32_t start[] = {0x7FC00000, 0x7F800000, 0xFF800000};
  std::vector<uint8_t> bytes(12);
  std::memcpy(bytes.data(), start, 12);
  machine.memory(MemorySpace::kAcc).Poke(0, bytes);
  MmadMxParams params = MmadParamsOf(p);
  params.init = AccumulatorInit::kAccumulate;
  MX_ASSERT_OK(MmadMx(machine, params));
  EXPECT_EQ(AccBits(machine, 0, p),
            (std::vector<uint32_t>{0, 0x7F7FFFFF, 0xFF7FFFFF}));
}

// Where each k of the one row is: codes behind each other, scales too.
TEST(MmadMxTest, GemvReadsAContiguousRow) {
  for (const ElementFormat format : {kE4M3, kE2M1}) {
    const int64_t per_byte = 8 / BitWidth(format);
    const uint8_t one = format == kE4M3 ? kOne : 2;
    for (int64_t k = 0; k < 2048; k += 31) {
      MmadProblem p = ZeroProblem(1, 2048, 1);
      p.left = p.right = format;
      p.gemv = true;
      p.b.assign(2048, one);
      for (int64_t g = 0; g < 64; ++g) p.sa[g] = 100 + g;
      Machine machine;
      PlaceProblem(machine, p, 0, 0);
      machine.memory(MemorySpace::kLeft)
          .Poke(k / per_byte, {static_cast<uint8_t>(one << k % per_byte * 4)});
      MX_ASSERT_OK(MmadMx(machine, MmadParamsOf(p)));
      EXPECT_EQ(AccAt(machine, 0, p, 0, 0), std::ldexp(1.0f, k / 32 - 27));
    }
  }
}

TEST(MmadMxTest, FlippedScaleBitChangesTheResult) {
  MmadProblem p = ZeroProblem(1, 64, 1);
  p.a[0] = p.b[0] = kOne;
  Machine machine;
  PlaceProblem(machine, p, 0, 0);
  machine.memory(MemorySpace::kLeftScale).Poke(0, {kUnit ^ 1});
  MX_ASSERT_OK(MmadMx(machine, MmadParamsOf(p)));
  EXPECT_EQ(AccAt(machine, 0, p, 0, 0), 0.5f);
}

TEST(MmadMxTest, BooksCycles) {
  MmadProblem p = ZeroProblem(17, 128, 33);
  Machine machine;
  PlaceProblem(machine, p, 0, 0);
  MmadMxParams params = MmadParamsOf(p);
  MX_ASSERT_OK(MmadMx(machine, params));
  EXPECT_EQ(machine.timeline().stats(Pipe::kM).cycles, 25 + 2 * 4 * 3);
  // A 4-bit K costs half of it.
  params.left_format = params.right_format = kE2M1;
  params.init = AccumulatorInit::kAccumulate;
  params.saturate = true;
  MX_ASSERT_OK(MmadMx(machine, params));
  EXPECT_EQ(machine.timeline().stats(Pipe::kM).cycles,
            25 + 2 * 4 * 3 + 25 + 2 * 2 * 3);
  EXPECT_EQ(machine.timeline().events()[0].name, "MMAD_MX 17x128x33");
  EXPECT_EQ(machine.timeline().events()[1].name, "MMAD_MX 17x128x33 acc sat");
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
