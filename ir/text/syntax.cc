#include "ir/text/syntax.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/check.h"

namespace mxtile::ir::text {
namespace {

constexpr size_t kFirstChunkBytes = 32 << 10;
constexpr size_t kHugePageBytes = 2 << 20;
constexpr size_t kLastChunkBytes = 2 * kHugePageBytes;

}  // namespace

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

absl::string_view SyntaxTree::CopyString(absl::string_view text) {
  const absl::Span<const char> copy =
      Copy(absl::MakeConstSpan(text.data(), text.size()));
  return absl::string_view(copy.data(), copy.size());
}

void* SyntaxTree::Allocate(size_t size_bytes, size_t alignment) {
  size_t padding = -reinterpret_cast<uintptr_t>(next_) % alignment;
  if (free_bytes_ < padding + size_bytes) {
    // What is large has a chunk of its own, and the open one goes on.
    if (size_bytes > kFirstChunkBytes / 4) return NewChunk(size_bytes);
    chunk_bytes_ =
        std::clamp(2 * chunk_bytes_, kFirstChunkBytes, kLastChunkBytes);
    next_ = NewChunk(chunk_bytes_);
    free_bytes_ = chunk_bytes_;
    padding = 0;
  }
  char* const result = next_ + padding;
  next_ = result + size_bytes;
  free_bytes_ -= padding + size_bytes;
  return result;
}

// Aligned for everything.
char* SyntaxTree::NewChunk(size_t size_bytes) {
  void* chunk = nullptr;
  if (size_bytes < kHugePageBytes) {
    chunk = std::malloc(size_bytes);
  } else {
    const size_t pages = (size_bytes + kHugePageBytes - 1) / kHugePageBytes;
    chunk = std::aligned_alloc(kHugePageBytes, pages * kHugePageBytes);
#ifdef MADV_HUGEPAGE
    // Most of the time that a large tree takes goes into the first touch of its
    // pages. Advice only: that it may fail does not matter.
    if (chunk != nullptr) madvise(chunk, size_bytes, MADV_HUGEPAGE);
#endif
  }
  MX_CHECK(chunk != nullptr) << "no memory for " << size_bytes << " bytes";
  chunks_.emplace_back(chunk);
  return static_cast<char*>(chunk);
}

}  // namespace mxtile::ir::text
