#ifndef PASSES_FLATTEN_TILE_ND_TO_2D_BATCH_OPERANDS_H_
#define PASSES_FLATTEN_TILE_ND_TO_2D_BATCH_OPERANDS_H_

// Where the operands of batch matmuls come from: which loads feed nothing else,
// which of them stay whole, and which go because each page is loaded by itself.

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile {

// One side of a batch matmul.
struct BatchOperand {
  // The tile behind reshapes that change its batch axes only.
  const ir::Expr* tile = nullptr;
  const ir::TileType* type = nullptr;  // Of `tile`, as written.
  // The tile is a tile.transpose_view: once it is flat, its pages lie side by
  // side, not one below the other.
  bool is_view = false;
  // The load that it comes from; null where it comes from none.
  const ir::Call* load = nullptr;
  bool stays_whole = true;
};

class BatchOperands {
 public:
  // `mat_bytes`: the size of Mat; nullopt for no limit.
  BatchOperands(const ir::Function& function, ir::Context& context,
                std::optional<int64_t> mat_bytes);

  // Both sides of a tile.batch_matmul or tile.batch_matmul_acc.
  std::vector<BatchOperand> OperandsOf(const ir::Call& call) const;

  // Whether all that uses the variable is batch matmuls, also through reshapes
  // and views.
  bool FeedsMatmulsOnly(const ir::Var* var) const {
    return feeding_.contains(var);
  }
  // Whether the variable's definition has no use: its pages are loaded one by
  // one, or it is a reshape of batch axes that matmuls look through.
  bool IsDropped(const ir::Var* var) const { return dropped_.contains(var); }
  int UsesOf(const ir::Var* var) const {
    const auto it = uses_.find(var);
    return it == uses_.end() ? 0 : it->second;
  }

 private:
  void FindFeeding(const std::vector<const ir::Call*>& matmuls);
  void FindDropped(const std::vector<const ir::Call*>& matmuls);
  // The call that defines the tile, when it is one of that operator.
  const ir::Call* DefinedBy(const ir::Expr* tile, absl::string_view op) const;
  BatchOperand Trace(const ir::Expr* tile) const;
  bool FitMat(const BatchOperand& a, const BatchOperand& b) const;

  ir::Context& context_;
  std::optional<int64_t> mat_bytes_;
  absl::flat_hash_map<const ir::Expr*, const ir::Call*> definitions_;
  absl::flat_hash_map<const ir::Expr*, int> uses_;
  absl::flat_hash_set<const ir::Expr*> feeding_;
  absl::flat_hash_set<const ir::Expr*> dropped_;
};

// The place of the first side among the arguments: 0, or 1 for _acc. -1 for
// other operators.
int FirstBatchOperand(const ir::Call& call);

}  // namespace mxtile

#endif  // PASSES_FLATTEN_TILE_ND_TO_2D_BATCH_OPERANDS_H_
