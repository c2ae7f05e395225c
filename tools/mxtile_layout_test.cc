// `mxtile layout` from outside: what it prints, converts, draws and refuses.

#include <string>
#include <vector>

#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kBinary[] = "tools/mxtile_main";

std::string RepositoryText(const std::string& path) {
  return *ReadFile(ToolRunner::RepositoryFile(path));
}

class MxtileLayoutTest : public ::testing::Test {
 protected:
  MxtileLayoutTest() : tool_(kBinary) {}

  // What `mxtile layout ARGS` prints; it succeeds and complains of nothing.
  std::string Out(std::vector<std::string> args) {
    args.insert(args.begin(), "layout");
    const ToolResult r = tool_.Run(args);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.err, IsEmpty());
    return r.out;
  }

  void ExpectRefused(std::vector<std::string> args, int exit_code,
                     const std::string& fragment) {
    args.insert(args.begin(), "layout");
    const ToolResult r = tool_.Run(args);
    EXPECT_EQ(r.exit_code, exit_code) << fragment;
    EXPECT_THAT(r.err, HasSubstr(fragment));
    EXPECT_THAT(r.out, IsEmpty());
  }

  ToolRunner tool_;
};

const std::vector<std::string> kDnToZz = {"--from", "dn",      "--to",
                                          "zz",     "--shape", "4x32"};

