#include "exec/window.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/rule_error.h"

namespace mxtile::exec {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(IntegersTest, OfATuple) {
  EXPECT_THAT(Integers(Value(std::vector<Value>())), IsEmpty());
  EXPECT_THAT(
      Integers(Value(std::vector<Value>{Value(int64_t{3}), Value(kMin)})),
      ElementsAre(3, kMin));
}

TEST(CheckWindowTest, LiesInsideOrBreaksMX_REF_2) {
  const struct {
    std::vector<int64_t> shape;
    std::vector<int64_t> offsets;
    std::vector<int64_t> sizes;
    bool inside;
  } kCases[] = {
      {{}, {}, {}, true},
      {{8}, {0}, {8}, true},
      {{8}, {8}, {0}, true},
      {{8}, {9}, {0}, false},
      {{8}, {1}, {8}, false},
      {{8}, {-1}, {1}, false},
      {{8}, {0}, {-1}, false},
      {{8, 4}, {6, 3}, {2, 1}, true},
      {{8, 4}, {6, 3}, {2, 2}, false},
      {{8, 4}, {7, 0}, {2, 4}, false},
      // Ranks differ.
      {{8, 4}, {0}, {8}, false},
      {{8, 4}, {0, 0}, {8}, false},
      {{8, 4}, {0, 0, 0}, {1, 1, 1}, false},
      // Sums do not fit 64 bits.
      {{8}, {kMax}, {kMax}, false},
      {{8}, {kMax}, {1}, false},
      {{8}, {1}, {kMax}, false},
      {{8}, {kMin}, {1}, false},
      {{kMax}, {kMax - 1}, {1}, true},
      {{kMax}, {1}, {kMax}, false},
  };
  for (size_t i = 0; i < std::size(kCases); ++i) {
    const auto& c = kCases[i];
    const absl::Status status =
        CheckWindow("tile.load", c.shape, c.offsets, c.sizes);
    EXPECT_EQ(status.ok(), c.inside) << "case " << i << ": " << status;
    if (!c.inside) {
      EXPECT_EQ(ir::RuleOf(status), "MX-REF-2") << "case " << i;
    }
  }
}

TEST(CheckWindowTest, MessageNamesAllThree) {
  EXPECT_EQ(CheckWindow("tile.store", {8, 4}, {6, 3}, {2, 2}).message(),
            "tile.store: window [2, 2] at [6, 3] leaves the tensor [8, 4]");
}

TEST(CheckExtentsTest, NotNegativeNorHuge) {
  const struct {
    std::vector<int64_t> sizes;
    bool held;
  } kCases[] = {
      {{}, true},
      {{0, 5}, true},
      {{1 << 16, 1 << 16}, true},
      {{1 << 16, (1 << 16) + 1}, false},
      {{-1}, false},
      {{-1, -1}, false},
      {{0, -1}, false},
      {{kMax, kMax}, false},
      {{kMin, kMin}, false},
  };
  for (size_t i = 0; i < std::size(kCases); ++i) {
    const absl::Status status = CheckExtents("tile.create", kCases[i].sizes);
    EXPECT_EQ(status.ok(), kCases[i].held) << "case " << i;
    if (!kCases[i].held) {
      EXPECT_EQ(ir::RuleOf(status), "MX-REF-2") << "case " << i;
    }
  }
}

TEST(StoreAddsTest, ByNameAndNumber) {
  const struct {
    std::vector<ir::Attr> kwargs;
    bool adds;
  } kCases[] = {
      {{}, false},
      {{{"atomic", ir::AttrValue::Enum("AtomicType", "None_")}}, false},
      {{{"atomic", ir::AttrValue::Enum("AtomicType", "Add")}}, true},
      {{{"atomic", ir::AttrValue::Int(0)}}, false},
      {{{"atomic", ir::AttrValue::Int(1)}}, true},
  };
  for (size_t i = 0; i < std::size(kCases); ++i) {
    ir::Call store;
    store.kwargs = kCases[i].kwargs;
    EXPECT_EQ(StoreAdds(store), kCases[i].adds) << "case " << i;
  }
}

TEST(FoldedExtentTest, LeadingAxesAreRows) {
  const struct {
    std::vector<int64_t> sizes;
    int64_t rows;
    int64_t cols;
  } kCases[] = {
      {{}, 1, 1},        {{5}, 1, 5},           {{3, 5}, 3, 5},
      {{2, 3, 5}, 6, 5}, {{2, 2, 3, 5}, 12, 5}, {{0, 3, 5}, 0, 5},
  };
  for (const auto& c : kCases) {
    const TileExtent extent = FoldedExtent(c.sizes);
    EXPECT_EQ(extent.rows, c.rows);
    EXPECT_EQ(extent.cols, c.cols);
  }
}

}  // namespace
}  // namespace mxtile::exec
