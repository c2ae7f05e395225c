#include "exec/simd/import/memory_import.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "exec/window.h"
#include "ir/rule_error.h"

namespace mxtile::exec::simd {
namespace {

absl::Status Misfit(const ir::Call& call, absl::string_view what) {
  return ir::RuleError("MX-SIMD-3",
                       absl::StrCat(call.callee->name, ": ", what));
}

// The scalars of a tuple argument.
absl::StatusOr<std::vector<Scalar>> ScalarsOf(const ir::Call& call,
                                              const Binding& tuple) {
  std::vector<Scalar> scalars;
  for (const Binding& item : tuple.items) {
    if (item.kind != Binding::Kind::kScalar ||
        item.scalar.type != ElementType::kIndex) {
      return Misfit(call, "offsets and extents are integers");
    }
    scalars.push_back(item.scalar);
  }
  return scalars;
}

// One axis of a window: where it begins and how much of the tile's axis counts.
struct AxisWindow {
  Scalar origin;
  TileAxis axis;
  DimId dim = kNoDim;
  ValueId valid = kNoValue;  // kNoValue: all.
  Linear count = Linear(1);  // Elements that are touched.
};

Window WindowOf(const ImportState& state, ViewId view,
                const std::vector<AxisWindow>& axes) {
  const IndexBounds& bounds = state.scalars.bounds();
  const std::vector<int64_t>& shape = state.builder.program().views[view].shape;
  Window window;
  bool has_limits = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisWindow& axis = axes[i];
    window.origins.push_back(axis.origin.id);
    window.axes.push_back(axis.dim);
    window.limits.push_back(axis.valid);
    has_limits = has_limits || axis.valid != kNoValue;
    // Of a limit beyond the extent the extent counts.
    const Linear all(axis.axis.extent);
    const bool inside =
        bounds.IsAtLeast(axis.origin.linear, 0) &&
        (bounds.IsAtMost(axis.origin.linear + axis.count, shape[i]) ||
         bounds.IsAtMost(axis.origin.linear + all, shape[i]));
    window.checked = window.checked || !inside;
  }
  if (!has_limits) window.limits.clear();
  return window;
}

}  // namespace

absl::StatusOr<Tile> ImportLoad(ImportState& state, const ir::Call& call,
                                absl::Span<const Binding> args) {
  const AxisPair* axes = state.axes.Find(&call);
  if (axes == nullptr) return Misfit(call, "a tile needs constant extents");
  MX_ASSIGN_OR_RETURN(const std::vector<Scalar> offsets,
                      ScalarsOf(call, args[1]));
  MX_ASSIGN_OR_RETURN(const std::vector<Scalar> sizes,
                      ScalarsOf(call, args[2]));
  std::vector<Scalar> valid = sizes;
  if (args.size() > 3) {
    MX_ASSIGN_OR_RETURN(valid, ScalarsOf(call, args[3]));
  }
  const ViewId view = args[0].view;
  const size_t rank = state.builder.program().views[view].shape.size();
  if (offsets.size() != rank || sizes.size() != rank || valid.size() != rank) {
    return Misfit(call, "a window needs the rank of its tensor");
  }
  Tile tile = state.NewTile(*axes);
  std::vector<AxisWindow> window(rank);
  for (size_t i = 0; i < rank; ++i) {
    window[i].origin = offsets[i];
    const bool is_col = i + 1 == rank;
    const bool is_row = i + 2 == rank;
    const std::optional<int64_t> size = sizes[i].linear.AsConstant();
    if (is_col || is_row) {
      window[i].axis = is_col ? axes->cols : axes->rows;
      window[i].dim = is_col ? tile.cols : tile.rows;
    }
    if (!size.has_value() || *size != window[i].axis.extent) {
      return Misfit(call,
                    "of more than two axes all but the last two need the "
                    "extent 1");
    }
    window[i].count = valid[i].linear;
    if (valid[i].linear.AsConstant() == size) continue;
    if (window[i].dim == kNoDim) {
      return Misfit(call, "an axis of extent 1 needs to be valid");
    }
    window[i].valid = valid[i].id;
    (is_col ? tile.valid_cols : tile.valid_rows) = valid[i].id;
    tile.zero_outside = true;
  }
  tile.value = state.builder.Load(view, WindowOf(state, view, window));
  return tile;
}

absl::Status ImportStore(ImportState& state, const ir::Call& call,
                         absl::Span<const Binding> args) {
  if (StoreAdds(call)) return UnsupportedVariant(call, "with atomic");
  const Tile& tile = args[0].tile;
  const ViewId view = args[2].view;
  const View& memory = state.builder.program().views[view];
  MX_ASSIGN_OR_RETURN(const std::vector<Scalar> offsets,
                      ScalarsOf(call, args[1]));
  const size_t rank = memory.shape.size();
  if (offsets.size() != rank || (rank == 1 && tile.rows != kNoDim)) {
    return Misfit(call, "a window needs the rank of its tensor");
  }
  if (state.TypeOf(tile.value) != memory.type) {
    return UnsupportedVariant(
        call, absl::StrCat("of ", Name(state.TypeOf(tile.value)), " to ",
                           Name(memory.type), " (cast first)"));
  }
  if (BitWidth(memory.type) < 8) {
    return UnsupportedVariant(call, "of 4-bit elements");
  }
  std::vector<AxisWindow> window(rank);
  for (size_t i = 0; i < rank; ++i) {
    window[i].origin = offsets[i];
    if (i + 1 == rank) {
      window[i].axis = tile.axes.cols;
      window[i].dim = tile.cols;
      window[i].valid = tile.valid_cols;
    } else if (i + 2 == rank) {
      window[i].axis = tile.axes.rows;
      window[i].dim = tile.rows;
      window[i].valid = tile.valid_rows;
    }
    window[i].count = window[i].valid == kNoValue
                          ? Linear(window[i].axis.extent)
                          : state.scalars.LinearOf(window[i].valid);
  }
  if (args.size() > 3) {
    MX_ASSIGN_OR_RETURN(const std::vector<Scalar> sizes,
                        ScalarsOf(call, args[3]));
    for (size_t i = 0; i < rank; ++i) {
      const bool fits =
          sizes.size() == rank &&
          (window[i].valid == kNoValue
               ? sizes[i].linear.AsConstant() == window[i].axis.extent
               : sizes[i].id == window[i].valid);
      if (fits) continue;
      return ir::RuleError("MX-SIMD-6",
                           absl::StrCat(call.callee->name,
                                        ": the stated shape is not known to be "
                                        "the tile's valid region"));
    }
  }
  state.builder.Store(view, WindowOf(state, view, window), tile.value);
  return absl::OkStatus();
}

}  // namespace mxtile::exec::simd
