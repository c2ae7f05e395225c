#include "ir/text/scope.h"

#include "absl/strings/string_view.h"

namespace mxtile::ir::text {

void Scope::StartFunction() {
  blocks_.assign(1, {});
  closed_.clear();
  memref_bases_.clear();
}

void Scope::CloseBlock() {
  for (const auto& [name, var] : blocks_.back()) closed_[name] = var;
  blocks_.pop_back();
}

const Var* Scope::FindVisible(absl::string_view name) const {
  for (auto it = blocks_.rbegin(); it != blocks_.rend(); ++it) {
    const auto found = it->find(name);
    if (found != it->end()) return found->second;
  }
  return nullptr;
}

const Var* Scope::Find(absl::string_view name) const {
  if (const Var* var = FindVisible(name)) return var;
  for (const Names* names : {&globals_, &closed_}) {
    const auto found = names->find(name);
    if (found != names->end()) return found->second;
  }
  return nullptr;
}

const Var* Scope::Assign(absl::string_view name, const Type* type,
                         SourceSpan span) {
  const Var* known = FindVisible(name);
  if (known != nullptr && known->type == type &&
      known->kind == ExprKind::kVar) {
    return known;
  }
  const Var* var = nullptr;
  if (type->kind == TypeKind::kPtr) {
    const auto base = memref_bases_.find(name);
    if (base != memref_bases_.end()) var = base->second;
  }
  if (var == nullptr) var = context_->NewVar(name, type, span);
  Bind(var);
  return var;
}

const Var* Scope::MemRefBase(absl::string_view name) {
  const Var* known = Find(name);
  if (known != nullptr && known->type->kind == TypeKind::kPtr) return known;
  const absl::string_view interned = context_->Intern(name);
  const Var*& base = memref_bases_[interned];
  if (base == nullptr) {
    base = context_->NewVar(interned, context_->GetMarkerType(TypeKind::kPtr));
  }
  return base;
}

}  // namespace mxtile::ir::text
