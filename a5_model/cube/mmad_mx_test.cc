#include "a5_model/cube/mmad_mx.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/f8e5m2.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE5M2 = ElementFormat::kF8E5M2;
constexpr uint8_t kOne = 0x38;  // E4M3 1.0
constexpr uint8_t kUnit = 127;  // E8M0 1.0
constexpr uint32_t kNan = 0x7FC00000;

uint32_t Bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

// A problem in logical, row-major form.
struct Problem {
  int64_t m, k, n;
  std::vector<uint8_t> a;   // [m, k]
  std::vector<uint8_t> sa;  // [m, k / 32]
  std::vector<uint8_t> b;   // [k, n]
  std::vector<uint8_t> sb;  // [k / 32, n]
  ElementFormat left = kE4M3;
  ElementFormat right = kE4M3;
};

Problem Zeros(int64_t m, int64_t k, int64_t n) {
  Problem p = {m, k, n, {}, {}, {}, {}};
  p.a.assign(m * k, 0);
  p.sa.assign(m * (k / 32), kUnit);
  p.b.assign(k * n, 0);
  p.sb.assign(k / 32 * n, kUnit);
  return p;
}

// Puts bytes where the walk over the layout meets them: the k blocks of 32,
// in each all lines (rounded up to 16), in each line 32 bytes.
template <typename At>
void PlaceData(Memory& memory, uint64_t address, int64_t lines, int64_t k,
               At at) {
  for (int64_t block = 0; block < k; block += 32) {
    for (int64_t line = 0; line < (lines + 15) / 16 * 16; ++line) {
      for (int64_t i = block; i < block + 32; ++i, ++address) {
        if (line < lines) memory.Poke(address, {at(line, i)});
      }
    }
  }
}

// The same for scales: blocks of 16 lines, pairs of groups, lines, 2 groups.
template <typename At>
void PlaceScales(Memory& memory, uint64_t address, int64_t lines,
                 int64_t groups, At at) {
  for (int64_t block = 0; block < lines; block += 16) {
    for (int64_t pair = 0; pair < groups; pair += 2) {
      for (int64_t line = block; line < block + 16; ++line) {
        for (int64_t g = pair; g < pair + 2; ++g, ++address) {
          if (line < lines) memory.Poke(address, {at(line, g)});
        }
      }
    }
  }
}

void Place(Machine& machine, const Problem& p, uint64_t left, uint64_t right) {
  const int64_t groups = p.k / 32;
  PlaceData(machine.memory(MemorySpace::kLeft), left, p.m, p.k,
            [&](int64_t m, int64_t k) { return p.a[m * p.k + k]; });
  PlaceData(machine.memory(MemorySpace::kRight), right, p.n, p.k,
            [&](int64_t n, int64_t k) { return p.b[k * p.n + n]; });
  PlaceScales(machine.memory(MemorySpace::kLeftScale), left >> 4, p.m, groups,
              [&](int64_t m, int64_t g) { return p.sa[m * groups + g]; });
  PlaceScales(machine.memory(MemorySpace::kRightScale), right >> 4, p.n, groups,
              [&](int64_t n, int64_t g) { return p.sb[g * p.n + n]; });
}

// Element (m, n) of C, by the address formula of the header.
float AccAt(const Machine& machine, uint64_t acc, const Problem& p, int64_t m,
            int64_t n) {
  const int64_t rows = (p.m + 15) / 16 * 16;
  const std::vector<uint8_t> bytes =
      machine.memory(MemorySpace::kAcc)
          .Peek(acc + n / 16 * rows * 64 + m * 64 + n % 16 * 4, 4);
  float value;
  std::memcpy(&value, bytes.data(), 4);
  return value;
}

MmadMxParams ParamsOf(const Problem& p) {
  MmadMxParams params = {};
  params.m = p.m;
  params.k = p.k;
  params.n = p.n;
  params.left_format = p.left;
  params.right_format = p.right;
  return params;
}

// C of a small problem at address 0 everywhere, row-major bits.
std::vector<uint32_t> ResultBits(const Problem& p) {
  Machine machine;
  Place(machine, p, 0, 0);
  MX_EXPECT_OK(MmadMx(machine, ParamsOf(p)));
  std::vector<uint32_t> bits;
  for (int64_t m = 0; m < p.m; ++m) {
    for (int64_t n = 0; n < p.n; ++n) {
      bits.push_back(Bits(AccAt(machine, 0, p, m, n)));
    }
  }
  return bits;
}

