#include "tools/layout/layout_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "layouts/conversion.h"
#include "layouts/index_map.h"
#include "nlohmann/json.hpp"
#include "tools/layout/layout_pair.h"

namespace mxtile {
namespace {

using Index = IndexMap::Index;

constexpr int64_t kBlocksInSummary = 8;

struct Term {
  int64_t stride;
  std::string text;
};

void AddTerms(const std::vector<IndexMap::Digit>& digits,
              const std::string& letter, std::vector<Term>* terms) {
  // The outermost digit that has values needs no remainder.
  size_t last = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i].extent > 1) last = i;
  }
  int64_t divisor = 1;
  for (size_t i = 0; i < digits.size(); ++i) {
    const IndexMap::Digit& digit = digits[i];
    if (digit.extent == 1) continue;
    std::string value =
        divisor == 1 ? letter : absl::StrCat(letter, "/", divisor);
    if (i < last) {
      value = absl::StrCat(divisor == 1 ? value : absl::StrCat("(", value, ")"),
                           "%", digit.extent);
    }
    if (digit.stride > 1) {
      value =
          absl::StrCat(digit.stride, "*",
                       value == letter ? value : absl::StrCat("(", value, ")"));
    }
    terms->push_back({digit.stride, std::move(value)});
    divisor *= digit.extent;
  }
}

std::string IndexText(Index index) {
  return absl::StrCat("(", index.row, ", ", index.col, ")");
}

// Widths of what a map prints, so that columns stay in line.
struct Widths {
  int place;
  int index;
};

Widths WidthsOf(const PlacedLayout& layout) {
  return {
      static_cast<int>(PlaceText(layout, layout.map.size() - 1).size()),
      static_cast<int>(
          IndexText({layout.map.rows() - 1, layout.map.cols() - 1}).size())};
}

// Rows of cells, each column as wide as its widest cell, the last one as it is.
std::string TableText(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&line, " ", row[i]);
      if (i + 1 < row.size()) {
        line.append(widths[i] - row[i].size() + 1, ' ');
      }
    }
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::vector<std::string> LayoutRow(absl::string_view side,
                                   const PlacedLayout& layout) {
  return {std::string(side),
          ShapeText(layout),
          absl::StrCat(layout.size_bytes(), " bytes"),
          absl::StrCat(layout.padding_elements(), " padding"),
          absl::StrCat("pitch ", layout.pitch, " ", layout.pitch_unit),
          layout.storage};
}

std::string LettersText(const LayoutPair& pair) {
  const IndexLetters letters = LettersOf(pair);
  if (!pair.scales) return "r = row, c = column";
  const std::string line =
      pair.from.lines_are_rows ? letters.from_row : letters.from_col;
  return absl::StrCat(line, " = line, ",
                      pair.from.lines_are_rows ? "a row" : "a column", " of ",
                      pair.from.name, " and ",
                      pair.to.lines_are_rows ? "a row" : "a column", " of ",
                      pair.to.name, "; g = group along K");
}

std::string BlocksText(const LayoutPair& pair) {
  const PlacedLayout& lead = pair.lead();
  const bool to_leads = &lead == &pair.to;
  const PlacedLayout& other = to_leads ? pair.from : pair.to;
  std::vector<std::vector<std::string>> table = {
      {lead.block_name, "at byte", lead.name,
       absl::StrCat(to_leads ? "from " : "to ", other.name), "at byte"}};
  const int64_t blocks = lead.blocks_down() * lead.blocks_right();
  for (int64_t i = 0; i < std::min(blocks, kBlocksInSummary); ++i) {
    const Index start = lead.StartOfBlock(i);
    std::vector<std::string> row = {
        absl::StrCat(i),
        PlaceText(lead, lead.places.Offset(start.row, start.col))};
    if (start.row < lead.map.rows() && start.col < lead.map.cols()) {
      const Index elsewhere = pair.ToIndex(start);
      row.insert(
          row.end(),
          {IndexText(start), IndexText(elsewhere),
           PlaceText(other, other.map.Offset(elsewhere.row, elsewhere.col))});
    } else {
      row.push_back("padding");
    }
    table.push_back(std::move(row));
  }
  if (blocks > kBlocksInSummary) {
    table.push_back({absl::StrCat("... ", blocks, " in all")});
  }
  return TableText(table);
}

nlohmann::ordered_json DigitsJson(const std::vector<IndexMap::Digit>& digits) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const IndexMap::Digit& digit : digits) {
    json.push_back({{"extent", digit.extent}, {"stride", digit.stride}});
  }
  return json;
}

nlohmann::ordered_json SideJson(const PlacedLayout& layout) {
  return {{"layout", layout.name},
          {"rows", layout.map.rows()},
          {"cols", layout.map.cols()},
          {"element_bits", layout.element_bits},
          {"size_bytes", layout.size_bytes()},
          {"padding_elements", layout.padding_elements()},
          {"pitch", layout.pitch},
          {"pitch_unit", layout.pitch_unit},
          {"block_rows", layout.block_rows},
          {"block_cols", layout.block_cols},
          {"row_digits", DigitsJson(layout.map.row_digits())},
          {"col_digits", DigitsJson(layout.map.col_digits())}};
}

