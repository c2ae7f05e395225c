#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/program.h"
#include "passes/property.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/program_checks.h"
#include "tools/cli/session.h"

namespace mxtile {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> required;
};

ExitCode CheckFile(const std::string& file, PropertySet required) {
  Session session;
  const ir::Program* program = session.Load(file);
  if (program == nullptr) return session.exit_code();
  const absl::Status sound = VerifySound(*program, required, &session.sink());
  if (!sound.ok()) return session.Fail(sound);
  std::cout << file << ": program " << std::string(program->name) << ", "
            << program->functions.size() << " functions, no errors\n";
  return kExitDone;
}

// Each file is looked at; the worst of all decides.
ExitCode CheckFiles(const std::vector<std::string>& files,
                    PropertySet required) {
  ExitCode worst = kExitDone;
  int num_ok = 0;
  int num_refused = 0;
  for (const std::string& file : files) {
    const ExitCode exit_code = CheckFile(file, required);
    num_ok += exit_code == kExitDone;
    num_refused += exit_code == kExitRefused;
    worst = std::max(worst, exit_code);
  }
  const int num_files = static_cast<int>(files.size());
  if (num_files == 1) return worst;
  std::cout << num_files << " files: " << num_ok << " ok, " << num_refused
            << " refused";
  // Missing files, and faults of ours.
  const int num_failed = num_files - num_ok - num_refused;
  if (num_failed > 0) std::cout << ", " << num_failed << " not checked";
  std::cout << "\n";
  return worst;
}

ExitCode Check(const CheckOptions& options) {
  PropertySet required;
  for (const std::string& name : options.required) {
    const std::optional<Property> property = PropertyFromName(name);
    if (!property.has_value()) {
      std::cerr << "mxtile: error: no property '" << name << "'; there are "
                << PropertyNames() << "\n";
      return kExitUsage;
    }
    required.Insert(*property);
  }
  return CheckFiles(options.files, required);
}

}  // namespace

void AddCheckCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Parse, type-check and verify; no lowering");
  command->add_option("FILE", options->files, "Programs; - is standard input")
      ->required();
  command
      ->add_option(
          "--require", options->required,
          absl::StrCat("Properties that must hold besides: ", PropertyNames()))
      ->delimiter(',')
      ->allow_extra_args(false);
  command->footer(
      "Every file is looked at; with several, the last line counts them.\n\n"
      "Exit code 0 when no file is refused, 1 when one is, 2 when one cannot "
      "be "
      "read.\n\n"
      "Example:\n  mxtile check --require ssa_form,tile_ops_2d "
      "testdata/programs/mxfp8_gemm.py\n");
  command->callback([options, exit_code] { *exit_code = Check(*options); });
}

}  // namespace mxtile
