// Every half and every bfloat as an element, under every scale, against exact
// arithmetic: what any group of any of them can need.

#include <cmath>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "numerics/bf16.h"
#include "numerics/element_format.h"
#include "numerics/exact_element_test_util.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile {
namespace {

struct Case {
  ElementFormat source;
  ElementFormat format;
};

class ScaledHalfTest : public ::testing::TestWithParam<Case> {};

TEST_P(ScaledHalfTest, EveryElementUnderEveryScale) {
  const auto [source, format] = GetParam();
  const ExactElement exact(format);
  for (uint32_t element = 0; element < 0x10000; ++element) {
    const float value = Decode(source, element);
    const SplitNumber number =
        source == ElementFormat::kF16 ? SplitF16(element) : SplitBF16(element);
    for (int s = 0; s <= 255; ++s) {
      const uint32_t expected = exact.ScaledCode(number, s);
      if (EncodeScaled(format, value, s) != expected) {
        FAIL() << std::hex << element << " s " << s << " expected " << expected;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    SourcesAndFormats, ScaledHalfTest,
    ::testing::Values(Case{ElementFormat::kF16, ElementFormat::kF8E4M3FN},
                      Case{ElementFormat::kF16, ElementFormat::kF8E5M2},
                      Case{ElementFormat::kF16, ElementFormat::kF4E2M1FN},
                      Case{ElementFormat::kBF16, ElementFormat::kF8E4M3FN},
                      Case{ElementFormat::kBF16, ElementFormat::kF8E5M2},
                      Case{ElementFormat::kBF16, ElementFormat::kF4E2M1FN}),
    [](const ::testing::TestParamInfo<Case>& info) {
      return std::string(Name(info.param.source)) + "To" +
             std::string(Name(info.param.format));
    });

// The A5 rounds the product of a bf16 element and a bf16 reciprocal to bf16
// before it converts. Only subnormal products change by that, all far below the
// smallest code.
class BF16ProductTest : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(BF16ProductTest, RoundingIsNeverVisibleInACode) {
  const ElementFormat format = GetParam();
  int64_t num_rounded = 0;
  for (uint32_t element = 0; element < 0x10000; ++element) {
    const float value = DecodeBF16(element);
    // Its product has a sign that depends on the host.
    if (std::isnan(value)) continue;
    for (int s = 0; s < 255; ++s) {
      const float product = value * ReciprocalScale(s);
      const float rounded = DecodeBF16(EncodeBF16(product));
      num_rounded += rounded != product ? 1 : 0;
      if (Encode(format, rounded, Overflow::kSaturate) !=
          EncodeScaled(format, value, s)) {
        FAIL() << std::hex << element << " s " << s;
      }
    }
  }
  EXPECT_GT(num_rounded, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, BF16ProductTest,
    ::testing::Values(ElementFormat::kF8E4M3FN, ElementFormat::kF8E5M2,
                      ElementFormat::kF4E2M1FN),
    [](const ::testing::TestParamInfo<ElementFormat>& info) {
      return std::string(Name(info.param));
    });

}  // namespace
}  // namespace mxtile
