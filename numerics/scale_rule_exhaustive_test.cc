// Both scale rules over every positive finite float.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/casts.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "numerics/scale_rule_test_util.h"

namespace mxtile {
namespace {

struct Case {
  ElementFormat format;
  // Where the A5's rule gives 0 and the exact ceiling is 1: scale_rule.h.
  std::vector<uint32_t> nv_exceptions;
};

class ScaleRuleExhaustiveTest : public ::testing::TestWithParam<Case> {};

TEST_P(ScaleRuleExhaustiveTest, FloorAndCeiling) {
  const ElementFormat format = GetParam().format;
  std::vector<uint32_t> exceptions;
  for (uint32_t bits = 1; bits < 0x7F800000; ++bits) {
    const float value = absl::bit_cast<float>(bits);
    if (SharedExponent(ScaleRule::kOcp, format, value) !=
        FloorExponent(format, value)) {
      FAIL() << "OCP " << std::hex << bits;
    }
    if (SharedExponent(ScaleRule::kNv, format, value) !=
        ExactCeilingExponent(format, value)) {
      exceptions.push_back(bits);
      ASSERT_LT(exceptions.size(), 10);
    }
  }
  EXPECT_EQ(exceptions, GetParam().nv_exceptions);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, ScaleRuleExhaustiveTest,
    ::testing::Values(Case{ElementFormat::kF8E4M3FN, {0x04600001}},
                      Case{ElementFormat::kF8E5M2, {0x07E00001}},
                      Case{ElementFormat::kF4E2M1FN, {0x01400001}}),
    [](const ::testing::TestParamInfo<Case>& info) {
      return std::string(Name(info.param.format));
    });

}  // namespace
}  // namespace mxtile
