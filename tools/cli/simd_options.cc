#include "tools/cli/simd_options.h"

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "exec/simd/planner.h"

namespace mxtile {

void AddPlannerOptions(CLI::App* command, SimdOptions* options) {
  exec::simd::PlannerOptions& planner = options->planner;
  command
      ->add_option("--mode", options->mode,
                   "joint: the fastest of all candidates by estimate; compat: "
                   "the options' values are forced [joint]")
      ->check(CLI::IsMember({"joint", "compat"}));
  command
      ->add_option("--block", planner.mma_output_block,
                   "Of --mode compat: columns of a contraction's register "
                   "block, 1, 2 or 4 [1]")
      ->check(CLI::IsMember({1, 2, 4}));
  command->add_flag("--full-packet", planner.full_packet,
                    "Of --mode compat: a clone of the body for full packets");
  command
      ->add_option("--clone-budget", planner.clone_budget,
                   "Of --mode compat: the most instructions, before "
                   "optimising, of a body that is cloned [4096]")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--jit-budget", planner.jit_budget,
                   "Of --mode joint: the most instructions, before "
                   "optimising, of a kernel, about 0.03 ms each; the smallest "
                   "candidate where all have more [20000]")
      ->check(CLI::PositiveNumber);
}

std::vector<std::string> PlannerOptionNames() {
  return {"--mode", "--block", "--full-packet", "--clone-budget",
          "--jit-budget"};
}

std::optional<std::string> FinishPlannerOptions(const CLI::App& command,
                                                SimdOptions* options) {
  const bool compat = options->mode == "compat";
  options->planner.mode =
      compat ? exec::simd::PlanMode::kCompat : exec::simd::PlanMode::kJoint;
  const std::string misplaced = FirstGiven(
      command, compat ? std::vector<std::string>{"--jit-budget"}
                      : std::vector<std::string>{"--block", "--full-packet",
                                                 "--clone-budget"});
  if (misplaced.empty()) return std::nullopt;
  return absl::StrCat(misplaced, " goes with --mode ",
                      compat ? "joint" : "compat",
                      compat ? "" : ": joint chooses it");
}

std::string FirstGiven(const CLI::App& command,
                       const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (command.count(name) > 0) return name;
  }
  return "";
}

}  // namespace mxtile
