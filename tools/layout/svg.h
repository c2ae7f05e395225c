#ifndef TOOLS_LAYOUT_SVG_H_
#define TOOLS_LAYOUT_SVG_H_

// Writes an SVG file, shape after shape: later ones lie above. The look of a
// shape is a class of the style sheet, or attributes as they stand in SVG.
//
//   SvgCanvas svg(".grid { stroke: #fff; }");
//   svg.Rect(0, 0, 20, 20, "fill='#eee'");
//   svg.Text(10, 14, "a < b", "class='label'");   // escaped
//   const std::string file = svg.Finish(200, 100, "fill='#fff'", "Title",
//                                       "What one sees");
//
// Coordinates are in pixels, written with one decimal: the same drawing gives
// the same bytes on every machine.

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace mxtile {

// "12" or "12.5".
std::string SvgNumber(double value);

class SvgCanvas {
 public:
  explicit SvgCanvas(absl::string_view style) : style_(style) {}

  // Patterns, markers and gradients, as SVG.
  void Define(absl::string_view definition);

  void Rect(double x, double y, double width, double height,
            absl::string_view attributes);
  void Circle(double x, double y, double radius, absl::string_view attributes);
  // `data` is SVG's language of paths.
  void Path(absl::string_view data, absl::string_view attributes);
  void Polyline(const std::vector<std::pair<double, double>>& points,
                absl::string_view attributes);
  void Text(double x, double y, absl::string_view text,
            absl::string_view attributes);

  // The whole file, on a sheet with the attributes of a rectangle. The
  // description is for readers who do not see it.
  std::string Finish(double width, double height, absl::string_view sheet,
                     absl::string_view title,
                     absl::string_view description) const;

 private:
  std::string style_;
  std::string definitions_;
  std::string body_;
};

}  // namespace mxtile

#endif  // TOOLS_LAYOUT_SVG_H_
