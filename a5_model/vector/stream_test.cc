// Unaligned streams: all lengths and offsets against a vector of bytes, and the
// ways to get them wrong.

#include <cstdint>
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

constexpr uint64_t kSeed = 3;

// Appends `count` elements three times at `offset` elements from 64, and checks
// after each what is in memory and what is held back; then flushes.
template <typename T>
void CheckStream(int count, int offset, bool post_update) {
  VectorDraw draw(kSeed);
  UbBench bench;
  VectorUnit& unit = bench.unit();
  AlignReg align;
  const UbPtr<T> begin = UbPtr<T>{64} + offset;
  UbPtr<T> moving = begin;
  std::vector<uint8_t> stream;
  for (int step = 0; step < 3; ++step) {
    const Reg value = draw.Bytes();
    if (post_update) {
      unit.VstusPost(align, count, value, &moving);
    } else {
      unit.Vstus(align, count, value, begin + step * count);
    }
    MX_ASSERT_OK(unit.status());
    stream.insert(stream.end(), value.bytes(),
                  value.bytes() + count * sizeof(T));
    const uint64_t end = begin.address + stream.size();
    // Whole blocks are in memory.
    const int held = end / 32 * 32 > begin.address
                         ? static_cast<int>(end % 32)
                         : static_cast<int>(stream.size());
    ASSERT_EQ(align.size(), held);
    const int in_memory = static_cast<int>(stream.size()) - held;
    ASSERT_EQ(bench.Read(begin.address, in_memory),
              std::vector<uint8_t>(stream.begin(), stream.begin() + in_memory));
    if (step == 2) {
      ASSERT_EQ(bench.Values(begin.address, in_memory + 32),
                std::string(in_memory, '1') + std::string(32, '.'));
    }
  }
  if (post_update) {
    ASSERT_EQ(moving, begin + 3 * count);
    unit.Vstas(align, moving);
  } else {
    unit.Vstas(align, begin, 3 * count);
  }
  MX_ASSERT_OK(unit.Finish());
  ASSERT_EQ(align.size(), 0);
  const int size = static_cast<int>(stream.size());
  ASSERT_EQ(bench.Read(begin.address, size), stream);
  // No byte before, none behind.
  ASSERT_EQ(
      bench.Values(begin.address - 64, 64 + size + 64),
      std::string(64, '.') + std::string(size, '1') + std::string(64, '.'));
}

TEST(VectorStreamTest, EveryLengthAndOffset) {
  for (int count = 1; count <= 64; ++count) {
    for (int offset = 0; offset < 32; ++offset) {
      SCOPED_TRACE(testing::Message() << count << " at " << offset);
      CheckStream<uint8_t>(count, offset, count % 2 == 0);
      if (offset < 16) CheckStream<uint16_t>(count, offset, offset % 2 == 0);
      if (offset < 8) CheckStream<float>(count, offset, count % 2 == 1);
      if (HasFatalFailure()) return;
    }
  }
  CheckStream<uint8_t>(256, 5, true);
  CheckStream<Half>(128, 3, true);
}

// Different lengths, one after the other, of zero too.
TEST(VectorStreamTest, MixedLengths) {
  VectorDraw draw(kSeed);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    UbBench bench;
    AlignReg align;
    UbPtr<uint16_t> moving = UbPtr<uint16_t>{64} + draw.Below(40);
    const uint64_t begin = moving.address;
    std::vector<uint8_t> stream;
    for (int step = 0; step < 12; ++step) {
      const int count = draw.Below(3) == 0 ? 0 : draw.Below(129);
      const Reg value = draw.Bytes();
      bench.unit().VstusPost(align, count, value, &moving);
      stream.insert(stream.end(), value.bytes(), value.bytes() + 2 * count);
    }
    bench.unit().Vstas(align, moving);
    MX_ASSERT_OK(bench.unit().Finish());
    ASSERT_EQ(bench.Read(begin, stream.size()), stream);
  }
}

// A register can begin another stream elsewhere after vstas, and two streams
// can be open.
TEST(VectorStreamTest, StreamsFollowEachOther) {
  UbBench bench;
  VectorUnit& unit = bench.unit();
  AlignReg rows;
  AlignReg other;
  UbPtr<uint8_t> side{1024};
  for (int row = 0; row < 3; ++row) {
    UbPtr<uint8_t> moving{static_cast<uint64_t>(100 * row)};
    const Reg value = unit.Vbr<uint8_t>(static_cast<uint8_t>(row + 1));
    unit.VstusPost(rows, 5, value, &moving);
    unit.VstusPost(other, 1, value, &side);
    unit.Vstas(rows, moving);
  }
  unit.Vstas(other, side);
  MX_ASSERT_OK(unit.Finish());
  EXPECT_EQ(bench.Read(200, 5), std::vector<uint8_t>(5, 3));
  EXPECT_EQ(bench.Values(100, 8), "11111...");
  EXPECT_EQ(bench.Read(1024, 3), (std::vector<uint8_t>{1, 2, 3}));
}

