#ifndef PASSES_RESOLVE_BACKEND_OP_LAYOUTS_ROW_MAJOR_OPS_H_
#define PASSES_RESOLVE_BACKEND_OP_LAYOUTS_ROW_MAJOR_OPS_H_

// The operators whose instructions walk rows: their tiles lie row by row.
//
//   const RowMajorOp* op = FindRowMajorOp("tile.exp");
//
// Source: the layout slots that the public PyPTO backends register, which are
// the same for both machines. Left out are those that make a tile of nothing
// (tile.full, tile.tri, tile.random): no operand could be reshaped for them.

#include "absl/strings/string_view.h"

namespace mxtile {

struct RowMajorOp {
  enum class Walk {
    // Element by element, or by the element's number: as a row, a column has
    // the same elements in the same order.
    kElements,
    // Rows or masks of rows mean something: a column must stay one.
    kRows,
  };
  absl::string_view name;
  Walk walk;
  // The operand that is only scratch memory; -1 for none.
  int scratch = -1;
  // Whether the result has to lie in rows too.
  bool result = true;
};

// Null for an operator that takes tiles as they lie.
const RowMajorOp* FindRowMajorOp(absl::string_view name);

}  // namespace mxtile

#endif  // PASSES_RESOLVE_BACKEND_OP_LAYOUTS_ROW_MAJOR_OPS_H_
