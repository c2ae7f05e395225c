#include "ir/text/names.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/stmt_walk.h"

namespace mxtile::ir {

VarNames::VarNames(const Function& function, Vars dynamic_dims)
    : entries_(std::make_unique<VarTable<Entry>>()), renamed_(1) {
  // The next suffix of each hint, and the variables that need one.
  absl::flat_hash_map<absl::string_view, int> hints;
  std::vector<const Var*> others;
  const auto define = [&](const Var* var) -> Entry& {
    Entry& entry = (*entries_)[var];
    if (!entry.is_defined) {
      entry.is_defined = true;
      if (!hints.emplace(var->name, 1).second) others.push_back(var);
    }
    return entry;
  };
  // Most statements define a variable.
  hints.reserve(function.body.size());
  for (const Var* dim : dynamic_dims) define(dim);
  for (const Var* param : function.params) define(param);
  ForEachStmt(function.body, [&](const Stmt* stmt) {
    ForEachDefinition(*stmt,
                      [&](const Var* var) { define(var).in_body = true; });
  });
  absl::flat_hash_set<std::string> taken;
  for (const Var* var : others) {
    int& suffix = hints[var->name];
    std::string name;
    do {
      name = absl::StrCat(var->name, "_", suffix++);
    } while (hints.contains(name) || !taken.insert(name).second);
    (*entries_)[var].renamed = static_cast<int32_t>(renamed_.size());
    renamed_.push_back(std::move(name));
  }
}

std::string VarNames::NameOf(const Var* var) const {
  if (entries_ == nullptr) return std::string(var->name);
  const Entry& entry = (*entries_)[var];
  if (!entry.is_defined) return absl::StrCat(var->name, "__FREE_VAR");
  return entry.renamed == 0 ? std::string(var->name) : renamed_[entry.renamed];
}

}  // namespace mxtile::ir
