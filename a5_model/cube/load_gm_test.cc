#include "a5_model/cube/load_gm.h"

#include <cstdint>
#include <vector>

#include "a5_model/cube/provenance_test_util.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

// NZ by walking the destination from its first byte to its last: column blocks,
// in each the rows, in each row 32 bytes.
std::vector<int64_t> WalkNz(int64_t rows, int64_t row_bytes, int64_t row_pitch,
                            int64_t destination_rows) {
  std::vector<int64_t> walk;
  for (int64_t left = 0; left < row_bytes; left += 32) {
    for (int64_t row = 0; row < destination_rows; ++row) {
      for (int64_t byte = left; byte < left + 32; ++byte) {
        if (row >= rows) {
          walk.push_back(kNoValue);
        } else if (byte >= row_bytes) {
          walk.push_back(kZeroByte);
        } else {
          walk.push_back(row * row_pitch + byte);
        }
      }
    }
  }
  return walk;
}

TEST(LoadNd2NzTest, MovesEachByteOfEachShape) {
  for (const int64_t element_bytes : {1, 2}) {
    for (const int64_t rows : {1, 15, 16, 17, 48}) {
      for (const int64_t columns : {1, 16, 31, 32, 33, 64, 100}) {
        for (const int64_t extra_pitch : {0, 5}) {
          SCOPED_TRACE(absl::StrCat(rows, "x", columns, " of ", element_bytes,
                                    " bytes, pitch +", extra_pitch));
          const int64_t pitch = columns + extra_pitch;
          const int64_t destination_rows = (rows + 15) / 16 * 16;
          const std::vector<int64_t> expected =
              WalkNz(rows, columns * element_bytes, pitch * element_bytes,
                     destination_rows);
          EXPECT_EQ(TraceGm(rows * pitch * element_bytes, expected.size(),
                            [&](Machine& machine, uint64_t gm) {
                              return LoadNd2Nz(
                                  machine, {gm, rows, columns, element_bytes,
                                            pitch, 0, destination_rows});
                            }),
                    expected);
        }
      }
    }
  }
}

// The offsets that the layout page lists for a [32, 64] tile.
TEST(LoadNd2NzTest, ListedOffsets) {
  const std::vector<int64_t> from =
      TraceGm(32 * 64, 32 * 64, [](Machine& machine, uint64_t gm) {
        return LoadNd2Nz(machine, {gm, 32, 64, 1, 64, 0, 32});
      });
  const auto at = [](int64_t row, int64_t column) { return row * 64 + column; };
  EXPECT_EQ(from[31], at(0, 31));
  EXPECT_EQ(from[32], at(1, 0));
  EXPECT_EQ(from[511], at(15, 31));
  EXPECT_EQ(from[512], at(16, 0));
  EXPECT_EQ(from[1023], at(31, 31));
  EXPECT_EQ(from[1024], at(0, 32));
  EXPECT_EQ(from[1056], at(1, 32));
  EXPECT_EQ(from[2047], at(31, 63));
}

// The example of the header: element (17, 40) of [48, 64].
TEST(LoadNd2NzTest, WorkedExample) {
  const std::vector<int64_t> from =
      TraceGm(48 * 64, 48 * 64, [](Machine& machine, uint64_t gm) {
        return LoadNd2Nz(machine, {gm, 48, 64, 1, 64, 0, 48});
      });
  EXPECT_EQ(from[1 * 48 * 32 + 17 * 32 + 8], 17 * 64 + 40);
  EXPECT_EQ(from[2088], 1128);
}

// Pairs of groups: MX_A_DN [2, 32, 2] to the ZZ of [32, 4]. Row 17 and group 1
// are in box 1 * 2 + 0.
TEST(LoadNd2NzTest, WorkedExampleOfScalePairs) {
  const std::vector<int64_t> from =
      TraceGm(128, 128, [](Machine& machine, uint64_t gm) {
        return LoadNd2Nz(machine, {gm, 2, 32, /*element_bytes=*/2, 32, 0, 2});
      });
  EXPECT_EQ(from[2 * 32 + 1 * 2 + 1], 0 * 64 + 17 * 2 + 1);
  EXPECT_EQ(from[67], 35);
}

