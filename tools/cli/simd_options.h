#ifndef TOOLS_CLI_SIMD_OPTIONS_H_
#define TOOLS_CLI_SIMD_OPTIONS_H_

// The options of the SIMD planner on a command line, for each command that
// plans. docs/simd.md describes them.
//
//   SimdOptions options;
//   AddPlannerOptions(command, &options);
//   ... parsed ...
//   if (const auto fault = FinishPlannerOptions(*command, &options)) ...

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "exec/simd/planner.h"

namespace mxtile {

struct SimdOptions {
  std::string mode = "joint";
  exec::simd::PlannerOptions planner;
};

// --mode, --block, --full-packet, --clone-budget, --jit-budget
void AddPlannerOptions(CLI::App* command, SimdOptions* options);
// Those names.
std::vector<std::string> PlannerOptionNames();

// Completes `options`, once parsed; what is wrong with them together: a
// sentence.
std::optional<std::string> FinishPlannerOptions(const CLI::App& command,
                                                SimdOptions* options);

// The first of these options that the command line has; "" without one.
std::string FirstGiven(const CLI::App& command,
                       const std::vector<std::string>& names);

}  // namespace mxtile

#endif  // TOOLS_CLI_SIMD_OPTIONS_H_
