#include "tools/layout/picture_view.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "layouts/index_map.h"
#include "tools/layout/layout_pair.h"

namespace mxtile {
namespace {

using Index = IndexMap::Index;

// Of an axis of `extent` elements in blocks of `block`.
int64_t TellingCoordinate(int64_t extent, int64_t block, bool boxed) {
  // Of a pair the second, of a box of 16 the sixth, of 32 the eleventh.
  const int64_t inside = block == 2 ? 1 : boxed ? block * 5 / 16 : 5;
  // Lines come in boxes of 16; along the other axis the next box tells more.
  const bool next =
      (block == 2 || (boxed && block != 16)) && extent > block + inside;
  return std::min(next ? block + inside : inside, extent - 1);
}

// How much of an axis a picture shows: some blocks, at least two.
int64_t Limit(int64_t block, bool boxed) {
  if (block == 1) return 16;
  if (block == 2) return 8;
  return boxed ? 2 * block : 32;
}

PictureRange Shown(int64_t extent, int64_t block, bool boxed,
                   int64_t coordinate) {
  const int64_t limit = Limit(block, boxed);
  if (extent <= limit + limit / 8) return {0, extent};
  const int64_t step = boxed ? block : 1;
  int64_t first = 0;
  if (coordinate >= limit) {
    first = std::max<int64_t>(coordinate / step - 1, 0) * step;
  }
  // Spare lines after the last block belong to it.
  const int64_t end = first + limit;
  return {first, extent - end < step ? extent : end};
}

// The part of a side's axis that goes with a range of the leading layout's. A
// pitch may reach further than what leads; some of that is shown.
PictureRange ShownBeside(PictureRange lead, int64_t lead_extent,
                         int64_t extent) {
  constexpr int64_t kMostBeyond = 8;
  const int64_t end =
      lead.end == lead_extent ? lead.end + kMostBeyond : lead.end;
  return {lead.first, std::min(end, extent)};
}

PictureWindow Transposed(PictureWindow window) {
  std::swap(window.rows, window.cols);
  return window;
}

}  // namespace

Index TellingElement(const LayoutPair& pair) {
  const PlacedLayout& lead = pair.lead();
  Index index = {
      TellingCoordinate(lead.map.rows(), lead.block_rows, lead.boxed),
      TellingCoordinate(lead.map.cols(), lead.block_cols, lead.boxed)};
  // A spare line is below the last box: show that.
  if (lead.boxed && lead.places.rows() % lead.block_rows != 0) {
    index.row = std::min(
        lead.map.rows() - 1,
        (lead.blocks_down() - 1) * lead.block_rows + lead.block_rows * 5 / 16);
  }
  return &lead == &pair.from ? index : pair.FromIndex(index);
}

PictureView::PictureView(const LayoutPair& pair, Index element)
    : pair_(pair), element_(element) {
  const PlacedLayout& lead = pair.lead();
  const PlacedLayout& other = &lead == &pair.from ? pair.to : pair.from;
  const Index at = this->element(lead);
  const PictureWindow shown = {
      Shown(lead.places.rows(), lead.block_rows, lead.boxed, at.row),
      Shown(lead.places.cols(), lead.block_cols, lead.boxed, at.col)};
  const IndexMap places =
      pair.transposed ? other.places.Transposed() : other.places;
  const PictureWindow beside = {
      ShownBeside(shown.rows, lead.places.rows(), places.rows()),
      ShownBeside(shown.cols, lead.places.cols(), places.cols())};
  const PictureWindow turned = pair.transposed ? Transposed(beside) : beside;
  from_ = &lead == &pair.from ? shown : turned;
  to_ = &lead == &pair.from ? turned : shown;
}

bool PictureView::IsCropped(const PlacedLayout& side) const {
  const PictureWindow& shown = window(side);
  return shown.rows.size() < side.places.rows() ||
         shown.cols.size() < side.places.cols();
}

Index PictureView::element(const PlacedLayout& side) const {
  return &side == &pair_.from ? element_ : pair_.ToIndex(element_);
}

Index PictureView::InLead(const PlacedLayout& side, Index index) const {
  return &side == &pair_.lead() ? index : pair_.ToIndex(index);
}

std::vector<std::vector<Index>> PictureView::OrderIn(
    const PlacedLayout& side) const {
  const PlacedLayout& lead = pair_.lead();
  const Index at = element(lead);
  const Index start = {at.row / lead.block_rows * lead.block_rows,
                       at.col / lead.block_cols * lead.block_cols};
  const PictureWindow& shown = window(lead);
  std::vector<std::pair<int64_t, Index>> elements;
  const int64_t row_end =
      std::min({start.row + lead.block_rows, lead.map.rows(), shown.rows.end});
  const int64_t col_end =
      std::min({start.col + lead.block_cols, lead.map.cols(), shown.cols.end});
  for (int64_t row = std::max(start.row, shown.rows.first); row < row_end;
       ++row) {
    for (int64_t col = std::max(start.col, shown.cols.first); col < col_end;
         ++col) {
      const Index index = FromLead(side, {row, col});
      elements.push_back({side.map.Offset(index.row, index.col), index});
    }
  }
  std::sort(elements.begin(), elements.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::vector<Index>> runs;
  int64_t expected = -1;
  for (const auto& [offset, index] : elements) {
    if (offset != expected) runs.emplace_back();
    runs.back().push_back(index);
    expected = offset + 1;
  }
  return runs;
}

}  // namespace mxtile
