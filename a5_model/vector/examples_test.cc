// The worked examples of docs/a5, page by page, in their order.

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_test_util.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

// A unit on a UB of bytes 0, 1, 2, ..., 255, 0, 1, ...
class ExamplesTest : public ::testing::Test {
 protected:
  ExamplesTest() {
    std::vector<uint8_t> bytes(1024);
    std::iota(bytes.begin(), bytes.end(), 0);
    bench.Write(0, bytes);
  }
  ~ExamplesTest() override { MX_EXPECT_OK(unit.Finish()); }

  UbBench bench;
  VectorUnit& unit = bench.unit();
  const Mask all8 = Mask::All<uint8_t>();
  const Mask all16 = Mask::All<uint16_t>();
  const Mask all32 = Mask::All<float>();
};

// ---- load_store.md

TEST_F(ExamplesTest, Vlds) {
  const Reg reg = unit.Vlds(UbPtr<uint16_t>{0}, 0, LoadDist::kE2bB16);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(reg.lane<uint16_t>(i), 0x0100);
    EXPECT_EQ(reg.lane<uint16_t>(112 + i), 0x0F0E);
  }
}

TEST_F(ExamplesTest, Vgather2) {
  const Reg index = unit.Vci<uint16_t>(10);
  const Reg bytes = unit.Vgather2(UbPtr<uint8_t>{100}, index, all16);
  EXPECT_EQ(bytes.lane<uint16_t>(0), 110);
  EXPECT_EQ(bytes.lane<uint16_t>(127), 237);
  const Reg halves = unit.Vgather2(UbPtr<uint16_t>{100}, index, all16);
  EXPECT_EQ(halves.lane<uint16_t>(0), 0x7978);
}

TEST_F(ExamplesTest, Vsts) {
  unit.Vsts(unit.Vci<uint32_t>(0), UbPtr<uint8_t>{2048}, 0, StoreDist::kPk4B32,
            Mask::FirstLanes<float>(40));
  std::vector<uint8_t> expected(40);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(bench.Read(2048, 40), expected);
  EXPECT_EQ(bench.Values(2048, 64),
            std::string(40, '1') + std::string(24, '.'));
}

TEST_F(ExamplesTest, Vsstb) {
  const Reg value = unit.Vci<uint8_t>(0);
  UbPtr<uint8_t> to{2048};
  unit.Vsstb(value, &to, VsstbConfig(2, 1), all8);
  EXPECT_EQ(to.address, 2048 + 32);
  std::string written;
  for (int b = 0; b < 8; ++b) {
    EXPECT_EQ(bench.Read(2048 + 64 * b, 1)[0], 32 * b);
    written += std::string(32, '1') + std::string(32, '.');
  }
  EXPECT_EQ(bench.Values(2048, 512), written);
  unit.VsstbOffset(value, UbPtr<uint8_t>{4096}, VsstbConfig(2, 0), all8);
  EXPECT_EQ(bench.Values(4096, 512),
            std::string(256, '1') + std::string(256, '.'));
}

TEST_F(ExamplesTest, VstusAndVstas) {
  AlignReg align;
  UbPtr<uint8_t> to{2048 + 100};
  unit.VstusPost(align, 3, unit.Vbr<uint8_t>(9), &to);
  EXPECT_EQ(align.size(), 3);
  EXPECT_EQ(bench.Values(2048 + 96, 12), "............");
  unit.Vstas(align, to);
  EXPECT_EQ(bench.Values(2048 + 96, 12), "....111.....");
}

TEST_F(ExamplesTest, MemBar) {
  UbBench other;
  VectorUnit& faulty = other.unit();
  const UbPtr<float> at{0};
  faulty.Vsts(Reg(), at, 0, StoreDist::kNorm, all32);
  faulty.MemBar(Barrier::kVstVst);
  faulty.Vlds(at, 0);
  EXPECT_THAT(faulty.status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("(A5-VEC-1)")));
  unit.Vsts(Reg(), at, 0, StoreDist::kNorm, all32);
  unit.MemBar(Barrier::kVstVld);
  unit.Vlds(at, 0);
}

// ---- arithmetic.md

TEST_F(ExamplesTest, Vmul) {
  const Reg x = unit.Vbr<BFloat>(BFloat{0x3F81});
  EXPECT_EQ(unit.Vmul<BFloat>(x, x, all16), unit.Vbr<uint16_t>(0x3F82));
}

TEST_F(ExamplesTest, Vmax) {
  const auto max = [&](float x, float y) {
    return unit.Vmax<float>(unit.Vbr<float>(x), unit.Vbr<float>(y), all32)
        .lane<uint32_t>(17);
  };
  EXPECT_EQ(max(std::nanf(""), HUGE_VALF), 0x7FC00000);
  EXPECT_EQ(max(-0.0f, 0.0f), 0);
}

