// Loads against their formulas, at every address of a unit, and their traps.

#include <cstdint>
#include <cstring>
#include <functional>
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kSeed = 1;
constexpr int kUbBytes = 253952;

// Where each byte of the register comes from, relative to the address; -1 for
// a zero.
using Origin = std::function<int(int)>;

struct DistCase {
  LoadDist dist;
  const char* name;
  int size;
  int alignment;
  Origin origin;
};

// The formulas of docs/a5/load_store.md, in bytes.
std::vector<DistCase> Dists() {
  return {
      {LoadDist::kNorm, "NORM", 256, 32, [](int i) { return i; }},
      {LoadDist::kBrcB8, "BRC_B8", 1, 1, [](int) { return 0; }},
      {LoadDist::kBrcB16, "BRC_B16", 2, 2, [](int i) { return i % 2; }},
      {LoadDist::kBrcB32, "BRC_B32", 4, 4, [](int i) { return i % 4; }},
      {LoadDist::kUnpkB8, "UNPK_B8", 128, 32,
       [](int i) { return i % 2 == 0 ? i / 2 : -1; }},
      {LoadDist::kUnpkB16, "UNPK_B16", 128, 32,
       [](int i) { return i % 4 < 2 ? i / 4 * 2 + i % 4 : -1; }},
      {LoadDist::kBlk, "BLK", 32, 32, [](int i) { return i % 32; }},
      {LoadDist::kE2bB16, "E2B_B16", 16, 16,
       [](int i) { return i / 32 * 2 + i % 2; }},
      {LoadDist::kE2bB32, "E2B_B32", 32, 32,
       [](int i) { return i / 32 * 4 + i % 4; }},
  };
}

TEST(VectorLoadTest, EveryDistAtEveryAddressOfABlock) {
  VectorDraw draw(kSeed);
  const std::vector<uint8_t> bytes = RandomBytes(draw, 1024);
  for (const DistCase& c : Dists()) {
    for (int address = 0; address < 40; ++address) {
      SCOPED_TRACE(testing::Message() << c.name << " at " << address);
      UbBench bench;
      bench.Write(0, bytes);
      const Reg reg = bench.unit().Vlds(
          UbPtr<uint8_t>{static_cast<uint64_t>(address)}, 0, c.dist);
      if (address % c.alignment != 0) {
        EXPECT_THAT(bench.unit().status(),
                    StatusIs(absl::StatusCode::kInvalidArgument,
                             HasSubstr(std::string("vlds ") + c.name +
                                       " (instruction 2): reads ")));
        EXPECT_THAT(bench.unit().status(),
                    StatusIs(absl::StatusCode::kInvalidArgument,
                             HasSubstr("(A5-MEM-2)")));
        EXPECT_EQ(reg, Reg());
        continue;
      }
      MX_ASSERT_OK(bench.unit().status());
      const Reg expected = Reg::Of<uint8_t>([&](int i) {
        const int from = c.origin(i);
        return from < 0 ? 0 : bytes[address + from];
      });
      EXPECT_EQ(reg, expected);
    }
  }
}

// The last address at which a load fits, and the next.
TEST(VectorLoadTest, UbEnds_A5_MEM_1) {
  for (const DistCase& c : Dists()) {
    SCOPED_TRACE(c.name);
    UbBench bench;
    const uint64_t last = kUbBytes - c.size;
    bench.Write(last, std::vector<uint8_t>(c.size, 9));
    bench.unit().Vlds(UbPtr<uint8_t>{last}, 0, c.dist);
    MX_ASSERT_OK(bench.unit().status());
    bench.unit().Vlds(UbPtr<uint8_t>{last}, c.alignment, c.dist);
    EXPECT_THAT(bench.unit().status(),
                StatusIs(absl::StatusCode::kOutOfRange,
                         HasSubstr("outside [0x0, 0x3e000) of Vec (A5-MEM-1)")))
        << c.name;
  }
  UbBench bench;
  bench.unit().Vlds(UbPtr<float>{0}, -8);
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("A5-MEM-1")));
}

// Bytes that nobody wrote make bytes of the register without a value: the ones
// that come from them, and no others.
TEST(VectorLoadTest, MissingValuesFollowTheFormula) {
  VectorDraw draw(kSeed);
  for (const DistCase& c : Dists()) {
    SCOPED_TRACE(c.name);
    for (int round = 0; round < 20; ++round) {
      UbBench bench;
      std::vector<bool> written(c.size);
      for (int i = 0; i < c.size; ++i) {
        written[i] = draw.Below(4) != 0;
        if (written[i]) bench.Write(64 + i, {static_cast<uint8_t>(i)});
      }
      const Reg reg = bench.unit().Vlds(UbPtr<uint8_t>{64}, 0, c.dist);
      MX_ASSERT_OK(bench.unit().status());
      for (int i = 0; i < kVectorBytes; ++i) {
        const int from = c.origin(i);
        EXPECT_EQ(reg.undefined().Test(i), from >= 0 && !written[from]) << i;
      }
    }
  }
}

