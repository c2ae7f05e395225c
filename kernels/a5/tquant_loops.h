#ifndef KERNELS_A5_TQUANT_LOOPS_H_
#define KERNELS_A5_TQUANT_LOOPS_H_

// The loops of TQUANT (kernels/a5/tquant.h) along each axis, on tiles that have
// been checked.
//
//   QuantLoop loop = {unit, options, tiles, paths};
//   QuantizeAxis1(loop);

#include <cstdint>
#include <string>

#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

struct QuantLoop {
  bool f32() const { return tiles.src.type.format == ElementFormat::kF32; }
  bool f8() const { return options.format == ElementFormat::kF8E4M3FN; }
  bool ocp() const { return options.rule == ScaleRule::kOcp; }
  bool flat() const { return tiles.exp.form == GroupForm::kFlat; }

  // Counts a step of a path.
  void Count(absl::string_view path) const {
    if (paths == nullptr) return;
    std::string name =
        absl::StrCat(path, "/", f32() ? "f32" : Name(tiles.src.type.format));
    if (path.substr(0, 7) == "convert") {
      absl::StrAppend(&name, "/", Name(options.format));
    }
    ++(*paths)[name];
  }

  VectorUnit& unit;
  const TQuantOptions& options;
  const UbQuantTiles& tiles;
  PathCounts* paths;
};

void QuantizeAxis1(const QuantLoop& loop);
void QuantizeAxis0(const QuantLoop& loop);

// The first element of a row of a row-major tile.
template <typename T>
UbPtr<T> RowOf(const UbTile& tile, int64_t row) {
  return {tile.address + static_cast<uint64_t>(ElementsToBytes(
                             tile.type, row * RowPitch(tile.type)))};
}

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_TQUANT_LOOPS_H_
