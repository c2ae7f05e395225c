#include "ir/ops/elementwise_ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
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

using K = OperandKind;

enum class ResultElement { kFirst, kPromoted };

struct Elementwise {
  std::string name;
  OpSignature signature;
  std::vector<int> values;  // The arguments that the result depends on.
  ElementClass element = ElementClass::kAny;
  ResultElement result = ResultElement::kPromoted;
  bool same_type = false;  // All values, and all tiles one shape.
  std::vector<ShortForm> short_forms = {};
};

std::vector<int> TilesOf(const OpCall& call, const std::vector<int>& values) {
  std::vector<int> tiles;
  for (const int value : values) {
    if (Isa<TileType>(call.Arg(value)->type)) tiles.push_back(value);
  }
  return tiles;
}

// The valid shape of the first tile, but where it is broadcast.
DimVector ValidOf(const OpCall& call, const std::vector<int>& tiles,
                  Dims shape) {
  const TileType& first = call.Tile(tiles[0]);
  DimVector valid = ToVector(first.EffectiveValidShape());
  if (first.shape.size() != shape.size()) return ToVector(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (first.shape[i] == shape[i]) continue;
    valid[i] = shape[i];
    for (const int tile : tiles) {
      const TileType& other = call.Tile(tile);
      if (other.shape.size() == shape.size() && other.shape[i] == shape[i]) {
        valid[i] = other.EffectiveValidShape()[i];
        break;
      }
    }
  }
  return valid;
}

DataType TypeOfValue(const OpCall& call, int index) {
  return Isa<TileType>(call.Arg(index)->type) ? call.Tile(index).dtype
                                              : call.Scalar(index);
}

absl::Status CheckValues(const OpCall& call, const Elementwise& op) {
  const std::vector<int> tiles = TilesOf(call, op.values);
  for (const int value : op.values) {
    MX_RETURN_IF_ERROR(CheckElement(call, value, op.element));
  }
  if (!op.same_type) return absl::OkStatus();
  for (const int tile : tiles) {
    MX_RETURN_IF_ERROR(CheckSameElement(call, tiles[0], tile));
    MX_RETURN_IF_ERROR(CheckSameShape(call, tiles[0], tile));
  }
  return absl::OkStatus();
}

absl::StatusOr<const Type*> DeduceElementwise(const OpCall& call,
                                              const Elementwise& op,
                                              Context& context) {
  MX_RETURN_IF_ERROR(CheckValues(call, op));
  const std::vector<int> tiles = TilesOf(call, op.values);
  MX_ASSIGN_OR_RETURN(const DimVector shape, BroadcastShapes(call, tiles));
  const TileType& first = call.Tile(tiles[0]);
  DataType dtype = first.dtype;
  if (op.result == ResultElement::kPromoted) {
    for (const int value : op.values) {
      dtype = Promoted(dtype, TypeOfValue(call, value));
    }
  }
  const DimVector valid = ValidOf(call, tiles, shape);
  return MakeTile(context, shape, dtype, MemorySpace::kVec,
                  ViewLike(first, valid));
}

void Register(OpRegistry& registry, Elementwise op) {
  OpDef def = VecOp(op.name, op.signature);
  def.short_forms = op.short_forms;
  OpSignature signature = op.signature;
  RegisterOp(registry, std::move(def), std::move(signature),
             [op = std::move(op)](const OpCall& call, Context& context) {
               return DeduceElementwise(call, op, context);
             });
}

// ---- One tile

void RegisterUnary(OpRegistry& registry) {
  const KwargSpec precise = {"high_precision", KwargKind::kBool};
  const auto add = [&](absl::string_view name, ElementClass element,
                       std::vector<KwargSpec> kwargs = {},
                       std::vector<ArgSpec> more = {}) {
    Elementwise op;
    op.name = std::string(name);
    op.signature.args = {{"tile", ArgKind::kTile}};
    op.signature.args.insert(op.signature.args.end(), more.begin(), more.end());
    op.signature.kwargs = std::move(kwargs);
    op.values = {0};
    op.element = element;
    op.short_forms = {OfTile(name)};
    Register(registry, std::move(op));
  };
  for (const char* name : {"abs", "exp", "neg", "sqrt", "relu"}) {
    add(name, ElementClass::kAny);
  }
  add("sin", ElementClass::kFp32);
  add("cos", ElementClass::kFp32);
  add("recip", ElementClass::kAny, {precise});
  add("log", ElementClass::kFp16Fp32, {precise});
  add("rsqrt", ElementClass::kAny, {},
      {{"tmp", ArgKind::kTile, /*optional=*/true}});
  add("not", ElementClass::kInt16);
}

