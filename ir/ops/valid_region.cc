#include "ir/ops/valid_region.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

bool KnownEqual(const Expr* a, const Expr* b, Context& context) {
  return context.InternDim(a) == context.InternDim(b);
}

bool AtOrigin(Exprs offsets) {
  return std::all_of(offsets.begin(), offsets.end(),
                     [](const Expr* e) { return IsConstant(e, 0); });
}

bool IsEmpty(Exprs extents) {
  return std::any_of(extents.begin(), extents.end(),
                     [](const Expr* e) { return IsConstant(e, 0); });
}

// The window covers the whole of a dim that is not the one that grows.
bool SpansExactly(const RegionAt& written, size_t dim, Context& context) {
  return IsConstant(written.offsets[dim], 0) &&
         KnownEqual(written.extents[dim], written.valid[dim], context);
}

}  // namespace

bool KnownAtMost(const Expr* a, const Expr* b, Context& context) {
  if (context.InternDim(a) == context.InternDim(b)) return true;
  const std::optional<int64_t> left = ConstantOf(a);
  const std::optional<int64_t> right = ConstantOf(b);
  return left.has_value() && right.has_value() && *left <= *right;
}

std::vector<const Expr*> VisibleThrough(const RegionAt& window,
                                        Context& context) {
  std::vector<const Expr*> visible(window.extents.begin(),
                                   window.extents.end());
  for (size_t i = 0; i < visible.size(); ++i) {
    const std::optional<int64_t> valid = ConstantOf(window.valid[i]);
    const std::optional<int64_t> offset = ConstantOf(window.offsets[i]);
    const std::optional<int64_t> extent = ConstantOf(window.extents[i]);
    if (!valid.has_value() || !offset.has_value() || !extent.has_value()) {
      continue;
    }
    const int64_t rest = *valid <= *offset ? 0 : *valid - *offset;
    if (rest < *extent) visible[i] = context.Index(rest);
  }
  return visible;
}

std::optional<std::vector<const Expr*>> UnionWithWritten(
    const RegionAt& written, Context& context) {
  std::vector<const Expr*> before(written.valid.begin(), written.valid.end());
  const std::vector<const Expr*> window(written.extents.begin(),
                                        written.extents.end());
  if (IsEmpty(written.extents)) return before;
  if (IsEmpty(written.valid)) {
    if (!AtOrigin(written.offsets)) return std::nullopt;
    return window;
  }

  std::vector<size_t> growing;
  bool covers_before = AtOrigin(written.offsets);
  for (size_t i = 0; i < before.size(); ++i) {
    const Expr* end = Plus(context, written.offsets[i], written.extents[i]);
    if (!KnownAtMost(end, before[i], context)) growing.push_back(i);
    covers_before =
        covers_before && KnownAtMost(before[i], written.extents[i], context);
  }
  if (growing.empty()) return before;
  if (covers_before) return window;

  // Growth in two dims, a gap or a narrower slab leaves an L or two pieces.
  if (growing.size() > 1) return std::nullopt;
  const size_t axis = growing[0];
  if (!KnownAtMost(written.offsets[axis], before[axis], context)) {
    return std::nullopt;
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (i != axis && !SpansExactly(written, i, context)) return std::nullopt;
  }
  before[axis] = Plus(context, written.offsets[axis], written.extents[axis]);
  return before;
}

}  // namespace mxtile::ir