TEST_F(ExamplesTest, Vabs) {
  EXPECT_EQ(unit.Vabs<float>(unit.Vbr<uint32_t>(0xFFC00001), all32),
            unit.Vbr<uint32_t>(0x7FC00001));
  EXPECT_EQ(unit.Vabs<int8_t>(unit.Vbr<int8_t>(-128), all8),
            unit.Vbr<int8_t>(-128));
}

TEST_F(ExamplesTest, Vor) {
  const Reg low = unit.Vbr<uint16_t>(0x38);
  const Reg high = unit.Vshls<uint16_t>(unit.Vbr<uint16_t>(0x40), 8, all16);
  EXPECT_EQ(unit.Vor<uint16_t>(low, high, all16), unit.Vbr<uint16_t>(0x4038));
}

TEST_F(ExamplesTest, Vshrs) {
  const Reg one = unit.Vbr<float>(-1.0f);  // 0xBF800000
  EXPECT_EQ(unit.Vshrs<uint32_t>(one, 23, all32), unit.Vbr<uint32_t>(0x17F));
  EXPECT_EQ(unit.Vshrs<int32_t>(one, 23, all32), unit.Vbr<int32_t>(-129));
}

TEST_F(ExamplesTest, Vcgmax) {
  Reg x;
  x.set_lane<float>(8, 1);
  x.set_lane<float>(9, std::nanf(""));
  x.set_lane<float>(10, 3);
  x.set_lane<float>(63, 5);
  const Reg max = unit.Vcgmax<float>(x, all32);
  Reg expected;
  expected.set_lane<float>(1, std::nanf(""));
  expected.set_lane<float>(7, 5);
  EXPECT_EQ(max, expected);
}

// ---- predicates.md

TEST_F(ExamplesTest, Pset) {
  // The upper half of 64 lanes, as all but the lower.
  const Mask all = unit.Pset<float>(Pattern::kAll);
  const Mask upper = unit.Pxor(all, unit.Pset<float>(Pattern::kVl32), all);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(upper.active<float>(i), i >= 32) << i;
}

TEST_F(ExamplesTest, Plt) {
  uint32_t count = 70;
  EXPECT_EQ(unit.Plt<float>(&count), all32);
  EXPECT_EQ(count, 6);
  EXPECT_EQ(unit.Plt<float>(&count), Mask::FirstLanes<float>(6));
  EXPECT_EQ(count, 0);
}

TEST_F(ExamplesTest, Pnot) {
  // Lanes 5, 6, 7: not below 5, of those below 8.
  const Mask lanes =
      unit.Pnot(Mask::FirstLanes<uint16_t>(5), Mask::FirstLanes<uint16_t>(8));
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(lanes.active<uint16_t>(i), i >= 5 && i < 8) << i;
  }
}

TEST_F(ExamplesTest, Vcmps) {
  const Reg exponent = unit.Vci<int32_t>(253);
  const Mask special = unit.Vcmps<int32_t>(Compare::kEq, exponent, 255,
                                           Mask::FirstLanes<float>(6));
  const Mask nan =
      unit.Vcmps<int32_t>(Compare::kNe, unit.Vbr<int32_t>(1), 0, special);
  ByteBits lane2;
  lane2.Set(8);
  EXPECT_EQ(special, Mask(lane2));
  EXPECT_EQ(nan, Mask(lane2));
}

TEST_F(ExamplesTest, Vsel) {
  const Reg chosen =
      unit.Vsel<uint32_t>(unit.Vbr<uint32_t>(0xFF), unit.Vci<uint32_t>(0),
                          Mask::FirstLanes<float>(2));
  EXPECT_EQ(chosen.lane<uint32_t>(1), 0xFF);
  EXPECT_EQ(chosen.lane<uint32_t>(2), 2);
  EXPECT_EQ(chosen.lane<uint32_t>(63), 63);
}

// ---- permute.md

TEST_F(ExamplesTest, Vintlv) {
  const Reg row0 = unit.Vci<uint8_t>(0);
  const Reg row1 = unit.Vci<uint8_t>(100);
  const RegPair zipped = unit.Vintlv<uint8_t>(row0, row1);
  EXPECT_EQ(zipped.first.lane<uint32_t>(0), 0x65016400);  // 0 100 1 101
  EXPECT_EQ(zipped.first.lane<uint16_t>(127), 227 << 8 | 127);
  EXPECT_EQ(zipped.second.lane<uint16_t>(0), 228 << 8 | 128);
  const RegPair back = unit.Vdintlv<uint8_t>(zipped.first, zipped.second);
  EXPECT_EQ(back.first, row0);
  EXPECT_EQ(back.second, row1);
}

