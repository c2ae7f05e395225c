#include "ir/op_registry.h"

#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile::ir {

const OpDef* OpRegistry::Register(OpDef def) {
  ops_.push_back(std::make_unique<OpDef>(std::move(def)));
  const OpDef* stored = ops_.back().get();
  MX_CHECK(by_name_.emplace(stored->name, stored).second)
      << stored->name << " is registered twice";
  if (!stored->short_name.empty()) {
    MX_CHECK(by_short_name_.emplace(stored->short_name, stored).second)
        << "pl." << stored->short_name << " stands for two operators";
  }
  return stored;
}

const OpDef* OpRegistry::Find(absl::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

const OpDef* OpRegistry::FindShort(absl::string_view short_name) const {
  const auto it = by_short_name_.find(short_name);
  return it == by_short_name_.end() ? nullptr : it->second;
}

}  // namespace mxtile::ir
