#include "tools/layout/picture_panel.h"

#include <algorithm>
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
#include "tools/layout/picture_view.h"
#include "tools/layout/svg.h"

namespace mxtile {
namespace {

using Index = IndexMap::Index;

// Above the grid: heading, which has a line more where a side is shown in part,
// and labels of columns; left of it: labels of rows.
constexpr double kHeading = 82;
constexpr double kHeadingInPart = 98;
constexpr double kRowLabels = 34;
constexpr double kLeastWidth = 340;

constexpr PictureColor kColors[] = {
    {"#d3e5f6", "#2f6ca3"}, {"#fbe1c6", "#b3651c"}, {"#d8edd5", "#3c8547"},
    {"#e6dcf3", "#7251a6"}, {"#f9dbe4", "#ad4570"}, {"#d0ecea", "#27807f"},
    {"#f6ecbd", "#8d7a12"}, {"#dfe3ea", "#566477"},
};

// "rows 0-31 of 64"; all of an axis is not worth a word.
std::string ShownText(absl::string_view axis, PictureRange range,
                      int64_t extent) {
  if (range.size() == extent) return "";
  return absl::StrCat(" ", axis, " ", range.first, "\u2013", range.end - 1,
                      " of ", extent);
}

// Labels far enough apart to be read.
int64_t TickStep(double cell) {
  int64_t step = 1;
  while (step * cell < 28) step *= 2;
  return step;
}

}  // namespace

PictureColor PictureColorOf(const PlacedLayout& layout, int64_t block) {
  const Index start = layout.StartOfBlock(block);
  const int64_t step =
      3 * (start.row / layout.block_rows) + start.col / layout.block_cols;
  return kColors[step % (sizeof(kColors) / sizeof(kColors[0]))];
}

absl::string_view PictureStyle() {
  return R"(text { font-family: "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1f2933; }
.mono { font-family: SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.title { font-size: 20px; font-weight: 600; }
.head { font-size: 15px; font-weight: 600; }
.note { font-size: 11px; fill: #5b6773; }
.crop { fill: #a8480c; }
.tick { font-size: 9.5px; fill: #5b6773; }
.axis { font-size: 11px; font-style: italic; fill: #1f2933; }
.offset { font-size: 7.5px; fill: #3a4652; text-anchor: middle; }
.middle { text-anchor: middle; }
.end { text-anchor: end; }
.grid { stroke: #ffffff; stroke-width: 0.7; fill: none; }
.number { font-weight: 700; paint-order: stroke; stroke-width: 5; stroke-linejoin: round; }
.block { fill: none; stroke-width: 1.2; }
.order { fill: none; stroke: #1f2933; stroke-opacity: 0.62; stroke-width: 1.1; stroke-linejoin: round; marker-end: url(#head); }
.halo { fill: none; stroke: #fcfcfa; stroke-width: 5; stroke-opacity: 0.85; }
.move { fill: none; stroke: #c8102e; stroke-width: 2; marker-end: url(#redhead); }
.chosen { fill: #c8102e; stroke: #ffffff; stroke-width: 1.4; }
)";
}

absl::string_view PictureDefinitions() {
  return R"(<pattern id='hatch' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'><rect width='6' height='6' fill='#f4f4f1'/><rect width='1.6' height='6' fill='#c3c8cd'/></pattern>
<marker id='head' viewBox='0 0 8 8' refX='6' refY='4' markerWidth='5.5' markerHeight='5.5' orient='auto'><path d='M0 0.6L7.4 4L0 7.4z' fill='#1f2933'/></marker>
<marker id='redhead' viewBox='0 0 8 8' refX='6.5' refY='4' markerWidth='6' markerHeight='6' orient='auto'><path d='M0 0.6L7.4 4L0 7.4z' fill='#c8102e'/></marker>
<linearGradient id='fade-right'><stop offset='0' stop-color='#fcfcfa' stop-opacity='0'/><stop offset='1' stop-color='#fcfcfa'/></linearGradient>
<linearGradient id='fade-left'><stop offset='0' stop-color='#fcfcfa'/><stop offset='1' stop-color='#fcfcfa' stop-opacity='0'/></linearGradient>
<linearGradient id='fade-down' x2='0' y2='1'><stop offset='0' stop-color='#fcfcfa' stop-opacity='0'/><stop offset='1' stop-color='#fcfcfa'/></linearGradient>
<linearGradient id='fade-up' x2='0' y2='1'><stop offset='0' stop-color='#fcfcfa'/><stop offset='1' stop-color='#fcfcfa' stop-opacity='0'/></linearGradient>
)";
}

PicturePanel::PicturePanel(const PictureView& view, const PlacedLayout& side,
                           double cell)
    : view_(view),
      side_(side),
      window_(view.window(side)),
      cell_(cell),
      heading_(view.IsCropped(view.pair().from) ||
                       view.IsCropped(view.pair().to)
                   ? kHeadingInPart
                   : kHeading),
      offsets_fit_(OffsetsFit()) {}

double PicturePanel::width() const {
  return std::max(kRowLabels + window_.cols.size() * cell_, kLeastWidth);
}

double PicturePanel::height() const {
  return heading_ + window_.rows.size() * cell_;
}

PicturePanel::Box PicturePanel::BoxOf(PictureRange rows,
                                      PictureRange cols) const {
  return {x_ + kRowLabels + (cols.first - window_.cols.first) * cell_,
          y_ + heading_ + (rows.first - window_.rows.first) * cell_,
          cols.size() * cell_, rows.size() * cell_};
}

std::pair<double, double> PicturePanel::Center(Index index) const {
  const Box box = BoxOf({index.row, index.row + 1}, {index.col, index.col + 1});
  return {box.x + cell_ / 2, box.y + cell_ / 2};
}

std::string PicturePanel::Offset(Index index) const {
  return PlaceText(side_, side_.places.Offset(index.row, index.col));
}

bool PicturePanel::OffsetsFit() const {
  const Index last = {window_.rows.end - 1, window_.cols.end - 1};
  // More would be a wall of numbers that the arrows cross.
  constexpr int64_t kMostCells = 512;
  return window_.rows.size() * window_.cols.size() <= kMostCells &&
         cell_ >= 18 && Offset(last).size() * 4.6 <= cell_ - 1;
}

template <typename Visit>
void PicturePanel::ForEachBlock(Visit visit) const {
  const PlacedLayout& lead = view_.pair().lead();
  // On this side.
  int64_t height = lead.block_rows, width = lead.block_cols;
  if (&side_ != &lead && view_.pair().transposed) std::swap(height, width);
  const PictureRange rows = window_.rows, cols = window_.cols;
  for (int64_t row = rows.first / height * height; row < rows.end;
       row += height) {
    for (int64_t col = cols.first / width * width; col < cols.end;
         col += width) {
      const Index in_lead = view_.InLead(side_, {row, col});
      std::optional<int64_t> block;
      if (in_lead.row < lead.places.rows() &&
          in_lead.col < lead.places.cols()) {
        block = lead.BlockOf(in_lead);
      }
      visit(block,
            PictureRange{std::max(row, rows.first),
                         std::min(row + height, rows.end)},
            PictureRange{std::max(col, cols.first),
                         std::min(col + width, cols.end)});
    }
  }
}

void PicturePanel::DrawHeading(SvgCanvas* svg) const {
  const bool from = &side_ == &view_.pair().from;
  svg->Text(x_, y_ + 15, absl::StrCat(from ? "from " : "to ", ShapeText(side_)),
            "class='head'");
  svg->Text(x_, y_ + 32, side_.storage, "class='note'");
  svg->Text(x_, y_ + 47,
            absl::StrCat(side_.size_bytes(), " bytes, pitch ", side_.pitch, " ",
                         side_.pitch_unit),
            "class='note'");
  if (!view_.IsCropped(side_)) return;
  const std::string rows = ShownText("rows", window_.rows, side_.places.rows());
  const std::string cols =
      ShownText("columns", window_.cols, side_.places.cols());
  svg->Text(x_, y_ + 62,
            absl::StrCat("in part:", rows,
                         rows.empty() || cols.empty() ? "" : ",", cols),
            "class='note crop'");
}

void PicturePanel::DrawBlocks(SvgCanvas* svg) const {
  ForEachBlock([&](std::optional<int64_t> block, PictureRange rows,
                   PictureRange cols) {
    if (!block.has_value()) return;
    const Box box = BoxOf(rows, cols);
    svg->Rect(
        box.x, box.y, box.width, box.height,
        absl::StrCat("fill='", PictureColorOf(view_.pair().lead(), *block).tint,
                     "'"));
  });
}

// What the window shows beyond the matrix, right of it and below.
void PicturePanel::DrawPadding(SvgCanvas* svg) const {
  const auto hatch = [&](PictureRange rows, PictureRange cols) {
    if (rows.size() <= 0 || cols.size() <= 0) return;
    const Box box = BoxOf(rows, cols);
    svg->Rect(box.x, box.y, box.width, box.height, "fill='url(#hatch)'");
  };
  const int64_t rows = std::max(side_.map.rows(), window_.rows.first);
  const int64_t cols = std::max(side_.map.cols(), window_.cols.first);
  hatch({window_.rows.first, std::min(rows, window_.rows.end)},
        {cols, window_.cols.end});
  hatch({rows, window_.rows.end}, window_.cols);
}

void PicturePanel::DrawGrid(SvgCanvas* svg) const {
  const Box box = BoxOf(window_.rows, window_.cols);
  std::string lines;
  for (int64_t i = 1; i < window_.cols.size(); ++i) {
    absl::StrAppend(&lines, "M", SvgNumber(box.x + i * cell_), " ",
                    SvgNumber(box.y), "v", SvgNumber(box.height));
  }
  for (int64_t i = 1; i < window_.rows.size(); ++i) {
    absl::StrAppend(&lines, "M", SvgNumber(box.x), " ",
                    SvgNumber(box.y + i * cell_), "h", SvgNumber(box.width));
  }
  if (!lines.empty()) svg->Path(lines, "class='grid'");
}

void PicturePanel::DrawOffsets(SvgCanvas* svg) const {
  if (!offsets_fit_) return;
  for (int64_t row = window_.rows.first;
       row < std::min(window_.rows.end, side_.map.rows()); ++row) {
    for (int64_t col = window_.cols.first;
         col < std::min(window_.cols.end, side_.map.cols()); ++col) {
      const auto [x, y] = Center({row, col});
      svg->Text(x, y - cell_ * 0.1, Offset({row, col}), "class='mono offset'");
    }
  }
}

void PicturePanel::DrawOutlines(SvgCanvas* svg) const {
  ForEachBlock(
      [&](std::optional<int64_t> block, PictureRange rows, PictureRange cols) {
        if (!block.has_value()) return;
        const Box box = BoxOf(rows, cols);
        svg->Rect(
            box.x, box.y, box.width, box.height,
            absl::StrCat("class='block' stroke='",
                         PictureColorOf(view_.pair().lead(), *block).ink, "'"));
      });
}

// A badge at the corner where the cells hold offsets, a large number otherwise.
void PicturePanel::DrawNumbers(SvgCanvas* svg) const {
  ForEachBlock([&](std::optional<int64_t> block, PictureRange rows,
                   PictureRange cols) {
    if (!block.has_value()) return;
    const PictureColor color = PictureColorOf(view_.pair().lead(), *block);
    const Box box = BoxOf(rows, cols);
    const std::string number = absl::StrCat(*block);
    if (offsets_fit_) {
      const double width = 10 + 4.8 * number.size();
      svg->Rect(box.x - width / 2 - 3, box.y - 10.5, width, 13.5,
                absl::StrCat("rx='6.7' fill='", color.ink, "'"));
      svg->Text(box.x - 3, box.y - 0.7, number,
                "class='middle' font-size='8.5' font-weight='700' "
                "style='fill:#fff'");
      return;
    }
    const double size = std::clamp(
        std::min(box.height * 0.5, box.width / number.size()), 8.0, 46.0);
    svg->Text(
        box.x + box.width / 2, box.y + box.height / 2 + size * 0.35, number,
        absl::StrCat("class='middle number' font-size='", SvgNumber(size),
                     "' style='fill:", color.ink, ";stroke:", color.tint, "'"));
  });
}

void PicturePanel::DrawOrder(SvgCanvas* svg) const {
  // Below the offsets.
  const double drop = offsets_fit_ ? cell_ * 0.2 : 0;
  for (const std::vector<Index>& run : view_.OrderIn(side_)) {
    std::vector<std::pair<double, double>> points;
    for (const Index index : run) {
      const auto [x, y] = Center(index);
      // Only the turns: an arrow along a row is one line.
      const size_t n = points.size();
      if (n >= 2 &&
          points[n - 1].first - points[n - 2].first ==
              x - points[n - 1].first &&
          points[n - 1].second - points[n - 2].second ==
              y + drop - points[n - 1].second) {
        points.pop_back();
      }
      points.emplace_back(x, y + drop);
    }
    if (points.size() == 1) continue;
    svg->Circle(points[0].first, points[0].second, cell_ < 8 ? 1.1 : 1.8,
                "fill='#1f2933' fill-opacity='0.7'");
    // Arrow heads are as wide as the line says.
    svg->Polyline(points, cell_ < 8 ? "class='order' style='stroke-width:0.6'"
                                    : "class='order'");
  }
}

// The window ends where the matrix does not: fades out.
void PicturePanel::DrawCrop(SvgCanvas* svg) const {
  const Box box = BoxOf(window_.rows, window_.cols);
  const double depth = std::min(1.4 * cell_, 22.0);
  const auto fade = [&](double x, double y, double width, double height,
                        absl::string_view direction) {
    svg->Rect(x, y, width, height,
              absl::StrCat("fill='url(#fade-", direction, ")'"));
  };
  if (window_.cols.end < side_.places.cols()) {
    fade(box.x + box.width - depth, box.y - 9, depth + 2, box.height + 18,
         "right");
  }
  if (window_.cols.first > 0) {
    fade(box.x - 2, box.y - 9, depth, box.height + 18, "left");
  }
  if (window_.rows.end < side_.places.rows()) {
    fade(box.x - 9, box.y + box.height - depth, box.width + 18, depth + 2,
         "down");
  }
  if (window_.rows.first > 0) {
    fade(box.x - 9, box.y - 2, box.width + 18, depth, "up");
  }
}

void PicturePanel::DrawAxes(SvgCanvas* svg) const {
  const IndexLetters letters = LettersOf(view_.pair());
  const bool from = &side_ == &view_.pair().from;
  const Box box = BoxOf(window_.rows, window_.cols);
  const int64_t step = TickStep(cell_);
  for (int64_t col = window_.cols.first; col < window_.cols.end; ++col) {
    if (col % step != 0) continue;
    svg->Text(Center({window_.rows.first, col}).first, box.y - 11,
              absl::StrCat(col), "class='tick middle'");
  }
  for (int64_t row = window_.rows.first; row < window_.rows.end; ++row) {
    if (row % std::max<int64_t>(step / 2, 1) != 0) continue;
    svg->Text(box.x - 14, Center({row, window_.cols.first}).second + 3.4,
              absl::StrCat(row), "class='tick end'");
  }
  svg->Text(box.x - 14, box.y - 11,
            absl::StrCat(from ? letters.from_row : letters.to_row, " \\ ",
                         from ? letters.from_col : letters.to_col),
            "class='axis end'");
}

void PicturePanel::DrawElement(SvgCanvas* svg) const {
  const Index index = view_.element(side_);
  const auto [x, y] = Center(index);
  // Large enough to be seen among small cells.
  const double size = std::max(cell_ + 1, 9.0);
  svg->Rect(x - size / 2, y - size / 2, size, size, "class='chosen' rx='2'");
  if (offsets_fit_) {
    svg->Text(x, y + 2.7, Offset(index),
              "class='mono offset' style='fill:#fff;font-weight:700'");
  }
}

void PicturePanel::Draw(SvgCanvas* svg) const {
  DrawHeading(svg);
  DrawBlocks(svg);
  DrawPadding(svg);
  DrawGrid(svg);
  DrawOffsets(svg);
  DrawOutlines(svg);
  DrawOrder(svg);
  DrawNumbers(svg);
  DrawCrop(svg);
  DrawAxes(svg);
  DrawElement(svg);
}

}  // namespace mxtile
