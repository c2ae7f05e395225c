#ifndef TOOLS_CLI_RUN_OPTIONS_H_
#define TOOLS_CLI_RUN_OPTIONS_H_

// The command line of `mxtile run`.
//
//   RunOptions options;
//   AddRunOptions(command, &options);
//   ... parsed ...
//   FinishRunOptions(*command, &options);
//   if (!options.misplaced.empty()) ...

#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tools/cli/simd_options.h"

namespace mxtile {

// Of --backend.
inline constexpr char kModelBackend[] = "model";
inline constexpr char kSimdBackend[] = "simd";

// Of --inject-fault.
inline constexpr char kDropBinding[] = "drop-binding";
inline constexpr char kSwapBindings[] = "swap-bindings";
inline constexpr char kRowMajorScale[] = "row-major-scale";
inline constexpr char kFlipScaleByte[] = "flip-scale-byte";

struct RunOptions {
  std::string file;
  std::string entry;
  std::vector<std::string> inputs;   // NAME=FILE
  std::vector<std::string> scalars;  // NAME=INT
  uint64_t seed = 1;
  std::string scale_rule = "ocp";
  double tolerance = 1e-5;
  std::string output_folder;
  std::string trace_file;
  bool json = false;
  bool no_scale_reuse = false;
  std::string fault;
  std::string backend = kModelBackend;
  int threads = 0;
  SimdOptions simd;
  // What is wrong with the options together; "": nothing.
  std::string misplaced;
};

void AddRunOptions(CLI::App* command, RunOptions* options);

// Completes the options, once parsed, and finds out what is wrong with them
// together.
void FinishRunOptions(const CLI::App& command, RunOptions* options);

}  // namespace mxtile

#endif  // TOOLS_CLI_RUN_OPTIONS_H_
