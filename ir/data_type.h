#ifndef IR_DATA_TYPE_H_
#define IR_DATA_TYPE_H_

// Element types by their PyPTO names and codes (pypto_ir section 2).
//
//   DataTypeName(DataType::kFP8E4M3FN) == "FP8E4M3FN"; BitWidth(...) == 8

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace mxtile::ir {

enum class DataType : uint8_t {
  kBool = 0x00,
  kInt4 = 0x10,
  kInt8 = 0x11,
  kInt16 = 0x12,
  kInt32 = 0x13,
  kInt64 = 0x14,
  kIndex = 0x15,
  kUInt4 = 0x20,
  kUInt8 = 0x21,
  kUInt16 = 0x22,
  kUInt32 = 0x23,
  kUInt64 = 0x24,
  kFP4 = 0x30,
  kFP8E4M3FN = 0x31,
  kFP8E5M2 = 0x32,
  kFP16 = 0x33,
  kFP32 = 0x34,
  kFP8E8M0 = 0x36,
  kBF16 = 0x40,
  kHF4 = 0x41,
  kHF8 = 0x42,
  // Two FP4 elements as one of 8 bits. PyPTO names the type since September
  // 2026; its code is not public, so this one is ours.
  kFP4E2M1X2 = 0x43,
  kTaskId = 0x50,
};

// The name in the text form, without "pl.".
absl::string_view DataTypeName(DataType type);
std::optional<DataType> DataTypeFromName(absl::string_view name);

int BitWidth(DataType type);
// Bytes that `count` packed elements take; 4-bit elements share a byte.
int64_t SizeInBytes(DataType type, int64_t count);

// Integer types, INDEX included; BOOL and TASK_ID are not.
bool IsInteger(DataType type);
bool IsSignedInteger(DataType type);
bool IsFloat(DataType type);

}  // namespace mxtile::ir

#endif  // IR_DATA_TYPE_H_
