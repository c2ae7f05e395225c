// Aligned stores against their formulas, under every kind of mask, and their
// traps.

#include <algorithm>
#include <cstdint>
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

constexpr uint64_t kSeed = 2;
constexpr int kUbBytes = 253952;

struct DistCase {
  StoreDist dist;
  const char* name;
  int lane_bytes;  // the mask's bit of byte i is that of i / lane_bytes
  int kept_bytes;
  int lanes;
  int alignment;
};

// NORM depends on T and is a case of each width.
std::vector<DistCase> Dists() {
  return {{StoreDist::kNorm, "NORM", 1, 1, 256, 32},
          {StoreDist::kNorm, "NORM", 2, 2, 128, 32},
          {StoreDist::kNorm, "NORM", 4, 4, 64, 32},
          {StoreDist::kPkB16, "PK_B16", 2, 1, 128, 32},
          {StoreDist::kPkB32, "PK_B32", 4, 2, 64, 32},
          {StoreDist::kPk4B32, "PK4_B32", 4, 1, 64, 32},
          {StoreDist::kOneptB8, "ONEPT_B8", 1, 1, 1, 1},
          {StoreDist::kOneptB16, "ONEPT_B16", 2, 2, 1, 2},
          {StoreDist::kOneptB32, "ONEPT_B32", 4, 4, 1, 4}};
}

void StoreAs(VectorUnit& unit, const DistCase& c, const Reg& value,
             uint64_t address, const Mask& mask) {
  if (c.dist == StoreDist::kNorm && c.lane_bytes == 1) {
    unit.Vsts(value, UbPtr<uint8_t>{address}, 0, c.dist, mask);
  } else if (c.dist == StoreDist::kNorm && c.lane_bytes == 2) {
    unit.Vsts(value, UbPtr<Half>{address}, 0, c.dist, mask);
  } else {
    unit.Vsts(value, UbPtr<float>{address}, 0, c.dist, mask);
  }
}

std::vector<Mask> MasksOf(VectorDraw& draw, int lane_bytes) {
  if (lane_bytes == 1) return draw.Masks<uint8_t>();
  if (lane_bytes == 2) return draw.Masks<uint16_t>();
  return draw.Masks<uint32_t>();
}

// Bytes that are written, and whether they have a value; -1 where nothing is.
std::vector<int> Written(const DistCase& c, const Reg& value,
                         const Mask& mask) {
  std::vector<int> bytes(c.lanes * c.kept_bytes, -1);
  for (int lane = 0; lane < c.lanes; ++lane) {
    if (!mask.bits().Test(lane * c.lane_bytes)) continue;
    for (int b = 0; b < c.kept_bytes; ++b) {
      bytes[lane * c.kept_bytes + b] = value.bytes()[lane * c.lane_bytes + b];
    }
  }
  return bytes;
}

TEST(VectorStoreTest, EveryDistUnderEveryMask) {
  VectorDraw draw(kSeed);
  for (const DistCase& c : Dists()) {
    SCOPED_TRACE(testing::Message() << c.name << " of " << c.lane_bytes);
    for (const Mask& mask : MasksOf(draw, c.lane_bytes)) {
      UbBench bench;
      std::vector<uint8_t> around = RandomBytes(draw, 512);
      bench.Write(0, around);
      const Reg value = draw.Bytes();
      StoreAs(bench.unit(), c, value, 128, mask);
      MX_ASSERT_OK(bench.unit().status());
      const std::vector<int> written = Written(c, value, mask);
      for (size_t i = 0; i < written.size(); ++i) {
        if (written[i] >= 0) around[128 + i] = written[i];
      }
      EXPECT_EQ(bench.Read(0, 512), around);
    }
  }
}

// Where nothing was: bytes get values where lanes are active, and where these
// have values themselves.
TEST(VectorStoreTest, ValuesGoWithTheBytes) {
  VectorDraw draw(kSeed);
  for (const DistCase& c : Dists()) {
    SCOPED_TRACE(testing::Message() << c.name << " of " << c.lane_bytes);
    for (const Mask& mask : MasksOf(draw, c.lane_bytes)) {
      UbBench bench;
      bench.Write(128 + 7, {1});  // loses its value when it is overwritten
      Reg value = draw.Bytes();
      value.set_undefined(draw.Bits() & draw.Bits());
      StoreAs(bench.unit(), c, value, 128, mask);
      MX_ASSERT_OK(bench.unit().status());
      std::string expected(c.lanes * c.kept_bytes, '.');
      if (expected.size() > 7) expected[7] = '1';
      for (int lane = 0; lane < c.lanes; ++lane) {
        if (!mask.bits().Test(lane * c.lane_bytes)) continue;
        for (int b = 0; b < c.kept_bytes; ++b) {
          expected[lane * c.kept_bytes + b] =
              value.undefined().Test(lane * c.lane_bytes + b) ? '.' : '1';
        }
      }
      EXPECT_EQ(bench.Values(128, expected.size()), expected);
    }
  }
}

