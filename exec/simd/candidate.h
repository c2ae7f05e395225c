#ifndef EXEC_SIMD_CANDIDATE_H_
#define EXEC_SIMD_CANDIDATE_H_

// One way to realise a tile program as machine code. Everything that follows
// from it is derived: storage by realization.h, register blocks by admission.h,
// instructions by emit/kernel_emitter.h, which also says what it refuses.
//
//   Candidate packet;                    // a lane is a program
//   packet.width = target.f32_lanes;
//   packet.full_packet = true;
//   Candidate rows;                      // vectors along the columns of tiles
//   rows.lanes = LaneMode::kAxis;
//   rows.width = target.f32_lanes;
//   rows.block_rows = 6, rows.block_cols = 2;

#include <cstdint>
#include <string>

namespace mxtile::exec::simd {

// What the lanes of a vector are.
enum class LaneMode {
  kPrograms,  // complete-program lanes: one instance each
  kAxis,      // neighbours along a tile's innermost dimension
};

struct Candidate {
  LaneMode lanes = LaneMode::kPrograms;
  int width = 8;  // f32 lanes of a vector: 1, 2, 4, 8 or 16
  // kAxis: instances that run together, as rows of one register tile.
  int group = 1;
  // Register block of a contraction: rows x columns accumulators. A column is
  // an element of the innermost output dimension (kPrograms) or a vector of
  // them (kAxis).
  int block_rows = 1;
  int block_cols = 1;
  // Steps of a contraction that is a loop, in one round of it.
  int k_unroll = 1;
  // Values that are the same in all instances of a team exist once.
  bool share_uniform = true;
  // Read operands of contractions from memory where no write can come between.
  bool forward = false;
  // Copy tiles by vectors and register transposes, not element by element.
  bool vector_copies = false;
  // MX contractions by f32 products, which are exact while scales are in the
  // range of numerics/f32_product.h; by f64 otherwise.
  bool mx_f32 = false;
  // A second body for full packets, without the mask of active lanes. kAxis
  // needs none.
  bool full_packet = false;
  // kPrograms: whether masks guard each access of inactive lanes, or inactive
  // lanes repeat the last active one and only their stores are masked.
  bool masked_lanes = false;

  // Tiles of more elements (vectors, in kAxis) are arrays and loops.
  int64_t max_unrolled_elements = 64;

  // Instances in a team: what one execution of the body covers.
  int team() const { return lanes == LaneMode::kPrograms ? width : group; }
};

// "programs x8, block 1x4, full packet"; "axis x8, group 4, block 4x2,
// forward".
std::string ToString(const Candidate& candidate);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_CANDIDATE_H_
