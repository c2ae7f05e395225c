#include "tools/run/reference_data.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "exec/element_type.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "numerics/element_format.h"

namespace mxtile {

absl::StatusOr<ReferenceData> ReferenceDataOf(const exec::BoundInput& input,
                                              const ir::TensorType& type,
                                              bool exact) {
  const std::vector<double>& values = exact ? input.exact_values : input.values;
  if (type.shape.size() == input.shape.size()) {
    return ReferenceData{input.shape, values};
  }
  ReferenceData data;
  for (const ir::Expr* dim : type.shape) {
    const ir::ConstInt* size = ir::AsConstInt(dim);
    if (size == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat("'", input.param->name,
                       "' has a dimension that is known at run time only"));
    }
    data.shape.push_back(size->value);
  }
  if (exact && input.quantised) {
    data.values.assign(values.size(), 1.0);
    return data;
  }
  const std::optional<ElementFormat> format = exec::FormatOf(type.dtype);
  if (!format.has_value() || BitWidth(*format) != 8) {
    return absl::UnimplementedError(absl::StrCat(
        "'", input.param->name, "' of ", ir::DataTypeName(type.dtype),
        " has no elements of one byte each"));
  }
  MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> packed,
                      exec::PackForType(type, input.shape, input.codes));
  for (const uint8_t code : packed) {
    data.values.push_back(Decode(*format, code));
  }
  return data;
}

}  // namespace mxtile
