#include "exec/simd/candidate.h"

#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

TEST(CandidateTest, ToStringNamesWhatIsNotPlain) {
  Candidate candidate;
  EXPECT_EQ(ToString(candidate), "programs x8, block 1x1");
  candidate.block_cols = 4;
  candidate.full_packet = true;
  EXPECT_EQ(ToString(candidate), "programs x8, block 1x4, full packet");
  candidate.masked_lanes = true;
  candidate.share_uniform = false;
  candidate.mx_f32 = true;
  EXPECT_EQ(ToString(candidate),
            "programs x8, block 1x4, full packet, masked, nothing shared, MX "
            "by f32");
}

TEST(CandidateTest, ToStringOfLanesAlongAnAxis) {
  Candidate candidate;
  candidate.lanes = LaneMode::kAxis;
  candidate.width = 16;
  candidate.group = 4;
  candidate.block_rows = 4;
  candidate.block_cols = 2;
  candidate.forward = true;
  EXPECT_EQ(ToString(candidate), "axis x16, group 4, block 4x2, forward");
  candidate.k_unroll = 3;
  candidate.vector_copies = true;
  candidate.max_unrolled_elements = 16;
  EXPECT_EQ(ToString(candidate),
            "axis x16, group 4, block 4x2, unroll 3, forward, vector copies, "
            "16 unrolled");
}

TEST(CandidateTest, ATeamIsAPacketOrAGroup) {
  Candidate candidate;
  candidate.width = 16;
  candidate.group = 4;
  EXPECT_EQ(candidate.team(), 16);
  candidate.lanes = LaneMode::kAxis;
  EXPECT_EQ(candidate.team(), 4);
}

}  // namespace
}  // namespace mxtile::exec::simd
