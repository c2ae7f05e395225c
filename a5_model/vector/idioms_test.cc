// The inner loops of MX quantising in miniature: the unit's instructions, put
// together as the public A5 kernels do it, give the bits of numerics, in as
// many instructions as the public counts have.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_stage.h"
#include "a5_model/vector/vector_test_util.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/base/casts.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "numerics/element_format.h"
#include "numerics/f16.h"
#include "numerics/f4e2m1fn.h"
#include "numerics/group_max.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr uint64_t kSeed = 8;

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Registers of special values, one after the other.
template <typename T>
std::vector<uint8_t> SpecialBytes(VectorDraw& draw, int registers) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < registers; ++i) {
    const Reg reg = draw.Lanes<T>();
    bytes.insert(bytes.end(), reg.bytes(), reg.bytes() + kVectorBytes);
  }
  return bytes;
}

// 256 elements of fp32 to 8 maxima: 12 instructions.
TEST(IdiomsTest, MaximaOfFp32) {
  VectorDraw draw(kSeed);
  UbBench bench;
  const std::vector<uint8_t> source = SpecialBytes<float>(draw, 4 * 8);
  bench.Write(0, source);
  VectorUnit& unit = bench.unit();
  unit.DeclareBuffer("src", 0, source.size());
  unit.DeclareBuffer("max", 0x10000, 8 * 8 * 4);
  const Mask all = Mask::All<float>();
  UbPtr<float> max{0x10000};
  AlignReg align;
  unit.BeginStage("max");
  for (int i = 0; i < 8; ++i) {
    const RegPair x = unit.VldsDintlv(UbPtr<float>{0}, 256 * i);
    const RegPair y = unit.VldsDintlv(UbPtr<float>{0}, 256 * i + 128);
    const Reg low = unit.Vmax<float>(unit.Vabs<float>(x.first, all),
                                     unit.Vabs<float>(x.second, all), all);
    const Reg high = unit.Vmax<float>(unit.Vabs<float>(y.first, all),
                                      unit.Vabs<float>(y.second, all), all);
    const RegPair z = unit.Vdintlv<float>(low, high);
    unit.VstusPost(
        align, 8,
        unit.Vcgmax<float>(unit.Vmax<float>(z.first, z.second, all), all),
        &max);
  }
  unit.EndStage();
  unit.Vstas(align, max);
  MX_ASSERT_OK(unit.Finish());
  EXPECT_EQ(unit.stages()[0].total(), 12 * 8);
  std::vector<float> floats(source.size() / 4);
  std::memcpy(floats.data(), source.data(), source.size());
  std::vector<uint32_t> expected;
  for (int group = 0; group < 64; ++group) {
    expected.push_back(
        F32GroupMax(absl::MakeConstSpan(floats).subspan(32 * group, 32))
            .tile_bits);
  }
  EXPECT_EQ(bench.Read(0x10000, 256), BytesOf(expected));
}

// 256 elements of bf16 to 8 maxima: 7 instructions.
TEST(IdiomsTest, MaximaOfBf16) {
  VectorDraw draw(kSeed);
  UbBench bench;
  const std::vector<uint8_t> source = SpecialBytes<BFloat>(draw, 2 * 16);
  bench.Write(0, source);
  VectorUnit& unit = bench.unit();
  const Mask all = Mask::All<uint16_t>();
  UbPtr<uint16_t> max{0x10000};
  AlignReg align;
  unit.BeginStage("max");
  for (int i = 0; i < 16; ++i) {
    const RegPair x = unit.VldsDintlv(UbPtr<uint16_t>{0}, 256 * i);
    const Reg magnitude = unit.Vbr<uint16_t>(0x7FFF);
    const Reg low = unit.Vand<uint16_t>(x.first, magnitude, all);
    const Reg high = unit.Vand<uint16_t>(x.second, magnitude, all);
    unit.VstusPost(
        align, 8,
        unit.Vcgmax<uint16_t>(unit.Vmax<uint16_t>(low, high, all), all), &max);
  }
  unit.EndStage();
  unit.Vstas(align, max);
  MX_ASSERT_OK(unit.Finish());
  EXPECT_EQ(unit.stages()[0].total(), 7 * 16);
  std::vector<uint16_t> codes(source.size() / 2);
  std::memcpy(codes.data(), source.data(), source.size());
  std::vector<uint16_t> expected;
  for (int group = 0; group < 128; ++group) {
    expected.push_back(static_cast<uint16_t>(
        BF16GroupMax(absl::MakeConstSpan(codes).subspan(32 * group, 32))
            .tile_bits));
  }
  EXPECT_EQ(bench.Read(0x10000, 256), BytesOf(expected));
}

