#ifndef PASSES_FUNCTION_ATTRS_H_
#define PASSES_FUNCTION_ATTRS_H_

// Attributes that passes leave on functions, so that a second run knows.

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/program.h"

namespace mxtile {

inline constexpr absl::string_view kMxTensorViewsBlocked =
    "mx_tensor_views_blocked";
inline constexpr absl::string_view kNzTensorViewsBlocked =
    "nz_tensor_views_blocked";

// Whether the function has the attribute with the value True.
inline bool HasMark(const ir::Function& function, absl::string_view mark) {
  const ir::AttrValue* value = ir::FindAttr(function.attrs, mark);
  return value != nullptr && value->kind == ir::AttrValue::Kind::kBool &&
         value->bool_value;
}

// The function with the attribute set to True.
const ir::Function* WithMark(const ir::Function& function,
                             absl::string_view mark, ir::Context* context);

}  // namespace mxtile

#endif  // PASSES_FUNCTION_ATTRS_H_
