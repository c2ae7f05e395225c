// `mxtile reduce` from outside: a program that a command of mxtile refuses
// becomes small, and wrong usage is said.

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/reduce/long_program_test_util.h"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;

class MxtileReduceTest : public ::testing::Test {
 protected:
  MxtileReduceTest() : tool_("tools/mxtile_main") {
    tool_.Write("long.py", LongProgramText());
  }

  const ToolRunner tool_;
};

int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(MxtileReduceTest, AnOffsetThatIsNotProven) {
  ASSERT_GE(Lines(LongProgramText()), 300);
  const std::string mxtile = ToolRunner::RepositoryFile("tools/mxtile_main");
  // The exit code of `prove` would take any offset; the rule is asked for.
  const ToolResult r = tool_.Run(
      {"reduce", "long.py", "-o", "small.py", "--exit-code", "1", "--cmd",
       "! " + mxtile + " lower --stop-after block_mx_scale_tensor_views {} " +
           "2>&1 | grep -q MX-OFFSET-3"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("kept, done"));
  const std::string small = tool_.Read("small.py");
  EXPECT_LT(Lines(small), 30) << small;
  const ToolResult lowered = tool_.Run({"lower", "small.py"});
  EXPECT_EQ(lowered.exit_code, 1);
  EXPECT_THAT(lowered.err, HasSubstr("[MX-OFFSET-3]"));
  EXPECT_EQ(tool_.Run({"check", "--require", "ssa_form", "small.py"}).exit_code,
            0);
}

TEST_F(MxtileReduceTest, ACommandThatSucceedsLeavesNothingToReduce) {
  const ToolResult r = tool_.Run({"reduce", "long.py", "--cmd", "test -f {}"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("[MX-REDUCE-1]"));
}

TEST_F(MxtileReduceTest, AnotherExitCodeIsNoFailure) {
  const ToolResult r = tool_.Run(
      {"reduce", "long.py", "--exit-code", "4", "--cmd", "exit 3 {}"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("[MX-REDUCE-1]"));
}

TEST_F(MxtileReduceTest, WrongUsage) {
  const ToolResult no_place =
      tool_.Run({"reduce", "long.py", "--cmd", "false"});
  EXPECT_EQ(no_place.exit_code, 2);
  EXPECT_THAT(no_place.err, HasSubstr("--cmd has no {}"));
  const ToolResult no_command =
      tool_.Run({"reduce", "long.py", "--cmd", "./no-such-command {}"});
  EXPECT_EQ(no_command.exit_code, 2);
  EXPECT_THAT(no_command.err, HasSubstr("exit code 127"));
  EXPECT_EQ(tool_.Run({"reduce", "none.py", "--cmd", "false {}"}).exit_code, 2);
}

}  // namespace
}  // namespace mxtile