nlohmann::ordered_json ElementJson(const PlacedLayout& layout, Index index) {
  return {{"row", index.row},
          {"col", index.col},
          {"offset", layout.map.Offset(index.row, index.col)},
          {"block", *layout.BlockOf(index)},
          {"position_in_block", layout.PositionInBlock(index)}};
}

std::vector<std::string> ElementRow(const PlacedLayout& layout, Index index) {
  const int64_t offset = layout.map.Offset(index.row, index.col);
  const int64_t position = layout.PositionInBlock(index);
  return {layout.name, IndexText(index),
          absl::StrCat("byte ", PlaceText(layout, offset)),
          absl::StrCat(layout.block_name, " ", *layout.BlockOf(index),
                       ", byte ", PlaceText(layout, position), " of it")};
}

}  // namespace

IndexLetters LettersOf(const LayoutPair& pair) {
  if (!pair.scales) return {"r", "c", "r", "c"};
  const std::string line = pair.from.lines_are_rows ? "m" : "n";
  IndexLetters letters = {line, "g", line, "g"};
  if (!pair.from.lines_are_rows) std::swap(letters.from_row, letters.from_col);
  if (!pair.to.lines_are_rows) std::swap(letters.to_row, letters.to_col);
  return letters;
}

std::string OffsetFormula(const IndexMap& map, const std::string& row,
                          const std::string& col) {
  std::vector<Term> terms;
  AddTerms(map.row_digits(), row, &terms);
  AddTerms(map.col_digits(), col, &terms);
  if (terms.empty()) return "0";
  std::stable_sort(
      terms.begin(), terms.end(),
      [](const Term& a, const Term& b) { return a.stride > b.stride; });
  return absl::StrJoin(terms, " + ", [](std::string* out, const Term& term) {
    absl::StrAppend(out, term.text);
  });
}

std::string ShapeText(const PlacedLayout& layout) {
  return absl::StrCat(layout.name, " [", layout.map.rows(), ", ",
                      layout.map.cols(), "]");
}

std::string PlaceText(const PlacedLayout& layout, int64_t offset) {
  if (layout.element_bits == 4) {
    return absl::StrCat(offset / 2, offset % 2 == 0 ? ".lo" : ".hi");
  }
  return absl::StrCat(offset * (layout.element_bits / 8));
}

std::string SummaryText(const LayoutPair& pair) {
  const IndexLetters letters = LettersOf(pair);
  const int bits = pair.from.element_bits;
  return absl::StrCat(
      ShapeText(pair.from), " -> ", ShapeText(pair.to), ", elements of ", bits,
      " bits\n\n",
      TableText({LayoutRow("from", pair.from), LayoutRow("to", pair.to)}),
      "\noffset in ", bits == 8 ? "bytes" : "elements", ", ", LettersText(pair),
      "\n",
      TableText({{pair.from.name, OffsetFormula(pair.from.map, letters.from_row,
                                                letters.from_col)},
                 {pair.to.name,
                  OffsetFormula(pair.to.map, letters.to_row, letters.to_col)}}),
      "\nwhere each ", pair.lead().block_name, " of ", pair.lead().name,
      " starts\n", BlocksText(pair));
}

void WriteMap(const LayoutPair& pair, std::ostream& out) {
  const Widths to = WidthsOf(pair.to), from = WidthsOf(pair.from);
  out << "# byte of " << ShapeText(pair.to) << ", row and column; row and "
      << "column of " << ShapeText(pair.from) << ", byte\n";
  for (int64_t offset = 0; offset < pair.to.map.size(); ++offset) {
    const std::optional<Index> index = pair.to.map.IndexAt(offset);
    const std::string place = PlaceText(pair.to, offset);
    if (!index.has_value()) {
      out << absl::StrFormat("%*s  padding\n", to.place, place);
      continue;
    }
    const Index source = pair.FromIndex(*index);
    out << absl::StrFormat(
        "%*s  %-*s  %-*s  %*s\n", to.place, place, to.index, IndexText(*index),
        from.index, IndexText(source), from.place,
        PlaceText(pair.from, pair.from.map.Offset(source.row, source.col)));
  }
}

std::string ElementText(const LayoutPair& pair, Index index) {
  return absl::StrCat(TableText({ElementRow(pair.from, index),
                                 ElementRow(pair.to, pair.ToIndex(index))}));
}

std::string LayoutJson(const LayoutPair& pair, std::optional<Index> element) {
  nlohmann::ordered_json json = {{"schema", "mxtile.layout.v1"},
                                 {"transposed", pair.transposed},
                                 {"from", SideJson(pair.from)},
                                 {"to", SideJson(pair.to)}};
  if (element.has_value()) {
    json["element"] = {{"from", ElementJson(pair.from, *element)},
                       {"to", ElementJson(pair.to, pair.ToIndex(*element))}};
  }
  return absl::StrCat(json.dump(2), "\n");
}

}  // namespace mxtile
