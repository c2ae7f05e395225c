#include "ir/ops/cross_core_ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tile_rules.h"
#include "ir/ops/valid_region.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

const KwargSpec kSplit = {"split", KwargKind::kInt};
const KwargSpec kLaneStride = {"lane_stride", KwargKind::kInt};
const KwargSpec kPipeId = {"id", KwargKind::kInt};

const Type* Unknown(Context& context) {
  return context.GetMarkerType(TypeKind::kUnknown);
}

absl::StatusOr<const Type*> DeduceNothing(const OpCall& call,
                                          Context& context) {
  return Unknown(context);
}

const Type* StatedOrUnknown(const OpCall& call, Context& context) {
  return call.stated() != nullptr ? call.stated() : Unknown(context);
}

// ---- Push and pop

absl::StatusOr<const Type*> DeducePop(const OpCall& call, MemorySpace space,
                                      Context& context) {
  const AttrValue* dims = call.Kwarg("shape");
  const auto dtype = call.DataTypeKwarg("dtype");
  if (dims == nullptr || !dtype.has_value()) {
    return StatedOrUnknown(call, context);
  }
  DimVector shape;
  for (const AttrValue& dim : dims->list) {
    shape.push_back(dim.kind == AttrValue::Kind::kExpr
                        ? dim.expr
                        : context.Index(dim.int_value));
  }
  MX_RETURN_IF_ERROR(CheckStaticShape(call, shape, *dtype));
  return MakeTile(context, shape, *dtype, space,
                  ImplicitTileView(shape, space));
}

void RegisterPushAndPop(OpRegistry& registry) {
  for (const char* name : {"tpush_to_aiv", "tpush_to_aic"}) {
    OpDef push;
    push.name = absl::StrCat("tile.", name);
    push.short_forms = {{name}};
    push.has_effect = true;
    RegisterOp(registry, std::move(push),
               {{{"tile", ArgKind::kTile}}, {kSplit, kLaneStride, kPipeId}},
               DeduceNothing);
  }
  for (const auto& [name, space] :
       {std::pair("tpop_from_aic", MemorySpace::kVec),
        std::pair("tpop_from_aiv", MemorySpace::kMat)}) {
    OpDef pop;
    pop.name = absl::StrCat("tile.", name);
    pop.short_forms = {{name}};
    pop.has_effect = true;
    RegisterOp(registry, std::move(pop),
               {{},
                {{"shape", KwargKind::kIntList},
                 {"dtype", KwargKind::kDataType},
                 kSplit,
                 kLaneStride,
                 kPipeId}},
               [space = space](const OpCall& call, Context& context) {
                 return DeducePop(call, space, context);
               });
  }
}

// ---- Halves and wholes

const Expr* Half(const Expr* dim, Context& context) {
  if (const std::optional<int64_t> value = ConstantOf(dim)) {
    return context.Index((*value + 1) / 2);
  }
  return context.NewBinary(
      BinaryOp::kFloorDiv,
      context.NewBinary(BinaryOp::kAdd, dim, context.Index(1)),
      context.Index(2));
}

absl::StatusOr<const Type*> DeduceSplit(const OpCall& call, bool halves,
                                        Context& context) {
  const TileType& tile = call.Tile(0);
  const std::optional<int64_t> split = call.IntKwarg("split");
  if (!split.has_value()) return StatedOrUnknown(call, context);
  if (*split < 0 || *split > 4) {
    return call.Error("MX-TILE-13", "split must be from 0 to 4, got ", *split);
  }
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  const MemorySpace space = halves ? MemorySpace::kVec : MemorySpace::kMat;
  DimVector shape = ToVector(tile.shape);
  DimVector valid = ToVector(tile.EffectiveValidShape());
  if (*split != 0) {
    const size_t axis = *split % 2 == 1 ? 0 : 1;
    for (const Expr** dim : {&shape[axis], &valid[axis]}) {
      *dim = halves ? Half(*dim, context) : Multiple(context, *dim, 2);
    }
  }
  TileView view = ImplicitTileView(shape, space);
  view.valid_shape = valid;
  return MakeTile(context, shape, tile.dtype, space, view);
}

