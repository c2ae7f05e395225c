#include "passes/allocate_addresses/tile_bytes.h"

#include <cstdint>
#include <vector>

#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/rule_error.h"
#include "ir/type.h"

namespace mxtile {
namespace {

using ir::DataType;
using ir::MemorySpace;

class TileBytesTest : public ::testing::Test {
 protected:
  TileBytesTest() : context_(&registry_) {}

  absl::StatusOr<int64_t> Bytes(const std::vector<int64_t>& shape,
                                DataType dtype, MemorySpace space) {
    ir::TileType tile;
    tile.shape = context_.StaticDims(shape);
    tile.dtype = dtype;
    tile.space = space;
    return TileBytes(*context_.GetTileType(tile));
  }

  ir::OpRegistry registry_;
  ir::Context context_;
};

TEST_F(TileBytesTest, FlatTilesTakeTheirElements) {
  EXPECT_THAT(Bytes({16, 64}, DataType::kFP16, MemorySpace::kVec),
              IsOkAndHolds(2048));
  EXPECT_THAT(Bytes({3, 5}, DataType::kFP32, MemorySpace::kVec),
              IsOkAndHolds(60));
  EXPECT_THAT(Bytes({128, 64}, DataType::kFP4, MemorySpace::kVec),
              IsOkAndHolds(4096));
  EXPECT_THAT(Bytes({7}, DataType::kInt8, MemorySpace::kVec), IsOkAndHolds(7));
  EXPECT_THAT(Bytes({1, 32}, DataType::kFP32, MemorySpace::kBias),
              IsOkAndHolds(128));
  EXPECT_THAT(Bytes({2, 3, 4}, DataType::kInt8, MemorySpace::kVec),
              IsOkAndHolds(24));
}

TEST_F(TileBytesTest, DataFractals) {
  for (const MemorySpace space : {MemorySpace::kMat, MemorySpace::kLeft}) {
    EXPECT_THAT(Bytes({16, 64}, DataType::kFP8E4M3FN, space),
                IsOkAndHolds(1024));
    // 17 rows are 2 blocks of 16, 33 columns 2 of 32.
    EXPECT_THAT(Bytes({17, 33}, DataType::kFP8E4M3FN, space),
                IsOkAndHolds(2048));
    EXPECT_THAT(Bytes({16, 64}, DataType::kFP4, space), IsOkAndHolds(512));
    EXPECT_THAT(Bytes({16, 16}, DataType::kBF16, space), IsOkAndHolds(512));
  }
  // Right: boxes of 32 rows by 16 columns.
  EXPECT_THAT(Bytes({64, 32}, DataType::kFP8E4M3FN, MemorySpace::kRight),
              IsOkAndHolds(2048));
  EXPECT_THAT(Bytes({33, 17}, DataType::kFP8E4M3FN, MemorySpace::kRight),
              IsOkAndHolds(2048));
}

TEST_F(TileBytesTest, ScaleBoxes) {
  EXPECT_THAT(Bytes({16, 2}, DataType::kFP8E8M0, MemorySpace::kLeftScale),
              IsOkAndHolds(32));
  EXPECT_THAT(Bytes({17, 3}, DataType::kFP8E8M0, MemorySpace::kLeftScale),
              IsOkAndHolds(128));
  EXPECT_THAT(Bytes({2, 64}, DataType::kFP8E8M0, MemorySpace::kRightScale),
              IsOkAndHolds(128));
}

TEST_F(TileBytesTest, AccHoldsFourBytesAnElement) {
  EXPECT_THAT(Bytes({16, 32}, DataType::kFP32, MemorySpace::kAcc),
              IsOkAndHolds(2048));
  EXPECT_THAT(Bytes({1, 1}, DataType::kFP32, MemorySpace::kAcc),
              IsOkAndHolds(1024));
  EXPECT_THAT(Bytes({16, 32}, DataType::kFP16, MemorySpace::kAcc),
              IsOkAndHolds(2048));
}

TEST_F(TileBytesTest, SizesAreCapped) {
  const int64_t big = int64_t{1} << 62;
  EXPECT_THAT(Bytes({big, big}, DataType::kFP32, MemorySpace::kVec),
              IsOkAndHolds(kMaxTileBytes));
  EXPECT_THAT(Bytes({big, big}, DataType::kFP32, MemorySpace::kMat),
              IsOkAndHolds(kMaxTileBytes));
}

TEST_F(TileBytesTest, SymbolicShapesHaveNoSize) {
  const ir::Expr* shape[] = {context_.NewVar("n", context_.IndexType()),
                             context_.Index(16)};
  ir::TileType tile;
  tile.shape = shape;
  tile.space = MemorySpace::kVec;
  const absl::StatusOr<int64_t> bytes = TileBytes(*context_.GetTileType(tile));
  EXPECT_EQ(ir::RuleOf(bytes.status()), "MX-ADDR-1");
}

}  // namespace
}  // namespace mxtile
