// Uniquing, canonical types, and the types that new expressions get.

#include "ir/context.h"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/ir_test_util.h"
#include "ir/op_registry.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

class ContextTest : public ::testing::Test {
 protected:
  const TensorType* Tensor(Dims shape, const TensorView* view = nullptr,
                           const MemRef* memref = nullptr) {
    TensorType type;
    type.kind = TypeKind::kTensor;
    type.shape = shape;
    type.view = view;
    type.memref = memref;
    return context_.GetTensorType(type);
  }
  const TileType* Tile(Dims shape, std::optional<MemorySpace> space,
                       const TileView* view = nullptr) {
    TileType type;
    type.shape = shape;
    type.space = space;
    type.view = view;
    return context_.GetTileType(type);
  }
  Dims Shape() { return context_.StaticDims({16, 64}); }
  const Expr* Twice(const Expr* expr) {
    SourceSpan span;
    span.line = ++line_;  // Each at another place.
    return context_.NewBinary(BinaryOp::kMul, expr, context_.Index(2), span);
  }

  OpRegistry registry_;
  Context context_{&registry_};
  const Var* n_ = context_.NewVar("n", context_.IndexType());
  const Var* ptr_ =
      context_.NewVar("mem", context_.GetMarkerType(TypeKind::kPtr));
  int line_ = 0;
};

// ---- Uniquing

TEST_F(ContextTest, EqualStringsAreOne) {
  const std::string text = "text";
  const absl::string_view a = context_.Intern(text);
  EXPECT_NE(a.data(), text.data());
  EXPECT_EQ(context_.Intern("text").data(), a.data());
  EXPECT_NE(context_.Intern("other").data(), a.data());
  EXPECT_EQ(context_.Intern(""), "");
}

TEST_F(ContextTest, EqualConstantsAreOne) {
  EXPECT_EQ(context_.Int(5, DataType::kInt32),
            context_.Int(5, DataType::kInt32));
  EXPECT_EQ(context_.Index(5), context_.Int(5, DataType::kIndex));
  EXPECT_EQ(context_.Float(0.5), context_.Float(0.5, DataType::kFP32));
  EXPECT_EQ(context_.Bool(true), context_.Bool(true));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(context_.Float(nan), context_.Float(nan));
  const std::set<const Expr*> different = {
      context_.Index(5),
      context_.Int(5, DataType::kInt32),
      context_.Index(6),
      context_.Float(5),
      context_.Float(0.0),
      context_.Float(-0.0),
      context_.Float(5, DataType::kFP16),
      context_.Bool(true),
      context_.Bool(false),
  };
  EXPECT_EQ(different.size(), 9);
}

TEST_F(ContextTest, VariablesAreNever) {
  EXPECT_NE(n_, context_.NewVar("n", context_.IndexType()));
}

TEST_F(ContextTest, CalleesAreOneAName) {
  EXPECT_EQ(context_.GetOp("tile.load"), context_.GetOp("tile.load"));
  EXPECT_EQ(context_.GetFunction("f"), context_.GetFunction("f"));
  const Callee* op = context_.GetOp("f");
  const Callee* function = context_.GetFunction("f");
  EXPECT_NE(op, function);
  EXPECT_FALSE(op->is_function);
  EXPECT_TRUE(function->is_function);
}

TEST_F(ContextTest, CalleesKnowTheirRegistration) {
  OpRegistry registry;
  OpDef def;
  def.name = "tile.known";
  const OpDef* known = registry.Register(def);
  Context context(&registry);
  EXPECT_EQ(context.GetOp("tile.known")->def, known);
  EXPECT_EQ(context.GetOp("tile.unknown")->def, nullptr);
  EXPECT_EQ(context.GetFunction("tile.known")->def, nullptr);
}

