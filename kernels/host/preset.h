#ifndef KERNELS_HOST_PRESET_H_
#define KERNELS_HOST_PRESET_H_

// How other systems quantise a group of 32, byte for byte. A rule's name alone
// does not pin the bytes: systems differ in NaN, Inf, ties, signs of zeros and
// tiny maxima, so each preset fixes them all.
//
//   MX_ASSIGN_OR_RETURN(const Preset preset, PresetByName("torchao-rceil"));
//   MX_ASSIGN_OR_RETURN(const PresetGroup group,
//                       QuantizeGroup(preset, {}, values));
//   // {NaN, 1, ...} -> group.scale == 255, every code 0x7F
//
//   preset          formats         scale                 NaN group    Inf
//   group pto-a5          E4M3 E5M2 E2M1  numerics/scale_rule,  255, NaN
//   finite,
//                                   `rule`                codes saturated
//   ocp-floor       E4M3 E5M2 E2M1  E - emax              255, NaN     finite,
//                                                         codes saturated
//   nv-ceil         E4M3 E5M2 E2M1  exact ceiling         255, NaN     254,
//                                                         codes saturated
//   cann-alg0       E4M3 E5M2 E2M1  E - emax              255, codes 0 as NaN
//   cann-alg1       E4M3 E5M2       ceiling of fl32(max   255, codes 0 as NaN
//                                   * fl32(1/Q))
//   cann-alg2-max6  E2M1            E - emax, one more    255, codes 0 as NaN
//                                   when the bf16 mantissa
//                                   is above 0.5
//   cann-alg2-max7  E2M1            the same, above 0.75  255, codes 0 as NaN
//   torchao-floor   E4M3            E - emax              255, all 7F  as NaN
//   torchao-rceil   E4M3            ceiling of fl32(max   255, all 7F  as NaN
//                                   * fl32(1/Q))
//   ggml            E2M1            floor(log2f(max)) - 2 lanes 0      0, all 0
//                                   + 127, modulo 256
//
// E is the biased exponent of the maximum, scales end at 0 below. Elements are
// rounded to nearest, ties to even, saturating, with signs of zeros kept; but
// `fp4_rounding` of cann, and ggml, which takes the first nearest one of
// 0 .5 1 1.5 2 3 4 6 and their negatives: ties toward zero, no -0.
//
// The bf16 maximum of cann-alg2 is truncated when the source is f32: ours,
// since that system takes halves and bfloats there. Floor rounds toward minus
// infinity: ours too.
//
// Source: mx_presets, 1 and 2, of the project's notes: what these systems were
// seen to do, or read to do. kernels/host/preset_test.cc has the vectors.

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {

enum class Preset {
  kPtoA5,
  kOcpFloor,
  kNvCeil,
  kCannAlg0,
  kCannAlg1,
  kCannAlg2Max6,
  kCannAlg2Max7,
  kTorchaoFloor,
  kTorchaoRceil,
  kGgml,
};

// Every preset, in the order of the enum.
inline constexpr Preset kPresets[] = {
    Preset::kPtoA5,        Preset::kOcpFloor,     Preset::kNvCeil,
    Preset::kCannAlg0,     Preset::kCannAlg1,     Preset::kCannAlg2Max6,
    Preset::kCannAlg2Max7, Preset::kTorchaoFloor, Preset::kTorchaoRceil,
    Preset::kGgml,
};

// As in the table above: "pto-a5".
absl::string_view Name(Preset preset);

// MX-PRESET-1 (kInvalidArgument): the name is one of the table.
absl::StatusOr<Preset> PresetByName(absl::string_view name);

// Whether the format is in the preset's row.
bool IsFormatOf(Preset preset, ElementFormat format);

enum class Fp4Rounding { kNearestEven, kFloor, kHalfAway };

struct PresetOptions {
  ElementFormat format = ElementFormat::kF8E4M3FN;
  ScaleRule rule = ScaleRule::kOcp;                      // of pto-a5
  Fp4Rounding fp4_rounding = Fp4Rounding::kNearestEven;  // of cann
};

struct PresetGroup {
  uint8_t scale;
  // Signs and codes, one in a byte.
  std::array<uint8_t, kScaleGroupSize> codes;
};

// `values` are 32. Errors (kInvalidArgument):
//   MX-PRESET-2  the format is one of the preset;
//   MX-PRESET-3  a group has 32 values.
absl::StatusOr<PresetGroup> QuantizeGroup(Preset preset,
                                          const PresetOptions& options,
                                          absl::Span<const float> values);

// The rule with which QuantizeRows (quantize.h) gives the same bytes; nothing
// when only this file does.
absl::optional<ScaleRule> HostRuleOf(Preset preset,
                                     const PresetOptions& options);

// ggml's block: the scale, then 16 bytes of which byte j holds the codes of
// elements j (low nibble) and j + 16.
std::array<uint8_t, 17> GgmlBlock(const PresetGroup& group);

}  // namespace mxtile::host

#endif  // KERNELS_HOST_PRESET_H_
