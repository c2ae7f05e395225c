#include "ir/program.h"

#include <algorithm>

#include "absl/strings/string_view.h"

namespace mxtile::ir {

bool StandsInDecorator(absl::string_view attr) {
  return attr == "auto_scope" || attr == "external_source";
}

const Function* Program::Find(absl::string_view wanted) const {
  const auto it =
      std::lower_bound(functions.begin(), functions.end(), wanted,
                       [](const Function* function, absl::string_view name) {
                         return function->name < name;
                       });
  return it != functions.end() && (*it)->name == wanted ? *it : nullptr;
}

}  // namespace mxtile::ir
