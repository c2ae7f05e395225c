#ifndef IR_TEXT_SCOPE_H_
#define IR_TEXT_SCOPE_H_

// The names of one function while it is read.
//
// Blocks nest. A name means what was assigned to it last, as in Python, even in
// a block that is closed by now; the verifier judges whether that is allowed.

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/expr.h"

namespace mxtile::ir::text {

class Scope {
 public:
  explicit Scope(Context* context) : context_(context), blocks_(1) {}

  // Forgets everything but the names bound with BindGlobal.
  // `statements`: of its body, about how many names it will have.
  void StartFunction(size_t statements = 0);
  void OpenBlock(bool is_loop = false) {
    blocks_.emplace_back();
    blocks_.back().is_loop = is_loop;
  }
  void CloseBlock();

  void BindGlobal(const Var* var) { globals_[var->name] = var; }
  // Binds in the innermost block.
  void Bind(const Var* var) { blocks_.back().Bind(var); }

  // The variable that a name means here, or null.
  const Var* Find(absl::string_view name);
  // The variable that an assignment defines: that of an enclosing block when it
  // is assigned again with the same type, or in an inner block with one that
  // `agrees` with it, as what follows may read either; else a fresh one. Null
  // when the fresh one would stand for another variable that this loop has read
  // before: the next round would read either.
  const Var* Assign(
      absl::string_view name, const Type* type, SourceSpan span,
      absl::FunctionRef<bool(const Type* known, const Type* type)> agrees);

  // Variables that are one: two blocks that are closed by now, the branches of
  // an if for example, assigned the same name, and it was read behind them.
  // Each key stands for its value. Values are no keys.
  const absl::flat_hash_map<const Var*, const Var*>& same() const {
    return same_;
  }

  // The allocation that a memref names, which may be defined further down.
  const Var* MemRefBase(absl::string_view name);
  // One that the signature has named already.
  void AddMemRefBase(const Var* base) { memref_bases_[base->name] = base; }

 private:
  using Names = absl::flat_hash_map<absl::string_view, const Var*>;

  // Variables by their names. A large function has many, so that it matters
  // that an entry is one pointer.
  struct NameHash {
    using is_transparent = void;
    size_t operator()(absl::string_view name) const {
      return absl::HashOf(name);
    }
    size_t operator()(const Var* var) const { return (*this)(var->name); }
  };
  struct NameEqual {
    using is_transparent = void;
    bool operator()(const Var* a, const Var* b) const {
      return a->name == b->name;
    }
    bool operator()(const Var* var, absl::string_view name) const {
      return var->name == name;
    }
    bool operator()(absl::string_view name, const Var* var) const {
      return var->name == name;
    }
  };

  struct OpenNames {
    // Instead of another variable of the name.
    void Bind(const Var* var) {
      const auto [it, is_new] = vars.insert(var);
      if (is_new) return;
      vars.erase(it);
      vars.insert(var);
    }

    bool is_loop = false;
    absl::flat_hash_set<const Var*, NameHash, NameEqual> vars;
    // Names of blocks around that were read in this one.
    absl::flat_hash_set<absl::string_view> read;
    // Names of blocks around that have another variable in this one.
    std::vector<absl::string_view> hidden;
  };

  // The variable of a name that only closed blocks have, or null.
  const Var* FindClosed(absl::string_view name);
  const Var* Representative(const Var* var) const;
  // What the innermost open block that has the name has under it.
  struct Found {
    OpenNames* block = nullptr;  // Null: no open block has it.
    const Var* var = nullptr;
  };
  Found FindOpen(absl::string_view name);

  Context* context_;
  Names globals_;
  std::vector<OpenNames> blocks_;
  // Names of blocks that are closed, and their variables.
  absl::flat_hash_map<absl::string_view, std::vector<const Var*>> closed_;
  absl::flat_hash_map<const Var*, const Var*> same_;
  Names memref_bases_;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_SCOPE_H_