double DecodeOf(ElementFormat format, uint8_t code) {
  return format == kE4M3 ? DecodeF8E4M3FN(code) : DecodeF8E5M2(code);
}

double ScaleOf(uint8_t sa, uint8_t sb) {
  if (sa == 255 || sb == 255) return std::nan("");
  return std::ldexp(1.0, sa + sb - 254);
}

uint32_t CanonicalBits(float value) {
  return std::isnan(value) ? kNan : Bits(value);
}

// Every pair of codes of every pair of formats: rows are the codes of A,
// columns those of B, at k = 0; all other products are zero.
TEST(MmadMxTest, EveryPairOfCodes) {
  for (const ElementFormat left : {kE4M3, kE5M2}) {
    for (const ElementFormat right : {kE4M3, kE5M2}) {
      Problem p = Zeros(256, 64, 256);
      p.left = left;
      p.right = right;
      for (int code = 0; code < 256; ++code) {
        p.a[code * 64] = code;
        p.b[code] = code;
      }
      const std::vector<uint32_t> bits = ResultBits(p);
      for (int m = 0; m < 256; ++m) {
        for (int n = 0; n < 256; ++n) {
          // 0 + product: turns -0 into +0.
          const float expected =
              static_cast<float>(0.0 + DecodeOf(left, m) * DecodeOf(right, n));
          ASSERT_EQ(bits[m * 256 + n], CanonicalBits(expected))
              << Name(left) << " " << m << " x " << Name(right) << " " << n;
        }
      }
    }
  }
}

