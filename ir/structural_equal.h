#ifndef IR_STRUCTURAL_EQUAL_H_
#define IR_STRUCTURAL_EQUAL_H_

// Structural comparison (pypto_ir section 9): same operations, same types, same
// flow of values. Spans, comments, name hints of variables and program names do
// not count; function names do. Variables correspond where they are defined.
//
//   std::optional<Difference> d = FindDifference(*a, *b);
//   if (d) std::cout << d->path << ": " << d->lhs << " vs " << d->rhs;
//
// Programs of two contexts may be compared.

#include <optional>
#include <string>

#include "ir/program.h"
#include "ir/source_span.h"

namespace mxtile::ir {

struct Difference {
  std::string path;  // "cell: body[3].value.args[1]"
  std::string lhs;   // What stands there on either side, as text.
  std::string rhs;
  // The innermost statement or function around it, where known.
  SourceSpan lhs_span;
  SourceSpan rhs_span;
};

// The first difference in program order, or nullopt when equal.
std::optional<Difference> FindDifference(const Program& lhs,
                                         const Program& rhs);
std::optional<Difference> FindDifference(const Function& lhs,
                                         const Function& rhs);

inline bool StructurallyEqual(const Program& lhs, const Program& rhs) {
  return !FindDifference(lhs, rhs).has_value();
}

}  // namespace mxtile::ir

#endif  // IR_STRUCTURAL_EQUAL_H_