// ---- Two tiles

void RegisterBinary(OpRegistry& registry) {
  const ArgSpec lhs = {"lhs", ArgKind::kTile};
  const ArgSpec rhs = {"rhs", ArgKind::kTile};
  const ArgSpec tmp = {"tmp", ArgKind::kTile};
  const auto tiles = [](absl::string_view name) {
    return ShortForm{std::string(name), {K::kTile, K::kTile}};
  };
  for (const char* name : {"add", "sub", "mul", "maximum", "minimum", "fmod"}) {
    Register(registry, {name,
                        {{lhs, rhs}},
                        {0, 1},
                        ElementClass::kAny,
                        ResultElement::kPromoted,
                        false,
                        {tiles(name)}});
  }
  Register(registry, {"div",
                      {{lhs, rhs}, {{"high_precision", KwargKind::kBool}}},
                      {0, 1},
                      ElementClass::kAny,
                      ResultElement::kFirst,
                      /*same_type=*/true,
                      {tiles("div")}});
  for (const char* name : {"part_add", "part_mul", "part_max", "part_min"}) {
    Register(registry, {name,
                        {{{"src0", ArgKind::kTile}, {"src1", ArgKind::kTile}}},
                        {0, 1},
                        ElementClass::kAny,
                        ResultElement::kPromoted,
                        false,
                        {tiles(name)}});
  }
  for (const char* name : {"and", "or"}) {
    Register(registry, {name,
                        {{lhs, rhs}},
                        {0, 1},
                        ElementClass::kInteger,
                        ResultElement::kPromoted,
                        false,
                        {tiles(name)}});
  }
  for (const char* name : {"shl", "shr"}) {
    Register(registry, {name,
                        {{lhs, rhs}},
                        {0, 1},
                        ElementClass::kInteger,
                        ResultElement::kFirst,
                        false,
                        {tiles(name)}});
  }
  Register(registry, {"rem",
                      {{lhs, rhs, tmp}},
                      {0, 1},
                      ElementClass::kAny,
                      ResultElement::kPromoted,
                      false,
                      {{"rem"}}});
  Register(registry, {"xor",
                      {{lhs, rhs, tmp}},
                      {0, 1},
                      ElementClass::kInteger,
                      ResultElement::kPromoted,
                      false,
                      {tiles("xor")}});
  Register(registry,
           {"prelu",
            {{{"tile", ArgKind::kMatrix}, {"slope", ArgKind::kMatrix}, tmp}},
            {0, 1},
            ElementClass::kFp16Fp32,
            ResultElement::kFirst,
            /*same_type=*/true,
            {{"prelu"}}});
}

// ---- A tile and a scalar

void RegisterScalar(OpRegistry& registry) {
  const ArgSpec lhs = {"lhs", ArgKind::kTile};
  const ArgSpec rhs = {"rhs", ArgKind::kScalar};
  const auto of_scalar = [](absl::string_view name) {
    return ShortForm{std::string(name), {K::kTile, K::kScalar}};
  };
  const auto add = [&](absl::string_view name, ElementClass element,
                       std::vector<ArgSpec> args,
                       std::vector<ShortForm> forms) {
    Register(registry, {std::string(name),
                        {std::move(args)},
                        {0, 1},
                        element,
                        ResultElement::kFirst,
                        false,
                        std::move(forms)});
  };
  for (const char* name : {"add", "sub", "mul", "div"}) {
    add(absl::StrCat(name, "s"), ElementClass::kAny, {lhs, rhs},
        {of_scalar(name), of_scalar(absl::StrCat("tile.", name))});
  }
  for (const char* name : {"maximum", "minimum", "fmod"}) {
    const std::string full = absl::StrCat(name, "s");
    add(full, ElementClass::kAny, {lhs, rhs}, {of_scalar(name), OfTile(full)});
  }
  for (const char* name : {"and", "or", "shl", "shr"}) {
    const std::string full = absl::StrCat(name, "s");
    add(full, ElementClass::kInteger, {lhs, rhs},
        {of_scalar(name), OfTile(full)});
  }
  const ArgSpec tmp = {"tmp", ArgKind::kTile};
  add("rems", ElementClass::kAny, {lhs, rhs, tmp}, {{"rems"}});
  add("xors", ElementClass::kInteger, {lhs, rhs, tmp},
      {of_scalar("xor"), OfTile("xors")});
  add("lrelu", ElementClass::kAny,
      {{"tile", ArgKind::kTile}, {"slope", ArgKind::kScalar}}, {{"lrelu"}});
}

