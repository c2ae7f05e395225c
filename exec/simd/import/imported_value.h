#ifndef EXEC_SIMD_IMPORT_IMPORTED_VALUE_H_
#define EXEC_SIMD_IMPORT_IMPORTED_VALUE_H_

// What a variable of an in-core function is in the tile program made of it.

#include <utility>
#include <vector>

#include "exec/simd/import/scalars.h"
#include "exec/simd/import/tile_axes.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// A value over the dimensions of `axes`, in any order.
struct Tile {
  ValueId value = kNoValue;  // kNoValue: a scratch tile, which nobody reads.
  AxisPair axes;
  DimId rows = kNoDim;  // Of the value; kNoDim for an extent of 1.
  DimId cols = kNoDim;
  // How many rows and columns are valid; kNoValue: all. What is not valid has
  // some value that nothing valid may depend on.
  ValueId valid_rows = kNoValue;
  ValueId valid_cols = kNoValue;
  bool zero_outside = false;  // What is not valid is +0.
};

struct Binding {
  enum class Kind { kNone, kScalar, kTile, kTensor, kTuple };
  Kind kind = Kind::kNone;
  Scalar scalar;
  Tile tile;
  ViewId view = -1;
  std::vector<Binding> items;

  static Binding Of(Scalar scalar) {
    Binding binding;
    binding.kind = Kind::kScalar;
    binding.scalar = std::move(scalar);
    return binding;
  }
  static Binding Of(const Tile& tile) {
    Binding binding;
    binding.kind = Kind::kTile;
    binding.tile = tile;
    return binding;
  }
  static Binding Of(ViewId view) {
    Binding binding;
    binding.kind = Kind::kTensor;
    binding.view = view;
    return binding;
  }
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_IMPORTED_VALUE_H_