TEST_F(ExamplesTest, Vselr) {
  const Reg index = unit.Vmuls<int16_t>(unit.Vci<int8_t>(0), 4, all8);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(index.lane<uint8_t>(i), 4 * i);
  const Reg lanes = Reg::Of<uint32_t>([](int i) { return 0xABCDEF00 + i; });
  const Reg packed = unit.Vselr<uint8_t>(lanes, index);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(packed.lane<uint8_t>(i), i);
}

TEST_F(ExamplesTest, VdupAndVbr) {
  const Mask first3 = Mask::FirstLanes<Half>(3);
  const Reg dup = unit.Vdup<Half>(Half{0x3C00}, first3);
  const Reg br = unit.Vbr<Half>(Half{0x3C00});
  EXPECT_EQ(dup.lane<uint16_t>(2), 0x3C00);
  EXPECT_EQ(dup.lane<uint16_t>(3), 0);
  EXPECT_EQ(br.lane<uint16_t>(3), 0x3C00);
}

TEST_F(ExamplesTest, Vci) {
  const Reg index = unit.Vci<int8_t>(120);
  EXPECT_EQ(index.lane<int8_t>(7), 127);
  EXPECT_EQ(index.lane<int8_t>(8), -128);
}

// ---- convert.md

TEST_F(ExamplesTest, ToF32) {
  const Reg codes = unit.Vbr<uint32_t>(0x40003C00);  // lanes 0x3C00, 0x4000
  EXPECT_EQ(unit.VcvtToF32<Half>(codes, all16, HalfPart::kEven),
            unit.Vbr<float>(1));
  EXPECT_EQ(unit.VcvtToF32<Half>(codes, all16, HalfPart::kOdd),
            unit.Vbr<float>(2));
  EXPECT_EQ(unit.VcvtToF32<BFloat>(codes, all16, HalfPart::kOdd),
            unit.Vbr<float>(2));
}

TEST_F(ExamplesTest, FromF32) {
  const auto bf16 = [&](float x, Saturate saturate, HalfPart part) {
    return unit.VcvtFromF32<BFloat>(unit.Vbr<float>(x), all32, Round::kR,
                                    saturate, part);
  };
  EXPECT_EQ(bf16(-HUGE_VALF, Saturate::kEnable, HalfPart::kEven),
            unit.Vbr<uint32_t>(0x0000FF7F));
  EXPECT_EQ(bf16(-HUGE_VALF, Saturate::kDisable, HalfPart::kOdd),
            unit.Vbr<uint32_t>(0xFF800000));
}

TEST_F(ExamplesTest, HalfToBFloat) {
  const Reg x = unit.Vbr<uint16_t>(0x3FFF);
  EXPECT_EQ(unit.VcvtHalfToBFloat(x, all16, Round::kZ),
            unit.Vbr<uint16_t>(0x3FFF));
  EXPECT_EQ(unit.VcvtHalfToBFloat(x, all16, Round::kR),
            unit.Vbr<uint16_t>(0x4000));
}

TEST_F(ExamplesTest, ToE4M3) {
  const auto e4m3 = [&](float x, BytePart part) {
    return unit.VcvtF32ToE4M3(unit.Vbr<float>(x), all32, Saturate::kEnable,
                              part);
  };
  EXPECT_EQ(e4m3(1, BytePart::kP0), unit.Vbr<uint32_t>(0x38));
  EXPECT_EQ(e4m3(1000, BytePart::kP0), unit.Vbr<uint32_t>(0x7E));
  EXPECT_EQ(e4m3(-HUGE_VALF, BytePart::kP0), unit.Vbr<uint32_t>(0xFE));
  EXPECT_EQ(e4m3(-std::nanf(""), BytePart::kP0), unit.Vbr<uint32_t>(0xFF));
  EXPECT_EQ(e4m3(-0.0f, BytePart::kP3), unit.Vbr<uint32_t>(0x80000000));
  EXPECT_EQ(
      unit.Vor<uint8_t>(e4m3(1, BytePart::kP0), e4m3(-2, BytePart::kP1), all8),
      unit.Vbr<uint32_t>(0xC038));
}

TEST_F(ExamplesTest, ToE2M1) {
  const Reg pair = unit.Vbr<uint32_t>(0xFFC04020);  // bf16 2.5 and -NaN
  EXPECT_EQ(unit.VcvtBFloatToE2M1x2(pair, all16, BytePart::kP0),
            unit.Vbr<uint32_t>(0x74));
  EXPECT_EQ(unit.VcvtBFloatToE2M1x2(pair, all16, BytePart::kP2),
            unit.Vbr<uint32_t>(0x740000));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
