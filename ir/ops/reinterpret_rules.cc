#include "ir/ops/reinterpret_rules.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
bool IsReinterpretable(DataType dtype) {
  switch (dtype) {
    case DataType::kInt8:
    case DataType::kInt16:
    case DataType::kInt32:
    case DataType::kInt64:
    case DataType::kUInt8:
    case DataType::kUInt16:
    case DataType::kUInt32:
    case DataType::kUInt64:
    case DataType::kFP16:
    case DataType::kFP32:
    case DataType::kBF16:
      return true;
    default:
      return false;
  }
}

std::optional<std::vector<const Expr*>> ReinterpretedShape(
    Exprs shape, size_t axis, DataType from, DataType to, Context& context) {
  std::vector<const Expr*> result(shape.begin(), shape.end());
  const Expr*& dim = result[axis];
  if (BitWidth(from) >= BitWidth(to)) {
    dim = Multiple(context, dim, BitWidth(from) / BitWidth(to));
    return result;
  }
  const int64_t divisor = BitWidth(to) / BitWidth(from);
  if (const std::optional<int64_t> extent = ConstantOf(dim)) {
    if (*extent % divisor != 0) return std::nullopt;
    dim = context.Index(*extent / divisor);
    return result;
  }
  // n * 4 halves of ... : the factor cancels.
  const auto* product = DynCast<Binary>(dim);
  if (product == nullptr || product->op != BinaryOp::kMul) return std::nullopt;
  if (IsConstant(product->rhs, divisor)) {
    dim = product->lhs;
  } else if (IsConstant(product->lhs, divisor)) {
    dim = product->rhs;
  } else {
    return std::nullopt;
  }
  return result;
}

}  // namespace mxtile::ir
