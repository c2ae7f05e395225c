#include "tools/cli/quantize_choices.h"

#include <string>

#include "CLI/CLI.hpp"
#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "tools/quantize/quantize_settings.h"

namespace mxtile {

void AddQuantizeChoices(CLI::App* command, QuantizeChoices* choices) {
  command->add_option("--format", choices->format, "Elements")
      ->check(CLI::IsMember({"mxfp8-e4m3", "mxfp8-e5m2", "mxfp4-e2m1"}))
      ->capture_default_str();
  command->add_option("--scale-rule", choices->rule, "From maximum to scale")
      ->check(CLI::IsMember({"ocp", "nv"}))
      ->capture_default_str();
  command
      ->add_option("--axis", choices->axis,
                   "Along which axis 32 elements share a scale")
      ->check(CLI::Range(0, 1))
      ->capture_default_str();
  command->add_option("--role", choices->role, "Operand of the cube")
      ->check(CLI::IsMember({"a", "b"}))
      ->capture_default_str();
  command->add_option("--data-layout", choices->data_layout, "Order of codes")
      ->check(CLI::IsMember({"nd", "nz"}))
      ->capture_default_str();
  command
      ->add_option("--scale-layout", choices->scale_layout,
                   "Order of scales; nd along axis 1, dn along axis 0 when "
                   "not given")
      ->check(CLI::IsMember({"nd", "dn", "zz", "nn", "mx-a-nd", "mx-a-dn",
                             "mx-b-nd", "mx-b-dn"}));
}

QuantizeSettings SettingsOf(const QuantizeChoices& choices) {
  QuantizeSettings settings;
  settings.format = *FormatOfOption(choices.format);
  settings.rule = *RuleOfOption(choices.rule);
  settings.axis = choices.axis == 0 ? GroupAxis::kAxis0 : GroupAxis::kAxis1;
  settings.role =
      choices.role == "a" ? host::CubeOperand::kA : host::CubeOperand::kB;
  settings.data_order = *DataOrderOfOption(choices.data_layout);
  settings.scale_order =
      *ScaleOrderOfOption(!choices.scale_layout.empty() ? choices.scale_layout
                          : choices.axis == 0           ? "dn"
                                                        : "nd");
  return settings;
}

}  // namespace mxtile
