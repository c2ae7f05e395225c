#include "exec/reference/quant_ops.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "exec/reference/mx_quantize.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_tile.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/type.h"
#include "kernels/group_axis.h"

namespace mxtile::exec {
namespace {

constexpr int64_t kScaleGroup = 32;
constexpr int64_t kBoxLines = 16;

template <typename Number>
Value Wrap(std::shared_ptr<ReferenceTile<Number>> tile) {
  return Value(std::shared_ptr<Object>(std::move(tile)));
}

const ir::TileType& TypeOf(const ir::Expr* tile) {
  return *ir::CheckedCast<ir::TileType>(tile->type);
}

// An integer kwarg; `otherwise` when it is not given.
int64_t IntOf(const ir::Call& call, absl::string_view name, int64_t otherwise) {
  const ir::AttrValue* value = ir::FindAttr(call.kwargs, name);
  return value == nullptr ? otherwise : value->int_value;
}

GroupAxis AxisOf(const ir::Call& call) {
  return IntOf(call, "group_axis", 1) == 1 ? GroupAxis::kAxis1
                                           : GroupAxis::kAxis0;
}

// The numbers of the valid region, row by row.
template <typename Number>
absl::StatusOr<std::vector<Number>> ValidNumbers(
    const ir::Call& call, const ReferenceTile<Number>& tile) {
  std::vector<Number> numbers;
  for (int64_t r = 0; r < tile.valid_rows; ++r) {
    for (int64_t c = 0; c < tile.valid_cols; ++c) {
      const int64_t at = r * tile.cols + c;
      if (!tile.defined[at]) {
        return ir::RuleError(
            "MX-REF-1", absl::StrCat(call.callee->name, ": element [", r, ", ",
                                     c, "] of its operand has no value"));
      }
      numbers.push_back(tile.values[at]);
    }
  }
  return numbers;
}

template <typename Number>
std::shared_ptr<ReferenceTile<Number>> TileOfValues(
    int64_t rows, int64_t cols, const std::vector<double>& values) {
  auto tile = NewReferenceTile<Number>(rows, cols);
  for (size_t i = 0; i < values.size(); ++i) {
    tile->values[i] = Number(values[i]);
    tile->defined[i] = 1;
  }
  return tile;
}

template <typename Number>
std::shared_ptr<ReferenceTile<Number>> Transposed(
    const ReferenceTile<Number>& tile) {
  auto result = NewReferenceTile<Number>(tile.cols, tile.rows);
  result->valid_rows = tile.valid_cols;
  result->valid_cols = tile.valid_rows;
  for (int64_t r = 0; r < tile.rows; ++r) {
    for (int64_t c = 0; c < tile.cols; ++c) {
      result->values[c * tile.rows + r] = tile.values[r * tile.cols + c];
      result->defined[c * tile.rows + r] = tile.defined[r * tile.cols + c];
    }
  }
  return result;
}

template <typename Number>
absl::StatusOr<MxValues> QuantizeTile(const ir::Call& call,
                                      const ReferenceTile<Number>& src,
                                      GroupAxis axis) {
  const std::optional<ElementFormat> format =
      FormatOf(TypeOf(call.args[0]).dtype);
  if (!format.has_value()) {
    return ir::RuleError("MX-REF-3", absl::StrCat(call.callee->name,
                                                  " of elements that are no "
                                                  "floats"));
  }
  MX_ASSIGN_OR_RETURN(const std::vector<Number> numbers,
                      ValidNumbers(call, src));
  std::vector<double> values;
  values.reserve(numbers.size());
  for (const Number& number : numbers) values.push_back(ValueOf(number));
  return QuantizeValues(values, src.valid_rows, src.valid_cols, *format, axis);
}

// Whether numbers of one type stand for the same when read as the other.
bool StandsForTheSame(ir::DataType a, ir::DataType b) {
  const auto is_pair = [&](ir::DataType bytes, ir::DataType floats) {
    return (a == bytes && b == floats) || (a == floats && b == bytes);
  };
  return a == b || is_pair(ir::DataType::kInt8, ir::DataType::kFP8E4M3FN) ||
         is_pair(ir::DataType::kUInt8, ir::DataType::kFP8E8M0);
}

}  // namespace

template <typename Number>
absl::StatusOr<Value> QuantOps<Number>::Quantize(const ir::Call& call,
                                                 absl::Span<const Value> args) {
  const auto& src = ReferenceTileOf<Number>(args[0]);
  const GroupAxis axis = AxisOf(call);
  if (axis == GroupAxis::kAxis1) {
    MX_ASSIGN_OR_RETURN(const MxValues q, QuantizeTile(call, src, axis));
    return Value(std::vector<Value>{
        Wrap(TileOfValues<Number>(src.valid_rows, src.valid_cols, q.data)),
        Wrap(TileOfValues<Number>(src.valid_rows, src.valid_cols / kScaleGroup,
                                  q.scales))});
  }
  const auto transposed = Transposed(src);
  MX_ASSIGN_OR_RETURN(const MxValues q, QuantizeTile(call, *transposed, axis));
  const int64_t k = transposed->valid_rows;
  const int64_t n = transposed->valid_cols;
  return Value(std::vector<Value>{
      Wrap(TileOfValues<Number>(k, n, q.data)),
      Wrap(TileOfValues<Number>(k / kScaleGroup, n, q.scales))});
}

template <typename Number>
absl::StatusOr<Value> QuantOps<Number>::QuantizeRaw(
    const ir::Call& call, absl::Span<const Value> args) {
  const auto& src = ReferenceTileOf<Number>(args[0]);
  const GroupAxis axis = AxisOf(call);
  MX_ASSIGN_OR_RETURN(const MxValues q, QuantizeTile(call, src, axis));
  // Exponents of rows are flat.
  const int64_t exp_rows =
      axis == GroupAxis::kAxis1 ? 1 : src.valid_rows / kScaleGroup;
  const int64_t exp_cols = static_cast<int64_t>(q.scales.size()) / exp_rows;
  return Value(std::vector<Value>{
      Wrap(TileOfValues<Number>(src.valid_rows, src.valid_cols, q.data)),
      Wrap(TileOfValues<Number>(exp_rows, exp_cols, q.scales))});
}

template <typename Number>
absl::StatusOr<Value> QuantOps<Number>::ToZz(const ir::Call& call,
                                             absl::Span<const Value> args) {
  const auto& src = ReferenceTileOf<Number>(args[0]);
  const bool transposes = AxisOf(call) == GroupAxis::kAxis0;
  const int64_t rows = IntOf(call, "dst_rows", src.valid_cols);
  const int64_t cols = IntOf(call, "dst_cols", src.valid_rows);
  MX_ASSIGN_OR_RETURN(const std::vector<Number> scales,
                      ValidNumbers(call, src));
  if (rows < 1 || cols < 1 ||
      rows * cols != static_cast<int64_t>(scales.size())) {
    return ir::RuleError(
        "MX-REF-2",
        absl::StrCat(call.callee->name, ": ", scales.size(),
                     " exponents are not those of [", rows, ", ", cols, "]"));
  }
  auto boxes = NewReferenceTile<Number>(
      (rows + kBoxLines - 1) / kBoxLines * kBoxLines, cols);
  boxes->valid_rows = rows;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      boxes->values[r * cols + c] =
          scales[transposes ? c * rows + r : r * cols + c];
      boxes->defined[r * cols + c] = 1;
    }
  }
  return Wrap(std::move(boxes));
}

