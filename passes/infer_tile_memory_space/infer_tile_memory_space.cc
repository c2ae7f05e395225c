#include "passes/infer_tile_memory_space/infer_tile_memory_space.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"
#include "passes/infer_tile_memory_space/tile_spaces.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"
#include "passes/property.h"
#include "passes/variable_retyper.h"

namespace mxtile {
namespace {

using ir::Assign;
using ir::Block;
using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::IterArg;
using ir::MemorySpace;
using ir::OpDef;
using ir::SpaceSet;
using ir::Stmt;
using ir::TileLayout;
using ir::TileType;
using ir::TileView;
using ir::Type;
using ir::Var;

constexpr absl::string_view kMove = "tile.move";

bool IsScaleSpace(MemorySpace space) {
  return space == MemorySpace::kLeftScale || space == MemorySpace::kRightScale;
}

bool Accepts(const SpaceSet& allowed, MemorySpace space) {
  return allowed.empty() ||
         std::find(allowed.begin(), allowed.end(), space) != allowed.end();
}

// The space where a move from one space to another stops on its way.
std::optional<MemorySpace> StopBetween(MemorySpace from, MemorySpace to) {
  const bool to_cube = to == MemorySpace::kLeft || to == MemorySpace::kRight ||
                       to == MemorySpace::kBias || IsScaleSpace(to);
  const bool stops = (from == MemorySpace::kAcc && to_cube) ||
                     (from == MemorySpace::kVec && IsScaleSpace(to));
  return stops ? std::optional(MemorySpace::kMat) : std::nullopt;
}

// ---- Types

bool IsFlat(const TileView& view) {
  return view.slayout == TileLayout::kNoneBox;
}

// The tile in another space.
const TileType* InSpace(const TileType& tile, MemorySpace space,
                        ir::Context& context) {
  if (tile.space == space) return &tile;
  const TileView old = tile.EffectiveView();
  TileView view = ir::ImplicitTileView(tile.shape, space);
  if (IsFlat(old) && IsFlat(view)) view.blayout = old.blayout;
  view.valid_shape = old.valid_shape;
  view.pad = old.pad;
  view.compact = old.compact;
  TileType moved = tile;
  moved.space = space;
  moved.view = &view;
  return context.GetTileType(moved);
}

// The tile with the layout of another one.
const TileType* WithLayoutOf(const TileType& tile, const TileType& other,
                             ir::Context& context) {
  const TileView layout = other.EffectiveView();
  TileView view = tile.EffectiveView();
  view.blayout = layout.blayout;
  view.slayout = layout.slayout;
  view.fractal = layout.fractal;
  TileType result = tile;
  result.view = &view;
  return context.GetTileType(result);
}

// Tiles inside a tuple that have no space yet are in Vec.
const Type* WithDefaultSpaces(const ir::TupleType& tuple,
                              ir::Context& context) {
  std::vector<const Type*> elements;
  for (const Type* element : tuple.elements) {
    if (const TileType* tile = DynCast<TileType>(element)) {
      element =
          InSpace(*tile, tile->space.value_or(MemorySpace::kVec), context);
    } else if (const auto* inner = DynCast<ir::TupleType>(element)) {
      element = WithDefaultSpaces(*inner, context);
    }
    elements.push_back(element);
  }
  return context.GetTupleType(elements);
}

// ---- Calls

// The memory rule of each operand; shorter than the arguments where the rest is
// free.
absl::Span<const SpaceSet> RulesOf(const Call& call) {
  if (call.callee->def == nullptr) return {};
  const std::vector<SpaceSet>& rules = call.callee->def->operand_spaces;
  return absl::MakeConstSpan(rules).subspan(0, call.args.size());
}

std::string Operand(const Call& call, size_t index) {
  return absl::StrCat("operand ", index, " of ", call.callee->name);
}

// ---- The rewrite

class SpaceRewriter : public VariableRetyper {
 public:
  SpaceRewriter(const TileSpaces* spaces, PassContext* context)
      : VariableRetyper(context->ir),
        spaces_(*spaces),
        sink_(*context->sink),
        move_(context->ir->GetOp(kMove)) {}

 protected:
  const Type* TypeOf(const Var* var) override {
    const auto produced = produced_.find(var);
    if (produced != produced_.end()) return produced->second;
    if (const auto* tuple = DynCast<ir::TupleType>(var->type)) {
      return WithDefaultSpaces(*tuple, context());
    }
    const TileType* tile = DynCast<TileType>(var->type);
    const std::optional<MemorySpace> space = spaces_.Of(var);
    if (tile == nullptr || !space.has_value()) return var->type;
    return InSpace(*tile, *space, context());
  }

