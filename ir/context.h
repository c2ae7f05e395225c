#ifndef IR_CONTEXT_H_
#define IR_CONTEXT_H_

// Owns and makes IR nodes: types, expressions, statements, functions, programs.
//
//   Context context(&registry);
//   const Var* row = context.NewVar("row", context.IndexType());
//   const Expr* two = context.Index(2);
//   const Expr* offset = context.NewBinary(BinaryOp::kMul, row, two);
//   const Stmt* stmt = context.New(Assign{...});
//
// Nodes live as long as the context; nothing is freed before it. Types,
// strings, callees, constants and the dims inside types are uniqued: equal
// means the same pointer. Names of variables are copied. A Context is for one
// thread at a time.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/arena.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::ir {

class Context {
 public:
  // The registry must outlive the context.
  explicit Context(const OpRegistry* registry);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const OpRegistry& registry() const { return *registry_; }

  // ---- Strings and lists

  absl::string_view Intern(absl::string_view text);

  template <typename T>
  absl::Span<const T> List(absl::Span<const T> values) {
    return arena_.Copy(values);
  }
  template <typename T>
  absl::Span<const T> List(const std::vector<T>& values) {
    return arena_.Copy(absl::MakeConstSpan(values));
  }
  Exprs ExprList(std::initializer_list<const Expr*> values) {
    return arena_.Copy(Exprs(values.begin(), values.size()));
  }

  // ---- Types

  // Lists inside the arguments may be temporary: they are copied when needed.

  const ScalarType* GetScalarType(DataType dtype);
  const ScalarType* IndexType() { return GetScalarType(DataType::kIndex); }
  // Canonicalised as pypto_ir section 1: a valid_shape equal to the shape
  // becomes empty, an all-default tensor view and a tile view equal to the
  // implicit one become null. `type.kind` chooses between tensor and
  // distributed tensor.
  const TensorType* GetTensorType(TensorType type);
  const TileType* GetTileType(TileType type);
  const ArrayType* GetArrayType(int64_t extent, DataType dtype);
  const TupleType* GetTupleType(absl::Span<const Type* const> elements);
  // One of the field-less kinds (kUnknown, kPtr, ...).
  const Type* GetMarkerType(TypeKind kind);

  // A dim without spans, so that equal dims are one object. INDEX-typed
  // constants stand for constants of every integer type.
  const Expr* InternDim(const Expr* dim);
  Dims StaticDims(std::initializer_list<int64_t> values);
  Dims StaticDims(absl::Span<const int64_t> values);

  // ---- Expressions

  const Var* NewVar(absl::string_view name, const Type* type,
                    SourceSpan span = {});
  const IterArg* NewIterArg(absl::string_view name, const Type* type,
                            const Expr* init, SourceSpan span = {});
  const ConstInt* Int(int64_t value, DataType dtype);
  const ConstInt* Index(int64_t value) { return Int(value, DataType::kIndex); }
  const ConstFloat* Float(double value, DataType dtype = DataType::kFP32);
  const ConstBool* Bool(bool value);
  // The result is BOOL for comparisons and logic, else of the type of `lhs`; of
  // `rhs` where `lhs` is a bare integer literal, which fits any type.
  const Expr* NewBinary(BinaryOp op, const Expr* lhs, const Expr* rhs,
                        SourceSpan span = {});
  // The negative of a constant is a constant, as the text form reads "-5".
  const Expr* NewUnary(UnaryOp op, const Expr* operand, SourceSpan span = {});
  const Expr* NewCast(const Expr* operand, DataType dtype,
                      SourceSpan span = {});
  const Tuple* NewTuple(Exprs elements, SourceSpan span = {});
  const Expr* NewTupleItem(const Expr* tuple, int64_t index,
                           SourceSpan span = {});

  const Callee* GetOp(absl::string_view name);
  const Callee* GetFunction(absl::string_view name);

  // Any other node, as given; lists inside must come from this context.
  template <typename Node>
  const Node* New(Node node) {
    return arena_.New<Node>(node);
  }

  // Bytes of all nodes, for statistics.
  size_t used_bytes() const { return arena_.used_bytes(); }

 private:
  struct Tables;

  const ConstInt* NewInt(int64_t value, DataType dtype);
  Dims InternDims(Dims dims);
  const MemRef* InternMemRef(const MemRef* memref);

  const OpRegistry* registry_;
  Arena arena_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace mxtile::ir

#endif  // IR_CONTEXT_H_