// Values that are missing stay missing, in memory and held back.
TEST(VectorStreamTest, MissingValuesGoAlong) {
  UbBench bench;
  AlignReg align;
  Reg value;
  ByteBits undefined;
  undefined.Set(1);
  undefined.Set(33);
  value.set_undefined(undefined);
  bench.unit().Vstus(align, 40, value, UbPtr<uint8_t>{0});
  EXPECT_EQ(bench.Values(0, 40), "1." + std::string(30, '1') + "........");
  bench.unit().Vstas(align, UbPtr<uint8_t>{40});
  EXPECT_EQ(bench.Values(32, 9), "1.111111.");
  // The register's next stream knows nothing of that.
  bench.unit().Vstus(align, 3, Reg(), UbPtr<uint8_t>{256});
  bench.unit().Vstas(align, UbPtr<uint8_t>{259});
  MX_ASSERT_OK(bench.unit().Finish());
  EXPECT_EQ(bench.Values(256, 4), "111.");
}

TEST(VectorStreamTest, FlushingNothingDoesNothing) {
  UbBench bench;
  AlignReg align;
  bench.unit().Vstus(align, 8, Reg(), UbPtr<float>{32});
  // 32 bytes filled their block; the address does not matter.
  bench.unit().Vstas(align, UbPtr<float>{0});
  MX_EXPECT_OK(bench.unit().Finish());
}

TEST(VectorStreamTest, Gap_A5_VEC_5) {
  UbBench bench;
  AlignReg align;
  bench.unit().Vstus(align, 3, Reg(), UbPtr<uint8_t>{64});
  bench.unit().Vstus(align, 3, Reg(), UbPtr<uint8_t>{68});
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vstus (instruction 2): continues at 0x44 a stream that "
                       "has come to 0x43 (A5-VEC-5)"));
}

TEST(VectorStreamTest, FlushElsewhere_A5_VEC_5) {
  UbBench bench;
  AlignReg align;
  bench.unit().Vstus(align, 3, Reg(), UbPtr<uint8_t>{64});
  bench.unit().Vstas(align, UbPtr<uint8_t>{64});
  EXPECT_THAT(bench.unit().status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "vstas (instruction 2): flushes at 0x40 a stream that "
                       "has come to 0x43 (A5-VEC-5)"));
}

TEST(VectorStreamTest, NeverFlushed_A5_VEC_5) {
  UbBench bench;
  AlignReg align;
  bench.unit().BeginStage("max");
  bench.unit().Vstus(align, 3, Reg(), UbPtr<uint8_t>{64});
  EXPECT_THAT(bench.unit().Finish(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "stage 'max' ends while a vstus stream still holds "
                       "[0x40, 0x43) of Vec: vstas is missing (A5-VEC-5)"));
}

TEST(VectorStreamTest, ReadTooEarly_A5_VEC_5) {
  UbBench bench;
  AlignReg align;
  bench.unit().Vstus(align, 3, Reg(), UbPtr<uint8_t>{96});
  bench.unit().Vlds(UbPtr<uint8_t>{128}, 0, LoadDist::kBlk);
  MX_EXPECT_OK(bench.unit().status());
  bench.unit().MemBar(Barrier::kVstVld);
  bench.unit().Vlds(UbPtr<uint8_t>{64}, 0);
  EXPECT_THAT(
      bench.unit().status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "vlds NORM (instruction 4): reads [0x40, 0x140) of Vec, of "
               "which a vstus stream still holds [0x60, 0x63) of Vec: vstas "
               "first (A5-VEC-5)"));
}

TEST(VectorStreamTest, CountAndAlignment) {
  {
    UbBench bench;
    AlignReg align;
    bench.unit().Vstus(align, 65, Reg(), UbPtr<float>{0});
    EXPECT_THAT(
        bench.unit().status(),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr("count is 65, not in [0, 64] (A5-FIELD-1)")));
  }
  {
    UbBench bench;
    AlignReg align;
    bench.unit().Vstus(align, 1, Reg(), UbPtr<float>{2});
    EXPECT_THAT(bench.unit().status(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("vstus (instruction 1): writes [0x2, 0x6) "
                                   "of Vec: the address is no multiple of 4 "
                                   "bytes (A5-MEM-2)")));
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
