#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "base/file.h"
#include "ir/program.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/program_form.h"
#include "tools/cli/session.h"

namespace mxtile {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string from;
  std::string to;
  bool drop_unknown_fields = false;
};

// The form of the output: --to, else by its name.
std::optional<ProgramForm> OutputForm(const ConvertOptions& options) {
  if (!options.to.empty()) return ProgramFormFromName(options.to);
  if (options.output == "-") return ProgramForm::kText;
  return FormOfName(options.output);
}

ExitCode Convert(const ConvertOptions& options) {
  const std::optional<ProgramForm> form = OutputForm(options);
  if (!form.has_value()) {
    std::cerr << "mxtile: error: " << options.output
              << ": its name does not end in .py, .mxpb or .textproto; give "
                 "--to\n";
    return kExitUsage;
  }
  Session session;
  Session::LoadOptions load;
  if (!options.from.empty()) load.form = ProgramFormFromName(options.from);
  load.drop_unknown_fields = options.drop_unknown_fields;
  const ir::Program* program = session.Load(options.input, load);
  if (program == nullptr) return session.exit_code();
  const absl::Status written =
      WriteFileAtomically(options.output, PrintInForm(*program, *form));
  return written.ok() ? kExitDone : session.FailOnFile(written);
}

}  // namespace

void AddConvertCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand(
      "convert",
      "Rewrite a program in another form: text (.py), protobuf (.mxpb) or "
      "protobuf as text (.textproto)");
  command->add_option("IN", options->input, "Program; - is standard input")
      ->required();
  command->add_option("OUT", options->output, "Where to; - is standard output")
      ->required();
  command
      ->add_option("--from", options->from,
                   "Form of IN: text, pb or textproto; otherwise its name or "
                   "contents say")
      ->check(CLI::IsMember(ProgramFormNames()));
  command
      ->add_option("--to", options->to,
                   "Form of OUT; otherwise its name says, and text for -")
      ->check(CLI::IsMember(ProgramFormNames()));
  command->add_flag("--drop-unknown-fields", options->drop_unknown_fields,
                    "Drop fields of a protobuf file that this mxtile does not "
                    "know, with a warning, rather than refuse the file");
  command->footer(
      "docs/compatibility.md says how long files stay readable.\n\n"
      "Examples, a binary file, and the canonical text of a program:\n"
      "  mxtile convert testdata/programs/mxfp8_gemm.py gemm.mxpb\n"
      "  mxtile convert gemm.mxpb -\n");
  command->callback([options, exit_code] { *exit_code = Convert(*options); });
}

}  // namespace mxtile
