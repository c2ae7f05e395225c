#ifndef IR_TEXT_NAMES_H_
#define IR_TEXT_NAMES_H_

// The names that variables print with.
//
//   VarNames names(function, program.dynamic_dims);
//   names.NameOf(function.params[0])  ->  "x", "x_1" or "x__FREE_VAR"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/expr.h"
#include "ir/program.h"

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
    return defined_in_body_.contains(var);
  }

 private:
  bool know_definitions_ = false;
  absl::flat_hash_map<const Var*, std::string> names_;
  absl::flat_hash_set<const Var*> defined_in_body_;
};

}  // namespace mxtile::ir

#endif  // IR_TEXT_NAMES_H_
