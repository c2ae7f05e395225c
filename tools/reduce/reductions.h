#ifndef TOOLS_REDUCE_REDUCTIONS_H_
#define TOOLS_REDUCE_REDUCTIONS_H_

// The ways to make a program smaller, each a list of items that can go.
//
//   for (const Reduction& reduction : Reductions()) {
//     const int n = reduction.count(program, &context);
//     // Without its first half:
//     const ir::Program* less =
//         reduction.apply(program, {0, n / 2}, &context);
//   }
//
// A reduction need not keep what a program computes, and often does not; it may
// even leave no sound program. Who applies it verifies the result. Items are
// numbered in program order, so the same program gives the same candidates.
//
//   comments     of the file, functions and statements; all at once
//   functions    with the statements that call them
//   statements   uses of what they defined turn to an operand of the same type,
//                to another variable of it, to 0; where there is none, the
//                statements that use it go too
//   bodies       a loop becomes one round of its body, a scope its body, a
//                branch one of its two sides
//   carried      a value that a loop carries becomes what it starts with
//   returns      a function returns nothing; its calls have no result
//   parameters   that a function does not use, with the arguments of its calls
//   attributes   of functions
//   expressions  a scalar one becomes 0 or one of its operands, a call one of
//                its operands of the same type
//   sizes        an integer constant becomes 1, 2, 16, 32 or its half,
//                everywhere and in types too

#include <vector>

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/program.h"
#include "tools/reduce/item_range.h"

namespace mxtile {

struct Reduction {
  absl::string_view name;
  int (*count)(const ir::Program* program, ir::Context* context);
  // The program without the items; null where that makes no sense, the same
  // pointer where nothing changes.
  const ir::Program* (*apply)(const ir::Program* program, ItemRange items,
                              ir::Context* context);
  // Whether it is worth while to apply it to several items at once.
  bool in_chunks = true;
};

// Coarse ones first.
const std::vector<Reduction>& Reductions();

}  // namespace mxtile

#endif  // TOOLS_REDUCE_REDUCTIONS_H_
