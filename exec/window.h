#ifndef EXEC_WINDOW_H_
#define EXEC_WINDOW_H_

// Windows of tensors as tile.load and tile.store name them.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "exec/value.h"

namespace mxtile::exec {

// The integers of a tuple argument, such as offsets or shapes.
std::vector<int64_t> Integers(const Value& tuple);

// MX-REF-2 unless offsets and sizes have the tensor's rank and the window lies
// inside the tensor.
absl::Status CheckWindow(absl::string_view op,
                         const std::vector<int64_t>& shape,
                         const std::vector<int64_t>& offsets,
                         const std::vector<int64_t>& sizes);

// A window as rows and columns of a tile.
struct TileExtent {
  int64_t rows = 0;
  int64_t cols = 0;
};

// Rank 1: one row; rank 2 as it is; more: leading axes folded into the rows.
TileExtent FoldedExtent(const std::vector<int64_t>& sizes);

}  // namespace mxtile::exec

#endif  // EXEC_WINDOW_H_
