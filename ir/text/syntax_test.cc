#include "ir/text/syntax.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir::text {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SyntaxTest, AsIsNullForOtherKinds) {
  SyntaxTree tree;
  const Expr* const expr = tree.New<Name>();
  EXPECT_EQ(expr->As<Name>(), expr);
  EXPECT_EQ(expr->As<Int>(), nullptr);
  const Stmt* const statement = tree.New<Pass>();
  EXPECT_EQ(statement->As<Pass>(), statement);
  EXPECT_EQ(statement->As<Break>(), nullptr);
}

TEST(SyntaxTest, OperatorsHaveTexts) {
  std::vector<std::string> texts;
  for (int op = 0; op <= static_cast<int>(BinaryOp::kPower); ++op) {
    texts.emplace_back(BinaryOpText(static_cast<BinaryOp>(op)));
  }
  EXPECT_THAT(texts, ElementsAre("or", "xor", "and", "==", "!=", "<", "<=", ">",
                                 ">=", "|", "^", "&", "<<", ">>", "+", "-", "*",
                                 "/", "//", "%", "**"));
  EXPECT_EQ(UnaryOpText(UnaryOp::kNegate), "-");
  EXPECT_EQ(UnaryOpText(UnaryOp::kPlus), "+");
  EXPECT_EQ(UnaryOpText(UnaryOp::kInvert), "~");
  EXPECT_EQ(UnaryOpText(UnaryOp::kNot), "not");
}

TEST(SyntaxTreeTest, CopiesAreTheTreesOwn) {
  SyntaxTree tree;
  std::string text = "some text";
  const absl::string_view copy = tree.CopyString(text);
  text = "other text";
  EXPECT_EQ(copy, "some text");
  EXPECT_EQ(tree.CopyString(""), "");
  EXPECT_THAT(tree.Copy(absl::Span<const int64_t>()), IsEmpty());
}

// Small and large, aligned and not, over many chunks: nothing overlaps.
TEST(SyntaxTreeTest, AllocationsKeepTheirContents) {
  SyntaxTree tree;
  std::vector<absl::string_view> strings;
  std::vector<absl::Span<const int64_t>> lists;
  for (int i = 0; i < 2000; ++i) {
    strings.push_back(tree.CopyString(std::string(i % 7, 'a' + i % 26)));
    lists.push_back(
        tree.Copy(absl::MakeConstSpan(std::vector<int64_t>(i % 100, i))));
  }
  const std::vector<int64_t> large(100'000, 7);
  lists.push_back(tree.Copy(absl::MakeConstSpan(large)));
  EXPECT_EQ(lists.back(), absl::MakeConstSpan(large));
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(strings[i], std::string(i % 7, 'a' + i % 26));
    ASSERT_EQ(lists[i].size(), i % 100);
    ASSERT_THAT(lists[i], Each(i));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(lists[i].data()) % alignof(int64_t),
              0);
  }
}

}  // namespace
}  // namespace mxtile::ir::text