std::vector<std::string> DnToZz(const std::vector<std::string>& more) {
  std::vector<std::string> args = kDnToZz;
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST_F(MxtileLayoutTest, ThePageShowsWhatTheCommandPrints) {
  EXPECT_THAT(RepositoryText("docs/layouts.md"),
              HasSubstr("```text\n" + Out(kDnToZz) + "```\n"));
}

// After a change of pictures, in docs/:
//   ../mxtile layout --from dn --to zz --shape 4x32 --svg layouts_dn_to_zz.svg
TEST_F(MxtileLayoutTest, ThePagesPictureIsTheCommands) {
  EXPECT_THAT(Out(DnToZz({"--svg", "pic.svg"})), IsEmpty());
  const std::string picture = tool_.Read("pic.svg");
  EXPECT_TRUE(picture == RepositoryText("docs/layouts_dn_to_zz.svg"));
  EXPECT_TRUE(Out(DnToZz({"--svg", "-"})) == picture);
}

// The worked example of DN [4, 32] -> ZZ, byte by byte.
TEST_F(MxtileLayoutTest, FilesAreConvertedAndBack) {
  std::string dn(128, '\0'), zz;
  for (int i = 0; i < 128; ++i) dn[i] = static_cast<char>(i);
  for (int cb = 0; cb < 2; ++cb) {
    for (int p = 0; p < 2; ++p) {
      for (int q = 0; q < 16; ++q) {
        for (int d = 0; d < 2; ++d) zz += dn[(2 * p + d) * 32 + 16 * cb + q];
      }
    }
  }
  tool_.Write("dn.bin", dn);
  EXPECT_THAT(Out(DnToZz({"--in", "dn.bin", "--out", "zz.bin"})), IsEmpty());
  EXPECT_TRUE(tool_.Read("zz.bin") == zz);
  EXPECT_TRUE(Out(DnToZz({"--in", "dn.bin", "--out", "-"})) == zz);
  Out({"--from", "ZZ", "--to", "DN", "--shape", "32x4", "--in", "zz.bin",
       "--out", "back.bin"});
  EXPECT_TRUE(tool_.Read("back.bin") == dn);
}

TEST_F(MxtileLayoutTest, FourBitDataAndPitches) {
  // [1, 3] in rows of 2 bytes; NZ pads it to 16 lines of 32 bytes.
  tool_.Write("nd.bin", "\x21\xF3");
  Out({"--from", "nd", "--to", "nz", "--shape", "1x3", "--element-bits", "4",
       "--in", "nd.bin", "--out", "nz.bin"});
  EXPECT_TRUE(tool_.Read("nz.bin") ==
              std::string("\x21\x03", 2) + std::string(510, '\0'));
  Out({"--from", "nz", "--to", "nd", "--shape", "1x3", "--element-bits", "4",
       "--to-pitch", "4", "--in", "nz.bin", "--out", "wide.bin"});
  EXPECT_TRUE(tool_.Read("wide.bin") == std::string("\x21\x03\0\0", 4));
}

TEST_F(MxtileLayoutTest, MapElementAndJson) {
  const std::string map = Out(DnToZz({"--map"}));
  EXPECT_THAT(map, AllOf(StartsWith("# byte of ZZ [32, 4]"),
                         HasSubstr("\n 43  (5, 3)   (3, 5)   101\n"),
                         HasSubstr("\n127  (31, 3)  (3, 31)  127\n")));
  EXPECT_EQ(Out(DnToZz({"--element", "3,5"})),
            "  DN  (3, 5)  byte 101  row 3, byte 5 of it\n"
            "  ZZ  (5, 3)  byte 43   box 1, byte 11 of it\n");
  const auto json =
      nlohmann::json::parse(Out(DnToZz({"--json", "--element", "3,5"})));
  EXPECT_EQ(json["schema"], "mxtile.layout.v1");
  EXPECT_EQ(json["element"]["to"]["offset"], 43);
  EXPECT_THAT(Out(DnToZz({"--svg", "-", "--element", "0,31"})),
              HasSubstr("element (0, 31) of DN is element (31, 0) of ZZ"));
}

TEST_F(MxtileLayoutTest, HelpHasAnExample) {
  EXPECT_THAT(Out({"--help"}),
              HasSubstr("mxtile layout --from dn --to zz --shape 4x32"));
}

// What does not fit a layout is refused by its rule.
TEST_F(MxtileLayoutTest, RefusedInputs) {
  ExpectRefused({"--from", "dn", "--to", "zz", "--shape", "3x32"}, 1,
                "3 groups along K do not form pairs");
  ExpectRefused({"--from", "nd", "--to", "nz", "--shape", "0x32"}, 1,
                "(MX-ND-1)");
  ExpectRefused(DnToZz({"--from-pitch", "31"}), 1, "(MX-SCALE-3)");
  ExpectRefused(
      {"--from", "nd", "--to", "nz", "--shape", "4x4", "--element-bits", "12"},
      1, "(MX-ND-2)");
  tool_.Write("short.bin", std::string(127, 'x'));
  ExpectRefused(DnToZz({"--in", "short.bin", "--out", "out.bin"}), 1,
                "mxtile: error: short.bin: the source of [4, 32] elements of 8 "
                "bits takes 128 bytes in this layout, but 127 are given "
                "(MX-CONVERT-2)");
  EXPECT_THAT(tool_.Files(), ::testing::ElementsAre("short.bin"));
}

TEST_F(MxtileLayoutTest, WrongUsage) {
  ExpectRefused({"--from", "dn", "--to", "nz", "--shape", "4x4"}, 2,
                "scales do not become data; scales are nd, dn");
  ExpectRefused({"--from", "dn", "--to", "xx", "--shape", "4x4"}, 2,
                "there is no layout 'xx'");
  ExpectRefused({"--from", "dn", "--to", "zz", "--shape", "4,4"}, 2,
                "--shape 4,4: expected two integers, as in 128x64");
  ExpectRefused({"--from", "dn", "--to", "zz"}, 2, "--shape is required");
  ExpectRefused(DnToZz({"--element", "4,0"}), 2,
                "--element 4,0 is outside of DN [4, 32]");
  ExpectRefused(DnToZz({"--element", "4"}), 2, "as in 3,5");
  ExpectRefused(DnToZz({"--in", "x.bin"}), 2, "--in and --out go together");
  ExpectRefused(DnToZz({"--map", "--svg", "-"}), 2,
                "--map and --svg - both write to standard output");
  ExpectRefused(DnToZz({"--in", "no.bin", "--out", "out.bin"}), 2, "no.bin");
  ExpectRefused(DnToZz({"--svg", "no/folder/pic.svg"}), 2, "no/folder");
  EXPECT_THAT(tool_.Files(), IsEmpty());
}

}  // namespace
}  // namespace mxtile
