#ifndef EXEC_REFERENCE_REFERENCE_TILE_H_
#define EXEC_REFERENCE_REFERENCE_TILE_H_

// Tensors and tiles of the reference interpreter: numbers, of which some have
// no value yet.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/check.h"
#include "exec/value.h"

namespace mxtile::exec {

template <typename Number>
struct ReferenceTensor : Object {
  std::vector<int64_t> shape;
  std::vector<Number> values;    // Row-major.
  std::vector<uint8_t> defined;  // One a value.
};

template <typename Number>
struct ReferenceTile : Object {
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t valid_rows = 0;
  int64_t valid_cols = 0;
  std::vector<Number> values;  // [rows, cols]
  std::vector<uint8_t> defined;
  // Truth values, 1 and 0, one an element of what was compared: what the packed
  // bits of tile.cmp say.
  bool is_mask = false;
};

// All valid, and without values.
template <typename Number>
std::shared_ptr<ReferenceTile<Number>> NewReferenceTile(int64_t rows,
                                                        int64_t cols) {
  auto tile = std::make_shared<ReferenceTile<Number>>();
  tile->rows = tile->valid_rows = rows;
  tile->cols = tile->valid_cols = cols;
  tile->values.resize(rows * cols);
  tile->defined.resize(rows * cols);
  return tile;
}

// The tile behind a value.
template <typename Number>
const ReferenceTile<Number>& ReferenceTileOf(const Value& value) {
  const auto* tile =
      dynamic_cast<const ReferenceTile<Number>*>(value.AsObject().get());
  MX_CHECK(tile != nullptr) << "object of another kind";
  return *tile;
}

}  // namespace mxtile::exec

#endif  // EXEC_REFERENCE_REFERENCE_TILE_H_