// Every pair of scales, on 1 * 1 at k = 0.
TEST(MmadMxTest, EveryPairOfScales) {
  Problem p = Zeros(256, 64, 256);
  for (int i = 0; i < 256; ++i) {
    p.a[i * 64] = kOne;
    p.b[i] = kOne;
    p.sa[i * 2] = i;
    p.sb[i] = i;
  }
  const std::vector<uint32_t> bits = ResultBits(p);
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
    Problem p = Zeros(1, kK, 1);
    p.a[k] = kOne;
    p.b[k] = kOne;
    for (int64_t g = 0; g < kK / 32; ++g) {
      p.sa[g] = 127 + g;
      p.sb[g] = 127 + 2 * g;
    }
    EXPECT_EQ(ResultBits(p),
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
  Problem p = Zeros(1, 64, 2);
  p.right = kE5M2;
  p.a.assign(64, kOne);
  p.a[0] = p.a[63] = kTwoTo8;
  for (int64_t k = 1; k < 63; ++k) p.b[k * 2] = p.b[k * 2 + 1] = kHalf;
  p.b[0] = kTwoTo15;
  p.b[63 * 2 + 1] = kTwoTo15;
  EXPECT_EQ(ResultBits(p), (std::vector<uint32_t>{Bits(8388608.0f),
                                                  Bits(8388608.0f + 31.0f)}));
}

TEST(MmadMxTest, SpecialValues) {
  constexpr uint8_t kInf = 0x7C;  // E5M2
  constexpr uint8_t kMinusInf = 0xFC;
  constexpr uint8_t kE5M2One = 0x3C;
  Problem p = Zeros(6, 64, 1);
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
  EXPECT_EQ(ResultBits(p), (std::vector<uint32_t>{0x7F800000, 0xFF800000, kNan,
                                                  kNan, kNan, 0}));
}

TEST(MmadMxTest, InfTimesZeroIsNan) {
  Problem p = Zeros(1, 64, 1);
  p.left = kE5M2;
  p.a[0] = 0x7C;
  EXPECT_EQ(ResultBits(p), std::vector<uint32_t>{kNan});
}

TEST(MmadMxTest, OverflowOfTheSumIsInf) {
  Problem p = Zeros(1, 64, 1);
  p.a[0] = p.b[0] = 0x7E;  // 448
  p.sa[0] = p.sb[0] = 127 + 60;
  EXPECT_EQ(ResultBits(p), std::vector<uint32_t>{0x7F800000});
}

TEST(MmadMxTest, AccumulateAndBiasStartTheSum) {
  Problem p = Zeros(17, 64, 20);
  for (int64_t m = 0; m < 17; ++m) p.a[m * 64] = kOne;
  for (int64_t n = 0; n < 20; ++n) p.b[n] = kOne;
  Machine machine;
  Place(machine, p, 0x1000, 0x2000);
  std::vector<float> bias(20);
  for (int n = 0; n < 20; ++n) bias[n] = n * 0.25f - 1;
  std::vector<uint8_t> bytes(80);
  std::memcpy(bytes.data(), bias.data(), 80);
  machine.memory(MemorySpace::kBias).Poke(64, bytes);
  MmadMxParams params = ParamsOf(p);
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
  Problem p = Zeros(1, 64, 1);
  Machine machine;
  Place(machine, p, 0, 0);
  machine.memory(MemorySpace::kAcc).Poke(0, {0x01, 0x00, 0x80, 0xFF});
  MmadMxParams params = ParamsOf(p);
  params.init = AccumulatorInit::kAccumulate;
  MX_ASSERT_OK(MmadMx(machine, params));
  EXPECT_EQ(Bits(AccAt(machine, 0, p, 0, 0)), kNan);
}

TEST(MmadMxTest, PaddingOfCStaysAsItWas) {
  Problem p = Zeros(17, 64, 20);
  Machine machine;
  Place(machine, p, 0, 0);
  MX_ASSERT_OK(MmadMx(machine, ParamsOf(p)));
  for (int64_t n = 0; n < 32; ++n) {
    for (int64_t m = 0; m < 32; ++m) {
      const uint64_t address = n / 16 * 32 * 64 + m * 64 + n % 16 * 4;
      EXPECT_EQ(machine.memory(MemorySpace::kAcc).HasValue(address, 4),
                m < 17 && n < 20);
    }
  }
}

Problem Random(std::mt19937& random, int64_t m, int64_t k, int64_t n) {
  Problem p = Zeros(m, k, n);
  const auto fill = [&](std::vector<uint8_t>& bytes, int low, int high) {
    for (uint8_t& byte : bytes) {
      byte = low + random() % (high - low + 1);
    }
  };
  p.left = random() % 2 ? kE4M3 : kE5M2;
  p.right = random() % 2 ? kE4M3 : kE5M2;
  fill(p.a, 0, 255);
  fill(p.b, 0, 255);
  // Finite codes: a NaN somewhere in each row would leave nothing to compare.
  for (uint8_t& code : p.a) {
    if (!std::isfinite(DecodeOf(p.left, code))) code &= 0x83;
  }
  for (uint8_t& code : p.b) {
    if (!std::isfinite(DecodeOf(p.right, code))) code &= 0x83;
  }
  fill(p.sa, 117, 137);
  fill(p.sb, 117, 137);
  return p;
}

// Bit for bit against the definition, and within the error bound of k roundings
// against a sum in double.
TEST(MmadMxTest, RandomProblems) {
  const uint32_t seed = 20240917;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 12; ++i) {
    const int64_t m = 1 + random() % 50;
    const int64_t k = 64 * (1 + random() % 4);
    const int64_t n = 1 + random() % 50;
    SCOPED_TRACE(absl::StrCat(m, "x", k, "x", n));
    const Problem p = Random(random, m, k, n);
    const std::vector<uint32_t> bits = ResultBits(p);
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t column = 0; column < n; ++column) {
        float acc = 0;
        double exact = 0;
        double magnitude = 0;
        for (int64_t j = 0; j < k; ++j) {
          const double product =
              DecodeOf(p.left, p.a[row * k + j]) *
              DecodeOf(p.right, p.b[j * n + column]) *
              ScaleOf(p.sa[row * (k / 32) + j / 32], p.sb[j / 32 * n + column]);
          acc = static_cast<float>(static_cast<double>(acc) + product);
          exact += product;
          magnitude += std::abs(product);
        }
        ASSERT_EQ(bits[row * n + column], Bits(acc));
        ASSERT_LE(std::abs(acc - exact),
                  k * std::numeric_limits<float>::epsilon() * magnitude);
      }
    }
  }
}

