#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/program.h"
#include "proof/facts.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/program_checks.h"
#include "tools/cli/session.h"
#include "tools/prove/prove_report.h"

namespace mxtile {
namespace {

struct ProveCommandOptions {
  std::vector<std::string> files;
  ProveOptions prove;
  bool explain = false;
  bool json = false;
};

// A program with all that its judgements point into.
struct ProvenFile {
  Session session;
  std::optional<proof::ProgramFacts> facts;
};

ExitCode ProveFile(const std::string& path, const ProveOptions& options,
                   ProvenFile* file, std::vector<ProvenProgram>* programs) {
  Session& session = file->session;
  const ir::Program* program = session.Load(path);
  if (program == nullptr) return session.exit_code();
  if (!options.entry.empty() && program->Find(options.entry) == nullptr) {
    return session.FailOnFile(absl::NotFoundError(absl::StrCat(
        "--entry ", options.entry, ": ", path, " has no such function")));
  }
  const absl::Status sound = VerifySound(*program, {}, &session.sink());
  if (!sound.ok()) return session.Fail(sound);
  session.PrintDiagnostics();
  file->facts.emplace(*program, proof::FactsOptions{options.entry});
  absl::StatusOr<ProvenProgram> proven = ProveOffsets(
      path, *program, session.context().registry(), *file->facts, options);
  if (!proven.ok()) return session.Fail(proven.status());
  programs->push_back(*std::move(proven));
  return programs->back().num_refused() > 0 ? kExitRefused : kExitDone;
}

// Each file is looked at; the worst of all decides.
ExitCode Prove(const ProveCommandOptions& options) {
  std::vector<std::unique_ptr<ProvenFile>> files;
  std::vector<ProvenProgram> programs;
  ExitCode worst = kExitDone;
  for (const std::string& path : options.files) {
    files.push_back(std::make_unique<ProvenFile>());
    const size_t before = programs.size();
    worst = std::max(
        worst, ProveFile(path, options.prove, files.back().get(), &programs));
    if (options.json || programs.size() == before) continue;
    std::cout << ToText(programs.back(), options.explain) << "\n";
  }
  if (options.json) {
    std::cout << ToJson(programs, options.prove);
  } else if (!programs.empty()) {
    std::cout << SummaryText(programs) << "\n";
  }
  return worst;
}

}  // namespace

void AddProveCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<ProveCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "prove", "Prove every offset of an MX window; nothing is lowered");
  command->add_option("FILE", options->files, "Programs; - is standard input")
      ->required();
  command->add_flag("--explain", options->explain,
                    "Below each offset, its proofs as trees, or the chain that "
                    "led to the refusal and a counterexample");
  command->add_flag("--json", options->json,
                    "A report for machines (docs/prove_report.md)");
  command->add_option("--entry", options->prove.entry,
                      "A function that the host calls with any values, besides "
                      "those that nobody calls");
  command->add_flag("--extended", options->prove.proof.extended,
                    "Also signs of min, max, % and of // by any positive "
                    "constant");
  command->add_flag("--strict-overflow", options->prove.proof.strict_overflow,
                    "Refuse what rests on the assumption that nothing "
                    "overflows");
  command->footer(
      "An offset of a load from an MX tensor, or of a store into one, must be "
      "a multiple of 16 (block axis) or 2 (group axis) and not negative. The "
      "questions are those of the pass block_mx_scale_tensor_views.\n\n"
      "Exit code 0 when all offsets are proven, 1 when one is refused, 2 when "
      "a file cannot be read.\n\n"
      "Example:\n  mxtile prove --explain "
      "testdata/programs/mxfp8_gemm_tiled.py\n");
  command->callback([options, exit_code] { *exit_code = Prove(*options); });
}

}  // namespace mxtile
