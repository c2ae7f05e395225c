#ifndef IR_OPS_SHAPE_RULES_H_
#define IR_OPS_SHAPE_RULES_H_

// What type deductions ask about dims. Dims may be symbolic; every check here
// compares constants only, and what is not known passes.
//
//   ConstantOf(dim)                        // 16, or nullopt for a variable
//   IsBlockedMxShape(tensor.shape)         // [1, *, *, 16, 2]
//   CheckWindow(call, "MX-LOAD-8", {offsets, extents, shape}, "reads", advice)

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/type.h"

namespace mxtile::ir {

// One MX scale serves this many neighbours along K.
inline constexpr int64_t kMxGroup = 32;
// One box of MX scales: 16 rows (A) or columns (B), 2 groups.
inline constexpr int64_t kMxBoxLanes = 16;
inline constexpr int64_t kMxBoxGroups = 2;

std::optional<int64_t> ConstantOf(const Expr* dim);
bool IsConstant(const Expr* dim, int64_t value);
// Both constant and different.
bool KnownDifferent(const Expr* a, const Expr* b);
// "[16, n, ?]": constants and variables by name.
std::string ShapeText(Exprs dims);

// dim * factor: a constant where that can be computed, else a product.
const Expr* Multiple(Context& context, const Expr* dim, int64_t factor);

// a + b: a constant where that can be computed, else a sum.
const Expr* Plus(Context& context, const Expr* a, const Expr* b);
// a * b, the same way.
const Expr* Times(Context& context, const Expr* a, const Expr* b);

// Product of the dims; nullopt when one is symbolic or it overflows.
std::optional<int64_t> ElementCount(Dims shape);

// Whether the stride may be that of the shape packed row by row. No stride is
// packed.
bool MayBePackedRowMajor(Dims shape, Dims stride);

// The same for a tensor in its layout. The stride of a DN tensor is that of its
// row-major transpose.
bool MayBePacked(const TensorType& tensor);

// A blocked MX scale tensor or window (pypto_passes 5.3).
bool IsBlockedMxShape(Exprs shape);
// A blocked NZ tensor or window, [b, *, *, 16, c0] with c0 the elements in 32
// bytes (pypto_passes 4).
bool IsBlockedNzShape(Exprs shape, DataType dtype);

// The valid shape, or the whole shape where none is stored.
Dims EffectiveValidShape(const TensorType& tensor);

// Blayout, slayout and fractal agree.
bool SameLayout(const TileView& a, const TileView& b);

// MX-OP-6: what holds of every shape that an operator gives to its result.
absl::Status CheckResultShape(const OpCall& call, Exprs shape, DataType dtype);

// Constant offsets are not negative.
absl::Status CheckOffsets(const OpCall& call, absl::string_view rule,
                          Exprs offsets);

struct Window {
  Exprs offsets;
  Exprs extents;
  Dims shape;
};

// The window starts at or after 0 and ends inside the shape, in each dim. The
// ranks agree. `verb` and `advice` complete the message.
absl::Status CheckWindow(const OpCall& call, absl::string_view rule,
                         const Window& window, absl::string_view verb,
                         absl::string_view advice);

}  // namespace mxtile::ir

#endif  // IR_OPS_SHAPE_RULES_H_
