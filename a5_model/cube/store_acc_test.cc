#include "a5_model/cube/store_acc.h"

#include <cstdint>
#include <cstring>
#include <vector>

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

// Words of Acc hold their own index; the words of GM then name where they come
// from. An index walks the fractals: 16 columns, all rows, 16 words a row.
TEST(StoreAccTest, MovesEachWordOfEachShape) {
  constexpr int64_t kRows = 48;
  for (const int64_t rows : {1, 15, 16, 17, 48}) {
    for (const int64_t columns : {1, 15, 16, 17, 50, 64}) {
      for (const int64_t pitch : {columns, columns + 3}) {
        SCOPED_TRACE(absl::StrCat(rows, "x", columns, " pitch ", pitch));
        Machine machine;
        std::vector<uint32_t> words(kRows * 64);
        for (size_t i = 0; i < words.size(); ++i) words[i] = i;
        std::vector<uint8_t> bytes(words.size() * 4);
        std::memcpy(bytes.data(), words.data(), bytes.size());
        machine.memory(MemorySpace::kAcc).Poke(1024, bytes);
        const uint64_t gm = machine.AllocateGm("c", rows * pitch * 4);
        MX_ASSERT_OK(
            machine.WriteGm(gm, std::vector<uint8_t>(rows * pitch * 4, 0xEE)));
        MX_ASSERT_OK(
            StoreAcc(machine, {1024, kRows, rows, columns, gm, pitch}));

        std::vector<uint32_t> expected(rows * pitch, 0xEEEEEEEE);
        uint32_t word = 0;
        for (int64_t block = 0; block < 64; block += 16) {
          for (int64_t row = 0; row < kRows; ++row) {
            for (int64_t column = block; column < block + 16; ++column) {
              if (row < rows && column < columns) {
                expected[row * pitch + column] = word;
              }
              ++word;
            }
          }
        }
        MX_ASSERT_OK_AND_ASSIGN(const std::vector<uint8_t> stored,
                                machine.ReadGm(gm, rows * pitch * 4));
        std::vector<uint32_t> actual(rows * pitch);
        std::memcpy(actual.data(), stored.data(), stored.size());
        EXPECT_EQ(actual, expected);
      }
    }
  }
}

// The example of the header: element (17, 40) of [30, 50] in 32 rows of Acc.
TEST(StoreAccTest, WorkedExample) {
  Machine machine;
  machine.memory(MemorySpace::kAcc).Poke(0, std::vector<uint8_t>(32 * 64 * 4));
  machine.memory(MemorySpace::kAcc).Poke(5216, {1, 2, 3, 4});
  const uint64_t gm = machine.AllocateGm("c", 30 * 50 * 4);
  MX_ASSERT_OK(StoreAcc(machine, {0, 32, 30, 50, gm, 50}));
  std::vector<uint8_t> expected(30 * 50 * 4);
  for (int i = 0; i < 4; ++i) expected[3560 + i] = i + 1;
  EXPECT_THAT(machine.ReadGm(gm, 30 * 50 * 4), IsOkAndHolds(expected));
}

TEST(StoreAccTest, Traps) {
  Machine machine;
  const uint64_t gm = machine.AllocateGm("c", 16 * 16 * 4);
  EXPECT_THAT(StoreAcc(machine, {0, 16, 16, 16, gm, 16}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("FIXPIPE (instruction 1): reads [0x0, 0x40) "
                                 "of Acc: byte 0x0 was never written")));
  machine.memory(MemorySpace::kAcc).Poke(0, std::vector<uint8_t>(2048));
  EXPECT_THAT(StoreAcc(machine, {0, 16, 16, 16, gm, 8}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("already written by the same instruction")));
  EXPECT_THAT(StoreAcc(machine, {0, 16, 16, 17, gm, 17}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("of GM buffer 'c' (A5-MEM-1)")));
  EXPECT_THAT(StoreAcc(machine, {64, 16, 8, 16, gm, 16}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("0x40 of Acc is no multiple of 128")));
  EXPECT_THAT(StoreAcc(machine, {0, 10, 10, 16, gm, 16}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("source_rows is 10, no multiple of 16")));
  EXPECT_THAT(StoreAcc(machine, {0, 16, 17, 16, gm, 16}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("rows is 17, not in [1, 16]")));
}

TEST(StoreAccTest, BooksBytesAndCycles) {
  Machine machine;
  machine.memory(MemorySpace::kAcc).Poke(0, std::vector<uint8_t>(32 * 64 * 4));
  const uint64_t gm = machine.AllocateGm("c", 32 * 64 * 4);
  MX_ASSERT_OK(StoreAcc(machine, {0, 32, 32, 64, gm, 64}));
  EXPECT_EQ(machine.timeline().stats(Pipe::kFix).bytes, 8192);
  EXPECT_EQ(machine.timeline().stats(Pipe::kFix).cycles, 617);
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
