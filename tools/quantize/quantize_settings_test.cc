#include "tools/quantize/quantize_settings.h"

#include <set>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// (role, axis, scale layout) of each row of the printed table.
std::set<std::tuple<char, char, std::string>> PrintedRows() {
  std::set<std::tuple<char, char, std::string>> rows;
  for (const absl::string_view line : absl::StrSplit(LegalSettings(), '\n')) {
    if (line.size() < 3 || (line[2] != 'a' && line[2] != 'b')) continue;
    const size_t first = line.find(']') + 1;
    const absl::string_view list = line.substr(first, 26);
    for (absl::string_view order : absl::StrSplit(list, ',')) {
      rows.emplace(line[2], line[8],
                   std::string(absl::StripAsciiWhitespace(order)));
    }
  }
  return rows;
}

TEST(QuantizeSettingsTest, TheTableIsWhatIsChecked) {
  const auto rows = PrintedRows();
  EXPECT_EQ(rows.size(), 16);
  int legal = 0;
  for (const auto role : {host::CubeOperand::kA, host::CubeOperand::kB}) {
    for (const auto axis : {GroupAxis::kAxis0, GroupAxis::kAxis1}) {
      for (const ScaleOrder order : kScaleOrders) {
        QuantizeSettings settings;
        settings.role = role;
        settings.axis = axis;
        settings.scale_order = order;
        const bool in_table =
            rows.count({role == host::CubeOperand::kA ? 'a' : 'b',
                        axis == GroupAxis::kAxis0 ? '0' : '1',
                        ScaleOrderOption(order)}) > 0;
        legal += in_table;
        const absl::Status status = CheckSettings(settings);
        EXPECT_EQ(status.ok(), in_table);
        if (status.ok()) continue;
        EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                     AllOf(HasSubstr("(MX-QUANTIZE-1)"),
                                           HasSubstr("[K, M]"))));
      }
    }
  }
  EXPECT_EQ(legal, 16);
}

TEST(QuantizeSettingsTest, PaddingAndItsRefusal) {
  QuantizeSettings settings;
  MX_ASSERT_OK_AND_ASSIGN(const auto layout, LayoutFor(settings, 33, 65));
  EXPECT_EQ(layout.padded_rows(), 64);
  EXPECT_EQ(layout.padded_cols(), 128);
  settings.pad = false;
  EXPECT_THAT(LayoutFor(settings, 33, 128).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("[33, 128] has to be padded to [64, 128], "
                                 "which --no-pad forbids (MX-QUANTIZE-2)")));
  MX_EXPECT_OK(LayoutFor(settings, 32, 64).status());
  settings.format = ElementFormat::kF4E2M1FN;
  EXPECT_FALSE(LayoutFor(settings, 32, 64).ok());
  MX_EXPECT_OK(LayoutFor(settings, 64, 64).status());
}

TEST(QuantizeSettingsTest, NamesAreRead) {
  for (const ScaleOrder order : kScaleOrders) {
    EXPECT_EQ(ScaleOrderOfOption(ScaleOrderOption(order)), order);
  }
  for (const host::DataOrder order : host::kDataOrders) {
    EXPECT_EQ(DataOrderOfOption(DataOrderOption(order)), order);
  }
  EXPECT_EQ(FormatOfOption("mxfp8-e5m2"), ElementFormat::kF8E5M2);
  EXPECT_EQ(FormatOption(ElementFormat::kF8E5M2), "mxfp8-e5m2");
  EXPECT_EQ(RuleOfOption("nv"), ScaleRule::kNv);
  EXPECT_FALSE(FormatOfOption("fp8").has_value());
  EXPECT_FALSE(ScaleOrderOfOption("ND").has_value());
}

}  // namespace
}  // namespace mxtile
