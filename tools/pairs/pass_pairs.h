#ifndef TOOLS_PAIRS_PASS_PAIRS_H_
#define TOOLS_PAIRS_PASS_PAIRS_H_

// Passes held against programs whose result is known.
//
//   PairOptions options;
//   options.prepare = {FindPass("convert_to_ssa")};
//   const PairResult r = CheckPair(pass, "a.before.py", "a.expected.py", {});
//   if (r.verdict == PairVerdict::kDifferent) std::cout << r.detail;
//
// Both programs are read and prepared, the pass runs on the first, and what
// comes out is compared with the second (ir/structural_equal.h: names of
// variables and of the program do not count).

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace mxtile {

enum class PairVerdict {
  kEqual,
  kDifferent,
  kRefused,     // By the pass, or for what it requires.
  kUnreadable,  // One of the two cannot be read or prepared.
};

// "equal", "different", "refused", "unreadable"
absl::string_view PairVerdictName(PairVerdict verdict);

struct PairOptions {
  std::vector<const Pass*> prepare;  // These run on both sides first.
  PassOptions pass;
};

struct PairResult {
  PairVerdict verdict = PairVerdict::kEqual;
  // One line: the first difference with both sides, or the first diagnostic.
  std::string detail;
};

PairResult CheckPair(const Pass& pass, const std::string& before,
                     const std::string& expected, const PairOptions& options);

// Two files of a folder: FOLDER/PASS/NAME.before.py and NAME.expected.py.
struct ProgramPair {
  const Pass* pass = nullptr;
  std::string name;  // "PASS/NAME"
  std::string before;
  std::string expected;
};

// In the order of their names. An error for a folder that is not named after a
// pass, and for a program without its partner.
absl::StatusOr<std::vector<ProgramPair>> FindPairs(const std::string& folder);

}  // namespace mxtile

#endif  // TOOLS_PAIRS_PASS_PAIRS_H_
