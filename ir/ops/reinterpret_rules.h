#ifndef IR_OPS_REINTERPRET_RULES_H_
#define IR_OPS_REINTERPRET_RULES_H_

// What becomes of dims when the same bytes are read as another element type.
//
//   ReinterpretedShape([8, 64], 1, kFP32, kFP16, context) == [8, 128]
//
// Source: reinterpret_view_semantics.h of public PyPTO.

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"

namespace mxtile::ir {

// Whether elements of the type can be read as those of another type.
bool IsReinterpretable(DataType dtype);

// The dims when elements of type `from` are read as `to`: dim `axis`, along
// which elements follow each other, counts the same bytes. Nullopt when they
// are not known to be a whole number of elements.
std::optional<std::vector<const Expr*>> ReinterpretedShape(
    Exprs shape, size_t axis, DataType from, DataType to, Context& context);

}  // namespace mxtile::ir

#endif  // IR_OPS_REINTERPRET_RULES_H_
