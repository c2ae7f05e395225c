#include "exec/reference/fill_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "exec/pad_number.h"
#include "exec/window.h"
#include "ir/data_type.h"
#include "ir/rule_error.h"
#include "ir/type.h"

namespace mxtile::exec {
namespace {

double NumberOf(const Value& scalar) {
  if (scalar.is_bool()) return scalar.AsBool() ? 1 : 0;
  return scalar.is_int() ? static_cast<double>(scalar.AsInt())
                         : scalar.AsFloat();
}

template <typename Number>
std::shared_ptr<ReferenceTile<Number>> ScalarTile(const Value& scalar) {
  auto tile = NewReferenceTile<Number>(1, 1);
  tile->values[0] = Number(NumberOf(scalar));
  tile->defined[0] = 1;
  return tile;
}

template <typename Number>
Value Wrap(std::shared_ptr<ReferenceTile<Number>> tile) {
  return Value(std::shared_ptr<Object>(std::move(tile)));
}

absl::Status Unsupported(const ir::Call& call, absl::string_view what) {
  return ir::RuleError("MX-REF-3",
                       absl::StrCat(call.callee->name, what,
                                    " cannot be run by the reference "
                                    "interpreter"));
}

// A tile of the extents in `shape`, without values.
template <typename Number>
absl::StatusOr<std::shared_ptr<ReferenceTile<Number>>> TileOfShape(
    const ir::Call& call, const Value& shape) {
  const std::vector<int64_t> sizes = Integers(shape);
  MX_RETURN_IF_ERROR(CheckExtents(call.callee->name, sizes));
  const TileExtent extent = FoldedExtent(sizes);
  return NewReferenceTile<Number>(extent.rows, extent.cols);
}

// Element (r, c), where a tile of one row or column has it everywhere.
template <typename Number>
int64_t BroadcastIndex(const ReferenceTile<Number>& tile, int64_t r,
                       int64_t c) {
  return (tile.valid_rows == 1 ? 0 : r) * tile.cols +
         (tile.valid_cols == 1 ? 0 : c);
}

// A tile whose valid elements are function(index of the element in each tile);
// the tiles' valid extents are equal, or 1.
template <typename Number, typename Function>
absl::StatusOr<std::shared_ptr<ReferenceTile<Number>>> Combine(
    const ir::Call& call,
    std::initializer_list<const ReferenceTile<Number>*> tiles,
    const Function& function) {
  auto result = NewReferenceTile<Number>(1, 1);
  int64_t rows = 1;
  int64_t cols = 1;
  for (const ReferenceTile<Number>* tile : tiles) {
    result->rows = std::max(result->rows, tile->rows);
    result->cols = std::max(result->cols, tile->cols);
    if (tile->valid_rows != 1) rows = tile->valid_rows;
    if (tile->valid_cols != 1) cols = tile->valid_cols;
  }
  for (const ReferenceTile<Number>* tile : tiles) {
    if ((tile->valid_rows == rows || tile->valid_rows == 1) &&
        (tile->valid_cols == cols || tile->valid_cols == 1)) {
      continue;
    }
    return ir::RuleError(
        "MX-REF-2", absl::StrCat(call.callee->name, ": valid region [",
                                 tile->valid_rows, ", ", tile->valid_cols,
                                 "] does not fit [", rows, ", ", cols, "]"));
  }
  result->valid_rows = rows;
  result->valid_cols = cols;
  result->values.resize(result->rows * result->cols);
  result->defined.resize(result->rows * result->cols);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      for (const ReferenceTile<Number>* tile : tiles) {
        if (tile->defined[BroadcastIndex(*tile, r, c)]) continue;
        return ir::RuleError(
            "MX-REF-1", absl::StrCat(call.callee->name, ": element [", r, ", ",
                                     c, "] of an operand has no value"));
      }
      result->values[r * result->cols + c] = function(r, c);
      result->defined[r * result->cols + c] = 1;
    }
  }
  return result;
}

// Of a tile of integers an infinity is no element.
absl::StatusOr<double> PadOf(const ir::Call& call) {
  const std::optional<double> pad = PadNumber(call.kwargs);
  if (!pad.has_value()) return Unsupported(call, " with this pad_value");
  if (std::isinf(*pad)) {
    const auto* tile = ir::DynCast<ir::TileType>(call.args[0]->type);
    if (tile == nullptr || !ir::IsFloat(tile->dtype)) {
      return Unsupported(call, *pad > 0 ? " with max" : " with min");
    }
  }
  return *pad;
}

