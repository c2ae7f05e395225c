#include "tools/layout/layout_pair.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "layouts/index_map.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nz/nz_layout.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

LayoutRequest Request(const std::string& from, const std::string& to,
                      int64_t rows, int64_t cols) {
  LayoutRequest request;
  request.from = from;
  request.to = to;
  request.rows = rows;
  request.cols = cols;
  return request;
}

LayoutPair Pair(const std::string& from, const std::string& to, int64_t rows,
                int64_t cols) {
  return MakeLayoutPair(Request(from, to, rows, cols)).value();
}

// Of every two layouts that go together, one shape, dense and with pitches.
std::vector<LayoutPair> AllPairs() {
  std::vector<LayoutPair> pairs;
  for (const std::string& from : LayoutNames()) {
    for (const std::string& to : LayoutNames()) {
      LayoutRequest request = Request(from, to, 34, 38);
      if (!CheckLayoutNames(request).ok()) continue;
      pairs.push_back(MakeLayoutPair(request).value());
      if (from == "nz-row-plus-one" || to == "nz-row-plus-one") continue;
      const bool scales = pairs.back().scales;
      request.from_pitch = scales ? 640 : 160;
      request.to_pitch = scales ? 1280 : 320;
      pairs.push_back(MakeLayoutPair(request).value());
    }
  }
  return pairs;
}

TEST(LayoutPairTest, ExampleOfTheHeader) {
  const LayoutPair pair = Pair("dn", "zz", 4, 32);
  EXPECT_TRUE(pair.scales);
  EXPECT_TRUE(pair.transposed);
  EXPECT_EQ(pair.to.map.rows(), 32);
  EXPECT_EQ(pair.to.map.cols(), 4);
  const IndexMap::Index index = pair.ToIndex({1, 0});
  EXPECT_EQ(pair.to.map.Offset(index.row, index.col), 1);
  EXPECT_EQ(pair.conversion().Destination(32), 1);
}

TEST(LayoutPairTest, NamesMakeTheirLayouts) {
  const std::pair<std::string, ScaleOrder> scales[] = {
      {"dn", ScaleOrder::kDN},         {"zz", ScaleOrder::kZZ},
      {"nn", ScaleOrder::kNN},         {"mx-a-zz", ScaleOrder::kZZ},
      {"mx-b-nn", ScaleOrder::kNN},    {"mx-a-nd", ScaleOrder::kMxAND},
      {"mx-a-dn", ScaleOrder::kMxADN}, {"mx-b-nd", ScaleOrder::kMxBND},
      {"mx-b-dn", ScaleOrder::kMxBDN}};
  for (const auto& [name, order] : scales) {
    const LayoutPair pair = Pair("nd", name, 18, 6);
    EXPECT_EQ(pair.to.name, Name(order));
    EXPECT_EQ(pair.transposed, GroupsAreRows(order)) << name;
    const ScaleLayout layout =
        ScaleLayout::Create(order, pair.transposed ? 6 : 18,
                            pair.transposed ? 18 : 6)
            .value();
    EXPECT_EQ(pair.to.size_bytes(), layout.size_bytes()) << name;
    EXPECT_EQ(pair.to.pitch, layout.pitch_bytes()) << name;
    for (int64_t row = 0; row < layout.rows(); ++row) {
      for (int64_t col = 0; col < layout.cols(); ++col) {
        ASSERT_EQ(pair.to.map.Offset(row, col), layout.Offset(row, col));
      }
    }
  }
  const std::pair<std::string, NzOrder> data[] = {
      {"nz", NzOrder::kNZ}, {"zn", NzOrder::kZN}, {"l0c", NzOrder::kL0C}};
  for (const auto& [name, order] : data) {
    LayoutRequest request = Request("nd", name, 18, 70);
    request.element_bits = 32;
    const LayoutPair pair = MakeLayoutPair(request).value();
    const NzLayout layout = NzLayout::Create(order, 18, 70, 32).value();
    EXPECT_EQ(pair.to.name, Name(order));
    EXPECT_EQ(pair.to.size_bytes(), layout.size_bytes());
    EXPECT_EQ(pair.to.map.Offset(17, 69), layout.Offset(17, 69));
  }
  EXPECT_EQ(Pair("nd", "nz-row-plus-one", 16, 64).to.size_bytes(), 17 * 64);
}

// nd is scales beside scales; L0C takes elements of 32 bits by itself.
TEST(LayoutPairTest, WhatIsLeftOutFollowsFromTheOtherLayout) {
  EXPECT_TRUE(Pair("nd", "zz", 4, 4).scales);
  EXPECT_FALSE(Pair("nd", "nz", 4, 4).scales);
  EXPECT_FALSE(Pair("nd", "nd", 4, 4).scales);
  EXPECT_EQ(Pair("nd", "nz", 4, 4).from.element_bits, 8);
  EXPECT_EQ(Pair("l0c", "nd", 4, 4).to.element_bits, 32);
}

TEST(LayoutPairTest, EveryPlaceHasAnIndex) {
  int pairs = 0;
  for (const LayoutPair& pair : AllPairs()) {
    ++pairs;
    for (const PlacedLayout* side : {&pair.from, &pair.to}) {
      SCOPED_TRACE(side->name);
      ASSERT_EQ(side->places.size(), side->map.size());
      ASSERT_EQ(side->places.rows() * side->places.cols(), side->map.size());
      for (int64_t row = 0; row < side->map.rows(); ++row) {
        ASSERT_EQ(side->places.RowOffset(row), side->map.RowOffset(row));
      }
      for (int64_t col = 0; col < side->map.cols(); ++col) {
        ASSERT_EQ(side->places.ColOffset(col), side->map.ColOffset(col));
      }
      EXPECT_EQ(side->padding_elements(), side->map.size() - 34 * 38);
    }
  }
  // 10 names of scales but nd with itself, 5 of data; all but those of row plus
  // one also with pitches.
  EXPECT_EQ(pairs, 2 * (10 * 10 - 1) + 25 + 16);
}

