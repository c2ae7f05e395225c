#include "ir/text/syntax.h"

#include <cstdint>

#include "base/check.h"

namespace mxtile::ir::text {

SourceSpan Attribute::name_span() const {
  // The name is the last token of the node.
  SourceSpan result = span;
  result.line = span.end_line;
  result.column = span.end_column - static_cast<int32_t>(name.size());
  return result;
}

SourceSpan Binary::op_span() const {
  const int32_t size = static_cast<int32_t>(BinaryOpText(op).size());
  return {span.file, op_line, op_column, op_line, op_column + size};
}

absl::string_view UnaryOpText(UnaryOp op) {
  switch (op) {
    case UnaryOp::kNegate:
      return "-";
    case UnaryOp::kPlus:
      return "+";
    case UnaryOp::kInvert:
      return "~";
    case UnaryOp::kNot:
      return "not";
  }
  MX_CHECK(false) << "unary operator " << static_cast<int>(op);
  return "";
}

absl::string_view BinaryOpText(BinaryOp op) {
  switch (op) {
    case BinaryOp::kOr:
      return "or";
    case BinaryOp::kXor:
      return "xor";
    case BinaryOp::kAnd:
      return "and";
    case BinaryOp::kEqual:
      return "==";
    case BinaryOp::kNotEqual:
      return "!=";
    case BinaryOp::kLess:
      return "<";
    case BinaryOp::kLessEqual:
      return "<=";
    case BinaryOp::kGreater:
      return ">";
    case BinaryOp::kGreaterEqual:
      return ">=";
    case BinaryOp::kBitOr:
      return "|";
    case BinaryOp::kBitXor:
      return "^";
    case BinaryOp::kBitAnd:
      return "&";
    case BinaryOp::kShiftLeft:
      return "<<";
    case BinaryOp::kShiftRight:
      return ">>";
    case BinaryOp::kAdd:
      return "+";
    case BinaryOp::kSubtract:
      return "-";
    case BinaryOp::kMultiply:
      return "*";
    case BinaryOp::kDivide:
      return "/";
    case BinaryOp::kFloorDivide:
      return "//";
    case BinaryOp::kModulo:
      return "%";
    case BinaryOp::kPower:
      return "**";
  }
  MX_CHECK(false) << "binary operator " << static_cast<int>(op);
  return "";
}

}  // namespace mxtile::ir::text
