#include "tools/layout/layout_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "layouts/index_map.h"
#include "tools/layout/layout_pair.h"
#include "tools/layout/layout_text.h"
#include "tools/layout/picture_panel.h"
#include "tools/layout/picture_view.h"
#include "tools/layout/svg.h"

namespace mxtile {
namespace {

using Index = IndexMap::Index;

constexpr double kMargin = 30;
constexpr double kTitle = 62;
constexpr double kGap = 70;
// Places of a memory strip, in two lines.
constexpr int64_t kStripPlaces = 32;
constexpr int64_t kStripLine = 16;
constexpr double kStripLabel = 62;
constexpr double kNotesWidth = 570;
constexpr double kNotesHeight = 330;

// Cells as large as fits, the same on both sides.
double CellSize(const PictureView& view) {
  int64_t most = 1;
  for (const PictureWindow* window : {&view.from(), &view.to()}) {
    most = std::max({most, window->rows.size(), window->cols.size()});
  }
  return std::clamp(std::floor(680.0 / most), 5.0, 22.0);
}

// Words beside the picture, from a corner downwards.
class Notes {
 public:
  Notes(const PictureView& view, double x, double y, SvgCanvas* svg)
      : view_(view), pair_(view.pair()), x_(x), y_(y), svg_(svg) {}

  double y() const { return y_; }

  // What the strip of memory needs.
  static double Width(const LayoutPair& pair) {
    const PlacedLayout& other =
        &pair.lead() == &pair.from ? pair.to : pair.from;
    return kStripLabel + kStripLine * StripCell(other);
  }

  void DrawElement() {
    Heading("One element");
    Line(absl::StrCat(
        "red, with the arrow: element ", IndexText(view_.element(pair_.from)),
        " of ", pair_.from.name, " is element ",
        IndexText(view_.element(pair_.to)), " of ", pair_.to.name));
    for (const PlacedLayout* side : {&pair_.from, &pair_.to}) {
      const Index index = view_.element(*side);
      Mono(absl::StrCat(
          Padded(side->name), "byte ",
          PlaceText(*side, side->map.Offset(index.row, index.col)), ", in ",
          side->block_name, " ", *side->BlockOf(index), " at byte ",
          PlaceText(*side, side->PositionInBlock(index))));
    }
    y_ += 12;
  }

  void DrawFormulas() {
    const IndexLetters letters = LettersOf(pair_);
    Heading(pair_.from.element_bits == 8 ? "Offsets in bytes"
                                         : "Offsets in elements");
    Mono(absl::StrCat(
        Padded(pair_.from.name),
        OffsetFormula(pair_.from.map, letters.from_row, letters.from_col)));
    Mono(absl::StrCat(
        Padded(pair_.to.name),
        OffsetFormula(pair_.to.map, letters.to_row, letters.to_col)));
    y_ += 12;
  }

  // Some bytes of the leading block in memory, each with where it lies in the
  // other layout.
  void DrawMemory() {
    const PlacedLayout& lead = pair_.lead();
    const PlacedLayout& other = &lead == &pair_.from ? pair_.to : pair_.from;
    const Index chosen = view_.element(lead);
    const int64_t at = lead.map.Offset(chosen.row, chosen.col);
    const int64_t first = at / kStripPlaces * kStripPlaces;
    Heading(absl::StrCat("Memory of ", lead.name, " from byte ",
                         PlaceText(lead, first),
                         lead.element_bits == 8 ? "" : ", element by element"));
    Line(absl::StrCat(
        "in each place the byte of ", other.name,
        &lead == &pair_.to ? " that comes here" : " that it goes to"));
    const double width = StripCell(other);
    for (int64_t line = 0; line < kStripPlaces / kStripLine; ++line) {
      const int64_t start = first + line * kStripLine;
      if (start >= lead.map.size()) break;
      svg_->Text(x_ + kStripLabel - 8, y_ + 15, PlaceText(lead, start),
                 "class='mono tick end'");
      for (int64_t i = 0; i < kStripLine; ++i) {
        if (start + i < lead.map.size()) {
          DrawPlace(lead, other, start + i, at,
                    {x_ + kStripLabel + i * width, y_, width, 22});
        }
      }
      y_ += 25;
    }
    y_ += 28;
  }

  void DrawLegend() {
    const PlacedLayout& lead = pair_.lead();
    Heading("How to read it");
    Swatch("fill='#d3e5f6' stroke='#2f6ca3'");
    Line(absl::StrCat("a ", lead.block_name, " of ", lead.name,
                      ", on both sides; its number is its place in memory"),
         34);
    svg_->Polyline({{x_ + 2, y_ - 4}, {x_ + 24, y_ - 4}}, "class='order'");
    Line(absl::StrCat("the order of memory inside the ", lead.block_name,
                      " of the element; an arrow ends where memory jumps"),
         34);
    Swatch("fill='url(#hatch)'");
    Line("padding: places that hold no element", 34);
    if (lead.boxed && lead.places.rows() % lead.block_rows != 0) {
      Line(
          "below the last boxes the spare line that follows each column of "
          "boxes in memory",
          34);
    }
  }

  // Of the strip of memory, as wide as what stands in it.
  static double StripCell(const PlacedLayout& other) {
    return std::max(32.0,
                    8 + 5.8 * PlaceText(other, other.map.size() - 1).size());
  }

 private:
  struct Place {
    double x, y, width, height;
  };

  static std::string IndexText(Index index) {
    return absl::StrCat("(", index.row, ", ", index.col, ")");
  }

