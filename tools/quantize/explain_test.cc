#include "tools/quantize/explain.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "base/positioned_file.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantize_settings.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A matrix [rows, cols] of ones, with other values at the start of the group of
// element (64, 64) along the axis.
class ExplainTest : public ::testing::TestWithParam<GroupAxis> {
 protected:
  absl::StatusOr<std::string> Explain(const std::vector<float>& start,
                                      int64_t row, int64_t col) {
    constexpr int64_t kRows = 100, kCols = 70;
    std::vector<float> values(kRows * kCols, 1.0f);
    for (size_t i = 0; i < start.size(); ++i) {
      const bool axis1 = GetParam() == GroupAxis::kAxis1;
      values[axis1 ? 64 * kCols + 64 + i : (64 + i) * kCols + 64] = start[i];
    }
    const std::string path = ::testing::TempDir() + "/matrix.bin";
    MX_EXPECT_OK(WriteFileAtomically(
        path, std::string(reinterpret_cast<const char*>(values.data()),
                          values.size() * sizeof(float))));
    auto file = InputFile::Open(path);
    if (!file.ok()) return file.status();
    QuantizeSettings settings;
    settings.format = ElementFormat::kF4E2M1FN;
    settings.axis = GetParam();
    settings.scale_order = ScaleOrder::kNN;
    return ExplainElement({&*file, 0, SourceType::kF32, kRows, kCols}, "w",
                          settings, row, col);
  }
};

TEST_P(ExplainTest, EachLineByHand) {
  MX_ASSERT_OK_AND_ASSIGN(const std::string text,
                          Explain({7, -5, 0.25f, -0.125f, 1.5f}, 64, 64));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("w [100, 70], element (64, 64): group 2 of "),
            HasSubstr("largest magnitude 7 = 0x40E00000, biased exponent 129"),
            // 7 = 1.75 * 2^2; 2^2 over 2^2; 7 <= 6 * 2.
            HasSubstr("  * ocp            127  2^0\n"),
            HasSubstr("    nv             128  2^1\n"),
            HasSubstr("    ocp-floor      127  2^0\n"),
            HasSubstr("    nv-ceil        128  2^1\n"),
            HasSubstr("    cann-alg2-max7 127  2^0\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("  *       64               7  0x40E00000 "
                                    "              7  0x07               6  "
                                    "clipped\n"),
                          HasSubstr("-5  0x0E              -4  tie to even\n"),
                          HasSubstr("0x00               0  to zero, tie to "
                                    "even\n"),
                          HasSubstr("0x08              -0  to zero\n"),
                          HasSubstr("0x03             1.5  exact\n")));
  // Padded to [128, 128]; NZ: 2 boxes of 64 columns, 128 rows of 32 bytes. Line
  // 64, group 2 of 4: NN (64/16 * 2 + 1) * 32.
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("* code  nd       [128, 128]: byte 4128, low nibble\n"),
            HasSubstr("  code  nz       [128, 128]: byte 6144, low nibble\n"),
            HasSubstr("* scale nn       128 lines, 4 groups: byte 288\n")));
}

TEST_P(ExplainTest, TheLastGroupMayBeShort) {
  MX_EXPECT_OK(Explain({}, 99, 69).status());
}

TEST_P(ExplainTest, OutsideOfTheMatrix) {
  EXPECT_THAT(Explain({}, 100, 0).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("element (100, 0) is outside of 'w' [100, 70] "
                                 "(MX-EXPLAIN-1)")));
}

INSTANTIATE_TEST_SUITE_P(Axes, ExplainTest,
                         ::testing::Values(GroupAxis::kAxis0,
                                           GroupAxis::kAxis1));

}  // namespace
}  // namespace mxtile
