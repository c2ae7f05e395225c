#ifndef IR_PROGRAM_H_
#define IR_PROGRAM_H_

// Functions and programs (pypto_ir section 6).

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/source_span.h"
#include "ir/stmt.h"

namespace mxtile::ir {

struct Function {
  absl::string_view name;
  Vars params;
  absl::Span<const ParamDirection> directions;  // One a param.
  absl::Span<const Type* const> return_types;
  Block body;
  FunctionType function_type = FunctionType::kOpaque;
  // Filled in from the function type where the text states none.
  std::optional<Level> level;
  std::optional<Role> role;
  // Those that stand in the decorator come first.
  Attrs attrs;
  SourceSpan span;
  absl::Span<const absl::string_view> comments;
};

// Whether a function's attribute prints in the decorator: auto_scope and
// external_source. All others print in pl.func_attr.
bool StandsInDecorator(absl::string_view attr);

// Functions are ordered by name.
struct Program {
  absl::string_view name;
  absl::Span<const Function* const> functions;
  // Dimensions known at run time only: INDEX variables, NAME =
  // pl.dynamic("NAME").
  Vars dynamic_dims;
  absl::Span<const absl::string_view> comments;

  // Null when there is none of that name.
  const Function* Find(absl::string_view name) const;
};

}  // namespace mxtile::ir

#endif  // IR_PROGRAM_H_
