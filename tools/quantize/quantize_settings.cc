#include "tools/quantize/quantize_settings.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

struct FormatName {
  absl::string_view name;
  ElementFormat format;
};

constexpr FormatName kFormatNames[] = {
    {"mxfp8-e4m3", ElementFormat::kF8E4M3FN},
    {"mxfp8-e5m2", ElementFormat::kF8E5M2},
    {"mxfp4-e2m1", ElementFormat::kF4E2M1FN},
};

bool IsOfRole(host::CubeOperand role, ScaleOrder order) {
  switch (order) {
    case ScaleOrder::kND:
    case ScaleOrder::kDN:
      return true;
    case ScaleOrder::kZZ:
    case ScaleOrder::kMxAND:
    case ScaleOrder::kMxADN:
      return role == host::CubeOperand::kA;
    case ScaleOrder::kNN:
    case ScaleOrder::kMxBND:
    case ScaleOrder::kMxBDN:
      return role == host::CubeOperand::kB;
  }
  return false;
}

}  // namespace

absl::string_view LegalSettings() {
  return "  role  axis  matrix  scale layouts             padded to multiples "
         "of\n"
         "  a     1     [M, K]  nd, zz, mx-a-nd, mx-a-dn  M 16, K 64\n"
         "  a     0     [K, M]  dn, zz, mx-a-nd, mx-a-dn  K 64, M 16\n"
         "  b     0     [K, N]  dn, nn, mx-b-nd, mx-b-dn  K 64, N 32 (FP4: "
         "64)\n"
         "  b     1     [N, K]  nd, nn, mx-b-nd, mx-b-dn  N 32 (FP4: 64), K "
         "64\n";
}

absl::Status CheckSettings(const QuantizeSettings& settings) {
  if (IsOfRole(settings.role, settings.scale_order) &&
      host::IsScaleOrderOf(settings.axis, settings.scale_order)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--role ", settings.role == host::CubeOperand::kA ? "a" : "b", " --axis ",
      static_cast<int>(settings.axis), " --scale-layout ",
      ScaleOrderOption(settings.scale_order),
      " do not go together (MX-QUANTIZE-1); what does:\n", LegalSettings()));
}

absl::StatusOr<host::QuantizedLayout> LayoutFor(
    const QuantizeSettings& settings, int64_t rows, int64_t cols) {
  host::QuantizedForm form;
  form.format = settings.format;
  form.axis = settings.axis;
  form.data_order = settings.data_order;
  form.scale_order = settings.scale_order;
  form.padded = host::PaddedForCube(settings.role, settings.axis,
                                    settings.format, {rows, cols});
  MX_ASSIGN_OR_RETURN(const host::QuantizedLayout layout,
                      host::QuantizedLayout::Create(rows, cols, form));
  if (!settings.pad &&
      (layout.padded_rows() != rows || layout.padded_cols() != cols)) {
    return absl::InvalidArgumentError(
        absl::StrCat("[", rows, ", ", cols, "] has to be padded to [",
                     layout.padded_rows(), ", ", layout.padded_cols(),
                     "], which --no-pad forbids (MX-QUANTIZE-2)"));
  }
  return layout;
}

std::string FormatOption(ElementFormat format) {
  for (const FormatName& known : kFormatNames) {
    if (known.format == format) return std::string(known.name);
  }
  return std::string(Name(format));
}

std::string RuleOption(ScaleRule rule) {
  return rule == ScaleRule::kOcp ? "ocp" : "nv";
}

std::string DataOrderOption(host::DataOrder order) {
  return absl::AsciiStrToLower(host::Name(order));
}

std::string ScaleOrderOption(ScaleOrder order) {
  return absl::StrReplaceAll(absl::AsciiStrToLower(Name(order)), {{"_", "-"}});
}

absl::optional<ElementFormat> FormatOfOption(absl::string_view name) {
  for (const FormatName& known : kFormatNames) {
    if (known.name == name) return known.format;
  }
  return absl::nullopt;
}

absl::optional<ScaleRule> RuleOfOption(absl::string_view name) {
  for (const ScaleRule rule : {ScaleRule::kOcp, ScaleRule::kNv}) {
    if (RuleOption(rule) == name) return rule;
  }
  return absl::nullopt;
}

absl::optional<host::DataOrder> DataOrderOfOption(absl::string_view name) {
  for (const host::DataOrder order : host::kDataOrders) {
    if (DataOrderOption(order) == name) return order;
  }
  return absl::nullopt;
}

absl::optional<ScaleOrder> ScaleOrderOfOption(absl::string_view name) {
  for (const ScaleOrder order : kScaleOrders) {
    if (ScaleOrderOption(order) == name) return order;
  }
  return absl::nullopt;
}

}  // namespace mxtile
