#ifndef PROOF_FORMAT_EXPR_H_
#define PROOF_FORMAT_EXPR_H_

// A short form of an expression for messages, in the program's syntax:
//
//   FormatExpr(e) == "(row + 8) // 16"
//
// What is too long or nested too deeply is replaced by "...", so the cost does
// not depend on the size of the expression. Not meant to be read back:
// variables are shown by their name hints.

#include <cstddef>
#include <string>

#include "ir/expr.h"

namespace mxtile::proof {

inline constexpr size_t kFormatLimit = 60;

// At most `limit` bytes, which must be 3 or more.
std::string FormatExpr(const ir::Expr* expr, size_t limit = kFormatLimit);

}  // namespace mxtile::proof

#endif  // PROOF_FORMAT_EXPR_H_
