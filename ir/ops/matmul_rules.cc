#include "ir/ops/matmul_rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/enums.h"
#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

struct RoleInfo {
  absl::string_view name;
  MemorySpace space;
};

RoleInfo InfoOf(MatmulRole role) {
  switch (role) {
    case MatmulRole::kAcc:
      return {"acc", MemorySpace::kAcc};
    case MatmulRole::kLhs:
      return {"lhs", MemorySpace::kLeft};
    case MatmulRole::kLhsScale:
      return {"lhs_scale", MemorySpace::kLeftScale};
    case MatmulRole::kRhs:
      return {"rhs", MemorySpace::kRight};
    case MatmulRole::kRhsScale:
      return {"rhs_scale", MemorySpace::kRightScale};
    case MatmulRole::kBias:
      return {"bias", MemorySpace::kBias};
  }
  return {};
}

absl::Status CheckResultDataType(const OpCall& call, absl::string_view rule,
                                 int index, DataType needed) {
  const DataType actual = call.Tile(index).dtype;
  if (actual == needed) return absl::OkStatus();
  return call.Error(rule, "needs ", call.ArgName(index), " dtype ",
                    DataTypeName(needed), ", the type of the result, got ",
                    DataTypeName(actual));
}

absl::Status ExtentError(const OpCall& call, const ExtentRule& rule,
                         absl::string_view relation, const Expr* needed,
                         const Expr* actual) {
  return call.Error(rule.rule, rule.what, "=", *ConstantOf(needed), relation,
                    " needed, ", rule.why, "; got ", *ConstantOf(actual));
}

}  // namespace

int IndexOf(const std::vector<MatmulRole>& roles, MatmulRole role) {
  const auto it = std::find(roles.begin(), roles.end(), role);
  return it == roles.end() ? -1 : static_cast<int>(it - roles.begin());
}

OpDef MatmulDef(absl::string_view short_name,
                const std::vector<MatmulRole>& roles) {
  OpDef def;
  def.name = absl::StrCat("tile.", short_name);
  def.short_forms = {
      {std::string(short_name), {OperandKind::kTile, OperandKind::kTile}}};
  for (const MatmulRole role : roles) {
    def.operand_spaces.push_back({InfoOf(role).space});
  }
  def.result_space = ResultSpace::kFixed;
  def.fixed_space = MemorySpace::kAcc;
  if (const int acc = IndexOf(roles, MatmulRole::kAcc); acc >= 0) {
    def.result_aliases_arg = acc;
    // Users also write it as a statement and go on with the acc.
    def.has_effect = true;
  }
  return def;
}

std::vector<ArgSpec> MatmulArgs(const std::vector<MatmulRole>& roles) {
  std::vector<ArgSpec> args;
  for (const MatmulRole role : roles) {
    args.push_back({std::string(InfoOf(role).name), ArgKind::kMatrix});
  }
  return args;
}

Axis AxisOf(const TileType& matrix, int axis) {
  return {matrix.shape[axis], matrix.EffectiveValidShape()[axis]};
}

Product ProductOf(const TileType& lhs, const TileType& rhs) {
  return {AxisOf(lhs, 0), AxisOf(lhs, 1), AxisOf(rhs, 0), AxisOf(rhs, 1)};
}

const Type* ProductType(const Product& product, DataType dtype,
                        Context& context) {
  const Expr* shape[] = {product.m.physical, product.n.physical};
  const Expr* valid[] = {product.m.valid, product.n.valid};
  TileView view = ImplicitTileView(shape, MemorySpace::kAcc);
  view.valid_shape = valid;
  // The cube lays Acc out by the valid rows; the reader has to know.
  if (product.m.valid != product.m.physical) {
    view.compact = CompactMode::kNormal;
  }
  TileType type;
  type.shape = shape;
  type.dtype = dtype;
  type.space = MemorySpace::kAcc;
  type.view = &view;
  return context.GetTileType(type);
}

const Type* AccumulatedType(const TileType& acc, Context& context) {
  const TileView source = acc.EffectiveView();
  TileView view = ImplicitTileView(acc.shape, MemorySpace::kAcc);
  view.valid_shape = source.valid_shape;
  view.pad = source.pad;
  view.compact = source.compact;
  TileType type = acc;
  type.space = MemorySpace::kAcc;
  type.view = &view;
  return context.GetTileType(type);
}

absl::Status CheckExtent(const OpCall& call, const ExtentRule& rule,
                         const Expr* needed, const Expr* actual) {
  if (!KnownDifferent(needed, actual)) return absl::OkStatus();
  return ExtentError(call, rule, "", needed, actual);
}

absl::Status CheckExtentCovers(const OpCall& call, const ExtentRule& rule,
                               const Expr* needed, const Expr* actual) {
  if (!KnownDifferent(needed, actual) ||
      *ConstantOf(actual) > *ConstantOf(needed)) {
    return absl::OkStatus();
  }
  return ExtentError(call, rule, " or more", needed, actual);
}

absl::Status CheckSameK(const OpCall& call, const Product& product) {
  if (!KnownDifferent(product.lhs_k.physical, product.rhs_k.physical)) {
    return absl::OkStatus();
  }
  return call.Error("MX-MATMUL-4", "needs matching physical K, got lhs K=",
                    *ConstantOf(product.lhs_k.physical),
                    " and rhs K=", *ConstantOf(product.rhs_k.physical),
                    "; pad the shorter operand");
}

absl::Status CheckAcc(const OpCall& call, int index, const Product& product,
                      DataType dtype) {
  MX_RETURN_IF_ERROR(CheckResultDataType(call, "MX-MATMUL-9", index, dtype));
  const Dims shape = call.Tile(index).shape;
  const std::string why = "the product is [M, N]";
  MX_RETURN_IF_ERROR(CheckExtent(call,
                                 {"MX-MATMUL-9", "acc physical rows", why},
                                 product.m.physical, shape[0]));
  return CheckExtent(call, {"MX-MATMUL-9", "acc physical cols", why},
                     product.n.physical, shape[1]);
}

absl::Status CheckBias(const OpCall& call, int index, const Product& product,
                       DataType dtype, Context& context) {
  MX_RETURN_IF_ERROR(CheckResultDataType(call, "MX-MATMUL-10", index, dtype));
  const TileType& bias = call.Tile(index);
  const std::string why = "a bias is [1, N]";
  const Axis rows = AxisOf(bias, 0);
  MX_RETURN_IF_ERROR(CheckExtent(call,
                                 {"MX-MATMUL-10", "bias physical rows", why},
                                 context.Index(1), rows.physical));
  MX_RETURN_IF_ERROR(CheckExtent(call,
                                 {"MX-MATMUL-10", "bias physical cols", why},
                                 product.n.physical, bias.shape[1]));
  return CheckExtent(call, {"MX-MATMUL-10", "bias valid rows", why},
                     context.Index(1), rows.valid);
}

}  // namespace mxtile::ir
