#include "ir/context.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "ir/expr_walk.h"

namespace mxtile::ir {
namespace {

// A key for uniquing: the bytes of the fields, in order. Pointers stand for
// what they point to, which has been uniqued before.
class Key {
 public:
  template <typename T>
  Key& Add(T value) {
    static_assert(std::is_scalar_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    text_.append(bytes, sizeof(T));
    return *this;
  }
  template <typename T>
  Key& AddList(absl::Span<const T> values) {
    Add(values.size());
    for (const T& value : values) Add(value);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <typename Node>
using Table = absl::flat_hash_map<std::string, const Node*>;

bool SameDims(Dims a, Dims b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

bool IsImplicit(const TileView& view, const TileView& implicit) {
  return view.valid_shape.empty() && view.stride.empty() &&
         view.start_offset == nullptr && view.blayout == implicit.blayout &&
         view.slayout == implicit.slayout && view.fractal == implicit.fractal &&
         view.pad == implicit.pad && view.compact == implicit.compact;
}

bool IsDefault(const TensorView& view) {
  return view.stride.empty() && view.layout == TensorLayout::kND &&
         view.valid_shape.empty() && view.pad == PadValue::kNull;
}

}  // namespace

struct Context::Tables {
  absl::flat_hash_set<absl::string_view> strings;
  Table<Type> types;
  Table<MemRef> memrefs;
  Table<TensorView> tensor_views;
  Table<TileView> tile_views;
  Table<Expr> constants;
  // Those that programs are full of, by their values and codes.
  std::array<const ConstInt*, 1025> small_indices = {};
  std::array<const ScalarType*, 256> scalar_types = {};
  Table<Expr> dims;
  absl::flat_hash_map<absl::string_view, const Callee*> ops;
  absl::flat_hash_map<absl::string_view, const Callee*> functions;
};

Context::Context(const OpRegistry* registry)
    : registry_(registry), tables_(std::make_unique<Tables>()) {
  MX_CHECK(registry != nullptr);
}

Context::~Context() = default;

absl::string_view Context::Intern(absl::string_view text) {
  const auto it = tables_->strings.find(text);
  if (it != tables_->strings.end()) return *it;
  const absl::string_view copy = arena_.Copy(text);
  tables_->strings.insert(copy);
  return copy;
}

// ---- Types

const ScalarType* Context::GetScalarType(DataType dtype) {
  static_assert(sizeof(DataType) == 1);
  const ScalarType*& slot = tables_->scalar_types[static_cast<uint8_t>(dtype)];
  if (slot == nullptr) {
    ScalarType type;
    type.kind = TypeKind::kScalar;
    type.dtype = dtype;
    slot = New(type);
  }
  return slot;
}

Dims Context::InternDims(Dims dims) {
  std::vector<const Expr*> interned;
  interned.reserve(dims.size());
  for (const Expr* dim : dims) interned.push_back(InternDim(dim));
  return List(interned);
}

const MemRef* Context::InternMemRef(const MemRef* memref) {
  if (memref == nullptr) return nullptr;
  MemRef copy = *memref;
  for (const Expr** expr : {&copy.byte_offset, &copy.slot_index}) {
    if (*expr != nullptr) *expr = InternDim(*expr);
  }
  Key key;
  key.Add(copy.base).Add(copy.byte_offset).Add(copy.size_bytes);
  key.Add(copy.slot_count).Add(copy.slot_index);
  const MemRef*& slot = tables_->memrefs[key.text()];
  if (slot == nullptr) slot = New(copy);
  return slot;
}

const TensorType* Context::GetTensorType(TensorType type) {
  MX_CHECK(TensorType::ClassOf(type)) << "set kind to kTensor";
  type.shape = InternDims(type.shape);
  type.memref = InternMemRef(type.memref);
  if (type.view != nullptr) {
    TensorView view = *type.view;
    view.stride = InternDims(view.stride);
    view.valid_shape = InternDims(view.valid_shape);
    if (SameDims(view.valid_shape, type.shape)) view.valid_shape = {};
    type.view = nullptr;
    if (!IsDefault(view)) {
      Key key;
      key.AddList(view.stride).Add(view.layout);
      key.AddList(view.valid_shape).Add(view.pad);
      const TensorView*& slot = tables_->tensor_views[key.text()];
      if (slot == nullptr) slot = New(view);
      type.view = slot;
    }
  }
  Key key;
  key.Add(type.kind).AddList(type.shape).Add(type.dtype);
  key.Add(type.memref).Add(type.view);
  const Type*& slot = tables_->types[key.text()];
  if (slot == nullptr) slot = New(type);
  return CheckedCast<TensorType>(slot);
}

const TileType* Context::GetTileType(TileType type) {
  type.kind = TypeKind::kTile;
  type.shape = InternDims(type.shape);
  type.memref = InternMemRef(type.memref);
  if (type.view != nullptr) {
    TileView view = *type.view;
    view.valid_shape = InternDims(view.valid_shape);
    view.stride = InternDims(view.stride);
    if (view.start_offset != nullptr) {
      view.start_offset = InternDim(view.start_offset);
    }
    if (SameDims(view.valid_shape, type.shape)) view.valid_shape = {};
    type.view = nullptr;
    if (!IsImplicit(view, ImplicitTileView(type.shape, type.space))) {
      Key key;
      key.AddList(view.valid_shape).AddList(view.stride);
      key.Add(view.start_offset).Add(view.blayout).Add(view.slayout);
      key.Add(view.fractal).Add(view.pad).Add(view.compact);
      const TileView*& slot = tables_->tile_views[key.text()];
      if (slot == nullptr) slot = New(view);
      type.view = slot;
    }
  }
  Key key;
  key.Add(type.kind).AddList(type.shape).Add(type.dtype).Add(type.memref);
  key.Add(type.space.has_value() ? static_cast<int>(*type.space) : -1);
  key.Add(type.view);
  const Type*& slot = tables_->types[key.text()];
  if (slot == nullptr) slot = New(type);
  return CheckedCast<TileType>(slot);
}

const ArrayType* Context::GetArrayType(int64_t extent, DataType dtype) {
  Key key;
  key.Add(TypeKind::kArray).Add(extent).Add(dtype);
  const Type*& slot = tables_->types[key.text()];
  if (slot == nullptr) {
    ArrayType type;
    type.kind = TypeKind::kArray;
    type.extent = extent;
    type.dtype = dtype;
    slot = New(type);
  }
  return CheckedCast<ArrayType>(slot);
}

const TupleType* Context::GetTupleType(absl::Span<const Type* const> elements) {
  Key key;
  key.Add(TypeKind::kTuple).AddList(elements);
  const Type*& slot = tables_->types[key.text()];
  if (slot == nullptr) {
    TupleType type;
    type.kind = TypeKind::kTuple;
    type.elements = List(elements);
    slot = New(type);
  }
  return CheckedCast<TupleType>(slot);
}

const Type* Context::GetMarkerType(TypeKind kind) {
  MX_CHECK(!MarkerTypeName(kind).empty()) << "this kind has fields";
  Key key;
  key.Add(kind);
  const Type*& slot = tables_->types[key.text()];
  if (slot == nullptr) {
    Type type;
    type.kind = kind;
    slot = New(type);
  }
  return slot;
}

const Expr* Context::InternDim(const Expr* dim) {
  // Operands come before users, so a node's interned operands are the last
  // entries of `done`.
  std::vector<const Expr*> done;
  PostOrder(dim, [this, &done](const Expr* expr) {
    if (const ConstInt* constant = AsConstInt(expr)) {
      done.push_back(Index(constant->value));
      return;
    }
    const struct Binary* binary = DynCast<struct Binary>(expr);
    const struct Unary* unary = DynCast<struct Unary>(expr);
    const struct Cast* cast = DynCast<struct Cast>(expr);
    if (binary == nullptr && unary == nullptr && cast == nullptr) {
      ForEachOperand(*expr, [&done](const Expr*) { done.pop_back(); });
      done.push_back(expr);
      return;
    }
    Key key;
    key.Add(expr->kind);
    const Expr* last = done.back();
    done.pop_back();
    const Expr* first = nullptr;
    if (binary != nullptr) {
      first = done.back();
      done.pop_back();
      key.Add(binary->op).Add(first).Add(last);
    } else if (unary != nullptr) {
      key.Add(unary->op).Add(last);
    } else {
      key.Add(cast->type).Add(last);
    }
    const Expr*& slot = tables_->dims[key.text()];
    if (slot == nullptr) {
      slot = binary != nullptr ? NewBinary(binary->op, first, last)
             : unary != nullptr
                 ? NewUnary(unary->op, last)
                 : NewCast(last, CheckedCast<ScalarType>(cast->type)->dtype);
    }
    done.push_back(slot);
  });
  MX_CHECK(done.size() == 1);
  return done[0];
}

Dims Context::StaticDims(absl::Span<const int64_t> values) {
  std::vector<const Expr*> dims;
  for (const int64_t value : values) dims.push_back(Index(value));
  return List(dims);
}

Dims Context::StaticDims(std::initializer_list<int64_t> values) {
  return StaticDims(absl::MakeConstSpan(values.begin(), values.size()));
}

// ---- Expressions

const Var* Context::NewVar(absl::string_view name, const Type* type,
                           SourceSpan span) {
  Var var;
  var.kind = ExprKind::kVar;
  var.type = type;
  var.span = span;
  // Most names are new, so looking for a known one does not pay.
  var.name = arena_.Copy(name);
  return New(var);
}

const IterArg* Context::NewIterArg(absl::string_view name, const Type* type,
                                   const Expr* init, SourceSpan span) {
  IterArg arg;
  arg.kind = ExprKind::kIterArg;
  arg.type = type;
  arg.span = span;
  arg.name = Intern(name);
  arg.init = init;
  return New(arg);
}

const ConstInt* Context::Int(int64_t value, DataType dtype) {
  if (dtype == DataType::kIndex && value >= 0 &&
      value < static_cast<int64_t>(tables_->small_indices.size())) {
    const ConstInt*& slot = tables_->small_indices[value];
    if (slot == nullptr) slot = NewInt(value, dtype);
    return slot;
  }
  Key key;
  key.Add(ExprKind::kConstInt).Add(value).Add(dtype);
  const Expr*& slot = tables_->constants[key.text()];
  if (slot == nullptr) slot = NewInt(value, dtype);
  return CheckedCast<ConstInt>(slot);
}

const ConstInt* Context::NewInt(int64_t value, DataType dtype) {
  ConstInt constant;
  constant.kind = ExprKind::kConstInt;
  constant.type = GetScalarType(dtype);
  constant.value = value;
  return New(constant);
}

const ConstFloat* Context::Float(double value, DataType dtype) {
  Key key;
  key.Add(ExprKind::kConstFloat).Add(value).Add(dtype);
  const Expr*& slot = tables_->constants[key.text()];
  if (slot == nullptr) {
    ConstFloat constant;
    constant.kind = ExprKind::kConstFloat;
    constant.type = GetScalarType(dtype);
    constant.value = value;
    slot = New(constant);
  }
  return CheckedCast<ConstFloat>(slot);
}

const ConstBool* Context::Bool(bool value) {
  Key key;
  key.Add(ExprKind::kConstBool).Add(value);
  const Expr*& slot = tables_->constants[key.text()];
  if (slot == nullptr) {
    ConstBool constant;
    constant.kind = ExprKind::kConstBool;
    constant.type = GetScalarType(DataType::kBool);
    constant.value = value;
    slot = New(constant);
  }
  return CheckedCast<ConstBool>(slot);
}

const Expr* Context::NewBinary(BinaryOp op, const Expr* lhs, const Expr* rhs,
                               SourceSpan span) {
  struct Binary node;
  node.kind = ExprKind::kBinary;
  const ConstInt* literal = AsConstInt(lhs);
  if (IsComparison(op) || IsLogical(op)) {
    node.type = GetScalarType(DataType::kBool);
  } else if (literal != nullptr && literal->dtype() == DataType::kIndex) {
    node.type = rhs->type;
  } else {
    node.type = lhs->type;
  }
  node.span = span;
  node.op = op;
  node.lhs = lhs;
  node.rhs = rhs;
  return New(node);
}

const Expr* Context::NewUnary(UnaryOp op, const Expr* operand,
                              SourceSpan span) {
  if (op == UnaryOp::kNeg) {
    const ConstInt* i = AsConstInt(operand);
    if (i != nullptr && i->value != std::numeric_limits<int64_t>::min()) {
      return Int(-i->value, i->dtype());
    }
    if (const ConstFloat* f = DynCast<ConstFloat>(operand)) {
      return Float(-f->value, f->dtype());
    }
  }
  struct Unary node;
  node.kind = ExprKind::kUnary;
  node.type =
      op == UnaryOp::kNot ? GetScalarType(DataType::kBool) : operand->type;
  node.span = span;
  node.op = op;
  node.operand = operand;
  return New(node);
}

const Expr* Context::NewCast(const Expr* operand, DataType dtype,
                             SourceSpan span) {
  struct Cast node;
  node.kind = ExprKind::kCast;
  node.type = GetScalarType(dtype);
  node.span = span;
  node.operand = operand;
  return New(node);
}

const Tuple* Context::NewTuple(Exprs elements, SourceSpan span) {
  std::vector<const Type*> types;
  for (const Expr* element : elements) types.push_back(element->type);
  struct Tuple node;
  node.kind = ExprKind::kTuple;
  node.type = GetTupleType(types);
  node.span = span;
  node.elements = List(elements);
  return New(node);
}

const Expr* Context::NewTupleItem(const Expr* tuple, int64_t index,
                                  SourceSpan span) {
  const auto* type = DynCast<TupleType>(tuple->type);
  MX_CHECK(type == nullptr || (index >= 0 && index < type->elements.size()))
      << "index " << index;
  struct TupleItem node;
  node.kind = ExprKind::kTupleItem;
  node.type = type != nullptr ? type->elements[index]
                              : GetMarkerType(TypeKind::kUnknown);
  node.span = span;
  node.tuple = tuple;
  node.index = index;
  return New(node);
}

const Callee* Context::GetOp(absl::string_view name) {
  const auto it = tables_->ops.find(name);
  if (it != tables_->ops.end()) return it->second;
  const Callee* callee =
      New(Callee{Intern(name), /*is_function=*/false, registry_->Find(name)});
  tables_->ops.emplace(callee->name, callee);
  return callee;
}

const Callee* Context::GetFunction(absl::string_view name) {
  const auto it = tables_->functions.find(name);
  if (it != tables_->functions.end()) return it->second;
  const Callee* callee =
      New(Callee{Intern(name), /*is_function=*/true, nullptr});
  tables_->functions.emplace(callee->name, callee);
  return callee;
}

}  // namespace mxtile::ir
