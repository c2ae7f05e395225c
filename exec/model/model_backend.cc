#include "exec/model/model_backend.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "exec/model/a5_mapping.h"
#include "exec/model/vec_ops.h"
#include "exec/window.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "kernels/a5/load.h"
#include "kernels/a5/matmul_mx.h"
#include "kernels/a5/move.h"
#include "kernels/a5/store.h"
#include "kernels/group_axis.h"
#include "kernels/tile_layout.h"

namespace mxtile::exec {
namespace {

struct ModelTensor : Object {
  a5::GmTensor gm;
  int64_t size_bytes = 0;
};

struct ModelTile : Object {
  a5::Tile tile;
};

template <typename T>
T& Get(const Value& value) {
  auto* object = dynamic_cast<T*>(value.AsObject().get());
  MX_CHECK(object != nullptr) << "object of another kind";
  return *object;
}

const a5::Tile& TileAt(absl::Span<const Value> args, size_t index) {
  return Get<ModelTile>(args[index]).tile;
}

Value Wrap(const a5::Tile& tile) {
  auto object = std::make_shared<ModelTile>();
  object->tile = tile;
  return Value(std::shared_ptr<Object>(std::move(object)));
}

absl::StatusOr<std::vector<int64_t>> Static(ir::Dims dims,
                                            absl::string_view what) {
  std::vector<int64_t> result;
  for (const ir::Expr* dim : dims) {
    const ir::ConstInt* size = ir::AsConstInt(dim);
    if (size == nullptr) {
      return ir::RuleError(kModelUnsupportedRule,
                           absl::StrCat(what, " is known at run time only"));
    }
    result.push_back(size->value);
  }
  return result;
}

// The kwarg of the quantising operators.
GroupAxis GroupAxisOf(const ir::Call& call) {
  const ir::AttrValue* axis = ir::FindAttr(call.kwargs, "group_axis");
  return axis != nullptr && axis->int_value == 0 ? GroupAxis::kAxis0
                                                 : GroupAxis::kAxis1;
}

absl::Status Unsupported(absl::string_view op, absl::string_view kwarg) {
  return ir::RuleError(
      "MX-MODEL-2",
      absl::StrCat(op, " with ", kwarg, " cannot be run on the A5 model"));
}

// To the valid region that the type states; one that is known at run time only
// leaves the tile as it is.
void NarrowToType(const ir::Type* type, a5::Tile& tile) {
  const ir::Dims valid =
      ir::CheckedCast<ir::TileType>(type)->EffectiveValidShape();
  if (valid.size() != 2) return;
  const ir::ConstInt* rows = ir::AsConstInt(valid[0]);
  const ir::ConstInt* cols = ir::AsConstInt(valid[1]);
  if (rows == nullptr || cols == nullptr) return;
  tile.valid_rows = rows->value;
  tile.valid_cols = cols->value;
}

// Of a scale tile whose type gives an extent at run time only: as far as its
// data reaches. The fill brought whole boxes.
void NarrowToData(const ir::Expr* scale, int64_t rows, int64_t cols,
                  a5::Tile& tile) {
  const ir::Dims valid =
      ir::CheckedCast<ir::TileType>(scale->type)->EffectiveValidShape();
  if (valid.size() != 2) return;
  if (ir::AsConstInt(valid[0]) == nullptr) tile.valid_rows = rows;
  if (ir::AsConstInt(valid[1]) == nullptr) tile.valid_cols = cols;
}

// The operands of an MX product, which begin with argument `first`.
a5::MatmulMxOperands MxOperands(const ir::Call& call,
                                absl::Span<const Value> args, size_t first) {
  a5::MatmulMxOperands operands{TileAt(args, first), TileAt(args, first + 1),
                                TileAt(args, first + 2),
                                TileAt(args, first + 3)};
  const int64_t group = a5::Ascend950().cube.scale_group;
  const int64_t groups = (operands.left.valid_cols + group - 1) / group;
  NarrowToData(call.args[first + 1], operands.left.valid_rows, groups,
               operands.left_scale);
  NarrowToData(call.args[first + 3], groups, operands.right.valid_cols,
               operands.right_scale);
  return operands;
}

// Shape and strides of a tensor type in global memory, at an address not known
// yet.
absl::StatusOr<a5::GmTensor> Describe(const ir::TensorType& type,
                                      absl::string_view name) {
  const auto format = FormatOf(type.dtype);
  if (!format.has_value()) {
    return ir::RuleError(kModelUnsupportedRule,
                         absl::StrCat("tensor '", name, "': elements of ",
                                      ir::DataTypeName(type.dtype)));
  }
  a5::GmTensor gm{0, *format, {}, {}};
  MX_ASSIGN_OR_RETURN(
      gm.shape, Static(type.shape, absl::StrCat("the shape of '", name, "'")));
  if (type.view != nullptr && !type.view->stride.empty()) {
    MX_ASSIGN_OR_RETURN(
        gm.strides,
        Static(type.view->stride, absl::StrCat("the strides of '", name, "'")));
    return gm;
  }
  gm.strides.assign(gm.shape.size(), 1);
  for (size_t i = gm.shape.size(); i-- > 1;) {
    gm.strides[i - 1] = gm.strides[i] * gm.shape[i];
  }
  return gm;
}

using Mover = absl::Status (*)(a5::Machine&, const a5::Tile&, const a5::Tile&);

// The kernel that moves between the two; null when there is none.
Mover MoverOf(const a5::Tile& source, const a5::Tile& destination) {
  using S = a5::MemorySpace;
  if (source.space == S::kVec && destination.space == S::kMat) {
    return MoveVecToMat;
  }
  if (source.space == S::kVec && destination.space == S::kVec) {
    const bool fits = source.layout == a5::TileLayout::kNd &&
                      (destination.layout == a5::TileLayout::kNz ||
                       destination.layout == a5::TileLayout::kZn);
    return fits ? MoveInVec : nullptr;
  }
  if (source.space != S::kMat) return nullptr;
  switch (destination.space) {
    case S::kLeft:
      return a5::TMovToLeft;
    case S::kRight:
      return a5::TMovToRight;
    case S::kLeftScale:
      return a5::TMovToLeftScale;
    case S::kRightScale:
      return a5::TMovToRightScale;
    case S::kBias:
      return a5::TMovToBias;
    default:
      return nullptr;
  }
}

// From the first element to the last, in bytes.
int64_t Extent(const a5::GmTensor& gm, ir::DataType dtype) {
  int64_t last = 0;
  for (size_t i = 0; i < gm.shape.size(); ++i) {
    if (gm.shape[i] == 0) return 0;
    last += (gm.shape[i] - 1) * gm.strides[i];
  }
  return ir::SizeInBytes(dtype, last + 1);
}

}  // namespace

ModelBackend::ModelBackend(const ir::OpRegistry& registry)
    : estimated_ops_(registry) {
  const std::pair<absl::string_view, Handler> table[] = {
      {"tile.load", &ModelBackend::Load},
      {"tile.store", &ModelBackend::Store},
      {"tile.move", &ModelBackend::Move},
      {"tile.create", &ModelBackend::CreateTile},
      {"tile.alloc", &ModelBackend::Nothing},
      {"tile.tget_scale_addr", &ModelBackend::BindScale},
      {"tile.get_block_idx", &ModelBackend::BlockIndex},
      {"tile.get_block_num", &ModelBackend::BlockCount},
      {"tile.tquant_mx_raw", &ModelBackend::QuantizeRaw},
      {"tile.tmov_x2zz", &ModelBackend::ToZz},
      {"tile.reinterpret_view", &ModelBackend::ViewTile},
      {"tile.transpose_view", &ModelBackend::ViewTile},
      {"tile.matmul_mx", &ModelBackend::MatmulMx},
      {"tile.matmul_mx_acc", &ModelBackend::MatmulMxAcc},
      {"tile.matmul_mx_bias", &ModelBackend::MatmulMxBias},
      {"tensor.create", &ModelBackend::CreateTensorOp},
      {"tensor.view", &ModelBackend::ViewTensor},
  };
  for (const auto& [name, handler] : table) {
    const ir::OpDef* def = registry.Find(name);
    if (def != nullptr) handlers_[def] = handler;
  }
}

absl::StatusOr<Value> ModelBackend::CreateTensor(const ir::TensorType& type,
                                                 absl::string_view name) {
  MX_ASSIGN_OR_RETURN(a5::GmTensor gm, Describe(type, name));
  MX_RETURN_IF_ERROR(
      CheckExtents(absl::StrCat("tensor '", name, "'"), gm.shape));
  auto tensor = std::make_shared<ModelTensor>();
  tensor->size_bytes = Extent(gm, type.dtype);
  gm.address = machine_.AllocateGm(name, tensor->size_bytes);
  tensor->gm = std::move(gm);
  return Value(std::shared_ptr<Object>(std::move(tensor)));
}

absl::StatusOr<Value> ModelBackend::MakeTensor(
    const ir::TensorType& type, absl::string_view name,
    absl::Span<const uint8_t> bytes) {
  MX_ASSIGN_OR_RETURN(Value value, CreateTensor(type, name));
  const ModelTensor& tensor = Get<ModelTensor>(value);
  if (tensor.size_bytes != static_cast<int64_t>(bytes.size())) {
    return ir::RuleError(
        "MX-MODEL-2",
        absl::StrCat("tensor '", name, "' spans ", tensor.size_bytes,
                     " bytes and is given ", bytes.size(),
                     "; only packed tensors can be given"));
  }
  MX_RETURN_IF_ERROR(machine_.WriteGm(tensor.gm.address, bytes));
  return value;
}

absl::StatusOr<std::vector<uint8_t>> ModelBackend::ReadTensor(
    const Value& value) const {
  const ModelTensor& tensor = Get<ModelTensor>(value);
  return machine_.ReadGm(tensor.gm.address, tensor.size_bytes);
}

absl::StatusOr<TensorBytes> ModelBackend::ReadWritten(
    const Value& value) const {
  const ModelTensor& tensor = Get<ModelTensor>(value);
  TensorBytes result;
  if (tensor.size_bytes == 0) return result;
  const a5::Access host{"host", 1};
  MX_ASSIGN_OR_RETURN(const a5::Memory* gm,
                      machine_.GmAt(host, tensor.gm.address));
  MX_RETURN_IF_ERROR(
      gm->CheckInside(host, "reads", tensor.gm.address, tensor.size_bytes));
  for (int64_t i = 0; i < tensor.size_bytes; ++i) {
    const uint64_t address = tensor.gm.address + i;
    result.written.push_back(gm->HasValue(address, 1));
    result.bytes.push_back(result.written.back() ? *gm->Bytes(address) : 0);
  }
  return result;
}

absl::StatusOr<a5::Tile> ModelBackend::TileOf(const ir::Type* result_type) {
  const auto* type = ir::DynCast<ir::TileType>(result_type);
  MX_CHECK(type != nullptr) << "result is no tile";
  if (type->memref == nullptr || !type->space.has_value() ||
      ir::AsConstInt(type->memref->byte_offset) == nullptr) {
    return ir::RuleError(kModelNoAddressRule,
                         "the tile has no address; allocate_addresses gives "
                         "one in in-core functions");
  }
  const auto space = ToA5Space(*type->space);
  const auto format = ToA5Format(type->dtype);
  auto layout = ToA5Layout(type->EffectiveView());
  MX_ASSIGN_OR_RETURN(std::vector<int64_t> shape,
                      Static(type->shape, "the tile's shape"));
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  // A column has the same bytes column by column and row by row.
  if (shape.size() == 2 && shape[1] == 1 &&
      type->EffectiveView().slayout == ir::TileLayout::kNoneBox) {
    layout = a5::TileLayout::kNd;
  }
  if (!space.has_value() || !format.has_value() || !layout.has_value() ||
      shape.size() != 2) {
    return ir::RuleError(kModelUnsupportedRule,
                         "the model has no tile of this type, space or layout");
  }
  a5::Tile tile{};
  tile.space = *space;
  tile.address = ir::AsConstInt(type->memref->byte_offset)->value;
  tile.rows = tile.valid_rows = shape[0];
  tile.cols = tile.valid_cols = shape[1];
  tile.format = *format;
  tile.layout = *layout;
  tile.id = ++last_tile_id_;
  return tile;
}

absl::StatusOr<Value> ModelBackend::EvalOp(const ir::Call& call,
                                           const ir::Type* result_type,
                                           absl::Span<const Value> args,
                                           BlockPosition block) {
  if (estimated_ops_.Knows(call.callee->def)) {
    return Estimate({call, result_type, args, block});
  }
  const auto it = handlers_.find(call.callee->def);
  if (it == handlers_.end()) {
    return ir::RuleError(kModelUnsupportedRule,
                         absl::StrCat("operator ", call.callee->name,
                                      " cannot be run on the A5 model"));
  }
  return (this->*it->second)({call, result_type, args, block});
}

absl::StatusOr<Value> ModelBackend::Load(const OpCall& op) {
  const a5::GmTensor& gm = Get<ModelTensor>(op.args[0]).gm;
  a5::GmWindow window;
  window.offsets = Integers(op.args[1]);
  window.sizes = Integers(op.args[op.args.size() > 3 ? 3 : 2]);
  MX_ASSIGN_OR_RETURN(a5::Tile tile, TileOf(op.result_type));
  // The window of a blocked load is whole, whatever of the tile is valid.
  const bool blocked = window.sizes.size() == 5;
  if (!blocked) {
    const TileExtent extent = FoldedExtent(window.sizes);
    tile.valid_rows = extent.rows;
    tile.valid_cols = extent.cols;
  }
  if (tile.space == a5::MemorySpace::kVec) {
    MX_RETURN_IF_ERROR(LoadToVec(machine_, gm, window, tile));
  } else if (tile.space == a5::MemorySpace::kMat) {
    if (tile.layout == a5::TileLayout::kNz && BitWidth(tile.format) > 16) {
      return ir::RuleError(
          kModelUnsupportedRule,
          absl::StrCat("tile.load of ", Name(tile.format),
                       " into fractals of Mat cannot be run on the A5 model: "
                       "its cube multiplies elements of up to 2 bytes"));
    }
    MX_RETURN_IF_ERROR(a5::TLoad(machine_, gm, window, tile));
  } else {
    return ir::RuleError(kModelUnsupportedRule,
                         absl::StrCat("tile.load into ", a5::Name(tile.space),
                                      " cannot be run on the A5 model"));
  }
  if (blocked) NarrowToType(op.result_type, tile);
  return Wrap(tile);
}

absl::StatusOr<Value> ModelBackend::Store(const OpCall& op) {
  if (StoreAdds(op.call)) return Unsupported("tile.store", "atomic");
  const a5::Tile& tile = TileAt(op.args, 0);
  a5::GmWindow window;
  window.offsets = Integers(op.args[1]);
  window.sizes = op.args.size() > 3
                     ? Integers(op.args[3])
                     : std::vector<int64_t>{tile.valid_rows, tile.valid_cols};
  const a5::GmTensor& gm = Get<ModelTensor>(op.args[2]).gm;
  if (tile.space == a5::MemorySpace::kVec) {
    MX_RETURN_IF_ERROR(StoreFromVec(machine_, tile, gm, window));
  } else if (tile.space == a5::MemorySpace::kAcc) {
    MX_RETURN_IF_ERROR(a5::TStoreAcc(machine_, tile, gm, window));
  } else {
    return ir::RuleError(kModelUnsupportedRule,
                         absl::StrCat("tile.store from ", a5::Name(tile.space),
                                      " cannot be run on the A5 model"));
  }
  return op.args[2];
}

absl::StatusOr<Value> ModelBackend::Move(const OpCall& op) {
  const a5::Tile& source = TileAt(op.args, 0);
  MX_ASSIGN_OR_RETURN(a5::Tile tile, TileOf(op.result_type));
  tile.valid_rows = source.valid_rows;
  tile.valid_cols = source.valid_cols;
  const Mover mover = MoverOf(source, tile);
  if (mover == nullptr) {
    return ir::RuleError(
        kModelUnsupportedRule,
        absl::StrCat("tile.move from ", a5::Name(source.space), " to ",
                     a5::Name(tile.space), ", ", Name(source.layout), " to ",
                     Name(tile.layout), ", cannot be run on the A5 model"));
  }
  MX_RETURN_IF_ERROR(mover(machine_, source, tile));
  return Wrap(tile);
}

absl::StatusOr<Value> ModelBackend::CreateTile(const OpCall& op) {
  MX_ASSIGN_OR_RETURN(const a5::Tile tile, TileOf(op.result_type));
  return Wrap(tile);
}

absl::StatusOr<Value> ModelBackend::CreateTensorOp(const OpCall& op) {
  if (ir::FindAttr(op.call.kwargs, "init_value") != nullptr) {
    return Unsupported("tensor.create", "init_value");
  }
  return CreateTensor(*ir::CheckedCast<ir::TensorType>(op.result_type),
                      "tensor.create");
}

absl::StatusOr<Value> ModelBackend::ViewTensor(const OpCall& op) {
  const ModelTensor& source = Get<ModelTensor>(op.args[0]);
  const auto* type = ir::CheckedCast<ir::TensorType>(op.result_type);
  auto view = std::make_shared<ModelTensor>();
  MX_ASSIGN_OR_RETURN(view->gm, Describe(*type, "the view"));
  view->gm.address = source.gm.address;
  view->size_bytes = Extent(view->gm, type->dtype);
  return Value(std::shared_ptr<Object>(std::move(view)));
}

absl::StatusOr<Value> ModelBackend::BindScale(const OpCall& op) {
  a5::Tile scale = TileAt(op.args, 0);
  const a5::Tile& data = TileAt(op.args, 1);
  scale.address = data.address >> machine_.soc().scale_address_shift;
  // The scalar unit's work, shown where the fill that it is for is queued.
  machine_.Mark(a5::Pipe::kMte1, "TGET_SCALE_ADDR",
                {{"scale tile", scale.id},
                 a5::AddressArg("scale", a5::Name(scale.space), scale.address),
                 a5::AddressArg("data", a5::Name(data.space), data.address)});
  return Wrap(scale);
}

absl::StatusOr<Value> ModelBackend::Nothing(const OpCall& op) {
  return Value();
}

absl::StatusOr<Value> ModelBackend::BlockIndex(const OpCall& op) {
  return Value(op.block.index);
}

absl::StatusOr<Value> ModelBackend::BlockCount(const OpCall& op) {
  return Value(op.block.count);
}

absl::StatusOr<Value> ModelBackend::Estimate(const OpCall& op) {
  std::vector<const a5::Tile*> tiles;
  for (const Value& arg : op.args) {
    tiles.push_back(arg.is_object() ? &Get<ModelTile>(arg).tile : nullptr);
  }
  MX_ASSIGN_OR_RETURN(a5::Tile result, TileOf(op.result_type));
  MX_RETURN_IF_ERROR(
      estimated_ops_.Eval(machine_, op.call, op.args, tiles, &result));
  return Wrap(result);
}

absl::StatusOr<Value> ModelBackend::QuantizeRaw(const OpCall& op) {
  const auto* types = ir::CheckedCast<ir::TupleType>(op.result_type);
  MX_CHECK(types->elements.size() == 2) << "codes and exponents";
  QuantTiles tiles;
  MX_ASSIGN_OR_RETURN(tiles.codes, TileOf(types->elements[0]));
  MX_ASSIGN_OR_RETURN(tiles.exponents, TileOf(types->elements[1]));
  tiles.source = TileAt(op.args, 0);
  tiles.max = TileAt(op.args, 1);
  tiles.scaling = TileAt(op.args, 2);
  MX_RETURN_IF_ERROR(QuantizeInVec(machine_, GroupAxisOf(op.call), tiles));
  return Value(std::vector<Value>{Wrap(tiles.codes), Wrap(tiles.exponents)});
}

absl::StatusOr<Value> ModelBackend::ToZz(const OpCall& op) {
  MX_ASSIGN_OR_RETURN(a5::Tile boxes, TileOf(op.result_type));
  NarrowToType(op.result_type, boxes);
  MX_RETURN_IF_ERROR(BoxInVec(machine_, GroupAxisOf(op.call),
                              TileAt(op.args, 0), TileAt(op.args, 1), boxes));
  return Wrap(boxes);
}

// The bytes stay where they are; what they are is in the type.
absl::StatusOr<Value> ModelBackend::ViewTile(const OpCall& op) {
  const a5::Tile& source = TileAt(op.args, 0);
  MX_ASSIGN_OR_RETURN(a5::Tile view, TileOf(op.result_type));
  NarrowToType(op.result_type, view);
  if (view.space == source.space && view.address == source.address &&
      a5::TileBytes(view) == a5::TileBytes(source)) {
    return Wrap(view);
  }
  return ir::RuleError(
      "MX-MODEL-3",
      absl::StrCat(op.call.callee->name, " of ", a5::ToString(source),
                   " leaves as ", a5::ToString(view),
                   "; a view is where its tile is"));
}

absl::StatusOr<Value> ModelBackend::MatmulMx(const OpCall& op) {
  MX_ASSIGN_OR_RETURN(a5::Tile acc, TileOf(op.result_type));
  acc.valid_rows = TileAt(op.args, 0).valid_rows;
  acc.valid_cols = TileAt(op.args, 2).valid_cols;
  MX_RETURN_IF_ERROR(
      a5::TMatmulMx(machine_, acc, MxOperands(op.call, op.args, 0)));
  return Wrap(acc);
}

absl::StatusOr<Value> ModelBackend::MatmulMxAcc(const OpCall& op) {
  MX_ASSIGN_OR_RETURN(a5::Tile acc, TileOf(op.result_type));
  const a5::Tile& in = TileAt(op.args, 0);
  if (in.address != acc.address) {
    return ir::RuleError("MX-MODEL-3",
                         absl::StrCat("the accumulator enters at ", in.address,
                                      " of Acc and leaves at ", acc.address,
                                      "; the instruction works in place"));
  }
  acc.valid_rows = in.valid_rows;
  acc.valid_cols = in.valid_cols;
  MX_RETURN_IF_ERROR(
      a5::TMatmulMxAcc(machine_, acc, MxOperands(op.call, op.args, 1)));
  return Wrap(acc);
}

absl::StatusOr<Value> ModelBackend::MatmulMxBias(const OpCall& op) {
  MX_ASSIGN_OR_RETURN(a5::Tile acc, TileOf(op.result_type));
  acc.valid_rows = TileAt(op.args, 0).valid_rows;
  acc.valid_cols = TileAt(op.args, 2).valid_cols;
  MX_RETURN_IF_ERROR(a5::TMatmulMxBias(
      machine_, acc, MxOperands(op.call, op.args, 0), TileAt(op.args, 4)));
  return Wrap(acc);
}

}  // namespace mxtile::exec
