#ifndef TOOLS_REDUCE_STATEMENT_REMOVER_H_
#define TOOLS_REDUCE_STATEMENT_REMOVER_H_

// Takes statements out of a program and mends what used them.
//
//   const ir::Program* less =
//       RemoveStatements(program, [](const ir::Stmt& s) { ... }, &context);
//
// A use of a variable whose definition went becomes, whichever there is first:
// of a loop's result its initial value; an operand of the definition that has
// the same type; the last variable before it that has the same type; 0 for a
// scalar. Where there is none of them, the statement that uses it goes too; a
// return or yield that uses it makes the whole removal impossible: null.
//
// Returns and yields are not removed by themselves. A variable that several
// statements assign is not replaced: the others may define it.

#include <functional>

#include "ir/context.h"
#include "ir/program.h"
#include "ir/stmt.h"

namespace mxtile {

const ir::Program* RemoveStatements(
    const ir::Program* program,
    const std::function<bool(const ir::Stmt&)>& should_go,
    ir::Context* context);

}  // namespace mxtile

#endif  // TOOLS_REDUCE_STATEMENT_REMOVER_H_