TEST(LoadNd2NzTest, Traps) {
  Machine machine;
  const uint64_t gm = machine.AllocateGm("a", 32 * 64);
  EXPECT_THAT(LoadNd2Nz(machine, {gm, 32, 64, 1, 64, 0, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("ND2NZ (instruction 1): reads [0x10000000, "
                                 "0x10000040) of GM buffer 'a': byte "
                                 "0x10000000 was never written (A5-MEM-3)")));
  MX_ASSERT_OK(machine.WriteGm(gm, std::vector<uint8_t>(32 * 64)));
  EXPECT_THAT(LoadNd2Nz(machine, {gm, 33, 64, 1, 64, 0, 48}),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("A5-MEM-1")));
  EXPECT_THAT(LoadNd2Nz(machine, {gm, 32, 64, 1, 64, 16, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("no multiple of 32 bytes (A5-MEM-2)")));
  EXPECT_THAT(
      LoadNd2Nz(machine, {gm, 32, 64, 1, 64, 524288 - 1024, 32}),
      StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("of Mat (A5-MEM-1)")));
  EXPECT_THAT(LoadNd2Nz(machine, {gm, 32, 64, 1, 64, 0, 16}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("destination_rows 16 is less than rows 32")));
  EXPECT_THAT(LoadNd2Nz(machine, {gm, 0, 64, 1, 64, 0, 16}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("rows is 0, not in [1, 65535] (A5-FIELD-1)")));
  EXPECT_THAT(LoadNd2Nz(machine, {gm, 8, 8, 4, 64, 0, 16}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("element_bytes is 4")));
}

TEST(LoadNd2NzTest, BooksBytesAndCycles) {
  Machine machine;
  const uint64_t gm = machine.AllocateGm("a", 32 * 64);
  MX_ASSERT_OK(machine.WriteGm(gm, std::vector<uint8_t>(32 * 64)));
  MX_ASSERT_OK(LoadNd2Nz(machine, {gm, 32, 64, 1, 64, 0, 32}));
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte2).bytes, 2048);
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte2).cycles, 76);
  EXPECT_EQ(machine.timeline().events()[0].name, "ND2NZ 32x64");
}

// Scales of A [M, G] in GM as boxes of whole matrix; a window of blocks and
// pairs arrives with the pitch of a wider tile.
TEST(LoadBurstsTest, ZzWindowKeepsBoxes) {
  constexpr int64_t kPairs = 4;  // in GM
  constexpr int64_t kTilePairs = 3;
  for (int64_t block = 0; block < 2; ++block) {
    for (int64_t pair = 0; pair < 3; ++pair) {
      const std::vector<int64_t> from =
          TraceGm(3 * kPairs * 32, 2 * kTilePairs * 32,
                  [&](Machine& machine, uint64_t gm) {
                    return LoadBursts(
                        machine, {gm + (block * kPairs + pair) * 32, 2, 2 * 32,
                                  kPairs * 32, 0, kTilePairs * 32});
                  });
      for (int64_t i = 0; i < 2 * kTilePairs * 32; ++i) {
        const int64_t box = i / 32;
        const int64_t b = box / kTilePairs;
        const int64_t p = box % kTilePairs;
        EXPECT_EQ(from[i], p < 2
                               ? ((block + b) * kPairs + pair + p) * 32 + i % 32
                               : kNoValue);
      }
    }
  }
}

TEST(LoadBurstsTest, Traps) {
  Machine machine;
  const uint64_t gm = machine.AllocateGm("s", 256);
  MX_ASSERT_OK(machine.WriteGm(gm, std::vector<uint8_t>(256)));
  EXPECT_THAT(LoadBursts(machine, {gm, 2, 64, 64, 0, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("already written by the same instruction "
                                 "(A5-MEM-4)")));
  EXPECT_THAT(
      LoadBursts(machine, {gm, 2, 64, 64, 0, 72}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-MEM-2")));
  EXPECT_THAT(
      LoadBursts(machine, {gm, 5, 64, 64, 0, 64}),
      StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("is in no GM buffer")));
  EXPECT_THAT(LoadBursts(machine, {gm + 224, 1, 64, 64, 0, 64}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("of GM buffer 's' (A5-MEM-1)")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
