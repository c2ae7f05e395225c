#ifndef IR_TYPE_H_
#define IR_TYPE_H_

// Types of values: scalars, tensors in global memory, tiles on a core, tuples
// and markers (pypto_ir section 1).
//
// Types are made by an ir::Context, which canonicalises them and keeps one
// object a type: within a context, equal types are equal pointers.
//
//   const TileType* tile = context.GetTileType({.shape = ..., ...});
//   if (const TensorType* t = DynCast<TensorType>(var->type)) ...
//
// Dimensions are expressions: integer constants, variables, or arithmetic over
// them. They carry no source span, so that equal dims are equal pointers too.

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/data_type.h"
#include "ir/enums.h"

namespace mxtile::ir {

struct Expr;
struct Var;

using Dims = absl::Span<const Expr* const>;

enum class TypeKind {
  kUnknown,
  kScalar,
  kTensor,
  // A tensor spread over devices; everything that asks for kTensor refuses it.
  kDistributedTensor,
  kTile,
  kArray,
  kTuple,
  kPtr,
  kMemRefType,
  kWindowBuffer,
  kCommCtx,
  kPrefetchAsyncContext,
  kAsyncEvent,
  kAsyncSession,
};

struct Type {
  TypeKind kind = TypeKind::kUnknown;
};

struct ScalarType : Type {
  static constexpr bool ClassOf(const Type& type) {
    return type.kind == TypeKind::kScalar;
  }
  DataType dtype = DataType::kIndex;
};

// Where a tensor or tile lives: `size_bytes` from `byte_offset` on in the
// allocation `base`. After address allocation byte_offset is the address within
// the memory space.
//
// An allocation that the author names, pl.MemRef("ping"), has no offset and
// size before that: byte_offset is null, size_bytes 0. It may have several
// slots, of which slot_index chooses one: pl.MemRef("ping", slots=2)[i % 2].
struct MemRef {
  const Var* base = nullptr;
  const Expr* byte_offset = nullptr;
  int64_t size_bytes = 0;
  int64_t slot_count = 0;            // 0: not in slots.
  const Expr* slot_index = nullptr;  // Null: none chosen.
};

// How a tensor's elements lie in global memory. Empty `stride`: packed, not yet
// materialised. Empty `valid_shape`: the whole shape.
struct TensorView {
  Dims stride;
  TensorLayout layout = TensorLayout::kND;
  Dims valid_shape;
  PadValue pad = PadValue::kNull;
};

struct TensorType : Type {
  static constexpr bool ClassOf(const Type& type) {
    return type.kind == TypeKind::kTensor ||
           type.kind == TypeKind::kDistributedTensor;
  }
  Dims shape;
  DataType dtype = DataType::kFP32;
  const MemRef* memref = nullptr;    // Null: none.
  const TensorView* view = nullptr;  // Null: packed row-major (ND).

  TensorLayout layout() const {
    return view == nullptr ? TensorLayout::kND : view->layout;
  }
};

// How a tile's elements lie on the core (pypto_ir section 3). `fractal` is the
// size in bytes of one inner box.
struct TileView {
  Dims valid_shape;  // Empty: the whole shape.
  Dims stride;
  const Expr* start_offset = nullptr;
  TileLayout blayout = TileLayout::kRowMajor;
  TileLayout slayout = TileLayout::kNoneBox;
  int64_t fractal = 512;
  PadValue pad = PadValue::kNull;
  CompactMode compact = CompactMode::kNull;
};

struct TileType : Type {
  static constexpr bool ClassOf(const Type& type) {
    return type.kind == TypeKind::kTile;
  }
  Dims shape;
  DataType dtype = DataType::kFP32;
  const MemRef* memref = nullptr;
  std::optional<MemorySpace> space;
  const TileView* view =
      nullptr;  // Null: the implicit view of shape and space.

  // The view, or the implicit one where none is stored.
  TileView EffectiveView() const;
  // The valid shape, or the whole shape where none is stored.
  Dims EffectiveValidShape() const;
};

struct ArrayType : Type {
  static constexpr bool ClassOf(const Type& type) {
    return type.kind == TypeKind::kArray;
  }
  int64_t extent = 0;
  DataType dtype = DataType::kIndex;
};

struct TupleType : Type {
  static constexpr bool ClassOf(const Type& type) {
    return type.kind == TypeKind::kTuple;
  }
  absl::Span<const Type* const> elements;
};

// The layout that a tile of this shape has in this space when its type states
// none. Only the physical shape decides, never the valid one.
TileView ImplicitTileView(Dims shape, std::optional<MemorySpace> space);

// The name of a field-less type in the text form ("pl.Ptr"); "" for others.
absl::string_view MarkerTypeName(TypeKind kind);

}  // namespace mxtile::ir

#endif  // IR_TYPE_H_
