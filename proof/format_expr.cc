#include "proof/format_expr.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/type.h"

namespace mxtile::proof {
namespace {

using ir::BinaryOp;

constexpr absl::string_view kEllipsis = "...";
constexpr int kMaxDepth = 10;

struct Operator {
  absl::string_view text;
  int precedence;  // Higher binds tighter; 0: a function.
};

constexpr int kComparison = 4;
constexpr int kUnary = 11;
constexpr int kPower = 12;

Operator OperatorOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kOr:
      return {"or", 1};
    case BinaryOp::kXor:
      return {"xor", 1};
    case BinaryOp::kAnd:
      return {"and", 2};
    case BinaryOp::kEq:
      return {"==", kComparison};
    case BinaryOp::kNe:
      return {"!=", kComparison};
    case BinaryOp::kLt:
      return {"<", kComparison};
    case BinaryOp::kLe:
      return {"<=", kComparison};
    case BinaryOp::kGt:
      return {">", kComparison};
    case BinaryOp::kGe:
      return {">=", kComparison};
    case BinaryOp::kBitOr:
      return {"|", 5};
    case BinaryOp::kBitXor:
      return {"^", 6};
    case BinaryOp::kBitAnd:
      return {"&", 7};
    case BinaryOp::kShiftL:
      return {"<<", 8};
    case BinaryOp::kShiftR:
      return {">>", 8};
    case BinaryOp::kAdd:
      return {"+", 9};
    case BinaryOp::kSub:
      return {"-", 9};
    case BinaryOp::kMul:
      return {"*", 10};
    case BinaryOp::kFloatDiv:
      return {"/", 10};
    case BinaryOp::kFloorDiv:
      return {"//", 10};
    case BinaryOp::kFloorMod:
      return {"%", 10};
    case BinaryOp::kPow:
      return {"**", kPower};
    case BinaryOp::kMin:
      return {"pl.min", 0};
    case BinaryOp::kMax:
      return {"pl.max", 0};
  }
  return {"?", 0};
}

class Formatter {
 public:
  explicit Formatter(size_t limit) : limit_(limit) {}

  std::string Run(const ir::Expr* expr) {
    Write(expr, 0, 0);
    if (text_.size() <= limit_) return text_;
    size_t end = limit_ - kEllipsis.size();
    // Not in the middle of a UTF-8 character.
    while (end > 0 && (text_[end] & 0xC0) == 0x80) --end;
    return absl::StrCat(text_.substr(0, end), kEllipsis);
  }

 private:
  bool full() const { return text_.size() > limit_; }

  static bool HasOperands(const ir::Expr& expr) {
    bool has_operands = false;
    ForEachOperand(expr, [&](const ir::Expr*) { has_operands = true; });
    return has_operands;
  }

  void Append(absl::string_view text) { absl::StrAppend(&text_, text); }

  // Parenthesised when an operator of lower precedence.
  void Write(const ir::Expr* expr, int precedence, int depth) {
    if (full()) return;
    if (depth > kMaxDepth && HasOperands(*expr)) return Append(kEllipsis);
    switch (expr->kind) {
      case ir::ExprKind::kVar:
      case ir::ExprKind::kIterArg:
        return Append(static_cast<const ir::Var*>(expr)->name);
      case ir::ExprKind::kConstInt:
        return WriteInt(*static_cast<const ir::ConstInt*>(expr));
      case ir::ExprKind::kConstFloat:
        return Append(
            absl::StrCat(static_cast<const ir::ConstFloat*>(expr)->value));
      case ir::ExprKind::kConstBool:
        return Append(static_cast<const ir::ConstBool*>(expr)->value ? "True"
                                                                     : "False");
      case ir::ExprKind::kCall:
        return WriteCall(*static_cast<const ir::Call*>(expr), depth);
      case ir::ExprKind::kSubmit:
        return WriteSubmit(*static_cast<const ir::Submit*>(expr), depth);
      case ir::ExprKind::kTuple:
        Append("[");
        WriteList(static_cast<const ir::Tuple*>(expr)->elements, depth);
        return Append("]");
      case ir::ExprKind::kTupleItem: {
        const auto* item = static_cast<const ir::TupleItem*>(expr);
        Write(item->tuple, kPower + 1, depth + 1);
        return Append(absl::StrCat("[", item->index, "]"));
      }
      case ir::ExprKind::kBinary:
        return WriteBinary(*static_cast<const ir::Binary*>(expr), precedence,
                           depth);
      case ir::ExprKind::kUnary:
        return WriteUnary(*static_cast<const ir::Unary*>(expr), precedence,
                          depth);
      case ir::ExprKind::kCast:
        return WriteCast(*static_cast<const ir::Cast*>(expr), depth);
    }
  }