template <typename T>
void CheckDintlv() {
  constexpr int kWidth = sizeof(T);
  VectorDraw draw(kSeed);
  UbBench bench;
  std::vector<uint8_t> bytes = RandomBytes(draw, 1024);
  bench.Write(0, bytes);
  bench.ub().Forget(96, 3);  // and the register knows where that went
  const RegPair pair = bench.unit().VldsDintlv(UbPtr<T>{32}, 0);
  MX_ASSERT_OK(bench.unit().status());
  for (int i = 0; i < kVectorBytes; ++i) {
    const int even = 32 + i / kWidth * 2 * kWidth + i % kWidth;
    EXPECT_EQ(pair.first.bytes()[i], bytes[even]) << i;
    EXPECT_EQ(pair.second.bytes()[i], bytes[even + kWidth]) << i;
    EXPECT_EQ(pair.first.undefined().Test(i), even >= 96 && even < 99) << i;
    EXPECT_EQ(pair.second.undefined().Test(i),
              even + kWidth >= 96 && even + kWidth < 99)
        << i;
  }
  EXPECT_EQ(bench.unit().VldsDintlv(UbPtr<T>{33}, 0).first, Reg());
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("reads [0x21, 0x221) of Vec")));
}

TEST(VectorLoadTest, DintlvPartsEvenAndOdd) {
  CheckDintlv<uint8_t>();
  CheckDintlv<int16_t>();
  CheckDintlv<float>();
}

TEST(VectorLoadTest, DintlvReads512Bytes_A5_MEM_1) {
  UbBench bench;
  bench.unit().VldsDintlv(UbPtr<float>{kUbBytes - 480}, 0);
  EXPECT_THAT(bench.unit().status(), StatusIs(absl::StatusCode::kOutOfRange,
                                              HasSubstr("vlds DINTLV_B32")));
}

// Offsets count elements of the pointer's type; POST_UPDATE reads first.
TEST(VectorLoadTest, OffsetsAndPostUpdate) {
  VectorDraw draw(kSeed);
  UbBench bench;
  bench.Write(0, RandomBytes(draw, 4096));
  VectorUnit& unit = bench.unit();
  const UbPtr<uint8_t> base{0};
  EXPECT_EQ(unit.Vlds(UbPtr<float>{32}, 16), unit.Vlds(base, 96));
  EXPECT_EQ(unit.Vlds(UbPtr<Half>{64}, -16), unit.Vlds(base, 32));
  UbPtr<float> moving{32};
  EXPECT_EQ(unit.VldsPost(&moving, 24), unit.Vlds(base, 32));
  EXPECT_EQ(moving.address, 128);
  EXPECT_EQ(unit.VldsPost(&moving, -1, LoadDist::kBrcB32),
            unit.Vlds(base, 128, LoadDist::kBrcB32));
  EXPECT_EQ(moving.address, 124);
  UbPtr<BFloat> pairs{64};
  EXPECT_EQ(unit.VldsDintlvPost(&pairs, 256).second,
            unit.VldsDintlv(UbPtr<BFloat>{64}, 0).second);
  EXPECT_EQ(pairs.address, 64 + 512);
  MX_EXPECT_OK(unit.status());
}

// Lane i is base[index[i]], one element at a time.
template <typename T, typename Lane>
void CheckGather(int seed) {
  VectorDraw draw(seed);
  UbBench bench;
  const std::vector<uint8_t> bytes = RandomBytes(draw, 2048);
  bench.Write(256, bytes);
  constexpr int kElements = 2048 / static_cast<int>(sizeof(T));
  const UbPtr<T> base{256};
  for (const Mask& mask : draw.Masks<Lane>()) {
    Reg index = Reg::Of<Lane>([&](int) { return draw.Below(kElements); });
    Reg expected;
    for (int i = 0; i < kLanes<Lane>; ++i) {
      if (!mask.active<Lane>(i)) {
        index.set_lane<Lane>(i, static_cast<Lane>(0xFFFFFFFF));  // unused
        continue;
      }
      T element;
      std::memcpy(&element, &bytes[index.lane<Lane>(i) * sizeof(T)], sizeof(T));
      Lane lane = 0;
      std::memcpy(&lane, &element, sizeof(T));
      expected.set_lane<Lane>(i, lane);
    }
    EXPECT_EQ(bench.unit().Vgather2(base, index, mask), expected);
  }
  MX_EXPECT_OK(bench.unit().status());
}

