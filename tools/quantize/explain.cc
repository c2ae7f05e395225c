#include "tools/quantize/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/host/preset.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantize_settings.h"

namespace mxtile {
namespace {

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

std::string ScaleText(uint8_t scale) {
  return scale == 255 ? "255  NaN"
                      : absl::StrFormat("%3d  2^%d", scale, scale - 127);
}

// The group that has the element, and what is around it.
struct Group {
  bool axis1;
  int64_t line;   // its row along axis 1, its column along axis 0
  int64_t index;  // along the axis
  std::vector<float> values;

  int64_t first() const { return index * kScaleGroupSize; }
};

absl::StatusOr<Group> ReadGroup(const MatrixSource& source, GroupAxis axis,
                                int64_t row, int64_t col) {
  Group group;
  group.axis1 = axis == GroupAxis::kAxis1;
  group.line = group.axis1 ? row : col;
  group.index = (group.axis1 ? col : row) / kScaleGroupSize;
  const int64_t extent = group.axis1 ? source.cols : source.rows;
  const int64_t last = std::min(group.first() + kScaleGroupSize, extent);
  const host::RowRange rows = group.axis1 ? host::RowRange{row, row + 1}
                                          : host::RowRange{group.first(), last};
  std::vector<float> panel((rows.last - rows.first) * source.cols);
  std::vector<uint8_t> scratch;
  MX_RETURN_IF_ERROR(ReadRows(source, rows, &scratch, absl::MakeSpan(panel)));
  for (int64_t i = group.first(); i < last; ++i) {
    group.values.push_back(
        group.axis1 ? panel[i]
                    : panel[(i - group.first()) * source.cols + col]);
  }
  return group;
}

std::string ScalesText(const QuantizeSettings& settings, const Group& group,
                       float maximum) {
  std::string text;
  for (const ScaleRule rule : {ScaleRule::kOcp, ScaleRule::kNv}) {
    absl::StrAppend(
        &text, absl::StrFormat(
                   "  %c %-14s %s\n", rule == settings.rule ? '*' : ' ',
                   RuleOption(rule),
                   ScaleText(SharedExponent(rule, settings.format, maximum))));
  }
  std::vector<float> padded = group.values;
  padded.resize(kScaleGroupSize, 0.0f);
  for (const host::Preset preset : host::kPresets) {
    if (preset == host::Preset::kPtoA5 ||
        !host::IsFormatOf(preset, settings.format)) {
      continue;
    }
    host::PresetOptions options;
    options.format = settings.format;
    const auto result = host::QuantizeGroup(preset, options, padded);
    if (!result.ok()) continue;
    absl::StrAppend(&text, absl::StrFormat("    %-14s %s\n", Name(preset),
                                           ScaleText(result->scale)));
  }
  return text;
}

// What happened to a finite value: `scaled` is it over the scale.
std::string Note(ElementFormat format, float value, double scaled,
                 uint8_t code) {
  const double magnitude = std::fabs(scaled);
  if (magnitude > MaxFinite(format)) return "clipped";
  const uint32_t index = code & (SignMask(format) - 1);
  const double here = Decode(format, index);
  std::string note;
  if (index == 0 && value != 0) note = "to zero";
  const uint32_t other = magnitude > here ? index + 1 : index - 1;
  if (magnitude != here && other <= LargestFiniteCode(format) &&
      std::fabs(Decode(format, other) - magnitude) ==
          std::fabs(here - magnitude)) {
    absl::StrAppend(&note, note.empty() ? "" : ", ", "tie to even");
  }
  if (magnitude == here) note = "exact";
  return note;
}

std::string ElementsText(const QuantizeSettings& settings, const Group& group,
                         uint8_t scale, int64_t chosen) {
  const ElementFormat format = settings.format;
  std::string text =
      absl::StrFormat("    %8s %15s  %-10s %15s  %-4s %15s  note\n",
                      group.axis1 ? "column" : "row", "value", "bits",
                      "over the scale", "code", "is worth");
  for (size_t i = 0; i < group.values.size(); ++i) {
    const float value = group.values[i];
    const int64_t at = group.first() + static_cast<int64_t>(i);
    const uint8_t code = EncodeScaled(format, value, scale);
    const double scaled =
        scale == 255 ? std::nan("") : std::ldexp(double{value}, 127 - scale);
    const bool finite = std::isfinite(scaled);
    absl::StrAppend(
        &text,
        absl::StrFormat("  %c %8d %15.9g  0x%08X %15.9g  0x%02X %15.9g  %s\n",
                        at == chosen ? '*' : ' ', at, value, BitsOf(value),
                        scaled, code, DecodeScaled(format, code, scale),
                        finite              ? Note(format, value, scaled, code)
                        : std::isinf(value) ? "Inf, clipped"
                                            : "NaN"));
  }
  return text;
}

// Where the element and its scale lie in each layout that the axis has.
absl::StatusOr<std::string> BytesText(const MatrixSource& source,
                                      const QuantizeSettings& settings,
                                      const Group& group, int64_t row,
                                      int64_t col) {
  std::string text = "bytes, of matrices that are padded for the cube\n";
  const int bits = BitWidth(settings.format);
  for (const host::DataOrder order : host::kDataOrders) {
    QuantizeSettings one = settings;
    one.pad = true;
    one.data_order = order;
    MX_ASSIGN_OR_RETURN(const host::QuantizedLayout layout,
                        LayoutFor(one, source.rows, source.cols));
    absl::StrAppend(
        &text,
        absl::StrFormat("  %c code  %-8s [%d, %d]: byte %d%s\n",
                        order == settings.data_order ? '*' : ' ',
                        DataOrderOption(order), layout.padded_rows(),
                        layout.padded_cols(), layout.DataOffset(row, col),
                        bits == 8      ? ""
                        : col % 2 == 0 ? ", low nibble"
                                       : ", high nibble"));
  }
  for (const ScaleOrder order : kScaleOrders) {
    QuantizeSettings one = settings;
    one.pad = true;
    one.scale_order = order;
    if (!CheckSettings(one).ok()) continue;
    MX_ASSIGN_OR_RETURN(const host::QuantizedLayout layout,
                        LayoutFor(one, source.rows, source.cols));
    absl::StrAppend(
        &text, absl::StrFormat("  %c scale %-8s %d lines, %d groups: byte %d\n",
                               order == settings.scale_order ? '*' : ' ',
                               ScaleOrderOption(order), layout.lines(),
                               layout.groups(),
                               layout.ScaleOffset(group.line, group.index)));
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> ExplainElement(const MatrixSource& source,
                                           const std::string& name,
                                           const QuantizeSettings& settings,
                                           int64_t row, int64_t col) {
  if (row < 0 || row >= source.rows || col < 0 || col >= source.cols) {
    return absl::InvalidArgumentError(absl::StrCat(
        "element (", row, ", ", col, ") is outside of '", name, "' [",
        source.rows, ", ", source.cols, "] (MX-EXPLAIN-1)"));
  }
  MX_RETURN_IF_ERROR(CheckSettings(settings));
  MX_ASSIGN_OR_RETURN(const Group group,
                      ReadGroup(source, settings.axis, row, col));
  const float maximum = MaxAbs(group.values);
  const uint8_t scale = SharedExponent(settings.rule, settings.format, maximum);
  MX_ASSIGN_OR_RETURN(const std::string bytes,
                      BytesText(source, settings, group, row, col));
  return absl::StrCat(
      name, " [", source.rows, ", ", source.cols, "], element (", row, ", ",
      col, "): group ", group.index, " of ", group.axis1 ? "row " : "column ",
      group.line, ", ", FormatOption(settings.format), "\n",
      absl::StrFormat("largest magnitude %.9g = 0x%08X, biased exponent %d\n",
                      maximum, BitsOf(maximum) & 0x7FFFFFFF,
                      BitsOf(maximum) >> 23 & 0xFF),
      "scales\n", ScalesText(settings, group, maximum), "elements\n",
      ElementsText(settings, group, scale, group.axis1 ? col : row), bytes);
}

}  // namespace mxtile
