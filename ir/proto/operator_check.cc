#include "ir/proto/operator_check.h"

#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/proto/proto_rules.h"
#include "ir/rule_error.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"

namespace mxtile::ir {
namespace {

constexpr int kMaxErrors = 20;

std::optional<DataType> ElementType(const Type& type) {
  if (const auto* scalar = DynCast<ScalarType>(&type)) return scalar->dtype;
  if (const auto* tensor = DynCast<TensorType>(&type)) return tensor->dtype;
  if (const auto* tile = DynCast<TileType>(&type)) return tile->dtype;
  return std::nullopt;
}

void CheckCall(const Call& call, SourceSpan stmt_span, Context* context,
               DiagnosticSink* sink) {
  const OpDef* def = call.callee->def;
  if (def == nullptr || !def->deduce) return;
  const SourceSpan span = call.span.known() ? call.span : stmt_span;
  const absl::StatusOr<const Type*> deduced =
      def->deduce({def, call.args, call.kwargs}, *context);
  if (!deduced.ok()) {
    sink->Error(RuleOf(deduced.status()), span, deduced.status().message());
    return;
  }
  const Type& type = **deduced;
  const bool unknown = type.kind == TypeKind::kUnknown;
  if (unknown || (type.kind == call.type->kind &&
                  ElementType(type) == ElementType(*call.type))) {
    return;
  }
  sink->Error(kProtoOperatorRule, span,
              absl::StrCat(def->name, " gives ", PrintType(&type),
                           ", the file states ", PrintType(call.type)));
}

}  // namespace

void CheckOperators(const Program& program, Context* context,
                    DiagnosticSink* sink) {
  absl::flat_hash_set<const Expr*> seen;
  for (const Function* function : program.functions) {
    ForEachStmt(function->body, [&](const Stmt* stmt) {
      ForEachRootExpr(*stmt, [&](const Expr* root) {
        PostOrder(root, [&](const Expr* expr) {
          const Call* call = DynCast<Call>(expr);
          if (call == nullptr || sink->error_count() >= kMaxErrors) return;
          if (seen.insert(call).second) {
            CheckCall(*call, stmt->span, context, sink);
          }
        });
      });
    });
  }
}

}  // namespace mxtile::ir
