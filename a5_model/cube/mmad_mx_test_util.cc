#include "a5_model/cube/mmad_mx_test_util.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "base/int_math.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

std::vector<uint8_t> RandomCodes(std::mt19937& random, int64_t count,
                                 ElementFormat format, bool specials) {
  std::vector<uint8_t> codes(count);
  for (uint8_t& code : codes) {
    do {
      code = random() % CodeCount(format);
    } while (!specials && KindOf(format, code) != CodeKind::kFinite);
  }
  return codes;
}

// Puts codes where the walk over the layout meets them: the k blocks of 32
// bytes, in each all lines of `pitch`, in each line 32 bytes.
template <typename At>
void PlaceData(Memory& memory, uint64_t address, int64_t lines, int64_t pitch,
               int64_t k, int bits, At at) {
  const int64_t per_byte = 8 / bits;
  for (int64_t block = 0; block < k; block += 32 * per_byte) {
    for (int64_t line = 0; line < pitch; ++line, address += 32) {
      if (line >= lines) continue;
      std::vector<uint8_t> bytes(32);
      for (int64_t i = 0; i < 32 * per_byte; ++i) {
        bytes[i / per_byte] |= at(line, block + i) << i % per_byte * bits;
      }
      memory.Poke(address, bytes);
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

double Saturated(double value, double largest) {
  if (std::isnan(value)) return 0;
  return std::isinf(value) ? std::copysign(largest, value) : value;
}

double ScaleOf(uint8_t code) {
  return code == 255 ? std::nan("") : std::ldexp(1.0, code - 127);
}

// What an element contributes.
double Factor(const MmadProblem& p, ElementFormat format, uint8_t code,
              uint8_t scale) {
  const double element = Decode(format, code);
  if (!p.saturate) return element * ScaleOf(scale);
  return scale == 255 ? 0
                      : Saturated(element, MaxFinite(format)) * ScaleOf(scale);
}

float SaturatedFloat(const MmadProblem& p, float value) {
  return p.saturate ? Saturated(value, std::numeric_limits<float>::max())
                    : value;
}

uint32_t BitsOf(float value) {
  if (std::isnan(value)) return 0x7FC00000;
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

}  // namespace

MmadProblem ZeroProblem(int64_t m, int64_t k, int64_t n) {
  MmadProblem p = {m, k, n, {}, {}, {}, {}};
  p.a.assign(m * k, 0);
  p.sa.assign(m * (k / 32), 127);
  p.b.assign(k * n, 0);
  p.sb.assign(k / 32 * n, 127);
  return p;
}

MmadProblem RandomProblem(std::mt19937& random, int64_t m, int64_t k, int64_t n,
                          ElementFormat left, ElementFormat right,
                          int low_scale, int high_scale, bool specials) {
  MmadProblem p = ZeroProblem(m, k, n);
  p.left = left;
  p.right = right;
  p.a = RandomCodes(random, m * k, left, specials);
  p.b = RandomCodes(random, k * n, right, specials);
  for (std::vector<uint8_t>* scales : {&p.sa, &p.sb}) {
    for (uint8_t& scale : *scales) {
      scale = low_scale + random() % (high_scale - low_scale + 1);
    }
  }
  return p;
}

void PlaceProblem(Machine& machine, const MmadProblem& p, uint64_t left,
                  uint64_t right) {
  const int64_t groups = p.k / 32;
  const auto a = [&](int64_t m, int64_t k) { return p.a[m * p.k + k]; };
  const auto sa = [&](int64_t m, int64_t g) { return p.sa[m * groups + g]; };
  PlaceData(machine.memory(MemorySpace::kLeft), left, p.m,
            p.gemv ? 1 : RoundUp(p.m, 16), p.k, BitWidth(p.left), a);
  PlaceData(machine.memory(MemorySpace::kRight), right, p.n, RoundUp(p.n, 16),
            p.k, BitWidth(p.right),
            [&](int64_t n, int64_t k) { return p.b[k * p.n + n]; });
  Memory& left_scale = machine.memory(MemorySpace::kLeftScale);
  if (p.gemv) {
    left_scale.Poke(left >> 4, p.sa);
  } else {
    PlaceScales(left_scale, left >> 4, p.m, groups, sa);
  }
  PlaceScales(machine.memory(MemorySpace::kRightScale), right >> 4, p.n, groups,
              [&](int64_t n, int64_t g) { return p.sb[g * p.n + n]; });
}

MmadMxParams MmadParamsOf(const MmadProblem& p) {
  MmadMxParams params = {};
  params.m = p.m;
  params.k = p.k;
  params.n = p.n;
  params.left_format = p.left;
  params.right_format = p.right;
  params.gemv = p.gemv;
  params.saturate = p.saturate;
  return params;
}

std::vector<uint32_t> AccBits(const Machine& machine, uint64_t acc,
                              const MmadProblem& p) {
  const int64_t rows = RoundUp(p.m, 16);
  const std::vector<uint8_t> bytes =
      machine.memory(MemorySpace::kAcc).Peek(acc, rows * RoundUp(p.n, 16) * 4);
  std::vector<uint32_t> bits(p.m * p.n);
  for (int64_t m = 0; m < p.m; ++m) {
    for (int64_t n = 0; n < p.n; ++n) {
      std::memcpy(&bits[m * p.n + n],
                  &bytes[n / 16 * rows * 64 + m * 64 + n % 16 * 4], 4);
    }
  }
  return bits;
}

std::vector<uint32_t> RunMmad(const MmadProblem& p) {
  Machine machine;
  PlaceProblem(machine, p, 0, 0);
  MX_EXPECT_OK(MmadMx(machine, MmadParamsOf(p)));
  return AccBits(machine, 0, p);
}

std::vector<uint32_t> NaiveMmad(const MmadProblem& p,
                                const std::vector<float>& start) {
  std::vector<uint32_t> bits;
  const int64_t groups = p.k / 32;
  for (int64_t m = 0; m < p.m; ++m) {
    for (int64_t n = 0; n < p.n; ++n) {
      float acc = SaturatedFloat(p, start[m * p.n + n]);
      for (int64_t k = 0; k < p.k; ++k) {
        const double a =
            Factor(p, p.left, p.a[m * p.k + k], p.sa[m * groups + k / 32]);
        const double b =
            Factor(p, p.right, p.b[k * p.n + n], p.sb[k / 32 * p.n + n]);
        acc = SaturatedFloat(
            p, static_cast<float>(static_cast<double>(acc) + a * b));
      }
      bits.push_back(BitsOf(acc));
    }
  }
  return bits;
}

std::vector<uint32_t> NaiveMmad(const MmadProblem& p) {
  return NaiveMmad(p, std::vector<float>(p.m * p.n, 0.0f));
}

}  // namespace a5
}  // namespace mxtile
