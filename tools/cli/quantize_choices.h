#ifndef TOOLS_CLI_QUANTIZE_CHOICES_H_
#define TOOLS_CLI_QUANTIZE_CHOICES_H_

// The options that say how a matrix is quantised, for the commands that take
// them.
//
//   auto choices = std::make_shared<QuantizeChoices>();
//   AddQuantizeChoices(command, choices.get());
//   ...
//   const QuantizeSettings settings = SettingsOf(*choices);

#include <string>

#include "CLI/CLI.hpp"
#include "tools/quantize/quantize_settings.h"

namespace mxtile {

struct QuantizeChoices {
  std::string format = "mxfp8-e4m3";
  std::string rule = "ocp";
  int axis = 1;
  std::string role = "b";
  std::string data_layout = "nd";
  // Empty: nd along axis 1, dn along axis 0.
  std::string scale_layout;
};

// `choices` outlives the parsing.
void AddQuantizeChoices(CLI::App* command, QuantizeChoices* choices);

// Of choices that were parsed; their combination is not checked.
QuantizeSettings SettingsOf(const QuantizeChoices& choices);

}  // namespace mxtile

#endif  // TOOLS_CLI_QUANTIZE_CHOICES_H_
