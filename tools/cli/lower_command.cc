#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "ir/program.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "passes/property.h"
#include "tools/cli/commands.h"
#include "tools/cli/entry.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/pipeline_hooks.h"
#include "tools/cli/program_form.h"
#include "tools/cli/session.h"
#include "tools/validate/execution_validator.h"
#include "tools/validate/validation_report.h"

namespace mxtile {
namespace {

struct LowerOptions {
  std::string file;
  std::string output = "-";
  std::string emit;
  std::vector<std::string> passes;
  std::string stop_after;
  std::string dump_folder;
  std::string target = "a5";
  std::string entry;
  bool no_scale_reuse = false;
  bool validate = false;
  uint64_t seed = 1;
  std::vector<std::string> scalars;  // NAME=INT
  bool json = false;
  // What is wrong with the options together; "": nothing.
  std::string misplaced;
};

std::string PassNames(const std::vector<const Pass*>& passes) {
  std::string names;
  for (const Pass* pass : passes) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", pass->name());
  }
  return names;
}

// The passes to run; an unknown name is an error.
absl::StatusOr<std::vector<const Pass*>> ChoosePasses(
    const LowerOptions& options) {
  const auto find = [](const std::string& name) -> absl::StatusOr<const Pass*> {
    const Pass* pass = FindPass(name);
    if (pass != nullptr) return pass;
    return absl::NotFoundError(absl::StrCat("no pass '", name, "'; there are ",
                                            PassNames(AllPasses())));
  };
  std::vector<const Pass*> passes;
  if (options.passes.empty()) passes = A5Pipeline();
  for (const std::string& name : options.passes) {
    const absl::StatusOr<const Pass*> pass = find(name);
    if (!pass.ok()) return pass.status();
    passes.push_back(*pass);
  }
  if (options.stop_after.empty()) return passes;
  const absl::StatusOr<const Pass*> last = find(options.stop_after);
  if (!last.ok()) return last.status();
  const auto it = std::find(passes.begin(), passes.end(), *last);
  if (it == passes.end()) {
    return absl::NotFoundError(absl::StrCat("--stop-after ", (*last)->name(),
                                            ": that pass does not run"));
  }
  passes.erase(it + 1, passes.end());
  return passes;
}

// Writes what comes out, unless the JSON of a validation has standard output.
ExitCode WriteLowered(const LowerOptions& options, const ir::Program& lowered,
                      Session& session) {
  if (options.json && options.output == "-") return kExitDone;
  const ProgramForm form =
      !options.emit.empty()
          ? *ProgramFormFromName(options.emit)
          : FormOfName(options.output).value_or(ProgramForm::kText);
  const absl::Status written =
      WriteFileAtomically(options.output, PrintInForm(lowered, form));
  return written.ok() ? kExitDone : session.FailOnFile(written);
}

// What to execute the program on; nullopt after an error, which is printed.
std::optional<ValidatorOptions> ChooseExecution(const LowerOptions& options,
                                                const ir::Program& program,
                                                Session& session,
                                                ExitCode* exit_code) {
  ValidatorOptions result;
  result.context = &session.context();
  result.seed = options.seed;
  result.is_complete = options.passes.empty() && options.stop_after.empty();
  if (!ParseScalars(options.scalars, session, &result.scalars, exit_code) ||
      !FindEntry(program, options.entry, session, &result.entry, exit_code)) {
    return std::nullopt;
  }
  return result;
}

void PrintValidation(const LowerOptions& options,
                     const ExecutionValidator& validator) {
  // Without a stage the program was refused before it could be executed.
  if (validator.report().stages.empty()) return;
  if (options.json) {
    std::cout << ToJson(validator.report());
  } else {
    std::cerr << ToText(validator.report());
  }
}

ExitCode Lower(const LowerOptions& options) {
  Session session;
  if (!options.misplaced.empty()) {
    return session.FailOnFile(absl::InvalidArgumentError(options.misplaced));
  }
  const absl::StatusOr<std::vector<const Pass*>> passes = ChoosePasses(options);
  if (!passes.ok()) return session.FailOnFile(passes.status());
  const ir::Program* program = session.Load(options.file);
  if (program == nullptr) return session.exit_code();
  if (!options.entry.empty() && program->Find(options.entry) == nullptr) {
    return session.FailOnFile(absl::NotFoundError(absl::StrCat(
        "--entry ", options.entry, ": the program has no such function")));
  }

  VerifyProperty(Property::kCallTypes, *program, &session.sink());
  if (session.sink().has_errors()) {
    return session.Fail(session.sink().ToStatus());
  }
  PassContext context;
  context.ir = &session.context();
  context.sink = &session.sink();
  context.options.target = options.target;
  context.options.entry = options.entry;
  context.options.reuse_scale_bindings = !options.no_scale_reuse;
  PassManager manager(*passes);
  DumpHook dump(options.dump_folder);
  if (!options.dump_folder.empty()) manager.AddHook(&dump);
  std::optional<ExecutionValidator> validator;
  if (options.validate) {
    ExitCode exit_code = kExitFault;
    std::optional<ValidatorOptions> execution =
        ChooseExecution(options, *program, session, &exit_code);
    if (!execution.has_value()) return exit_code;
    validator.emplace(*std::move(execution), &session.sink());
    manager.AddHook(&*validator);
  }
  absl::StatusOr<const ir::Program*> lowered = manager.Run(program, context);
  if (validator.has_value()) {
    const absl::Status finished =
        lowered.ok() ? validator->Finish() : absl::OkStatus();
    if (!finished.ok()) lowered = finished;
    PrintValidation(options, *validator);
  }
  if (!lowered.ok()) {
    return dump.failed() ? session.FailOnFile(lowered.status())
                         : session.Fail(lowered.status());
  }
  session.PrintDiagnostics();
  return WriteLowered(options, **lowered, session);
}

void AddValidationOptions(CLI::App* command, LowerOptions* options) {
  command->add_flag("--validate", options->validate,
                    "Execute the program before and after each pass on the "
                    "same inputs and compare bit for bit; the report goes to "
                    "standard error (docs/validate.md)");
  command
      ->add_option("--seed", options->seed,
                   "Of --validate: seed of the inputs, not negative [1]")
      ->check(NotNegativeInteger);
  command
      ->add_option("--set", options->scalars,
                   "Of --validate: NAME=INTEGER, a scalar parameter or dynamic "
                   "dimension")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json,
                    "Of --validate: the report as JSON on standard output; the "
                    "program then goes to the file of -o only");
}

}  // namespace

void AddLowerCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<LowerOptions>();
  CLI::App* command = app.add_subcommand(
      "lower", "Run passes and print the program that comes out");
  command->add_option("FILE", options->file, "Program; - is standard input")
      ->required();
  command->add_option("-o", options->output,
                      "Where to write; - is standard output (the default)");
  command
      ->add_option("--emit", options->emit,
                   "Form of the output: text, pb or textproto; otherwise its "
                   "name says, else text")
      ->check(CLI::IsMember(ProgramFormNames()));
  command
      ->add_option("--passes", options->passes,
                   absl::StrCat("Passes to run, of ", PassNames(AllPasses()),
                                "; the A5 pipeline without it: ",
                                PassNames(A5Pipeline())))
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--stop-after", options->stop_after,
                      "The last pass to run");
  command->add_option("--dump-after-each", options->dump_folder,
                      "Write the program after each pass into this folder");
  command
      ->add_option("--target", options->target,
                   "Architecture: a5 (the default), a2a3, none")
      ->check(CLI::IsMember({"a5", "a2a3", "none"}));
  command->add_option("--entry", options->entry,
                      "A function that the host calls with any values");
  command->add_flag("--no-scale-reuse", options->no_scale_reuse,
                    "Bind scales anew for every MX matmul");
  AddValidationOptions(command, options.get());
  command->footer(
      "Example:\n  mxtile lower testdata/programs/mxfp8_gemm.py --stop-after "
      "block_mx_scale_tensor_views\n  mxtile lower "
      "testdata/programs/mxfp8_gemm.py --validate --json\n");
  command->callback([options, command, exit_code] {
    for (const char* name : {"--seed", "--set", "--json"}) {
      if (!options->validate && command->count(name) > 0) {
        options->misplaced = absl::StrCat(name, " goes with --validate");
      }
    }
    *exit_code = Lower(*options);
  });
}

}  // namespace mxtile
