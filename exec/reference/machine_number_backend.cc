#include "exec/reference/machine_number_backend.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "exec/reference/reference_tile.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec {
namespace {

// The tile with its numbers as another type.
template <typename To, typename From, typename Convert>
Value Converted(const ReferenceTile<From>& tile, Convert convert) {
  auto result = NewReferenceTile<To>(tile.rows, tile.cols);
  result->valid_rows = tile.valid_rows;
  result->valid_cols = tile.valid_cols;
  result->defined = tile.defined;
  for (size_t i = 0; i < tile.values.size(); ++i) {
    if (tile.defined[i]) result->values[i] = convert(tile.values[i]);
  }
  return Value(std::shared_ptr<Object>(std::move(result)));
}

const ReferenceTile<float>* AsTile(const Value& value) {
  return value.is_object()
             ? dynamic_cast<const ReferenceTile<float>*>(value.AsObject().get())
             : nullptr;
}

}  // namespace

MachineNumberBackend::MachineNumberBackend(const ir::OpRegistry& registry)
    : ReferenceBackend<float>(registry), elementwise_(registry) {}

absl::StatusOr<Value> MachineNumberBackend::EvalOp(const ir::Call& call,
                                                   const ir::Type* result_type,
                                                   absl::Span<const Value> args,
                                                   BlockPosition block) {
  // Of masks the base class knows which operators take them.
  const bool has_mask =
      std::any_of(args.begin(), args.end(), [](const Value& arg) {
        const ReferenceTile<float>* tile = AsTile(arg);
        return tile != nullptr && tile->is_mask;
      });
  if (!elementwise_.Knows(call.callee->def) || has_mask) {
    return ReferenceBackend<float>::EvalOp(call, result_type, args, block);
  }
  std::vector<Value> numbers;
  for (const Value& arg : args) {
    const ReferenceTile<float>* tile = AsTile(arg);
    numbers.push_back(
        tile == nullptr ? arg : Converted<double>(*tile, [](float number) {
          return static_cast<double>(number);
        }));
  }
  MX_ASSIGN_OR_RETURN(const Value result, elementwise_.Eval(call, numbers));
  const auto* type = ir::DynCast<ir::TileType>(result_type);
  const std::optional<ElementFormat> format =
      type == nullptr ? std::nullopt : FormatOf(type->dtype);
  return Converted<float>(ReferenceTileOf<double>(result), [&format](
                                                               double number) {
    const float rounded = static_cast<float>(number);
    return format.has_value()
               ? Decode(*format, Encode(*format, rounded, Overflow::kSpecial))
               : rounded;
  });
}

}  // namespace mxtile::exec
