#include "tools/layout/layout_text.h"

#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "layouts/index_map.h"
#include "nlohmann/json.hpp"
#include "tools/layout/layout_pair.h"

namespace mxtile {
namespace {

LayoutPair Pair(const std::string& from, const std::string& to, int64_t rows,
                int64_t cols, std::optional<int> element_bits = std::nullopt) {
  LayoutRequest request;
  request.from = from;
  request.to = to;
  request.rows = rows;
  request.cols = cols;
  request.element_bits = element_bits;
  return MakeLayoutPair(request).value();
}

// Computes a formula as C would, so that it is compared by what it says.
class Evaluator {
 public:
  Evaluator(const std::string& text, std::map<char, int64_t> letters)
      : text_(text), letters_(std::move(letters)) {}

  int64_t Sum() {
    int64_t value = Product();
    while (Take('+')) value += Product();
    return value;
  }

 private:
  int64_t Product() {
    int64_t value = Atom();
    while (true) {
      if (Take('*')) {
        value *= Atom();
      } else if (Take('/')) {
        value /= Atom();
      } else if (Take('%')) {
        value %= Atom();
      } else {
        return value;
      }
    }
  }
  int64_t Atom() {
    if (Take('(')) {
      const int64_t value = Sum();
      EXPECT_TRUE(Take(')')) << text_;
      return value;
    }
    if (std::isalpha(text_[at_])) return letters_.at(text_[at_++]);
    EXPECT_TRUE(std::isdigit(text_[at_])) << text_;
    int64_t value = 0;
    while (std::isdigit(text_[at_])) value = 10 * value + text_[at_++] - '0';
    return value;
  }
  bool Take(char c) {
    while (text_[at_] == ' ') ++at_;
    if (text_[at_] != c) return false;
    ++at_;
    while (text_[at_] == ' ') ++at_;
    return true;
  }

