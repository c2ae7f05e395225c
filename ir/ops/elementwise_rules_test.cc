#include "ir/ops/elementwise_rules.h"

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/ops/op_test_util.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAreArray;
using ::testing::Eq;
using ::testing::Optional;

TEST(PromotedTypeTest, FloatThenWidthThenSign) {
  EXPECT_EQ(PromotedType(DataType::kInt32, DataType::kFP16), DataType::kFP16);
  EXPECT_EQ(PromotedType(DataType::kFP16, DataType::kInt32), DataType::kFP16);
  EXPECT_EQ(PromotedType(DataType::kFP16, DataType::kFP32), DataType::kFP32);
  EXPECT_EQ(PromotedType(DataType::kInt8, DataType::kInt16), DataType::kInt16);
  EXPECT_EQ(PromotedType(DataType::kUInt16, DataType::kInt16),
            DataType::kInt16);
  EXPECT_EQ(PromotedType(DataType::kInt16, DataType::kUInt16),
            DataType::kInt16);
  EXPECT_EQ(PromotedType(DataType::kBF16, DataType::kFP16), DataType::kBF16);
  EXPECT_EQ(PromotedType(DataType::kFP16, DataType::kBF16), DataType::kFP16);
}

TEST(ScalarOperandTypeTest, OnlyABareIntegerTakesTheElementsType) {
  OpTester t;
  Context& c = t.context();
  EXPECT_EQ(ScalarOperandType(*c.Index(2), DataType::kFP16), DataType::kFP16);
  EXPECT_EQ(ScalarOperandType(*c.Int(2, DataType::kInt32), DataType::kFP16),
            DataType::kInt32);
  EXPECT_EQ(ScalarOperandType(*c.Float(2.5), DataType::kFP16), DataType::kFP32);
  EXPECT_EQ(ScalarOperandType(*t.Dim(kSymbolic), DataType::kFP16),
            DataType::kIndex);
}

class ShapeTest : public ::testing::Test {
 protected:
  std::optional<std::vector<const Expr*>> Broadcast(const Ints& a,
                                                    const Ints& b) {
    return BroadcastShape(t_.Shape(a), t_.Shape(b), t_.context());
  }
  auto Is(const Ints& dims) { return ElementsAreArray(t_.Shape(dims)); }

  OpTester t_;
};

TEST_F(ShapeTest, BroadcastsFromTheLastDimOn) {
  EXPECT_THAT(Broadcast({8, 1}, {1, 64}), Optional(Is({8, 64})));
  EXPECT_THAT(Broadcast({64}, {2, 8, 64}), Optional(Is({2, 8, 64})));
  EXPECT_THAT(Broadcast({2, 8, 64}, {}), Optional(Is({2, 8, 64})));
  EXPECT_THAT(Broadcast({8, 64}, {8, 32}), Eq(std::nullopt));
  EXPECT_THAT(Broadcast({8, 64}, {4, 64}), Eq(std::nullopt));
}

TEST_F(ShapeTest, BroadcastOfSymbolicDims) {
  EXPECT_THAT(Broadcast({kSymbolic, 64}, {1, 64}),
              Optional(Is({kSymbolic, 64})));
  EXPECT_THAT(Broadcast({kSymbolic}, {kSymbolic}), Optional(Is({kSymbolic})));
  EXPECT_THAT(Broadcast({kSymbolic}, {64}), Optional(Is({64})));
  EXPECT_THAT(Broadcast({64}, {kSymbolic}), Optional(Is({64})));
}

TEST_F(ShapeTest, SameDims) {
  Context& c = t_.context();
  EXPECT_TRUE(
      HaveSameDims(t_.Shape({kSymbolic, 8}), t_.Shape({kSymbolic, 8}), c));
  EXPECT_FALSE(HaveSameDims(t_.Shape({8}), t_.Shape({8, 8}), c));
  EXPECT_FALSE(HaveSameDims(t_.Shape({8}), t_.Shape({9}), c));
  EXPECT_TRUE(IsSameDim(c.Int(8, DataType::kInt64), c.Index(8), c));
}

TEST_F(ShapeTest, Reduced) {
  Context& c = t_.context();
  EXPECT_THAT(ReducedShape(t_.Shape({2, 8, 64}), 1, true, c), Is({2, 1, 64}));
  EXPECT_THAT(ReducedShape(t_.Shape({2, 8, 64}), 1, false, c), Is({2, 64}));
}

TEST(NormalizedAxisTest, CountsFromBehind) {
  EXPECT_THAT(NormalizedAxis(-1, 3), Optional(2));
  EXPECT_THAT(NormalizedAxis(-3, 3), Optional(0));
  EXPECT_THAT(NormalizedAxis(2, 3), Optional(2));
  EXPECT_EQ(NormalizedAxis(3, 3), std::nullopt);
  EXPECT_EQ(NormalizedAxis(-4, 3), std::nullopt);
}

}  // namespace
}  // namespace mxtile::ir