  const Expr* InitOf(const IterArg* arg) override {
    const auto moved = moved_inits_.find(arg);
    return moved != moved_inits_.end() ? moved->second
                                       : VariableRetyper::InitOf(arg);
  }

  Block RewriteBlock(Block block) override {
    moved_.emplace_back();
    block = VariableRetyper::RewriteBlock(block);
    moved_.pop_back();
    return block;
  }

  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    CheckNestedCalls(*stmt);
    if (const Assign* assign = DynCast<Assign>(stmt)) {
      stmt = EditedAssign(*assign, out);
    } else if (const ir::Eval* eval = DynCast<ir::Eval>(stmt)) {
      stmt = EditedEval(*eval, out);
    } else if (const ir::For* loop = DynCast<ir::For>(stmt)) {
      MoveInits(loop->iter_args, *stmt, out);
    } else if (const ir::While* loop = DynCast<ir::While>(stmt)) {
      MoveInits(loop->iter_args, *stmt, out);
    }
    VariableRetyper::RewriteStmt(stmt, out);
  }

 private:
  // ---- Statements

  const Stmt* EditedAssign(const Assign& assign,
                           std::vector<const Stmt*>* out) {
    const Call* call = DynCast<Call>(assign.value);
    if (call == nullptr) return &assign;
    call = WithMovedOperands(*call, assign, out);
    if (AsRetargetable(call)) call = Retargeted(assign.var, *call, assign);
    if (call == assign.value) return &assign;
    Assign edited = assign;
    edited.value = call;
    return context().New(edited);
  }

  const Stmt* EditedEval(const ir::Eval& eval, std::vector<const Stmt*>* out) {
    const Call* call = DynCast<Call>(eval.expr);
    if (call == nullptr) return &eval;
    ir::Eval edited = eval;
    edited.expr = WithMovedOperands(*call, eval, out);
    ForgetMovesOf(AliasedArg(call));
    return edited.expr == eval.expr ? &eval : context().New(edited);
  }

  // The producer of `var` with its space in kwarg target_memory.
  const Call* Retargeted(const Var* var, const Call& call, const Stmt& stmt) {
    const std::optional<MemorySpace> space = spaces_.Of(var);
    if (!space.has_value() || TargetMemoryOf(call) == space) return &call;
    Call edited = WithTargetMemory(call, *space, &context());
    const TileType& tile = *ir::CheckedCast<TileType>(var->type);
    if (tile.space == space) {
      edited.type = &tile;
    } else {
      edited.type = InSpace(tile, *space, context());
      edited.type = Deduced(edited, PlaceOf(call, stmt));
    }
    produced_.emplace(var, edited.type);
    return context().New(edited);
  }

  void MoveInits(absl::Span<const IterArg* const> args, const Stmt& stmt,
                 std::vector<const Stmt*>* out) {
    for (const IterArg* arg : args) {
      const Var* init = DynCast<Var>(arg->init);
      const std::optional<MemorySpace> space = spaces_.Of(arg);
      if (init == nullptr || !space.has_value() || spaces_.Of(init) == space) {
        continue;
      }
      const std::string use =
          absl::StrCat("the loop that carries '", arg->name, "'");
      MoveRequest request = {init, *space, stmt.span, use};
      request.like = DynCast<TileType>(TypeOf(arg));
      moved_inits_[arg] = Moved(request, out);
    }
  }

  const Call* WithMovedOperands(const Call& call, const Stmt& stmt,
                                std::vector<const Stmt*>* out) {
    CheckScalesDiffer(call, stmt);
    std::vector<const Expr*> args(call.args.begin(), call.args.end());
    const absl::Span<const SpaceSet> rules = RulesOf(call);
    for (size_t i = 0; i < rules.size(); ++i) {
      const Var* var = DynCast<Var>(call.args[i]);
      const std::optional<MemorySpace> space =
          var != nullptr ? spaces_.Of(var) : std::nullopt;
      if (!space.has_value() || Accepts(rules[i], *space)) continue;
      args[i] = Moved(
          {var, rules[i].front(), PlaceOf(call, stmt), Operand(call, i)}, out);
    }
    if (std::equal(args.begin(), args.end(), call.args.begin())) return &call;
    Call edited = call;
    edited.args = context().List(args);
    return context().New(edited);
  }

  // ---- Moves

  struct MoveRequest {
    const Var* var;  // Of the program before.
    MemorySpace to;
    ir::SourceSpan place;
    std::string use;  // Who asks, for messages.
    bool keeps_layout = false;
    // A tile whose blocks the moved one must have; null: those of the space.
    const TileType* like = nullptr;
  };

