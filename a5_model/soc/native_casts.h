#ifndef A5_MODEL_SOC_NATIVE_CASTS_H_
#define A5_MODEL_SOC_NATIVE_CASTS_H_

// Which element types the vector core's conversion (TCVT) takes to which, in
// one instruction.
//
//   IsNativeCast(NativeCasts("a5"), CastType::kFP32, CastType::kBF16)  // true
//   IsNativeCast(NativeCasts("a5"), CastType::kFP16, CastType::kBF16)  //
//   false:
//                                     // cast_chain.h goes by way of FP32
//
// Source: the conversion tables of the public PyPTO backends for Ascend950
// ("a5") and Ascend910B ("a2a3"), which quote the ISA; in their order, which
// decides between chains that are alike (cast_chain.h).

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile {
namespace a5 {

// The types that conversions exist of on one of the two machines.
enum class CastType {
  kBF16,
  kFP16,
  kFP32,
  kFP4,
  kFP8E4M3FN,
  kFP8E5M2,
  kHF8,
  kInt4,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
};
inline constexpr int kNumCastTypes = 15;

struct CastTypeInfo {
  absl::string_view name;  // As PyPTO has it: "FP8E4M3FN", "UINT8".
  int bits;
  bool is_float;
  bool is_signed;
  // Of floating-point types: bits of the significand, the leading one included,
  // and of the exponent. 0 for those of 8 and 4 bits, about which the rule of
  // cast_chain.h does not ask.
  int significand_bits;
  int exponent_bits;
};

const CastTypeInfo& InfoOf(CastType type);
inline absl::string_view Name(CastType type) { return InfoOf(type).name; }
// nullopt for types without conversions, such as BOOL and FP8E8M0.
std::optional<CastType> CastTypeFromName(absl::string_view name);

struct NativeCast {
  CastType from;
  CastType to;
};

// Of "a5" or "a2a3"; empty for another architecture.
absl::Span<const NativeCast> NativeCasts(absl::string_view architecture);

bool IsNativeCast(absl::Span<const NativeCast> casts, CastType from,
                  CastType to);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_SOC_NATIVE_CASTS_H_
