#ifndef IR_EXPR_H_
#define IR_EXPR_H_

// Expressions (pypto_ir section 4). Nodes are immutable, owned by an
// ir::Context, and made through it.
//
//   const Expr* row = context.NewBinary(BinaryOp::kMul, i, context.Index(16));
//
// Variables are identified by object; names are hints. Integer constants of one
// type and value are one object and so carry no span.

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "ir/data_type.h"
#include "ir/source_span.h"
#include "ir/type.h"

namespace mxtile::ir {

struct OpDef;

enum class ExprKind {
  kVar,
  kIterArg,
  kConstInt,
  kConstFloat,
  kConstBool,
  kCall,
  kSubmit,
  kTuple,
  kTupleItem,
  kBinary,
  kUnary,
  kCast,
};

struct Expr {
  ExprKind kind;
  const Type* type = nullptr;
  SourceSpan span;
};

using Exprs = absl::Span<const Expr* const>;

struct Var : Expr {
  static bool ClassOf(const Expr& e) {
    return e.kind == ExprKind::kVar || e.kind == ExprKind::kIterArg;
  }
  absl::string_view name;
};

// A value that a loop carries from one round to the next.
struct IterArg : Var {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kIterArg; }
  const Expr* init = nullptr;
};

struct ConstInt : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kConstInt; }
  int64_t value = 0;
  DataType dtype() const;
};

struct ConstFloat : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kConstFloat; }
  double value = 0;
  DataType dtype() const;
};

struct ConstBool : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kConstBool; }
  bool value = false;
};

// The value of a kwarg or attribute. An enumerator is kept by its names, so
// that enumerations we do not know pass through: pl.Mem.Mat is {"Mem", "Mat"}.
struct AttrValue {
  enum class Kind {
    kInt,
    kFloat,
    kBool,
    kString,
    kEnum,
    kDataType,
    kExpr,
    kList
  };
  Kind kind = Kind::kInt;
  int64_t int_value = 0;
  double float_value = 0;
  bool bool_value = false;
  absl::string_view enum_class;  // kEnum
  absl::string_view text;        // kString, or the member of kEnum
  DataType data_type = DataType::kBool;
  const Expr* expr = nullptr;
  absl::Span<const AttrValue> list;

  static AttrValue Int(int64_t value);
  static AttrValue Float(double value);
  static AttrValue Bool(bool value);
  // The text must outlive the value: intern it in the context.
  static AttrValue String(absl::string_view text);
  static AttrValue Enum(absl::string_view enum_class, absl::string_view member);
  static AttrValue Of(DataType type);
  // A kInt, kFloat or kBool where the expression is a constant that prints as
  // one (INDEX, FP32, BOOL), else a kExpr.
  static AttrValue Of(const Expr* expr);
  static AttrValue Of(MemorySpace space);
  static AttrValue Of(TensorLayout layout);
  static AttrValue Of(TileLayout layout);
};

struct Attr {
  absl::string_view name;
  AttrValue value;
};

using Attrs = absl::Span<const Attr>;

// The attribute of that name, or null.
const AttrValue* FindAttr(Attrs attrs, absl::string_view name);

// What a call names: an operator ("tile.load"; `def` is null when we do not
// know it) or a function of the program (`is_function`). One object a name in a
// context.
struct Callee {
  absl::string_view name;
  bool is_function = false;
  const OpDef* def = nullptr;
};

// kwargs hold what the user wrote, attrs what compilers noted.
struct Call : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kCall; }
  const Callee* callee = nullptr;
  Exprs args;
  Attrs kwargs;
  Attrs attrs;
};

// A task launch; its arguments may leave out outputs that the runtime allocates
// (pypto_ir section 7). Its type is a tuple: the callee's returns, then
// TASK_ID.
struct Submit : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kSubmit; }
  const Callee* callee = nullptr;
  Exprs args;
  Exprs deps;
  const Expr* core_num = nullptr;  // Present: an SPMD launch.
  bool sync_start = false;
  bool allow_early_resolve = false;
  const Expr* predicate = nullptr;
  Attrs kwargs;
  Attrs attrs;
};

struct Tuple : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kTuple; }
  Exprs elements;
};

struct TupleItem : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kTupleItem; }
  const Expr* tuple = nullptr;
  int64_t index = 0;
};

enum class BinaryOp {
  kAdd,
  kSub,
  kMul,
  kFloorDiv,
  kFloorMod,
  kFloatDiv,
  kMin,
  kMax,
  kPow,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kXor,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftL,
  kShiftR,
};

struct Binary : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kBinary; }
  BinaryOp op = BinaryOp::kAdd;
  const Expr* lhs = nullptr;
  const Expr* rhs = nullptr;
};

enum class UnaryOp { kAbs, kNeg, kNot, kBitNot };

struct Unary : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kUnary; }
  UnaryOp op = UnaryOp::kNeg;
  const Expr* operand = nullptr;
};

// Conversion of a scalar; the target is the node's own type.
struct Cast : Expr {
  static bool ClassOf(const Expr& e) { return e.kind == ExprKind::kCast; }
  const Expr* operand = nullptr;
};

bool IsComparison(BinaryOp op);
bool IsLogical(BinaryOp op);

// ---- Casting

template <typename T, typename Base>
bool Isa(const Base* node) {
  return node != nullptr && T::ClassOf(*node);
}
// The node as a T, or null when it is none.
template <typename T, typename Base>
const T* DynCast(const Base* node) {
  return Isa<T>(node) ? static_cast<const T*>(node) : nullptr;
}
template <typename T, typename Base>
const T* CheckedCast(const Base* node) {
  MX_CHECK(Isa<T>(node)) << "node is of another kind";
  return static_cast<const T*>(node);
}

// The constant's value when the expression is a ConstInt.
inline const ConstInt* AsConstInt(const Expr* expr) {
  return DynCast<ConstInt>(expr);
}

}  // namespace mxtile::ir

#endif  // IR_EXPR_H_
