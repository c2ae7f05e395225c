#include "passes/statement_emitter.h"

#include <initializer_list>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/rule_error.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile {

const ir::Call* StatementEmitter::Call(absl::string_view op, ir::Exprs args,
                                       ir::Attrs kwargs, ir::SourceSpan span,
                                       const ir::Type* otherwise) {
  ir::Call call;
  call.kind = ir::ExprKind::kCall;
  call.callee = context_.GetOp(op);
  call.args = context_.List(args);
  call.kwargs = context_.List(kwargs);
  call.span = span;
  call.type = otherwise;
  const ir::OpDef* def = call.callee->def;
  if (def != nullptr && def->deduce != nullptr) {
    const absl::StatusOr<const ir::Type*> type =
        def->deduce({def, call.args, call.kwargs, nullptr}, context_);
    if (type.ok()) {
      call.type = *type;
    } else {
      sink_.Error(ir::RuleOf(type.status()),
                  span.known() ? span : statement_.span,
                  type.status().message());
    }
  }
  if (call.type == nullptr) {
    call.type = context_.GetMarkerType(ir::TypeKind::kUnknown);
  }
  return context_.New(call);
}

const ir::Var* StatementEmitter::Op(absl::string_view name,
                                    absl::string_view op,
                                    std::initializer_list<const ir::Expr*> args,
                                    std::initializer_list<ir::Attr> kwargs) {
  return Assign(name, Call(op, ir::Exprs(args.begin(), args.size()),
                           ir::Attrs(kwargs.begin(), kwargs.size()),
                           statement_.span, nullptr));
}

const ir::Var* StatementEmitter::Assign(absl::string_view name,
                                        const ir::Expr* value) {
  ir::Assign assign;
  assign.kind = ir::StmtKind::kAssign;
  assign.span = statement_.span;
  assign.var = context_.NewVar(name, value->type, statement_.span);
  assign.value = value;
  out_->push_back(context_.New(assign));
  return assign.var;
}

}  // namespace mxtile
