#ifndef EXEC_SIMD_TILE_MATH_H_
#define EXEC_SIMD_TILE_MATH_H_

// What the operations of a tile program without memory or control flow compute,
// written for reading: the strict interpreter's half of the definition in
// tile_program.h.
//
//   const TileValue sum = Evaluate(program, op, {&a, &b}, absl::nullopt);

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// A tile, row-major over its space: `floats` of a kF32, otherwise `integers`:
// indices, truth values as 0 and 1, or codes.
struct TileValue {
  ElementType type = ElementType::kF32;
  Space space;
  std::vector<float> floats;
  std::vector<int64_t> integers;
};

TileValue IndexScalar(int64_t value);

// For each element of `over`, row-major, its flat place in a tile over `in`:
// dimensions that `in` does not have do not move it, those of `in` alone stay
// at 0.
std::vector<int64_t> Offsets(const TileProgram& program, const Space& over,
                             const Space& in);

// Tiles of the operands in order, and the limit's index if the operation has
// one. Not for kProgramIndex, kLoad, kStore, kFor and kIf.
TileValue Evaluate(const TileProgram& program, const Op& op,
                   absl::Span<const TileValue* const> operands,
                   absl::optional<int64_t> limit);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TILE_MATH_H_
