#include "passes/allocate_addresses/tile_buffers.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "passes/ir_queries.h"

namespace mxtile {
namespace {

using ir::Assign;
using ir::Block;
using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::Stmt;
using ir::Var;

bool IsCallOf(const Expr* expr, const ir::OpDef* def) {
  return def != nullptr && OpDefOf(expr) == def;
}

// Calls fn(expr) for each expression, nested ones included, that the statement
// itself holds.
template <typename Fn>
void ForEachExpr(const Stmt& stmt, Fn&& fn) {
  ir::ForEachRootExpr(stmt,
                      [&fn](const Expr* root) { ir::PostOrder(root, fn); });
}

// Sets of the numbers 0 to n - 1; the smallest member stands for its set.
class DisjointSets {
 public:
  explicit DisjointSets(int count) : parent_(count) {
    for (int i = 0; i < count; ++i) parent_[i] = i;
  }
  int Find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(int a, int b) {
    a = Find(a);
    b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

// ---- Overwritten tiles

// Walks backwards with the set of tiles that are needed later.
class OverwriteChecker {
 public:
  OverwriteChecker(const TileBuffers& buffers, const ir::OpDef* bind,
                   ir::DiagnosticSink* sink)
      : buffers_(buffers), bind_(bind), sink_(*sink) {}

  void CheckFunction(const ir::Function& function) {
    tiles_ = TilesOf(function);
    for (const Var* tile : tiles_) {
      number_.emplace(tile, static_cast<int>(number_.size()));
    }
    WalkBlock(function.body);
  }

 private:
  // Buffer and number of a tile: the live tiles of a buffer are neighbours.
  using LiveTile = std::pair<int, int>;

  bool IsOurs(const Var* var) const { return number_.contains(var); }
  LiveTile KeyOf(const Var* var) const {
    return {buffers_.BufferOf(var), number_.at(var)};
  }

  // ---- Liveness

  void Need(const Expr* expr) {
    const Var* var = DynCast<Var>(expr);
    if (var != nullptr && IsOurs(var)) live_.insert(KeyOf(var));
  }
  void NeedAllIn(const Stmt& stmt) {
    ForEachExpr(stmt, [this](const Expr* expr) { Need(expr); });
  }
  void Define(const Var* var) {
    if (IsOurs(var)) live_.erase(KeyOf(var));
  }
  template <typename Vars>
  void DefineAll(const Vars& vars) {
    for (const Var* var : vars) Define(var);
  }

  // ---- Walk

  void WalkBlock(Block block) {
    for (auto it = block.rbegin(); it != block.rend(); ++it) WalkStmt(**it);
  }

  void WalkStmt(const Stmt& stmt) {
    if (const ir::If* branch = DynCast<ir::If>(&stmt)) {
      WalkIf(*branch);
    } else if (const ir::For* loop = DynCast<ir::For>(&stmt)) {
      WalkLoop(*loop);
    } else if (const ir::While* loop = DynCast<ir::While>(&stmt)) {
      WalkLoop(*loop);
    } else if (IsLoopExit(stmt)) {
      WalkLoopExit();
    } else {
      const Var* written = WrittenBy(stmt);
      if (written != nullptr) CheckWrite(written, stmt);
      ir::ForEachDefinition(stmt, [this](const Var* var) { Define(var); });
    }
    NeedAllIn(stmt);
  }

  void WalkIf(const ir::If& branch) {
    DefineAll(branch.return_vars);
    const std::set<LiveTile> after = live_;
    WalkBlock(branch.then_body);
    std::set<LiveTile> before_then = std::exchange(live_, after);
    WalkBlock(branch.else_body);
    live_.merge(before_then);
  }

  template <typename Loop>
  void WalkLoop(const Loop& loop) {
    DefineAll(loop.return_vars);
    NeedWhatTheNextRoundTakes(loop);
    loops_.push_back({live_, {loop.iter_args.begin(), loop.iter_args.end()}});
    WalkBlock(loop.body);
    loops_.pop_back();
    DefineAll(loop.iter_args);
  }

  static bool IsLoopExit(const Stmt& stmt) {
    return stmt.kind == ir::StmtKind::kBreak ||
           stmt.kind == ir::StmtKind::kContinue;
  }

  // After a break or continue, what the loop carries is what came into the
  // round.
  void WalkLoopExit() {
    if (loops_.empty()) return;
    live_ = loops_.back().live;
    for (const Var* arg : loops_.back().iter_args) Need(arg);
  }

  // A round needs again what the one before it took from outside the loop.
  template <typename Loop>
  void NeedWhatTheNextRoundTakes(const Loop& loop) {
    absl::flat_hash_set<const Var*> inside(loop.iter_args.begin(),
                                           loop.iter_args.end());
    ir::ForEachStmt(loop.body, [&](const Stmt* stmt) {
      ir::ForEachDefinition(*stmt, [&](const Var* var) { inside.insert(var); });
    });
    ir::ForEachStmt(loop.body, [&](const Stmt* stmt) {
      ForEachExpr(*stmt, [&](const Expr* expr) {
        const Var* var = DynCast<Var>(expr);
        if (var != nullptr && !inside.contains(var)) Need(var);
      });
    });
  }

  // ---- Writes

  // The tile whose buffer the statement fills, or null. Another name for a tile
  // and a binding fill nothing.
  const Var* WrittenBy(const Stmt& stmt) const {
    if (const Assign* assign = DynCast<Assign>(&stmt)) {
      const bool fills =
          ir::Isa<Call>(assign->value) && !IsCallOf(assign->value, bind_);
      return fills && IsOurs(assign->var) ? assign->var : nullptr;
    }
    const ir::Eval* eval = DynCast<ir::Eval>(&stmt);
    if (eval == nullptr || IsCallOf(eval->expr, bind_)) return nullptr;
    const Var* in_place = DynCast<Var>(AliasedArg(eval->expr));
    return in_place != nullptr && IsOurs(in_place) ? in_place : nullptr;
  }

  void CheckWrite(const Var* written, const Stmt& stmt) {
    const auto [buffer, number] = KeyOf(written);
    for (auto it = live_.lower_bound({buffer, 0});
         it != live_.end() && it->first == buffer; ++it) {
      if (it->second == number) continue;
      ReportOverwrite(written, tiles_[it->second], stmt);
      return;
    }
  }

  void ReportOverwrite(const Var* written, const Var* needed,
                       const Stmt& stmt) {
    sink_
        .Error("MX-ADDR-3", stmt.span,
               absl::StrCat("tile '", written->name,
                            "' is written to the buffer of '", needed->name,
                            "', which is still needed afterwards"))
        .AddNote(needed->span, "make what is needed a tile of its own");
  }

  const TileBuffers& buffers_;
  const ir::OpDef* bind_;
  ir::DiagnosticSink& sink_;
  std::vector<const Var*> tiles_;
  absl::flat_hash_map<const Var*, int> number_;  // Into tiles_.
  std::set<LiveTile> live_;
  struct OpenLoop {
    std::set<LiveTile> live;  // At the end of a round.
    std::vector<const Var*> iter_args;
  };
  std::vector<OpenLoop> loops_;  // Innermost last.
};

}  // namespace

// ---- Building

class BufferBuilder {
 public:
  BufferBuilder(const ir::Function& function, const ir::OpDef* bind,
                ir::DiagnosticSink* sink)
      : bind_(bind),
        sink_(*sink),
        tiles_(TilesOf(function)),
        sets_(static_cast<int>(tiles_.size())) {
    for (const Var* tile : tiles_) {
      number_.emplace(tile, static_cast<int>(number_.size()));
    }
    ir::ForEachStmt(function.body, [this](const Stmt* stmt) { Visit(*stmt); });
    ShareByData();
    Collect();
  }