bool Holds(int64_t cmp_type, double a, double b) {
  switch (cmp_type) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

template <typename Number>
absl::Status CheckMask(const ir::Call& call,
                       const ReferenceTile<Number>& tile) {
  return tile.is_mask ? absl::OkStatus()
                      : Unsupported(call, " of what no tile.cmp made");
}

template <typename Number, typename Function>
absl::StatusOr<Value> CombineMasks(const ir::Call& call,
                                   absl::Span<const Value> args,
                                   const Function& function) {
  const auto& a = ReferenceTileOf<Number>(args[0]);
  const auto& b = ReferenceTileOf<Number>(args[1]);
  MX_RETURN_IF_ERROR(CheckMask(call, a));
  MX_RETURN_IF_ERROR(CheckMask(call, b));
  MX_ASSIGN_OR_RETURN(
      auto result, Combine<Number>(call, {&a, &b}, [&](int64_t r, int64_t c) {
        const bool x = ValueOf(a.values[BroadcastIndex(a, r, c)]) != 0;
        const bool y = ValueOf(b.values[BroadcastIndex(b, r, c)]) != 0;
        return Number(function(x, y) ? 1.0 : 0.0);
      }));
  result->is_mask = true;
  return Wrap(std::move(result));
}

template <typename Number>
absl::StatusOr<Value> Choose(const ir::Call& call,
                             const ReferenceTile<Number>& mask,
                             const ReferenceTile<Number>& then,
                             const ReferenceTile<Number>& otherwise) {
  MX_RETURN_IF_ERROR(CheckMask(call, mask));
  MX_ASSIGN_OR_RETURN(
      auto result,
      Combine<Number>(
          call, {&mask, &then, &otherwise}, [&](int64_t r, int64_t c) {
            const bool chosen =
                ValueOf(mask.values[BroadcastIndex(mask, r, c)]) != 0;
            const ReferenceTile<Number>& from = chosen ? then : otherwise;
            return from.values[BroadcastIndex(from, r, c)];
          }));
  return Wrap(std::move(result));
}

}  // namespace

