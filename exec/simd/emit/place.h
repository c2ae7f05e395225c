#ifndef EXEC_SIMD_EMIT_PLACE_H_
#define EXEC_SIMD_EMIT_PLACE_H_

// Which element, or vector of elements, of a tile an instruction is about.

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <utility>
#include <vector>

#include "exec/simd/tile_program.h"
#include "llvm/IR/Value.h"

namespace mxtile::exec::simd {

// A coordinate: a constant, or an i64; with complete-program lanes also a
// vector of i64, one a lane.
struct Coord {
  llvm::Value* value = nullptr;
  int64_t constant = 0;

  static Coord Constant(int64_t constant) { return {nullptr, constant}; }
  static Coord Of(llvm::Value* value) { return {value, 0}; }
  bool is_constant() const { return value == nullptr; }
};

struct Place {
  std::vector<std::pair<DimId, Coord>> coords;
  // kAxis: which instance of the group.
  int member = 0;
  // kAxis: the dimension that the vector runs along, starting at its
  // coordinate; kNoDim for one element.
  DimId vector = kNoDim;
  // kAxis: lanes of the vector that are elements. The others may hold anything,
  // but memory of the caller is not read for them.
  int lanes = 0;

  const Coord* Find(DimId dim) const {
    for (const auto& [own, coord] : coords) {
      if (own == dim) return &coord;
    }
    return nullptr;
  }
  void Set(DimId dim, Coord coord) {
    for (auto& [own, old] : coords) {
      if (own == dim) {
        old = coord;
        return;
      }
    }
    coords.emplace_back(dim, coord);
  }
};

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM

#endif  // EXEC_SIMD_EMIT_PLACE_H_
