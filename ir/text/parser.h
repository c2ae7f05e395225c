#ifndef IR_TEXT_PARSER_H_
#define IR_TEXT_PARSER_H_

// From a file to its syntax tree.
//
//   SourceFile file("gemm.py", contents);
//   SyntaxTree tree;
//   DiagnosticSink sink;
//   MX_ASSIGN_OR_RETURN(const Module* module, ParseModule(file, &tree, &sink));
//
// The language is the part of Python that the text form needs:
//
//   statement = import | assignment | expression | return | pass | break
//             | continue | if | for | while | with | def | class ;
//   import     = "import" module ["as" NAME] { "," module ["as" NAME] } ;
//   assignment = targets "=" expressions | NAME ":" expr "=" expressions ;
//   if    = "if" expr ":" block { "elif" expr ":" block } [ "else:" block ] ;
//   for   = "for" targets "in" expressions ":" block ;
//   while = "while" expr ":" block ;
//   with  = "with" expr ["as" NAME] { "," expr ["as" NAME] } ":" block ;
//   def   = { "@" expr } "def" NAME "(" { NAME [":" expr] "," } ")"
//           [ "->" expr ] ":" block ;
//   class = { "@" expr } "class" NAME [ "()" ] ":" block ;
//
// A block is indented, or simple statements on the header's line; simple
// statements may share a line with `;` between them.
//
// Expressions are names, literals, `...`, `a.b`, `a[b]`, calls with positional
// and keyword arguments, lists, tuples, dicts, and operators, from loose to
// tight
//
//   or / xor / and / not / < <= > >= == != / | / ^ / & / << >> / + - /
//   * / // % / unary + - ~ / **
//
// `xor`, which PyPTO prints although Python has no such word, is an operator
// behind an operand and a name elsewhere. Comparisons do not chain. Brackets
// around an expression leave no trace. There are no lambdas, conditional
// expressions, comprehensions, slices, sets, stars, f-strings, chained or
// augmented assignments, parameter defaults, base classes, `else` of a loop,
// nor Python's other keywords.
//
// Time is linear in the size of the file: a line of 10 MB is fine, and so are a
// sum of 100,000 terms and a list of 1,000,000 elements. Nesting is limited,
// see ir/text/syntax.h.

#include "absl/status/statusor.h"
#include "ir/diagnostic.h"
#include "ir/source_file.h"
#include "ir/text/syntax.h"

namespace mxtile::ir::text {

// The module, owned by `tree`; for a file without statements an empty one.
// `file` must outlive the tree.
//
// Stops at the first error, which goes to `sink` with one of the rules in
// ir/text/syntax_rules.h; the status is then sink->ToStatus().
absl::StatusOr<const Module*> ParseModule(const SourceFile& file,
                                          SyntaxTree* tree,
                                          DiagnosticSink* sink);

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_PARSER_H_
