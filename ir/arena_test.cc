#include "ir/arena.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

bool IsAligned(const void* address, size_t alignment) {
  return reinterpret_cast<uintptr_t>(address) % alignment == 0;
}

TEST(ArenaTest, KeepsCopies) {
  Arena arena;
  std::vector<int> numbers = {1, 2, 3};
  std::string text = "text";
  const absl::Span<const int> copy = arena.Copy<int>(numbers);
  const absl::string_view text_copy = arena.Copy(text);
  numbers = {7, 7, 7};
  text = "gone";
  EXPECT_THAT(copy, ElementsAre(1, 2, 3));
  EXPECT_EQ(text_copy, "text");
}

TEST(ArenaTest, NothingTakesNoBytes) {
  Arena arena;
  EXPECT_TRUE(arena.Copy(absl::Span<const int>()).empty());
  EXPECT_TRUE(arena.Copy(absl::string_view()).empty());
  EXPECT_EQ(arena.used_bytes(), 0);
}

TEST(ArenaTest, CountsTheBytesHandedOut) {
  Arena arena;
  arena.New<char>('a');
  arena.New<double>(1.0);
  arena.Copy<int32_t>({1, 2});
  EXPECT_EQ(arena.used_bytes(), 1 + 8 + 8);
}

TEST(ArenaTest, AlignsBehindOddSizes) {
  Arena arena;
  for (int i = 0; i < 100'000; ++i) {
    arena.Copy("odd");
    double* number = arena.New<double>(i);
    ASSERT_TRUE(IsAligned(number, alignof(double)));
    ASSERT_EQ(*number, i);
  }
}

TEST(ArenaTest, TakesListsLargerThanAChunk) {
  Arena arena;
  const std::vector<int> large(1 << 20, 7);
  const int* before = arena.New<int>(1);
  const absl::Span<const int> copy = arena.Copy<int>(large);
  const int* after = arena.New<int>(2);
  EXPECT_THAT(copy, Each(7));
  EXPECT_EQ(copy.size(), large.size());
  EXPECT_EQ(*before, 1);
  EXPECT_EQ(*after, 2);
}

}  // namespace
}  // namespace mxtile::ir
