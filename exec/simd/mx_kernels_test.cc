// Compiled MX contractions against MMAD_MX of kernels/reference, bit for bit:
// by f64 with any scale, by f32 where that is exact.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/kernel_comparison.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gtest/gtest.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/f32_product.h"

namespace mxtile::exec::simd {
namespace {

constexpr int64_t kM = 3;
constexpr int64_t kN = 18;
constexpr int64_t kK = 64;
constexpr int64_t kG = kK / kMxGroup;
// Two matrices, one for each of the two halves of the instances.
constexpr int64_t kInstances = 6;

struct Formats {
  ElementType lhs;
  ElementType rhs;
};

// buffers: lhs [instances, m, k], its scales [instances, m, g], rhs [2, k, n],
// its scales [2, g, n], c [instances, m, n].
absl::StatusOr<TileProgram> BuildMx(const Formats& formats) {
  TileProgramBuilder b("mx", kInstances);
  const DimId m = b.AddDim("m", kM), n = b.AddDim("n", kN),
              k = b.AddDim("k", kK), g = b.AddDim("g", kG);
  const ValueId p = b.ProgramIndex();
  const ValueId half = b.Binary(BinaryKind::kFloorDiv, p, b.Index(4));
  const auto window = [&](ValueId matrix, DimId row, DimId col) {
    return Window{{matrix, b.Index(0), b.Index(0)}, {kNoDim, row, col}};
  };
  const auto load = [&](ElementType type, int buffer, int64_t count,
                        ValueId matrix, DimId row, DimId col) {
    return b.Load(
        b.AddView({"x",
                   type,
                   {count, b.program().Extent(row), b.program().Extent(col)},
                   buffer}),
        window(matrix, row, col));
  };
  const ViewId c = b.AddView({"c", ElementType::kF32, {kInstances, kM, kN}, 4});
  const ElementType scale = ElementType::kF8E8M0FNU;
  b.Store(
      c, window(p, m, n),
      b.MxContract(load(formats.lhs, 0, kInstances, p, m, k),
                   load(scale, 1, kInstances, p, m, g),
                   load(formats.rhs, 2, 2, half, k, n),
                   load(scale, 3, 2, half, g, n), b.Load(c, window(p, m, n))));
  return std::move(b).Finish();
}

// Codes of every kind; scales in `least` .. `last`, or NaN if that is 255.
Memory MakeMemory(const Formats& formats, int least, int last, uint64_t seed) {
  RandomSource random(seed);
  const auto codes = [&](ElementType type, int64_t count) {
    std::vector<uint8_t> bytes(BytesOf(type, count));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Below(256));
    return bytes;
  };
  const auto scales = [&](int64_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(least + random.Below(last - least + 1));
    }
    return bytes;
  };
  std::vector<float> c(kInstances * kM * kN);
  for (float& x : c) x = static_cast<float>(random.Below(2001) - 1000) / 64;
  std::vector<uint8_t> c_bytes(4 * c.size());
  std::memcpy(c_bytes.data(), c.data(), c_bytes.size());
  return {codes(formats.lhs, kInstances * kM * kK),
          scales(kInstances * kM * kG), codes(formats.rhs, 2 * kK * kN),
          scales(2 * kG * kN), c_bytes};
}

// By the reference's tiles.
Memory Expected(const Formats& formats, const Memory& memory) {
  Memory expected = memory;
  const auto part = [](absl::Span<const uint8_t> bytes, int64_t i,
                       int64_t count) {
    const size_t size = bytes.size() / static_cast<size_t>(count);
    return bytes.subspan(static_cast<size_t>(i) * size, size);
  };
  for (int64_t p = 0; p < kInstances; ++p) {
    const TileType of_c = FullTile(ElementFormat::kF32, kM, kN);
    const size_t c_bytes = 4 * kM * kN;
    uint8_t* const c = expected[4].data() + p * c_bytes;
    MatmulMxTiles tiles = {
        {of_c, absl::MakeSpan(c, c_bytes)},
        {FullTile(*FormatOf(formats.lhs), kM, kK),
         part(memory[0], p, kInstances)},
        {FullTile(ElementFormat::kF8E8M0FNU, kM, kG),
         part(memory[1], p, kInstances)},
        {FullTile(*FormatOf(formats.rhs), kK, kN), part(memory[2], p / 4, 2)},
        {FullTile(ElementFormat::kF8E8M0FNU, kG, kN),
         part(memory[3], p / 4, 2)}};
    tiles.c_in = ConstTileView{of_c, part(memory[4], p, kInstances)};
    EXPECT_THAT(MatmulMx(tiles, {}), IsOk());
  }
  return expected;
}

std::vector<Candidate> Candidates(bool mx_f32) {
  Candidate packet;
  packet.mx_f32 = mx_f32;
  packet.block_cols = 4;
  packet.full_packet = true;
  packet.max_unrolled_elements = 16;
  Candidate single;
  single.mx_f32 = mx_f32;
  single.lanes = LaneMode::kAxis;
  single.max_unrolled_elements = 8;
  Candidate group = single;
  group.group = 4;
  group.block_rows = 4;
  group.block_cols = 2;
  group.k_unroll = 4;
  group.vector_copies = true;
  group.forward = true;
  return {packet, single, group};
}

class MxKernelsTest : public ::testing::TestWithParam<Formats> {};

TEST_P(MxKernelsTest, ByF64WithAnyScale) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildMx(GetParam()));
  const Memory memory = MakeMemory(GetParam(), 0, 255, 20261201);
  const Memory expected = Expected(GetParam(), memory);
  EXPECT_NE(expected, memory);
  for (const Candidate& candidate : Candidates(/*mx_f32=*/false)) {
    EXPECT_EQ(KernelDifference(program, memory, expected, candidate), "")
        << ToString(candidate);
  }
}

TEST_P(MxKernelsTest, ByF32WhereThatIsExact) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, BuildMx(GetParam()));
  const F32ProductRange range =
      ExactF32Products(*FormatOf(GetParam().lhs), *FormatOf(GetParam().rhs));
  const int least = (range.min_sum + 1) / 2;
  const int last =
      std::min({range.max_sum / 2, range.max_left, range.max_right});
  ASSERT_TRUE(range.Holds(least, least) && range.Holds(last, last));
  const Memory memory = MakeMemory(GetParam(), least, last, 20261202);
  const Memory expected = Expected(GetParam(), memory);
  for (const Candidate& candidate : Candidates(/*mx_f32=*/true)) {
    EXPECT_EQ(KernelDifference(program, memory, expected, candidate), "")
        << ToString(candidate);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, MxKernelsTest,
    ::testing::Values(Formats{ElementType::kF8E4M3FN, ElementType::kF8E4M3FN},
                      Formats{ElementType::kF8E5M2, ElementType::kF8E4M3FN},
                      Formats{ElementType::kF4E2M1FN, ElementType::kF4E1M2}),
    [](const auto& info) {
      return std::string(Name(info.param.lhs)) +
             std::string(Name(info.param.rhs));
    });

}  // namespace
}  // namespace mxtile::exec::simd
