#include "ir/type_agreement.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/shape_rules.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/type_walk.h"

namespace mxtile::ir {
namespace {

using Found = std::optional<TypeMismatch>;

template <typename A, typename B>
TypeMismatch Differ(absl::string_view rule, absl::string_view what, const A& a,
                    const B& b) {
  return {rule, absl::StrCat(what, " ", a, " and ", b)};
}

// Arithmetic on INDEX values may be stated as INT64: they are the same 64 bits.
DataType AsInteger(DataType scalar) {
  return scalar == DataType::kIndex ? DataType::kInt64 : scalar;
}

Found CompareElements(DataType a, DataType b, absl::string_view what) {
  if (a == b) return std::nullopt;
  return Differ("MX-TYPE-2", what, DataTypeName(a), DataTypeName(b));
}

Found CompareDims(Dims a, Dims b, absl::string_view what) {
  if (a.size() != b.size()) {
    return Differ("MX-TYPE-3", absl::StrCat("their ", what, "s have rank"),
                  a.size(), b.size());
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (!KnownDifferent(a[i], b[i])) continue;
    return Differ("MX-TYPE-4", absl::StrCat("their ", what, "s are"),
                  ShapeText(a), ShapeText(b));
  }
  return std::nullopt;
}

Found CompareTensors(const TensorType& a, const TensorType& b) {
  Found found = CompareDims(EffectiveValidShape(a), EffectiveValidShape(b),
                            "valid shape");
  if (found.has_value()) return found;
  const PadValue in_a = a.view == nullptr ? PadValue::kNull : a.view->pad;
  const PadValue in_b = b.view == nullptr ? PadValue::kNull : b.view->pad;
  if (in_a == in_b) return std::nullopt;
  return Differ("MX-TYPE-9", "their padding is", EnumName(in_a),
                EnumName(in_b));
}

std::string ViewText(const TileView& view) {
  std::string text = absl::StrCat(
      EnumName(view.blayout), "/", EnumName(view.slayout), "/", view.fractal,
      " of stride ", ShapeText(view.stride), ", pad ", EnumName(view.pad),
      ", compact ", EnumName(view.compact));
  if (view.start_offset != nullptr) {
    absl::StrAppend(&text, ", start offset ", PrintExpr(view.start_offset));
  }
  return text;
}

bool SameStride(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (KnownDifferent(a[i], b[i])) return false;
  }
  return true;
}

Found CompareTiles(const TileType& a, const TileType& b) {
  Found found = CompareDims(a.EffectiveValidShape(), b.EffectiveValidShape(),
                            "valid shape");
  if (found.has_value()) return found;
  const bool comparable = (a.view != nullptr && b.view != nullptr) ||
                          (a.space.has_value() && a.space == b.space);
  if (!comparable || a.view == b.view) return std::nullopt;
  const TileView x = a.EffectiveView();
  const TileView y = b.EffectiveView();
  if (SameLayout(x, y) && x.pad == y.pad && x.compact == y.compact &&
      SameStride(x.stride, y.stride) &&
      (x.start_offset == nullptr) == (y.start_offset == nullptr) &&
      !KnownDifferent(x.start_offset, y.start_offset)) {
    return std::nullopt;
  }
  return Differ("MX-TYPE-11", "their tile views are", ViewText(x), ViewText(y));
}

// Tensors and tiles.
template <typename Shaped>
Found CompareShaped(const Shaped& a, const Shaped& b) {
  Found found = CompareElements(a.dtype, b.dtype, "their elements are");
  return found.has_value() ? found : CompareDims(a.shape, b.shape, "shape");
}

Found CompareTuples(const TupleType& a, const TupleType& b) {
  if (a.elements.size() != b.elements.size()) {
    return Differ("MX-TYPE-5", "their numbers of elements are",
                  a.elements.size(), b.elements.size());
  }
  for (size_t i = 0; i < a.elements.size(); ++i) {
    Found found = FindTypeMismatch(*a.elements[i], *b.elements[i]);
    if (!found.has_value()) continue;
    found->what = absl::StrCat("in element ", i, " ", found->what);
    return found;
  }
  return std::nullopt;
}

absl::string_view KindName(TypeKind kind) {
  switch (kind) {
    case TypeKind::kScalar:
      return "a scalar";
    case TypeKind::kTensor:
      return "a tensor";
    case TypeKind::kDistributedTensor:
      return "a distributed tensor";
    case TypeKind::kTile:
      return "a tile";
    case TypeKind::kArray:
      return "an array";
    case TypeKind::kTuple:
      return "a tuple";
    default:
      return MarkerTypeName(kind);
  }
}

Found FindUnsound(Dims valid, Dims shape) {
  if (valid.empty()) return std::nullopt;
  if (valid.size() != shape.size()) {
    return Differ("MX-TYPE-3", "the ranks of valid shape and shape are",
                  valid.size(), shape.size());
  }
  for (size_t i = 0; i < valid.size(); ++i) {
    const std::optional<int64_t> extent = ConstantOf(valid[i]);
    const std::optional<int64_t> size = ConstantOf(shape[i]);
    if (!extent.has_value()) continue;
    if (*extent >= 0 && (!size.has_value() || *extent <= *size)) continue;
    return TypeMismatch{
        "MX-TYPE-4",
        absl::StrCat("the valid shape ", ShapeText(valid),
                     " is not inside the shape ", ShapeText(shape))};
  }
  return std::nullopt;
}

}  // namespace