template <typename Number>
absl::StatusOr<Value> QuantOps<Number>::Reinterpret(
    const ir::Call& call, absl::Span<const Value> args) {
  const ir::TileType& from = TypeOf(call.args[0]);
  const auto* to = ir::DynCast<ir::TileType>(call.type);
  if (to != nullptr && to->shape == from.shape &&
      StandsForTheSame(from.dtype, to->dtype)) {
    return args[0];
  }
  return ir::RuleError(
      "MX-REF-3",
      absl::StrCat(call.callee->name, " from ", ir::DataTypeName(from.dtype),
                   " changes what numbers stand for and cannot be run by the "
                   "reference interpreter"));
}

template <typename Number>
absl::StatusOr<Value> QuantOps<Number>::Transpose(
    const ir::Call& call, absl::Span<const Value> args) {
  if (TypeOf(call.args[0]).shape.size() != 2) {
    return ir::RuleError("MX-REF-3", absl::StrCat(call.callee->name,
                                                  " of other than 2-D tiles "
                                                  "cannot be run by the "
                                                  "reference interpreter"));
  }
  return Wrap(Transposed(ReferenceTileOf<Number>(args[0])));
}

template struct QuantOps<double>;
template struct QuantOps<float>;
template struct QuantOps<Tracked>;

}  // namespace mxtile::exec
