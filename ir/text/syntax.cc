#include "ir/text/syntax.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace mxtile::ir::text {

TextRange Attribute::name_span() const {
  // The name is the last token of the node.
  TextRange result = span;
  result.line = span.end_line;
  result.column = span.end_column - static_cast<int32_t>(name.size());
  return result;
}

absl::string_view PathText(const Expr* path) {
  const Attribute* last = path->As<Attribute>();
  size_t size = 0;
  while (const Attribute* attribute = path->As<Attribute>()) {
    size += attribute->name.size() + 1;
    path = attribute->value;
  }
  const Name* root = path->As<Name>();
  if (last == nullptr || root == nullptr) return {};
  size += root->name.size();
  const char* const begin = root->name.data();
  const char* const end = last->name.data() + last->name.size();
  return begin + size == end ? absl::string_view(begin, size)
                             : absl::string_view();
}

TextRange Call::callee_span() const {
  const absl::string_view spelling = PathText(callee);
  if (spelling.empty()) return callee->span;
  // A call begins where its callee does.
  return {span.line, span.column, span.line,
          span.column + static_cast<int32_t>(spelling.size())};
}

TextRange Binary::op_span() const {
  const int32_t size = static_cast<int32_t>(BinaryOpText(op).size());
  return {op_line, op_column, op_line, op_column + size};
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