// Scales of 100 fp32 maxima by the OCP rule: 16 instructions for 64 of them.
TEST(IdiomsTest, ScalesOfFp32ByTheOcpRule) {
  UbBench bench;
  std::vector<float> maxima;
  for (int e = 0; e < 96; ++e) {
    maxima.push_back(std::ldexp(1.0f + (e % 5) * 0.24f, 3 * e - 149));
  }
  maxima.insert(maxima.end(), {0.0f, HUGE_VALF, std::nanf(""),
                               std::numeric_limits<float>::max()});
  bench.Write(0, BytesOf(maxima));
  VectorUnit& unit = bench.unit();
  unit.DeclareBuffer("max", 0, 400);
  unit.DeclareBuffer("exp", 0x1000, 100);
  unit.DeclareBuffer("scaling", 0x2000, 400);
  const Reg exponent_mask = unit.Vbr<uint32_t>(0x7F800000);
  const Reg mantissa_mask = unit.Vbr<uint32_t>(0x007FFFFF);
  const Reg emax = unit.Vbr<uint32_t>(8);
  const Reg all_ones = unit.Vbr<uint32_t>(0xFE);
  const Reg zero = unit.Vbr<uint32_t>(0);
  const Reg nan_scale = unit.Vbr<uint32_t>(0xFF);
  const Reg nan = unit.Vbr<uint32_t>(0x7FC00000);
  const Reg largest = unit.Vbr<uint32_t>(0x7F000000);
  unit.BeginStage("scale");
  uint32_t count = 100;
  for (int i = 0; i < 2; ++i) {
    const Mask mask = unit.Plt<float>(&count);
    const Reg max = unit.Vlds(UbPtr<uint32_t>{0}, 64 * i);
    Reg exponent = unit.Vand<uint32_t>(max, exponent_mask, mask);
    const Reg mantissa = unit.Vand<uint32_t>(max, mantissa_mask, mask);
    exponent = unit.Vshrs<uint32_t>(exponent, 23, mask);
    Reg scale = unit.Vsub<uint32_t>(exponent, emax, mask);
    Reg reciprocal = unit.Vsub<uint32_t>(all_ones, scale, mask);
    reciprocal = unit.Vshls<uint32_t>(reciprocal, 23, mask);
    const Mask tiny = unit.Vcmps<int32_t>(Compare::kLe, exponent, 8, mask);
    reciprocal = unit.Vsel<uint32_t>(largest, reciprocal, tiny);
    scale = unit.Vsel<uint32_t>(zero, scale, tiny);
    const Mask special = unit.Vcmps<int32_t>(Compare::kEq, exponent, 255, mask);
    const Mask is_nan = unit.Vcmps<int32_t>(Compare::kNe, mantissa, 0, special);
    reciprocal = unit.Vsel<uint32_t>(nan, reciprocal, is_nan);
    scale = unit.Vsel<uint32_t>(nan_scale, scale, is_nan);
    unit.Vsts(scale, UbPtr<uint8_t>{0x1000}, 64 * i, StoreDist::kPk4B32, mask);
    unit.Vsts(reciprocal, UbPtr<uint32_t>{0x2000}, 64 * i, StoreDist::kNorm,
              mask);
  }
  MX_ASSERT_OK(unit.Finish());
  ASSERT_EQ(unit.stages().size(), 2);  // the constants come before the stage
  EXPECT_EQ(unit.stages()[1].total(), 2 * 16);
  std::vector<uint8_t> scales;
  std::vector<float> reciprocals;
  for (const float max : maxima) {
    scales.push_back(
        SharedExponent(ScaleRule::kOcp, ElementFormat::kF8E4M3FN, max));
    reciprocals.push_back(ReciprocalScale(scales.back()));
  }
  EXPECT_EQ(bench.Read(0x1000, 100), scales);
  EXPECT_EQ(bench.Read(0x2000, 400), BytesOf(reciprocals));
  // The second load reads 36 maxima and, with a warning, what follows; nothing
  // of that is stored.
  EXPECT_EQ(bench.Values(0x1000 + 100, 28), std::string(28, '.'));
  EXPECT_EQ(unit.warnings().size(), 1);
}