  TileBuffers TakeResult() { return std::move(result_); }

 private:
  struct Binding {
    const Var* scale;
    const Var* data;
    ir::SourceSpan span;
  };

  void Visit(const Stmt& stmt) {
    CheckTilesAreVariables(stmt);
    if (const Assign* assign = DynCast<Assign>(&stmt)) {
      VisitAssign(*assign);
    } else if (const ir::If* branch = DynCast<ir::If>(&stmt)) {
      ShareAll(branch->return_vars, YieldedBy(branch->then_body));
      ShareAll(branch->return_vars, YieldedBy(branch->else_body));
    } else if (const ir::For* loop = DynCast<ir::For>(&stmt)) {
      VisitLoop(*loop);
    } else if (const ir::While* loop = DynCast<ir::While>(&stmt)) {
      VisitLoop(*loop);
    }
    VisitBindings(stmt);
  }

  void VisitAssign(const Assign& assign) {
    Share(assign.var, assign.value);
    const Expr* aliased = AliasedArg(assign.value);
    if (aliased != nullptr) Share(assign.var, aliased);
  }

  template <typename Loop>
  void VisitLoop(const Loop& loop) {
    ShareAll(loop.iter_args, YieldedBy(loop.body));
    ShareAll(loop.return_vars, YieldedBy(loop.body));
    for (const ir::IterArg* arg : loop.iter_args) Share(arg, arg->init);
  }

