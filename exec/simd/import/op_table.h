#ifndef EXEC_SIMD_IMPORT_OP_TABLE_H_
#define EXEC_SIMD_IMPORT_OP_TABLE_H_

// The operators that the SIMD backend has, and what they are to an importer.
//
//   const OpTable table(registry);
//   const OpInfo* info = table.Find(call.callee->def);   // null: not there

#include "absl/container/flat_hash_map.h"
#include "exec/simd/tile_program.h"
#include "ir/expr.h"
#include "ir/op_registry.h"

namespace mxtile::exec::simd {

enum class OpFamily {
  kLoad,
  kStore,
  kSame,       // The first argument, wherever it is: moves, scale bindings.
  kTranspose,  // The first argument with its axes swapped.
  kReshape,
  kCreate,
  kFull,
  kCount,  // start, start + 1, ...
  kPad,
  kUnary,
  kBinary,
  kScalar,  // A tile and a scalar.
  kExpandScalar,
  kRowReduction,
  kColReduction,
  kRowExpansion,  // A tile and a column of one element a row.
  kColExpansion,
  kCompare,  // A tile, and a tile or scalar.
  kMaskLogic,
  kSelect,        // (mask, then, otherwise)
  kSelectScalar,  // (mask, then, tmp, otherwise)
  kCast,
  kMatmul,
  kNothing,  // No value that a program could use.
  kBlockIndex,
  kBlockCount,
};

// Which argument has which part in a product; -1: none.
struct MatmulRoles {
  int lhs = 0;
  int lhs_scale = -1;
  int rhs = 1;
  int rhs_scale = -1;
  int acc = -1;
  int bias = -1;
  int init_cond = -1;  // May be left out.
};

struct OpInfo {
  OpFamily family = OpFamily::kNothing;
  UnaryKind unary = UnaryKind::kNeg;
  BinaryKind binary = BinaryKind::kAdd;
  ReduceKind reduce = ReduceKind::kSum;
  // Of expansions: only the vector counts; exp of the difference.
  bool second_only = false;
  bool exp_of_difference = false;
  MatmulRoles roles;
  // Tiles that the result is computed from are its arguments 0 .. values - 1.
  int values = 1;
};

class OpTable {
 public:
  explicit OpTable(const ir::OpRegistry& registry);

  const OpInfo* Find(const ir::OpDef* def) const;

 private:
  void Add(const ir::OpRegistry& registry, absl::string_view name,
           const OpInfo& info);
  void AddArithmetic(const ir::OpRegistry& registry);
  void AddMatmuls(const ir::OpRegistry& registry);

  absl::flat_hash_map<const ir::OpDef*, OpInfo> ops_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_OP_TABLE_H_
