#ifndef IR_DIAGNOSTIC_H_
#define IR_DIAGNOSTIC_H_

// What is wrong with a program, as data. Libraries report into a sink and never
// print; a tool renders what was collected, once.
//
//   DiagnosticSink sink;
//   sink.Error("MX-OFFSET-2", load->span, "offset 24 is not a multiple of 16")
//       .AddNote(caller->span, "the offset comes from this call");
//   if (sink.has_errors()) return sink.ToStatus();
//
// and in the tool
//
//   gemm.py:12:44: error: offset 24 is not a multiple of 16 [MX-OFFSET-2]
//           sa = pl.tile.load(lhs_s, [24, 0], [16, 2], [16, 2])
//                                     ^~
//   gemm.py:30:9: note: the offset comes from this call
//           self.cell(lhs, 24)
//           ^~~~~~~~~~~~~~~~~~

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/source_file.h"
#include "ir/source_span.h"

namespace mxtile::ir {

enum class Severity { kError, kWarning };

// Further information on a diagnostic, usually at another place.
struct DiagnosticNote {
  SourceSpan span;  // May be unknown.
  std::string message;
};

struct Diagnostic {
  // Returns this diagnostic, for the next note.
  Diagnostic& AddNote(SourceSpan note_span, absl::string_view note_message);

  Severity severity = Severity::kError;
  std::string rule_id;  // "MX-OFFSET-2"; empty for what breaks no rule.
  SourceSpan span;      // May be unknown.
  std::string message;  // One line, no full stop.
  std::vector<DiagnosticNote> notes;
};

// Collects diagnostics in the order of their reports.
class DiagnosticSink {
 public:
  // The reference holds until the next report.
  Diagnostic& Error(absl::string_view rule_id, SourceSpan span,
                    absl::string_view message);
  Diagnostic& Warning(absl::string_view rule_id, SourceSpan span,
                      absl::string_view message);

  bool has_errors() const { return error_count_ > 0; }
  int error_count() const { return error_count_; }
  absl::Span<const Diagnostic> diagnostics() const { return diagnostics_; }

  // OK without errors; otherwise InvalidArgument with nothing but their number,
  // "2 errors", as what they say is in the diagnostics.
  absl::Status ToStatus() const;

 private:
  Diagnostic& Report(Severity severity, absl::string_view rule_id,
                     SourceSpan span, absl::string_view message);

  std::vector<Diagnostic> diagnostics_;
  int error_count_ = 0;
};

// The file of this name; null when there is none at hand, so that what is said
// about it goes without an excerpt.
using SourceFileLookup =
    absl::FunctionRef<const SourceFile*(absl::string_view name)>;

// The diagnostic and its notes as lines of text, each with its line break:
//
//   FILE:LINE:COLUMN: error: TEXT [RULE-ID]
//   the line of the program
//       ^~~~
//
// FILE is left out where the span has none, LINE and COLUMN where it is
// unknown. Of a span over several lines the first is shown. Of a long line
// (about 160 bytes) an excerpt is shown, with "..." where it was cut, and so it
// is with a message of more than 600 bytes. Whatever the file's bytes are, the
// result is printable (ir/printable_text.h) and the caret stands under its
// character.
std::string RenderDiagnostic(const Diagnostic& diagnostic,
                             SourceFileLookup find_file);

}  // namespace mxtile::ir

#endif  // IR_DIAGNOSTIC_H_
