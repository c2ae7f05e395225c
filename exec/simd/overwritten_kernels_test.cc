// Kernels that read a ragged window, overwrite its memory, and choose between
// what they had read and something else by the same comparison that masked the
// load: what a padded tile becomes whose tensor is updated in place. LLVM 22.1
// merges the choice into the load and so moves the load behind the store
// (llvm/llvm-project issue 215453).

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/testing/kernel_comparison.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

constexpr int64_t kInstances = 19;
constexpr int64_t kN = 16;

enum class Limit {
  kConstant,  // 5
  kInstance,  // 5 + the instance, so that some windows are whole
  kFew,       // 1 + the instance modulo 7: none is whole, and LLVM sees it
};

// Instance p has row p of x, [instances, n], or column p of x, [n, instances].
struct Case {
  std::string name;
  Limit limit = Limit::kConstant;
  bool columns = false;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// buffers: x, out; out is x within the limit and 9 outside, x becomes -1.
absl::StatusOr<TileProgram> Build(const Case& c) {
  TileProgramBuilder b("overwritten", kInstances);
  const DimId n = b.AddDim("n", kN);
  const ValueId p = b.ProgramIndex();
  ValueId limit = b.Index(5);
  if (c.limit == Limit::kInstance) {
    limit = b.Binary(BinaryKind::kAdd, p, limit);
  } else if (c.limit == Limit::kFew) {
    limit = b.Binary(BinaryKind::kAdd,
                     b.Binary(BinaryKind::kMod, p, b.Index(7)), b.Index(1));
  }
  const std::vector<int64_t> shape = c.columns
                                         ? std::vector<int64_t>{kN, kInstances}
                                         : std::vector<int64_t>{kInstances, kN};
  const auto view = [&](const char* name, int buffer) {
    return b.AddView({name, ElementType::kF32, shape, buffer});
  };
  const auto window = [&] {
    return c.columns ? Window{{b.Index(0), p}, {n, kNoDim}}
                     : Window{{p, b.Index(0)}, {kNoDim, n}};
  };
  Window ragged = window();
  ragged.limits = c.columns ? std::vector<ValueId>{limit, kNoValue}
                            : std::vector<ValueId>{kNoValue, limit};
  const ViewId x = view("x", 0);
  const ValueId old = b.Load(x, ragged);
  b.Store(x, window(), b.Broadcast(b.Constant(-1), {n}));
  b.Store(view("out", 1), window(),
          b.Select(b.Binary(BinaryKind::kLt, b.Iota(n), limit), old,
                   b.Constant(9)));
  return std::move(b).Finish();
}

std::vector<Candidate> Candidates() {
  std::vector<Candidate> candidates;
  for (const bool masked : {false, true}) {
    Candidate packet;
    packet.width = HostTarget().f32_lanes;
    packet.full_packet = true;
    packet.masked_lanes = masked;
    candidates.push_back(packet);
  }
  Candidate axis;
  axis.lanes = LaneMode::kAxis;
  axis.width = HostTarget().f32_lanes;
  candidates.push_back(axis);
  return candidates;
}

class OverwrittenTest : public ::testing::TestWithParam<Case> {};

TEST_P(OverwrittenTest, WhatWasReadStays) {
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, Build(GetParam()));
  std::vector<float> x(kInstances * kN);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 100 + static_cast<float>(i);
  std::vector<uint8_t> bytes(4 * x.size());
  std::memcpy(bytes.data(), x.data(), bytes.size());
  const Memory memory = {bytes, std::vector<uint8_t>(bytes.size())};
  MX_ASSERT_OK_AND_ASSIGN(const Memory expected,
                          InterpretedMemory(program, memory));
  for (const Candidate& candidate : Candidates()) {
    for (int level = 0; level <= 3; ++level) {
      ComparisonOptions options;
      options.level = level;
      EXPECT_EQ(KernelDifference(program, memory, expected, candidate, options),
                "")
          << ToString(candidate) << " at level " << level;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Limits, OverwrittenTest,
    ::testing::Values(Case{"constant_rows", Limit::kConstant},
                      Case{"instance_rows", Limit::kInstance},
                      Case{"few_rows", Limit::kFew},
                      Case{"constant_columns", Limit::kConstant, true},
                      Case{"instance_columns", Limit::kInstance, true},
                      Case{"few_columns", Limit::kFew, true}),
    [](const ::testing::TestParamInfo<Case>& info) { return info.param.name; });

}  // namespace
}  // namespace mxtile::exec::simd
