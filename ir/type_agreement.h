#ifndef IR_TYPE_AGREEMENT_H_
#define IR_TYPE_AGREEMENT_H_

// Whether a value of one type can be what a variable of another type holds:
//
//   if (auto mismatch = FindTypeMismatch(*value->type, *var->type)) {
//     sink->Error(mismatch->rule, place, mismatch->what);
//   }
//
// Constants are compared; a dim that is symbolic on a side agrees with every
// other, and so does a type that is not known (kUnknown). INDEX and INT64
// scalars agree. Memory spaces and
// memrefs may differ: they are inferred later. So may the layouts of tiles
// before the space is decided: views are compared where both sides state one,
// or where both are in the same space.
//
// The rules are listed in ir/verifier.h: MX-TYPE-1 to -5, -9 and -11.

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "ir/type.h"

namespace mxtile::ir {

struct TypeMismatch {
  absl::string_view rule;
  std::string what;  // "their elements are FP16 and FP32"
};

// The first way in which the types do not agree. One pointer compare for types
// that are the same.
std::optional<TypeMismatch> FindTypeMismatch(const Type& a, const Type& b);

// Whether the type by itself is sound: a valid shape has the rank of the shape
// and lies inside it.
std::optional<TypeMismatch> FindUnsoundValidShape(const Type& type);

}  // namespace mxtile::ir

#endif  // IR_TYPE_AGREEMENT_H_
