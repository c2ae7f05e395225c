#include "ir/text/term_printer.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ir/data_type.h"
#include "ir/enums.h"

namespace mxtile::ir {
namespace {

struct Infix {
  absl::string_view token;  // Empty: printed as a function call.
  Precedence precedence;
};

Infix InfixOf(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return {"+", kAddPrecedence};
    case BinaryOp::kSub:
      return {"-", kAddPrecedence};
    case BinaryOp::kMul:
      return {"*", kMulPrecedence};
    case BinaryOp::kFloorDiv:
      return {"//", kMulPrecedence};
    case BinaryOp::kFloorMod:
      return {"%", kMulPrecedence};
    case BinaryOp::kFloatDiv:
      return {"/", kMulPrecedence};
    case BinaryOp::kPow:
      return {"**", kPowPrecedence};
    case BinaryOp::kEq:
      return {"==", kComparePrecedence};
    case BinaryOp::kNe:
      return {"!=", kComparePrecedence};
    case BinaryOp::kLt:
      return {"<", kComparePrecedence};
    case BinaryOp::kLe:
      return {"<=", kComparePrecedence};
    case BinaryOp::kGt:
      return {">", kComparePrecedence};
    case BinaryOp::kGe:
      return {">=", kComparePrecedence};
    case BinaryOp::kAnd:
      return {"and", kAndPrecedence};
    case BinaryOp::kOr:
      return {"or", kOrPrecedence};
    case BinaryOp::kXor:
      return {"xor", kXorPrecedence};
    case BinaryOp::kBitAnd:
      return {"&", kBitAndPrecedence};
    case BinaryOp::kBitOr:
      return {"|", kBitOrPrecedence};
    case BinaryOp::kBitXor:
      return {"^", kBitXorPrecedence};
    case BinaryOp::kShiftL:
      return {"<<", kShiftPrecedence};
    case BinaryOp::kShiftR:
      return {">>", kShiftPrecedence};
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return {"", kAtomPrecedence};
  }
  return {"", kAtomPrecedence};
}

const Binary* AsInfix(const Expr* expr) {
  const Binary* binary = DynCast<Binary>(expr);
  return binary != nullptr && !InfixOf(binary->op).token.empty() ? binary
                                                                 : nullptr;
}

bool IsNegativeNumber(const Expr* expr) {
  if (const ConstInt* c = DynCast<ConstInt>(expr)) {
    return c->dtype() == DataType::kIndex && c->value < 0;
  }
  if (const ConstFloat* c = DynCast<ConstFloat>(expr)) {
    return c->dtype() == DataType::kFP32 && std::signbit(c->value);
  }
  return false;
}

Precedence PrecedenceOf(const Expr* expr) {
  if (const Binary* binary = DynCast<Binary>(expr)) {
    return InfixOf(binary->op).precedence;
  }
  if (const Unary* unary = DynCast<Unary>(expr)) {
    if (unary->op == UnaryOp::kAbs) return kAtomPrecedence;
    return unary->op == UnaryOp::kNot ? kNotPrecedence : kUnaryPrecedence;
  }
  return IsNegativeNumber(expr) ? kUnaryPrecedence : kAtomPrecedence;
}

std::string Float(double value) {
  if (std::isnan(value)) return "float('nan')";
  if (std::isinf(value)) return value < 0 ? "float('-inf')" : "float('inf')";
  std::string text = absl::StrFormat("%.17g", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string Quoted(absl::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (absl::ascii_iscntrl(c)) {
      absl::StrAppendFormat(&out, "\\x%02x", c);
    } else {
      if (c == quote || c == '\\') out += '\\';
      out += c;
    }
  }
  out += quote;
  return out;
}

// What lies behind pld names it itself: "pld.NotifyOp".
std::string PlName(absl::string_view name) {
  return absl::StartsWith(name, "pld.") ? std::string(name)
                                        : absl::StrCat("pl.", name);
}

// "tile.and" is no Python: keywords among operator names get an underscore.
std::string OpName(absl::string_view name) {
  std::string out = PlName(name);
  for (const absl::string_view keyword : {".and", ".or", ".not"}) {
    if (absl::EndsWith(out, keyword)) out += "_";
  }
  return out;
}

}  // namespace

// ---- Types

void TermPrinter::PrintDim(const Expr* dim) {
  // A constant dim is bare; inside a composite one it is typed, so that reading
  // it back does not fold it.
  in_dim_ = AsConstInt(dim) == nullptr;
  PrintExpr(dim);
  in_dim_ = false;
}

void TermPrinter::PrintDims(Dims dims) {
  Put("[");
  Join(dims, [this](const Expr* dim) { PrintDim(dim); });
  Put("]");
}

void TermPrinter::PrintMemRef(const MemRef& memref) {
  const bool in_body = names_.DefinedInBody(memref.base);
  const std::string base =
      in_body ? names_.NameOf(memref.base) : std::string(memref.base->name);
  Put("pl.MemRef(", in_body && !in_signature_ ? base : Quoted(base, '"'));
  if (memref.byte_offset != nullptr) {
    Put(", ");
    PrintDim(memref.byte_offset);
    Put(", ", memref.size_bytes);
  }
  if (memref.slot_count != 0) Put(", slots=", memref.slot_count);
  Put(")");
  if (memref.slot_index == nullptr) return;
  Put("[");
  PrintDim(memref.slot_index);
  Put("]");
}

void TermPrinter::PrintTensorView(const TensorView& view) {
  Put("pl.TensorView(");
  if (!view.valid_shape.empty()) {
    Put("valid_shape=");
    PrintDims(view.valid_shape);
    Put(", ");
  }
  Put("stride=");
  PrintDims(view.stride);
  Put(", layout=pl.TensorLayout.", EnumName(view.layout));
  if (view.pad != PadValue::kNull) {
    Put(", pad=pl.PadValue.", EnumName(view.pad));
  }
  Put(")");
}

void TermPrinter::PrintTensorType(const TensorType& type) {
  Put(type.kind == TypeKind::kTensor ? "pl.Tensor" : "pld.DistributedTensor",
      "[");
  PrintDims(type.shape);
  Put(", pl.", DataTypeName(type.dtype));
  if (type.view != nullptr) {
    Put(", ");
    PrintTensorView(*type.view);
  }
  if (type.memref != nullptr) {
    Put(", ");
    PrintMemRef(*type.memref);
  }
  Put("]");
}

void TermPrinter::PrintTileView(const TileType& type) {
  const TileView& view = *type.view;
  const TileView implicit = ImplicitTileView(type.shape, type.space);
  Put(", pl.TileView(");
  bool first = true;
  auto field = [this, &first](absl::string_view name) {
    Put(first ? "" : ", ", name, "=");
    first = false;
  };
  if (!view.valid_shape.empty()) {
    field("valid_shape");
    PrintDims(view.valid_shape);
  }
  if (!view.stride.empty()) {
    field("stride");
    PrintDims(view.stride);
  }
  if (view.start_offset != nullptr) {
    field("start_offset");
    PrintDim(view.start_offset);
  }
  if (view.blayout != implicit.blayout) {
    field("blayout");
    Put("pl.TileLayout.", EnumName(view.blayout));
  }
  if (view.slayout != implicit.slayout) {
    field("slayout");
    Put("pl.TileLayout.", EnumName(view.slayout));
  }
  if (view.fractal != implicit.fractal) {
    field("fractal");
    Put(view.fractal);
  }
  if (view.pad != implicit.pad) {
    field("pad");
    Put("pl.PadValue.", EnumName(view.pad));
  }
  if (view.compact != implicit.compact) {
    field("compact");
    Put("pl.CompactMode.", EnumName(view.compact));
  }
  Put(")");
}

void TermPrinter::PrintTileType(const TileType& type) {
  Put("pl.Tile[");
  PrintDims(type.shape);
  Put(", pl.", DataTypeName(type.dtype));
  if (type.memref != nullptr) {
    Put(", ");
    PrintMemRef(*type.memref);
  }
  if (type.space.has_value()) Put(", pl.Mem.", EnumName(*type.space));
  if (type.view != nullptr) PrintTileView(type);
  Put("]");
}

void TermPrinter::PrintType(const Type* type) {
  // In a signature names are quoted that the body defines.
  if (in_signature_ || in_dim_) return PrintNewType(type);
  const auto known = printed_types_.find(type);
  if (known != printed_types_.end()) {
    out_.append(out_, known->second.begin, known->second.size);
    return;
  }
  const size_t begin = out_.size();
  PrintNewType(type);
  printed_types_[type] = {begin, out_.size() - begin};
}

void TermPrinter::PrintNewType(const Type* type) {
  switch (type->kind) {
    case TypeKind::kScalar:
      return Put("pl.Scalar[pl.",
                 DataTypeName(CheckedCast<ScalarType>(type)->dtype), "]");
    case TypeKind::kTensor:
    case TypeKind::kDistributedTensor:
      return PrintTensorType(*CheckedCast<TensorType>(type));
    case TypeKind::kTile:
      return PrintTileType(*CheckedCast<TileType>(type));
    case TypeKind::kArray: {
      const ArrayType* array = CheckedCast<ArrayType>(type);
      return Put("pl.Array[", array->extent, ", pl.",
                 DataTypeName(array->dtype), "]");
    }
    case TypeKind::kTuple: {
      const TupleType* tuple = CheckedCast<TupleType>(type);
      Put("pl.Tuple[");
      if (tuple->elements.empty()) Put("()");
      Join(tuple->elements, [this](const Type* t) { PrintType(t); });
      return Put("]");
    }
    default:
      return Put(MarkerTypeName(type->kind));
  }
}

// ---- Expressions

void TermPrinter::PrintExpr(const Expr* expr, Precedence context) {
  if (PrecedenceOf(expr) < context) {
    Put("(");
    PrintExpr(expr);
    return Put(")");
  }
  switch (expr->kind) {
    case ExprKind::kVar:
    case ExprKind::kIterArg:
      return Put(names_.NameOf(CheckedCast<Var>(expr)));
    case ExprKind::kConstInt: {
      const ConstInt* c = CheckedCast<ConstInt>(expr);
      if (c->dtype() == DataType::kIndex && !in_dim_) return Put(c->value);
      return Put("pl.const(", c->value, ", pl.", DataTypeName(c->dtype()), ")");
    }
    case ExprKind::kConstFloat: {
      const ConstFloat* c = CheckedCast<ConstFloat>(expr);
      if (c->dtype() == DataType::kFP32) return Put(Float(c->value));
      return Put("pl.const(", Float(c->value), ", pl.",
                 DataTypeName(c->dtype()), ")");
    }
    case ExprKind::kConstBool:
      return Put(CheckedCast<ConstBool>(expr)->value ? "True" : "False");
    case ExprKind::kCall:
      return PrintCall(*CheckedCast<Call>(expr));
    case ExprKind::kSubmit:
      return PrintSubmit(*CheckedCast<Submit>(expr));
    case ExprKind::kTuple:
      Put("[");
      PrintExprs(CheckedCast<Tuple>(expr)->elements);
      return Put("]");
    case ExprKind::kTupleItem: {
      const TupleItem* item = CheckedCast<TupleItem>(expr);
      PrintExpr(item->tuple, kAtomPrecedence);
      return Put("[", item->index, "]");
    }
    case ExprKind::kBinary:
      return PrintInfix(CheckedCast<Binary>(expr));
    case ExprKind::kUnary:
      return PrintUnary(*CheckedCast<Unary>(expr));
    case ExprKind::kCast:
      Put("pl.cast(");
      PrintExpr(CheckedCast<Cast>(expr)->operand);
      return Put(", pl.",
                 DataTypeName(CheckedCast<ScalarType>(expr->type)->dtype), ")");
  }
}

void TermPrinter::PrintInfix(const Binary* binary) {
  if (AsInfix(binary) == nullptr) {
    Put(binary->op == BinaryOp::kMin ? "pl.min(" : "pl.max(");
    PrintExpr(binary->lhs);
    Put(", ");
    PrintExpr(binary->rhs);
    return Put(")");
  }
  // Left operands that need no parentheses are walked in a loop: a sum of many
  // terms is a chain of them.
  std::vector<const Binary*> chain;
  const Expr* left = binary;
  while (true) {
    const Binary* node = AsInfix(left);
    if (node == nullptr) break;
    if (!chain.empty()) {
      const Precedence outer = InfixOf(chain.back()->op).precedence;
      const Precedence inner = InfixOf(node->op).precedence;
      // Comparisons chain in Python, and ** groups to the right.
      const bool strict =
          outer == kComparePrecedence || outer == kPowPrecedence;
      if (strict ? inner <= outer : inner < outer) break;
    }
    chain.push_back(node);
    left = node->lhs;
  }
  const auto tighter = [](Precedence p) {
    return static_cast<Precedence>(p + 1);
  };
  const Precedence innermost = InfixOf(chain.back()->op).precedence;
  PrintExpr(left, innermost == kComparePrecedence || innermost == kPowPrecedence
                      ? tighter(innermost)
                      : innermost);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    const Infix infix = InfixOf((*it)->op);
    Put(" ", infix.token, " ");
    PrintExpr((*it)->rhs, infix.precedence == kPowPrecedence
                              ? kPowPrecedence
                              : tighter(infix.precedence));
  }
}

