#ifndef IR_VERIFIER_H_
#define IR_VERIFIER_H_

// Checks of what must hold for a program whatever it computes.
//
//   DiagnosticSink sink;
//   VerifySsaForm(*program, &sink);
//   VerifyUseAfterDef(*program, &sink);
//   if (sink.has_errors()) ...
//
// | rule     | says                                                           |
// |----------|----------------------------------------------------------------|
// | MX-SSA-1 | a variable is assigned once                                    |
// | MX-SSA-2 | a variable is not defined again inside its own scope           |
// | MX-SSA-3 | a body whose statement has results ends in a yield             |
// | MX-SSA-4 | a loop has as many iter args as results                        |
// | MX-SSA-5 | a yield has as many values as its statement has results        |
// | MX-SSA-6 | a variable is used inside its scope only                       |
// | MX-SSA-7 | a yield is the last statement of a loop body or branch         |
// | MX-DEF-1 | a use comes after a definition, on every path to it            |
// | MX-CALL-1| an argument has the parameter's kind, element type, rank,      |
// |          | constant dims and layout; a literal fits every integer type    |
// | MX-CALL-2| a function returns as many values as it states, of those types |
//
// Scopes: parameters and assignments of the body: from there to the end of the
// function; loop variable and iter args: the loop's body; results: after the
// statement. The types of variables use what their dims name, where the
// variable is defined. Of an `if` without results, UseAfterDef lets definitions
// of both branches leak (of one branch, when the other returns, breaks or
// continues), as programs before SSA have them; SsaForm does not.

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace mxtile::ir {

void VerifySsaForm(const Program& program, DiagnosticSink* sink);
void VerifyUseAfterDef(const Program& program, DiagnosticSink* sink);

// What functions are given and give back: MX-CALL-1, -2. Dims are compared
// where both are constants.
void VerifyCallTypes(const Program& program, DiagnosticSink* sink);

}  // namespace mxtile::ir

#endif  // IR_VERIFIER_H_
