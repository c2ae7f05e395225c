#ifndef PASSES_STATEMENT_EMITTER_H_
#define PASSES_STATEMENT_EMITTER_H_

// Appends assignments of operator calls in the place of one statement.
//
//   StatementEmitter emit(context, sink, statement, out);
//   const Var* page = emit.Op("page", "tile.slice", {tile, shape, offset});
//
// Types are deduced; what an operator refuses is reported by its own rule.

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile {

class StatementEmitter {
 public:
  StatementEmitter(ir::Context& context, ir::DiagnosticSink& sink,
                   const ir::Stmt& statement, std::vector<const ir::Stmt*>* out)
      : context_(context), sink_(sink), statement_(statement), out_(out) {}

  // The call with the type that its operator deduces from arguments and kwargs;
  // an operator without deduction gives `otherwise`.
  const ir::Call* Call(absl::string_view op, ir::Exprs args, ir::Attrs kwargs,
                       ir::SourceSpan span, const ir::Type* otherwise);

  const ir::Var* Op(absl::string_view name, absl::string_view op,
                    std::initializer_list<const ir::Expr*> args,
                    std::initializer_list<ir::Attr> kwargs = {});
  const ir::Var* Assign(absl::string_view name, const ir::Expr* value);

  // [values...], as INDEX constants.
  const ir::Expr* List(std::initializer_list<int64_t> values) {
    return context_.NewTuple(context_.StaticDims(values));
  }

 private:
  ir::Context& context_;
  ir::DiagnosticSink& sink_;
  const ir::Stmt& statement_;
  std::vector<const ir::Stmt*>* out_;
};

}  // namespace mxtile

#endif  // PASSES_STATEMENT_EMITTER_H_
