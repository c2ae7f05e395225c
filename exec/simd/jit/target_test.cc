#include "exec/simd/jit/target.h"

#include <string>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

#ifndef MX_WITHOUT_LLVM

TEST(TargetTest, LanesAndRegistersFollowTheInstructionSet) {
  const struct {
    const char* cpu;
    int lanes, registers;
    bool f16c;
  } kExpected[] = {
      {"x86-64", 4, 16, false},         {"x86-64-v2", 4, 16, false},
      {"sandybridge", 4, 16, false},    {"x86-64-v3", 8, 16, true},
      {"znver3", 8, 16, true},          {"haswell", 8, 16, true},
      {"x86-64-v4", 16, 32, true},      {"znver4", 16, 32, true},
      {"skylake-avx512", 16, 32, true},
  };
  for (const auto& expected : kExpected) {
    MX_ASSERT_OK_AND_ASSIGN(const SimdTarget target, NamedTarget(expected.cpu));
    EXPECT_EQ(target.cpu, expected.cpu);
    EXPECT_EQ(target.f32_lanes, expected.lanes) << expected.cpu;
    EXPECT_EQ(target.vector_bytes, 4 * expected.lanes) << expected.cpu;
    EXPECT_EQ(target.vector_registers, expected.registers) << expected.cpu;
    EXPECT_EQ(target.has_f16c, expected.f16c) << expected.cpu;
  }
}

TEST(TargetTest, TheHostRunsItself) {
  const SimdTarget host = HostTarget();
  EXPECT_FALSE(host.triple.empty());
  MX_EXPECT_OK(CheckRunsOnHost(host));
#ifdef __x86_64__
  const int lanes = __builtin_cpu_supports("avx512f") ? 16
                    : __builtin_cpu_supports("avx2")  ? 8
                                                      : 4;
  EXPECT_EQ(host.f32_lanes, lanes);
  MX_ASSERT_OK_AND_ASSIGN(const SimdTarget base, NamedTarget("x86-64"));
  MX_EXPECT_OK(CheckRunsOnHost(base));
  // So that a plan for a named processor is the same everywhere.
  EXPECT_EQ(base.l1_bytes, 32 << 10);
  EXPECT_EQ(base.l2_bytes, 512 << 10);
#endif
  EXPECT_GT(host.l1_bytes, 0);
  EXPECT_GT(host.l2_bytes, host.l1_bytes);
}

// No processor has both, so one of them is foreign to every host.
TEST(TargetTest, ForeignFeaturesAreNamed) {
  int num_foreign = 0;
  for (const char* const cpu : {"sapphirerapids", "bdver4"}) {
    MX_ASSERT_OK_AND_ASSIGN(const SimdTarget target, NamedTarget(cpu));
    const absl::Status status = CheckRunsOnHost(target);
    if (status.ok()) continue;
    ++num_foreign;
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition,
                                 AllOf(HasSubstr(cpu), HasSubstr("lacks"))));
  }
  EXPECT_GT(num_foreign, 0);
}

TEST(TargetTest, UnknownProcessor) {
  EXPECT_THAT(NamedTarget("znver33"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("'znver33'"), HasSubstr("znver3"))));
  EXPECT_THAT(NamedTarget(""),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("''")));
}

// LLVM would end the process.
TEST(TargetTest, ProcessorWithout64Bits) {
  EXPECT_THAT(NamedTarget("i486"), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("64-bit")));
}

TEST(TargetTest, UnknownFeature) {
  SimdTarget target = HostTarget();
  target.features = "+avx2,+abx3";
  EXPECT_THAT(
      CheckRunsOnHost(target),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'+abx3'")));
}

#else

TEST(TargetTest, WithoutLlvm) {
  EXPECT_EQ(HostTarget().cpu, "generic");
  EXPECT_THAT(NamedTarget("znver3"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("LLVM")));
}

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd
