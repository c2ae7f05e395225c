#include <iostream>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "base/file.h"
#include "ir/program.h"
#include "ir/text/printer.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"

namespace mxtile {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
};

bool IsText(const std::string& path) {
  return path == "-" || absl::EndsWith(path, ".py");
}

ExitCode Convert(const ConvertOptions& options) {
  for (const std::string& path : {options.input, options.output}) {
    if (IsText(path)) continue;
    std::cerr << "mxtile: error: " << path
              << ": only the text form (.py, or - for standard input and "
                 "output) can be converted so far\n";
    return kExitUsage;
  }
  Session session;
  const ir::Program* program = session.Load(options.input);
  if (program == nullptr) return session.exit_code();
  const absl::Status written =
      WriteFileAtomically(options.output, ir::PrintProgram(*program));
  return written.ok() ? kExitDone : session.FailOnFile(written);
}

}  // namespace

void AddConvertCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand(
      "convert", "Rewrite a program in another form (text only, so far)");
  command->add_option("IN", options->input, "Program; - is standard input")
      ->required();
  command->add_option("OUT", options->output, "Where to; - is standard output")
      ->required();
  command->footer(
      "Example, the canonical text of a program:\n"
      "  mxtile convert testdata/programs/mxfp8_gemm.py -\n");
  command->callback([options, exit_code] { *exit_code = Convert(*options); });
}

}  // namespace mxtile
