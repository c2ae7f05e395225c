#include "ir/ops/reshape_valid.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

using DimList = std::vector<const Expr*>;

bool SameDim(const Expr* a, const Expr* b, Context& context) {
  return context.InternDim(a) == context.InternDim(b);
}

bool IsFull(const Reshape& reshape, size_t dim, Context& context) {
  return SameDim(reshape.valid[dim], reshape.shape[dim], context);
}

bool IsAllValid(const Reshape& reshape, Context& context) {
  for (size_t i = 0; i < reshape.shape.size(); ++i) {
    if (!IsFull(reshape, i, context)) return false;
  }
  return true;
}

// The shapes differ in dims of extent 1 only: the others keep their valid
// extent, in order.
std::optional<DimList> AcrossUnitDims(const Reshape& reshape,
                                      Context& context) {
  DimList valid;
  size_t from = 0;
  const auto skip_units = [&] {
    while (from < reshape.shape.size() && IsConstant(reshape.shape[from], 1) &&
           IsFull(reshape, from, context)) {
      ++from;
    }
  };
  for (const Expr* dim : reshape.new_shape) {
    if (IsConstant(dim, 1)) {
      valid.push_back(dim);
      continue;
    }
    skip_units();
    if (from == reshape.shape.size() ||
        !SameDim(reshape.shape[from], dim, context)) {
      return std::nullopt;
    }
    valid.push_back(reshape.valid[from++]);
  }
  skip_units();
  if (from != reshape.shape.size()) return std::nullopt;
  return valid;
}

// The number of elements when the valid ones are the first of all, in row-major
// order.
std::optional<int64_t> PrefixLength(const Reshape& reshape, Context& context) {
  size_t free_dim = 0;
  while (free_dim + 1 < reshape.shape.size() &&
         IsConstant(reshape.valid[free_dim], 1)) {
    ++free_dim;
  }
  for (size_t i = free_dim + 1; i < reshape.shape.size(); ++i) {
    if (!IsFull(reshape, i, context)) return std::nullopt;
  }
  return ElementCount(reshape.valid.subspan(free_dim));
}

// The rectangle of that many first elements.
std::optional<DimList> RectangleOf(int64_t length, Exprs shape,
                                   Context& context) {
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::optional<int64_t> inner = ElementCount(shape.subspan(i + 1));
    const std::optional<int64_t> extent = ConstantOf(shape[i]);
    if (!inner.has_value() || !extent.has_value()) return std::nullopt;
    if (*inner == 0 || length % *inner != 0) continue;
    if (length / *inner > *extent) continue;
    DimList valid(i, context.Index(1));
    valid.push_back(context.Index(length / *inner));
    valid.insert(valid.end(), shape.begin() + i + 1, shape.end());
    return valid;
  }
  return std::nullopt;
}

}  // namespace

std::optional<DimList> ReshapedValid(const Reshape& reshape, Context& context) {
  if (IsAllValid(reshape, context)) {
    return DimList(reshape.new_shape.begin(), reshape.new_shape.end());
  }
  for (const Expr* extent : reshape.valid) {
    if (IsConstant(extent, 0)) {
      return DimList(reshape.new_shape.size(), context.Index(0));
    }
  }
  if (auto valid = AcrossUnitDims(reshape, context)) return valid;
  const std::optional<int64_t> length = PrefixLength(reshape, context);
  if (!length.has_value()) return std::nullopt;
  return RectangleOf(*length, reshape.new_shape, context);
}

}  // namespace mxtile::ir
