#ifndef TOOLS_QUANTIZE_QUANTIZE_SETTINGS_H_
#define TOOLS_QUANTIZE_QUANTIZE_SETTINGS_H_

// How `mxtile quantize` turns a matrix into MX data: the choices of its command
// line, which of them go together, and how the output's metadata names them.
//
//   QuantizeSettings settings;            // f8E4M3FN, OCP, B^T [N, K] for the
//   settings.scale_order = ScaleOrder::kNN;                       // cube
//   MX_RETURN_IF_ERROR(CheckSettings(settings));
//   MX_ASSIGN_OR_RETURN(const host::QuantizedLayout layout,
//                       LayoutFor(settings, /*rows=*/4096, /*cols=*/4000));
//
//   role  axis  matrix  scale layouts                    padded to multiples of
//   a     1     [M, K]  nd, zz, mx-a-nd, mx-a-dn         M 16, K 64
//   a     0     [K, M]  dn, zz, mx-a-nd, mx-a-dn         K 64, M 16
//   b     0     [K, N]  dn, nn, mx-b-nd, mx-b-dn         K 64, N 32 (FP4: 64)
//   b     1     [N, K]  nd, nn, mx-b-nd, mx-b-dn         N 32 (FP4: 64), K 64
//
// Data is nd or nz in each row. "nd" and "dn" of scales are the order in which
// TQUANT writes them along axis 1 and axis 0 (docs/quantize.md).
//
// Errors (kInvalidArgument):
//   MX-QUANTIZE-1  role, axis and scale layout stand in a row of the table;
//   MX-QUANTIZE-2  without padding, the extents are what the row pads to.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {

struct QuantizeSettings {
  ElementFormat format = ElementFormat::kF8E4M3FN;
  ScaleRule rule = ScaleRule::kOcp;
  GroupAxis axis = GroupAxis::kAxis1;
  host::CubeOperand role = host::CubeOperand::kB;
  host::DataOrder data_order = host::DataOrder::kND;
  ScaleOrder scale_order = ScaleOrder::kND;
  bool pad = true;
};

// The table above, for --help and messages.
absl::string_view LegalSettings();

absl::Status CheckSettings(const QuantizeSettings& settings);

// The layout of a matrix, padded for the cube.
absl::StatusOr<host::QuantizedLayout> LayoutFor(
    const QuantizeSettings& settings, int64_t rows, int64_t cols);

// Names of the command line: "mxfp8-e4m3", "mxfp8-e5m2", "mxfp4-e2m1"; "ocp",
// "nv"; "nd", "nz"; "nd", "dn", "zz", "nn", "mx-a-nd", ...
std::string FormatOption(ElementFormat format);
std::string RuleOption(ScaleRule rule);
std::string DataOrderOption(host::DataOrder order);
std::string ScaleOrderOption(ScaleOrder order);
absl::optional<ElementFormat> FormatOfOption(absl::string_view name);
absl::optional<ScaleRule> RuleOfOption(absl::string_view name);
absl::optional<host::DataOrder> DataOrderOfOption(absl::string_view name);
absl::optional<ScaleOrder> ScaleOrderOfOption(absl::string_view name);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_QUANTIZE_SETTINGS_H_
