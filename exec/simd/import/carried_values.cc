#include "exec/simd/import/carried_values.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/simd/element_type.h"
#include "exec/simd/import/scalars.h"
#include "ir/rule_error.h"

namespace mxtile::exec::simd {
namespace {

using Kind = Binding::Kind;

}  // namespace

absl::Status YieldError(absl::string_view name, absl::string_view what) {
  return ir::RuleError("MX-SIMD-8", absl::StrCat("'", name, "' ", what));
}

bool HasValue(const Binding& binding) {
  return binding.kind == Kind::kTile || binding.kind == Kind::kScalar;
}

ValueId ValueOf(const Binding& binding) {
  return binding.kind == Kind::kTile ? binding.tile.value : binding.scalar.id;
}

Binding WithValue(ImportState& state, const Binding& binding, ValueId value) {
  Binding result = binding;
  if (binding.kind == Kind::kTile) {
    result.tile.value = value;
  } else if (binding.scalar.type == ElementType::kBool) {
    result.scalar = state.scalars.OpaqueBool(value);
  } else {
    result.scalar = state.scalars.Opaque(value, {}, {});
  }
  return result;
}

absl::StatusOr<Binding> AsCarried(ImportState& state, const ir::Var& var,
                                  const Binding& binding,
                                  const AxisPair* axes) {
  Binding result = binding;
  if (binding.kind == Kind::kTile) {
    if (axes != nullptr) result.tile = state.Fit(binding.tile, *axes);
    result.tile = state.InOrder(result.tile);
    result.tile.zero_outside = false;
  } else if (binding.kind == Kind::kScalar &&
             binding.scalar.type == ElementType::kF32) {
    return YieldError(var.name,
                      "is a floating-point scalar; carry a tile [1, 1]");
  } else if (binding.kind == Kind::kTuple) {
    return YieldError(var.name, "is a tuple");
  }
  return result;
}

absl::Status CheckAlike(const ImportState& state, const ir::Var& var,
                        const Binding& a, const Binding& b) {
  if (a.kind != b.kind || a.view != b.view ||
      (a.kind == Kind::kScalar && a.scalar.type != b.scalar.type)) {
    return YieldError(var.name, "becomes a value of another kind or tensor");
  }
  if (a.kind != Kind::kTile) return absl::OkStatus();
  if (state.TypeOf(a.tile.value) != state.TypeOf(b.tile.value) ||
      a.tile.axes.rows.extent != b.tile.axes.rows.extent ||
      a.tile.axes.cols.extent != b.tile.axes.cols.extent) {
    return YieldError(var.name, "becomes a tile of another type");
  }
  if (a.tile.valid_rows == b.tile.valid_rows &&
      a.tile.valid_cols == b.tile.valid_cols) {
    return absl::OkStatus();
  }
  return ir::RuleError(
      "MX-SIMD-6",
      absl::StrCat("'", var.name,
                   "' becomes a tile whose valid region is "
                   "not known to be the same; pad the tile (tile.fillpad)"));
}

}  // namespace mxtile::exec::simd
