#include "a5_model/soc/native_casts.h"

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile {
namespace a5 {
namespace {

using T = CastType;

constexpr bool kFloat = true;
constexpr bool kInteger = false;
constexpr bool kSigned = true;
constexpr bool kUnsigned = false;

// In the order of the enum.
constexpr CastTypeInfo kTypes[kNumCastTypes] = {
    {"BF16", 16, kFloat, kSigned, 8, 8},
    {"FP16", 16, kFloat, kSigned, 11, 5},
    {"FP32", 32, kFloat, kSigned, 24, 8},
    {"FP4", 4, kFloat, kSigned, 0, 0},
    {"FP8E4M3FN", 8, kFloat, kSigned, 0, 0},
    {"FP8E5M2", 8, kFloat, kSigned, 0, 0},
    {"HF8", 8, kFloat, kSigned, 0, 0},
    {"INT4", 4, kInteger, kSigned, 0, 0},
    {"INT8", 8, kInteger, kSigned, 0, 0},
    {"INT16", 16, kInteger, kSigned, 0, 0},
    {"INT32", 32, kInteger, kSigned, 0, 0},
    {"INT64", 64, kInteger, kSigned, 0, 0},
    {"UINT8", 8, kInteger, kUnsigned, 0, 0},
    {"UINT16", 16, kInteger, kUnsigned, 0, 0},
    {"UINT32", 32, kInteger, kUnsigned, 0, 0},
};

constexpr NativeCast kA5[] = {
    {T::kFP32, T::kFP16},      {T::kFP32, T::kBF16},
    {T::kFP32, T::kInt16},     {T::kFP32, T::kInt32},
    {T::kFP32, T::kInt64},     {T::kFP32, T::kFP8E4M3FN},
    {T::kFP32, T::kFP8E5M2},   {T::kFP32, T::kHF8},
    {T::kFP16, T::kFP32},      {T::kFP16, T::kInt32},
    {T::kFP16, T::kInt16},     {T::kFP16, T::kInt8},
    {T::kFP16, T::kUInt8},     {T::kFP16, T::kHF8},
    {T::kBF16, T::kFP32},      {T::kBF16, T::kInt32},
    {T::kBF16, T::kFP16},      {T::kBF16, T::kFP4},
    {T::kInt16, T::kFP16},     {T::kInt16, T::kFP32},
    {T::kInt16, T::kUInt8},    {T::kInt16, T::kUInt32},
    {T::kInt16, T::kInt32},    {T::kInt32, T::kFP32},
    {T::kInt32, T::kInt16},    {T::kInt32, T::kInt64},
    {T::kInt32, T::kUInt16},   {T::kInt32, T::kUInt8},
    {T::kInt64, T::kFP32},     {T::kInt64, T::kInt32},
    {T::kUInt8, T::kFP16},     {T::kUInt8, T::kUInt16},
    {T::kInt8, T::kFP16},      {T::kInt8, T::kInt16},
    {T::kInt8, T::kInt32},     {T::kUInt32, T::kUInt8},
    {T::kUInt32, T::kUInt16},  {T::kUInt32, T::kInt16},
    {T::kFP8E4M3FN, T::kFP32}, {T::kFP8E5M2, T::kFP32},
    {T::kHF8, T::kFP32},       {T::kFP4, T::kBF16},
};

constexpr NativeCast kA2A3[] = {
    {T::kFP32, T::kFP16},  {T::kFP32, T::kBF16},   {T::kFP32, T::kInt16},
    {T::kFP32, T::kInt32}, {T::kFP32, T::kInt64},  {T::kFP16, T::kFP32},
    {T::kFP16, T::kInt32}, {T::kFP16, T::kInt16},  {T::kFP16, T::kInt8},
    {T::kFP16, T::kUInt8}, {T::kFP16, T::kInt4},   {T::kBF16, T::kFP32},
    {T::kBF16, T::kInt32}, {T::kInt16, T::kFP16},  {T::kInt16, T::kFP32},
    {T::kInt32, T::kFP32}, {T::kInt32, T::kInt16}, {T::kInt32, T::kInt64},
    {T::kInt32, T::kFP16}, {T::kInt64, T::kFP32},  {T::kInt64, T::kInt32},
    {T::kUInt8, T::kFP16}, {T::kInt8, T::kFP16},   {T::kInt4, T::kFP16},
};

}  // namespace

const CastTypeInfo& InfoOf(CastType type) {
  return kTypes[static_cast<int>(type)];
}

std::optional<CastType> CastTypeFromName(absl::string_view name) {
  for (int i = 0; i < kNumCastTypes; ++i) {
    if (kTypes[i].name == name) return static_cast<CastType>(i);
  }
  return std::nullopt;
}

absl::Span<const NativeCast> NativeCasts(absl::string_view architecture) {
  if (architecture == "a5") return kA5;
  if (architecture == "a2a3") return kA2A3;
  return {};
}

bool IsNativeCast(absl::Span<const NativeCast> casts, CastType from,
                  CastType to) {
  for (const NativeCast& cast : casts) {
    if (cast.from == from && cast.to == to) return true;
  }
  return false;
}

}  // namespace a5
}  // namespace mxtile
