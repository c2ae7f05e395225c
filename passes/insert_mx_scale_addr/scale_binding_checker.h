#ifndef PASSES_INSERT_MX_SCALE_ADDR_SCALE_BINDING_CHECKER_H_
#define PASSES_INSERT_MX_SCALE_ADDR_SCALE_BINDING_CHECKER_H_

// Checks a lowered function: on every path, each scale that an MX matmul reads
// was bound to the data that it reads with it, by tile.tget_scale_addr, and
// nothing that could change either happened since.
//
//   for (const BindingFault& fault : FindBindingFaults(*function)) {
//     LOG(fault.message);
//     // tile.matmul_mx reads its left scale 'ls' with data 'l': nothing is
//     // bound there since the call at line 41
//   }
//
// It shares no code with insert_mx_scale_addr and knows nothing of what that
// pass remembers. What ends a binding, for one side of the cube or for both
// (pypto_passes 8.2):
//
// | event          | what it is                                       | ends |
// |----------------|--------------------------------------------------|--------|
// | kBinding       | another tile.tget_scale_addr                     | side |
// | kOperator      | an operator, no MX matmul, that takes or produces| side |
// |                | a tile in the side's data or scale space         | | |
// kAlias         | y = x, a tuple item, a yield or return of one    | side   |
// | kUnknownCode   | a function, a Submit, an unregistered operator   | both |
// | kBoundary      | begin or end of a body                           | both |
//
// As every body begins and ends with nothing bound, each path is a row of
// straight pieces, and one walk sees all of them. Linear in the function.

#include <string>
#include <vector>

#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"

namespace mxtile {

enum class BindingEvent {
  kNone,  // The function begins.
  kBinding,
  kOperator,
  kAlias,
  kUnknownCode,
  kBoundary,
};

struct BindingFault {
  const ir::Stmt* matmul = nullptr;
  bool is_left = false;  // Which pair of the matmul.
  // What last happened to the side's binding.
  BindingEvent event = BindingEvent::kNone;
  ir::SourceSpan event_span;
  std::string message;
};

// In program order; empty when all is well. The function may be of any type.
std::vector<BindingFault> FindBindingFaults(const ir::Function& function);

}  // namespace mxtile

#endif  // PASSES_INSERT_MX_SCALE_ADDR_SCALE_BINDING_CHECKER_H_
