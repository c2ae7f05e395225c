#include <cstdio>
#include <cstring>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

std::vector<Candidate> Candidates() {
  std::vector<Candidate> all;
  for (bool masked : {false, true}) for (int cols : {1, 2, 4}) for (bool full : {false, true}) for (bool share : {false, true}) for (bool copies : {false, true}) {
    Candidate c; c.masked_lanes = masked; c.block_cols = cols; c.full_packet = full; c.share_uniform = share; c.vector_copies = copies;
    all.push_back(c);
  }
  for (int group : {1, 2, 4}) for (int rows : {1, 2, 4}) for (int cols : {1, 2}) for (bool copies : {false, true}) for (bool forward : {false, true}) {
    Candidate c; c.lanes = LaneMode::kAxis; c.group = group; c.block_rows = rows; c.block_cols = cols; c.vector_copies = copies; c.forward = forward; c.k_unroll = 4;
    all.push_back(c);
  }
  return all;
}

TEST(Kernel, Attention) {
  for (AttentionShape s : {AttentionShape{1, 8, 2, 1, 53, 20, 24, 1, 16}, AttentionShape{1, 4, 2, 32, 65, 32, 32, 4, 16}, AttentionShape{1,3,1,7,9,5,3,2,4}}) {
    auto program = BuildAttention(s);
    ASSERT_TRUE(program.ok());
    AttentionInputs in = MakeAttentionInputs(s);
    std::vector<float> want(s.batch * s.query_heads * s.queries * s.value_dim, -1), got = want;
    auto bufs = [&](std::vector<float>& out) {
      return std::vector<BufferSpan>{{in.q.data(), (int64_t)in.q.size() * 4}, {in.k.data(), (int64_t)in.k.size() * 4}, {in.v.data(), (int64_t)in.v.size() * 4}, {out.data(), (int64_t)out.size() * 4}};
    };
    MX_ASSERT_OK(Interpret(*program, bufs(want), AllOf(*program)));
    for (const Candidate& c : Candidates()) {
      auto kernel = CompiledKernel::Create(*program, c, JitOptions());
      ASSERT_TRUE(kernel.ok()) << ToString(c) << kernel.status();
      std::fill(got.begin(), got.end(), -1);
      MX_ASSERT_OK((*kernel)->Run(bufs(got)));
      EXPECT_EQ(0, std::memcmp(got.data(), want.data(), got.size() * 4)) << ToString(c);
    }
  }
}

TEST(Kernel, Gemm) {
  for (GemmShape s : {GemmShape{64, 64, 64, 32, 32, 32}, GemmShape{17, 19, 23, 8, 8, 8}, GemmShape{5, 40, 100, 5, 40, 100}}) {
    auto program = BuildGemm(s);
    ASSERT_TRUE(program.ok()) << program.status();
    std::vector<float> a(s.m * s.k), b(s.k * s.n), want(s.m * s.n, -1), got = want;
    for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(i * 0.7);
    for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(i * 0.3);
    auto bufs = [&](std::vector<float>& out) {
      return std::vector<BufferSpan>{{a.data(), (int64_t)a.size() * 4}, {b.data(), (int64_t)b.size() * 4}, {out.data(), (int64_t)out.size() * 4}};
    };
    MX_ASSERT_OK(Interpret(*program, bufs(want), AllOf(*program)));
    for (const Candidate& c : Candidates()) {
      auto kernel = CompiledKernel::Create(*program, c, JitOptions());
      ASSERT_TRUE(kernel.ok()) << ToString(c) << kernel.status();
      std::fill(got.begin(), got.end(), -1);
      MX_ASSERT_OK((*kernel)->Run(bufs(got)));
      EXPECT_EQ(0, std::memcmp(got.data(), want.data(), got.size() * 4)) << ToString(c);
    }
  }
}

}  // namespace
}  // namespace mxtile::exec::simd
