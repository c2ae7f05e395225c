#ifndef PASSES_TYPED_SITES_H_
#define PASSES_TYPED_SITES_H_

// Where types stand in a function, for checks of all of them.
//
//   ForEachTypedSite(function,
//       [&](const ir::Type* type, ir::SourceSpan span, absl::string_view what)
//       {
//         ...  // of a parameter, a result, a variable
//       },
//       [&](const ir::Expr& expr, bool has_variables_type, ir::SourceSpan span)
//       {
//         ...
//       });
//
// In program order, of an expression its operands first. `what` is the name of
// a parameter or variable, or "the return value". `has_variables_type`: the
// expression is the right side of an assignment whose variable has the same
// type, which has been seen with it. `span` is the statement's for an
// expression without a place.

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/type.h"

namespace mxtile {

void ForEachTypedSite(
    const ir::Function& function,
    absl::FunctionRef<void(const ir::Type*, ir::SourceSpan, absl::string_view)>
        on_type,
    absl::FunctionRef<void(const ir::Expr&, bool, ir::SourceSpan)> on_expr);

}  // namespace mxtile

#endif  // PASSES_TYPED_SITES_H_
