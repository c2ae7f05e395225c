#ifndef IR_PROTO_OPERATOR_CHECK_H_
#define IR_PROTO_OPERATOR_CHECK_H_

// Whether calls of known operators are calls that these operators allow. The
// text form's reader asks on its way; ir/proto/program_reader.h does not, as
// asking takes longer than reading, and whoever trusts a file may go without.
//
//   CheckOperators(*program, &context, &sink);
//   if (sink.has_errors()) ...
//
// Errors carry the rules of operators (ir/ops/) and stand at the call, or the
// statement, where their place is known. MX-PROTO-14: the type that the file
// states is of the kind, and has the element type, that the operator gives.

#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace mxtile::ir {

// Stops after 20 errors.
void CheckOperators(const Program& program, Context* context,
                    DiagnosticSink* sink);

}  // namespace mxtile::ir

#endif  // IR_PROTO_OPERATOR_CHECK_H_
