#ifndef EXEC_SIMD_IMPORT_TILE_AXES_H_
#define EXEC_SIMD_IMPORT_TILE_AXES_H_

// Which axes of a function's tiles are the same dimension. In
//
//   a = pl.load(x, ...)                  # [64, 32]
//   b = pl.tile.transpose_view(a)        # [32, 64]
//   c = pl.matmul(b, d)                  # d [64, 16]
//
// the rows of a, the columns of b and the rows of d are one dimension. So most
// values fit together as they are, and an importer relabels only where one
// dimension would be both axes of a tile (c = a @ transpose(a)).
//
//   TileAxes axes = TileAxes::Of(function, table);
//   axes.Find(expr)->rows.extent
//   axes.DimOf(axes.Find(expr)->rows, builder)
//
// Extents of tiles of more than two axes: as exec/window.h folds them. An axis
// of extent 1 is no dimension at all, so that it broadcasts. A mask has the
// axes of what was compared.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "exec/simd/import/op_table.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::exec::simd {

struct TileAxis {
  int node = -1;
  int64_t extent = 1;
};

struct AxisPair {
  TileAxis rows;
  TileAxis cols;
};

class TileAxes {
 public:
  // Does not fail: what has no constant extents, or is no tile, has no axes.
  static TileAxes Of(const ir::Function& function, const OpTable& table);

  // Null for what is no tile with constant extents.
  const AxisPair* Find(const ir::Expr* expr) const;
  // kNoDim for an extent of 1. Added to the builder at its first use.
  DimId DimOf(const TileAxis& axis, TileProgramBuilder& builder);
  // Whether nothing but operators that want a scratch tile uses the variable.
  bool IsScratch(const ir::Var* var) const;
  // One that is no tile's yet.
  TileAxis NewAxis(int64_t extent, absl::string_view name);

 private:
  explicit TileAxes(const OpTable& table) : table_(table) {}

  void VisitBlock(ir::Block block);
  void VisitStmt(const ir::Stmt& stmt);
  void VisitLoop(const ir::For& loop);
  void VisitIf(const ir::If& branch);
  void VisitExpr(const ir::Expr* root);
  void VisitCall(const ir::Call& call);
  void CountScratch(const ir::Call& call, const OpInfo& info);
  void VisitMatmul(const ir::Call& call, const MatmulRoles& roles);

  AxisPair NewPair(int64_t rows, int64_t cols);
  void Name(const AxisPair& axes, absl::string_view name);
  int Root(int node) const;
  // One dimension from now on, unless that is impossible.
  void Unite(const TileAxis& a, const TileAxis& b);
  void Unite(const AxisPair& a, const AxisPair& b);
  // Never one dimension.
  void KeepApart(const TileAxis& a, const TileAxis& b);

  struct Node {
    mutable int parent;
    // Roots that the other axis of some tile belongs to.
    absl::flat_hash_set<int> apart;
    std::string name;
    DimId dim = kNoDim;
  };

  const OpTable& table_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<const ir::Expr*, AxisPair> axes_;
  // By variable: how often it is used, and how often as a scratch tile.
  absl::flat_hash_map<const ir::Expr*, int> uses_;
  absl::flat_hash_map<const ir::Expr*, int> scratch_uses_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_TILE_AXES_H_
