#include "ir/ops/shape_rules.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace mxtile::ir {
namespace {

std::optional<int64_t> CheckedProduct(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace

std::optional<int64_t> ConstantOf(const Expr* dim) {
  const ConstInt* constant = AsConstInt(dim);
  if (constant == nullptr) return std::nullopt;
  return constant->value;
}

bool IsConstant(const Expr* dim, int64_t value) {
  return ConstantOf(dim) == value;
}

bool KnownDifferent(const Expr* a, const Expr* b) {
  const std::optional<int64_t> left = ConstantOf(a);
  const std::optional<int64_t> right = ConstantOf(b);
  return left.has_value() && right.has_value() && *left != *right;
}

std::string ShapeText(Exprs dims) {
  const auto dim_text = [](std::string* out, const Expr* dim) {
    if (const ConstInt* constant = AsConstInt(dim)) {
      absl::StrAppend(out, constant->value);
    } else if (const Var* var = DynCast<Var>(dim)) {
      absl::StrAppend(out, var->name);
    } else {
      absl::StrAppend(out, "?");
    }
  };
  return absl::StrCat("[", absl::StrJoin(dims, ", ", dim_text), "]");
}

const Expr* Multiple(Context& context, const Expr* dim, int64_t factor) {
  if (const std::optional<int64_t> value = ConstantOf(dim)) {
    if (const std::optional<int64_t> product = CheckedProduct(*value, factor)) {
      return context.Index(*product);
    }
  }
  return context.NewBinary(BinaryOp::kMul, dim, context.Index(factor));
}

const Expr* Plus(Context& context, const Expr* a, const Expr* b) {
  const std::optional<int64_t> left = ConstantOf(a);
  const std::optional<int64_t> right = ConstantOf(b);
  if (left == 0) return b;
  if (right == 0) return a;
  int64_t sum;
  if (left.has_value() && right.has_value() &&
      !__builtin_add_overflow(*left, *right, &sum)) {
    return context.Index(sum);
  }
  return context.NewBinary(BinaryOp::kAdd, a, b);
}

const Expr* Times(Context& context, const Expr* a, const Expr* b) {
  if (IsConstant(a, 1)) return b;
  if (IsConstant(b, 1)) return a;
  if (const std::optional<int64_t> factor = ConstantOf(b)) {
    return Multiple(context, a, *factor);
  }
  return context.NewBinary(BinaryOp::kMul, a, b);
}

std::optional<int64_t> ElementCount(Dims shape) {
  std::optional<int64_t> count = 1;
  for (const Expr* dim : shape) {
    const std::optional<int64_t> extent = ConstantOf(dim);
    if (!extent.has_value()) return std::nullopt;
    count = CheckedProduct(*count, *extent);
    if (!count.has_value()) return std::nullopt;
  }
  return count;
}

bool MayBePackedRowMajor(Dims shape, Dims stride) {
  if (stride.empty()) return true;
  if (stride.size() != shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (IsConstant(shape[i], 1)) continue;  // Never stepped over.
    const std::optional<int64_t> packed = ElementCount(shape.subspan(i + 1));
    const std::optional<int64_t> actual = ConstantOf(stride[i]);
    if (packed.has_value() && actual.has_value() && *packed != *actual) {
      return false;
    }
  }
  return true;
}

bool MayBePacked(const TensorType& tensor) {
  if (tensor.view == nullptr || tensor.view->stride.empty()) return true;
  std::vector<const Expr*> shape(tensor.shape.begin(), tensor.shape.end());
  std::vector<const Expr*> stride(tensor.view->stride.begin(),
                                  tensor.view->stride.end());
  if (tensor.layout() == TensorLayout::kDN && shape.size() >= 2 &&
      stride.size() == shape.size()) {
    std::swap(shape[shape.size() - 2], shape.back());
    std::swap(stride[stride.size() - 2], stride.back());
  }
  return MayBePackedRowMajor(shape, stride);
}

bool IsBlockedMxShape(Exprs shape) {
  return shape.size() == 5 && IsConstant(shape[0], 1) &&
         IsConstant(shape[3], kMxBoxLanes) &&
         IsConstant(shape[4], kMxBoxGroups);
}

bool IsBlockedNzShape(Exprs shape, DataType dtype) {
  constexpr int64_t kRows = 16;
  constexpr int64_t kRowBits = 256;
  return shape.size() == 5 && IsConstant(shape[3], kRows) &&
         IsConstant(shape[4], kRowBits / BitWidth(dtype));
}

Dims EffectiveValidShape(const TensorType& tensor) {
  return tensor.view != nullptr && !tensor.view->valid_shape.empty()
             ? tensor.view->valid_shape
             : tensor.shape;
}

bool SameLayout(const TileView& a, const TileView& b) {
  return a.blayout == b.blayout && a.slayout == b.slayout &&
         a.fractal == b.fractal;
}

absl::Status CheckResultShape(const OpCall& call, Exprs shape, DataType dtype) {
  if (dtype == DataType::kFP4) {
    if (shape.empty()) {
      return call.Error("MX-OP-6",
                        "FP4 data needs rank >= 1, got an empty shape; two FP4 "
                        "elements share a byte along the last dimension");
    }
    const std::optional<int64_t> last = ConstantOf(shape.back());
    if (last.has_value() && (*last <= 0 || *last % 2 != 0)) {
      return call.Error(
          "MX-OP-6",
          "the last dimension of FP4 data must be a positive even "
          "number of elements, got ",
          *last, "; pad it, two elements share a byte");
    }
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(shape[i]);
    if (extent.has_value() && *extent <= 0) {
      return call.Error("MX-OP-6", "dimension ", i,
                        " of the shape must be positive, got ", *extent);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOffsets(const OpCall& call, absl::string_view rule,
                          Exprs offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    const std::optional<int64_t> offset = ConstantOf(offsets[i]);
    if (offset.has_value() && *offset < 0) {
      return call.Error(rule, "offset ", i, " must not be negative, got ",
                        *offset);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckWindow(const OpCall& call, absl::string_view rule,
                         const Window& window, absl::string_view verb,
                         absl::string_view advice) {
  MX_RETURN_IF_ERROR(CheckOffsets(call, rule, window.offsets));
  for (size_t i = 0; i < window.shape.size(); ++i) {
    const std::optional<int64_t> offset = ConstantOf(window.offsets[i]);
    const std::optional<int64_t> extent = ConstantOf(window.extents[i]);
    const std::optional<int64_t> size = ConstantOf(window.shape[i]);
    if (!offset.has_value() || !extent.has_value() || !size.has_value()) {
      continue;
    }
    if (*offset > *size || *extent > *size - *offset) {
      return call.Error(rule, verb, " past the end of dimension ", i,
                        ": offset ", *offset, " + extent ", *extent, " > size ",
                        *size, "; ", advice);
    }
  }
  return absl::OkStatus();
}

}  // namespace mxtile::ir
