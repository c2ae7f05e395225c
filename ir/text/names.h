#ifndef IR_TEXT_NAMES_H_
#define IR_TEXT_NAMES_H_

// The names that variables print with.
//
//   VarNames names(function, program.dynamic_dims);
//   names.NameOf(function.params[0])  ->  "x", "x_1" or "x__FREE_VAR"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "ir/program.h"
#include "ir/var_table.h"

namespace mxtile::ir {

// The printed name of each variable of one function. Hints that only one
// variable has stay as they are; of several variables with one hint the first
// keeps it and the others get "_1", "_2", ..., skipping names that are taken.
class VarNames {
 public:
  // No definitions known: every variable prints its hint.
  VarNames() = default;
  // `dynamic_dims` are defined outside the function and keep their hints.
  VarNames(const Function& function, Vars dynamic_dims);

  std::string NameOf(const Var* var) const;
  // Whether the function's body (not its signature) defines the variable.
  bool DefinedInBody(const Var* var) const {
    return entries_ != nullptr && (*entries_)[var].in_body;
  }

 private:
  struct Entry {
    bool is_defined = false;
    bool in_body = false;
    int32_t renamed = 0;  // The place in renamed_; 0: prints its hint.
  };

  std::unique_ptr<VarTable<Entry>> entries_;  // Null: no definitions known.
  std::vector<std::string> renamed_;
};

}  // namespace mxtile::ir

#endif  // IR_TEXT_NAMES_H_
