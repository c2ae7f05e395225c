#ifndef IR_TEXT_SYNTAX_DUMP_H_
#define IR_TEXT_SYNTAX_DUMP_H_

// Shows a syntax tree, for tests. One statement a line, blocks indented by two
// spaces, expressions in prefix form:
//
//   # why                     # why
//   x = a.f(1, k=b[2]) + 3    assign x (+ (call a.f 1 k=(index b 2)) 3)
//   if not x:                 if (not x)
//       pass                    pass
//
// Numbers are shown by their values, a Float with an `f` behind it; strings in
// double quotes with C escapes.
//
// With spans, `<line:column-line:column>` stands in front of every expression
// and statement, the last column exclusive.

#include <string>

#include "ir/text/syntax.h"

namespace mxtile::ir::text {

struct SyntaxDumpOptions {
  bool spans = false;
};

std::string DumpSyntax(const Module& module,
                       const SyntaxDumpOptions& options = {});

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_SYNTAX_DUMP_H_
