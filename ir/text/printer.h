#ifndef IR_TEXT_PRINTER_H_
#define IR_TEXT_PRINTER_H_

// Prints programs in the canonical text form (pypto_ir section 10), which is
// valid Python and which ir/text/reader.h reads back to a structurally equal
// program.
//
//   std::string text = PrintProgram(*program);
//
// Variables of one function that share a name hint are told apart by "_1",
// "_2", ... in order of appearance. A use without a definition prints with the
// suffix "__FREE_VAR" (such a program does not verify).

#include <string>

#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::ir {

std::string PrintProgram(const Program& program);

// One function as it stands in a program's class, not indented.
std::string PrintFunction(const Function& function);

// For messages: names are the variables' hints.
std::string PrintExpr(const Expr* expr);
std::string PrintType(const Type* type);
std::string PrintStmt(const Stmt* stmt);
std::string PrintAttrValue(const AttrValue& value);

}  // namespace mxtile::ir

#endif  // IR_TEXT_PRINTER_H_