// Every type, twice: each equals itself only.
TEST_F(ContextTest, EqualTypesAreOneAndDifferentTypesAreNot) {
  const auto make = [this] {
    std::vector<const Type*> types;
    for (const DataType dtype : {DataType::kIndex, DataType::kInt32}) {
      types.push_back(context_.GetScalarType(dtype));
      types.push_back(context_.GetArrayType(4, dtype));
      types.push_back(context_.GetArrayType(8, dtype));
    }
    for (const TypeKind kind :
         {TypeKind::kUnknown, TypeKind::kPtr, TypeKind::kMemRefType,
          TypeKind::kWindowBuffer, TypeKind::kCommCtx,
          TypeKind::kPrefetchAsyncContext, TypeKind::kAsyncEvent,
          TypeKind::kAsyncSession}) {
      types.push_back(context_.GetMarkerType(kind));
    }
    types.push_back(context_.GetTupleType({}));
    types.push_back(context_.GetTupleType({context_.IndexType()}));
    types.push_back(context_.GetTupleType(
        {context_.IndexType(), context_.GetMarkerType(TypeKind::kPtr)}));
    types.push_back(
        context_.GetTupleType({context_.GetTupleType({context_.IndexType()})}));

    for (const Dims shape :
         {Dims(), context_.StaticDims({16}), Shape(),
          context_.ExprList({context_.Index(16), n_}),
          context_.ExprList({context_.Index(16), Twice(n_)}),
          context_.ExprList({context_.Index(16), Twice(Twice(n_))})}) {
      types.push_back(Tensor(shape));
      types.push_back(Tile(shape, std::nullopt));
      types.push_back(Tile(shape, MemorySpace::kDDR));
      types.push_back(Tile(shape, MemorySpace::kRight));
    }
    TensorType other;
    other.kind = TypeKind::kDistributedTensor;
    other.shape = Shape();
    types.push_back(context_.GetTensorType(other));
    other.kind = TypeKind::kTensor;
    other.dtype = DataType::kFP16;
    types.push_back(context_.GetTensorType(other));

    // Tensor views that differ from the default in one field, and memrefs.
    TensorView view;
    view.layout = TensorLayout::kNZ;
    types.push_back(Tensor(Shape(), &view));
    view = {};
    view.stride = context_.StaticDims({64, 1});
    types.push_back(Tensor(Shape(), &view));
    view = {};
    view.valid_shape = context_.StaticDims({64, 1});
    types.push_back(Tensor(Shape(), &view));
    view = {};
    view.pad = PadValue::kMin;
    types.push_back(Tensor(Shape(), &view));
    for (const Expr* offset :
         {static_cast<const Expr*>(context_.Index(0)), Twice(n_)}) {
      for (const int64_t size : {64, 128}) {
        const MemRef memref = {ptr_, offset, size};
        types.push_back(Tensor(Shape(), nullptr, &memref));
      }
    }

    // Tile views that differ from the implicit one in one field.
    const TileView implicit = ImplicitTileView(Shape(), MemorySpace::kVec);
    const auto add = [&](auto set) {
      TileView tile_view = implicit;
      set(&tile_view);
      types.push_back(Tile(Shape(), MemorySpace::kVec, &tile_view));
    };
    add([&](TileView* v) { v->valid_shape = context_.StaticDims({8, 64}); });
    add([&](TileView* v) { v->stride = context_.StaticDims({8, 64}); });
    add([&](TileView* v) { v->start_offset = Twice(n_); });
    add([&](TileView* v) { v->start_offset = context_.Index(0); });
    add([&](TileView* v) { v->blayout = TileLayout::kColMajor; });
    add([&](TileView* v) { v->slayout = TileLayout::kColMajor; });
    add([&](TileView* v) { v->fractal = 32; });
    add([&](TileView* v) { v->pad = PadValue::kZero; });
    add([&](TileView* v) { v->compact = CompactMode::kNormal; });
    return types;
  };
  const std::vector<const Type*> types = make();
  EXPECT_EQ(make(), types);
  EXPECT_EQ(std::set<const Type*>(types.begin(), types.end()).size(),
            types.size());
}

// ---- Canonical types, pypto_ir section 1

TEST_F(ContextTest, AValidShapeEqualToTheShapeIsNone) {
  TensorView view;
  view.layout = TensorLayout::kNZ;
  const TensorType* expected = Tensor(Shape(), &view);
  view.valid_shape = context_.ExprList(
      {context_.Int(16, DataType::kInt32), context_.Index(64)});
  EXPECT_EQ(Tensor(Shape(), &view), expected);
  EXPECT_TRUE(expected->view->valid_shape.empty());

  TileView tile_view = ImplicitTileView(Shape(), MemorySpace::kVec);
  tile_view.fractal = 32;
  const TileType* tile = Tile(Shape(), MemorySpace::kVec, &tile_view);
  tile_view.valid_shape = Shape();
  EXPECT_EQ(Tile(Shape(), MemorySpace::kVec, &tile_view), tile);
  EXPECT_TRUE(tile->view->valid_shape.empty());
}

