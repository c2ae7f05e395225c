#include "ir/stmt.h"

namespace mxtile::ir {

bool IsInCoreScope(const Scope& scope) {
  const AttrValue* level = FindAttr(scope.args, "level");
  return scope.scope_kind == ScopeKind::kAt && level != nullptr &&
         level->text == EnumName(Level::kCoreGroup);
}

}  // namespace mxtile::ir