  std::string text_;
  std::map<char, int64_t> letters_;
  size_t at_ = 0;
};

TEST(LayoutTextTest, FormulasSayWhatTheMapsDo) {
  int formulas = 0;
  for (const std::string& from : LayoutNames()) {
    for (const std::string& to : LayoutNames()) {
      LayoutRequest request;
      request.from = from;
      request.to = to;
      if (!CheckLayoutNames(request).ok()) continue;
      for (const int64_t rows : {2, 16, 34}) {
        for (const int64_t cols : {2, 32, 70}) {
          const LayoutPair pair = Pair(from, to, rows, cols);
          const IndexLetters letters = LettersOf(pair);
          const std::string formula =
              OffsetFormula(pair.to.map, letters.to_row, letters.to_col);
          for (int64_t row = 0; row < pair.to.map.rows(); row += 3) {
            for (int64_t col = 0; col < pair.to.map.cols(); col += 5) {
              ASSERT_EQ(Evaluator(formula, {{letters.to_row[0], row},
                                            {letters.to_col[0], col}})
                            .Sum(),
                        pair.to.map.Offset(row, col))
                  << formula;
            }
          }
          ++formulas;
        }
      }
    }
  }
  EXPECT_EQ(formulas, 9 * (10 * 10 - 1 + 25));
}

TEST(LayoutTextTest, FormulasAreShort) {
  const LayoutPair pair = Pair("dn", "zz", 4, 32);
  EXPECT_EQ(OffsetFormula(pair.from.map, "g", "n"), "32*g + n");
  EXPECT_EQ(OffsetFormula(pair.to.map, "n", "g"),
            "64*(n/16) + 32*(g/2) + 2*(n%16) + g%2");
  // One box and one pair: no remainders.
  EXPECT_EQ(OffsetFormula(Pair("nd", "zz", 9, 2).to.map, "m", "g"), "2*m + g");
  EXPECT_EQ(OffsetFormula(Pair("nd", "nd", 1, 1).to.map, "r", "c"), "0");
}

// A letter is the same thing on both sides.
TEST(LayoutTextTest, LettersFollowTheLines) {
  const IndexLetters b = LettersOf(Pair("dn", "zz", 4, 32));
  EXPECT_EQ(b.from_row + b.from_col + b.to_row + b.to_col, "gnng");
  const IndexLetters a = LettersOf(Pair("nd", "zz", 32, 4));
  EXPECT_EQ(a.from_row + a.from_col + a.to_row + a.to_col, "mgmg");
  const IndexLetters data = LettersOf(Pair("nd", "nz", 32, 4));
  EXPECT_EQ(data.from_row + data.from_col, "rc");
}

// The boxes by the theorem: box (cb, p) comes from (2p, 16 cb).
TEST(LayoutTextTest, SummaryOfDNToZZ) {
  EXPECT_EQ(SummaryText(Pair("dn", "zz", 4, 32)),
            R"(DN [4, 32] -> ZZ [32, 4], elements of 8 bits

  from  DN [4, 32]  128 bytes  0 padding  pitch 32 bytes  row after row
  to    ZZ [32, 4]  128 bytes  0 padding  pitch 64 bytes  boxes of 16 x 2, row-major inside; boxes row-major

offset in bytes, n = line, a column of DN and a row of ZZ; g = group along K
  DN  32*g + n
  ZZ  64*(n/16) + 32*(g/2) + 2*(n%16) + g%2

where each box of ZZ starts
  box  at byte  ZZ       from DN  at byte
  0    0        (0, 0)   (0, 0)   0
  1    32       (0, 2)   (2, 0)   64
  2    64       (16, 0)  (0, 16)  16
  3    96       (16, 2)  (2, 16)  80
)");
}

TEST(LayoutTextTest, SummaryCutsLongListsAndNamesPadding) {
  const std::string summary = SummaryText(Pair("nd", "nz", 129, 64, 4));
  EXPECT_THAT(summary, ::testing::HasSubstr("... 9 in all"));
  EXPECT_THAT(summary, ::testing::HasSubstr("960 padding"));
  EXPECT_THAT(summary, ::testing::HasSubstr("offset in elements, r = row"));
}

// Every line of the map, read back.
TEST(LayoutTextTest, MapHasEveryPlaceInOrder) {
  const LayoutPair pair = Pair("dn", "zz", 4, 17);
  std::ostringstream out;
  WriteMap(pair, out);
  const std::vector<std::string> lines = absl::StrSplit(out.str(), '\n');
  ASSERT_EQ(lines.size(), 1 + 128 + 1);
  EXPECT_EQ(lines[0],
            "# byte of ZZ [17, 4], row and column; row and column of DN "
            "[4, 17], byte");
  for (int64_t offset = 0; offset < 128; ++offset) {
    // Section 4 of the spec, inverted by hand: 32 bytes a box, boxes row-major.
    const int64_t box = offset / 32;
    const int64_t line = box / 2 * 16 + offset % 32 / 2;
    const int64_t group = box % 2 * 2 + offset % 2;
    std::string expected =
        absl::StrCat(offset, " (", line, ", ", group, ") (", group, ", ", line,
                     ") ", group * 17 + line);
    if (line >= 17) expected = absl::StrCat(offset, " padding");
    // Columns are padded with blanks.
    const std::vector<std::string> words =
        absl::StrSplit(lines[offset + 1], ' ', absl::SkipEmpty());
    EXPECT_EQ(absl::StrJoin(words, " "), expected);
    EXPECT_EQ(lines[offset + 1].find('('), line >= 17 ? std::string::npos : 5);
  }
}

TEST(LayoutTextTest, NibblesHaveAByteAndAHalf) {
  const LayoutPair pair = Pair("nd", "nz", 32, 128, 4);
  EXPECT_EQ(PlaceText(pair.from, 5), "2.hi");
  EXPECT_EQ(PlaceText(pair.from, 6), "3.lo");
  EXPECT_EQ(PlaceText(Pair("nd", "nz", 4, 4, 16).from, 5), "10");
  // (3, 65): NZ 64*32 elements a strip, 64 a line.
  EXPECT_EQ(ElementText(pair, {3, 65}),
            "  ND  (3, 65)  byte 224.hi   row 3, byte 32.hi of it\n"
            "  NZ  (3, 65)  byte 1120.hi  box 2, byte 96.hi of it\n");
}

TEST(LayoutTextTest, JsonHasTheDigitsAndTheElement) {
  const LayoutPair pair = Pair("dn", "zz", 4, 32);
  auto json = nlohmann::json::parse(LayoutJson(pair, IndexMap::Index{3, 5}));
  EXPECT_EQ(json["schema"], "mxtile.layout.v1");
  EXPECT_EQ(json["transposed"], true);
  EXPECT_EQ(json["from"]["layout"], "DN");
  EXPECT_EQ(json["to"]["size_bytes"], 128);
  EXPECT_EQ(json["to"]["row_digits"],
            nlohmann::json::parse(R"([{"extent": 16, "stride": 2},
                                      {"extent": 2, "stride": 64}])"));
  EXPECT_EQ(json["element"]["from"]["offset"], 101);
  EXPECT_EQ(json["element"]["to"],
            nlohmann::json::parse(R"({"row": 5, "col": 3, "offset": 43,
                                      "block": 1, "position_in_block": 11})"));
  json = nlohmann::json::parse(LayoutJson(pair, std::nullopt));
  EXPECT_FALSE(json.contains("element"));
}

}  // namespace
}  // namespace mxtile