TEST_F(ContextTest, ASymbolicValidShapeEqualToTheShapeIsNone) {
  const Dims shape = context_.ExprList({Twice(n_), context_.Index(64)});
  TensorView view;
  view.valid_shape = context_.ExprList({Twice(n_), context_.Index(64)});
  EXPECT_EQ(Tensor(shape, &view)->view, nullptr);
}

TEST_F(ContextTest, ATensorViewOfDefaultsIsNone) {
  const TensorView view;
  EXPECT_EQ(Tensor(Shape(), &view), Tensor(Shape()));
  EXPECT_EQ(Tensor(Shape(), &view)->view, nullptr);
}

TEST_F(ContextTest, ATileViewThatTheSpaceImpliesIsNone) {
  for (int space = -1; space <= 9; ++space) {
    for (const Dims shape : {Shape(), context_.StaticDims({16, 1})}) {
      std::optional<MemorySpace> in;
      if (space >= 0) in = static_cast<MemorySpace>(space);
      TileView view = ImplicitTileView(shape, in);
      EXPECT_EQ(Tile(shape, in, &view)->view, nullptr);
      view.valid_shape = shape;
      EXPECT_EQ(Tile(shape, in, &view)->view, nullptr);
    }
  }
  // Of another space, it stays.
  const TileView acc = ImplicitTileView(Shape(), MemorySpace::kAcc);
  EXPECT_NE(Tile(Shape(), MemorySpace::kMat, &acc)->view, nullptr);
}

TEST_F(ContextTest, ArgumentsMayBeTemporary) {
  const TensorType* type = nullptr;
  {
    std::vector<const Expr*> shape = {context_.Index(4), n_};
    std::vector<const Expr*> stride = {n_, context_.Index(1)};
    const MemRef memref = {ptr_, context_.Index(32), 64};
    TensorView view;
    view.stride = stride;
    type = Tensor(shape, &view, &memref);
    shape.assign(2, nullptr);
    stride.assign(2, nullptr);
  }
  EXPECT_THAT(type->shape, ElementsAre(context_.Index(4), n_));
  EXPECT_THAT(type->view->stride, ElementsAre(n_, context_.Index(1)));
  EXPECT_EQ(type->memref->base, ptr_);
  EXPECT_EQ(type->memref->byte_offset, context_.Index(32));
}

// ---- Dims

TEST_F(ContextTest, EqualDimsAreOneWithoutSpans) {
  const Expr* a = context_.InternDim(Twice(Twice(n_)));
  EXPECT_EQ(context_.InternDim(Twice(Twice(n_))), a);
  EXPECT_EQ(context_.InternDim(a), a);
  PostOrder(a, [](const Expr* e) { EXPECT_FALSE(e->span.known()); });
  EXPECT_NE(context_.InternDim(Twice(n_)), a);
}

TEST_F(ContextTest, DimsKeepTheirOperators) {
  std::set<const Expr*> dims;
  for (int op = 0; op <= static_cast<int>(BinaryOp::kShiftR); ++op) {
    const Expr* dim =
        context_.NewBinary(static_cast<BinaryOp>(op), n_, context_.Index(2));
    dims.insert(context_.InternDim(dim));
    EXPECT_EQ(CheckedCast<Binary>(context_.InternDim(dim))->op,
              static_cast<BinaryOp>(op));
  }
  for (const UnaryOp op : {UnaryOp::kAbs, UnaryOp::kNeg, UnaryOp::kBitNot}) {
    dims.insert(context_.InternDim(context_.NewUnary(op, n_)));
  }
  dims.insert(context_.InternDim(context_.NewCast(n_, DataType::kInt32)));
  dims.insert(context_.InternDim(context_.NewCast(n_, DataType::kInt64)));
  // The operands' order counts.
  dims.insert(context_.InternDim(
      context_.NewBinary(BinaryOp::kSub, context_.Index(2), n_)));
  EXPECT_EQ(dims.size(), 23 + 3 + 2 + 1);
}

