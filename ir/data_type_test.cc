#include "ir/data_type.h"

#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

enum Group { kOther, kSigned, kUnsigned, kFloating };

struct Row {
  DataType type;
  const char* name;
  int code;
  int bits;
  Group group;
};

// pypto_ir section 2.
constexpr Row kRows[] = {
    {DataType::kBool, "BOOL", 0x00, 1, kOther},
    {DataType::kInt4, "INT4", 0x10, 4, kSigned},
    {DataType::kInt8, "INT8", 0x11, 8, kSigned},
    {DataType::kInt16, "INT16", 0x12, 16, kSigned},
    {DataType::kInt32, "INT32", 0x13, 32, kSigned},
    {DataType::kInt64, "INT64", 0x14, 64, kSigned},
    {DataType::kIndex, "INDEX", 0x15, 64, kSigned},
    {DataType::kUInt4, "UINT4", 0x20, 4, kUnsigned},
    {DataType::kUInt8, "UINT8", 0x21, 8, kUnsigned},
    {DataType::kUInt16, "UINT16", 0x22, 16, kUnsigned},
    {DataType::kUInt32, "UINT32", 0x23, 32, kUnsigned},
    {DataType::kUInt64, "UINT64", 0x24, 64, kUnsigned},
    {DataType::kFP4, "FP4", 0x30, 4, kFloating},
    {DataType::kFP8E4M3FN, "FP8E4M3FN", 0x31, 8, kFloating},
    {DataType::kFP8E5M2, "FP8E5M2", 0x32, 8, kFloating},
    {DataType::kFP16, "FP16", 0x33, 16, kFloating},
    {DataType::kFP32, "FP32", 0x34, 32, kFloating},
    {DataType::kFP8E8M0, "FP8E8M0", 0x36, 8, kFloating},
    {DataType::kBF16, "BF16", 0x40, 16, kFloating},
    {DataType::kHF4, "HF4", 0x41, 4, kFloating},
    {DataType::kHF8, "HF8", 0x42, 8, kFloating},
    {DataType::kTaskId, "TASK_ID", 0x50, 64, kOther},
};

TEST(DataTypeTest, EveryTypeHasItsRow) {
  for (const Row& row : kRows) {
    EXPECT_EQ(static_cast<int>(row.type), row.code) << row.name;
    EXPECT_EQ(std::string(DataTypeName(row.type)), row.name);
    EXPECT_EQ(DataTypeFromName(row.name), row.type) << row.name;
    EXPECT_EQ(BitWidth(row.type), row.bits) << row.name;
    EXPECT_EQ(IsInteger(row.type),
              row.group == kSigned || row.group == kUnsigned)
        << row.name;
    EXPECT_EQ(IsSignedInteger(row.type), row.group == kSigned) << row.name;
    EXPECT_EQ(IsFloat(row.type), row.group == kFloating) << row.name;
  }
}

TEST(DataTypeTest, OtherNamesAreNone) {
  for (const char* name : {"", "FP64", "fp32", "pl.FP32", "FP32 "}) {
    EXPECT_EQ(DataTypeFromName(name), std::nullopt) << name;
  }
}

TEST(DataTypeTest, ElementsOf4BitsShareABuffersBytes) {
  EXPECT_EQ(SizeInBytes(DataType::kFP4, 0), 0);
  EXPECT_EQ(SizeInBytes(DataType::kFP4, 1), 1);
  EXPECT_EQ(SizeInBytes(DataType::kFP4, 2), 1);
  EXPECT_EQ(SizeInBytes(DataType::kFP4, 3), 2);
  EXPECT_EQ(SizeInBytes(DataType::kInt4, 64), 32);
  EXPECT_EQ(SizeInBytes(DataType::kBool, 3), 3);
  EXPECT_EQ(SizeInBytes(DataType::kFP8E8M0, 3), 3);
  EXPECT_EQ(SizeInBytes(DataType::kBF16, 3), 6);
  EXPECT_EQ(SizeInBytes(DataType::kIndex, int64_t{1} << 40), int64_t{1} << 43);
}

}  // namespace
}  // namespace mxtile::ir
