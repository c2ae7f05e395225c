#include "ir/text/scope.h"

#include <utility>

#include "absl/strings/string_view.h"

namespace mxtile::ir::text {

void Scope::StartFunction(size_t statements) {
  blocks_.clear();
  blocks_.emplace_back();
  blocks_.back().vars.reserve(statements);
  closed_.clear();
  same_.clear();
  memref_bases_.clear();
}

void Scope::CloseBlock() {
  const OpenNames closing = std::move(blocks_.back());
  blocks_.pop_back();
  for (const Var* var : closing.vars) closed_[var->name].push_back(var);
  for (const absl::string_view name : closing.hidden) {
    if (OpenNames* around = FindOpen(name).block) {
      around->Bind(*closing.vars.find(name));
    }
  }
}

Scope::Found Scope::FindOpen(absl::string_view name) {
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    const auto entry = block->vars.find(name);
    if (entry != block->vars.end()) return {&*block, *entry};
  }
  return {};
}

const Var* Scope::Find(absl::string_view name) {
  const Found found = FindOpen(name);
  if (found.block != nullptr) {
    for (OpenNames* block = found.block + 1; block <= &blocks_.back();
         ++block) {
      block->read.insert(found.var->name);
    }
    return found.var;
  }
  const auto global = globals_.find(name);
  return global != globals_.end() ? global->second : FindClosed(name);
}

const Var* Scope::Representative(const Var* var) const {
  const auto it = same_.find(var);
  return it == same_.end() ? var : it->second;
}

const Var* Scope::FindClosed(absl::string_view name) {
  const auto found = closed_.find(name);
  if (found == closed_.end()) return nullptr;
  std::vector<const Var*>& vars = found->second;
  const Var* last = Representative(vars.back());
  for (const Var* var : vars) {
    var = Representative(var);
    const bool may_merge = var != last && var->type == last->type &&
                           var->kind == ExprKind::kVar &&
                           last->kind == ExprKind::kVar;
    if (!may_merge) continue;
    for (auto& [from, to] : same_) {
      if (to == var) to = last;
    }
    same_[var] = last;
  }
  vars = {last};
  return last;
}

const Var* Scope::Assign(
    absl::string_view name, const Type* type, SourceSpan span,
    absl::FunctionRef<bool(const Type* known, const Type* type)> agrees) {
  const Found found = FindOpen(name);
  OpenNames* const owner = found.block;
  if (owner != nullptr) {
    const Var* known = found.var;
    const bool is_var = known->kind == ExprKind::kVar;
    if (known->type == type && is_var) return known;
    // What stands behind the block reads either.
    const bool is_around = owner != &blocks_.back();
    if (is_around && is_var && agrees(known->type, type)) return known;
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