TEST_F(ContextTest, ConstantDimsAreOfTypeIndex) {
  EXPECT_EQ(context_.InternDim(context_.Int(16, DataType::kInt32)),
            context_.Index(16));
  const Expr* sum = context_.NewBinary(BinaryOp::kAdd, n_,
                                       context_.Int(16, DataType::kUInt8));
  EXPECT_EQ(CheckedCast<Binary>(context_.InternDim(sum))->rhs,
            context_.Index(16));
}

TEST_F(ContextTest, ASumOf100000TermsIsOneDim) {
  const Expr* dim = context_.InternDim(LongSum(&context_, n_, 100'000));
  EXPECT_EQ(context_.InternDim(LongSum(&context_, n_, 100'000)), dim);
}

// ---- Expressions

TEST_F(ContextTest, BinaryExpressionsGetTheirOperandsType) {
  const Type* index = context_.IndexType();
  const Type* int32 = context_.GetScalarType(DataType::kInt32);
  const Type* boolean = context_.GetScalarType(DataType::kBool);
  const Expr* i = context_.NewVar("i", int32);
  const Expr* two = context_.Index(2);
  for (int op = 0; op <= static_cast<int>(BinaryOp::kShiftR); ++op) {
    const BinaryOp binary = static_cast<BinaryOp>(op);
    const bool is_bool = IsComparison(binary) || IsLogical(binary);
    EXPECT_EQ(is_bool, binary >= BinaryOp::kEq && binary <= BinaryOp::kXor);
    const auto type = [&](const Expr* lhs, const Expr* rhs) {
      return context_.NewBinary(binary, lhs, rhs)->type;
    };
    EXPECT_EQ(type(i, i), is_bool ? boolean : int32);
    EXPECT_EQ(type(i, two), is_bool ? boolean : int32);
    // A bare literal fits any type.
    EXPECT_EQ(type(two, i), is_bool ? boolean : int32);
    EXPECT_EQ(type(n_, i), is_bool ? boolean : index);
    EXPECT_EQ(type(two, two), is_bool ? boolean : index);
  }
}

TEST_F(ContextTest, NegativesOfConstantsAreConstants) {
  const auto negative = [this](const Expr* e) {
    return context_.NewUnary(UnaryOp::kNeg, e);
  };
  EXPECT_EQ(negative(context_.Index(5)), context_.Index(-5));
  EXPECT_EQ(negative(context_.Int(-5, DataType::kInt32)),
            context_.Int(5, DataType::kInt32));
  EXPECT_EQ(negative(context_.Float(0.0)), context_.Float(-0.0));
  // This one has no negative.
  const int64_t min = std::numeric_limits<int64_t>::min();
  EXPECT_TRUE(Isa<Unary>(negative(context_.Index(min))));
  EXPECT_TRUE(Isa<Unary>(negative(n_)));
  EXPECT_TRUE(
      Isa<Unary>(context_.NewUnary(UnaryOp::kBitNot, context_.Index(5))));
}

TEST_F(ContextTest, OtherExpressionsHaveTheirTypes) {
  EXPECT_EQ(context_.NewUnary(UnaryOp::kNot, n_)->type,
            context_.GetScalarType(DataType::kBool));
  EXPECT_EQ(context_.NewUnary(UnaryOp::kAbs, n_)->type, n_->type);
  EXPECT_EQ(context_.NewCast(n_, DataType::kFP16)->type,
            context_.GetScalarType(DataType::kFP16));
  const Tuple* tuple = context_.NewTuple({n_, ptr_});
  EXPECT_EQ(tuple->type, context_.GetTupleType({n_->type, ptr_->type}));
  EXPECT_EQ(context_.NewTupleItem(tuple, 1)->type, ptr_->type);
  const Expr* unknown =
      context_.NewVar("u", context_.GetMarkerType(TypeKind::kUnknown));
  EXPECT_EQ(context_.NewTupleItem(unknown, 7)->type, unknown->type);
}

TEST_F(ContextTest, CountsItsBytes) {
  const size_t before = context_.used_bytes();
  context_.NewVar("name", context_.IndexType());
  // The name is copied.
  EXPECT_EQ(context_.used_bytes(), before + sizeof(Var) + 4);
}

}  // namespace
}  // namespace mxtile::ir