// Walking memory, one block ends before the next begins; inside of one,
// positions count up from 0.
TEST(LayoutPairTest, BlocksFollowEachOtherInMemory) {
  for (const LayoutPair& pair : AllPairs()) {
    const PlacedLayout& side = pair.to;
    SCOPED_TRACE(side.name);
    int64_t block = -1, position = 0;
    for (int64_t offset = 0; offset < side.map.size(); ++offset) {
      const auto index = side.places.IndexAt(offset);
      ASSERT_TRUE(index.has_value());
      const std::optional<int64_t> here = side.BlockOf(*index);
      if (!here.has_value()) continue;  // A spare line.
      position = *here == block ? position + 1 : 0;
      ASSERT_GE(*here, block);
      ASSERT_LE(*here, block + 1);
      block = *here;
      ASSERT_EQ(side.PositionInBlock(*index), position);
      if (position == 0) {
        const IndexMap::Index start = side.StartOfBlock(block);
        ASSERT_EQ(side.places.Offset(start.row, start.col), offset);
      }
    }
    EXPECT_EQ(block + 1, side.blocks_down() * side.blocks_right());
  }
}

TEST(LayoutPairTest, BytesFollowTheirElements) {
  for (const LayoutPair& pair : AllPairs()) {
    if (pair.from.element_bits != 8) continue;
    std::string bytes(pair.from.size_bytes(), '\xEE');
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(i * 7 + i / 256);
    }
    MX_ASSERT_OK_AND_ASSIGN(const std::string converted,
                            ConvertBytes(pair, bytes));
    std::string expected(pair.to.size_bytes(), '\0');
    for (int64_t row = 0; row < pair.from.map.rows(); ++row) {
      for (int64_t col = 0; col < pair.from.map.cols(); ++col) {
        const IndexMap::Index to = pair.ToIndex({row, col});
        expected[pair.to.map.Offset(to.row, to.col)] =
            bytes[pair.from.map.Offset(row, col)];
      }
    }
    ASSERT_TRUE(converted == expected) << pair.from.name << pair.to.name;
  }
}

TEST(LayoutPairTest, SizesOfFilesAreChecked) {
  const LayoutPair pair = Pair("dn", "zz", 4, 32);
  EXPECT_THAT(ConvertBytes(pair, std::string(127, 'x')),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("takes 128 bytes"),
                             HasSubstr("127 are given (MX-CONVERT-2)"))));
}

TEST(LayoutPairTest, NamesAreSpelledAsOneLikes) {
  EXPECT_EQ(NormalizedLayoutName("MX_B_ND"), "mx-b-nd");
  EXPECT_EQ(NormalizedLayoutName("zz"), "zz");
}

absl::Status Refusal(const LayoutRequest& request) {
  const absl::Status status = CheckLayoutNames(request);
  EXPECT_EQ(MakeLayoutPair(request).status(), status);
  return status;
}

TEST(LayoutPairTest, ScalesAndDataDoNotMix) {
  const auto refused = StatusIs(
      absl::StatusCode::kInvalidArgument,
      AllOf(HasSubstr("--from dn --to nz: scales do not become data"),
            HasSubstr("scales are nd, dn, zz, nn, mx-a-zz, mx-b-nn, mx-a-nd, "
                      "mx-a-dn, mx-b-nd, mx-b-dn"),
            HasSubstr("data are nd, nz, nz-row-plus-one, zn, l0c")));
  EXPECT_THAT(Refusal(Request("dn", "nz", 4, 4)), refused);
  EXPECT_THAT(Refusal(Request("l0c", "zz", 4, 4)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--from l0c --to zz")));
  EXPECT_THAT(Refusal(Request("nd", "zx", 4, 4)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("there is no layout 'zx'; there are nd, dn")));
}

TEST(LayoutPairTest, OptionsFitTheirLayouts) {
  LayoutRequest request = Request("dn", "zz", 4, 4);
  request.element_bits = 16;
  EXPECT_THAT(Refusal(request),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--element-bits 16: scales have 8 bits")));
  request = Request("nd", "nz-row-plus-one", 4, 4);
  request.to_pitch = 17;
  EXPECT_THAT(Refusal(request),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("nz-row-plus-one has its own pitch")));
}

// The rules of the layouts are theirs.
TEST(LayoutPairTest, ShapesAreCheckedByTheLayouts) {
  const auto error = [](LayoutRequest request) {
    return std::string(MakeLayoutPair(request).status().message());
  };
  EXPECT_THAT(error(Request("dn", "zz", 3, 32)), HasSubstr("MX-SCALE-2"));
  EXPECT_THAT(error(Request("dn", "zz", 0, 32)), HasSubstr("MX-SCALE-1"));
  EXPECT_THAT(error(Request("nd", "nz", 0, 32)), HasSubstr("MX-ND-1"));
  LayoutRequest request = Request("nz", "nd", 4, 32);
  request.element_bits = 12;
  EXPECT_THAT(error(request), HasSubstr("NZ-LAYOUT-2"));
  request = Request("nd", "zz", 4, 32);
  request.from_pitch = 31;
  EXPECT_THAT(error(request), HasSubstr("MX-SCALE-3"));
}

}  // namespace
}  // namespace mxtile