void TermPrinter::PrintUnary(const Unary& unary) {
  switch (unary.op) {
    case UnaryOp::kAbs:
      Put("abs(");
      PrintExpr(unary.operand);
      return Put(")");
    case UnaryOp::kNeg:
      Put("-");
      return PrintExpr(unary.operand, kUnaryPrecedence);
    case UnaryOp::kNot:
      Put("not ");
      return PrintExpr(unary.operand, kNotPrecedence);
    case UnaryOp::kBitNot:
      Put("~");
      return PrintExpr(unary.operand, kUnaryPrecedence);
  }
}

void TermPrinter::PrintAttrValue(const AttrValue& value, char quote) {
  switch (value.kind) {
    case AttrValue::Kind::kInt:
      return Put(value.int_value);
    case AttrValue::Kind::kFloat:
      return Put(Float(value.float_value));
    case AttrValue::Kind::kBool:
      return Put(value.bool_value ? "True" : "False");
    case AttrValue::Kind::kString:
      return Put(Quoted(value.text, quote));
    case AttrValue::Kind::kEnum:
      return Put(PlName(value.enum_class), ".", value.text);
    case AttrValue::Kind::kDataType:
      return Put("pl.", DataTypeName(value.data_type));
    case AttrValue::Kind::kExpr:
      return PrintExpr(value.expr);
    case AttrValue::Kind::kList:
      Put("[");
      Join(value.list,
           [this, quote](const AttrValue& v) { PrintAttrValue(v, quote); });
      return Put("]");
  }
}

