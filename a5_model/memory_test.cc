#include "a5_model/memory.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Access kFirst = {"FIRST", 1};
constexpr Access kSecond = {"SECOND", 2};
constexpr Access kThird = {"THIRD", 3};

Memory SmallMemory() { return Memory("Toy", {/*limit_bytes=*/256, 32}); }

void Fill(Memory& memory, const Access& access, uint64_t address,
          const std::vector<uint8_t>& bytes) {
  MX_ASSERT_OK_AND_ASSIGN(absl::Span<uint8_t> to,
                          memory.Write(access, address, bytes.size()));
  for (size_t i = 0; i < bytes.size(); ++i) to[i] = bytes[i];
}

TEST(MemoryTest, ReadsWhatWasWritten) {
  Memory memory = SmallMemory();
  Fill(memory, kFirst, 64, {1, 2, 3});
  MX_ASSERT_OK_AND_ASSIGN(absl::Span<const uint8_t> bytes,
                          memory.Read(kSecond, 64, 3));
  EXPECT_THAT(bytes, ElementsAre(1, 2, 3));
}

// Every address and size around the end, at a unit of one byte.
TEST(MemoryTest, RangeTrapsExactlyOutside_A5_MEM_1) {
  Memory memory("Toy", {/*limit_bytes=*/8, /*access_bytes=*/1, /*base=*/16});
  for (uint64_t address = 10; address < 30; ++address) {
    for (int64_t size = 0; size < 12; ++size) {
      const bool inside = address >= 16 && address + size <= 24;
      EXPECT_EQ(memory.Check(kFirst, "reads", address, size).ok(), inside)
          << address << " + " << size;
    }
  }
}

TEST(MemoryTest, RangeMessage_A5_MEM_1) {
  Memory memory = SmallMemory();
  EXPECT_THAT(memory.Write(kFirst, 224, 33),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "FIRST (instruction 1): writes 33 bytes at 0xe0, "
                       "outside [0x0, 0x100) of Toy (A5-MEM-1)"));
  EXPECT_THAT(memory.Read(kFirst, 0xFFFFFFFFFFFFFFE0, 64),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("A5-MEM-1")));
}

TEST(MemoryTest, AlignmentTrapsAtEachOtherAddress_A5_MEM_2) {
  Memory memory = SmallMemory();
  for (uint64_t address = 0; address < 128; ++address) {
    EXPECT_EQ(
        memory.Write({"W", static_cast<uint32_t>(address + 1)}, address, 1)
            .ok(),
        address % 32 == 0)
        << address;
  }
  EXPECT_THAT(memory.Read(kFirst, 33, 4),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "FIRST (instruction 1): reads [0x21, 0x25) of Toy: the "
                       "address is no multiple of 32 bytes (A5-MEM-2)"));
}

TEST(MemoryTest, UninitialisedByteIsNamed_A5_MEM_3) {
  Memory memory = SmallMemory();
  Fill(memory, kFirst, 32, {1, 2, 3, 4});
  EXPECT_THAT(memory.Read(kSecond, 32, 5),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "SECOND (instruction 2): reads [0x20, 0x25) of Toy: "
                       "byte 0x24 was never written (A5-MEM-3)"));
  EXPECT_THAT(memory.Read(kSecond, 0, 1),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("byte 0x0 was never written")));
}

TEST(MemoryTest, OneInstructionWritesAByteOnce_A5_MEM_4) {
  Memory memory = SmallMemory();
  Fill(memory, kFirst, 32, {1, 2});
  EXPECT_THAT(
      memory.Write(kFirst, 0, 40),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "FIRST (instruction 1): writes [0x0, 0x28) of Toy: byte 0x20 "
               "was already written by the same instruction (A5-MEM-4)"));
  MX_EXPECT_OK(memory.Rewrite(kFirst, 32, 2));
  MX_EXPECT_OK(memory.Write(kSecond, 0, 40));
}