  std::string Padded(absl::string_view name) const {
    const size_t width =
        std::max(pair_.from.name.size(), pair_.to.name.size()) + 2;
    return absl::StrCat(name, std::string(width - name.size(), ' '));
  }

  void Heading(absl::string_view text) {
    svg_->Text(x_, y_, text, "class='head' font-size='13'");
    y_ += 19;
  }
  void Line(absl::string_view text, double indent = 0) {
    svg_->Text(x_ + indent, y_, text, "class='note'");
    y_ += 17;
  }
  void Mono(absl::string_view text) {
    svg_->Text(x_, y_, text,
               "class='mono' font-size='11.5' xml:space='preserve'");
    y_ += 17;
  }
  void Swatch(absl::string_view attributes) {
    svg_->Rect(x_ + 2, y_ - 10, 22, 12, attributes);
  }

  void DrawPlace(const PlacedLayout& lead, const PlacedLayout& other,
                 int64_t offset, int64_t chosen, const Place& place) {
    const std::optional<Index> index = lead.map.IndexAt(offset);
    if (!index.has_value()) {
      svg_->Rect(place.x, place.y, place.width, place.height,
                 "fill='url(#hatch)' stroke='#fff'");
      return;
    }
    const PictureColor color = PictureColorOf(lead, *lead.BlockOf(*index));
    const Index elsewhere = pair_.ToIndex(*index);
    svg_->Rect(place.x, place.y, place.width, place.height,
               offset == chosen
                   ? "class='chosen'"
                   : absl::StrCat("stroke='#fff' fill='", color.tint, "'"));
    svg_->Text(
        place.x + place.width / 2, place.y + 14,
        PlaceText(other, other.map.Offset(elsewhere.row, elsewhere.col)),
        absl::StrCat(
            "class='mono middle' font-size='9.5'",
            offset == chosen ? " style='fill:#fff;font-weight:700'" : ""));
  }

  const PictureView& view_;
  const LayoutPair& pair_;
  double x_;
  double y_;
  SvgCanvas* svg_;
};

// From the middle of the element on the one side to that on the other.
void DrawMove(const PictureView& view, const PicturePanel& from,
              const PicturePanel& to, SvgCanvas* svg) {
  const auto [x1, y1] = from.Center(view.element(view.pair().from));
  const auto [x2, y2] = to.Center(view.element(view.pair().to));
  const double bend = std::max(60.0, (x2 - x1) * 0.3);
  // From above, off the labels of the row.
  const double lift = 46;
  const std::string path = absl::StrCat(
      "M", SvgNumber(x1 + 4), " ", SvgNumber(y1 - 4), "C", SvgNumber(x1 + bend),
      " ", SvgNumber(y1 - lift), " ", SvgNumber(x2 - bend), " ",
      SvgNumber(y2 - lift), " ", SvgNumber(x2 - 6), " ", SvgNumber(y2 - 4));
  svg->Path(path, "class='halo'");
  svg->Path(path, "class='move'");
}

std::string Description(const PictureView& view) {
  const LayoutPair& pair = view.pair();
  return absl::StrCat(ShapeText(pair.from), ": ", pair.from.storage, ". ",
                      ShapeText(pair.to), ": ", pair.to.storage, ".");
}

}  // namespace

std::string LayoutPicture(const LayoutPair& pair,
                          std::optional<Index> element) {
  const PictureView view(pair, element.value_or(TellingElement(pair)));
  const double cell = CellSize(view);
  PicturePanel from(view, pair.from, cell), to(view, pair.to, cell);
  from.MoveTo(kMargin, kMargin + kTitle);

  // The notes find room below the left matrix when that is much lower than the
  // right one, else below both.
  const bool beside = from.height() + kNotesHeight <= to.height() + 40;
  const double left =
      beside ? std::max({from.width(), kNotesWidth, Notes::Width(pair)})
             : from.width();
  to.MoveTo(kMargin + left + kGap, kMargin + kTitle);
  const double panels = std::max(from.height(), to.height());
  const double notes_width = std::max(kNotesWidth, Notes::Width(pair));
  const double both = left + kGap + to.width();
  const bool two_columns = !beside && both >= 2 * notes_width + 40;
  const double notes_right = beside        ? 0
                             : two_columns ? left + kGap + notes_width
                                           : notes_width;
  const double width = 2 * kMargin + std::max(both, notes_right);
  const double notes_y =
      kMargin + kTitle + (beside ? from.height() : panels) + 44;

  SvgCanvas svg(PictureStyle());
  svg.Define(PictureDefinitions());
  const std::string title =
      absl::StrCat(ShapeText(pair.from), " \u2192 ", ShapeText(pair.to));
  svg.Text(kMargin, kMargin + 18, title, "class='title'");
  svg.Text(kMargin, kMargin + 37,
           absl::StrCat("elements of ", pair.from.element_bits, " bits",
                        from.shows_offsets() || to.shows_offsets()
                            ? "; a number in a cell is its byte offset"
                            : ""),
           "class='note'");
  from.Draw(&svg);
  to.Draw(&svg);
  DrawMove(view, from, to, &svg);
  Notes notes(view, kMargin, notes_y, &svg);
  Notes right(view, kMargin + left + kGap, notes_y, &svg);
  notes.DrawElement();
  notes.DrawFormulas();
  (two_columns ? right : notes).DrawMemory();
  (two_columns ? right : notes).DrawLegend();
  const double bottom =
      std::max({kMargin + kTitle + panels, notes.y(), right.y()}) + kMargin;
  return svg.Finish(width, bottom, "rx='10' fill='#fcfcfa' stroke='#d5d8d6'",
                    title, Description(view));
}

}  // namespace mxtile