// fp32 under its scale to FP8: 8 instructions for 128 elements.
TEST(IdiomsTest, CodesOfFp32) {
  VectorDraw draw(kSeed);
  UbBench bench;
  const std::vector<uint8_t> source = SpecialBytes<float>(draw, 16);
  bench.Write(0, source);
  // A reciprocal for every 16 elements, as the interleaved load wants it.
  std::vector<float> reciprocals;
  std::vector<uint8_t> scales;
  for (int group = 0; group < 32; ++group) {
    scales.push_back(static_cast<uint8_t>(draw.Below(256)));
    reciprocals.insert(reciprocals.end(), 2, ReciprocalScale(scales.back()));
  }
  bench.Write(0x8000, BytesOf(reciprocals));
  VectorUnit& unit = bench.unit();
  const Mask all = Mask::All<float>();
  const Mask all8 = Mask::All<uint8_t>();
  unit.BeginStage("convert");
  for (int i = 0; i < 8; ++i) {
    const Reg scale = unit.Vlds(UbPtr<float>{0x8000}, 8 * i, LoadDist::kE2bB32);
    const RegPair x = unit.VldsDintlv(UbPtr<float>{0}, 128 * i);
    const Reg even = unit.VcvtF32ToE4M3(unit.Vmul<float>(x.first, scale, all),
                                        all, Saturate::kEnable, BytePart::kP0);
    const Reg odd = unit.VcvtF32ToE4M3(unit.Vmul<float>(x.second, scale, all),
                                       all, Saturate::kEnable, BytePart::kP1);
    unit.Vsts(unit.Vor<uint8_t>(even, odd, all8), UbPtr<uint16_t>{0x10000},
              64 * i, StoreDist::kPkB32, all);
  }
  MX_ASSERT_OK(unit.Finish());
  EXPECT_EQ(unit.stages()[0].total(), 8 * 8);
  std::vector<float> floats(source.size() / 4);
  std::memcpy(floats.data(), source.data(), source.size());
  std::vector<uint8_t> actual = bench.Read(0x10000, 1024);
  for (int i = 0; i < 1024; ++i) {
    uint8_t expected =
        EncodeScaled(ElementFormat::kF8E4M3FN, floats[i], scales[i / 32]);
    // A NaN among the elements makes its group NaN; the unit's product of one
    // is the positive NaN.
    if (std::isnan(floats[i])) expected = 0x7F;
    ASSERT_EQ(actual[i], expected) << i << " " << floats[i];
  }
}

// The integer way to FP4 that fp16 takes: 19 instructions for a register of
// floats. All halves, and what is half way between them.
TEST(IdiomsTest, MagicE2M1) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  const Mask all = Mask::All<float>();
  const auto codes_of = [&](const Reg& y) {
    const Mask negative = unit.Vcmps<uint32_t>(
        Compare::kNe, unit.Vshrs<uint32_t>(y, 31, all), 0, all);
    Reg magnitude = unit.Vshls<uint32_t>(y, 1, all);
    magnitude = unit.Vshrs<uint32_t>(magnitude, 1, all);
    const Mask nan =
        unit.Vcmps<uint32_t>(Compare::kGt, magnitude, 0x7F800000, all);
    Reg exponent = unit.Vshrs<uint32_t>(magnitude, 23, all);
    exponent = unit.Vmaxs<uint32_t>(exponent, 127, all);
    exponent = unit.Vmins<uint32_t>(exponent, 129, all);
    const Reg magic =
        unit.Vshls<uint32_t>(unit.Vadds<int32_t>(exponent, 22, all), 23, all);
    const Reg rounded = unit.Vadd<float>(magnitude, magic, all);
    Reg code = unit.Vsub<uint32_t>(rounded, magic, all);
    exponent = unit.Vadds<int32_t>(exponent, -127, all);
    exponent = unit.Vshls<uint32_t>(exponent, 1, all);
    code = unit.Vadd<uint32_t>(code, exponent, all);
    code = unit.Vmins<uint32_t>(code, 7, all);
    const Reg with_sign =
        unit.Vsel<int32_t>(unit.Vadds<int32_t>(code, 8, all), code, negative);
    return unit.Vsel<int32_t>(code, with_sign, nan);
  };
  unit.BeginStage("magic");
  int registers = 0;
  for (int base = 0; base < 0x10000; base += 64) {
    for (const uint32_t between : {0u, 0x1000u}) {
      const Reg y = Reg::Of<uint32_t>([&](int i) {
        return absl::bit_cast<uint32_t>(
                   DecodeF16(static_cast<uint16_t>(base + i))) |
               between;
      });
      const Reg codes = codes_of(y);
      ++registers;
      for (int i = 0; i < 64; ++i) {
        ASSERT_EQ(codes.lane<uint32_t>(i), EncodeF4E2M1FN(y.lane<float>(i)))
            << y.lane<float>(i);
      }
    }
  }
  MX_ASSERT_OK(unit.Finish());
  EXPECT_EQ(unit.stages()[0].total(), 19 * registers);
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
