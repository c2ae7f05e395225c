#ifndef TOOLS_REDUCE_REDUCER_H_
#define TOOLS_REDUCE_REDUCER_H_

// Shrinks a program while something keeps failing: delta debugging over
// functions, statements, expressions and sizes (tools/reduce/reductions.h).
//
//   MX_ASSIGN_OR_RETURN(
//       const std::string smaller,
//       ReduceProgram(text, [](const std::string& candidate) {
//         return StillCrashes(candidate);
//       }));
//
// Every candidate is written as text, read back and verified (type_checked,
// use_after_def, call_types; ssa_form where the program that came in has it)
// before it is tried, so that what comes out is a sound program; no text is
// tried twice. Rounds go on until none of the reductions gets any further. The
// same program and the same answers give the same result.
//
//   MX-REDUCE-1  what should be reduced fails in the first place, also printed
//                anew
//
// Cost: reading and verifying for each candidate, some milliseconds for
// hundreds of lines, and a trial for each that is sound.

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace mxtile {

// Whether a program, as text, still fails. An error ends the reduction.
using StillFails = std::function<absl::StatusOr<bool>(const std::string& text)>;

struct ReduceProgress {
  absl::string_view reduction;  // What is at work.
  int lines = 0;                // Of the smallest program so far.
  int num_candidates = 0;       // Made,
  int num_tried = 0;            //   sound and tried,
  int num_kept = 0;             //   still failing.
};

// After each candidate that was kept, and at the end.
using OnProgress = std::function<void(const ReduceProgress&)>;

// The smallest program found, as text. InvalidArgument with diagnostics in the
// sink for a program that is not sound itself.
absl::StatusOr<std::string> ReduceProgram(const ir::Program& program,
                                          const StillFails& still_fails,
                                          const OnProgress& on_progress,
                                          ir::DiagnosticSink* sink);

// Lines of a text.
int CountLines(absl::string_view text);

}  // namespace mxtile

#endif  // TOOLS_REDUCE_REDUCER_H_