TEST(MemoryTest, CheckDisjointAgreesWithByteSets_A5_MEM_4) {
  for (uint64_t a = 0; a < 6; ++a) {
    for (int64_t a_size = 1; a_size < 4; ++a_size) {
      for (uint64_t b = 0; b < 6; ++b) {
        for (int64_t b_size = 1; b_size < 4; ++b_size) {
          bool shared = false;
          for (uint64_t byte = a; byte < a + a_size; ++byte) {
            shared = shared || (byte >= b && byte < b + b_size);
          }
          EXPECT_EQ(
              CheckDisjoint(kFirst, {"X", a, a_size}, {"X", b, b_size}).ok(),
              !shared);
          MX_EXPECT_OK(
              CheckDisjoint(kFirst, {"X", a, a_size}, {"Y", b, b_size}));
        }
      }
    }
  }
  EXPECT_THAT(CheckDisjoint(kFirst, {"X", 0, 32}, {"X", 16, 32}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "FIRST (instruction 1): [0x0, 0x20) of X and [0x10, "
                       "0x30) of X overlap (A5-MEM-4)"));
}

TEST(MemoryTest, CopyCarriesMissingValuesAlong) {
  Memory from = SmallMemory();
  Memory to = SmallMemory();
  Fill(from, kFirst, 0, {7, 8});
  Fill(to, kFirst, 32, {1, 1, 1, 1});
  MX_ASSERT_OK(to.Copy(kSecond, from, 0, 32, 4));
  EXPECT_TRUE(to.HasValue(32, 2));
  EXPECT_FALSE(to.HasValue(34, 1));
  EXPECT_FALSE(to.HasValue(35, 1));
  EXPECT_EQ(to.WriterOf(32, 4), 2);
  EXPECT_THAT(to.Read(kThird, 32, 3),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("byte 0x22 was never written")));
}

TEST(MemoryTest, CopyTraps) {
  Memory from = SmallMemory();
  Memory to = SmallMemory();
  EXPECT_THAT(to.Copy(kFirst, from, 224, 0, 64),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("reads")));
  EXPECT_THAT(to.Copy(kFirst, from, 0, 224, 64),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("writes")));
  EXPECT_THAT(
      to.Copy(kFirst, from, 1, 0, 4),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-MEM-2")));
  EXPECT_THAT(
      to.Copy(kFirst, to, 0, 32, 64),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-MEM-4")));
  MX_ASSERT_OK(to.Copy(kFirst, from, 0, 0, 64));
  EXPECT_THAT(
      to.Copy(kFirst, from, 64, 32, 64),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("A5-MEM-4")));
}

TEST(MemoryTest, CopyStridedGathersAndScatters) {
  Memory from = SmallMemory();
  Memory to = SmallMemory();
  std::vector<uint8_t> ascending(64);
  for (int i = 0; i < 64; ++i) ascending[i] = i;
  Fill(from, kFirst, 0, ascending);
  MX_ASSERT_OK(to.CopyStrided(kSecond, from, 3, 16, 5, 2, 4));
  EXPECT_THAT(to.Peek(5, 7), ElementsAre(3, 0, 19, 0, 35, 0, 51));
  EXPECT_FALSE(to.HasValue(6, 1));
  EXPECT_THAT(
      to.CopyStrided(kThird, from, 0, 100, 0, 1, 4),
      StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("reads 301 bytes")));
}

TEST(MemoryTest, WriterOfNeedsOneWriterForAllBytes) {
  Memory memory = SmallMemory();
  EXPECT_EQ(memory.WriterOf(0, 32), 0);
  Fill(memory, kFirst, 0, std::vector<uint8_t>(64));
  EXPECT_EQ(memory.WriterOf(0, 64), 1);
  EXPECT_EQ(memory.WriterOf(0, 65), 0);
  Fill(memory, kSecond, 32, {9});
  EXPECT_EQ(memory.WriterOf(0, 32), 1);
  EXPECT_EQ(memory.WriterOf(0, 64), 0);
  EXPECT_EQ(memory.WriterOf(32, 1), 2);
  EXPECT_EQ(memory.WriterOf(33, 31), 1);
  EXPECT_EQ(memory.WriterOf(224, 64), 0);
}

TEST(MemoryTest, PokeChangesABitButNotTheWriter) {
  Memory memory = SmallMemory();
  Fill(memory, kFirst, 0, {1, 2, 3});
  memory.Poke(1, {0x82});
  EXPECT_THAT(memory.Peek(0, 3), ElementsAre(1, 0x82, 3));
  EXPECT_EQ(memory.WriterOf(0, 3), 1);
  memory.Forget(1, 1);
  EXPECT_FALSE(memory.HasValue(0, 3));
  EXPECT_EQ(memory.WriterOf(0, 3), 0);
}

