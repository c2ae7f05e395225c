#include "passes/property.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/type_walk.h"
#include "ir/verifier.h"
#include "passes/function_attrs.h"

namespace mxtile {
namespace {

using ir::Assign;
using ir::Call;
using ir::DiagnosticSink;
using ir::DynCast;
using ir::Function;
using ir::Program;
using ir::Stmt;
using ir::TensorType;
using ir::TileType;
using ir::Type;
using ir::Var;

template <typename Fn>
void ForEachInCoreStmt(const Program& program, Fn&& fn) {
  for (const Function* function : program.functions) {
    if (!ir::IsInCore(function->function_type)) continue;
    ir::ForEachStmt(function->body, fn);
  }
}

// Calls fn(call, place) for each operator call that a statement holds.
template <typename Fn>
void ForEachOpCall(const Stmt& stmt, Fn&& fn) {
  ir::ForEachRootExpr(stmt, [&](const ir::Expr* root) {
    ir::PostOrder(root, [&](const ir::Expr* expr) {
      const Call* call = DynCast<Call>(expr);
      if (call == nullptr || call->callee->is_function) return;
      fn(*call, call->span.known() ? call->span : stmt.span);
    });
  });
}

// Calls fn(type, place, what) for each type that a function states.
template <typename Fn>
void ForEachStatedType(const Function& function, Fn&& fn) {
  for (const Var* param : function.params) {
    fn(param->type, param->span, param->name);
  }
  for (const Type* type : function.return_types) {
    fn(type, function.span, "a return value");
  }
  ir::ForEachStmt(function.body, [&](const Stmt* stmt) {
    ir::ForEachDefinition(
        *stmt, [&](const Var* var) { fn(var->type, stmt->span, var->name); });
  });
}

// It holds for every program that this IR can express.
void HoldsByConstruction(const Program& program, DiagnosticSink* sink) {}

// The calls inside of `root`, and `root` itself unless a call may stand there.
void VerifyNoCalls(const ir::Expr* root, bool call_allowed, const Stmt& stmt,
                   DiagnosticSink* sink) {
  ir::PostOrder(root, [&](const ir::Expr* expr) {
    const bool is_call = ir::Isa<Call>(expr) || ir::Isa<ir::Submit>(expr);
    if (!is_call || (call_allowed && expr == root)) return;
    sink->Error("MX-PROP-11", expr->span.known() ? expr->span : stmt.span,
                absl::StrCat(ir::PrintExpr(expr),
                             " is part of another expression or statement; "
                             "it must be assigned to a variable"));
  });
}

void VerifyNoNestedCalls(const Program& program, DiagnosticSink* sink) {
  for (const Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const Stmt* stmt) {
      const bool is_whole = ir::Isa<Assign>(stmt) || ir::Isa<ir::Eval>(stmt);
      ir::ForEachRootExpr(*stmt, [&](const ir::Expr* root) {
        VerifyNoCalls(root, is_whole, *stmt, sink);
      });
    });
  }
}

void VerifySplitIncoreOrch(const Program& program, DiagnosticSink* sink) {
  for (const Function* function : program.functions) {
    if (ir::IsInCore(function->function_type)) continue;
    ir::ForEachStmt(function->body, [&](const Stmt* stmt) {
      const ir::Scope* scope = DynCast<ir::Scope>(stmt);
      if (scope == nullptr || !ir::IsInCoreScope(*scope)) return;
      sink->Error(
          "MX-PROP-10", stmt->span,
          absl::StrCat("an in-core scope is left in function '", function->name,
                       "', which is not in-core; it has to become a "
                       "function of its own"));
    });
  }
}

// A view makes no data move, and one element is read and written where it is:
// passes leave these to the loads and stores around them.
bool StaysInCore(absl::string_view tensor_op) {
  return tensor_op == "tensor.view" || tensor_op == "tensor.read" ||
         tensor_op == "tensor.write";
}

