#ifndef IR_PROTO_PROGRAM_READER_H_
#define IR_PROTO_PROGRAM_READER_H_

// Reads programs in the protobuf form (ir/proto/ir.proto), which
// ir/proto/program_writer.h writes.
//
//   DiagnosticSink sink;
//   MX_ASSIGN_OR_RETURN(const Program* program,
//                       ReadProtoProgram(bytes, "a.mxpb", {}, &context,
//                       &sink));
//
// Everything is checked before anything is built: each number, enumerator,
// count and name of each row, by the rules of ir/proto/proto_rules.h. The first
// error ends reading; it is in the sink and names table and row, and the status
// is sink.ToStatus(). A file of whatever bytes gives an error or a program;
// time and memory are in proportion to its size.
//
// What was read is a program as the text form has them: types are the
// context's, a negative constant is a constant, level and role are filled in.
// Variables, calls and statements are as the file has them. Not checked: SSA
// form (ir/verifier.h), and what operators ask of their operands (ir/ops/).

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/proto/ir.pb.h"
#include "ir/source_file.h"

namespace mxtile::ir {

// Expressions, or types, that may stand inside each other, not counting a left
// operand of an operator that binds alike. The text form has 200
// (ir/text/syntax.h) and adds some when it is read.
inline constexpr int kProtoMaxNesting = 250;
// Blocks that may stand inside each other, as in the text form.
inline constexpr int kProtoMaxBlockNesting = 100;
// How large the program may be with shared nodes written out, as walks and the
// text form see it: so many nodes, and so many more for each row. Programs that
// were read from text or came out of passes share a row some ten times.
inline constexpr uint64_t kProtoMaxFreeSize = uint64_t{1} << 22;
inline constexpr uint64_t kProtoMaxSharing = 256;

struct ProtoReadOptions {
  // Unknown fields are dropped, each with a warning, rather than refused.
  bool drop_unknown_fields = false;
};

// The binary form; `file` is what diagnostics call it and must live as long as
// the sink.
absl::StatusOr<const Program*> ReadProtoProgram(absl::string_view bytes,
                                                absl::string_view file,
                                                const ProtoReadOptions& options,
                                                Context* context,
                                                DiagnosticSink* sink);

// Protobuf's text format. What does not parse is reported at its place.
absl::StatusOr<const Program*> ReadTextProtoProgram(
    const SourceFile& file, const ProtoReadOptions& options, Context* context,
    DiagnosticSink* sink);

// A message that is at hand.
absl::StatusOr<const Program*> FromProto(const v1::ProgramProto& proto,
                                         Context* context, DiagnosticSink* sink,
                                         const ProtoReadOptions& options = {},
                                         absl::string_view file = "");

}  // namespace mxtile::ir

#endif  // IR_PROTO_PROGRAM_READER_H_
