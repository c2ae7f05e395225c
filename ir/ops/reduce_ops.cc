#include "ir/ops/reduce_ops.h"

#include <algorithm>
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

enum class Along { kRows, kCols };
enum class Scratch { kNone, kOptional, kNeeded };

// ---- Reductions

absl::Status CheckReduction(const OpCall& call, Along along) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  for (const Expr* extent : call.Tile(0).EffectiveValidShape()) {
    if (IsConstant(extent, 0)) {
      return call.Error("MX-TILE-11", "of ", ShapeText(call.Tile(0).shape),
                        " only ", ShapeText(call.Tile(0).EffectiveValidShape()),
                        " is valid: there is nothing to reduce");
    }
  }
  if (!call.HasArg(1)) return absl::OkStatus();
  if (along == Along::kRows) {
    MX_RETURN_IF_ERROR(CheckSameElement(call, 0, 1));
  }
  return absl::OkStatus();
}

// The dims with the reduced one, the last for rows, the first for columns.
DimVector Reduced(Dims dims, Along along, Context& context) {
  DimVector reduced = ToVector(dims);
  (along == Along::kRows ? reduced.back() : reduced.front()) = context.Index(1);
  return reduced;
}

absl::StatusOr<const Type*> DeduceReduction(const OpCall& call, Along along,
                                            std::optional<DataType> dtype,
                                            Context& context) {
  MX_RETURN_IF_ERROR(CheckReduction(call, along));
  const TileType& tile = call.Tile(0);
  const DimVector shape = Reduced(tile.shape, along, context);
  const DimVector valid = Reduced(tile.EffectiveValidShape(), along, context);
  TileView view = PlainView();
  if (along == Along::kRows) view.blayout = TileLayout::kColMajor;
  view.valid_shape = valid;
  return MakeTile(context, shape, dtype.value_or(tile.dtype), MemorySpace::kVec,
                  view);
}

void RegisterReduction(OpRegistry& registry, absl::string_view name,
                       Along along, Scratch scratch,
                       std::optional<DataType> dtype = std::nullopt) {
  OpSignature signature = {{{"tile", ArgKind::kTile}}};
  if (scratch != Scratch::kNone) {
    signature.args.push_back(
        {"tmp_tile", ArgKind::kTile, scratch == Scratch::kOptional});
  }
  OpDef def = VecOp(name, signature);
  def.short_forms = {OfTile(name)};
  RegisterOp(registry, std::move(def), std::move(signature),
             [along, dtype](const OpCall& call, Context& context) {
               return DeduceReduction(call, along, dtype, context);
             });
}

// ---- Expansions

absl::Status CheckRowVector(const OpCall& call) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, 2));
  const Dims shape = call.Tile(0).shape;
  const Dims vector = call.Tile(1).shape;
  const Expr* rows = shape[shape.size() - 2];
  const Expr* vector_rows = vector[vector.size() - 2];
  if (IsConstant(vector.back(), 1) && !KnownDifferent(rows, vector_rows)) {
    return absl::OkStatus();
  }
  return call.Error("MX-TILE-1", "the row vector must be [..., M, 1] for a ",
                    "tile [..., M, N], got ", ShapeText(vector), " for ",
                    ShapeText(shape));
}

// One element a row, or a block of 32 bytes a row.
absl::Status CheckAddedRowVector(const OpCall& call) {
  MX_RETURN_IF_ERROR(CheckRank(call, 0, 2));
  MX_RETURN_IF_ERROR(CheckRank(call, 1, 2));
  return CheckSameElement(call, 0, 1);
}

using OperandCheck = absl::Status (*)(const OpCall&);

absl::StatusOr<const Type*> DeduceExpansion(const OpCall& call,
                                            OperandCheck check,
                                            Context& context) {
  if (check != nullptr) {
    MX_RETURN_IF_ERROR(check(call));
  }
  const TileType& tile = call.Tile(0);
  const auto* other = DynCast<TileType>(call.Arg(1)->type);
  const DataType dtype =
      Promoted(tile.dtype, other != nullptr ? other->dtype : call.Scalar(1));
  return MakeTile(context, tile.shape, dtype, MemorySpace::kVec,
                  ViewLike(tile, tile.EffectiveValidShape()));
}

void RegisterExpansion(OpRegistry& registry, absl::string_view name,
                       std::vector<ArgSpec> args, OperandCheck check) {
  OpSignature signature = {std::move(args)};
  OpDef def = VecOp(name, signature);
  def.short_forms = {OfTile(name)};
  RegisterOp(registry, std::move(def), std::move(signature),
             [check](const OpCall& call, Context& context) {
               return DeduceExpansion(call, check, context);
             });
}

}  // namespace

void RegisterReduceOps(OpRegistry& registry) {
  for (const char* name : {"max", "min", "sum", "prod"}) {
    RegisterReduction(registry, absl::StrCat("row_", name), Along::kRows,
                      Scratch::kNeeded);
    RegisterReduction(
        registry, absl::StrCat("col_", name), Along::kCols,
        absl::string_view(name) == "sum" ? Scratch::kOptional : Scratch::kNone);
  }
  for (const char* name : {"argmax", "argmin"}) {
    RegisterReduction(registry, absl::StrCat("row_", name), Along::kRows,
                      Scratch::kNeeded, DataType::kInt32);
    RegisterReduction(registry, absl::StrCat("col_", name), Along::kCols,
                      Scratch::kNeeded, DataType::kInt32);
  }

  const ArgSpec tile = {"tile", ArgKind::kTile};
  const ArgSpec target = {"target", ArgKind::kTile};
  const ArgSpec row = {"row_vec", ArgKind::kTile};
  const ArgSpec col = {"col_vec", ArgKind::kTile};
  RegisterExpansion(registry, "row_expand", {target, row}, CheckRowVector);
  RegisterExpansion(registry, "col_expand", {target, col}, nullptr);
  for (const char* name : {"sub", "mul", "div", "max", "min", "expdif"}) {
    RegisterExpansion(registry, absl::StrCat("row_expand_", name), {tile, row},
                      CheckRowVector);
  }
  RegisterExpansion(registry, "row_expand_add",
                    {tile, row, {"tmp", ArgKind::kTile, /*optional=*/true}},
                    CheckAddedRowVector);
  for (const char* name :
       {"add", "sub", "mul", "div", "max", "min", "expdif"}) {
    RegisterExpansion(registry, absl::StrCat("col_expand_", name), {tile, col},
                      nullptr);
  }
  RegisterExpansion(registry, "expands", {target, {"scalar", ArgKind::kScalar}},
                    nullptr);
}

}  // namespace mxtile::ir