void VerifyIncoreTileOps(const Program& program, DiagnosticSink* sink) {
  ForEachInCoreStmt(program, [&](const Stmt* stmt) {
    ForEachOpCall(*stmt, [&](const Call& call, ir::SourceSpan place) {
      const absl::string_view name = call.callee->name;
      if (!absl::StartsWith(name, "tensor.") || StaysInCore(name)) return;
      sink->Error("MX-PROP-1", place,
                  absl::StrCat(name,
                               " works on tensors; an in-core function "
                               "works on tiles"));
    });
  });
}

// tile.assemble (target, source, offset) and tile.transpose (tile, axis, axis,
// scratch) in the form that code is made from.
void Verify2DOperands(const Call& call, ir::SourceSpan place,
                      DiagnosticSink* sink) {
  if (call.callee->name == "tile.assemble" && call.args.size() >= 3) {
    const ir::Tuple* offset = DynCast<ir::Tuple>(call.args[2]);
    if (offset != nullptr && offset->elements.size() == 2) return;
    sink->Error("MX-PROP-7", place,
                absl::StrCat("the offset of tile.assemble is ",
                             ir::PrintExpr(call.args[2]),
                             "; it must be written as [row, col]"));
  } else if (call.callee->name == "tile.transpose" && call.args.size() != 4) {
    sink->Error("MX-PROP-8", place,
                absl::StrCat("tile.transpose has ", call.args.size(),
                             " arguments, not 4: tile, two axes and a scratch "
                             "tile"));
  }
}

// What such an assignment binds is another look at a flat tile, and may have
// more axes.
bool LooksAnew(const Stmt& stmt) {
  const Assign* assign = DynCast<Assign>(&stmt);
  const Call* call = assign == nullptr ? nullptr : DynCast<Call>(assign->value);
  return call != nullptr && (call->callee->name == "tile.reshape" ||
                             call->callee->name == "tile.reinterpret_view");
}

void VerifyTileOps2D(const Program& program, DiagnosticSink* sink) {
  ForEachInCoreStmt(program, [&](const Stmt* stmt) {
    if (LooksAnew(*stmt)) return;
    ir::ForEachDefinition(*stmt, [&](const Var* var) {
      ir::ForEachLeafType(*var->type, [&](const Type& leaf) {
        const TileType* tile = DynCast<TileType>(&leaf);
        if (tile == nullptr || tile->shape.size() <= 2) return;
        sink->Error("MX-PROP-2", stmt->span,
                    absl::StrCat("tile '", var->name, "' has rank ",
                                 tile->shape.size(), "; at most 2 is allowed"));
      });
    });
    ForEachOpCall(*stmt, [&](const Call& call, ir::SourceSpan place) {
      Verify2DOperands(call, place, sink);
    });
  });
}

void VerifyMxViewsBlocked(const Program& program, DiagnosticSink* sink) {
  for (const Function* function : program.functions) {
    if (!HasMark(*function, kMxTensorViewsBlocked)) {
      sink->Error("MX-PROP-3", function->span,
                  absl::StrCat("function '", function->name, "' has no ",
                               kMxTensorViewsBlocked, " attribute"));
    }
    ForEachStatedType(*function, [&](const Type* type, ir::SourceSpan place,
                                     absl::string_view what) {
      ir::ForEachLeafType(*type, [&](const Type& leaf) {
        const TensorType* tensor = DynCast<TensorType>(&leaf);
        if (tensor == nullptr || !ir::IsMx(tensor->layout()) ||
            tensor->shape.size() == 5) {
          return;
        }
        sink->Error("MX-PROP-3", place,
                    absl::StrCat("MX tensor '", what, "' has rank ",
                                 tensor->shape.size(), ", not 5"));
      });
    });
  }
}

