#include "ir/ops/elementwise_rules.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

// The dim of two that meet; null when they do not fit.
const Expr* BroadcastDim(const Expr* a, const Expr* b, Context& context) {
  if (IsConstant(a, 1)) return b;
  if (IsConstant(b, 1) || IsSameDim(a, b, context)) return a;
  if (KnownDifferent(a, b)) return nullptr;
  return ConstantOf(b).has_value() ? b : a;
}

}  // namespace

DataType PromotedType(DataType a, DataType b) {
  if (IsFloat(a) != IsFloat(b)) return IsFloat(a) ? a : b;
  if (BitWidth(a) != BitWidth(b)) return BitWidth(a) > BitWidth(b) ? a : b;
  return IsSignedInteger(b) && !IsSignedInteger(a) ? b : a;
}

DataType ScalarOperandType(const Expr& scalar, DataType elements) {
  const DataType dtype = CheckedCast<ScalarType>(scalar.type)->dtype;
  const bool is_bare = AsConstInt(&scalar) != nullptr;
  return is_bare && dtype == DataType::kIndex ? elements : dtype;
}

bool IsSameDim(const Expr* a, const Expr* b, Context& context) {
  return context.InternDim(a) == context.InternDim(b);
}

bool HaveSameDims(Exprs a, Exprs b, Context& context) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [&context](const Expr* x, const Expr* y) {
                      return IsSameDim(x, y, context);
                    });
}

std::optional<std::vector<const Expr*>> BroadcastShape(Exprs a, Exprs b,
                                                       Context& context) {
  const Exprs longer = a.size() >= b.size() ? a : b;
  const Exprs shorter = a.size() >= b.size() ? b : a;
  std::vector<const Expr*> shape(longer.begin(), longer.end());
  const size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const Expr*& dim = shape[shift + i];
    dim = BroadcastDim(dim, shorter[i], context);
    if (dim == nullptr) return std::nullopt;
  }
  return shape;
}

std::vector<const Expr*> ReducedShape(Exprs shape, int axis, bool keep_dim,
                                      Context& context) {
  std::vector<const Expr*> reduced(shape.begin(), shape.end());
  if (keep_dim) {
    reduced[axis] = context.Index(1);
  } else {
    reduced.erase(reduced.begin() + axis);
  }
  return reduced;
}

std::optional<int> NormalizedAxis(int64_t axis, size_t rank) {
  const int64_t end = static_cast<int64_t>(rank);
  if (axis < -end || axis >= end) return std::nullopt;
  return static_cast<int>(axis < 0 ? axis + end : axis);
}

}  // namespace mxtile::ir
