#include "tools/layout/layout_picture.h"

#include <cstdint>
#include <optional>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "layouts/index_map.h"
#include "tools/layout/layout_pair.h"
#include "tools/layout/picture_view.h"
#include "tools/layout/svg.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(SvgTest, NumbersHaveOneDecimalAtMost) {
  EXPECT_EQ(SvgNumber(12), "12");
  EXPECT_EQ(SvgNumber(12.04), "12");
  EXPECT_EQ(SvgNumber(12.36), "12.4");
  EXPECT_EQ(SvgNumber(-0.5), "-0.5");
  EXPECT_EQ(SvgNumber(-0.01), "0");
}

TEST(SvgTest, TextIsEscaped) {
  SvgCanvas svg("");
  svg.Text(1, 2, "a < b & c", "class='x'");
  EXPECT_THAT(svg.Finish(10, 10, "", "x > y", ""),
              AllOf(HasSubstr("<text x='1' y='2' class='x'>a &lt; b &amp; c<"),
                    HasSubstr("<title>x &gt; y</title>")));
}

// Each tag is closed, in order.
void ExpectWellFormed(const std::string& svg) {
  static const std::regex tag("<(/?)([a-zA-Z]+)[^<>]*?(/?)>");
  std::vector<std::string> open;
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), tag);
       it != std::sregex_iterator(); ++it) {
    const std::smatch& match = *it;
    if (match[1].length() > 0) {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), match[2].str());
      open.pop_back();
    } else if (match[3].length() == 0) {
      open.push_back(match[2].str());
    }
  }
  EXPECT_TRUE(open.empty());
}

// Of the theorem: 32 bytes of a box are two runs of 16 of DN, one of ZZ.
TEST(PictureViewTest, ABoxIsTwoRunsOfDNAndOneOfZZ) {
  const LayoutPair pair = Pair("dn", "zz", 128, 64);
  const PictureView view(pair, {3, 5});
  const auto dn = view.OrderIn(pair.from);
  ASSERT_EQ(dn.size(), 2);
  for (int64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(dn[0].at(i).row, 2);
    EXPECT_EQ(dn[0].at(i).col, i);
    EXPECT_EQ(dn[1].at(i).row, 3);
    EXPECT_EQ(dn[1].at(i).col, i);
  }
  const auto zz = view.OrderIn(pair.to);
  ASSERT_EQ(zz.size(), 1);
  ASSERT_EQ(zz[0].size(), 32);
  for (int64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(zz[0][i].row, i / 2);
    EXPECT_EQ(zz[0][i].col, 2 + i % 2);
  }
}

TEST(PictureViewTest, LargeMatricesAreShownInPart) {
  const LayoutPair pair = Pair("dn", "zz", 128, 64);
  const PictureView view(pair, {3, 5});
  EXPECT_TRUE(view.IsCropped(pair.from));
  EXPECT_EQ(view.from().rows.size(), 8);
  EXPECT_EQ(view.from().cols.size(), 32);
  EXPECT_EQ(view.to().rows.size(), 32);
  EXPECT_EQ(view.to().cols.size(), 8);
  const LayoutPair small = Pair("dn", "zz", 4, 32);
  EXPECT_FALSE(PictureView(small, {0, 0}).IsCropped(small.from));
  EXPECT_FALSE(PictureView(small, {0, 0}).IsCropped(small.to));
}

// The spare line below the last box is shown with it.
TEST(PictureViewTest, RowPlusOneShowsTheSpareLine) {
  for (const int64_t rows : {16, 32, 128, 200}) {
    const LayoutPair pair = Pair("nd", "nz-row-plus-one", rows, 64);
    const PictureView view(pair, TellingElement(pair));
    EXPECT_EQ(view.to().rows.end, pair.to.places.rows()) << rows;
    EXPECT_EQ(view.to().rows.end, (rows + 15) / 16 * 16 + 1);
  }
}

// All pairs of layouts, random shapes and elements: both windows hold the
// element and lie inside the layouts, and the picture is one.
TEST(LayoutPictureTest, EveryElementOfEveryPairIsInItsPicture) {
  constexpr uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  int pictures = 0;
  for (const std::string& from : LayoutNames()) {
    for (const std::string& to : LayoutNames()) {
      LayoutRequest request =
          Request(from, to, 2 * (1 + random() % 90), 2 * (1 + random() % 90));
      if (!CheckLayoutNames(request).ok()) continue;
      const LayoutPair pair = MakeLayoutPair(request).value();
      const IndexMap::Index element = {
          static_cast<int64_t>(random() % request.rows),
          static_cast<int64_t>(random() % request.cols)};
      SCOPED_TRACE(::testing::Message()
                   << from << " " << to << " " << request.rows << "x"
                   << request.cols << " " << element.row << "," << element.col);
      const PictureView view(pair, element);
      for (const PlacedLayout* side : {&pair.from, &pair.to}) {
        const PictureWindow& window = view.window(*side);
        EXPECT_TRUE(window.Contains(view.element(*side)));
        EXPECT_GE(window.rows.first, 0);
        EXPECT_GE(window.cols.first, 0);
        EXPECT_LE(window.rows.end, side->places.rows());
        EXPECT_LE(window.cols.end, side->places.cols());
      }
      const std::string svg = LayoutPicture(pair, element);
      ExpectWellFormed(svg);
      EXPECT_THAT(svg, Not(HasSubstr("nan")));
      EXPECT_EQ(svg.find("in part:") != std::string::npos,
                view.IsCropped(pair.from) || view.IsCropped(pair.to));
      EXPECT_EQ(svg, LayoutPicture(pair, element));
      ++pictures;
    }
  }
  EXPECT_EQ(pictures, 10 * 10 - 1 + 25);
}

TEST(LayoutPictureTest, TellsWhereTheElementGoes) {
  const LayoutPair pair = Pair("dn", "zz", 4, 32);
  // The default is (3, 5).
  const std::string svg = LayoutPicture(pair, std::nullopt);
  EXPECT_EQ(svg, LayoutPicture(pair, IndexMap::Index{3, 5}));
  EXPECT_THAT(svg, HasSubstr("element (3, 5) of DN is element (5, 3) of ZZ"));
  EXPECT_THAT(svg, HasSubstr("DN  byte 101, in row 3 at byte 5"));
  EXPECT_THAT(svg, HasSubstr("ZZ  byte 43, in box 1 at byte 11"));
  EXPECT_THAT(svg, HasSubstr("64*(n/16) + 32*(g/2) + 2*(n%16) + g%2"));
  EXPECT_THAT(svg, Not(HasSubstr("in part:")));
}

TEST(LayoutPictureTest, TheSmallestMatrix) {
  ExpectWellFormed(LayoutPicture(Pair("nd", "nd", 1, 1), std::nullopt));
  ExpectWellFormed(LayoutPicture(Pair("nd", "l0c", 1, 1), std::nullopt));
}

}  // namespace
}  // namespace mxtile