TEST(MemoryTest, AccessesThatKnowTheirOwnAlignment) {
  Memory memory = SmallMemory();
  EXPECT_TRUE(memory.IsInside(255, 1));
  EXPECT_TRUE(memory.IsInside(256, 0));
  EXPECT_FALSE(memory.IsInside(255, 2));
  EXPECT_FALSE(memory.IsInside(257, 0));
  *memory.Overwrite(kFirst, 33, 1, /*has_values=*/true) = 7;
  *memory.Overwrite(kSecond, 34, 1, /*has_values=*/false) = 8;
  EXPECT_EQ(memory.Bytes(33)[0], 7);
  EXPECT_EQ(memory.Bytes(33)[1], 8);
  EXPECT_TRUE(memory.HasValue(33, 1));
  EXPECT_FALSE(memory.HasValue(34, 1));
  EXPECT_EQ(memory.LastWriter(32), 0);
  EXPECT_EQ(memory.LastWriter(33), 1);
  EXPECT_EQ(memory.LastWriter(34), 2);
  EXPECT_TRUE(memory.Info(33, 1).has_values);
  EXPECT_FALSE(memory.Info(33, 2).has_values);
  EXPECT_EQ(memory.Info(33, 1).latest_writer, 1);
  EXPECT_EQ(memory.Info(32, 3).latest_writer, 2);
  EXPECT_EQ(memory.Info(0, 32).latest_writer, 0);
}

// What a memory is, byte by byte, without any thought of blocks.
struct PlainMemory {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> writer;
  std::vector<bool> has_value;

  explicit PlainMemory(int size) : bytes(size), writer(size), has_value(size) {}
};

// Random accesses of all kinds; after each the two agree about a random range
// and about every byte.
TEST(MemoryTest, BlocksOfOneStateAreOnlyFaster) {
  constexpr int kSize = 200;  // ends inside a block
  constexpr int kSeed = 20261201;
  SCOPED_TRACE(kSeed);
  std::mt19937 engine(kSeed);
  const auto below = [&](int limit) {
    return static_cast<int>(engine() % static_cast<uint32_t>(limit));
  };
  Memory memory("Toy", {kSize});
  Memory source("Source", {kSize});
  PlainMemory plain(kSize);
  PlainMemory plain_source(kSize);
  for (uint32_t id = 1; id <= 20000; ++id) {
    const Access access{"X", id};
    // Often whole blocks, which is where the two ways part.
    const bool blocks = below(2) == 0;
    const int address = blocks ? 32 * below(6) : below(kSize);
    const int size = blocks ? std::min(32 * (1 + below(3)), kSize - address)
                            : 1 + below(kSize - address);
    const auto set = [&](PlainMemory& m, int i, uint8_t byte, bool value) {
      m.bytes[i] = byte;
      m.writer[i] = id;
      m.has_value[i] = value;
    };
    switch (below(8)) {
      case 0: {
        MX_ASSERT_OK_AND_ASSIGN(absl::Span<uint8_t> to,
                                memory.Write(access, address, size));
        for (int i = 0; i < size; ++i) {
          to[i] = static_cast<uint8_t>(engine());
          set(plain, address + i, to[i], true);
        }
        break;
      }
      case 1:
        MX_ASSERT_OK(memory.Rewrite(access, address, size).status());
        for (int i = 0; i < size; ++i) {
          set(plain, address + i, plain.bytes[address + i], true);
        }
        break;
      case 2: {
        const bool value = below(2) == 0;
        uint8_t* const to = memory.Overwrite(access, address, size, value);
        for (int i = 0; i < size; ++i) {
          to[i] = static_cast<uint8_t>(engine());
          set(plain, address + i, to[i], value);
        }
        break;
      }
      case 3: {
        const int from = below(kSize - size + 1);
        MX_ASSERT_OK(memory.Copy(access, source, from, address, size));
        for (int i = 0; i < size; ++i) {
          set(plain, address + i, plain_source.bytes[from + i],
              plain_source.has_value[from + i]);
        }
        break;
      }
      case 4: {
        const int count = 1 + below(8);
        const int stride = 1 + below(12);
        const int from_stride = 1 + below(12);
        const int to = below(kSize - (count - 1) * stride);
        const int from = below(kSize - (count - 1) * from_stride);
        MX_ASSERT_OK(memory.CopyStrided(access, source, from, from_stride, to,
                                        stride, count));
        for (int i = 0; i < count; ++i) {
          set(plain, to + i * stride,
              plain_source.bytes[from + i * from_stride],
              plain_source.has_value[from + i * from_stride]);
        }
        break;
      }
      case 5: {
        memory.Forget(address, size);
        for (int i = address; i < address + size; ++i) {
          plain.writer[i] = 0;
          plain.has_value[i] = false;
        }
        break;
      }
      case 6: {
        const int at = std::min(address, kSize - 2);
        memory.Poke(at, {5, 6});
        plain.bytes[at] = 5;
        plain.bytes[at + 1] = 6;
        plain.has_value[at] = plain.has_value[at + 1] = true;
        break;
      }
      case 7: {
        const bool value = below(2) == 0;
        source.Overwrite(access, address, size, value);
        for (int i = 0; i < size; ++i) {
          set(plain_source, address + i, plain_source.bytes[address + i],
              value);
        }
        break;
      }
    }
    for (int i = 0; i < kSize; ++i) {
      ASSERT_EQ(memory.Bytes(i)[0], plain.bytes[i]) << id << " byte " << i;
      ASSERT_EQ(memory.LastWriter(i), plain.writer[i]) << id << " byte " << i;
      ASSERT_EQ(memory.HasValue(i, 1), plain.has_value[i])
          << id << " byte " << i;
    }
    const int begin = below(kSize);
    const int length = 1 + below(kSize - begin);
    bool values = true;
    bool same = true;
    uint32_t latest = 0;
    for (int i = begin; i < begin + length; ++i) {
      values = values && plain.has_value[i];
      same = same && plain.writer[i] == plain.writer[begin];
      latest = std::max(latest, plain.writer[i]);
    }
    ASSERT_EQ(memory.HasValue(begin, length), values) << id;
    ASSERT_EQ(memory.Info(begin, length).has_values, values) << id;
    ASSERT_EQ(memory.Info(begin, length).latest_writer, latest) << id;
    ASSERT_EQ(memory.WriterOf(begin, length), same ? plain.writer[begin] : 0)
        << id;
  }
}