// The operands of one call against its operator's memory rules.
void VerifyOperandSpaces(const Call& call, ir::SourceSpan place,
                         DiagnosticSink* sink) {
  if (call.callee->def == nullptr) return;
  const std::vector<ir::SpaceSet>& allowed = call.callee->def->operand_spaces;
  for (size_t i = 0; i < std::min(allowed.size(), call.args.size()); ++i) {
    const TileType* tile = DynCast<TileType>(call.args[i]->type);
    if (allowed[i].empty() || tile == nullptr) continue;
    if (tile->space.has_value() &&
        std::count(allowed[i].begin(), allowed[i].end(), *tile->space) > 0) {
      continue;
    }
    const auto name = [](std::string* out, ir::MemorySpace space) {
      out->append(std::string(ir::EnumName(space)));
    };
    sink->Error(
        "MX-PROP-4", place,
        absl::StrCat("operand ", i, " of ", call.callee->name, " is ",
                     tile->space.has_value()
                         ? absl::StrCat("in ", ir::EnumName(*tile->space))
                         : "in no memory space",
                     "; it must be in ",
                     absl::StrJoin(allowed[i], " or ", name)));
  }
}

void VerifyTileMemoryInferred(const Program& program, DiagnosticSink* sink) {
  ForEachInCoreStmt(program, [&](const Stmt* stmt) {
    const Assign* assign = DynCast<Assign>(stmt);
    const TileType* tile =
        assign == nullptr ? nullptr : DynCast<TileType>(assign->var->type);
    if (tile != nullptr && !tile->space.has_value()) {
      sink->Error(
          "MX-PROP-4", stmt->span,
          absl::StrCat("tile '", assign->var->name, "' has no memory space"));
    }
    if (assign == nullptr && DynCast<ir::Eval>(stmt) == nullptr) return;
    ForEachOpCall(*stmt, [&](const Call& call, ir::SourceSpan place) {
      VerifyOperandSpaces(call, place, sink);
    });
  });
}

