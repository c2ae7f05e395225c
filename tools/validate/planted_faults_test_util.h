#ifndef TOOLS_VALIDATE_PLANTED_FAULTS_TEST_UTIL_H_
#define TOOLS_VALIDATE_PLANTED_FAULTS_TEST_UTIL_H_

// Passes that are wrong in one place, and programs that show it.
//
//   for (const Fault& fault : Faults()) {
//     const PlantedPass planted(fault);
//     ... run a pipeline with it on fault.program ...
//   }

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "passes/pass.h"
#include "tools/validate/stage_run.h"

namespace mxtile {

// A product whose accumulator a loop carries; two more steps than the first.
extern const char kGemm[];
// Arithmetic of the vector core, on tiles of which a part is valid.
extern const char kVector[];

// Changes the first place at which a function makes something else of what it
// is given.
class Planter : public ir::Rewriter {
 public:
  // Null: not the place.
  using OnExpr = std::function<const ir::Expr*(ir::Context&, const ir::Expr*)>;
  // Nullopt: not the place.
  using OnStmt = std::function<std::optional<std::vector<const ir::Stmt*>>(
      ir::Context&, const ir::Stmt*)>;

  Planter(ir::Context* context, OnExpr on_expr, OnStmt on_stmt)
      : Rewriter(context),
        on_expr_(std::move(on_expr)),
        on_stmt_(std::move(on_stmt)) {}

 protected:
  const ir::Expr* RewriteNode(const ir::Expr* node) override {
    if (done_ || on_expr_ == nullptr) return node;
    const ir::Expr* other = on_expr_(context(), node);
    done_ = other != nullptr;
    return done_ ? other : node;
  }
  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override {
    if (!done_ && on_stmt_ != nullptr) {
      const auto other = on_stmt_(context(), stmt);
      if (other.has_value()) {
        done_ = true;
        out->insert(out->end(), other->begin(), other->end());
        return;
      }
    }
    Rewriter::RewriteStmt(stmt, out);
  }

 private:
  OnExpr on_expr_;
  OnStmt on_stmt_;
  bool done_ = false;
};

struct Fault {
  std::string name;
  const char* program;
  Planter::OnExpr on_expr;
  Planter::OnStmt on_stmt;
  // Where it can be seen, and as what.
  Engine engine = Engine::kReference;
  std::string rule = "MX-VALIDATE-1";
};

class PlantedPass : public Pass {
 public:
  explicit PlantedPass(const Fault& fault) : fault_(fault) {}
  absl::string_view name() const override { return "planted"; }
  absl::string_view pypto_name() const override { return "Planted"; }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override {
    return Planter(context.ir, fault_.on_expr, fault_.on_stmt)
        .RewriteProgram(program);
  }

 private:
  const Fault& fault_;
};

// Puts the tile of a variable elsewhere, where it has an address.
class Mover : public ir::Rewriter {
 public:
  using Change = std::function<const ir::Type*(ir::Context&, const ir::Var*)>;
  Mover(ir::Context* context, Change change)
      : Rewriter(context), change_(std::move(change)) {}

 protected:
  void RewriteStmt(const ir::Stmt* stmt,
                   std::vector<const ir::Stmt*>* out) override {
    const auto* assign = ir::DynCast<ir::Assign>(stmt);
    const ir::Type* type =
        assign == nullptr ? nullptr : change_(context(), assign->var);
    if (type == nullptr) return Rewriter::RewriteStmt(stmt, out);
    ir::Assign copy = *ir::CheckedCast<ir::Assign>(RewriteParts(stmt));
    const ir::Var* fresh = context().NewVar(assign->var->name, type);
    Substitute(assign->var, fresh);
    copy.var = fresh;
    out->push_back(context().New(copy));
  }

 private:
  Change change_;
};

class MovingPass : public Pass {
 public:
  explicit MovingPass(Mover::Change change) : change_(std::move(change)) {}
  absl::string_view name() const override { return "planted"; }
  absl::string_view pypto_name() const override { return "Planted"; }
  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const override {
    return Mover(context.ir, change_).RewriteProgram(program);
  }

 private:
  Mover::Change change_;
};

// Those that the reference interpreter sees.
const std::vector<Fault>& Faults();

// ---- For faults of one's own

// The call when it is one of that operator, else null.
const ir::Call* AsOp(const ir::Expr* expr, absl::string_view op);
// The call with another argument.
const ir::Expr* WithArg(ir::Context& context, const ir::Call& call,
                        size_t index, const ir::Expr* arg);
// The tile type with another place; null where it has none.
const ir::TileType* Elsewhere(ir::Context& context, const ir::Type* type,
                              int64_t address);
// Of a tile that has a place.
int64_t AddressOf(const ir::Type* type);

}  // namespace mxtile

#endif  // TOOLS_VALIDATE_PLANTED_FAULTS_TEST_UTIL_H_