  void VisitBindings(const Stmt& stmt) {
    const Expr* root = WholeExpr(stmt);
    if (root == nullptr || !IsCallOf(root, bind_)) return;
    const ir::Exprs args = DynCast<Call>(root)->args;
    if (args.size() != 2 || !IsOurs(args[0]) || !IsOurs(args[1])) return;
    bindings_.push_back(
        {DynCast<Var>(args[0]), DynCast<Var>(args[1]), stmt.span});
  }

  bool IsOurs(const Expr* expr) const {
    const Var* var = DynCast<Var>(expr);
    return var != nullptr && number_.contains(var);
  }

  void Share(const Var* a, const Expr* b) {
    if (!IsOurs(a) || !IsOurs(b)) return;
    sets_.Join(number_.at(a), number_.at(DynCast<Var>(b)));
  }

  template <typename Vars>
  void ShareAll(const Vars& vars, ir::Exprs values) {
    for (size_t i = 0; i < std::min(vars.size(), values.size()); ++i) {
      Share(vars[i], values[i]);
    }
  }

  // Scales of the same data share one address.
  void ShareByData() {
    absl::flat_hash_map<int, const Var*> scale_of;
    for (const Binding& binding : bindings_) {
      const int data = sets_.Find(number_.at(binding.data));
      const auto [it, is_new] = scale_of.emplace(data, binding.scale);
      if (!is_new) Share(binding.scale, it->second);
    }
  }

  void Collect() {
    std::vector<int> buffer_of_set(tiles_.size(), -1);
    for (size_t i = 0; i < tiles_.size(); ++i) {
      int& buffer = buffer_of_set[sets_.Find(static_cast<int>(i))];
      if (buffer < 0) {
        buffer = static_cast<int>(result_.buffers_.size());
        result_.buffers_.emplace_back();
      }
      result_.buffers_[buffer].tiles.push_back(tiles_[i]);
      result_.buffer_of_.emplace(tiles_[i], buffer);
    }
    for (const Binding& binding : bindings_) {
      result_.buffers_[result_.BufferOf(binding.scale)].bindings.push_back(
          {binding.data, result_.BufferOf(binding.data), binding.span});
    }
  }

  // Only variables get addresses.
  void CheckTilesAreVariables(const Stmt& stmt) {
    const Expr* whole = WholeExpr(stmt);
    ForEachExpr(stmt, [&](const Expr* expr) {
      if (!IsTile(expr) || IsOurs(expr)) return;
      if (expr == whole && ir::Isa<Call>(expr)) return;
      ReportNoVariable(*expr, stmt);
    });
  }

  void ReportNoVariable(const Expr& expr, const Stmt& stmt) {
    const ir::SourceSpan place = PlaceOf(expr, stmt);
    if (const Var* var = DynCast<Var>(&expr)) {
      sink_.Error("MX-ADDR-7", place,
                  absl::StrCat("tile '", var->name,
                               "' comes from outside the "
                               "function and has no address in it"));
    } else if (ir::Isa<ir::TupleItem>(&expr)) {
      sink_.Error("MX-ADDR-7", place,
                  "a tile inside a tuple cannot get an address; use an "
                  "operator that results in the tile itself");
    } else {
      sink_.Error("MX-ADDR-7", place,
                  "a tile inside an expression cannot get an address; assign "
                  "it to a variable, or run flatten_call_expr first");
    }
  }

  const ir::OpDef* bind_;
  ir::DiagnosticSink& sink_;
  std::vector<const Var*> tiles_;
  absl::flat_hash_map<const Var*, int> number_;
  DisjointSets sets_;
  std::vector<Binding> bindings_;
  TileBuffers result_;
};

TileBuffers TileBuffers::Build(const ir::Function& function,
                               const ir::OpDef* bind,
                               ir::DiagnosticSink* sink) {
  TileBuffers buffers = BufferBuilder(function, bind, sink).TakeResult();
  OverwriteChecker(buffers, bind, sink).CheckFunction(function);
  return buffers;
}

int TileBuffers::BufferOf(const Var* var) const {
  const auto it = buffer_of_.find(var);
  return it != buffer_of_.end() ? it->second : -1;
}

std::vector<const Var*> TilesOf(const ir::Function& function) {
  std::vector<const Var*> tiles;
  ir::ForEachStmt(function.body, [&](const Stmt* stmt) {
    ir::ForEachDefinition(*stmt, [&](const Var* var) {
      if (IsTile(var)) tiles.push_back(var);
    });
  });
  return tiles;
}

}  // namespace mxtile
