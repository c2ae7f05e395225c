// Compiled attention: bit for bit what the interpreter computes, and near the
// oracle.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/testing/kernel_comparison.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/workloads/attention.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

std::vector<uint8_t> Bytes(const std::vector<float>& floats) {
  std::vector<uint8_t> bytes(4 * floats.size());
  std::memcpy(bytes.data(), floats.data(), bytes.size());
  return bytes;
}

// The seed's with its widest block; packets that share and copy; groups of
// heads that share keys and values.
std::vector<Candidate> Candidates() {
  Candidate compat;
  compat.block_cols = 4;
  compat.full_packet = true;
  compat.masked_lanes = true;
  compat.share_uniform = false;
  Candidate packet;
  packet.block_rows = 2;
  packet.block_cols = 2;
  packet.full_packet = true;
  packet.vector_copies = true;
  packet.max_unrolled_elements = 16;
  Candidate group;
  group.lanes = LaneMode::kAxis;
  group.group = 4;
  group.block_rows = 4;
  group.block_cols = 2;
  group.k_unroll = 4;
  group.forward = true;
  group.vector_copies = true;
  group.max_unrolled_elements = 16;
  return {compat, packet, group};
}

class AttentionKernelsTest
    : public ::testing::TestWithParam<NamedAttentionShape> {};

TEST_P(AttentionKernelsTest, EqualTheInterpreterAndAreNearTheOracle) {
  const AttentionShape& shape = GetParam().shape;
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildAttention(shape));
  const AttentionInputs in = MakeAttentionInputs(shape);
  const std::vector<double> oracle = AttentionOracle(shape, in);
  const Memory memory = {
      Bytes(in.q), Bytes(in.k), Bytes(in.v),
      Bytes(std::vector<float>(oracle.size(), std::nanf("")))};
  MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                          InterpretedMemory(program, memory));
  std::vector<float> out(oracle.size());
  std::memcpy(out.data(), expected[3].data(), expected[3].size());
  for (size_t i = 0; i < oracle.size(); ++i) {
    ASSERT_NEAR(out[i], oracle[i],
                kAttentionTolerance * (1 + std::fabs(oracle[i])))
        << "at " << i;
  }
  for (const Candidate& candidate : Candidates()) {
    EXPECT_EQ(KernelDifference(program, memory, expected, candidate), "")
        << ToString(candidate);
  }
}

std::vector<NamedAttentionShape> Shapes() {
  std::vector<NamedAttentionShape> shapes = {
      {"one", {1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {"ragged", {2, 6, 3, 7, 19, 5, 9, 3, 8}},
      {"ragged_groups", {1, 8, 2, 3, 37, 20, 24, 2, 16}},
  };
  for (const NamedAttentionShape& named : kAttentionShapes) {
    // The interpreter takes seconds for these.
    if (named.name == "long" || named.name == "mqa_batch") continue;
    shapes.push_back(named);
  }
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionKernelsTest,
                         ::testing::ValuesIn(Shapes()), [](const auto& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace mxtile::exec::simd
