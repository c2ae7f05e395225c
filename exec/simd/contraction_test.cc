#include "exec/simd/contraction.h"

#include <utility>
#include <vector>

#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::ElementsAre;

// Dimensions of distinct extents, and one contraction over tiles of zeros.
class ContractionTest : public ::testing::Test {
 protected:
  ContractionTest()
      : b_("contraction", 1),
        m_(b_.AddDim("m", 3)),
        n_(b_.AddDim("n", 5)),
        k_(b_.AddDim("k", 7)),
        j_(b_.AddDim("j", 2)),
        one_(b_.AddDim("one", 1)),
        unit_(b_.AddDim("unit", 1)) {}

  ValueId Tile(const Space& space, ElementType type = ElementType::kF32) {
    const ValueId zero = b_.Constant(0);
    return b_.Broadcast(type == ElementType::kF32 ? zero : b_.Cast(zero, type),
                        space);
  }

  Contraction Of(ValueId lhs, ValueId rhs, ValueId seed,
                 bool reassociate = false) {
    b_.Contract(lhs, rhs, seed, kNoValue, reassociate);
    program_ = *std::move(b_).Finish();
    return TypedContraction(program_, program_.ops.back());
  }

  TileProgramBuilder b_;
  TileProgram program_;
  const DimId m_, n_, k_, j_, one_, unit_;
};

TEST_F(ContractionTest, RowMajorProduct) {
  const ValueId lhs = Tile({m_, k_});
  const ValueId rhs = Tile({k_, n_}, ElementType::kBF16);
  const ValueId seed = Tile({m_, n_});
  const Contraction mma = Of(lhs, rhs, seed);
  EXPECT_EQ(mma.lhs.value, lhs);
  EXPECT_EQ(mma.rhs.value, rhs);
  EXPECT_EQ(mma.seed, seed);
  EXPECT_EQ(mma.lhs.type, ElementType::kF32);
  EXPECT_EQ(mma.rhs.type, ElementType::kBF16);
  EXPECT_THAT(mma.output, ElementsAre(m_, n_));
  EXPECT_THAT(mma.contracted, ElementsAre(k_));
  EXPECT_EQ(mma.terms, 7);
  EXPECT_EQ(mma.column, n_);
  EXPECT_EQ(mma.row, m_);
  EXPECT_FALSE(mma.lhs.has_column);
  EXPECT_EQ(mma.lhs.stride, 0);
  EXPECT_TRUE(mma.rhs.has_column);
  EXPECT_EQ(mma.rhs.stride, 1);
  EXPECT_FALSE(mma.is_mx);
  EXPECT_FALSE(mma.reassociate);
}

TEST_F(ContractionTest, SwappedOperandsKeepTheirSides) {
  const Contraction mma =
      Of(Tile({k_, n_}), Tile({m_, k_}), Tile({m_, n_}), /*reassociate=*/true);
  EXPECT_EQ(mma.lhs.stride, 1);
  EXPECT_FALSE(mma.rhs.has_column);
  EXPECT_TRUE(mma.reassociate);
}

TEST_F(ContractionTest, TransposedOperandHasAStride) {
  const Contraction mma = Of(Tile({m_, k_}), Tile({n_, k_}), Tile({m_, n_}));
  EXPECT_EQ(mma.rhs.stride, 7);
}

TEST_F(ContractionTest, UnitDimensionsAreNeitherColumnsNorStrides) {
  const Contraction mma =
      Of(Tile({m_, k_}), Tile({k_, n_, one_}), Tile({m_, unit_, n_, one_}));
  EXPECT_EQ(mma.column, n_);
  EXPECT_EQ(mma.row, m_);
  EXPECT_EQ(mma.rhs.stride, 1);
}

TEST_F(ContractionTest, OneRowAndOneElement) {
  const Contraction row = Of(Tile({k_}), Tile({k_, n_}), Tile({n_, one_}));
  EXPECT_EQ(row.column, n_);
  EXPECT_EQ(row.row, kNoDim);
}

TEST_F(ContractionTest, ScalarOutputHasNoColumn) {
  const Contraction mma = Of(Tile({k_}), Tile({k_}), Tile({one_}));
  EXPECT_EQ(mma.column, kNoDim);
  EXPECT_EQ(mma.row, kNoDim);
  EXPECT_FALSE(mma.lhs.has_column);
}

// The left operand's order, whatever the right one's is.
TEST_F(ContractionTest, ContributionsAreInTheOrderOfTheLeftOperand) {
  const Contraction mma =
      Of(Tile({j_, m_, k_}), Tile({k_, n_, j_}), Tile({m_, n_}));
  EXPECT_THAT(mma.contracted, ElementsAre(j_, k_));
  EXPECT_EQ(mma.terms, 14);
  EXPECT_EQ(mma.rhs.stride, 2);
}

TEST_F(ContractionTest, BatchColumnIsInBothOperands) {
  const Contraction mma =
      Of(Tile({k_, m_, j_}), Tile({k_, n_, j_}), Tile({m_, n_, j_}));
  EXPECT_EQ(mma.column, j_);
  EXPECT_EQ(mma.row, n_);
  EXPECT_EQ(mma.lhs.stride, 1);
  EXPECT_EQ(mma.rhs.stride, 1);
}

TEST_F(ContractionTest, EmptyDimensionsHaveNoTermsOrColumns) {
  const DimId none = b_.AddDim("none", 0);
  const Contraction mma =
      Of(Tile({m_, none}), Tile({none, n_}), Tile({m_, n_}));
  EXPECT_EQ(mma.terms, 0);
  EXPECT_EQ(mma.column, n_);
}

TEST(MxContractionTest, OperandsAreTheCodesAndGroupsAreNotContracted) {
  TileProgramBuilder b("mx", 1);
  const DimId m = b.AddDim("m", 3);
  const DimId n = b.AddDim("n", 5);
  const DimId k = b.AddDim("k", 64);
  const DimId g = b.AddDim("g", 2);
  const auto load = [&](ElementType type, const Space& space, int buffer) {
    std::vector<int64_t> shape;
    for (const DimId dim : space) shape.push_back(b.program().Extent(dim));
    return b.Load(b.AddView({"x", type, shape, buffer}),
                  {std::vector<ValueId>(space.size(), b.Index(0)), space});
  };
  const ValueId lhs = load(ElementType::kF8E4M3FN, {m, k}, 0);
  const ValueId lhs_scale = load(ElementType::kF8E8M0FNU, {m, g}, 1);
  const ValueId rhs = load(ElementType::kF8E5M2, {k, n}, 2);
  const ValueId rhs_scale = load(ElementType::kF8E8M0FNU, {g, n}, 3);
  const ValueId seed = b.Broadcast(b.Constant(0), {m, n});
  b.MxContract(lhs, lhs_scale, rhs, rhs_scale, seed);
  const TileProgram program = *std::move(b).Finish();
  const Contraction mma = TypedContraction(program, program.ops.back());
  EXPECT_TRUE(mma.is_mx);
  EXPECT_EQ(mma.lhs.value, lhs);
  EXPECT_EQ(mma.rhs.value, rhs);
  EXPECT_EQ(mma.seed, seed);
  EXPECT_EQ(mma.lhs.type, ElementType::kF8E4M3FN);
  EXPECT_THAT(mma.contracted, ElementsAre(k));
  EXPECT_EQ(mma.terms, 64);
  EXPECT_EQ(mma.column, n);
  EXPECT_EQ(mma.rhs.stride, 1);
}

}  // namespace
}  // namespace mxtile::exec::simd