TEST(VectorStoreTest, AlignmentAtEveryAddressOfABlock_A5_MEM_2) {
  for (const DistCase& c : Dists()) {
    for (int address = 0; address < 40; ++address) {
      UbBench bench;
      StoreAs(bench.unit(), c, Reg(), address, Mask(ByteBits::All()));
      if (address % c.alignment == 0) {
        MX_EXPECT_OK(bench.unit().status()) << c.name << " at " << address;
      } else {
        EXPECT_THAT(bench.unit().status(),
                    StatusIs(absl::StatusCode::kInvalidArgument,
                             HasSubstr(std::string("vsts ") + c.name +
                                       " (instruction 1): writes ")));
        EXPECT_THAT(bench.unit().status(),
                    StatusIs(absl::StatusCode::kInvalidArgument,
                             HasSubstr("(A5-MEM-2)")));
      }
    }
  }
}

// Only active lanes have to be inside.
TEST(VectorStoreTest, UbEnds_A5_MEM_1) {
  UbBench bench;
  const UbPtr<float> last{kUbBytes - 32};
  bench.unit().Vsts(Reg(), last, 0, StoreDist::kNorm,
                    Mask::FirstLanes<float>(8));
  MX_EXPECT_OK(bench.unit().status());
  bench.unit().Vsts(Reg(), last, 0, StoreDist::kNorm,
                    Mask::FirstLanes<float>(9));
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("vsts NORM (instruction 2): writes 36 bytes "
                                 "at 0x3dfe0, outside [0x0, 0x3e000) of Vec "
                                 "(A5-MEM-1)")));
}

TEST(VectorStoreTest, PostUpdate) {
  UbBench bench;
  UbPtr<uint16_t> moving{64};
  const Reg value = Reg::Of<uint16_t>([](int i) { return i; });
  bench.unit().VstsPost(value, &moving, 16, StoreDist::kNorm,
                        Mask::FirstLanes<uint16_t>(2));
  EXPECT_EQ(moving.address, 96);
  EXPECT_THAT(bench.Read(64, 4), ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(bench.Values(60, 40), "....1111................................");
}

template <typename T>
void CheckIntlv() {
  VectorDraw draw(kSeed);
  for (const Mask& mask : draw.Masks<T>()) {
    UbBench bench;
    const Reg even = draw.Bytes();
    const Reg odd = draw.Bytes();
    bench.unit().VstsIntlv(even, odd, UbPtr<T>{64}, 0, mask);
    MX_ASSERT_OK(bench.unit().status());
    constexpr int kWidth = sizeof(T);
    const std::vector<uint8_t> actual = bench.Read(64, 512);
    const std::string values = bench.Values(64, 512);
    for (int i = 0; i < 512; ++i) {
      const int lane = i / (2 * kWidth);
      const Reg& source = i / kWidth % 2 == 0 ? even : odd;
      ASSERT_EQ(values[i] == '1', mask.active<T>(lane)) << i;
      if (!mask.active<T>(lane)) continue;
      ASSERT_EQ(actual[i], source.bytes()[lane * kWidth + i % kWidth]) << i;
    }
  }
  // The inverse of DINTLV.
  UbBench bench;
  bench.Write(0, RandomBytes(draw, 512));
  const RegPair pair = bench.unit().VldsDintlv(UbPtr<T>{0}, 0);
  bench.unit().VstsIntlv(pair.first, pair.second, UbPtr<T>{512}, 0,
                         Mask::All<T>());
  EXPECT_EQ(bench.Read(512, 512), bench.Read(0, 512));
}

TEST(VectorStoreTest, IntlvZipsTwoRegisters) {
  CheckIntlv<uint8_t>();
  CheckIntlv<Half>();
  CheckIntlv<int32_t>();
}

// Block b to b block strides; inactive lanes untouched; then the pointer moves.
template <typename T>
void CheckVsstb(int block_stride, int repeat_stride) {
  VectorDraw draw(kSeed);
  for (const Mask& mask : draw.Masks<T>()) {
    UbBench bench;
    const Reg value = draw.Bytes();
    std::vector<uint8_t> around = RandomBytes(draw, 4096);
    bench.Write(0, around);
    UbPtr<T> destination{64};
    bench.unit().Vsstb(value, &destination,
                       VsstbConfig(block_stride, repeat_stride), mask);
    MX_ASSERT_OK(bench.unit().status());
    EXPECT_EQ(destination.address, 64 + 32 * repeat_stride);
    for (int i = 0; i < kVectorBytes; ++i) {
      if (!mask.active<T>(i / static_cast<int>(sizeof(T)))) continue;
      around[64 + i / 32 * 32 * block_stride + i % 32] = value.bytes()[i];
    }
    EXPECT_EQ(bench.Read(0, 4096), around);
  }
}

TEST(VectorStoreTest, VsstbScattersBlocks) {
  CheckVsstb<uint8_t>(1, 8);
  CheckVsstb<uint8_t>(9, 0);
  CheckVsstb<BFloat>(2, 65535);
  CheckVsstb<float>(3, 1);
}

TEST(VectorStoreTest, VsstbOnToItself_A5_MEM_4) {
  UbBench bench;
  UbPtr<uint8_t> destination{64};
  // One block is fine.
  bench.unit().Vsstb(Reg(), &destination, VsstbConfig(0, 0),
                     Mask::FirstLanes<uint8_t>(32));
  MX_EXPECT_OK(bench.unit().status());
  bench.unit().Vsstb(Reg(), &destination, VsstbConfig(0, 0),
                     Mask::FirstLanes<uint8_t>(33));
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vsstb (instruction 2): writes [0x40, 0x60) of Vec "
                       "twice: the block stride is 0 (A5-MEM-4)"));
}

