#include "ir/ops/gather_ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_signature.h"
#include "ir/ops/shape_rules.h"
#include "ir/ops/tile_rules.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

constexpr int64_t kBlockBytes = 32;

const Expr* Divided(Context& context, const Expr* dim, int64_t divisor) {
  if (const std::optional<int64_t> value = ConstantOf(dim)) {
    return context.Index(*value / divisor);
  }
  return context.NewBinary(BinaryOp::kFloorDiv, dim, context.Index(divisor));
}

// ---- Gathers

absl::StatusOr<const Type*> DeduceGather(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckElement(call, 1, ElementClass::kInteger));
  const TileType& src = call.Tile(0);
  const Dims shape = call.Tile(1).shape;
  return MakeTile(context, shape, src.dtype, MemorySpace::kVec,
                  ViewLike(src, shape));
}

absl::StatusOr<const Type*> DeduceGatherBlocks(const OpCall& call,
                                               Context& context) {
  const TileType& offset = call.Tile(1);
  const DataType dtype =
      call.DataTypeKwarg("output_dtype").value_or(call.Tile(0).dtype);
  const int64_t per_block = kBlockBytes / SizeInBytes(dtype, 1);
  const Dims offset_valid = offset.EffectiveValidShape();
  const DimVector shape = {offset.shape[0],
                           Multiple(context, offset.shape[1], per_block)};
  const DimVector valid = {offset_valid[0],
                           Multiple(context, offset_valid[1], per_block)};
  TileView view = PlainView();
  view.valid_shape = valid;
  return MakeTile(context, shape, dtype, MemorySpace::kVec, view);
}

// Every how many columns the pattern takes one.
absl::StatusOr<int64_t> MaskStride(const OpCall& call) {
  constexpr int64_t kAll = 7;
  const std::optional<int64_t> pattern = call.IntKwarg("mask_pattern");
  if (!pattern.has_value() || *pattern < 1 || *pattern > kAll) {
    return call.Error(
        "MX-TILE-13", "mask_pattern must be from 1 to 7",
        pattern.has_value() ? absl::StrCat(", got ", *pattern) : "");
  }
  if (*pattern == kAll) return 1;
  return *pattern <= 2 ? 2 : 4;
}

absl::StatusOr<const Type*> DeduceGatherMask(const OpCall& call,
                                             Context& context) {
  MX_ASSIGN_OR_RETURN(const int64_t stride, MaskStride(call));
  const TileType& src = call.Tile(0);
  const DimVector shape = {
      src.shape[0],
      stride == 1 ? src.shape[1] : Divided(context, src.shape[1], stride)};
  return MakeTile(context, shape,
                  call.DataTypeKwarg("output_dtype").value_or(src.dtype),
                  MemorySpace::kVec, ViewLike(src, shape));
}

absl::StatusOr<const Type*> DeduceGatherCompare(const OpCall& call,
                                                Context& context) {
  const TileType& src = call.Tile(0);
  const Expr* cols = context.Index(call.IntKwarg("out_cols").value_or(0));
  const DimVector shape = {src.shape[0], cols};
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, DataType::kInt32));
  const DimVector counts = {context.Index(1), src.shape[0]};
  const Type* types[] = {
      MakeTile(context, shape, DataType::kInt32, MemorySpace::kVec,
               ViewLike(src, shape)),
      MakeTile(context, counts,
               call.DataTypeKwarg("count_dtype").value_or(DataType::kInt32),
               MemorySpace::kVec, PlainView())};
  return context.GetTupleType(types);
}

// By name in front-end text, by number in printed programs.
bool IsByElement(const OpCall& call) {
  const AttrValue* value = call.Kwarg("coalesce");
  if (value == nullptr) return false;
  if (value->kind == AttrValue::Kind::kString) return value->text == "elem";
  constexpr int64_t kByElement = 1;
  return call.IntKwarg("coalesce") == kByElement;
}

Dims ShapeOf(const Expr* value) {
  if (const auto* tile = DynCast<TileType>(value->type)) return tile->shape;
  return CheckedCast<TensorType>(value->type)->shape;
}

Dims ValidOf(const Expr* value) {
  if (const auto* tile = DynCast<TileType>(value->type)) {
    return tile->EffectiveValidShape();
  }
  return ShapeOf(value);
}

absl::Status CheckMgather(const OpCall& call) {
  if (call.Tensor(0).shape.empty() || ShapeOf(call.Arg(1)).size() != 2) {
    return call.Error("MX-TILE-4",
                      "mem must have a dimension and idx two, got ",
                      ShapeText(call.Tensor(0).shape), " and ",
                      ShapeText(ShapeOf(call.Arg(1))));
  }
  return CheckElement(call, 1, ElementClass::kInteger);
}