void TermPrinter::PrintKwargs(Attrs kwargs, bool* first) {
  for (const Attr& kwarg : kwargs) {
    Put(*first ? "" : ", ", kwarg.name, "=");
    *first = false;
    PrintAttrValue(kwarg.value, '\'');
  }
}

void TermPrinter::PrintAttrs(Attrs attrs) {
  Put("{");
  Join(attrs, [this](const Attr& attr) {
    Put(Quoted(attr.name, '"'), ": ");
    PrintAttrValue(attr.value, '"');
  });
  Put("}");
}

void TermPrinter::PrintCall(const Call& call) {
  Put(call.callee->is_function ? absl::StrCat("self.", call.callee->name)
                               : OpName(call.callee->name),
      "(");
  bool first = true;
  for (const Expr* arg : call.args) {
    if (!first) Put(", ");
    const ConstInt* space = AsConstInt(arg);
    if (first && call.callee->name == "tile.alloc" && space != nullptr &&
        space->value >= 0 && space->value <= 9) {
      Put("pl.Mem.", EnumName(static_cast<MemorySpace>(space->value)));
    } else {
      PrintExpr(arg);
    }
    first = false;
  }
  PrintKwargs(call.kwargs, &first);
  if (!call.attrs.empty()) {
    Put(first ? "" : ", ", "attrs=");
    PrintAttrs(call.attrs);
  }
  Put(")");
}

void TermPrinter::PrintSubmit(const Submit& submit) {
  Put(submit.core_num != nullptr ? "pl.spmd_submit" : "pl.submit", "(self.",
      submit.callee->name);
  for (const Expr* arg : submit.args) {
    Put(", ");
    PrintExpr(arg);
  }
  if (!submit.deps.empty()) {
    Put(", deps=[");
    PrintExprs(submit.deps);
    Put("]");
  }
  bool first = false;
  PrintKwargs(submit.kwargs, &first);
  if (submit.core_num != nullptr) {
    Put(", core_num=");
    PrintExpr(submit.core_num);
    if (submit.sync_start) Put(", sync_start=True");
  }
  if (submit.allow_early_resolve) Put(", allow_early_resolve=True");
  if (submit.predicate != nullptr) {
    Put(", predicate=(");
    PrintExpr(submit.predicate);
    Put(")");
  }
  if (!submit.attrs.empty()) {
    Put(", attrs=");
    PrintAttrs(submit.attrs);
  }
  Put(")");
}

void TermPrinter::PrintPyTuple(Exprs exprs) {
  Put("(");
  PrintExprs(exprs);
  Put(exprs.size() == 1 ? ",)" : ")");
}

}  // namespace mxtile::ir
