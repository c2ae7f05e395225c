#include "tools/reduce/reductions.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "tools/reduce/item_range.h"
#include "tools/reduce/statement_remover.h"
#include "tools/reduce/structure_reductions.h"
#include "tools/reduce/term_reductions.h"

namespace mxtile {
namespace {

const ir::Program* WithFunctions(
    const ir::Program* program,
    const std::vector<const ir::Function*>& functions, ir::Context* context) {
  ir::Program copy = *program;
  copy.functions = context->List(functions);
  return context->New(copy);
}

// ---- Comments

class CommentDropper : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

  const ir::Function* RewriteFunction(const ir::Function* function) override {
    ir::Function copy = *Rewriter::RewriteFunction(function);
    copy.comments = {};
    return context().New(copy);
  }

 protected:
  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override {
    out->push_back(Bare(RewriteParts(stmt)));
  }

 private:
  template <typename Node>
  const ir::Stmt* Copy(const ir::Stmt* stmt) {
    Node copy = *static_cast<const Node*>(stmt);
    copy.comments = {};
    return context().New(copy);
  }
  const ir::Stmt* Bare(const ir::Stmt* stmt) {
    if (stmt->comments.empty()) return stmt;
    switch (stmt->kind) {
      case ir::StmtKind::kAssign:
        return Copy<ir::Assign>(stmt);
      case ir::StmtKind::kEval:
        return Copy<ir::Eval>(stmt);
      case ir::StmtKind::kIf:
        return Copy<ir::If>(stmt);
      case ir::StmtKind::kFor:
        return Copy<ir::For>(stmt);
      case ir::StmtKind::kWhile:
        return Copy<ir::While>(stmt);
      case ir::StmtKind::kYield:
        return Copy<ir::Yield>(stmt);
      case ir::StmtKind::kReturn:
        return Copy<ir::Return>(stmt);
      case ir::StmtKind::kScope:
        return Copy<ir::Scope>(stmt);
      case ir::StmtKind::kBreak:
      case ir::StmtKind::kContinue:
        return stmt;
    }
    return stmt;
  }
};

int CountOne(const ir::Program*, ir::Context*) { return 1; }

const ir::Program* DropComments(const ir::Program* program, ItemRange,
                                ir::Context* context) {
  ir::Program copy = *CommentDropper(context).RewriteProgram(program);
  copy.comments = {};
  return context->New(copy);
}

// ---- Functions

int CountFunctions(const ir::Program* program, ir::Context*) {
  return static_cast<int>(program->functions.size());
}

bool CallsOneOf(const ir::Stmt& stmt,
                const absl::flat_hash_set<absl::string_view>& functions) {
  bool found = false;
  ir::ForEachRootExpr(stmt, [&](const ir::Expr* root) {
    ir::PostOrder(root, [&](const ir::Expr* expr) {
      const ir::Callee* callee = nullptr;
      if (const auto* call = ir::DynCast<ir::Call>(expr)) {
        callee = call->callee;
      } else if (const auto* submit = ir::DynCast<ir::Submit>(expr)) {
        callee = submit->callee;
      }
      found = found || (callee != nullptr && callee->is_function &&
                        functions.contains(callee->name));
    });
  });
  return found;
}

const ir::Program* DropFunctions(const ir::Program* program, ItemRange items,
                                 ir::Context* context) {
  absl::flat_hash_set<absl::string_view> gone;
  std::vector<const ir::Function*> kept;
  for (const ir::Function* function : program->functions) {
    if (items.Contains(static_cast<int>(gone.size() + kept.size()))) {
      gone.insert(function->name);
    } else {
      kept.push_back(function);
    }
  }
  if (kept.empty()) return nullptr;
  return RemoveStatements(
      WithFunctions(program, kept, context),
      [&gone](const ir::Stmt& stmt) { return CallsOneOf(stmt, gone); },
      context);
}

// ---- Statements

// Numbers, or counts, the statements that can go.
int NumberStatements(const ir::Program* program,
                     absl::flat_hash_map<const ir::Stmt*, int>* numbers) {
  int next = 0;
  for (const ir::Function* function : program->functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      if (stmt->kind == ir::StmtKind::kYield ||
          stmt->kind == ir::StmtKind::kReturn) {
        return;
      }
      if (numbers != nullptr) numbers->emplace(stmt, next);
      ++next;
    });
  }
  return next;
}

int CountStatements(const ir::Program* program, ir::Context*) {
  return NumberStatements(program, nullptr);
}

const ir::Program* DropStatements(const ir::Program* program, ItemRange items,
                                  ir::Context* context) {
  absl::flat_hash_map<const ir::Stmt*, int> numbers;
  NumberStatements(program, &numbers);
  return RemoveStatements(
      program,
      [&](const ir::Stmt& stmt) { return items.Contains(numbers.at(&stmt)); },
      context);
}

// ---- Attributes of functions

int CountAttributes(const ir::Program* program, ir::Context*) {
  int count = 0;
  for (const ir::Function* function : program->functions) {
    count += static_cast<int>(function->attrs.size());
  }
  return count;
}

const ir::Program* DropAttributes(const ir::Program* program, ItemRange items,
                                  ir::Context* context) {
  int item = 0;
  std::vector<const ir::Function*> functions;
  for (const ir::Function* function : program->functions) {
    ir::Function copy = *function;
    std::vector<ir::Attr> attrs;
    for (const ir::Attr& attr : function->attrs) {
      if (!items.Contains(item++)) attrs.push_back(attr);
    }
    copy.attrs = context->List(attrs);
    functions.push_back(context->New(copy));
  }
  return WithFunctions(program, functions, context);
}

}  // namespace

const std::vector<Reduction>& Reductions() {
  static const auto* const reductions = new std::vector<Reduction>{
      {"comments", CountOne, DropComments},
      {"functions", CountFunctions, DropFunctions},
      {"statements", CountStatements, DropStatements},
      {"bodies", CountBodies, UnwrapBodies, /*in_chunks=*/false},
      {"carried", CountCarried, DropCarried},
      {"returns", CountReturns, DropReturns},
      {"parameters", CountParameters, DropParameters},
      {"attributes", CountAttributes, DropAttributes},
      {"expressions", CountSimplerExpressions, SimplifyExpressions,
       /*in_chunks=*/false},
      {"sizes", CountSmallerSizes, ShrinkSizes, /*in_chunks=*/false},
  };
  return *reductions;
}

}  // namespace mxtile
