#ifndef TOOLS_REDUCE_STRUCTURE_REDUCTIONS_H_
#define TOOLS_REDUCE_STRUCTURE_REDUCTIONS_H_

// The reductions "bodies", "carried", "returns" and "parameters" of
// tools/reduce/reductions.h.
//
//   const int n = CountBodies(program, &context);
//   const ir::Program* less = UnwrapBodies(program, {n - 1, n}, &context);

#include "ir/context.h"
#include "ir/program.h"
#include "tools/reduce/item_range.h"

namespace mxtile {

// Items: loops and scopes; of a branch with two sides its two sides.
int CountBodies(const ir::Program* program, ir::Context* context);
const ir::Program* UnwrapBodies(const ir::Program* program, ItemRange items,
                                ir::Context* context);

// Items: the iter args of loops.
int CountCarried(const ir::Program* program, ir::Context* context);
const ir::Program* DropCarried(const ir::Program* program, ItemRange items,
                               ir::Context* context);

// Items: functions that return something.
int CountReturns(const ir::Program* program, ir::Context* context);
const ir::Program* DropReturns(const ir::Program* program, ItemRange items,
                               ir::Context* context);

// Items: parameters of all functions. Those that are used stay.
int CountParameters(const ir::Program* program, ir::Context* context);
const ir::Program* DropParameters(const ir::Program* program, ItemRange items,
                                  ir::Context* context);

}  // namespace mxtile

#endif  // TOOLS_REDUCE_STRUCTURE_REDUCTIONS_H_
