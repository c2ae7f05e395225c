#include "exec/reference/reference_backend.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/reference/quant_ops.h"
#include "exec/reference/reference_tile.h"
#include "exec/window.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/type.h"

namespace mxtile::exec {
namespace {

constexpr int64_t kBoxLines = 16;  // Rows (A) or columns (B) of a scale box,
constexpr int64_t kBoxGroups = 2;  // which spans two groups.

template <typename T>
T& Get(const Value& value) {
  auto* object = dynamic_cast<T*>(value.AsObject().get());
  MX_CHECK(object != nullptr) << "object of another kind";
  return *object;
}

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

absl::Status Undefined(absl::string_view op, absl::string_view operand,
                       int64_t row, int64_t col) {
  return ir::RuleError("MX-REF-1",
                       absl::StrCat(op, ": element [", row, ", ", col, "] of ",
                                    operand, " has no value"));
}

template <typename Number>
std::shared_ptr<ReferenceTensor<Number>> NewTensor(std::vector<int64_t> shape) {
  auto tensor = std::make_shared<ReferenceTensor<Number>>();
  const int64_t count = Product(shape);
  tensor->shape = std::move(shape);
  tensor->values.resize(count);
  tensor->defined.resize(count);
  return tensor;
}

// The index in the tensor of the element that a row and column of a window
// name. Windows of more than two axes fold their leading axes into the rows.
class WindowIndex {
 public:
  WindowIndex(const std::vector<int64_t>& shape,
              const std::vector<int64_t>& offsets,
              const std::vector<int64_t>& sizes)
      : shape_(shape), offsets_(offsets), sizes_(sizes) {}

  int64_t operator()(int64_t row, int64_t col) const {
    int64_t index = 0;
    int64_t stride = 1;
    for (size_t i = shape_.size(); i-- > 0;) {
      const bool last = i + 1 == shape_.size();
      const int64_t at = last ? col : row % sizes_[i];
      if (!last) row /= sizes_[i];
      index += (offsets_[i] + at) * stride;
      stride *= shape_[i];
    }
    return index;
  }

 private:
  const std::vector<int64_t>& shape_;
  const std::vector<int64_t>& offsets_;
  const std::vector<int64_t>& sizes_;
};

// A blocked MX scale tensor [1, lines/16, groups/2, 16, 2]: the index of the
// scale of a line (row of A, column of B) and a group, both within the window.
class BlockedScaleIndex {
 public:
  BlockedScaleIndex(const std::vector<int64_t>& shape,
                    const std::vector<int64_t>& offsets)
      : pairs_(shape[2]), line_block_(offsets[1]), pair_(offsets[2]) {}

  int64_t operator()(int64_t line, int64_t group) const {
    const int64_t box =
        (line_block_ + line / kBoxLines) * pairs_ + pair_ + group / kBoxGroups;
    return (box * kBoxLines + line % kBoxLines) * kBoxGroups +
           group % kBoxGroups;
  }

 private:
  int64_t pairs_;
  int64_t line_block_;
  int64_t pair_;
};

// The tensor's layout when it is a blocked MX one.
const ir::TensorType* AsBlockedMx(const ir::Expr* tensor) {
  const auto* type = ir::DynCast<ir::TensorType>(tensor->type);
  return type != nullptr && ir::IsMx(type->layout()) && type->shape.size() == 5
             ? type
             : nullptr;
}

// A blocked NZ tensor [batch, C/c0, R/16, 16, c0]: the index of an element of
// the matrix that a window's fractals hold, the batches one below the other.
class BlockedNzIndex {
 public:
  BlockedNzIndex(const std::vector<int64_t>& shape,
                 const std::vector<int64_t>& offsets,
                 const std::vector<int64_t>& sizes)
      : shape_(shape), offsets_(offsets), rows_(sizes[2] * sizes[3]) {}

  int64_t operator()(int64_t row, int64_t col) const {
    const int64_t batch = offsets_[0] + row / rows_;
    const int64_t stripe = offsets_[1] + col / shape_[4];
    const int64_t fractal = offsets_[2] + row % rows_ / shape_[3];
    const int64_t box = (batch * shape_[1] + stripe) * shape_[2] + fractal;
    return (box * shape_[3] + row % shape_[3]) * shape_[4] + col % shape_[4];
  }

