#ifndef IR_TEXT_READER_H_
#define IR_TEXT_READER_H_

// Reads programs in the text form: what PyPTO prints and what people type.
//
//   SourceFile file("gemm.py", contents);
//   DiagnosticSink sink;
//   MX_ASSIGN_OR_RETURN(const Program* program,
//                       ReadProgram(file, &context, &sink));
//
// The first error ends reading; it is in the sink, with a rule of
// ir/text/syntax_rules.h, ir/text/reader_rules.h or of an operator, and the
// status is sink.ToStatus(). Comments are kept: those in front of a statement
// or function with it, those of the file in the program. Reading checks names
// and types; whether the program is in SSA form is the verifier's affair
// (ir/verifier.h).

#include "absl/status/statusor.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/source_file.h"

namespace mxtile::ir {

absl::StatusOr<const Program*> ReadProgram(const SourceFile& file,
                                           Context* context,
                                           DiagnosticSink* sink);

}  // namespace mxtile::ir

#endif  // IR_TEXT_READER_H_
