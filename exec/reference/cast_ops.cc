#include "exec/reference/cast_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "a5_model/soc/cast_chain.h"
#include "a5_model/soc/native_casts.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/element_type.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/type.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec {
namespace {

// In the order of their numbers in PyPTO.
constexpr absl::string_view kModes[] = {"none", "rint",  "round", "floor",
                                        "ceil", "trunc", "odd"};

// The name of the call's mode. One that states none rounds to nearest even, as
// exec/simd has it.
absl::string_view ModeOf(const ir::Call& call) {
  const ir::AttrValue* mode = ir::FindAttr(call.kwargs, "mode");
  if (mode == nullptr) return "rint";
  if (mode->kind != ir::AttrValue::Kind::kInt) return mode->text;
  const bool is_mode =
      mode->int_value >= 0 &&
      mode->int_value < static_cast<int64_t>(std::size(kModes));
  return is_mode ? kModes[mode->int_value] : "";
}

// The types that the cast goes to, one after the other.
std::vector<ir::DataType> StepsOf(ir::DataType from, ir::DataType to) {
  const auto source = a5::CastTypeFromName(ir::DataTypeName(from));
  const auto target = a5::CastTypeFromName(ir::DataTypeName(to));
  if (!source.has_value() || !target.has_value()) return {to};
  std::vector<ir::DataType> steps;
  for (const a5::CastType type :
       a5::CastChain(a5::NativeCasts("a5"), *source, *target)) {
    steps.push_back(*ir::DataTypeFromName(a5::Name(type)));
  }
  if (steps.empty()) steps.push_back(to);
  return steps;
}

// The integer by the mode; nullopt for a mode that does not say which.
std::optional<double> ToIntegral(double value, absl::string_view mode) {
  if (value == std::floor(value)) return value;
  if (mode == "rint") return std::nearbyint(value);
  if (mode == "round") return std::round(value);
  if (mode == "floor") return std::floor(value);
  if (mode == "ceil") return std::ceil(value);
  if (mode == "trunc") return std::trunc(value);
  if (mode != "odd") return std::nullopt;
  const double below = std::floor(value);
  if (value - below != 0.5) return std::nearbyint(value);
  return std::fmod(below, 2.0) == 0 ? below + 1 : below;
}

// One step; nullopt when it is none that this knows.
std::optional<double> ToInteger(double value, ir::DataType type,
                                absl::string_view mode) {
  if (!std::isfinite(value)) return std::nullopt;
  const std::optional<double> integral = ToIntegral(value, mode);
  const bool is_signed = ir::IsSignedInteger(type);
  const double bound =
      std::ldexp(1.0, ir::BitWidth(type) - (is_signed ? 1 : 0));
  if (!integral.has_value() || *integral >= bound ||
      *integral < (is_signed ? -bound : 0.0)) {
    return std::nullopt;
  }
  return *integral + 0.0;  // Integers have no negative zero.
}

std::optional<double> ToFloat(double value, ElementFormat format,
                              absl::string_view mode) {
  // A float stays what it is, infinities too.
  const double rounded =
      format == ElementFormat::kF32
          ? static_cast<float>(value)
          : Decode(format, Encode(format, static_cast<float>(value),
                                  Overflow::kSaturate));
  if (rounded == value || std::isnan(value)) return value;
  if (mode == "rint" || mode == "none") return rounded;
  return std::nullopt;
}

std::optional<double> Step(double value, ir::DataType type,
                           absl::string_view mode) {
  if (ir::IsInteger(type) && type != ir::DataType::kIndex) {
    return ToInteger(value, type, mode);
  }
  const std::optional<ElementFormat> format = FormatOf(type);
  return format.has_value() ? ToFloat(value, *format, mode) : std::nullopt;
}

absl::Status Refused(double value, ir::DataType type) {
  return ir::RuleError(
      "MX-REF-3",
      absl::StrCat("tile.cast: ", value, " to ", ir::DataTypeName(type),
                   " by this mode cannot be run by the reference interpreter; "
                   "mode=\"rint\" to a floating-point type, and of what fits "
                   "to an integer type, can"));
}

}  // namespace

template <typename Number>
absl::StatusOr<Value> CastTile(const ir::Call& call,
                               const ReferenceTile<Number>& tile) {
  const auto* source = ir::CheckedCast<ir::TileType>(call.args[0]->type);
  const ir::AttrValue* target = ir::FindAttr(call.kwargs, "target_type");
  if (target == nullptr) {
    return ir::RuleError("MX-REF-3", "tile.cast: it has no target_type");
  }
  const std::vector<ir::DataType> steps =
      StepsOf(source->dtype, target->data_type);
  const absl::string_view mode = ModeOf(call);

  auto result = NewReferenceTile<Number>(tile.rows, tile.cols);
  result->valid_rows = tile.valid_rows;
  result->valid_cols = tile.valid_cols;
  for (int64_t r = 0; r < tile.valid_rows; ++r) {
    for (int64_t c = 0; c < tile.valid_cols; ++c) {
      const int64_t i = r * tile.cols + c;
      if (!tile.defined[i]) {
        return ir::RuleError("MX-REF-1",
                             absl::StrCat("tile.cast: element [", r, ", ", c,
                                          "] of an operand has no value"));
      }
      Number number = tile.values[i];
      for (const ir::DataType type : steps) {
        const double before = ValueOf(number);
        const std::optional<double> after = Step(before, type, mode);
        if (!after.has_value()) return Refused(before, type);
        const bool is_same =
            std::isnan(before) ||
            (*after == before && std::signbit(*after) == std::signbit(before));
        if (!is_same) number = Number(*after);
      }
      result->values[i] = number;
      result->defined[i] = 1;
    }
  }
  return Value(std::shared_ptr<Object>(std::move(result)));
}

template absl::StatusOr<Value> CastTile(const ir::Call& call,
                                        const ReferenceTile<double>& tile);
template absl::StatusOr<Value> CastTile(const ir::Call& call,
                                        const ReferenceTile<float>& tile);
template absl::StatusOr<Value> CastTile(const ir::Call& call,
                                        const ReferenceTile<Tracked>& tile);

}  // namespace mxtile::exec
