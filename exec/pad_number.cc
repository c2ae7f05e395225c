#include "exec/pad_number.h"

#include <limits>
#include <optional>

#include "ir/expr.h"

namespace mxtile::exec {

std::optional<double> PadNumber(ir::Attrs kwargs) {
  const ir::AttrValue* value = ir::FindAttr(kwargs, "pad_value");
  if (value == nullptr) return 0;
  if (value->kind == ir::AttrValue::Kind::kInt) {
    return static_cast<double>(value->int_value);
  }
  if (value->kind == ir::AttrValue::Kind::kFloat) return value->float_value;
  const double infinity = std::numeric_limits<double>::infinity();
  if (value->text == "zero") return 0;
  if (value->text == "max") return infinity;
  if (value->text == "min") return -infinity;
  return std::nullopt;
}

}  // namespace mxtile::exec
