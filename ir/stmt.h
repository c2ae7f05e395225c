#ifndef IR_STMT_H_
#define IR_STMT_H_

// Statements (pypto_ir section 5). A body is a Block, a plain list, so the
// normal form of the spec (no nested and no one-element sequences) holds by
// construction.

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/source_span.h"

namespace mxtile::ir {

enum class StmtKind {
  kAssign,
  kEval,
  kIf,
  kFor,
  kWhile,
  kYield,
  kReturn,
  kBreak,
  kContinue,
  kScope,
};

struct Stmt {
  StmtKind kind;
  SourceSpan span;
  // Comment lines in front of the statement, without "# ".
  absl::Span<const absl::string_view> comments;
};

using Block = absl::Span<const Stmt* const>;
using Vars = absl::Span<const Var* const>;

struct Assign : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kAssign; }
  const Var* var = nullptr;
  const Expr* value = nullptr;
};

// An expression kept for its effect.
struct Eval : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kEval; }
  const Expr* expr = nullptr;
};

// With return_vars, both branches end in a Yield of as many values, and the
// return_vars are visible afterwards.
struct If : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kIf; }
  const Expr* condition = nullptr;
  Block then_body;
  Block else_body;  // Empty: no else.
  Vars return_vars;
};

// iter_args, the body's Yield and return_vars have the same count.
struct For : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kFor; }
  LoopKind loop_kind = LoopKind::kSequential;
  const Var* loop_var = nullptr;
  const Expr* start = nullptr;
  const Expr* stop = nullptr;
  const Expr* step = nullptr;
  absl::Span<const IterArg* const> iter_args;
  Block body;
  Vars return_vars;
  Attrs attrs;  // "pipeline_stages" if and only if kPipeline.
};

struct While : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kWhile; }
  const Expr* condition = nullptr;
  absl::Span<const IterArg* const> iter_args;
  Block body;
  Vars return_vars;
};

struct Yield : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kYield; }
  Exprs values;
};

struct Return : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kReturn; }
  Exprs values;
};

// Break and Continue have no fields of their own.

// Statements under one roof. What the author says about them stands in `args`,
// as in the text form: "level", "role", "name_hint", "core_num", "deps", ...
// (ir/text/scope_reader.h lists them by kind). pl.spmd and pl.split_aiv can be
// loops: then `index` is the number of the block or vector core, visible in the
// body. `task_id` is what `as` names, a TASK_ID, visible after the scope.
struct Scope : Stmt {
  static bool ClassOf(const Stmt& s) { return s.kind == StmtKind::kScope; }
  ScopeKind scope_kind = ScopeKind::kAt;
  Attrs args;
  const Var* index = nullptr;    // Null: not a loop.
  const Var* task_id = nullptr;  // Null: not named.
  Block body;
};

// Whether the scope's body becomes an in-core function: pl.at at the level
// CORE_GROUP.
bool IsInCoreScope(const Scope& scope);

// The block's last statement when it is a Yield, else null.
inline const Yield* TrailingYield(Block block) {
  return block.empty() ? nullptr : DynCast<Yield>(block.back());
}

}  // namespace mxtile::ir

#endif  // IR_STMT_H_
