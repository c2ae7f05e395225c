#include "exec/element_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "numerics/element_format.h"

namespace mxtile::exec {
namespace {

using ir::DataType;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<DataType> AllTypes() {
  std::vector<DataType> types;
  for (const char* name :
       {"BOOL",  "INT4",      "INT8",    "INT16",  "INT32",  "INT64",
        "INDEX", "UINT4",     "UINT8",   "UINT16", "UINT32", "UINT64",
        "FP4",   "FP8E4M3FN", "FP8E5M2", "FP16",   "FP32",   "FP8E8M0",
        "BF16",  "HF4",       "HF8",     "TASK_ID"}) {
    types.push_back(*ir::DataTypeFromName(name));
  }
  return types;
}

TEST(ElementTypeTest, FormatHasTheTypesWidth) {
  int with_format = 0;
  for (const DataType type : AllTypes()) {
    const std::optional<ElementFormat> format = FormatOf(type);
    if (!format.has_value()) continue;
    ++with_format;
    EXPECT_EQ(BitWidth(*format), ir::BitWidth(type)) << ir::DataTypeName(type);
    EXPECT_TRUE(ir::IsFloat(type)) << ir::DataTypeName(type);
  }
  EXPECT_EQ(with_format, 7);
}

// Where the IR's and OCP's names differ.
TEST(ElementTypeTest, Formats) {
  EXPECT_EQ(FormatOf(DataType::kFP8E4M3FN), ElementFormat::kF8E4M3FN);
  EXPECT_EQ(FormatOf(DataType::kFP8E5M2), ElementFormat::kF8E5M2);
  EXPECT_EQ(FormatOf(DataType::kFP8E8M0), ElementFormat::kF8E8M0FNU);
  EXPECT_EQ(FormatOf(DataType::kFP4), ElementFormat::kF4E2M1FN);
  EXPECT_EQ(FormatOf(DataType::kBF16), ElementFormat::kBF16);
  EXPECT_EQ(FormatOf(DataType::kFP16), ElementFormat::kF16);
  EXPECT_EQ(FormatOf(DataType::kFP32), ElementFormat::kF32);
  // Not IEEE-like: Huawei's own.
  EXPECT_EQ(FormatOf(DataType::kHF8), std::nullopt);
  EXPECT_EQ(FormatOf(DataType::kHF4), std::nullopt);
}

TEST(ElementTypeTest, Descrs) {
  EXPECT_THAT(AcceptedDescrs(DataType::kFP8E4M3FN), ElementsAre("|u1"));
  EXPECT_THAT(AcceptedDescrs(DataType::kFP8E8M0), ElementsAre("|u1"));
  EXPECT_THAT(AcceptedDescrs(DataType::kBF16), ElementsAre("<u2"));
  EXPECT_THAT(AcceptedDescrs(DataType::kFP16), ElementsAre("<f2", "<u2"));
  EXPECT_THAT(AcceptedDescrs(DataType::kFP32), ElementsAre("<f4"));
  EXPECT_THAT(AcceptedDescrs(DataType::kFP4), IsEmpty());
}

// Files hold codes byte for byte, so sizes agree, and what they hold can be
// decoded.
TEST(ElementTypeTest, DescrsHaveTheTypesSizeAndAFormat) {
  for (const DataType type : AllTypes()) {
    for (const std::string& descr : AcceptedDescrs(type)) {
      int64_t bytes = 0;
      ASSERT_TRUE(absl::SimpleAtoi(absl::string_view(descr).substr(2), &bytes));
      EXPECT_EQ(bytes * 8, ir::BitWidth(type)) << ir::DataTypeName(type);
      EXPECT_TRUE(FormatOf(type).has_value()) << ir::DataTypeName(type);
    }
  }
}

}  // namespace
}  // namespace mxtile::exec