  static bool FitsLayout(const Type& type, const TileType* like) {
    if (like == nullptr) return true;
    const TileView view = ir::CheckedCast<TileType>(&type)->EffectiveView();
    const TileView wanted = like->EffectiveView();
    return view.blayout == wanted.blayout && view.slayout == wanted.slayout;
  }

  // The variable, of the program after, that holds the tile in the other space;
  // the tile itself after an error.
  const Expr* Moved(const MoveRequest& request, std::vector<const Stmt*>* out) {
    const Expr* source = RewriteExpr(request.var);
    const MemorySpace from = *spaces_.Of(request.var);
    if (request.to == MemorySpace::kAcc) {
      ReportNoWay(request, from);
      return source;
    }
    const std::pair<const Var*, MemorySpace> key = {request.var, request.to};
    const auto known = moved_.back().find(key);
    if (known != moved_.back().end() &&
        FitsLayout(*known->second->type, request.like)) {
      return known->second;
    }
    if (const auto stop = StopBetween(from, request.to)) {
      MoveRequest first = request;
      first.to = *stop;
      first.keeps_layout = IsScaleSpace(request.to);
      first.like = nullptr;
      source = Moved(first, out);
    }
    const Var* moved = AppendMove(request, source, out);
    moved_.back().emplace(key, moved);
    return moved;
  }

  // A statement that assigns nothing changes the tile in place: its copies, and
  // those of tiles that share its buffer, are old then.
  void ForgetMovesOf(const Expr* changed) {
    const Var* var = DynCast<Var>(changed);
    if (var == nullptr || !spaces_.Of(var).has_value()) return;
    for (auto& moves : moved_) {
      absl::erase_if(moves, [&](const auto& move) {
        return spaces_.Of(move.first.first) == spaces_.Of(var);
      });
    }
  }

  const Var* AppendMove(const MoveRequest& request, const Expr* source,
                        std::vector<const Stmt*>* out) {
    std::vector<ir::Attr> kwargs = {
        {"target_memory", ir::AttrValue::Of(request.to)}};
    const TileType& tile = *ir::CheckedCast<TileType>(source->type);
    Call move;
    move.kind = ir::ExprKind::kCall;
    move.span = request.place;
    move.callee = move_;
    move.args = context().ExprList({source});
    move.kwargs = context().List(kwargs);
    move.type = InSpace(tile, request.to, context());
    move.type = Deduced(move, request.place);
    if (!FitsLayout(*move.type, request.like)) {
      const TileView wanted = request.like->EffectiveView();
      kwargs.push_back({"blayout", ir::AttrValue::Of(wanted.blayout)});
      kwargs.push_back({"slayout", ir::AttrValue::Of(wanted.slayout)});
      move.kwargs = context().List(kwargs);
      move.type = Deduced(move, request.place);
    }
    if (request.keeps_layout) {
      move.type =
          WithLayoutOf(*ir::CheckedCast<TileType>(move.type), tile, context());
    }
    Assign assign;
    assign.kind = ir::StmtKind::kAssign;
    assign.span = request.place;
    assign.var = context().NewVar(
        absl::StrCat(request.var->name, "_", ir::EnumName(request.to)),
        move.type, request.place);
    assign.value = context().New(move);
    out->push_back(context().New(assign));
    return assign.var;
  }

  // The type that the call's operator gives it; after an error, which is
  // reported, the type that it has.
  const Type* Deduced(const Call& call, ir::SourceSpan place) {
    const OpDef* def = call.callee->def;
    if (def == nullptr || def->deduce == nullptr) return call.type;
    const absl::StatusOr<const Type*> type =
        def->deduce({def, call.args, call.kwargs, call.type}, context());
    if (type.ok()) return *type;
    sink_.Error(ir::RuleOf(type.status()), place, type.status().message());
    return call.type;
  }

  // ---- Refusals

  // Operands inside other expressions stay where they are, so they must be
  // right already.
  void CheckNestedCalls(const Stmt& stmt) {
    ir::ForEachRootExpr(stmt, [&](const Expr* root) {
      ir::PostOrder(root, [&](const Expr* expr) {
        const Call* call = DynCast<Call>(expr);
        if (call != nullptr) CheckOperands(*call, expr == root, stmt);
      });
    });
  }