// Recursion follows the nesting of tuple types, which readers limit.
std::optional<TypeMismatch> FindTypeMismatch(const Type& a, const Type& b) {
  if (&a == &b || a.kind == TypeKind::kUnknown ||
      b.kind == TypeKind::kUnknown) {
    return std::nullopt;
  }
  if (a.kind != b.kind) {
    return Differ("MX-TYPE-1", "they are", KindName(a.kind), KindName(b.kind));
  }
  if (const auto* scalar = DynCast<ScalarType>(&a)) {
    const DataType other = DynCast<ScalarType>(&b)->dtype;
    if (AsInteger(scalar->dtype) == AsInteger(other)) return std::nullopt;
    return CompareElements(scalar->dtype, other, "their types are");
  }
  if (const auto* tensor = DynCast<TensorType>(&a)) {
    const auto& other = *DynCast<TensorType>(&b);
    Found found = CompareShaped(*tensor, other);
    return found.has_value() ? found : CompareTensors(*tensor, other);
  }
  if (const auto* tile = DynCast<TileType>(&a)) {
    const auto& other = *DynCast<TileType>(&b);
    Found found = CompareShaped(*tile, other);
    return found.has_value() ? found : CompareTiles(*tile, other);
  }
  if (const auto* tuple = DynCast<TupleType>(&a)) {
    return CompareTuples(*tuple, *DynCast<TupleType>(&b));
  }
  if (const auto* array = DynCast<ArrayType>(&a)) {
    const auto& other = *DynCast<ArrayType>(&b);
    if (array->dtype == other.dtype && array->extent != other.extent) {
      return Differ("MX-TYPE-4", "their extents are", array->extent,
                    other.extent);
    }
    return CompareElements(array->dtype, other.dtype, "their elements are");
  }
  return std::nullopt;
}

std::optional<TypeMismatch> FindUnsoundValidShape(const Type& type) {
  Found found;
  ForEachLeafType(type, [&found](const Type& leaf) {
    if (found.has_value()) return;
    if (const auto* tensor = DynCast<TensorType>(&leaf)) {
      if (tensor->view != nullptr) {
        found = FindUnsound(tensor->view->valid_shape, tensor->shape);
      }
    } else if (const auto* tile = DynCast<TileType>(&leaf)) {
      if (tile->view != nullptr) {
        found = FindUnsound(tile->view->valid_shape, tile->shape);
      }
    }
  });
  return found;
}

}  // namespace mxtile::ir
