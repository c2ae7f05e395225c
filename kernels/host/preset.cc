#include "kernels/host/preset.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "numerics/element_format.h"
#include "numerics/float_bits.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile::host {
namespace {

enum class ScaleStep {
  kOfOptions,
  kFloor,
  kExactCeil,
  kProductCeil,
  kBf16,
  kLog2f
};
enum class SpecialGroup { kNanCodes, kZeroCodes };

constexpr uint32_t Bit(ElementFormat format) {
  return uint32_t{1} << static_cast<int>(format);
}
constexpr uint32_t kE4M3 = Bit(ElementFormat::kF8E4M3FN);
constexpr uint32_t kE5M2 = Bit(ElementFormat::kF8E5M2);
constexpr uint32_t kE2M1 = Bit(ElementFormat::kF4E2M1FN);

// A row of the table in the header.
struct Definition {
  absl::string_view name;
  uint32_t formats;
  ScaleStep step;
  SpecialGroup special;
  bool infinity_is_special;
  // Added to a bf16 maximum before its exponent is taken.
  uint32_t bf16_bump = 0;
};

constexpr Definition kDefinitions[] = {
    {"pto-a5", kE4M3 | kE5M2 | kE2M1, ScaleStep::kOfOptions,
     SpecialGroup::kNanCodes, false},
    {"ocp-floor", kE4M3 | kE5M2 | kE2M1, ScaleStep::kFloor,
     SpecialGroup::kNanCodes, false},
    {"nv-ceil", kE4M3 | kE5M2 | kE2M1, ScaleStep::kExactCeil,
     SpecialGroup::kNanCodes, false},
    {"cann-alg0", kE4M3 | kE5M2 | kE2M1, ScaleStep::kFloor,
     SpecialGroup::kZeroCodes, true},
    {"cann-alg1", kE4M3 | kE5M2, ScaleStep::kProductCeil,
     SpecialGroup::kZeroCodes, true},
    {"cann-alg2-max6", kE2M1, ScaleStep::kBf16, SpecialGroup::kZeroCodes, true,
     0x3F},
    {"cann-alg2-max7", kE2M1, ScaleStep::kBf16, SpecialGroup::kZeroCodes, true,
     0x1F},
    {"torchao-floor", kE4M3, ScaleStep::kFloor, SpecialGroup::kNanCodes, true},
    {"torchao-rceil", kE4M3, ScaleStep::kProductCeil, SpecialGroup::kNanCodes,
     true},
    {"ggml", kE2M1, ScaleStep::kLog2f, SpecialGroup::kZeroCodes, true},
};

const Definition& DefinitionOf(Preset preset) {
  return kDefinitions[static_cast<int>(preset)];
}

bool IsCann(Preset preset) {
  return preset == Preset::kCannAlg0 || preset == Preset::kCannAlg2Max6 ||
         preset == Preset::kCannAlg2Max7;
}

// Least s with max_abs <= MaxFinite * 2^(s-127): that of the floor or the next.
uint8_t ExactCeil(ElementFormat format, float max_abs) {
  if (std::isinf(max_abs)) return 254;
  const uint8_t floor = SharedExponent(ScaleRule::kOcp, format, max_abs);
  const double largest = std::ldexp(double{MaxFinite(format)}, floor - 127);
  return static_cast<uint8_t>(floor + (max_abs <= largest ? 0 : 1));
}

// Of a group that is not special.
uint8_t ScaleOf(const Definition& definition, const PresetOptions& options,
                float max_abs) {
  const ElementFormat format = options.format;
  switch (definition.step) {
    case ScaleStep::kOfOptions:
      return SharedExponent(options.rule, format, max_abs);
    case ScaleStep::kExactCeil:
      return ExactCeil(format, max_abs);
    case ScaleStep::kProductCeil:
      return SharedExponent(ScaleRule::kNv, format, max_abs);
    case ScaleStep::kBf16: {
      const uint32_t bits =
          (MagnitudeBits(max_abs) >> 16) + definition.bf16_bump;
      return static_cast<uint8_t>(
          std::max(0, static_cast<int>(bits >> 7) - MaxExponent(format)));
    }
    default:
      return SharedExponent(ScaleRule::kOcp, format, max_abs);
  }
}

// The E2M1 code of a magnitude that is rounded down, or up from the middle on.
uint8_t RoundMagnitude(float magnitude, Fp4Rounding rounding, bool negative) {
  const ElementFormat format = ElementFormat::kF4E2M1FN;
  uint8_t code = 0;
  while (code < 7 && Decode(format, code + 1) <= magnitude) ++code;
  if (code == 7) return code;
  const float below = Decode(format, code);
  const float above = Decode(format, code + 1);
  const bool up = rounding == Fp4Rounding::kFloor
                      ? negative && magnitude > below
                      : magnitude - below >= above - magnitude;
  return static_cast<uint8_t>(code + (up ? 1 : 0));
}

uint8_t CodeOf(const PresetOptions& options, float value, uint8_t scale) {
  if (options.format != ElementFormat::kF4E2M1FN ||
      options.fp4_rounding == Fp4Rounding::kNearestEven) {
    return EncodeScaled(options.format, value, scale);
  }
  const float product = value * ReciprocalScale(scale);
  const uint8_t magnitude = RoundMagnitude(
      std::fabs(product), options.fp4_rounding, std::signbit(product));
  return static_cast<uint8_t>(magnitude | SignBit(product) << 3);
}

// ---- ggml

// The maximum passes over NaN; out of range, the conversion to a byte wraps.
uint8_t GgmlScale(absl::Span<const float> values) {
  float max_abs = 0;
  for (const float value : values) {
    if (max_abs < std::fabs(value)) max_abs = std::fabs(value);
  }
  if (max_abs == 0 || std::isinf(max_abs)) return 0;
  const float exponent = std::floor(std::log2(max_abs)) - 2 + 127;
  return static_cast<uint8_t>(static_cast<int>(exponent));
}

// The first of the 16 values that is nearest, in float.
uint8_t GgmlCode(float value, uint8_t scale) {
  const ElementFormat format = ElementFormat::kF4E2M1FN;
  // Code 8 is 0 again.
  const float unit = std::ldexp(1.0f, scale - 128);
  uint8_t best = 0;
  float best_error = std::fabs(0 * unit - value);
  for (uint8_t code = 1; code < 16; ++code) {
    const float error = std::fabs(2 * Decode(format, code) * unit - value);
    if (error < best_error) {
      best = code;
      best_error = error;
    }
  }
  return best;
}

PresetGroup QuantizeGgml(absl::Span<const float> values) {
  PresetGroup group;
  group.scale = GgmlScale(values);
  for (int i = 0; i < kScaleGroupSize; ++i) {
    group.codes[i] = GgmlCode(values[i], group.scale);
  }
  return group;
}

}  // namespace

