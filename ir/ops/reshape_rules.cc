#include "ir/ops/reshape_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ops/elementwise_rules.h"
#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

using ExprVector = std::vector<const Expr*>;

// ---- Dims of 1 that come and go

// Pairs the dims in order; what is left on either side must be 1.
class UnitDimMatcher {
 public:
  UnitDimMatcher(const Reshape& reshape, Context& context)
      : reshape_(reshape),
        context_(context),
        rows_(reshape.shape.size() + 1),
        cols_(reshape.new_shape.size() + 1),
        fits_(rows_ * cols_, false) {
    for (size_t i = rows_; i-- > 0;) {
      for (size_t j = cols_; j-- > 0;) {
        fits_[i * cols_ + j] =
            Last(i, j) || Pairs(i, j) || Drops(i, j) || Adds(i, j);
      }
    }
  }

  std::optional<ExprVector> Mapped() const {
    if (!Fits(0, 0)) return std::nullopt;
    ExprVector valid;
    for (size_t i = 0, j = 0; !Last(i, j);) {
      if (Pairs(i, j)) {
        valid.push_back(reshape_.valid[i++]);
        ++j;
      } else if (Drops(i, j)) {
        ++i;
      } else {
        valid.push_back(reshape_.new_shape[j++]);
      }
    }
    return valid;
  }

 private:
  bool Fits(size_t i, size_t j) const { return fits_[i * cols_ + j]; }
  bool Last(size_t i, size_t j) const {
    return i + 1 == rows_ && j + 1 == cols_;
  }
  bool Pairs(size_t i, size_t j) const {
    return i + 1 < rows_ && j + 1 < cols_ && Fits(i + 1, j + 1) &&
           IsSameDim(reshape_.shape[i], reshape_.new_shape[j], context_);
  }
  bool Drops(size_t i, size_t j) const {
    return i + 1 < rows_ && Fits(i + 1, j) &&
           IsConstant(reshape_.shape[i], 1) && IsConstant(reshape_.valid[i], 1);
  }
  bool Adds(size_t i, size_t j) const {
    return j + 1 < cols_ && Fits(i, j + 1) &&
           IsConstant(reshape_.new_shape[j], 1);
  }

  const Reshape& reshape_;
  Context& context_;
  const size_t rows_;
  const size_t cols_;
  std::vector<bool> fits_;  // Whether the dims from (i, j) on match.
};

// ---- A run of elements from the start

// One rectangle under the new shape: 1 before `axis`, all behind it.
ExprVector BoxAt(Exprs shape, size_t axis, const Expr* extent,
                 Context& context) {
  ExprVector box(shape.begin(), shape.end());
  std::fill(box.begin(), box.begin() + axis, context.Index(1));
  box[axis] = extent;
  return box;
}

std::optional<ExprVector> MapRun(const Reshape& reshape, Context& context) {
  const Dims shape = reshape.shape;
  // The first dim of which more than one index is valid; all behind it is.
  size_t axis = 0;
  while (axis + 1 < shape.size() && IsConstant(reshape.valid[axis], 1)) ++axis;
  if (!HaveSameDims(shape.subspan(axis + 1), reshape.valid.subspan(axis + 1),
                    context)) {
    return std::nullopt;
  }
  const std::optional<int64_t> row = ElementCount(shape.subspan(axis + 1));
  if (!row.has_value() || !ElementCount(reshape.new_shape).has_value()) {
    return std::nullopt;
  }
  const Expr* valid = reshape.valid[axis];
  const std::optional<int64_t> extent = ConstantOf(valid);
  const std::optional<int64_t> size = ConstantOf(shape[axis]);
  int64_t run = 0;
  if (extent.has_value() && __builtin_mul_overflow(*extent, *row, &run)) {
    return std::nullopt;
  }
  for (size_t i = 0; i < reshape.new_shape.size(); ++i) {
    const int64_t new_row = *ElementCount(reshape.new_shape.subspan(i + 1));
    const int64_t new_size = *ConstantOf(reshape.new_shape[i]);
    if (new_row <= 0) return std::nullopt;
    if (extent.has_value()) {
      if (run % new_row == 0 && run / new_row <= new_size) {
        return BoxAt(reshape.new_shape, i, context.Index(run / new_row),
                     context);
      }
    } else if (new_row == *row && size.has_value() && *size <= new_size) {
      return BoxAt(reshape.new_shape, i, valid, context);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<ExprVector> ReshapedValidShape(const Reshape& reshape,
                                             Context& context) {
  const Exprs new_shape = reshape.new_shape;
  if (HaveSameDims(reshape.shape, reshape.valid, context)) {
    return ExprVector(new_shape.begin(), new_shape.end());
  }
  if (std::any_of(reshape.valid.begin(), reshape.valid.end(),
                  [](const Expr* e) { return IsConstant(e, 0); })) {
    return ExprVector(new_shape.size(), context.Index(0));
  }
  if (auto mapped = UnitDimMatcher(reshape, context).Mapped()) return mapped;
  if (!reshape.is_row_major) return std::nullopt;
  return MapRun(reshape, context);
}

bool IsReinterpretable(DataType dtype) {
  switch (dtype) {
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUInt8:
    case DataType::kUInt16:
    case DataType::kUInt32:
    case DataType::kUInt64:
    case DataType::kFP16:
    case DataType::kFP32:
    case DataType::kBF16:
      return true;
    default:
      return false;
  }
}

std::optional<ExprVector> ReinterpretedShape(Exprs shape, size_t axis,
                                             DataType from, DataType to,
                                             Context& context) {
  ExprVector result(shape.begin(), shape.end());
  const Expr*& dim = result[axis];
  if (BitWidth(from) >= BitWidth(to)) {
    dim = Multiple(context, dim, BitWidth(from) / BitWidth(to));
    return result;
  }
  const int64_t divisor = BitWidth(to) / BitWidth(from);
  if (const std::optional<int64_t> extent = ConstantOf(dim)) {
    if (*extent % divisor != 0) return std::nullopt;
    dim = context.Index(*extent / divisor);
    return result;
  }
  // n * 4 halves of ... : the factor cancels.
  const auto* product = DynCast<Binary>(dim);
  if (product == nullptr || product->op != BinaryOp::kMul) return std::nullopt;
  if (IsConstant(product->rhs, divisor)) {
    dim = product->lhs;
  } else if (IsConstant(product->lhs, divisor)) {
    dim = product->rhs;
  } else {
    return std::nullopt;
  }
  return result;
}

}  // namespace mxtile::ir