  void WriteInt(const ir::ConstInt& constant) {
    if (constant.dtype() == ir::DataType::kIndex) {
      return Append(absl::StrCat(constant.value));
    }
    Append(absl::StrCat("pl.const(", constant.value, ", pl.",
                        ir::DataTypeName(constant.dtype()), ")"));
  }

  void WriteList(ir::Exprs exprs, int depth) {
    absl::string_view separator = "";
    for (const ir::Expr* expr : exprs) {
      if (full()) return;
      Append(separator);
      Write(expr, 0, depth + 1);
      separator = ", ";
    }
  }

  void WriteCall(const ir::Call& call, int depth) {
    Append(call.callee->is_function ? "self." : "pl.");
    Append(call.callee->name);
    Append("(");
    WriteList(call.args, depth);
    Append(")");
  }

  void WriteSubmit(const ir::Submit& submit, int depth) {
    Append(submit.core_num != nullptr ? "pl.spmd_submit(self."
                                      : "pl.submit(self.");
    Append(submit.callee->name);
    if (!submit.args.empty()) Append(", ");
    WriteList(submit.args, depth);
    Append(")");
  }

  void WriteBinary(const ir::Binary& binary, int precedence, int depth) {
    const Operator op = OperatorOf(binary.op);
    if (op.precedence == 0) {
      Append(op.text);
      Append("(");
      WriteList({binary.lhs, binary.rhs}, depth);
      return Append(")");
    }
    // ** groups to the right, comparisons chain, all others group to the left.
    const bool lhs_equal =
        op.precedence != kPower && op.precedence != kComparison;
    const bool rhs_equal = op.precedence == kPower;
    const bool parenthesised = op.precedence < precedence;
    if (parenthesised) Append("(");
    Write(binary.lhs, op.precedence + (lhs_equal ? 0 : 1), depth + 1);
    Append(absl::StrCat(" ", op.text, " "));
    Write(binary.rhs, op.precedence + (rhs_equal ? 0 : 1), depth + 1);
    if (parenthesised) Append(")");
  }

  void WriteUnary(const ir::Unary& unary, int precedence, int depth) {
    if (unary.op == ir::UnaryOp::kAbs) {
      Append("abs(");
      Write(unary.operand, 0, depth + 1);
      return Append(")");
    }
    const bool is_not = unary.op == ir::UnaryOp::kNot;
    const int own = is_not ? kComparison - 1 : kUnary;
    const bool parenthesised = own < precedence;
    if (parenthesised) Append("(");
    Append(is_not ? "not " : unary.op == ir::UnaryOp::kBitNot ? "~" : "-");
    Write(unary.operand, own, depth + 1);
    if (parenthesised) Append(")");
  }

  void WriteCast(const ir::Cast& cast, int depth) {
    Append("pl.cast(");
    Write(cast.operand, 0, depth + 1);
    const auto* type = ir::CheckedCast<ir::ScalarType>(cast.type);
    Append(absl::StrCat(", pl.", ir::DataTypeName(type->dtype), ")"));
  }

  size_t limit_;
  std::string text_;
};

}  // namespace

std::string FormatExpr(const ir::Expr* expr, size_t limit) {
  MX_CHECK(limit >= kEllipsis.size());
  return Formatter(limit).Run(expr);
}

}  // namespace mxtile::proof
