// Every float as a group of its own, quantised by both rules, against exact
// arithmetic.

#include <cstdint>
#include <string>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/exact_element_test_util.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile {
namespace {

struct Case {
  ScaleRule rule;
  ElementFormat format;
};

class ScaledElementExhaustiveTest : public ::testing::TestWithParam<Case> {};

TEST_P(ScaledElementExhaustiveTest, EveryFloatUnderItsOwnScale) {
  const auto [rule, format] = GetParam();
  const ExactElement exact(format);
  const uint32_t sign = SignMask(format);
  for (uint32_t bits = 0; bits <= 0x7F800000; ++bits) {
    const float value = absl::bit_cast<float>(bits);
    const uint8_t s = SharedExponent(rule, format, value);
    const uint32_t expected = exact.ScaledCode(SplitF32(value), s);
    if (EncodeScaled(format, value, s) != expected ||
        EncodeScaled(format, -value, s) != (sign | expected)) {
      FAIL() << std::hex << bits << " s " << int{s} << " expected " << expected;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    RulesAndFormats, ScaledElementExhaustiveTest,
    ::testing::Values(Case{ScaleRule::kOcp, ElementFormat::kF8E4M3FN},
                      Case{ScaleRule::kOcp, ElementFormat::kF8E5M2},
                      Case{ScaleRule::kOcp, ElementFormat::kF4E2M1FN},
                      Case{ScaleRule::kNv, ElementFormat::kF8E4M3FN},
                      Case{ScaleRule::kNv, ElementFormat::kF8E5M2},
                      Case{ScaleRule::kNv, ElementFormat::kF4E2M1FN}),
    [](const ::testing::TestParamInfo<Case>& info) {
      return std::string(info.param.rule == ScaleRule::kOcp ? "Ocp" : "Nv") +
             std::string(Name(info.param.format));
    });

}  // namespace
}  // namespace mxtile
