// Holds passes against a folder of programs and their expected results, and
// prints what is not equal, then a table by pass. See README.md.

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "passes/a5_pipeline.h"
#include "tools/pairs/pass_pairs.h"

namespace mxtile {
namespace {

constexpr int kNumVerdicts = 4;
constexpr int kExitDifferent = 1;
constexpr int kExitUsage = 2;

using Counts = std::map<std::string, std::vector<int>>;

void PrintTable(const Counts& counts) {
  const auto row = [](const std::string& name) -> std::ostream& {
    return std::cout << std::left << std::setw(32) << name << std::right;
  };
  row("pass");
  for (int v = 0; v < kNumVerdicts; ++v) {
    std::cout << std::setw(12) << PairVerdictName(static_cast<PairVerdict>(v));
  }
  std::cout << "\n";
  for (const auto& [pass, verdicts] : counts) {
    row(pass);
    for (const int count : verdicts) std::cout << std::setw(12) << count;
    std::cout << "\n";
  }
}

int CheckFolder(const std::string& folder, const PairOptions& options) {
  const auto pairs = FindPairs(folder);
  if (!pairs.ok()) {
    std::cerr << "pass_pairs: error: " << pairs.status().message() << "\n";
    return kExitUsage;
  }
  Counts counts;
  bool all_equal = true;
  for (const ProgramPair& pair : *pairs) {
    const PairResult result =
        CheckPair(*pair.pass, pair.before, pair.expected, options);
    std::vector<int>& row = counts[std::string(pair.pass->name())];
    row.resize(kNumVerdicts);
    ++row[static_cast<int>(result.verdict)];
    if (result.verdict == PairVerdict::kEqual) continue;
    all_equal = false;
    std::cout << pair.name << ": " << PairVerdictName(result.verdict) << ": "
              << result.detail << "\n";
  }
  PrintTable(counts);
  return all_equal ? EXIT_SUCCESS : kExitDifferent;
}

int Main(int argc, char** argv) {
  CLI::App app("Holds passes against programs and their expected results");
  std::string folder;
  std::vector<std::string> prepare;
  PairOptions options;
  bool no_scale_reuse = false;
  app.add_option("DIR", folder,
                 "Holds PASS/NAME.before.py and PASS/NAME.expected.py")
      ->required();
  app.add_option("--prepare", prepare, "Passes to run on both sides first")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--no-scale-reuse", no_scale_reuse,
               "Bind scales anew for every MX matmul");
  app.add_option("--target", options.pass.target, "a5, a2a3 or none")
      ->check(CLI::IsMember({"a5", "a2a3", "none"}));
  CLI11_PARSE(app, argc, argv);
  options.pass.reuse_scale_bindings = !no_scale_reuse;
  for (const std::string& name : prepare) {
    const Pass* pass = FindPass(name);
    if (pass == nullptr) {
      std::cerr << "pass_pairs: error: no pass '" << name << "'\n";
      return kExitUsage;
    }
    options.prepare.push_back(pass);
  }
  return CheckFolder(folder, options);
}

}  // namespace
}  // namespace mxtile

int main(int argc, char** argv) { return mxtile::Main(argc, argv); }