  void CheckOperands(const Call& call, bool is_root, const Stmt& stmt) {
    const absl::Span<const SpaceSet> rules = RulesOf(call);
    for (size_t i = 0; i < rules.size(); ++i) {
      const TileType* tile = DynCast<TileType>(call.args[i]->type);
      const Var* var = DynCast<Var>(call.args[i]);
      if (tile == nullptr || (is_root && var != nullptr)) continue;
      const std::optional<MemorySpace> space =
          var != nullptr ? spaces_.Of(var) : tile->space;
      if (rules[i].empty() ||
          (space.has_value() && Accepts(rules[i], *space))) {
        continue;
      }
      sink_.Error("MX-SPACE-3", PlaceOf(call, stmt),
                  absl::StrCat(Operand(call, i), " must be in ",
                               ir::EnumName(rules[i].front()),
                               " and cannot be moved there inside an "
                               "expression; assign it to a variable, or run "
                               "flatten_call_expr first"));
    }
  }

  void CheckScalesDiffer(const Call& call, const Stmt& stmt) {
    if (call.callee->def == nullptr) return;
    std::vector<const Var*> seen;
    for (const ir::MxPair& pair : call.callee->def->mx_pairs) {
      const Var* scale = pair.scale_index < call.args.size()
                             ? DynCast<Var>(call.args[pair.scale_index])
                             : nullptr;
      if (scale == nullptr) continue;
      const Var* source = spaces_.SourceOf(scale);
      if (std::find(seen.begin(), seen.end(), source) != seen.end()) {
        sink_.Error("MX-SPACE-5", PlaceOf(call, stmt),
                    absl::StrCat("the scales of ", call.callee->name,
                                 " are one tile, '", source->name,
                                 "'; each side has a scale memory of its own: "
                                 "load it twice"));
      }
      seen.push_back(source);
    }
  }

  void ReportNoWay(const MoveRequest& request, MemorySpace from) {
    ir::Diagnostic& diagnostic = sink_.Error(
        "MX-SPACE-4", request.place,
        absl::StrCat("tile '", request.var->name, "' is in ",
                     ir::EnumName(from), "; ", request.use, " takes it from ",
                     ir::EnumName(request.to),
                     ", where no move leads: only matmuls write there"));
    if (request.var->span.known()) {
      diagnostic.AddNote(request.var->span, "the tile comes from here");
    }
  }

  const TileSpaces& spaces_;
  ir::DiagnosticSink& sink_;
  const ir::Callee* move_;
  // Types of retargeted producers.
  absl::flat_hash_map<const Var*, const Type*> produced_;
  // Initial values that are moved in front of their loop.
  absl::flat_hash_map<const IterArg*, const Expr*> moved_inits_;
  // The moves of each open statement list, innermost last.
  std::vector<
      absl::flat_hash_map<std::pair<const Var*, MemorySpace>, const Var*>>
      moved_;
};

// ---- Functions

bool CheckParams(const ir::Function& function, ir::DiagnosticSink* sink) {
  bool ok = true;
  for (const Var* param : function.params) {
    if (!ir::Isa<TileType>(param->type)) continue;
    ok = false;
    sink->Error(
        "MX-SPACE-1", param->span.known() ? param->span : function.span,
        absl::StrCat("parameter '", param->name, "' of in-core function '",
                     function.name, "' is a tile; pass a tensor and load it"));
  }
  return ok;
}

void ReportBranchConflicts(const TileSpaces& spaces, ir::DiagnosticSink* sink) {
  for (const TileSpaces::BranchConflict& conflict : spaces.branch_conflicts()) {
    sink->Error("MX-SPACE-2", conflict.branch->span,
                absl::StrCat("the branches yield '", conflict.result->name,
                             "' from ", ir::EnumName(conflict.then_space),
                             " and from ", ir::EnumName(conflict.else_space),
                             "; tile.move one of them before its yield"));
  }
}

const ir::Function* RewriteFunction(const ir::Function* function,
                                    PassContext& context) {
  if (!ir::IsInCore(function->function_type)) return function;
  if (!CheckParams(*function, context.sink)) return function;
  const TileSpaces spaces = TileSpaces::Solve(*function, context.ir);
  ReportBranchConflicts(spaces, context.sink);
  return SpaceRewriter(&spaces, &context).RewriteFunction(function);
}

}  // namespace

PropertySet InferTileMemorySpace::required() const {
  return {Property::kSsaForm, Property::kIncoreTileOps};
}

PropertySet InferTileMemorySpace::produced() const {
  return {Property::kSsaForm, Property::kTileMemoryInferred};
}

absl::StatusOr<const ir::Program*> InferTileMemorySpace::Run(
    const ir::Program* program, PassContext& context) const {
  std::vector<const ir::Function*> functions;
  for (const ir::Function* function : program->functions) {
    functions.push_back(RewriteFunction(function, context));
  }
  MX_RETURN_IF_ERROR(context.sink->ToStatus());
  return WithFunctions(program, functions, context.ir);
}

}  // namespace mxtile