// Each byte that the instruction needs, and no other: without it, it traps.
TEST(MmadMxTest, TrapsOnEachMissingByte_A5_MEM_3) {
  const Problem p = Zeros(3, 64, 5);
  struct Case {
    MemorySpace space;
    int64_t size;
    int64_t needed;
  };
  for (const Case& c : {Case{MemorySpace::kLeft, 1024, 3 * 64},
                        Case{MemorySpace::kRight, 1024, 5 * 64},
                        Case{MemorySpace::kLeftScale, 32, 3 * 2},
                        Case{MemorySpace::kRightScale, 32, 5 * 2}}) {
    Machine machine;
    Place(machine, p, 0, 0);
    int64_t needed = 0;
    for (int64_t address = 0; address < c.size; ++address) {
      Memory& memory = machine.memory(c.space);
      if (!memory.HasValue(address, 1)) continue;
      memory.Forget(address, 1);
      EXPECT_THAT(MmadMx(machine, ParamsOf(p)),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           HasSubstr("was never written (A5-MEM-3)")));
      memory.Poke(address, {0});
      ++needed;
    }
    EXPECT_EQ(needed, c.needed) << Name(c.space);
    MX_EXPECT_OK(MmadMx(machine, ParamsOf(p)));
  }
}

TEST(MmadMxTest, FlippedScaleBitChangesTheResult) {
  Problem p = Zeros(1, 64, 1);
  p.a[0] = p.b[0] = kOne;
  Machine machine;
  Place(machine, p, 0, 0);
  machine.memory(MemorySpace::kLeftScale).Poke(0, {kUnit ^ 1});
  MX_ASSERT_OK(MmadMx(machine, ParamsOf(p)));
  EXPECT_EQ(AccAt(machine, 0, p, 0, 0), 0.5f);
}

TEST(MmadMxTest, Traps) {
  const Problem p = Zeros(3, 64, 5);
  Machine machine;
  Place(machine, p, 0, 0);
  MmadMxParams params = ParamsOf(p);
  params.init = AccumulatorInit::kAccumulate;
  EXPECT_THAT(MmadMx(machine, params),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("MMAD_MX (instruction 1): reads [0x0, 0x14) "
                                 "of Acc: byte 0x0 was never written")));
  params.init = AccumulatorInit::kBias;
  EXPECT_THAT(MmadMx(machine, params),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("of Bias: byte 0x0 was never written")));
  const auto fails = [&](void (*change)(MmadMxParams&), absl::StatusCode code,
                         const char* fragment) {
    MmadMxParams changed = ParamsOf(p);
    change(changed);
    EXPECT_THAT(MmadMx(machine, changed), StatusIs(code, HasSubstr(fragment)));
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  fails([](MmadMxParams& x) { x.m = 0; }, kInvalid, "m is 0");
  fails([](MmadMxParams& x) { x.n = 4096; }, kInvalid, "n is 4096");
  fails([](MmadMxParams& x) { x.k = 32; }, kInvalid,
        "k is 32, no multiple of 64");
  fails([](MmadMxParams& x) { x.k = 4096; }, kInvalid,
        "k is 4096, not in [1, 4095]");
  fails([](MmadMxParams& x) { x.acc = 64; }, kInvalid,
        "0x40 of Acc is no multiple of 128");
  fails([](MmadMxParams& x) { x.left = 256; }, kInvalid, "A5-MEM-2");
  fails([](MmadMxParams& x) { x.right = 65536; }, absl::StatusCode::kOutOfRange,
        "of RightScale (A5-MEM-1)");
  fails([](MmadMxParams& x) { x.left_format = ElementFormat::kF4E2M1FN; },
        absl::StatusCode::kUnimplemented, "operands of format f4E2M1FN");
}

TEST(MmadMxTest, BooksCycles) {
  Problem p = Zeros(17, 128, 33);
  Machine machine;
  Place(machine, p, 0, 0);
  MX_ASSERT_OK(MmadMx(machine, ParamsOf(p)));
  EXPECT_EQ(machine.timeline().stats(Pipe::kM).cycles, 25 + 2 * 4 * 3);
  EXPECT_EQ(machine.timeline().events()[0].name, "MMAD_MX 17x128x33");
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
