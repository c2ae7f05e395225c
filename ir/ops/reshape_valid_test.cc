#include "ir/ops/reshape_valid.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/ops/op_test_util.h"
#include "ir/ops/shape_rules.h"

namespace mxtile::ir {
namespace {

class ReshapedValidTest : public ::testing::Test {
 protected:
  // "[8, 64]", or "unknown".
  std::string Valid(const Ints& shape, const Ints& valid,
                    const Ints& new_shape) {
    const auto result = ReshapedValid(
        {t_.Shape(shape), t_.Shape(valid), t_.Shape(new_shape)}, t_.context());
    return result.has_value() ? ShapeText(*result) : "unknown";
  }

  OpTester t_;
};

TEST_F(ReshapedValidTest, AllStaysAll) {
  EXPECT_EQ(Valid({16, 64}, {16, 64}, {1, 1024}), "[1, 1024]");
  EXPECT_EQ(Valid({kSymbolic, 4}, {kSymbolic, 4}, {4, kSymbolic}), "[4, n]");
}

TEST_F(ReshapedValidTest, NothingStaysNothing) {
  EXPECT_EQ(Valid({16, 64}, {0, 64}, {4, 256}), "[0, 0]");
}

TEST_F(ReshapedValidTest, UnitDimsComeAndGo) {
  EXPECT_EQ(Valid({1, 16, 64}, {1, kSymbolic, 64}, {16, 64}), "[n, 64]");
  EXPECT_EQ(Valid({16, 64}, {9, 40}, {16, 1, 64, 1}), "[9, 1, 40, 1]");
}

TEST_F(ReshapedValidTest, APrefixOfTheElementsStaysOne) {
  EXPECT_EQ(Valid({16, 64}, {8, 64}, {4, 256}), "[2, 256]");
  EXPECT_EQ(Valid({1, 1024}, {1, 256}, {16, 64}), "[4, 64]");
  EXPECT_EQ(Valid({16, 64}, {1, 32}, {32, 32}), "[1, 32]");
}

TEST_F(ReshapedValidTest, WhatIsNoRectangleIsUnknown) {
  EXPECT_EQ(Valid({16, 64}, {16, 40}, {4, 256}), "unknown");
  EXPECT_EQ(Valid({1, 1024}, {1, 100}, {16, 64}), "unknown");
  EXPECT_EQ(Valid({16, 64}, {kSymbolic, 64}, {4, 256}), "unknown");
}

}  // namespace
}  // namespace mxtile::ir