// Why the strides are not those of the layout; "" when they may be.
std::string StrideFault(const TensorType& tensor) {
  const ir::Dims stride = tensor.view->stride;
  const size_t rank = tensor.shape.size();
  if (stride.size() != rank) {
    return absl::StrCat("there are ", stride.size(), " for ", rank, " axes");
  }
  // The axes from the one that is contiguous outwards.
  std::vector<size_t> axes(rank);
  for (size_t i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
  if (tensor.layout() == ir::TensorLayout::kDN) {
    if (rank < 2) return "DN needs two axes";
    std::swap(axes[0], axes[1]);
  }
  int64_t least = 1;
  for (size_t i = 0; i < rank; ++i) {
    const size_t axis = axes[i];
    const ir::ConstInt* step = ir::AsConstInt(stride[axis]);
    const bool fits = i == 0 ? step != nullptr && step->value == 1
                             : step == nullptr || step->value >= least;
    if (!fits) {
      return absl::StrCat("that of axis ", axis, " is ",
                          ir::PrintExpr(stride[axis]), ", it must be ",
                          i == 0 ? "1" : absl::StrCat("at least ", least));
    }
    // What is symbolic, or too large to compute, asks nothing of the next.
    const ir::ConstInt* extent = ir::AsConstInt(tensor.shape[axis]);
    if (step == nullptr || extent == nullptr ||
        __builtin_mul_overflow(step->value, extent->value, &least)) {
      least = std::numeric_limits<int64_t>::min();
    }
  }
  return "";
}

// Every tensor of a view that a function states.
template <typename Fn>
void ForEachTensorView(const Program& program, Fn&& fn) {
  for (const Function* function : program.functions) {
    ForEachStatedType(*function, [&](const Type* type, ir::SourceSpan place,
                                     absl::string_view what) {
      ir::ForEachLeafType(*type, [&](const Type& leaf) {
        const TensorType* tensor = DynCast<TensorType>(&leaf);
        if (tensor != nullptr && tensor->view != nullptr) {
          fn(*tensor, place, what);
        }
      });
    });
  }
}

void VerifyTensorViewCanonicalWeak(const Program& program,
                                   DiagnosticSink* sink) {
  ForEachTensorView(program, [&](const TensorType& tensor, ir::SourceSpan place,
                                 absl::string_view what) {
    if (tensor.view->stride.empty()) return;
    const std::string fault = StrideFault(tensor);
    if (fault.empty()) return;
    sink->Error("MX-PROP-9", place,
                absl::StrCat("the strides of tensor '", what,
                             "' are not those of layout ",
                             ir::EnumName(tensor.layout()), ": ", fault));
  });
}

void VerifyTensorViewCanonical(const Program& program, DiagnosticSink* sink) {
  VerifyTensorViewCanonicalWeak(program, sink);
  ForEachTensorView(program, [&](const TensorType& tensor, ir::SourceSpan place,
                                 absl::string_view what) {
    if (!tensor.view->stride.empty() || tensor.shape.empty()) return;
    sink->Error("MX-PROP-5", place,
                absl::StrCat("the view of tensor '", what, "' has no strides"));
  });
}

void VerifyAllocatedMemoryAddr(const Program& program, DiagnosticSink* sink) {
  ForEachInCoreStmt(program, [&](const Stmt* stmt) {
    ir::ForEachDefinition(*stmt, [&](const Var* var) {
      const TileType* tile = DynCast<TileType>(var->type);
      if (tile == nullptr || tile->memref != nullptr) return;
      sink->Error("MX-PROP-6", stmt->span,
                  absl::StrCat("tile '", var->name, "' has no address"));
    });
  });
}

struct Row {
  Property property;
  absl::string_view name;
  void (*verify)(const Program&, DiagnosticSink*);
};

constexpr Row kRows[] = {
    {Property::kSsaForm, "ssa_form", ir::VerifySsaForm},
    {Property::kTypeChecked, "type_checked", ir::VerifyTypeChecked},
    {Property::kUseAfterDef, "use_after_def", ir::VerifyUseAfterDef},
    {Property::kCallTypes, "call_types", ir::VerifyCallTypes},
    {Property::kNormalizedStmtStructure, "normalized_stmt_structure",
     HoldsByConstruction},
    {Property::kNoRedundantBlocks, "no_redundant_blocks", HoldsByConstruction},
    {Property::kNoNestedCalls, "no_nested_calls", VerifyNoNestedCalls},
    {Property::kSplitIncoreOrch, "split_incore_orch", VerifySplitIncoreOrch},
    {Property::kIncoreTileOps, "incore_tile_ops", VerifyIncoreTileOps},
    {Property::kTileOps2D, "tile_ops_2d", VerifyTileOps2D},
    {Property::kMxViewsBlocked, "mx_views_blocked", VerifyMxViewsBlocked},
    {Property::kTileMemoryInferred, "tile_memory_inferred",
     VerifyTileMemoryInferred},
    {Property::kTensorViewCanonicalWeak, "tensor_view_canonical_weak",
     VerifyTensorViewCanonicalWeak},
    {Property::kTensorViewCanonical, "tensor_view_canonical",
     VerifyTensorViewCanonical},
    {Property::kAllocatedMemoryAddr, "allocated_memory_addr",
     VerifyAllocatedMemoryAddr},
};
static_assert(std::size(kRows) == kNumProperties);

const Row& Find(Property property) {
  const Row& row = kRows[static_cast<int>(property)];
  MX_CHECK(row.property == property) << "kRows is not in enumeration order";
  return row;
}

}  // namespace

absl::string_view PropertyName(Property property) {
  return Find(property).name;
}

std::string PropertyNames() {
  return absl::StrJoin(kRows, ", ", [](std::string* out, const Row& row) {
    absl::StrAppend(out, row.name);
  });
}

std::optional<Property> PropertyFromName(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.property;
  }
  return std::nullopt;
}

std::vector<Property> PropertySet::ToVector() const {
  std::vector<Property> result;
  for (const Row& row : kRows) {
    if (Contains(row.property)) result.push_back(row.property);
  }
  return result;
}

void VerifyProperty(Property property, const Program& program,
                    DiagnosticSink* sink) {
  Find(property).verify(program, sink);
}

}  // namespace mxtile
