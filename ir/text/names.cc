#include "ir/text/names.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/stmt_walk.h"

namespace mxtile::ir {

VarNames::VarNames(const Function& function, Vars dynamic_dims)
    : know_definitions_(true) {
  std::vector<const Var*> order(dynamic_dims.begin(), dynamic_dims.end());
  absl::flat_hash_set<const Var*> seen(order.begin(), order.end());
  auto define = [&](const Var* var) {
    if (seen.insert(var).second) order.push_back(var);
  };
  for (const Var* param : function.params) define(param);
  ForEachStmt(function.body, [&](const Stmt* stmt) {
    ForEachDefinition(*stmt, [&](const Var* var) {
      define(var);
      defined_in_body_.insert(var);
    });
  });

  absl::flat_hash_map<absl::string_view, int> count;
  for (const Var* var : order) ++count[var->name];
  absl::flat_hash_set<std::string> taken;
  for (const auto& [hint, uses] : count) taken.emplace(hint);
  absl::flat_hash_map<absl::string_view, int> next;
  for (const Var* var : order) {
    int& suffix = next[var->name];
    std::string name(var->name);
    if (suffix > 0) {
      do {
        name = absl::StrCat(var->name, "_", suffix++);
      } while (!taken.insert(name).second);
    } else {
      suffix = 1;
    }
    names_.emplace(var, name);
  }
}

std::string VarNames::NameOf(const Var* var) const {
  if (!know_definitions_) return std::string(var->name);
  const auto it = names_.find(var);
  return it != names_.end() ? it->second
                            : absl::StrCat(var->name, "__FREE_VAR");
}

}  // namespace mxtile::ir