TEST(MemoryTest, PacksNibbles) {
  Memory source = SmallMemory();
  Memory memory = SmallMemory();
  Fill(source, kFirst, 0, {0x21, 0xFF, 0x43, 0xFF, 0x65, 0xFF, 0x87});
  MX_ASSERT_OK(
      memory.PackNibbles(kSecond, source, 0, 2, Memory::Nibble::kLow, 64, 2));
  MX_ASSERT_OK(
      memory.PackNibbles(kThird, source, 0, 2, Memory::Nibble::kHigh, 66, 2));
  EXPECT_THAT(memory.Peek(64, 4), ElementsAre(0x31, 0x75, 0x42, 0x86));
  EXPECT_EQ(memory.WriterOf(64, 2), 2);
  EXPECT_EQ(memory.WriterOf(66, 2), 3);
  EXPECT_FALSE(memory.HasValue(68, 1));
}

TEST(MemoryTest, PackingNibblesTraps) {
  const Memory source = SmallMemory();
  Memory memory = SmallMemory();
  const auto pack = [&](uint64_t from, uint64_t to) {
    return memory.PackNibbles(kFirst, source, from, 32, Memory::Nibble::kLow,
                              to, 4);
  };
  EXPECT_THAT(pack(31, 0), IsOk());
  EXPECT_THAT(pack(32, 0),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("reads 225 bytes at 0x20, outside")));
  EXPECT_THAT(pack(0, 253), StatusIs(absl::StatusCode::kOutOfRange,
                                     HasSubstr("writes 4 bytes at 0xfd")));
  EXPECT_THAT(pack(0, 3),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("byte 0x3 was already written by the same "
                                 "instruction (A5-MEM-4)")));
  EXPECT_THAT(
      memory.PackNibbles(kSecond, memory, 0, 1, Memory::Nibble::kLow, 3, 2),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("[0x0, 0x4) of Toy and [0x3, 0x5) of Toy "
                         "overlap (A5-MEM-4)")));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
