#ifndef LAYOUTS_LAYOUT_TEST_UTIL_H_
#define LAYOUTS_LAYOUT_TEST_UTIL_H_

// Every layout of this room with its storage order written a second time, as
// nested loops over memory: what the formulas of the headers are held against.
//
//   for (const LayoutCase& layout : AllLayouts()) {
//     if (!layout.IsLegal(rows, cols)) continue;
//     const IndexMap map = layout.Map(rows, cols);
//     WalkStorage(layout, rows, cols, [&](int64_t row, int64_t col) {
//       // once for each place of the storage, in order; outside of
//       // [rows, cols] where padding is
//     });
//   }

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "layouts/index_map.h"

namespace mxtile {

struct LayoutCase {
  enum class Storage {
    kLines,        // line after line, each rounded up to `unit` elements
    kPairs,        // of every 2 elements of all lines, line after line
    kScaleBoxes,   // boxes of 16 lines by 2, boxes line-major
    kFractals,     // boxes of 16 lines by `unit`, boxes strip after strip
    kSpacedStrips  // the same with a spare line after each strip
  };

  std::string name;  // of letters, digits and _
  Storage storage;
  int64_t unit;
  bool lines_are_cols;
  std::function<absl::StatusOr<IndexMap>(int64_t rows, int64_t cols)> create;

  // Whether the layout holds a matrix of this shape (of at least [1, 1]): pairs
  // are complete.
  bool IsLegal(int64_t rows, int64_t cols) const;
  bool needs_pairs = false;

  // Of a legal shape.
  IndexMap Map(int64_t rows, int64_t cols) const;
};

// Scales in their eight orders, flat exponents (of a tile of whole 128
// columns), and data of each element size in ND, NZ, NZ with a spare row, ZN
// and L0C; all without a pitch of their own.
std::vector<LayoutCase> AllLayouts();

// Whether two maps have the same shape and the same offset for every element.
bool SameOffsets(const IndexMap& a, const IndexMap& b);

// visit(line, across) in storage order.
template <typename Visit>
void WalkLines(const LayoutCase& layout, int64_t lines, int64_t across,
               Visit visit) {
  const int64_t unit = layout.unit;
  switch (layout.storage) {
    case LayoutCase::Storage::kLines:
      for (int64_t line = 0; line < lines; ++line) {
        for (int64_t i = 0; i < (across + unit - 1) / unit * unit; ++i) {
          visit(line, i);
        }
      }
      return;
    case LayoutCase::Storage::kPairs:
      for (int64_t pair = 0; pair < across; pair += 2) {
        for (int64_t line = 0; line < lines; ++line) {
          visit(line, pair);
          visit(line, pair + 1);
        }
      }
      return;
    case LayoutCase::Storage::kScaleBoxes:
      for (int64_t box = 0; box < lines; box += 16) {
        for (int64_t pair = 0; pair < across; pair += 2) {
          for (int64_t line = box; line < box + 16; ++line) {
            visit(line, pair);
            visit(line, pair + 1);
          }
        }
      }
      return;
    case LayoutCase::Storage::kFractals:
    case LayoutCase::Storage::kSpacedStrips:
      for (int64_t strip = 0; strip < across; strip += unit) {
        int64_t line = 0;
        for (int64_t box = 0; box < lines; box += 16) {
          for (; line < box + 16; ++line) {
            for (int64_t i = strip; i < strip + unit; ++i) visit(line, i);
          }
        }
        if (layout.storage == LayoutCase::Storage::kSpacedStrips) {
          for (int64_t i = strip; i < strip + unit; ++i) visit(line, i);
        }
      }
      return;
  }
}

// visit(row, col) in storage order.
template <typename Visit>
void WalkStorage(const LayoutCase& layout, int64_t rows, int64_t cols,
                 Visit visit) {
  if (layout.lines_are_cols) {
    WalkLines(layout, cols, rows,
              [&](int64_t line, int64_t i) { visit(i, line); });
  } else {
    WalkLines(layout, rows, cols, visit);
  }
}

}  // namespace mxtile

#endif  // LAYOUTS_LAYOUT_TEST_UTIL_H_
