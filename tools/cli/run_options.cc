#include "tools/cli/run_options.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/simd_options.h"

namespace mxtile {

void AddRunOptions(CLI::App* command, RunOptions* options) {
  command->add_option("FILE", options->file, "Program; - is standard input")
      ->required();
  command->add_option("--entry", options->entry,
                      "The function to run; else the only Orchestration "
                      "function, else the only in-core one");
  command
      ->add_option("--in", options->inputs,
                   "NAME=FILE.npy: a parameter's values. float32 for FP8 data "
                   "is quantised, scales with it; uint8 holds codes. "
                   "Parameters without a file are generated from the seed")
      ->allow_extra_args(false);
  command
      ->add_option("--set", options->scalars,
                   "NAME=INTEGER: a scalar parameter or dynamic dimension")
      ->allow_extra_args(false);
  command
      ->add_option("--seed", options->seed,
                   "Seed of generated inputs, not negative")
      ->check(NotNegativeInteger);
  command
      ->add_option("--scale-rule", options->scale_rule,
                   "How scales of float32 inputs are chosen: ocp, nv")
      ->check(CLI::IsMember({"ocp", "nv"}));
  command
      ->add_option("--tolerance", options->tolerance,
                   "Largest error, as part of the sum of absolute "
                   "products, that counts as correct")
      ->check([](const std::string& text) {
        double value = -1;
        return absl::SimpleAtod(text, &value) && value >= 0 &&
                       std::isfinite(value)
                   ? std::string()
                   : "expected a number that is not negative, got " + text;
      });
  command
      ->add_option("--backend", options->backend,
                   "model: lowered, on the model of the A5; simd: as written, "
                   "compiled for this processor (docs/simd.md) [model]")
      ->check(CLI::IsMember({kModelBackend, kSimdBackend}));
  command
      ->add_option("--threads", options->threads,
                   "Of --backend simd: threads that share a kernel's instances "
                   "[one for each core]")
      ->check(CLI::Range(1, 1024));
  AddPlannerOptions(command, &options->simd);
  command->add_option("--out", options->output_folder,
                      "Folder for the results (.npy) and the lowered program");
  command->add_option("--trace", options->trace_file,
                      "File for what each pipe did, in Chrome's trace format: "
                      "open it at ui.perfetto.dev (docs/trace.md)");
  command->add_flag("--json", options->json,
                    "Print the report as JSON (docs/run_report.md)");
  command->add_flag("--no-scale-reuse", options->no_scale_reuse,
                    "Bind scales anew for every MX matmul");
  command
      ->add_option("--inject-fault", options->fault,
                   "Break something on purpose, to see that it is noticed: "
                   "drop-binding, swap-bindings, row-major-scale, "
                   "flip-scale-byte")
      ->check(CLI::IsMember(
          {kDropBinding, kSwapBindings, kRowMajorScale, kFlipScaleByte}));
}

void FinishRunOptions(const CLI::App& command, RunOptions* options) {
  if (options->backend == kModelBackend) {
    std::vector<std::string> names = PlannerOptionNames();
    names.push_back("--threads");
    const std::string given = FirstGiven(command, names);
    if (given.empty()) return;
    options->misplaced = absl::StrCat(given, " goes with --backend simd");
    return;
  }
  if (command.count("--trace") > 0) {
    options->misplaced =
        "--trace shows the pipes of the A5 model, which the SIMD backend does "
        "not have: it goes with --backend model";
  } else if (command.count("--no-scale-reuse") > 0) {
    options->misplaced =
        "--no-scale-reuse is about lowering for the A5: it goes with --backend "
        "model";
  } else if (!options->fault.empty() && options->fault != kFlipScaleByte) {
    options->misplaced =
        absl::StrCat("--inject-fault ", options->fault,
                     " is about lowering for the A5: it goes with --backend "
                     "model; the SIMD backend has ",
                     kFlipScaleByte);
  } else {
    options->misplaced =
        FinishPlannerOptions(command, &options->simd).value_or("");
  }
}

}  // namespace mxtile