void RegisterSplit(OpRegistry& registry, absl::string_view name, bool halves) {
  OpDef def;
  def.name = absl::StrCat("tile.", name);
  def.short_forms = {OfTile(name)};
  def.result_space = ResultSpace::kFixed;
  def.fixed_space = halves ? MemorySpace::kVec : MemorySpace::kMat;
  RegisterOp(registry, std::move(def),
             {{{"tile", ArgKind::kTile}}, {kSplit, kLaneStride}},
             [halves](const OpCall& call, Context& context) {
               return DeduceSplit(call, halves, context);
             });
}

// ---- Other devices

absl::StatusOr<const Type*> DeduceRemoteLoad(const OpCall& call,
                                             Context& context) {
  const TensorType& target = call.Tensor(0);
  const Exprs offsets = call.DimList(2);
  const Exprs shape = call.DimList(3);
  if (offsets.size() != target.shape.size() ||
      shape.size() != target.shape.size()) {
    return call.Error("MX-TILE-4", "offsets and shape must have the rank of ",
                      ShapeText(target.shape), ", got ", ShapeText(offsets),
                      " and ", ShapeText(shape));
  }
  MX_RETURN_IF_ERROR(CheckStaticShape(call, shape, target.dtype));
  Exprs requested = shape;
  if (call.HasArg(4)) {
    requested = call.DimList(4);
    MX_RETURN_IF_ERROR(CheckValidInside(call, requested, shape));
  }
  const DimVector valid = VisibleThrough(
      {EffectiveValidShape(target), offsets, requested}, context);
  TileView view = ImplicitTileView(shape, std::nullopt);
  view.valid_shape = valid;
  return MakeTile(context, shape, target.dtype, std::nullopt, view);
}

void RegisterRemote(OpRegistry& registry) {
  const ArgSpec peer = {"peer", ArgKind::kInteger};
  const ArgSpec offsets = {"offsets", ArgKind::kDims};
  const KwargSpec atomic = {"atomic", KwargKind::kInt};
  OpDef load;
  load.name = "pld.tile.remote_load";
  load.short_forms = {{"pld.remote_load"}};
  load.has_effect = true;  // It sees what another device did.
  RegisterOp(registry, std::move(load),
             {{{"target", ArgKind::kTensor},
               peer,
               offsets,
               {"shape", ArgKind::kDims},
               {"valid_shape", ArgKind::kDims, /*optional=*/true}},
              {{"allow_physical_tail_padding", KwargKind::kBool}}},
             DeduceRemoteLoad);
  OpDef store;
  store.name = "pld.tile.remote_store";
  store.short_forms = {{"pld.remote_store", {OperandKind::kTile}}};
  store.operand_spaces = {{MemorySpace::kVec, MemorySpace::kAcc}};
  store.has_effect = true;
  RegisterOp(registry, std::move(store),
             {{{"src_tile", ArgKind::kTile},
               {"target", ArgKind::kTensor},
               peer,
               offsets},
              {atomic}},
             DeduceNothing);
  for (const char* name : {"put", "get"}) {
    std::vector<ArgSpec> args = {{"dst", ArgKind::kTensor},
                                 peer,
                                 {"src", ArgKind::kTensor},
                                 {"stage", ArgKind::kTile},
                                 {"stage2", ArgKind::kAny, true},
                                 {"dst_offsets", ArgKind::kAny, true},
                                 {"src_offsets", ArgKind::kAny, true},
                                 {"shape", ArgKind::kAny, true}};
    OpDef copy;
    copy.name = absl::StrCat("pld.tile.", name);
    copy.has_effect = true;
    RegisterOp(registry, std::move(copy), {std::move(args), {atomic}},
               DeduceNothing);
  }
}

}  // namespace

void RegisterCrossCoreOps(OpRegistry& registry) {
  RegisterPushAndPop(registry);
  RegisterSplit(registry, "aiv_shard", /*halves=*/true);
  RegisterSplit(registry, "aic_gather", /*halves=*/false);
  RegisterRemote(registry);
}

}  // namespace mxtile::ir