absl::StatusOr<const Type*> DeduceMgather(const OpCall& call,
                                          Context& context) {
  MX_RETURN_IF_ERROR(CheckMgather(call));
  const TensorType& mem = call.Tensor(0);
  const MemorySpace target = call.TargetMemory().value_or(MemorySpace::kVec);
  DimVector shape = ToVector(ShapeOf(call.Arg(1)));
  DimVector valid = ToVector(ValidOf(call.Arg(1)));
  if (!IsByElement(call)) {
    const size_t rows = IsConstant(shape[0], 1) ? 1 : 0;
    shape = {shape[rows], mem.shape.back()};
    valid = {valid[rows], mem.shape.back()};
  }
  MX_RETURN_IF_ERROR(CheckResultShape(call, shape, mem.dtype));
  TileView view = target == MemorySpace::kVec ? PlainView()
                                              : ImplicitTileView(shape, target);
  const int last = call.num_args() - 1;
  if (last >= 2 && Isa<Tuple>(call.Arg(last))) {
    MX_RETURN_IF_ERROR(CheckValidInside(call, call.DimList(last), shape));
    valid = ToVector(call.DimList(last));
  }
  view.valid_shape = valid;
  return MakeTile(context, shape, mem.dtype, target, view);
}

// ---- Scatters: the destination

absl::StatusOr<const Type*> DeduceFirst(const OpCall& call, Context& context) {
  return call.Arg(0)->type;
}

absl::StatusOr<const Type*> DeduceScatter(const OpCall& call,
                                          Context& context) {
  MX_RETURN_IF_ERROR(CheckSameElement(call, 0, 1));
  MX_RETURN_IF_ERROR(CheckElement(call, 2, ElementClass::kInteger));
  MX_RETURN_IF_ERROR(CheckSameShape(call, 1, 2));
  return call.Arg(0)->type;
}

absl::StatusOr<const Type*> DeduceScatterMask(const OpCall& call,
                                              Context& context) {
  MX_RETURN_IF_ERROR(CheckSameElement(call, 0, 1));
  MX_RETURN_IF_ERROR(MaskStride(call).status());
  return call.Arg(0)->type;
}

absl::StatusOr<const Type*> DeduceScatterUpdate(const OpCall& call,
                                                Context& context) {
  MX_RETURN_IF_ERROR(CheckSameElement(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckElement(call, 1, ElementClass::kInteger));
  return call.Arg(0)->type;
}

absl::StatusOr<const Type*> DeduceMscatter(const OpCall& call,
                                           Context& context) {
  MX_RETURN_IF_ERROR(CheckElement(call, 1, ElementClass::kInteger));
  return call.Arg(2)->type;
}

// ---- Sorts

absl::StatusOr<const Type*> DeduceSort32(const OpCall& call, Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 1));
  const TileType& src = call.Tile(0);
  DimVector shape = ToVector(src.shape);
  shape.back() = Multiple(context, shape.back(), 2);
  return MakeTile(context, shape, src.dtype, MemorySpace::kVec,
                  ViewLike(src, shape));
}

absl::StatusOr<const Type*> DeduceMergeBlocks(const OpCall& call,
                                              Context& context) {
  const TileType& src = call.Tile(0);
  return MakeTile(context, src.shape, src.dtype, MemorySpace::kVec,
                  ViewLike(src, src.shape));
}

absl::StatusOr<const Type*> DeduceMergeTiles(const OpCall& call,
                                             Context& context) {
  for (int i = 1; i < call.num_args(); ++i) {
    MX_RETURN_IF_ERROR(CheckSameElement(call, 0, i));
  }
  const TileType& src = call.Tile(0);
  const Dims shape = call.Tile(call.num_args() - 1).shape;
  return MakeTile(context, shape, src.dtype, MemorySpace::kVec,
                  ViewLike(src, shape));
}

// ---- Registration

OpDef WithBufferOf(OpDef def, int arg) {
  def.result_aliases_arg = arg;
  def.has_effect = true;
  return def;
}

