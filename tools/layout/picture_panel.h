#ifndef TOOLS_LAYOUT_PICTURE_PANEL_H_
#define TOOLS_LAYOUT_PICTURE_PANEL_H_

// One side of a picture of two layouts: a matrix as a grid with its heading.
//
//   PicturePanel panel(view, view.pair().from, /*cell=*/20);
//   panel.MoveTo(28, 80);
//   panel.Draw(&svg);
//   panel.Center(view.element(view.pair().from));    // where an arrow starts

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "layouts/index_map.h"
#include "tools/layout/layout_pair.h"
#include "tools/layout/picture_view.h"
#include "tools/layout/svg.h"

namespace mxtile {

// Light and dark of the n-th block in memory; its neighbours have others.
struct PictureColor {
  absl::string_view tint;
  absl::string_view ink;
};
PictureColor PictureColorOf(const PlacedLayout& layout, int64_t block);

// The look of panels, as a style sheet, and the hatch and arrow heads that they
// refer to.
absl::string_view PictureStyle();
absl::string_view PictureDefinitions();

class PicturePanel {
 public:
  // All outlive the panel.
  PicturePanel(const PictureView& view, const PlacedLayout& side, double cell);

  void MoveTo(double x, double y) {
    x_ = x;
    y_ = y;
  }
  double x() const { return x_; }
  // With heading, labels and what the heading needs.
  double width() const;
  double height() const;

  void Draw(SvgCanvas* svg) const;

  // Whether each cell holds its offset.
  bool shows_offsets() const { return offsets_fit_; }

  // The middle of an index's cell.
  std::pair<double, double> Center(IndexMap::Index index) const;

 private:
  struct Box {
    double x, y, width, height;
  };
  // Rows and columns as a rectangle.
  Box BoxOf(PictureRange rows, PictureRange cols) const;
  // Each block of the leading layout that is shown: its number, or nothing for
  // the spare part, and the part of the window that it has.
  template <typename Visit>
  void ForEachBlock(Visit visit) const;

  void DrawHeading(SvgCanvas* svg) const;
  void DrawBlocks(SvgCanvas* svg) const;
  void DrawPadding(SvgCanvas* svg) const;
  void DrawGrid(SvgCanvas* svg) const;
  void DrawOffsets(SvgCanvas* svg) const;
  void DrawOutlines(SvgCanvas* svg) const;
  void DrawNumbers(SvgCanvas* svg) const;
  void DrawOrder(SvgCanvas* svg) const;
  void DrawCrop(SvgCanvas* svg) const;
  void DrawAxes(SvgCanvas* svg) const;
  void DrawElement(SvgCanvas* svg) const;

  std::string Offset(IndexMap::Index index) const;
  bool OffsetsFit() const;

  const PictureView& view_;
  const PlacedLayout& side_;
  const PictureWindow& window_;
  double cell_;
  double heading_;
  bool offsets_fit_;
  double x_ = 0;
  double y_ = 0;
};

}  // namespace mxtile

#endif  // TOOLS_LAYOUT_PICTURE_PANEL_H_