template <typename Number>
FillOps<Number>::FillOps(const ir::OpRegistry& registry) {
  const std::pair<absl::string_view, Handler> table[] = {
      {"tile.full", Full},
      {"tile.ci", Count},
      {"tile.fillpad", Pad},
      {"tile.fillpad_inplace", Pad},
      {"tile.fillpad_expand", Pad},
      {"tile.reshape", Reshape},
      {"tile.cmp", Compare},
      {"tile.cmps", Compare},
      {"tile.and", And},
      {"tile.or", Or},
      {"tile.sel", Select},
      {"tile.sels", SelectScalar},
  };
  for (const auto& [name, handler] : table) {
    const ir::OpDef* def = registry.Find(name);
    if (def != nullptr) ops_.emplace(def, handler);
  }
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Eval(
    const ir::Call& call, absl::Span<const Value> args) const {
  return ops_.at(call.callee->def)(call, args);
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Full(const ir::Call& call,
                                            absl::Span<const Value> args) {
  MX_ASSIGN_OR_RETURN(auto tile, TileOfShape<Number>(call, args[0]));
  const Number value(NumberOf(args[1]));
  std::fill(tile->values.begin(), tile->values.end(), value);
  std::fill(tile->defined.begin(), tile->defined.end(), 1);
  return Wrap(std::move(tile));
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Count(const ir::Call& call,
                                             absl::Span<const Value> args) {
  MX_ASSIGN_OR_RETURN(auto tile, TileOfShape<Number>(call, args[1]));
  const ir::AttrValue* descending = ir::FindAttr(call.kwargs, "descending");
  const bool down = descending != nullptr && descending->bool_value;
  const double start = NumberOf(args[0]);
  const double last =
      start + (down ? -1.0 : 1.0) * static_cast<double>(tile->values.size());
  // Integers of a float beyond these are not all there.
  constexpr double kExactFloats = 1 << 24;
  if (std::is_same_v<Number, float> &&
      std::max(std::abs(start), std::abs(last)) > kExactFloats) {
    return Unsupported(call, " beyond 2^24 in single precision");
  }
  for (size_t i = 0; i < tile->values.size(); ++i) {
    const double step = static_cast<double>(i);
    tile->values[i] = Number(down ? start - step : start + step);
    tile->defined[i] = 1;
  }
  return Wrap(std::move(tile));
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Pad(const ir::Call& call,
                                           absl::Span<const Value> args) {
  const Tile& source = ReferenceTileOf<Number>(args[0]);
  MX_ASSIGN_OR_RETURN(const double pad, PadOf(call));
  auto tile = NewReferenceTile<Number>(source.rows, source.cols);
  if (args.size() > 1) {
    MX_ASSIGN_OR_RETURN(tile, TileOfShape<Number>(call, args[1]));
  }
  if (tile->rows < source.valid_rows || tile->cols < source.valid_cols) {
    return ir::RuleError(
        "MX-REF-2", absl::StrCat(call.callee->name, ": the tile does not fit"));
  }
  for (int64_t r = 0; r < tile->rows; ++r) {
    for (int64_t c = 0; c < tile->cols; ++c) {
      const int64_t to = r * tile->cols + c;
      const bool inside = r < source.valid_rows && c < source.valid_cols;
      const int64_t from = r * source.cols + c;
      tile->values[to] = inside ? source.values[from] : Number(pad);
      tile->defined[to] = inside ? source.defined[from] : 1;
    }
  }
  return Wrap(std::move(tile));
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Reshape(const ir::Call& call,
                                               absl::Span<const Value> args) {
  const Tile& source = ReferenceTileOf<Number>(args[0]);
  MX_ASSIGN_OR_RETURN(auto tile, TileOfShape<Number>(call, args[1]));
  if (tile->rows == source.rows && tile->cols == source.cols) return args[0];
  // A vector that turns keeps its valid part.
  const bool turns = tile->rows == source.cols && tile->cols == source.rows &&
                     (source.rows == 1 || source.cols == 1);
  if (turns) {
    tile->valid_rows = source.valid_cols;
    tile->valid_cols = source.valid_rows;
  } else if (source.valid_rows != source.rows ||
             source.valid_cols != source.cols ||
             tile->values.size() != source.values.size()) {
    return Unsupported(call, " of a tile that is not valid everywhere");
  }
  tile->values = source.values;
  tile->defined = source.defined;
  return Wrap(std::move(tile));
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Compare(const ir::Call& call,
                                               absl::Span<const Value> args) {
  const Tile& lhs = ReferenceTileOf<Number>(args[0]);
  const auto scalar =
      args[1].is_object() ? nullptr : ScalarTile<Number>(args[1]);
  const Tile& rhs =
      scalar != nullptr ? *scalar : ReferenceTileOf<Number>(args[1]);
  const auto* type = ir::FindAttr(call.kwargs, "cmp_type");
  const int64_t cmp_type = type == nullptr ? 0 : type->int_value;
  if (cmp_type < 0 || cmp_type > 5 ||
      (type != nullptr && type->kind != ir::AttrValue::Kind::kInt)) {
    return Unsupported(call, " with a cmp_type that is not 0 to 5");
  }
  MX_ASSIGN_OR_RETURN(
      auto mask, Combine<Number>(call, {&lhs, &rhs}, [&](int64_t r, int64_t c) {
        const double a = ValueOf(lhs.values[BroadcastIndex(lhs, r, c)]);
        const double b = ValueOf(rhs.values[BroadcastIndex(rhs, r, c)]);
        return Number(Holds(cmp_type, a, b) ? 1.0 : 0.0);
      }));
  mask->is_mask = true;
  return Wrap(std::move(mask));
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::And(const ir::Call& call,
                                           absl::Span<const Value> args) {
  return CombineMasks<Number>(call, args,
                              [](bool a, bool b) { return a && b; });
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Or(const ir::Call& call,
                                          absl::Span<const Value> args) {
  return CombineMasks<Number>(call, args,
                              [](bool a, bool b) { return a || b; });
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::Select(const ir::Call& call,
                                              absl::Span<const Value> args) {
  return Choose(call, ReferenceTileOf<Number>(args[0]),
                ReferenceTileOf<Number>(args[1]),
                ReferenceTileOf<Number>(args[2]));
}

template <typename Number>
absl::StatusOr<Value> FillOps<Number>::SelectScalar(
    const ir::Call& call, absl::Span<const Value> args) {
  return Choose(call, ReferenceTileOf<Number>(args[0]),
                ReferenceTileOf<Number>(args[1]), *ScalarTile<Number>(args[3]));
}

template class FillOps<double>;
template class FillOps<float>;
template class FillOps<Tracked>;

}  // namespace mxtile::exec