TEST(VectorStoreTest, VsstbIsAligned_A5_MEM_2) {
  UbBench bench;
  UbPtr<float> destination{68};
  bench.unit().Vsstb(Reg(), &destination, VsstbConfig(1, 1),
                     Mask::All<float>());
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("vsstb (instruction 1): writes [0x44, 0x64) "
                                 "of Vec: the address is no multiple of 32")));
}

// What the seed warns of: the four-argument form takes the stride config for an
// offset, and writes 256 bytes side by side.
TEST(VectorStoreTest, VsstbWithFourArgumentsDoesNotScatter) {
  VectorDraw draw(kSeed);
  const Reg value = draw.Bytes();
  const Mask all = Mask::All<uint8_t>();
  UbBench five;
  UbPtr<uint8_t> destination{0};
  five.unit().Vsstb(value, &destination, VsstbConfig(2, 0), all);
  UbBench four;
  four.unit().VsstbOffset(value, UbPtr<uint8_t>{0}, VsstbConfig(2, 0), all);
  EXPECT_EQ(four.Read(0, 256),
            std::vector<uint8_t>(value.bytes(), value.bytes() + 256));
  EXPECT_EQ(four.Values(256, 256), std::string(256, '.'));
  EXPECT_NE(five.Values(0, 512), four.Values(0, 512));
  // An offset is where in the register to begin.
  UbBench rotated;
  rotated.unit().VsstbOffset(value, UbPtr<uint8_t>{0}, 40, all);
  std::vector<uint8_t> expected(value.bytes(), value.bytes() + 256);
  std::rotate(expected.begin(), expected.begin() + 40, expected.end());
  EXPECT_EQ(rotated.Read(0, 256), expected);
}

// A predicate that depends on bytes without a value decides what is written.
TEST(VectorStoreTest, UnknownPredicate_A5_MEM_3) {
  ByteBits undefined;
  undefined.Set(8);  // lane 2 of b32
  const Mask mask(ByteBits::FirstLanes<float>(2), undefined);
  UbBench bench;
  bench.unit().Vsts(Reg(), UbPtr<float>{0}, 0, StoreDist::kOneptB32, mask);
  MX_EXPECT_OK(bench.unit().status());  // looks at lane 0 only
  bench.unit().Vsts(Reg(), UbPtr<float>{0}, 0, StoreDist::kNorm, mask);
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vsts NORM (instruction 2): the predicate of lane 2 "
                       "depends on a byte without a value (A5-MEM-3)"));
}

TEST(VectorStoreTest, StoresStayInTheirBuffer_A5_VEC_2) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  unit.DeclareBuffer("exp", 64, 100);
  unit.Vsts(Reg(), UbPtr<uint8_t>{64}, 0, StoreDist::kNorm,
            Mask::FirstLanes<uint8_t>(100));
  MX_EXPECT_OK(unit.status());
  EXPECT_THAT(unit.warnings(), IsEmpty());
  unit.Vsts(Reg(), UbPtr<uint8_t>{64}, 0, StoreDist::kNorm,
            Mask::FirstLanes<uint8_t>(101));
  EXPECT_THAT(
      unit.status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "vsts NORM (instruction 2): writes [0x40, 0xa5) of Vec, 1 bytes "
               "beyond buffer 'exp' [0x40, 0xa4) (A5-VEC-2)"));
  UbBench other;
  other.unit().DeclareBuffer("exp", 64, 100);
  other.unit().Vsts(Reg(), UbPtr<uint8_t>{0}, 0, StoreDist::kOneptB8,
                    Mask::FirstLanes<uint8_t>(1));
  EXPECT_THAT(other.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vsts ONEPT_B8 (instruction 1): writes [0x0, 0x1) of "
                       "Vec, which begins in no buffer (A5-VEC-2)"));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
