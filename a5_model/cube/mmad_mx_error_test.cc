// What MMAD_MX refuses, and each byte that it needs.

#include <cstdint>
#include <vector>

#include "a5_model/cube/mmad_mx.h"
#include "a5_model/cube/mmad_mx_test_util.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr ElementFormat kE2M1 = ElementFormat::kF4E2M1FN;

// Each byte that the instruction needs, and no other: without it, it traps.
struct NeededBytes {
  MemorySpace space;
  int64_t needed;
};

void ExpectNeeds(const MmadProblem& p, const std::vector<NeededBytes>& cases) {
  for (const NeededBytes& c : cases) {
    Machine machine;
    PlaceProblem(machine, p, 0, 0);
    int64_t needed = 0;
    for (int64_t address = 0; address < 1024; ++address) {
      Memory& memory = machine.memory(c.space);
      if (!memory.HasValue(address, 1)) continue;
      memory.Forget(address, 1);
      EXPECT_THAT(MmadMx(machine, MmadParamsOf(p)),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           AllOf(StartsWith("MMAD_MX (instruction"),
                                 HasSubstr("was never written (A5-MEM-3)"))));
      memory.Poke(address, {0});
      ++needed;
    }
    EXPECT_EQ(needed, c.needed) << Name(c.space);
    MX_EXPECT_OK(MmadMx(machine, MmadParamsOf(p)));
  }
}

TEST(MmadMxErrorTest, TrapsOnEachMissingByte_A5_MEM_3) {
  ExpectNeeds(ZeroProblem(3, 64, 5), {{MemorySpace::kLeft, 3 * 64},
                                      {MemorySpace::kRight, 5 * 64},
                                      {MemorySpace::kLeftScale, 3 * 2},
                                      {MemorySpace::kRightScale, 5 * 2}});
}

TEST(MmadMxErrorTest, TrapsOnEachMissingByteOf4BitElements_A5_MEM_3) {
  MmadProblem p = ZeroProblem(1, 128, 5);
  p.left = p.right = kE2M1;
  p.gemv = true;
  ExpectNeeds(p, {{MemorySpace::kLeft, 64},
                  {MemorySpace::kRight, 5 * 64},
                  {MemorySpace::kLeftScale, 4},
                  {MemorySpace::kRightScale, 5 * 4}});
}

TEST(MmadMxErrorTest, Traps) {
  const MmadProblem p = ZeroProblem(3, 64, 5);
  Machine machine;
  PlaceProblem(machine, p, 0, 0);
  MmadMxParams params = MmadParamsOf(p);
  params.init = AccumulatorInit::kAccumulate;
  EXPECT_THAT(MmadMx(machine, params),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("MMAD_MX (instruction 1): reads [0x0, 0x14) "
                                 "of Acc: byte 0x0 was never written")));
  params.init = AccumulatorInit::kBias;
  EXPECT_THAT(MmadMx(machine, params),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("of Bias: byte 0x0 was never written")));
  const auto fails = [&](void (*change)(MmadMxParams&), absl::StatusCode code,
                         const char* fragment) {
    MmadMxParams changed = MmadParamsOf(p);
    change(changed);
    EXPECT_THAT(MmadMx(machine, changed), StatusIs(code, HasSubstr(fragment)));
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  fails([](MmadMxParams& x) { x.m = 0; }, kInvalid, "m is 0");
  fails([](MmadMxParams& x) { x.n = 4096; }, kInvalid, "n is 4096");
  fails([](MmadMxParams& x) { x.k = 32; }, kInvalid,
        "k is 32, no multiple of 64");
  fails([](MmadMxParams& x) { x.k = 4096; }, kInvalid,
        "k is 4096, not in [1, 4095]");
  fails([](MmadMxParams& x) { x.acc = 64; }, kInvalid,
        "0x40 of Acc is no multiple of 128");
  fails([](MmadMxParams& x) { x.left = 256; }, kInvalid, "A5-MEM-2");
  fails([](MmadMxParams& x) { x.right = 65536; }, absl::StatusCode::kOutOfRange,
        "of RightScale (A5-MEM-1)");
  fails([](MmadMxParams& x) { x.left_format = kE2M1; }, kInvalid,
        "the formats are f4E2M1FN and f8E4M3FN, not two of");
  fails([](MmadMxParams& x) { x.right_format = ElementFormat::kBF16; },
        kInvalid, "the formats are f8E4M3FN and bf16, not two of");
  fails([](MmadMxParams& x) { x.gemv = true; }, kInvalid,
        "m is 3; in gemv mode A is one row (A5-FIELD-1)");
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
