#include "tools/pairs/pass_pairs.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"
#include "passes/a5_pipeline.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;

std::string Program(const std::string& body) {
  return ir::ProgramText({ir::FunctionText("Orchestration", "main",
                                           "n: pl.Scalar[pl.INDEX]", body)});
}

class PassPairsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(
        ::testing::TempDir(), "/",
        ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = absl::StrCat(folder_, "/", name);
    EXPECT_THAT(CreateDirectories(path.substr(0, path.rfind('/'))), IsOk());
    EXPECT_THAT(WriteFileAtomically(path, text), IsOk());
    return path;
  }
  PairResult Check(const std::string& before, const std::string& expected) {
    return CheckPair(*FindPass("convert_to_ssa"), Write("a.before.py", before),
                     Write("a.expected.py", expected), {});
  }

  std::string folder_;
};

TEST_F(PassPairsTest, Verdicts) {
  const std::string before = Program("a = n\na = a + 1\nreturn a");
  EXPECT_EQ(Check(before, Program("b = n\nc = b + 1\nreturn c")).verdict,
            PairVerdict::kEqual);

  const PairResult other = Check(before, Program("b = n\nc = b + 2\nreturn c"));
  EXPECT_EQ(other.verdict, PairVerdict::kDifferent);
  EXPECT_EQ(other.detail, "main: body[1].value.rhs: 1, expected 2");

  const PairResult refused =
      Check(Program("if n > 1:\n    a = n\nreturn a"), Program("return n"));
  EXPECT_EQ(refused.verdict, PairVerdict::kRefused);
  EXPECT_THAT(refused.detail, HasSubstr("MX-TOSSA-1 line "));

  const PairResult unreadable = Check(before, "class");
  EXPECT_EQ(unreadable.verdict, PairVerdict::kUnreadable);
  EXPECT_THAT(unreadable.detail, HasSubstr("a.expected.py: MX-SYNTAX-7 "));
}

TEST_F(PassPairsTest, PreparesBothSides) {
  const std::string text = Program("a = n\na = a + 1\nreturn a");
  PairOptions options;
  options.prepare = {FindPass("convert_to_ssa")};
  EXPECT_EQ(
      CheckPair(*FindPass("flatten_call_expr"), Write("a.before.py", text),
                Write("a.expected.py", text), options)
          .verdict,
      PairVerdict::kEqual);
}

TEST_F(PassPairsTest, FindsThePairsOfAFolder) {
  Write("flatten_call_expr/b.before.py", "");
  Write("flatten_call_expr/b.expected.py", "");
  Write("ConvertToSSA/a.before.py", "");
  Write("ConvertToSSA/a.expected.py", "");
  Write("README.md", "");
  MX_ASSERT_OK_AND_ASSIGN(const auto pairs, FindPairs(folder_));
  ASSERT_EQ(pairs.size(), 2);
  EXPECT_EQ(pairs[0].name, "ConvertToSSA/a");
  EXPECT_EQ(pairs[0].pass->name(), "convert_to_ssa");
  EXPECT_EQ(pairs[1].name, "flatten_call_expr/b");
  EXPECT_EQ(pairs[1].expected,
            absl::StrCat(folder_, "/flatten_call_expr/b.expected.py"));
}

TEST_F(PassPairsTest, RefusesFoldersThatAreNone) {
  const auto not_found = [](const std::string& text) {
    return StatusIs(absl::StatusCode::kNotFound, HasSubstr(text));
  };
  EXPECT_THAT(FindPairs(folder_ + "/nowhere"), not_found("nowhere: "));
  Write("convert_to_ssa/a.before.py", "");
  EXPECT_THAT(FindPairs(folder_), not_found("a.before.py has no "));
  Write("convert_to_ssa/a.expected.py", "");
  Write("fold/a.before.py", "");
  Write("fold/a.expected.py", "");
  EXPECT_THAT(FindPairs(folder_), not_found("no pass 'fold'"));
}

}  // namespace
}  // namespace mxtile
