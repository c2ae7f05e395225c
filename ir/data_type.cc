#include "ir/data_type.h"

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile::ir {
namespace {

struct Row {
  DataType type;
  absl::string_view name;
  int bits;
};

constexpr Row kRows[] = {
    {DataType::kBool, "BOOL", 1},
    {DataType::kInt4, "INT4", 4},
    {DataType::kInt8, "INT8", 8},
    {DataType::kInt16, "INT16", 16},
    {DataType::kInt32, "INT32", 32},
    {DataType::kInt64, "INT64", 64},
    {DataType::kIndex, "INDEX", 64},
    {DataType::kUInt4, "UINT4", 4},
    {DataType::kUInt8, "UINT8", 8},
    {DataType::kUInt16, "UINT16", 16},
    {DataType::kUInt32, "UINT32", 32},
    {DataType::kUInt64, "UINT64", 64},
    {DataType::kFP4, "FP4", 4},
    {DataType::kFP8E4M3FN, "FP8E4M3FN", 8},
    {DataType::kFP8E5M2, "FP8E5M2", 8},
    {DataType::kFP16, "FP16", 16},
    {DataType::kFP32, "FP32", 32},
    {DataType::kFP8E8M0, "FP8E8M0", 8},
    {DataType::kBF16, "BF16", 16},
    {DataType::kHF4, "HF4", 4},
    {DataType::kHF8, "HF8", 8},
    {DataType::kTaskId, "TASK_ID", 64},
    {DataType::kFP4E2M1X2, "FP4E2M1X2", 8},
};

const Row& Find(DataType type) {
  for (const Row& row : kRows) {
    if (row.type == type) return row;
  }
  MX_CHECK(false) << "no data type with code " << static_cast<int>(type);
  return kRows[0];
}

}  // namespace

absl::string_view DataTypeName(DataType type) { return Find(type).name; }

std::optional<DataType> DataTypeFromName(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

int BitWidth(DataType type) { return Find(type).bits; }

int64_t SizeInBytes(DataType type, int64_t count) {
  if (type == DataType::kBool) return count;
  return (count * BitWidth(type) + 7) / 8;
}

bool IsInteger(DataType type) {
  const int group = static_cast<int>(type) >> 4;
  return group == 1 || group == 2;
}

bool IsSignedInteger(DataType type) { return static_cast<int>(type) >> 4 == 1; }

bool IsFloat(DataType type) {
  const int group = static_cast<int>(type) >> 4;
  return group == 3 || group == 4;
}

}  // namespace mxtile::ir
