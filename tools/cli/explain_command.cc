#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/positioned_file.h"
#include "base/status_macros.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/quantize_choices.h"
#include "tools/cli/session.h"
#include "tools/quantize/checkpoint.h"
#include "tools/quantize/explain.h"
#include "tools/quantize/matrix_source.h"
#include "tools/quantize/quantize_settings.h"

namespace mxtile {
namespace {

struct ExplainOptions {
  QuantizeChoices choices;
  std::string input;
  std::string tensor;
  int64_t row = 0;
  int64_t col = 0;
  bool npy_bf16 = false;
};

absl::StatusOr<std::string> Explanation(const ExplainOptions& options) {
  MX_ASSIGN_OR_RETURN(const Checkpoint input,
                      OpenCheckpoint(options.input, {options.npy_bf16}));
  for (const Shard& shard : input.shards) {
    for (const CheckpointTensor& tensor : shard.tensors) {
      if (tensor.name != options.tensor) continue;
      const auto type = SourceTypeOfDtype(tensor.dtype);
      if (!type.has_value() || tensor.shape.size() != 2) {
        return absl::InvalidArgumentError(
            absl::StrCat("tensor '", tensor.name,
                         "' is no matrix of F16, BF16, F32 or F64 "
                         "(MX-EXPLAIN-2)"));
      }
      MX_ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(shard.path));
      return ExplainElement({&file, tensor.offset, *type, tensor.shape[0],
                             tensor.shape[1], tensor.fortran_order},
                            tensor.name, SettingsOf(options.choices),
                            options.row, options.col);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      options.input, " has no tensor '", options.tensor, "' (MX-EXPLAIN-2)"));
}

ExitCode Explain(const ExplainOptions& options) {
  Session session;
  const absl::Status legal = CheckSettings(SettingsOf(options.choices));
  if (!legal.ok()) return session.FailOnFile(legal);
  const absl::StatusOr<std::string> text = Explanation(options);
  if (text.ok()) {
    std::cout << *text;
    return kExitDone;
  }
  return absl::IsInvalidArgument(text.status())
             ? session.Fail(text.status())
             : session.FailOnFile(text.status());
}

}  // namespace

void AddExplainCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* command = app.add_subcommand(
      "explain",
      "Show how one group of a matrix is quantised: bits, scale by each rule, "
      "the rounding of each element, bytes in each layout");
  command->add_option("FILE", options->input, "As IN of quantize")->required();
  command
      ->add_option("TENSOR", options->tensor,
                   "Its name; of a .npy that of the file, without .npy")
      ->required();
  command->add_option("ROW", options->row, "Of the element")->required();
  command->add_option("COL", options->col, "Of the element")->required();
  AddQuantizeChoices(command, &options->choices);
  command->add_flag("--npy-bf16", options->npy_bf16,
                    "A .npy of uint16 holds bf16");
  command->footer(
      "A star marks the element and what the options choose.\n\n"
      "Exit code 0 when done, 1 when the input is refused, 2 for wrong options "
      "or a file that cannot be read.\n\n"
      "Example:\n"
      "  mxtile explain w.npy w 3 70 --format mxfp4-e2m1 --scale-layout nn\n");
  command->callback([options, exit_code] { *exit_code = Explain(*options); });
}

}  // namespace mxtile
