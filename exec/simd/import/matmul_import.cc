#include "exec/simd/import/matmul_import.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "ir/rule_error.h"

namespace mxtile::exec::simd {
namespace {

class MatmulImport {
 public:
  MatmulImport(ImportState& state, const ir::Call& call,
               const MatmulRoles& roles, absl::Span<const Binding> args)
      : s_(state), b_(state.builder), call_(call), roles_(roles), args_(args) {}

  absl::StatusOr<Tile> Run() {
    const AxisPair* axes = s_.axes.Find(&call_);
    if (axes == nullptr) return Misfit("a tile needs constant extents");
    result_ = s_.NewTile(*axes);
    const TileAxis k = KAxis();
    lhs_ = s_.Fit(args_[roles_.lhs].tile, {axes->rows, k});
    rhs_ = s_.Fit(args_[roles_.rhs].tile, {k, axes->cols});
    MX_RETURN_IF_ERROR(CheckOperands());
    result_.valid_rows = lhs_.valid_rows;
    result_.valid_cols = rhs_.valid_cols;
    MX_ASSIGN_OR_RETURN(const ValueId seed, Seed());
    if (roles_.lhs_scale < 0) {
      result_.value = b_.Contract(lhs_.value, rhs_.value, seed, KLimit());
      return result_;
    }
    return Scaled(seed);
  }

 private:
  // A dimension that is none of the result: that of lhs or of rhs, or, where a
  // tile is multiplied by itself, a new one.
  TileAxis KAxis() {
    for (const TileAxis& axis :
         {args_[roles_.lhs].tile.axes.cols, args_[roles_.rhs].tile.axes.rows}) {
      const DimId dim = s_.axes.DimOf(axis, b_);
      if (dim == kNoDim || (dim != result_.rows && dim != result_.cols)) {
        return axis;
      }
    }
    return s_.axes.NewAxis(args_[roles_.lhs].tile.axes.cols.extent, "k");
  }

  // k of extent 1 is no dimension: its one contribution is there.
  ValueId KLimit() const {
    return lhs_.cols == kNoDim ? kNoValue : lhs_.valid_cols;
  }

  absl::Status Misfit(absl::string_view what) const {
    return ir::RuleError("MX-SIMD-3",
                         absl::StrCat(call_.callee->name, ": ", what));
  }

  absl::Status CheckOperands() const {
    if (lhs_.axes.cols.extent != rhs_.axes.rows.extent) {
      return Misfit("lhs and rhs have different K");
    }
    if (rhs_.valid_rows != kNoValue && rhs_.valid_rows != lhs_.valid_cols) {
      return ir::RuleError("MX-SIMD-6",
                           absl::StrCat(call_.callee->name,
                                        ": the valid K of lhs and rhs are not "
                                        "known to be the same; pad the tiles "
                                        "(tile.fillpad)"));
    }
    if (roles_.lhs_scale >= 0) return absl::OkStatus();
    for (const Tile* tile : {&lhs_, &rhs_}) {
      const ElementType type = s_.TypeOf(tile->value);
      if (type == ElementType::kF32 || type == ElementType::kBF16 ||
          type == ElementType::kF16) {
        continue;
      }
      return UnsupportedVariant(call_,
                                absl::StrCat("of ", Name(type), " operands"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ValueId> Seed() {
    const Space space = s_.SpaceOf(result_);
    const ValueId zero = b_.Constant(0);
    if (roles_.bias >= 0) {
      const Tile& bias = args_[roles_.bias].tile;
      if (bias.valid_cols != kNoValue &&
          bias.valid_cols != result_.valid_cols) {
        return SeedError();
      }
      return b_.Broadcast(s_.Fit(bias, result_.axes).value, space);
    }
    if (roles_.acc < 0) return b_.Broadcast(zero, space);
    const Tile& acc = args_[roles_.acc].tile;
    if (acc.valid_rows != result_.valid_rows ||
        acc.valid_cols != result_.valid_cols) {
      return SeedError();
    }
    const ValueId seed = s_.InOrder(s_.Fit(acc, result_.axes)).value;
    if (roles_.init_cond < 0 ||
        roles_.init_cond >= static_cast<int>(args_.size())) {
      return seed;
    }
    return b_.Select(args_[roles_.init_cond].scalar.id, zero, seed, space);
  }

  absl::Status SeedError() const {
    return ir::RuleError(
        "MX-SIMD-6",
        absl::StrCat(call_.callee->name,
                     ": what the product is added to is not known to have the "
                     "product's valid region"));
  }

  // An MX contraction is of matrices: extents of 1 are dimensions, too.
  absl::StatusOr<Tile> Scaled(ValueId seed) {
    const AxisPair& lhs_axes = args_[roles_.lhs_scale].tile.axes;
    const TileAxis groups = lhs_axes.cols;
    const Tile lhs_scale =
        s_.Fit(args_[roles_.lhs_scale].tile, {result_.axes.rows, groups});
    const Tile rhs_scale =
        s_.Fit(args_[roles_.rhs_scale].tile, {groups, result_.axes.cols});
    const int64_t needed = CeilDivide(lhs_.axes.cols.extent, kMxGroup);
    if (groups.extent != needed || rhs_scale.axes.rows.extent != needed ||
        lhs_scale.axes.rows.extent != result_.axes.rows.extent ||
        rhs_scale.axes.cols.extent != result_.axes.cols.extent) {
      return Misfit("scales need the extents [M, K/32] and [K/32, N]");
    }
    const auto dim_of = [&](DimId dim, const char* name) {
      return dim == kNoDim ? b_.AddDim(name, 1) : dim;
    };
    const DimId m = dim_of(result_.rows, "m");
    const DimId n = dim_of(result_.cols, "n");
    const DimId k = dim_of(lhs_.cols, "k");
    const DimId g = dim_of(lhs_scale.cols, "group");
    const auto matrix = [&](ValueId value, DimId rows, DimId cols) {
      if (b_.program().values[value].space.size() == 2) return value;
      return b_.Broadcast(value, {rows, cols});
    };
    ValueId product =
        b_.MxContract(matrix(lhs_.value, m, k), matrix(lhs_scale.value, m, g),
                      matrix(rhs_.value, k, n), matrix(rhs_scale.value, g, n),
                      matrix(seed, m, n), KLimit());
    std::vector<DimId> units;
    std::vector<ValueId> zeros;
    for (const auto& [dim, own] :
         {std::pair(m, result_.rows), std::pair(n, result_.cols)}) {
      if (own != kNoDim) continue;
      units.push_back(dim);
      zeros.push_back(s_.scalars.Index(0).id);
    }
    if (!units.empty()) {
      product = b_.Extract(product, std::move(units), std::move(zeros));
    }
    result_.value = product;
    return result_;
  }

  ImportState& s_;
  TileProgramBuilder& b_;
  const ir::Call& call_;
  const MatmulRoles& roles_;
  const absl::Span<const Binding> args_;
  Tile lhs_;
  Tile rhs_;
  Tile result_;
};

}  // namespace

absl::StatusOr<Tile> ImportMatmul(ImportState& state, const ir::Call& call,
                                  const MatmulRoles& roles,
                                  absl::Span<const Binding> args) {
  return MatmulImport(state, call, roles, args).Run();
}

}  // namespace mxtile::exec::simd