// ---- Three values, and choices

void RegisterTernary(OpRegistry& registry) {
  const auto add = [&](absl::string_view name, ArgKind rhs) {
    Register(
        registry,
        {std::string(name),
         {{{"lhs", ArgKind::kTile}, {"rhs", rhs}, {"rhs2", ArgKind::kTile}}},
         {0, 1, 2},
         ElementClass::kAny,
         ResultElement::kPromoted,
         false,
         {{std::string(name)}}});
  };
  add("addc", ArgKind::kTile);
  add("subc", ArgKind::kTile);
  add("addsc", ArgKind::kScalar);
  add("subsc", ArgKind::kScalar);
  Register(registry, {"sel",
                      {{{"mask", ArgKind::kTile},
                        {"lhs", ArgKind::kTile},
                        {"rhs", ArgKind::kTile},
                        {"tmp", ArgKind::kTile}}},
                      {1, 2},
                      ElementClass::kAny,
                      ResultElement::kPromoted,
                      false,
                      {{"sel"}}});
  Register(registry, {"sels",
                      {{{"mask", ArgKind::kMatrix},
                        {"src", ArgKind::kMatrix},
                        {"tmp", ArgKind::kMatrix},
                        {"scalar", ArgKind::kScalar}}},
                      {1},
                      ElementClass::kAny,
                      ResultElement::kFirst,
                      false,
                      {{"sels"}}});
}

// ---- Comparisons

// One bit an element, eight to a byte; rows of whole 32-byte blocks.
constexpr int64_t kBitsPerByte = 8;
constexpr int64_t kMaskAlignment = 32;

const Expr* CeilDiv(Context& context, const Expr* dim, int64_t divisor) {
  if (const std::optional<int64_t> value = ConstantOf(dim)) {
    return context.Index((*value + divisor - 1) / divisor);
  }
  return context.NewBinary(
      BinaryOp::kFloorDiv,
      context.NewBinary(BinaryOp::kAdd, dim, context.Index(divisor - 1)),
      context.Index(divisor));
}

absl::StatusOr<const Type*> DeduceCompare(const OpCall& call,
                                          Context& context) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 1));
  const std::vector<int> tiles = TilesOf(call, {0, 1});
  MX_ASSIGN_OR_RETURN(DimVector shape, BroadcastShapes(call, tiles));
  DimVector valid = ValidOf(call, tiles, shape);
  valid.back() = CeilDiv(context, valid.back(), kBitsPerByte);
  shape.back() =
      Multiple(context,
               CeilDiv(context, CeilDiv(context, shape.back(), kBitsPerByte),
                       kMaskAlignment),
               kMaskAlignment);
  return MakeTile(context, shape, DataType::kUInt8, MemorySpace::kVec,
                  ViewLike(call.Tile(0), valid));
}

void FillCompareDefaults(std::vector<const Expr*>& args,
                         std::vector<Attr>& kwargs, Context& context) {
  constexpr int64_t kEqual = 0;
  if (FindAttr(kwargs, "cmp_type") == nullptr) {
    kwargs.push_back({context.Intern("cmp_type"), AttrValue::Int(kEqual)});
  }
}

void RegisterCompare(OpRegistry& registry, absl::string_view name, ArgKind rhs,
                     std::vector<ShortForm> short_forms) {
  const OpSignature signature = {{{"lhs", ArgKind::kTile}, {"rhs", rhs}},
                                 {{"cmp_type", KwargKind::kInt}}};
  OpDef def = VecOp(name, signature);
  def.short_forms = std::move(short_forms);
  def.fill_defaults = FillCompareDefaults;
  RegisterOp(registry, std::move(def), signature, DeduceCompare);
}

}  // namespace

void RegisterElementwiseOps(OpRegistry& registry) {
  RegisterUnary(registry);
  RegisterBinary(registry);
  RegisterScalar(registry);
  RegisterTernary(registry);
  RegisterCompare(registry, "cmp", ArgKind::kTile,
                  {{"cmp", {K::kTile, K::kTile}}});
  RegisterCompare(registry, "cmps", ArgKind::kScalar,
                  {{"cmp", {K::kTile, K::kScalar}}, OfTile("cmps")});
}

}  // namespace mxtile::ir
