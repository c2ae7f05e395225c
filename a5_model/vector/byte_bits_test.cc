#include "a5_model/vector/byte_bits.h"

#include <bitset>
#include <cstdint>
#include <random>

#include "a5_model/vector/lane_type.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int kSeed = 5;

ByteBits Draw(std::mt19937_64& engine) {
  ByteBits bits;
  for (uint64_t& word : bits.words()) word = engine() & engine();
  return bits;
}

std::bitset<256> Plain(const ByteBits& bits) {
  std::bitset<256> plain;
  for (int i = 0; i < 256; ++i) plain[i] = bits.Test(i);
  return plain;
}

TEST(ByteBitsTest, FirstAndBlocks) {
  for (int count = 0; count <= 256; ++count) {
    const ByteBits bits = ByteBits::First(count);
    for (int i = 0; i < 256; ++i) ASSERT_EQ(bits.Test(i), i < count) << count;
    for (int block = 0; block < 8; ++block) {
      for (int i = 0; i < 256; ++i) {
        ASSERT_EQ(bits.Block(block).Test(i), i < 32 && 32 * block + i < count)
            << count << " block " << block;
      }
    }
  }
}

template <typename T>
void CheckLanes(const ByteBits& bits) {
  constexpr int kWidth = sizeof(T);
  for (int i = 0; i < 256; ++i) {
    const int lane = i / kWidth * kWidth;
    bool any = false;
    for (int b = 0; b < kWidth; ++b) any = any || bits.Test(lane + b);
    ASSERT_EQ(bits.Lanes<T>().Test(i), i == lane && bits.Test(i));
    ASSERT_EQ(bits.Spread<T>().Test(i), bits.Test(lane));
    ASSERT_EQ(bits.Widen<T>().Test(i), any);
  }
  for (int count = 0; count <= kLanes<T>; ++count) {
    for (int i = 0; i < 256; ++i) {
      ASSERT_EQ(ByteBits::FirstLanes<T>(count).Test(i),
                i % kWidth == 0 && i / kWidth < count);
    }
  }
}

TEST(ByteBitsTest, LanesSpreadAndWiden) {
  std::mt19937_64 engine(kSeed);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    const ByteBits bits = Draw(engine) & Draw(engine);
    CheckLanes<uint8_t>(bits);
    CheckLanes<Half>(bits);
    CheckLanes<float>(bits);
  }
}

TEST(ByteBitsTest, LogicAndEquality) {
  std::mt19937_64 engine(kSeed);
  for (int round = 0; round < 200; ++round) {
    const ByteBits a = Draw(engine);
    const ByteBits b = Draw(engine);
    EXPECT_EQ(Plain(a & b), Plain(a) & Plain(b));
    EXPECT_EQ(Plain(a | b), Plain(a) | Plain(b));
    EXPECT_EQ(Plain(a ^ b), Plain(a) ^ Plain(b));
    EXPECT_EQ(Plain(~a), ~Plain(a));
    EXPECT_EQ(a == b, Plain(a) == Plain(b));
    EXPECT_NE(a != a, a == a);
  }
  EXPECT_FALSE(ByteBits().any());
  for (int i = 0; i < 256; ++i) {
    ByteBits one;
    one.Set(i);
    EXPECT_TRUE(one.any());
    EXPECT_EQ(Plain(one).count(), 1);
    EXPECT_TRUE(one.Test(i));
    EXPECT_NE(one, ByteBits());
  }
  EXPECT_TRUE(Plain(ByteBits::All()).all());
}

TEST(ByteBitsTest, NextSetAndClear) {
  std::mt19937_64 engine(kSeed);
  for (int round = 0; round < 50; ++round) {
    const ByteBits bits = round == 0   ? ByteBits()
                          : round == 1 ? ByteBits::All()
                                       : Draw(engine) & Draw(engine);
    for (int begin = 0; begin <= 256; ++begin) {
      int set = begin;
      while (set < 256 && !bits.Test(set)) ++set;
      int clear = begin;
      while (clear < 256 && bits.Test(clear)) ++clear;
      ASSERT_EQ(bits.NextSet(begin), set) << round << " from " << begin;
      ASSERT_EQ(bits.NextClear(begin), clear) << round << " from " << begin;
    }
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
