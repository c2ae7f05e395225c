#include "ir/text/syntax.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace mxtile::ir::text {
namespace {

constexpr size_t kChunkBytes = 64 << 10;

}  // namespace

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

absl::string_view SyntaxTree::CopyString(absl::string_view text) {
  const absl::Span<const char> copy =
      Copy(absl::MakeConstSpan(text.data(), text.size()));
  return absl::string_view(copy.data(), copy.size());
}

void* SyntaxTree::Allocate(size_t size_bytes, size_t alignment) {
  if (size_bytes > kChunkBytes / 4) return NewChunk(size_bytes);
  size_t padding = -reinterpret_cast<uintptr_t>(next_) % alignment;
  if (free_bytes_ < padding + size_bytes) {
    next_ = NewChunk(kChunkBytes);
    free_bytes_ = kChunkBytes;
    padding = 0;
  }
  char* const result = next_ + padding;
  next_ = result + size_bytes;
  free_bytes_ -= padding + size_bytes;
  return result;
}

char* SyntaxTree::NewChunk(size_t size_bytes) {
  // Not make_unique, which would clear it. operator new aligns for any T.
  chunks_.emplace_back(new char[size_bytes]);
  return chunks_.back().get();
}

}  // namespace mxtile::ir::text