void RegisterGathers(OpRegistry& registry) {
  const ArgSpec src = {"src", ArgKind::kTile};
  const ArgSpec tmp = {"tmp", ArgKind::kTile};
  const KwargSpec output = {"output_dtype", KwargKind::kDataType};
  const auto add = [&](absl::string_view name, OpSignature signature,
                       Deduction deduction,
                       std::vector<ShortForm> short_forms) {
    OpDef def = VecOp(name, signature);
    def.short_forms = std::move(short_forms);
    RegisterOp(registry, std::move(def), std::move(signature),
               std::move(deduction));
  };
  add("gather", {{src, {"indices", ArgKind::kTile}, tmp}}, DeduceGather, {});
  add("gatherb",
      {{{"src", ArgKind::kTile}, {"offset", ArgKind::kMatrix}}, {output}},
      DeduceGatherBlocks, {{"gatherb"}});
  add("gather_mask",
      {{{"src", ArgKind::kMatrix}},
       {{"mask_pattern", KwargKind::kInt, /*required=*/true}, output}},
      DeduceGatherMask, {});
  add("gather_compare",
      {{{"src", ArgKind::kMatrix}, {"kvalue", ArgKind::kScalar}, tmp},
       {{"cmp_mode", KwargKind::kAny},
        {"offset", KwargKind::kInt},
        {"out_cols", KwargKind::kInt, /*required=*/true},
        {"count_dtype", KwargKind::kDataType}}},
      DeduceGatherCompare, {});

  OpDef mgather;
  mgather.name = "tile.mgather";
  mgather.short_forms = {{"mgather"}};
  mgather.result_space = ResultSpace::kKwargOrVec;
  mgather.front_order = {"mem", "idx", "coalesce"};
  RegisterOp(registry, std::move(mgather),
             {{{"mem", ArgKind::kTensor},
               {"idx", ArgKind::kTileOrTensor},
               {"scratch", ArgKind::kAny, /*optional=*/true},
               {"valid_shape", ArgKind::kAny, /*optional=*/true}},
              {{"coalesce", KwargKind::kAny},
               {"gather_oob", KwargKind::kAny},
               {"target_memory", KwargKind::kMemorySpace}}},
             DeduceMgather);

  OpDef row;
  row.name = "tile.gather_row";
  row.short_forms = {OfTile("gather_row")};
  RegisterOp(registry, WithBufferOf(std::move(row), 0),
             {{{"dst", ArgKind::kTile},
               {"src", ArgKind::kTensor},
               {"dst_offset", ArgKind::kDims},
               {"src_offset", ArgKind::kDims},
               {"shapes", ArgKind::kDims},
               {"valid_shape", ArgKind::kDims, /*optional=*/true}},
              {{"transpose", KwargKind::kBool}}},
             DeduceFirst);
}

void RegisterScatters(OpRegistry& registry) {
  const auto add = [&](absl::string_view name, OpSignature signature,
                       Deduction deduction,
                       std::vector<ShortForm> short_forms) {
    OpDef def = WithBufferOf(VecOp(name, signature), 0);
    def.short_forms = std::move(short_forms);
    RegisterOp(registry, std::move(def), std::move(signature),
               std::move(deduction));
  };
  const ArgSpec dst = {"dst", ArgKind::kTile};
  const ArgSpec src = {"src", ArgKind::kTile};
  add("scatter", {{dst, src, {"indexes", ArgKind::kTile}}}, DeduceScatter, {});
  add("scatter_mask",
      {{dst, src}, {{"mask_pattern", KwargKind::kInt, /*required=*/true}}},
      DeduceScatterMask, {});
  const OpSignature update = {
      {{"input", ArgKind::kTile}, {"index", ArgKind::kTile}, src},
      {{"dim", KwargKind::kInt}}};
  OpDef def = WithBufferOf(VecOp("scatter_update", update), 0);
  def.short_forms = {OfTile("scatter_update")};
  def.front_order = {"input", "dim", "index", "src"};
  RegisterOp(registry, std::move(def), update, DeduceScatterUpdate);

  OpDef mscatter;
  mscatter.name = "tile.mscatter";
  mscatter.short_forms = {{"mscatter"}};
  mscatter.operand_spaces = {{MemorySpace::kVec}, {MemorySpace::kVec}};
  RegisterOp(
      registry, WithBufferOf(std::move(mscatter), 2),
      {{src, {"idx", ArgKind::kTile}, {"output_tensor", ArgKind::kTensor}}},
      DeduceMscatter);
}

// The device wants the block length as INT32.
void FillBlockLength(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                     Context& context) {
  if (args.size() < 2) return;
  if (const std::optional<int64_t> length = ConstantOf(args[1])) {
    args[1] = context.Int(*length, DataType::kInt32);
  }
}

void RegisterSorts(OpRegistry& registry) {
  using K = OperandKind;
  const auto add = [&](absl::string_view name, OpSignature signature,
                       Deduction deduction,
                       std::vector<ShortForm> short_forms) {
    OpDef def = VecOp(name, signature);
    def.short_forms = std::move(short_forms);
    if (name == "mrgsort_format1") def.fill_defaults = FillBlockLength;
    RegisterOp(registry, std::move(def), std::move(signature),
               std::move(deduction));
  };
  const auto tile = [](absl::string_view name, bool optional = false) {
    return ArgSpec{std::string(name), ArgKind::kTile, optional};
  };
  add("sort32", {{tile("src"), tile("idx")}}, DeduceSort32, {OfTile("sort32")});
  add("mrgsort_format1", {{tile("src"), {"block_len", ArgKind::kInteger}}},
      DeduceMergeBlocks,
      {{"mrgsort", {K::kTile}, "block_len"},
       {"tile.mrgsort", {K::kTile}, "block_len"}});
  // Without src2 and src3, tmp moves up.
  add("mrgsort_format2",
      {{tile("src0"), tile("src1"), tile("src2"),
        tile("src3", /*optional=*/true), tile("tmp", /*optional=*/true)},
       {{"exhausted", KwargKind::kBool}}},
      DeduceMergeTiles,
      {{"mrgsort", {K::kTile, K::kTile}},
       {"tile.mrgsort", {K::kTile, K::kTile}}});
}

}  // namespace

void RegisterGatherOps(OpRegistry& registry) {
  RegisterGathers(registry);
  RegisterScatters(registry);
  RegisterSorts(registry);
}

}  // namespace mxtile::ir
