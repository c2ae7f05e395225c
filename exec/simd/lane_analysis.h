#ifndef EXEC_SIMD_LANE_ANALYSIS_H_
#define EXEC_SIMD_LANE_ANALYSIS_H_

// How values differ between instances that run together: the lanes of a packet,
// or the programs of a group that share a register tile. Instances of a team
// are consecutive and begin at a multiple of its size.
//
//   const LaneAnalysis lanes(program, /*team=*/4);
//   lanes.IsUniform(kv_head)    // head // 4 is one number for four heads
//   lanes.Step(head)            // 1: one more from each lane to the next
//
// An index is known as base + step * lane, base being the same for all lanes
// and a multiple of a known number, which is what // and % need:
//
//   (p // 4) with p = 8 * q + lane:  uniform where lane < 4 and 4 divides 8
//
// Everything else is uniform when it is computed from uniform values only, and
// read from memory at uniform places; loops carry uniform values when they
// start uniform and stay so.

#include <cstdint>
#include <optional>
#include <vector>

#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

class LaneAnalysis {
 public:
  LaneAnalysis(const TileProgram& program, int64_t team);

  // Whether the value is the same in every lane of a team.
  bool IsUniform(ValueId value) const { return !varies_[value]; }
  // What an index grows by from lane to lane; none where that is not constant.
  std::optional<int64_t> Step(ValueId index) const;
  // What the flat index of a window's first element grows by.
  std::optional<int64_t> Step(const View& view, const Window& window) const;
  // Whether all loops run alike in every lane. Where they do not, a team of
  // more than one cannot run together.
  bool loops_are_uniform() const { return loops_are_uniform_; }
  // Whether all conditions of ifs are uniform.
  bool ifs_are_uniform() const { return ifs_are_uniform_; }

  int64_t team() const { return team_; }

 private:
  struct Affine {
    int64_t step = 0;
    int64_t divisor = 1;  // of the base; 0: the base is 0
    // Of the magnitude, in every instance; none where it is INT64_MAX.
    int64_t bound = INT64_MAX;
  };

  void VisitBlock(BlockId block);
  void VisitOp(const Op& op);
  void VisitFor(const Op& op);
  std::optional<Affine> IndexOf(const Op& op) const;
  std::optional<Affine> BinaryIndex(const Op& op) const;
  void Set(ValueId value, std::optional<Affine> affine);

  const TileProgram& program_;
  const int64_t team_;
  std::vector<bool> varies_;
  std::vector<std::optional<Affine>> affine_;  // of indices
  bool loops_are_uniform_ = true;
  bool ifs_are_uniform_ = true;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_LANE_ANALYSIS_H_