TEST(VectorLoadTest, Gather) {
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    CheckGather<uint8_t, uint16_t>(seed);
    CheckGather<uint16_t, uint16_t>(seed);
    CheckGather<BFloat, uint16_t>(seed);
    CheckGather<uint32_t, uint32_t>(seed);
    CheckGather<float, uint32_t>(seed);
  }
}

TEST(VectorLoadTest, GatherTraps) {
  const Mask first2 = Mask::FirstLanes<uint16_t>(2);
  Reg index;
  index.set_lane<uint16_t>(1, 5);
  {
    UbBench bench;
    bench.unit().Vgather2(UbPtr<uint16_t>{1}, index, first2);
    EXPECT_THAT(bench.unit().status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("vgather2 (instruction 1): reads [0x1, 0x3) "
                                   "of Vec: the address is no multiple of 2")));
  }
  {
    UbBench bench;
    bench.unit().Vgather2(UbPtr<uint16_t>{kUbBytes - 10}, index, first2);
    EXPECT_THAT(bench.unit().status(),
                StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("A5-MEM-1")));
  }
  {
    UbBench bench;
    ByteBits undefined;
    undefined.Set(3);  // the high byte of lane 1
    index.set_undefined(undefined);
    bench.unit().Vgather2(UbPtr<uint16_t>{0}, index,
                          Mask::FirstLanes<uint16_t>(1));
    MX_EXPECT_OK(bench.unit().status());
    bench.unit().Vgather2(UbPtr<uint16_t>{0}, index, first2);
    EXPECT_THAT(
        bench.unit().status(),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 "vgather2 (instruction 2): the index in lane 1 depends on a "
                 "byte without a value (A5-MEM-3)"));
  }
}

// Elements without a value make lanes without one, also far apart.
TEST(VectorLoadTest, GatherOfMissingValues) {
  UbBench bench;
  bench.Write(0, {1, 2, 3, 4});
  bench.Write(100, {5, 6});
  Reg index;
  index.set_lane<uint16_t>(1, 1);
  index.set_lane<uint16_t>(2, 2);
  index.set_lane<uint16_t>(3, 50);
  const Reg reg = bench.unit().Vgather2(UbPtr<uint16_t>{0}, index,
                                        Mask::FirstLanes<uint16_t>(4));
  MX_ASSERT_OK(bench.unit().status());
  EXPECT_EQ(reg.lane<uint16_t>(0), 0x0201);
  EXPECT_EQ(reg.lane<uint16_t>(1), 0x0403);
  EXPECT_EQ(reg.lane<uint16_t>(3), 0x0605);
  ByteBits undefined;
  undefined.Set(4);
  undefined.Set(5);
  EXPECT_EQ(reg.undefined(), undefined);
}

// Reads beyond a buffer go on, with a warning, and what they read there has no
// value; DN->ZZ reads 256 bytes where 128 are its own.
TEST(VectorLoadTest, OverReadIsAWarning_A5_VEC_3) {
  UbBench bench;
  bench.Write(0, std::vector<uint8_t>(512, 7));
  VectorUnit& unit = bench.unit();
  unit.DeclareBuffer("exp", 0, 128);
  unit.DeclareBuffer("max", 128, 64);
  const Reg reg = unit.Vlds(UbPtr<uint8_t>{0}, 0);
  EXPECT_EQ(reg.bytes()[127], 7);
  EXPECT_EQ(reg.undefined(), ~ByteBits::First(128));
  // The same again is no news; another buffer is.
  unit.Vlds(UbPtr<uint8_t>{32}, 0);
  unit.Vlds(UbPtr<uint8_t>{128}, 0);
  unit.Vlds(UbPtr<uint8_t>{96}, 0, LoadDist::kBlk);  // inside
  unit.Vlds(UbPtr<uint8_t>{224}, 0, LoadDist::kBlk);
  MX_EXPECT_OK(unit.status());
  EXPECT_THAT(
      unit.warnings(),
      ElementsAre("vlds NORM (instruction 2): reads [0x0, 0x100) of Vec, 128 "
                  "bytes beyond buffer 'exp' [0x0, 0x80) (A5-VEC-3)",
                  "vlds NORM (instruction 4): reads [0x80, 0x180) of Vec, 192 "
                  "bytes beyond buffer 'max' [0x80, 0xc0) (A5-VEC-3)",
                  "vlds BLK (instruction 6): reads [0xe0, 0x100) of Vec, which "
                  "begins in no buffer (A5-VEC-3)"));
}

TEST(VectorLoadTest, WithoutBuffersNothingIsBeyond) {
  UbBench bench;
  bench.Write(0, std::vector<uint8_t>(512, 7));
  const Reg reg = bench.unit().Vlds(UbPtr<uint8_t>{0}, 0);
  EXPECT_EQ(reg.undefined(), ByteBits());
  EXPECT_THAT(bench.unit().warnings(), IsEmpty());
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