absl::string_view Name(Preset preset) { return DefinitionOf(preset).name; }

absl::StatusOr<Preset> PresetByName(absl::string_view name) {
  std::string all;
  for (const Preset preset : kPresets) {
    if (Name(preset) == name) return preset;
    absl::StrAppend(&all, all.empty() ? "" : ", ", Name(preset));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "preset '", name, "': it must be one of ", all, " (MX-PRESET-1)"));
}

bool IsFormatOf(Preset preset, ElementFormat format) {
  return (DefinitionOf(preset).formats & Bit(format)) != 0;
}

absl::StatusOr<PresetGroup> QuantizeGroup(Preset preset,
                                          const PresetOptions& options,
                                          absl::Span<const float> values) {
  const Definition& definition = DefinitionOf(preset);
  if (!IsFormatOf(preset, options.format)) {
    std::string all;
    for (const ElementFormat format : kElementFormats) {
      if (!IsFormatOf(preset, format)) continue;
      absl::StrAppend(&all, all.empty() ? "" : ", ", Name(format));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("preset ", definition.name, " to ", Name(options.format),
                     ": the format must be one of ", all, " (MX-PRESET-2)"));
  }
  if (values.size() != kScaleGroupSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("a group of ", values.size(), " values: it must have ",
                     kScaleGroupSize, " (MX-PRESET-3)"));
  }
  if (preset == Preset::kGgml) return QuantizeGgml(values);

  PresetGroup group;
  const float max_abs = MaxAbs(values);
  if (std::isnan(max_abs) ||
      (std::isinf(max_abs) && definition.infinity_is_special)) {
    group.scale = 255;
    group.codes.fill(definition.special == SpecialGroup::kZeroCodes
                         ? 0
                         : static_cast<uint8_t>(NanCode(options.format)));
    return group;
  }
  PresetOptions effective = options;
  if (!IsCann(preset)) effective.fp4_rounding = Fp4Rounding::kNearestEven;
  group.scale = ScaleOf(definition, effective, max_abs);
  for (int i = 0; i < kScaleGroupSize; ++i) {
    group.codes[i] = CodeOf(effective, values[i], group.scale);
  }
  return group;
}

absl::optional<ScaleRule> HostRuleOf(Preset preset,
                                     const PresetOptions& options) {
  if (preset == Preset::kPtoA5) return options.rule;
  if (preset == Preset::kOcpFloor) return ScaleRule::kOcp;
  return absl::nullopt;
}

std::array<uint8_t, 17> GgmlBlock(const PresetGroup& group) {
  std::array<uint8_t, 17> block;
  block[0] = group.scale;
  for (int j = 0; j < 16; ++j) {
    block[1 + j] =
        static_cast<uint8_t>(group.codes[j] | group.codes[j + 16] << 4);
  }
  return block;
}

}  // namespace mxtile::host
