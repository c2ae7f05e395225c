#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/program.h"
#include "passes/property.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"

namespace mxtile {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> required;
};

std::string PropertyNames() {
  std::string names;
  for (int i = 0; i < kNumProperties; ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ", ",
                    PropertyName(static_cast<Property>(i)));
  }
  return names;
}

ExitCode CheckFile(const std::string& file, const CheckOptions& options) {
  Session session;
  const ir::Program* program = session.Load(file);
  if (program == nullptr) return session.exit_code();
  VerifyProperty(Property::kUseAfterDef, *program, &session.sink());
  VerifyProperty(Property::kCallTypes, *program, &session.sink());
  for (const std::string& name : options.required) {
    VerifyProperty(*PropertyFromName(name), *program, &session.sink());
  }
  if (session.sink().has_errors()) {
    return session.Fail(session.sink().ToStatus());
  }
  std::cout << file << ": program " << std::string(program->name) << ", "
            << program->functions.size() << " functions, no errors\n";
  return kExitDone;
}

ExitCode Check(const CheckOptions& options) {
  for (const std::string& name : options.required) {
    if (PropertyFromName(name).has_value()) continue;
    std::cerr << "mxtile: error: no property '" << name << "'; there are "
              << PropertyNames() << "\n";
    return kExitUsage;
  }
  // The worst of all files decides; each is looked at.
  ExitCode worst = kExitDone;
  for (const std::string& file : options.files) {
    worst = std::max(worst, CheckFile(file, options));
  }
  return worst;
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
      "Example:\n  mxtile check --require ssa_form "
      "testdata/programs/mxfp8_gemm.py\n");
  command->callback([options, exit_code] { *exit_code = Check(*options); });
}

}  // namespace mxtile
