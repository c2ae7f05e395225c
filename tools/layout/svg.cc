#include "tools/layout/svg.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace {

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

}  // namespace

std::string SvgNumber(double value) {
  const int64_t tenths = std::llround(value * 10);
  std::string text = absl::StrCat(tenths < 0 ? "-" : "", std::abs(tenths) / 10);
  if (tenths % 10 != 0) absl::StrAppend(&text, ".", std::abs(tenths) % 10);
  return text;
}

void SvgCanvas::Define(absl::string_view definition) {
  absl::StrAppend(&definitions_, definition);
}

void SvgCanvas::Rect(double x, double y, double width, double height,
                     absl::string_view attributes) {
  absl::StrAppend(&body_, "<rect x='", SvgNumber(x), "' y='", SvgNumber(y),
                  "' width='", SvgNumber(width), "' height='",
                  SvgNumber(height), "' ", attributes, "/>\n");
}

void SvgCanvas::Circle(double x, double y, double radius,
                       absl::string_view attributes) {
  absl::StrAppend(&body_, "<circle cx='", SvgNumber(x), "' cy='", SvgNumber(y),
                  "' r='", SvgNumber(radius), "' ", attributes, "/>\n");
}

void SvgCanvas::Path(absl::string_view data, absl::string_view attributes) {
  absl::StrAppend(&body_, "<path d='", data, "' ", attributes, "/>\n");
}

void SvgCanvas::Polyline(const std::vector<std::pair<double, double>>& points,
                         absl::string_view attributes) {
  std::string data;
  for (const auto& [x, y] : points) {
    absl::StrAppend(&data, data.empty() ? "M" : "L", SvgNumber(x), " ",
                    SvgNumber(y));
  }
  Path(data, attributes);
}

void SvgCanvas::Text(double x, double y, absl::string_view text,
                     absl::string_view attributes) {
  absl::StrAppend(&body_, "<text x='", SvgNumber(x), "' y='", SvgNumber(y),
                  "' ", attributes, ">", Escaped(text), "</text>\n");
}

std::string SvgCanvas::Finish(double width, double height,
                              absl::string_view sheet, absl::string_view title,
                              absl::string_view description) const {
  const std::string w = SvgNumber(width), h = SvgNumber(height);
  return absl::StrCat("<svg xmlns='http://www.w3.org/2000/svg' width='", w,
                      "' height='", h, "' viewBox='0 0 ", w, " ", h,
                      "' role='img'>\n<title>", Escaped(title),
                      "</title>\n<desc>", Escaped(description),
                      "</desc>\n<style>\n", style_, "</style>\n<defs>\n",
                      definitions_, "</defs>\n<rect x='0.5' y='0.5' width='",
                      SvgNumber(width - 1), "' height='", SvgNumber(height - 1),
                      "' ", sheet, "/>\n", body_, "</svg>\n");
}

}  // namespace mxtile
