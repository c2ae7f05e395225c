#ifndef IR_VERIFIER_H_
#define IR_VERIFIER_H_

// Checks of what must hold for a program whatever it computes.
//
//   DiagnosticSink sink;
//   VerifySsaForm(*program, &sink);
//   VerifyUseAfterDef(*program, &sink);
//   VerifyTypeChecked(*program, &sink);
//   if (sink.has_errors()) ...
//
// Each function is a property of PyPTO's verifier; a rule there has a number,
// its code.
//
// | rule       | code | says                                                  |
// |------------|------|-------------------------------------------------------|
// | SSAForm    |      |                                                       |
// | MX-SSA-1   | 1    | a variable is assigned once                           |
// | MX-SSA-2   | 2    | a variable is not defined again inside its own scope  |
// | MX-SSA-3   | 3    | a body whose statement has results ends in a yield    |
// | MX-SSA-4   | 4    | a loop has as many iter args as results               |
// | MX-SSA-5   | 5    | a yield has as many values as its statement results   |
// | MX-SSA-6   | 6    | a variable is used inside its scope only              |
// | MX-SSA-7   | 7    | a yield is the last statement of a loop body or branch|
// | TypeChecked|      |                                                       |
// | MX-TYPE-1  | 101  | a value and the variable that takes it are of one kind|
// | MX-TYPE-2  | 102  | ... have one element type; a bare integer literal     |
// |            |      | fits every integer type                               |
// | MX-TYPE-3  | 103  | ... shapes and valid shapes of one rank; a valid shape|
// |            |      | has the rank of its shape                             |
// | MX-TYPE-4  | 104  | ... the same constant dims; a valid shape lies inside |
// |            |      | its shape                                             |
// | MX-TYPE-5  | 105  | ... tuples of one size; a loop carries, yields and    |
// |            |      | results in as many values, a branch yields as many as |
// |            |      | its if has results                                    |
// | MX-TYPE-6  | 106  | a condition is a scalar                               |
// | MX-TYPE-7  | 107  | start, stop and step of a loop are scalars            |
// | MX-TYPE-8  | 108  | a condition is BOOL                                   |
// | MX-TYPE-9  | 109  | a tensor keeps its padding                            |
// | MX-TYPE-10 | 110  | a distributed tensor is a window of one allocation on |
// |            |      | every path, as far as definitions tell                |
// | MX-TYPE-11 | 111  | a tile keeps its view: layout, stride, pad, compact   |
// | UseAfterDef|      |                                                       |
// | MX-DEF-1   | 401  | a use comes after a definition                        |
// | ours       |      |                                                       |
// | MX-CALL-1  | -    | an argument has the parameter's kind, element type,   |
// |            |      | rank, constant dims and layout; a literal fits every  |
// |            |      | integer type                                          |
// | MX-CALL-2  | -    | a function that states return types returns as many   |
// |            |      | values, or one tuple of as many, of those types       |
//
// "Takes": assignment, initial and yielded value of a loop, yielded value of a
// branch, result. What is symbolic, or of unknown type, agrees with everything
// (ir/type_agreement.h).
//
// Scopes: parameters and assignments of the body: from there to the end of the
// function; loop variable and iter args: the loop's body; results: after the
// statement. The body of a scope (`with pl.at`) is part of the block around it;
// its index (`for i in pl.spmd`) is visible in the body, its task id after it.
// The types of variables use what their dims name, where the variable is
// defined.
//
// Before SSA form a body may assign what is used behind it. So UseAfterDef lets
// out what is defined in the body of a loop without results and in either
// branch of an `if` without results, whether they run or not, as PyPTO does.
// SsaForm does not (MX-SSA-6).
//
// PyPTO's NormalizedStmtStructure and NoRedundantBlocks (no sequence inside a
// sequence, none of one statement) need no check: a body is a list of
// statements, and no statement is a sequence.
//
// Cost: linear in the program; the first three together take well under 200 ns
// a statement (ir/verifier_benchmark.cc).

#include "ir/diagnostic.h"
#include "ir/program.h"

namespace mxtile::ir {

void VerifySsaForm(const Program& program, DiagnosticSink* sink);
void VerifyTypeChecked(const Program& program, DiagnosticSink* sink);
void VerifyUseAfterDef(const Program& program, DiagnosticSink* sink);

// What functions are given and give back: MX-CALL-1, -2. Dims are compared
// where both are constants.
void VerifyCallTypes(const Program& program, DiagnosticSink* sink);

}  // namespace mxtile::ir

#endif  // IR_VERIFIER_H_
