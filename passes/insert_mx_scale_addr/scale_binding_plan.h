#ifndef PASSES_INSERT_MX_SCALE_ADDR_SCALE_BINDING_PLAN_H_
#define PASSES_INSERT_MX_SCALE_ADDR_SCALE_BINDING_PLAN_H_

// Decides which MX matmul of a program uses which binding; nothing is rewritten
// before all of it has been judged. The rules are those of
// insert_mx_scale_addr.h.
//
//   MX_ASSIGN_OR_RETURN(const ScaleBindingPlan plan,
//                       PlanScaleBindings(*program, context));
//   for (const PlannedPair& pair : plan.matmuls.at(stmt).pairs) ...

#include <array>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "passes/pass.h"

namespace mxtile {

// Of the cube. The pairs of an MX matmul (OpDef::mx_pairs) are in this order.
enum CubeSide { kLeftSide, kRightSide };
inline constexpr int kNumCubeSides = 2;

// "left", "right".
absl::string_view SideName(CubeSide side);

// One tile.tget_scale_addr to insert.
struct PlannedBinding {
  CubeSide side;
  const ir::Var* scale;
  const ir::Var* data;
  const ir::Var* bound;
  const ir::Expr* value;
  ir::SourceSpan span;  // Of the matmul that it stands in front of.
  absl::string_view function;
  bool dropped = false;  // InjectedFault::kDropBinding.
};

struct PlannedPair {
  ir::MxPair pair;
  int binding = 0;        // Index into ScaleBindingPlan::bindings.
  bool is_first = false;  // Inserted in front of this matmul, not reused.
};

struct PlannedMatmul {
  std::array<PlannedPair, kNumCubeSides> pairs;
};

struct ScaleBindingPlan {
  std::vector<PlannedBinding> bindings;  // In program order.
  // By the statements that are MX matmuls.
  absl::flat_hash_map<const ir::Stmt*, PlannedMatmul> matmuls;
};

// The MX matmul that the statement consists of, or null.
const ir::Call* MxMatmulOf(const ir::Stmt& stmt);

// Of the in-core functions. Errors: sink.ToStatus().
absl::StatusOr<ScaleBindingPlan> PlanScaleBindings(const ir::Program& program,
                                                   PassContext& context);

}  // namespace mxtile

#endif  // PASSES_INSERT_MX_SCALE_ADDR_SCALE_BINDING_PLAN_H_
