#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "ir/program.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "passes/property.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/pipeline_hooks.h"
#include "tools/cli/program_form.h"
#include "tools/cli/session.h"

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

ExitCode Lower(const LowerOptions& options) {
  Session session;
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
  const absl::StatusOr<const ir::Program*> lowered =
      manager.Run(program, context);
  if (!lowered.ok()) {
    return dump.failed() ? session.FailOnFile(lowered.status())
                         : session.Fail(lowered.status());
  }
  session.PrintDiagnostics();
  const ProgramForm form =
      !options.emit.empty()
          ? *ProgramFormFromName(options.emit)
          : FormOfName(options.output).value_or(ProgramForm::kText);
  const absl::Status written =
      WriteFileAtomically(options.output, PrintInForm(**lowered, form));
  return written.ok() ? kExitDone : session.FailOnFile(written);
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
  command->footer(
      "Example:\n  mxtile lower testdata/programs/mxfp8_gemm.py --stop-after "
      "block_mx_scale_tensor_views\n");
  command->callback([options, exit_code] { *exit_code = Lower(*options); });
}

}  // namespace mxtile
