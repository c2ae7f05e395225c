#include "ir/text/scope.h"

#include <utility>

#include "absl/strings/string_view.h"

namespace mxtile::ir::text {

void Scope::StartFunction() {
  blocks_.clear();
  blocks_.emplace_back();
  closed_.clear();
  memref_bases_.clear();
}

void Scope::CloseBlock() {
  const OpenNames closing = std::move(blocks_.back());
  blocks_.pop_back();
  for (const auto& [name, var] : closing.names) closed_[name] = var;
  for (const absl::string_view name : closing.hidden) {
    if (OpenNames* around = FindBlock(name)) {
      around->names[name] = closing.names.at(name);
    }
  }
}

Scope::OpenNames* Scope::FindBlock(absl::string_view name) {
  for (auto it = blocks_.rbegin(); it != blocks_.rend(); ++it) {
    if (it->names.contains(name)) return &*it;
  }
  return nullptr;
}

const Var* Scope::Find(absl::string_view name) {
  if (OpenNames* owner = FindBlock(name)) {
    const auto found = owner->names.find(name);
    for (OpenNames* block = owner + 1; block <= &blocks_.back(); ++block) {
      block->read.insert(found->first);
    }
    return found->second;
  }
  for (const Names* names : {&globals_, &closed_}) {
    const auto found = names->find(name);
    if (found != names->end()) return found->second;
  }
  return nullptr;
}

const Var* Scope::Assign(absl::string_view name, const Type* type,
                         SourceSpan span) {
  OpenNames* owner = FindBlock(name);
  if (owner != nullptr) {
    const Var* known = owner->names.at(name);
    if (known->type == type && known->kind == ExprKind::kVar) return known;
    for (OpenNames* block = owner + 1; block <= &blocks_.back(); ++block) {
      if (block->is_loop && block->read.contains(name)) return nullptr;
    }
  }
  const Var* var = nullptr;
  if (type->kind == TypeKind::kPtr) {
    const auto base = memref_bases_.find(name);
    if (base != memref_bases_.end()) var = base->second;
  }
  if (var == nullptr) var = context_->NewVar(name, type, span);
  if (owner != nullptr && owner != &blocks_.back()) {
    blocks_.back().hidden.push_back(var->name);
  }
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
