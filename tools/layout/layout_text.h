#ifndef TOOLS_LAYOUT_LAYOUT_TEXT_H_
#define TOOLS_LAYOUT_LAYOUT_TEXT_H_

// What `mxtile layout` prints about two layouts: for people, for diff, for
// machines.
//
//   std::cout << SummaryText(pair);       // shapes, sizes, formulas, blocks
//   WriteMap(pair, std::cout);            // one line for each place of `to`
//   std::cout << ElementText(pair, {3, 5});

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "layouts/index_map.h"
#include "tools/layout/layout_pair.h"

namespace mxtile {

// The letters of an element's row and column on both sides: m or n for a line
// and g for a group of scales, r and c of data. A letter means the same on both
// sides.
struct IndexLetters {
  std::string from_row, from_col, to_row, to_col;
};
IndexLetters LettersOf(const LayoutPair& pair);

// The offset of an element as a formula: "32*(m/16) + 2*(m%16) + g%2".
std::string OffsetFormula(const IndexMap& map, const std::string& row,
                          const std::string& col);

// "ZZ [32, 4]".
std::string ShapeText(const PlacedLayout& layout);

// "43"; of elements of 4 bits "21.lo" and "21.hi", the nibbles of byte 21.
std::string PlaceText(const PlacedLayout& layout, int64_t offset);

std::string SummaryText(const LayoutPair& pair);

// A heading, then of each place of `to`, in order: where it is, its row and
// column, row and column in `from`, where that is. Padding says so.
void WriteMap(const LayoutPair& pair, std::ostream& out);

// Where the element of `from` at an index lies in both. The index is inside.
std::string ElementText(const LayoutPair& pair, IndexMap::Index index);

// A JSON object: both layouts with their digits and, when asked for, where an
// element lies (docs/layouts.md).
std::string LayoutJson(const LayoutPair& pair,
                       std::optional<IndexMap::Index> element);

}  // namespace mxtile

#endif  // TOOLS_LAYOUT_LAYOUT_TEXT_H_
