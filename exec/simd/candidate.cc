#include "exec/simd/candidate.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace mxtile::exec::simd {

std::string ToString(const Candidate& candidate) {
  const bool programs = candidate.lanes == LaneMode::kPrograms;
  return absl::StrCat(
      programs ? "programs x" : "axis x", candidate.width,
      programs ? "" : absl::StrCat(", group ", candidate.group), ", block ",
      candidate.block_rows, "x", candidate.block_cols,
      candidate.k_unroll > 1 ? absl::StrCat(", unroll ", candidate.k_unroll)
                             : "",
      candidate.forward ? ", forward" : "",
      candidate.vector_copies ? ", vector copies" : "",
      candidate.full_packet ? ", full packet" : "",
      candidate.masked_lanes ? ", masked" : "",
      candidate.share_uniform ? "" : ", nothing shared",
      candidate.mx_f32 ? ", MX by f32" : "",
      candidate.max_unrolled_elements == Candidate().max_unrolled_elements
          ? ""
          : absl::StrCat(", ", candidate.max_unrolled_elements, " unrolled"));
}

}  // namespace mxtile::exec::simd
