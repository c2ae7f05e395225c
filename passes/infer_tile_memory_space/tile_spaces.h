#ifndef PASSES_INFER_TILE_MEMORY_SPACE_TILE_SPACES_H_
#define PASSES_INFER_TILE_MEMORY_SPACE_TILE_SPACES_H_

// In which memory space each tile of a function lives.
//
//   const TileSpaces spaces = TileSpaces::Solve(function, &context);
//   spaces.Of(tile_var)         // MemorySpace::kAcc
//   spaces.branch_conflicts()   // results of an if that have no answer
//
// The answer follows from where a tile comes from:
//
//   operator                   its fixed space; kwarg target_memory; the space
//                              of its first tile operand; else what its type
//                              states; else Vec
//   producer without kwarg     Mat if its uses want a space other than Vec,
//   (tile.load, tile.create)   else Vec
//   y = x                      that of x
//   tuple item                 what its type states, else Vec
//   loop result, iter arg      that of the yielded value. A producer that the
//                              loop starts from moves along, even if its kwarg
//                              says otherwise
//   result of an if            that of what the first branch yields
//
// A use wants the first space that its operator allows; operators that inherit
// their space, aliases, loops and ifs hand the wish on to where their value
// comes from. Of several wishes one that is not Vec wins.
//
// Cost: one walk backwards, one forwards. Classes of tiles that share a space
// are joined as they are found (union-find), so loops are walked once.

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"

namespace mxtile {

class TileSpaces {
 public:
  // A result of an if whose branches yield from two spaces.
  struct BranchConflict {
    const ir::If* branch;
    const ir::Var* result;
    ir::MemorySpace then_space;
    ir::MemorySpace else_space;
  };

  // The function is in SSA form and has no tile parameters.
  static TileSpaces Solve(const ir::Function& function, ir::Context* context);

  // Nullopt for what is no tile of the function.
  std::optional<ir::MemorySpace> Of(const ir::Var* var) const;

  // The tile that the variable is another name of: itself, if it is none.
  const ir::Var* SourceOf(const ir::Var* var) const;

  // In program order.
  const std::vector<BranchConflict>& branch_conflicts() const {
    return branch_conflicts_;
  }

 private:
  friend class SpaceSolver;

  absl::flat_hash_map<const ir::Var*, ir::MemorySpace> spaces_;
  absl::flat_hash_map<const ir::Var*, const ir::Var*> sources_;
  std::vector<BranchConflict> branch_conflicts_;
};

// The call that the expression is, when it retargets: a call of a known
// operator that takes its space from kwarg target_memory or from its uses.
const ir::Call* AsRetargetable(const ir::Expr* expr);

// The kwarg target_memory, or nullopt.
std::optional<ir::MemorySpace> TargetMemoryOf(const ir::Call& call);

// The call with kwarg target_memory; its type is still the old one.
ir::Call WithTargetMemory(const ir::Call& call, ir::MemorySpace space,
                          ir::Context* context);

}  // namespace mxtile

#endif  // PASSES_INFER_TILE_MEMORY_SPACE_TILE_SPACES_H_
