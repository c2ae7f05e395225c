#ifndef TOOLS_REDUCE_TERM_REDUCTIONS_H_
#define TOOLS_REDUCE_TERM_REDUCTIONS_H_

// The reductions "expressions" and "sizes" of tools/reduce/reductions.h.
//
//   const int n = CountSimplerExpressions(program, &context);
//   const ir::Program* less = SimplifyExpressions(program, {0, 1}, &context);

#include "ir/context.h"
#include "ir/program.h"
#include "tools/reduce/item_range.h"

namespace mxtile {

// Items: each way to make one expression simpler.
int CountSimplerExpressions(const ir::Program* program, ir::Context* context);
const ir::Program* SimplifyExpressions(const ir::Program* program,
                                       ItemRange items, ir::Context* context);

// Items: each smaller value for one of the program's integer constants above 1;
// the smallest value for the largest constant comes last.
int CountSmallerSizes(const ir::Program* program, ir::Context* context);
// Of several items the first is applied.
const ir::Program* ShrinkSizes(const ir::Program* program, ItemRange items,
                               ir::Context* context);

}  // namespace mxtile

#endif  // TOOLS_REDUCE_TERM_REDUCTIONS_H_
