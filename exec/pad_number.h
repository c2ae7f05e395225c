#ifndef EXEC_PAD_NUMBER_H_
#define EXEC_PAD_NUMBER_H_

// What tile.fillpad and its like write outside the valid region.
//
//   std::optional<double> pad = PadNumber(call.kwargs);
//   // pad_value=pl.PadValue.max: infinity
//
// MX-TILE-12 (ir/ops/tile_rules.h) says which spellings there are. Of tiles of
// integers max and min are not infinities: whoever asks refuses them there.

#include <optional>

#include "ir/expr.h"

namespace mxtile::exec {

// A number stands for itself; zero is 0, max and min are the infinities; 0
// without a pad_value. None for another name.
std::optional<double> PadNumber(ir::Attrs kwargs);

}  // namespace mxtile::exec

#endif  // EXEC_PAD_NUMBER_H_
