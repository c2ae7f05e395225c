#include "passes/typed_sites.h"

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/type.h"

namespace mxtile {

void ForEachTypedSite(
    const ir::Function& function,
    absl::FunctionRef<void(const ir::Type*, ir::SourceSpan, absl::string_view)>
        on_type,
    absl::FunctionRef<void(const ir::Expr&, bool, ir::SourceSpan)> on_expr) {
  for (const ir::Var* param : function.params) {
    on_type(param->type, param->span, param->name);
  }
  for (const ir::Type* type : function.return_types) {
    on_type(type, function.span, "the return value");
  }
  ir::ForEachStmt(function.body, [&](const ir::Stmt* stmt) {
    ir::ForEachDefinition(*stmt, [&](const ir::Var* var) {
      on_type(var->type, stmt->span, var->name);
    });
    const auto* assign = ir::DynCast<ir::Assign>(stmt);
    ir::ForEachRootExpr(*stmt, [&](const ir::Expr* root) {
      ir::PostOrder(root, [&](const ir::Expr* expr) {
        const bool has_variables_type = assign != nullptr && expr == root &&
                                        expr->type == assign->var->type;
        on_expr(*expr, has_variables_type,
                expr->span.known() ? expr->span : stmt->span);
      });
    });
  });
}

}  // namespace mxtile
