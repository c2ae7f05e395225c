// Programs in their three forms: what `mxtile convert` makes, and that all
// commands read it.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kBinary[] = "tools/mxtile_main";

class MxtileConvertTest : public ::testing::Test {
 protected:
  MxtileConvertTest() : tool_(kBinary) {
    tool_.Write("p.py", *ReadFile(ToolRunner::RepositoryFile(
                            "testdata/programs/mxfp8_gemm_bias.py")));
  }
  void Convert(const std::string& in, const std::string& out) {
    const ToolResult r = tool_.Run({"convert", in, out});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.err, IsEmpty());
  }

  ToolRunner tool_;
};

TEST_F(MxtileConvertTest, EachFormIntoEachOther) {
  Convert("p.py", "canonical.py");
  Convert("p.py", "a.mxpb");
  Convert("a.mxpb", "a.textproto");
  Convert("a.textproto", "b.mxpb");
  Convert("b.mxpb", "b.py");
  EXPECT_TRUE(tool_.Read("a.mxpb") == tool_.Read("b.mxpb"));
  EXPECT_EQ(tool_.Read("b.py"), tool_.Read("canonical.py"));
  EXPECT_EQ(tool_.Run({"convert", "a.mxpb", "-"}).out,
            tool_.Read("canonical.py"));
  EXPECT_TRUE(tool_.Run({"convert", "a.textproto", "-", "--to", "pb"}).out ==
              tool_.Read("a.mxpb"));
}

TEST_F(MxtileConvertTest, AllCommandsReadAllForms) {
  Convert("p.py", "a.mxpb");
  Convert("p.py", "a.textproto");
  for (const char* file : {"a.mxpb", "a.textproto"}) {
    EXPECT_EQ(tool_.Run({"check", file}).exit_code, 0) << file;
    EXPECT_EQ(tool_.Run({"diff", "p.py", file}).exit_code, 0) << file;
    EXPECT_EQ(tool_.Run({"lower", file}).out, tool_.Run({"lower", "p.py"}).out);
    const ToolResult run = tool_.Run({"run", file});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  // A pass's output is written in the form of its name.
  ASSERT_EQ(tool_.Run({"lower", "p.py", "-o", "l.mxpb"}).exit_code, 0);
  EXPECT_EQ(tool_.Run({"convert", "l.mxpb", "-"}).out,
            tool_.Run({"lower", "p.py"}).out);
  EXPECT_EQ(tool_.Run({"lower", "p.py", "--emit", "textproto"}).out,
            tool_.Run({"convert", "l.mxpb", "-", "--to", "textproto"}).out);
}

TEST_F(MxtileConvertTest, NamesOrContentsOrOptionsSayTheForm) {
  Convert("p.py", "a.mxpb");
  tool_.Write("unnamed", tool_.Read("a.mxpb"));
  EXPECT_EQ(tool_.Run({"diff", "p.py", "unnamed"}).exit_code, 0);
  EXPECT_EQ(tool_.Run({"convert", "unnamed", "-", "--from", "text"}).exit_code,
            1);
  const ToolResult r = tool_.Run({"convert", "p.py", "out"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(r.err,
            "mxtile: error: out: its name does not end in .py, .mxpb or "
            ".textproto; give --to\n");
  EXPECT_EQ(tool_.Run({"convert", "p.py", "out", "--to", "pb"}).exit_code, 0);
  EXPECT_TRUE(tool_.Read("out") == tool_.Read("a.mxpb"));
}

TEST_F(MxtileConvertTest, RefusedFilesSayWhere) {
  Convert("p.py", "a.mxpb");
  tool_.Write("cut.mxpb",
              tool_.Read("a.mxpb").substr(0, tool_.Read("a.mxpb").size() / 2));
  ToolResult r = tool_.Run({"check", "cut.mxpb"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, AllOf(StartsWith("cut.mxpb: error: there is no protobuf"),
                           HasSubstr("[MX-PROTO-1]")));
  EXPECT_THAT(r.out, IsEmpty());
  // Field 99, a varint.
  tool_.Write("new.mxpb", tool_.Read("a.mxpb") + "\x98\x06\x01");
  r = tool_.Run({"convert", "new.mxpb", "-"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, StartsWith("new.mxpb: error: the program: unknown field "
                                "99 of ProgramProto;"));
  r = tool_.Run({"convert", "new.mxpb", "old.mxpb", "--drop-unknown-fields"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.err,
            "new.mxpb: warning: the program: unknown field 99 of ProgramProto "
            "is dropped [MX-PROTO-3]\n");
  EXPECT_TRUE(tool_.Read("old.mxpb") == tool_.Read("a.mxpb"));
}

// What the text form's reader asks of operators is asked of other forms, too.
TEST_F(MxtileConvertTest, OperatorsKeepTheirRules) {
  Convert("p.py", "a.textproto");
  const std::string text = tool_.Read("a.textproto");
  const std::string broken = absl::StrReplaceAll(
      text, {{"\"tile.matmul_mx_acc\"", "\"tile.matmul_mx\""}});
  ASSERT_NE(broken, text);
  tool_.Write("b.textproto", broken);
  const ToolResult r = tool_.Run({"check", "b.textproto"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("[MX-OP-1]"));
}

}  // namespace
}  // namespace mxtile
