// The layouts that spaces imply; how types are made unique is in
// context_test.cc.

#include "ir/type.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/op_registry.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

class TypeTest : public ::testing::Test {
 protected:
  const Expr* Symbol() { return context_.NewVar("n", context_.IndexType()); }
  static std::string LayoutOf(Dims shape, std::optional<MemorySpace> space) {
    const TileView view = ImplicitTileView(shape, space);
    // What is no layout has its default everywhere.
    EXPECT_TRUE(view.valid_shape.empty());
    EXPECT_TRUE(view.stride.empty());
    EXPECT_EQ(view.start_offset, nullptr);
    EXPECT_EQ(view.pad, PadValue::kNull);
    EXPECT_EQ(view.compact, CompactMode::kNull);
    return absl::StrCat(EnumName(view.blayout), " ", EnumName(view.slayout),
                        " ", view.fractal);
  }

  OpRegistry registry_;
  Context context_{&registry_};
};

// pypto_ir section 3.
TEST_F(TypeTest, EverySpaceImpliesALayout) {
  struct Row {
    std::optional<MemorySpace> space;
    const char* layout;
    const char* column;  // Of a column vector [N, 1].
  };
  const Row kRows[] = {
      {std::nullopt, "row_major none_box 512", "col_major none_box 512"},
      {MemorySpace::kDDR, "row_major none_box 512", "col_major none_box 512"},
      {MemorySpace::kVec, "row_major none_box 512", "col_major none_box 512"},
      {MemorySpace::kMat, "col_major row_major 512", "col_major row_major 512"},
      {MemorySpace::kLeft, "col_major row_major 512",
       "col_major row_major 512"},
      {MemorySpace::kRight, "row_major col_major 512",
       "col_major col_major 512"},
      {MemorySpace::kAcc, "col_major row_major 1024",
       "col_major row_major 1024"},
      {MemorySpace::kBias, "row_major none_box 512", "col_major none_box 512"},
      {MemorySpace::kScalarLocal, "row_major none_box 512",
       "col_major none_box 512"},
      {MemorySpace::kLeftScale, "row_major row_major 32",
       "row_major row_major 32"},
      {MemorySpace::kRightScale, "col_major col_major 32",
       "col_major col_major 32"},
  };
  for (const Row& row : kRows) {
    const std::string name(row.space ? EnumName(*row.space) : "none");
    EXPECT_EQ(LayoutOf(context_.StaticDims({16, 8}), row.space), row.layout)
        << name;
    EXPECT_EQ(LayoutOf(context_.StaticDims({16, 1}), row.space), row.column)
        << name;
  }
}

TEST_F(TypeTest, OnlyA2DStaticShapeOfSeveralRowsIsAColumn) {
  const Expr* one = context_.Index(1);
  const Expr* sixteen = context_.Index(16);
  const std::vector<std::vector<const Expr*>> kShapes = {
      {},
      {one},
      {sixteen},
      {one, one},
      {one, sixteen},
      {sixteen, sixteen},
      {Symbol(), one},
      {sixteen, Symbol()},
      {sixteen, one, one},
      {one, sixteen, one},
  };
  for (const std::vector<const Expr*>& shape : kShapes) {
    EXPECT_EQ(LayoutOf(shape, MemorySpace::kVec), "row_major none_box 512");
  }
}

TEST_F(TypeTest, TheValidShapeDoesNotDecide) {
  TileType type;
  type.shape = context_.StaticDims({16, 8});
  type.space = MemorySpace::kVec;
  TileView view = ImplicitTileView(type.shape, type.space);
  view.valid_shape = context_.StaticDims({16, 1});
  type.view = &view;
  const TileType* tile = context_.GetTileType(type);
  EXPECT_EQ(tile->EffectiveView().blayout, TileLayout::kRowMajor);
  EXPECT_THAT(tile->EffectiveValidShape(),
              ElementsAre(context_.Index(16), context_.Index(1)));
}

TEST_F(TypeTest, TheEffectiveViewIsTheStoredOrTheImplicitOne) {
  TileType type;
  type.shape = context_.StaticDims({32, 4});
  type.space = MemorySpace::kMat;
  const TileType* plain = context_.GetTileType(type);
  EXPECT_EQ(plain->EffectiveView().fractal, 512);
  EXPECT_THAT(plain->EffectiveValidShape(),
              ElementsAre(context_.Index(32), context_.Index(4)));
  TileView view = ImplicitTileView(type.shape, type.space);
  view.fractal = 32;
  type.view = &view;
  const TileType* scale = context_.GetTileType(type);
  EXPECT_EQ(scale->EffectiveView().fractal, 32);
  EXPECT_THAT(scale->EffectiveValidShape(),
              ElementsAre(context_.Index(32), context_.Index(4)));
}

TEST_F(TypeTest, TensorsWithoutAViewAreND) {
  TensorType type;
  type.kind = TypeKind::kTensor;
  EXPECT_EQ(type.layout(), TensorLayout::kND);
  TensorView view;
  view.layout = TensorLayout::kMxAZZ;
  type.view = &view;
  EXPECT_EQ(type.layout(), TensorLayout::kMxAZZ);
}

TEST_F(TypeTest, CastsTellKindsApart) {
  TensorType tensor;
  tensor.kind = TypeKind::kTensor;
  TensorType distributed = tensor;
  distributed.kind = TypeKind::kDistributedTensor;
  const Type* as_type = &tensor;
  EXPECT_TRUE(Isa<TensorType>(as_type));
  EXPECT_FALSE(Isa<TileType>(as_type));
  EXPECT_EQ(DynCast<TileType>(as_type), nullptr);
  as_type = &distributed;
  EXPECT_TRUE(Isa<TensorType>(as_type));  // By kind they differ.
  EXPECT_NE(tensor.kind, distributed.kind);
  EXPECT_FALSE(Isa<TensorType>(static_cast<const Type*>(nullptr)));
}

TEST_F(TypeTest, MarkersHaveNames) {
  EXPECT_EQ(MarkerTypeName(TypeKind::kPtr), "pl.Ptr");
  EXPECT_EQ(MarkerTypeName(TypeKind::kCommCtx), "pld.CommCtxType");
  EXPECT_EQ(MarkerTypeName(TypeKind::kTile), "");
}

}  // namespace
}  // namespace mxtile::ir
