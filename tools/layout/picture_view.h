#ifndef TOOLS_LAYOUT_PICTURE_VIEW_H_
#define TOOLS_LAYOUT_PICTURE_VIEW_H_

// What a picture of two layouts shows of them: which rows and columns, which
// element and its block, in what order a block's elements lie in memory.
//
//   const PictureView view(pair, TellingElement(pair));
//   view.from().rows.first ... view.from().rows.end
//   view.OrderIn(pair.from)   // {{(2, 0) .. (2, 15)}, {(3, 0) .. (3, 15)}}

#include <cstdint>
#include <utility>
#include <vector>

#include "layouts/index_map.h"
#include "tools/layout/layout_pair.h"

namespace mxtile {

struct PictureRange {
  int64_t first;
  int64_t end;
  int64_t size() const { return end - first; }
  bool Contains(int64_t i) const { return i >= first && i < end; }
};

// Rows and columns of a side's places.
struct PictureWindow {
  PictureRange rows;
  PictureRange cols;
  bool Contains(IndexMap::Index index) const {
    return rows.Contains(index.row) && cols.Contains(index.col);
  }
};

// An index of `from` that shows how things move: off the first row and column,
// and of the second block where there is one.
IndexMap::Index TellingElement(const LayoutPair& pair);

class PictureView {
 public:
  // `pair` outlives the view; `element` is an index of pair.from.
  PictureView(const LayoutPair& pair, IndexMap::Index element);

  const LayoutPair& pair() const { return pair_; }
  const PictureWindow& from() const { return from_; }
  const PictureWindow& to() const { return to_; }
  const PictureWindow& window(const PlacedLayout& side) const {
    return &side == &pair_.from ? from_ : to_;
  }

  // Whether a side is shown in part.
  bool IsCropped(const PlacedLayout& side) const;

  // The element on a side.
  IndexMap::Index element(const PlacedLayout& side) const;

  // An index of a side as one of the leading layout, whose blocks are shown on
  // both sides.
  IndexMap::Index InLead(const PlacedLayout& side, IndexMap::Index index) const;
  IndexMap::Index FromLead(const PlacedLayout& side,
                           IndexMap::Index index) const {
    return InLead(side, index);
  }

  // The elements of the leading block that holds the element, as far as they
  // are shown, in the order of a side's memory; a new run where memory has
  // something else in between.
  std::vector<std::vector<IndexMap::Index>> OrderIn(
      const PlacedLayout& side) const;

 private:
  const LayoutPair& pair_;
  IndexMap::Index element_;  // of from
  PictureWindow from_;
  PictureWindow to_;
};

}  // namespace mxtile

#endif  // TOOLS_LAYOUT_PICTURE_VIEW_H_
