#include "ir/ops/fill_ops.h"

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

// ---- Values

struct Filled {
  int shape = 0;       // The argument that is the shape,
  int valid = -1;      // and the one that is the valid shape; -1: none.
  DataType otherwise;  // Without a dtype.
};

absl::StatusOr<const Type*> DeduceFilled(const OpCall& call,
                                         const Filled& filled,
                                         Context& context) {
  const Exprs shape = call.DimList(filled.shape);
  const DataType dtype = call.DataTypeKwarg("dtype").value_or(filled.otherwise);
  MX_RETURN_IF_ERROR(CheckStaticShape(call, shape, dtype));
  TileView view = PlainView();
  if (filled.valid >= 0 && call.HasArg(filled.valid)) {
    view.valid_shape = call.DimList(filled.valid);
    MX_RETURN_IF_ERROR(CheckValidInside(call, view.valid_shape, shape));
  }
  return MakeTile(context, shape, dtype, MemorySpace::kVec, view);
}

void RegisterFilled(OpRegistry& registry, absl::string_view name,
                    OpSignature signature, Filled filled,
                    std::vector<ShortForm> short_forms = {},
                    std::vector<std::string> front_order = {}) {
  OpDef def = VecOp(name, signature);
  def.short_forms = std::move(short_forms);
  def.front_order = std::move(front_order);
  RegisterOp(registry, std::move(def), std::move(signature),
             [filled](const OpCall& call, Context& context) {
               return DeduceFilled(call, filled, context);
             });
}

void RegisterValues(OpRegistry& registry) {
  const ArgSpec shape = {"shape", ArgKind::kDims};
  const ArgSpec valid = {"valid_shape", ArgKind::kDims, /*optional=*/true};
  const KwargSpec dtype = {"dtype", KwargKind::kDataType};
  RegisterFilled(registry, "full",
                 {{shape, {"value", ArgKind::kScalar}},
                  {{"dtype", KwargKind::kDataType, /*required=*/true}}},
                 {0, -1, DataType::kFP32}, {}, {"shape", "dtype", "value"});
  RegisterFilled(registry, "ci",
                 {{{"start", ArgKind::kScalar}, shape},
                  {dtype, {"descending", KwargKind::kBool}}},
                 {1, -1, DataType::kInt32});
  RegisterFilled(registry, "tri",
                 {{{"diagonal", ArgKind::kScalar}, shape, valid},
                  {dtype, {"upper", KwargKind::kBool}}},
                 {1, 2, DataType::kInt32}, {{"tri"}});
  OpSignature random = {{}, {dtype, {"rounds", KwargKind::kInt}}};
  for (const char* name :
       {"key0", "key1", "counter0", "counter1", "counter2", "counter3"}) {
    random.args.push_back({name, ArgKind::kScalar});
  }
  random.args.push_back(shape);
  random.args.push_back(valid);
  RegisterFilled(registry, "random", std::move(random),
                 {6, 7, DataType::kUInt32});
}

// ---- The rest of a tile

absl::Status CheckExpanded(const OpCall& call, Exprs shape) {
  const TileType& tile = call.Tile(0);
  MX_RETURN_IF_ERROR(CheckStaticShape(call, shape, tile.dtype));
  bool covers = shape.size() == tile.shape.size();
  for (size_t i = 0; covers && i < shape.size(); ++i) {
    const auto size = ConstantOf(tile.shape[i]);
    covers = !size.has_value() || *ConstantOf(shape[i]) >= *size;
  }
  if (covers) return absl::OkStatus();
  return call.Error("MX-TILE-1", "the new shape ", ShapeText(shape),
                    " must be that of the tile, ", ShapeText(tile.shape),
                    ", or larger");
}

absl::StatusOr<const Type*> DeducePadded(const OpCall& call, Context& context) {
  const TileType& tile = call.Tile(0);
  Dims shape = tile.shape;
  if (call.HasArg(1)) {
    shape = call.DimList(1);
    MX_RETURN_IF_ERROR(CheckExpanded(call, shape));
  }
  TileView view = ViewLike(tile, shape);
  MX_ASSIGN_OR_RETURN(view.pad, PadOf(call, PadValue::kZero));
  return MakeTile(context, shape, tile.dtype,
                  tile.space.value_or(MemorySpace::kVec), view);
}

void FillPadDefaults(std::vector<const Expr*>& args, std::vector<Attr>& kwargs,
                     Context& context) {
  if (FindAttr(kwargs, "pad_value") == nullptr) {
    kwargs.push_back(
        {context.Intern("pad_value"), AttrValue::Enum("PadValue", "zero")});
  }
}

void RegisterPadded(OpRegistry& registry, absl::string_view name,
                    std::vector<ArgSpec> more_args, bool in_place) {
  OpSignature signature = {{{"tile", ArgKind::kTile}},
                           {{"pad_value", KwargKind::kPadValue}}};
  signature.args.insert(signature.args.end(), more_args.begin(),
                        more_args.end());
  OpDef def = VecOp(name, signature);
  if (in_place) {
    def.result_aliases_arg = 0;
    def.has_effect = true;
  } else {
    def.short_forms = {OfTile(name)};
  }
  def.fill_defaults = FillPadDefaults;
  RegisterOp(registry, std::move(def), std::move(signature), DeducePadded);
}

}  // namespace

void RegisterFillOps(OpRegistry& registry) {
  RegisterValues(registry);
  RegisterPadded(registry, "fillpad", {}, /*in_place=*/false);
  RegisterPadded(registry, "fillpad_inplace", {}, /*in_place=*/true);
  RegisterPadded(registry, "fillpad_expand", {{"shape", ArgKind::kDims}},
                 /*in_place=*/false);
}

}  // namespace mxtile::ir