 private:
  const std::vector<int64_t>& shape_;
  const std::vector<int64_t>& offsets_;
  int64_t rows_;
};

// Whether the load is one of a blocked NZ tensor: it states the matrix.
bool IsBlockedNzLoad(const ir::Call& load, const std::vector<int64_t>& sizes) {
  const auto* source = ir::DynCast<ir::TensorType>(load.args[0]->type);
  const auto* tile = ir::DynCast<ir::TileType>(load.type);
  if (source == nullptr || source->layout() != ir::TensorLayout::kNZ ||
      source->shape.size() != 5 || sizes.size() != 5 || tile == nullptr ||
      tile->shape.size() != 2) {
    return false;
  }
  const ir::ConstInt* cols = ir::AsConstInt(tile->shape[1]);
  return cols != nullptr && cols->value == sizes[1] * sizes[4];
}

absl::Status Unsupported(absl::string_view op, absl::string_view kwarg) {
  return ir::RuleError("MX-REF-3",
                       absl::StrCat(op, " with ", kwarg,
                                    " cannot be run by the reference "
                                    "interpreter"));
}

// Masks are no bytes: only what works on truth values takes them.
bool TakesMasks(absl::string_view op) {
  return op == "tile.sel" || op == "tile.sels" || op == "tile.and" ||
         op == "tile.or" || op == "tile.move";
}

// The shape of the tile that a tile.store stores, as far as it is constant;
// empty else.
std::vector<int64_t> ShapeOf(const ir::Call& store) {
  std::vector<int64_t> shape;
  const auto* tile = ir::DynCast<ir::TileType>(store.args[0]->type);
  if (tile == nullptr) return shape;
  for (const ir::Expr* dim : tile->shape) {
    const ir::ConstInt* constant = ir::AsConstInt(dim);
    if (constant == nullptr) return {};
    shape.push_back(constant->value);
  }
  return shape;
}

// The part of a window of that shape which the valid rows and columns of a tile
// fill: rows are counted over all axes but the last, the last of these fastest.
// A shape with more axes than the tensor says nothing about its window: the
// rows are those of the tensor.
std::vector<int64_t> StoredWindow(const std::vector<int64_t>& shape,
                                  size_t rank, int64_t rows, int64_t columns) {
  std::vector<int64_t> sizes(rank, 1);
  if (rank == 0) return sizes;
  sizes[rank - 1] = columns;
  for (size_t i = 2; i <= rank; ++i) {
    // The outermost axis of the shape takes what is left.
    const bool is_outermost = i >= shape.size() || shape.size() > rank;
    const int64_t extent =
        is_outermost ? rows : std::min(rows, shape[shape.size() - i]);
    if (extent <= 0 || rows % extent != 0) {
      sizes[rank - i] = rows;
      break;
    }
    sizes[rank - i] = extent;
    rows /= extent;
  }
  return sizes;
}

}  // namespace

template <typename Number>
ReferenceBackend<Number>::ReferenceBackend(const ir::OpRegistry& registry)
    : elementwise_(registry), fill_(registry), matmul_(registry) {
  const std::pair<absl::string_view, Handler> table[] = {
      {"tile.load", Load},
      {"tile.store", Store},
      {"tile.move", Move},
      {"tile.create", CreateTile},
      {"tile.alloc", Nothing},
      {"tile.tget_scale_addr", FirstArg},
      {"tile.get_block_idx", BlockIndex},
      {"tile.get_block_num", BlockCount},
      {"tile.tquant_mx", Quantize},
      {"tile.tquant_mx_raw", QuantizeRaw},
      {"tile.tmov_x2zz", ToZz},
      {"tile.reinterpret_view", Reinterpret},
      {"tile.transpose", Transpose},
      {"tile.transpose_view", Transpose},
      {"tensor.create", CreateTensorOp},
  };
  for (const auto& [name, handler] : table) {
    const ir::OpDef* def = registry.Find(name);
    if (def != nullptr) handlers_[def] = handler;
  }
}

template <typename Number>
Value ReferenceBackend<Number>::MakeTensor(std::vector<int64_t> shape,
                                           absl::Span<const double> values) {
  auto tensor = NewTensor<Number>(std::move(shape));
  MX_CHECK(values.size() == tensor->values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    tensor->values[i] = Number(values[i]);
    tensor->defined[i] = 1;
  }
  return Value(std::shared_ptr<Object>(std::move(tensor)));
}

template <typename Number>
const ReferenceTensor<Number>& ReferenceBackend<Number>::Tensor(
    const Value& value) {
  return Get<ReferenceTensor<Number>>(value);
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::CreateTensor(
    const ir::TensorType& type, absl::string_view name) {
  std::vector<int64_t> shape;
  for (const ir::Expr* dim : type.shape) {
    const ir::ConstInt* size = ir::AsConstInt(dim);
    if (size == nullptr) {
      return absl::UnimplementedError(absl::StrCat(
          "tensor '", name, "' with a dimension known at run time only"));
    }
    shape.push_back(size->value);
  }
  MX_RETURN_IF_ERROR(CheckExtents(absl::StrCat("tensor '", name, "'"), shape));
  return Value(std::shared_ptr<Object>(NewTensor<Number>(std::move(shape))));
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::EvalOp(
    const ir::Call& call, const ir::Type*, absl::Span<const Value> args,
    BlockPosition block) {
  const ir::OpDef* def = call.callee->def;
  for (const Value& arg : args) {
    if (!arg.is_object() || TakesMasks(call.callee->name)) continue;
    const auto* tile =
        dynamic_cast<const ReferenceTile<Number>*>(arg.AsObject().get());
    if (tile != nullptr && tile->is_mask) {
      return Unsupported(call.callee->name, "the bits of a mask");
    }
  }
  if (elementwise_.Knows(def)) return elementwise_.Eval(call, args);
  if (matmul_.Knows(def)) return matmul_.Eval(call, args);
  if (fill_.Knows(def)) return fill_.Eval(call, args);
  const auto it = handlers_.find(def);
  if (it == handlers_.end()) {
    return ir::RuleError(
        "MX-REF-3",
        absl::StrCat("operator ", call.callee->name,
                     " cannot be run by the reference interpreter"));
  }
  return it->second({call, args, block});
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::Load(const OpCall& op) {
  const auto& tensor = Get<ReferenceTensor<Number>>(op.args[0]);
  const std::vector<int64_t> offsets = Integers(op.args[1]);
  const std::vector<int64_t> sizes = Integers(op.args[2]);
  const std::vector<int64_t> valid =
      op.args.size() > 3 ? Integers(op.args[3]) : sizes;
  MX_RETURN_IF_ERROR(CheckExtents("tile.load", sizes));
  // Elements outside the valid region are not read, but of whole boxes.
  const ir::TensorType* blocked = AsBlockedMx(op.call.args[0]);
  MX_RETURN_IF_ERROR(CheckWindow("tile.load", tensor.shape, offsets,
                                 blocked == nullptr ? valid : sizes));
  for (size_t i = 0; i < valid.size(); ++i) {
    if (valid[i] <= sizes[i]) continue;
    return ir::RuleError(
        "MX-REF-2", absl::StrCat("tile.load: along axis ", i, " ", valid[i],
                                 " elements of ", sizes[i], " are valid"));
  }
  std::shared_ptr<ReferenceTile<Number>> tile;
  const auto fill = [&](const auto& index_of) {
    for (int64_t r = 0; r < tile->valid_rows; ++r) {
      for (int64_t c = 0; c < tile->valid_cols; ++c) {
        const int64_t from = index_of(r, c);
        tile->values[r * tile->cols + c] = tensor.values[from];
        tile->defined[r * tile->cols + c] = tensor.defined[from];
      }
    }
  };
  if (IsBlockedNzLoad(op.call, sizes)) {
    tile = NewReferenceTile<Number>(sizes[0] * sizes[2] * sizes[3],
                                    sizes[1] * sizes[4]);
    tile->valid_rows = valid[0] * valid[2] * valid[3];
    tile->valid_cols = valid[1] * valid[4];
    fill(BlockedNzIndex(tensor.shape, offsets, valid));
  } else if (blocked == nullptr) {
    const TileExtent extent = FoldedExtent(sizes);
    const TileExtent inner = FoldedExtent(valid);
    tile = NewReferenceTile<Number>(extent.rows, extent.cols);
    tile->valid_rows = inner.rows;
    tile->valid_cols = inner.cols;
    fill(WindowIndex(tensor.shape, offsets, valid));
  } else {
    const BlockedScaleIndex index(tensor.shape, offsets);
    const int64_t lines = kBoxLines * sizes[1];
    const int64_t groups = kBoxGroups * sizes[2];
    const bool left = blocked->layout() == ir::TensorLayout::kMxAZZ;
    tile = left ? NewReferenceTile<Number>(lines, groups)
                : NewReferenceTile<Number>(groups, lines);
    fill(
        [&](int64_t r, int64_t c) { return left ? index(r, c) : index(c, r); });
  }
  return Value(std::shared_ptr<Object>(std::move(tile)));
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::Store(const OpCall& op) {
  if (StoreAdds(op.call)) return Unsupported("tile.store", "atomic");
  const auto& tile = Get<ReferenceTile<Number>>(op.args[0]);
  const std::vector<int64_t> offsets = Integers(op.args[1]);
  auto& tensor = Get<ReferenceTensor<Number>>(op.args[2]);
  const bool is_stated = op.args.size() > 3;
  const std::vector<int64_t> window =
      is_stated ? Integers(op.args[3]) : ShapeOf(op.call);
  // A window is that of the tile or of its valid part.
  const TileExtent extent = FoldedExtent(window);
  const bool is_valid_part =
      extent.rows == tile.valid_rows && extent.cols == tile.valid_cols;
  if (is_stated && !is_valid_part &&
      (extent.rows != tile.rows || extent.cols != tile.cols)) {
    return ir::RuleError(
        "MX-REF-2", absl::StrCat("tile.store: a window of ", extent.rows, " x ",
                                 extent.cols, " does not take the tile's ",
                                 tile.valid_rows, " x ", tile.valid_cols));
  }
  const std::vector<int64_t> sizes =
      is_stated && is_valid_part
          ? window
          : StoredWindow(window, offsets.size(), tile.valid_rows,
                         tile.valid_cols);
  MX_RETURN_IF_ERROR(CheckWindow("tile.store", tensor.shape, offsets, sizes));
  const WindowIndex index(tensor.shape, offsets, sizes);
  for (int64_t r = 0; r < tile.valid_rows; ++r) {
    for (int64_t c = 0; c < tile.valid_cols; ++c) {
      const int64_t from = r * tile.cols + c;
      if (!tile.defined[from]) return Undefined("tile.store", "the tile", r, c);
      tensor.values[index(r, c)] = tile.values[from];
      tensor.defined[index(r, c)] = 1;
    }
  }
  return op.args[2];
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::Move(const OpCall& op) {
  return Value(std::shared_ptr<Object>(std::make_shared<ReferenceTile<Number>>(
      Get<ReferenceTile<Number>>(op.args[0]))));
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::CreateTile(const OpCall& op) {
  const std::vector<int64_t> shape = Integers(op.args[0]);
  MX_RETURN_IF_ERROR(CheckExtents("tile.create", shape));
  const TileExtent extent = FoldedExtent(shape);
  return Value(std::shared_ptr<Object>(
      NewReferenceTile<Number>(extent.rows, extent.cols)));
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::CreateTensorOp(
    const OpCall& op) {
  if (ir::FindAttr(op.call.kwargs, "init_value") != nullptr) {
    return Unsupported("tensor.create", "init_value");
  }
  const std::vector<int64_t> shape = Integers(op.args[0]);
  MX_RETURN_IF_ERROR(CheckExtents("tensor.create", shape));
  return Value(std::shared_ptr<Object>(NewTensor<Number>(shape)));
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::FirstArg(const OpCall& op) {
  return op.args[0];
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::Nothing(const OpCall& op) {
  return Value();
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::BlockIndex(const OpCall& op) {
  return Value(op.block.index);
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::BlockCount(const OpCall& op) {
  return Value(op.block.count);
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::Quantize(const OpCall& op) {
  return QuantOps<Number>::Quantize(op.call, op.args);
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::QuantizeRaw(const OpCall& op) {
  return QuantOps<Number>::QuantizeRaw(op.call, op.args);
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::ToZz(const OpCall& op) {
  return QuantOps<Number>::ToZz(op.call, op.args);
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::Reinterpret(const OpCall& op) {
  return QuantOps<Number>::Reinterpret(op.call, op.args);
}

template <typename Number>
absl::StatusOr<Value> ReferenceBackend<Number>::Transpose(const OpCall& op) {
  return QuantOps<Number>::Transpose(op.call, op.args);
}

template class ReferenceBackend<double>;
template class ReferenceBackend<float>;
template class ReferenceBackend<Tracked>;

}  // namespace mxtile::exec
