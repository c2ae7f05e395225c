#ifndef EXEC_WINDOW_H_
#define EXEC_WINDOW_H_

// Windows of tensors as tile.load and tile.store name them.

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "exec/value.h"
#include "ir/expr.h"

namespace mxtile::exec {

// The integers of a tuple argument, such as offsets or shapes.
std::vector<int64_t> Integers(const Value& tuple);

// MX-REF-2 unless offsets and sizes have the tensor's rank and the window lies
// inside the tensor.
absl::Status CheckWindow(absl::string_view op,
                         const std::vector<int64_t>& shape,
                         const std::vector<int64_t>& offsets,
                         const std::vector<int64_t>& sizes);

// MX-REF-2 unless the sizes are not negative and of at most kMaxElements
// elements: they may come from run-time values.
absl::Status CheckExtents(absl::string_view op,
                          const std::vector<int64_t>& sizes);
inline constexpr int64_t kMaxElements = int64_t{1} << 32;

// Whether a tile.store adds to what the tensor holds (kwarg `atomic`).
bool StoreAdds(const ir::Call& store);

// A window as rows and columns of a tile.
struct TileExtent {
  int64_t rows = 0;
  int64_t cols = 0;
};

// Rank 1: one row; rank 2 as it is; more: leading axes folded into the rows.
TileExtent FoldedExtent(const std::vector<int64_t>& sizes);

}  // namespace mxtile::exec

#endif  // EXEC_WINDOW_H_
