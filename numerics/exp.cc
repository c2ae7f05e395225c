#include "numerics/exp.h"

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "numerics/exp_steps.h"

// The target forbids contraction (copts). What else would change the order or
// the rounding of the steps does not compile.
#ifdef __FAST_MATH__
#error "numerics/exp.cc: -ffast-math changes results; leave it out"
#endif
static_assert(FLT_EVAL_METHOD == 0,
              "float operations have to be rounded to float");

namespace mxtile {
namespace {

struct HostOps {
  using Float = float;
  using Int = uint32_t;

  float FloatConstant(float value) const { return value; }
  uint32_t IntConstant(int32_t value) const { return value; }
  float Add(float a, float b) const { return a + b; }
  float Subtract(float a, float b) const { return a - b; }
  float Multiply(float a, float b) const { return a * b; }
  uint32_t AddInt(uint32_t a, uint32_t b) const { return a + b; }
  uint32_t SubtractInt(uint32_t a, uint32_t b) const { return a - b; }
  uint32_t ShiftLeft(uint32_t a, int count) const { return a << count; }
  uint32_t ShiftRightArithmetic(uint32_t a, int count) const {
    return static_cast<int32_t>(a) >> count;
  }
  uint32_t BitsOf(float a) const { return absl::bit_cast<uint32_t>(a); }
  float FromBits(uint32_t a) const { return absl::bit_cast<float>(a); }
  float SelectLess(float a, float b, float then, float otherwise) const {
    return a < b ? then : otherwise;
  }
  float SelectNan(float a, float then, float otherwise) const {
    return std::isnan(a) ? then : otherwise;
  }
};

}  // namespace

float Exp(float x) {
  const HostOps ops;
  return ExpSteps(ops, x);
}

}  // namespace mxtile
