// `mxtile quantize` and `dequantize` from outside: bytes against kernels/host
// on whole matrices, shards, interrupted runs, and what is refused.
// examples/python/read_quantized_test.py has the layouts.

#include <sys/stat.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/npy.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/host/quantize.h"
#include "kernels/host/quantized_layout.h"
#include "layouts/mx/scale_layout.h"
#include "nlohmann/json.hpp"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "tools/quantize/safetensors.h"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string BytesOf(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(float));
}

// Of many magnitudes, without special values.
std::vector<float> Values(int64_t count, uint32_t seed) {
  std::vector<float> values(count);
  uint32_t state = seed * 2654435761u + 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = std::ldexp(static_cast<float>(state >> 8) - (1 << 23),
                       static_cast<int>(state % 13) - 30);
  }
  return values;
}

class MxtileQuantizeTest : public ::testing::Test {
 protected:
  MxtileQuantizeTest() : tool_("tools/mxtile_main") {}

  std::string Out(const std::vector<std::string>& args) {
    const ToolResult r = tool_.Run(args);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.err, IsEmpty());
    return r.out;
  }

  void ExpectRefused(const std::vector<std::string>& args, int exit_code,
                     const std::string& fragment) {
    const std::vector<std::string> before = tool_.Files();
    const ToolResult r = tool_.Run(args);
    EXPECT_EQ(r.exit_code, exit_code) << fragment;
    EXPECT_THAT(r.err, HasSubstr(fragment));
    EXPECT_THAT(r.out, IsEmpty());
    EXPECT_EQ(tool_.Files(), before) << fragment;
  }

  void WriteNpy(const std::string& name, std::vector<int64_t> shape,
                const std::vector<float>& values) {
    tool_.Write(name, SerializeNpy({"<f4", shape, BytesOf(values)}));
  }

  // F32 matrices of 128 columns, in the order of their names.
  void WriteShard(const std::string& name,
                  const std::map<std::string, int64_t>& rows) {
    std::vector<SafetensorsTensor> tensors;
    std::string data;
    for (const auto& [tensor, count] : rows) {
      const std::string bytes =
          BytesOf(Values(count * 128, tensor.size() + count));
      const int64_t begin = data.size();
      data += bytes;
      tensors.push_back({tensor,
                         "F32",
                         {count, 128},
                         begin,
                         static_cast<int64_t>(data.size())});
    }
    const auto header = SerializeSafetensorsHeader(tensors, {});
    MX_ASSERT_OK(header.status());
    tool_.Write(name, *header + data);
  }

  void WriteCheckpoint() {
    std::filesystem::create_directories(tool_.Path("in"));
    WriteShard("in/m-1.safetensors", {{"a.w", 100}, {"a.x", 64}});
    WriteShard("in/m-2.safetensors", {{"b.w", 300}});
    WriteShard("in/m-3.safetensors", {{"c.w", 64}, {"embed", 32}});
    tool_.Write("in/model.safetensors.index.json",
                R"({"metadata": {}, "weight_map": {
                    "a.w": "m-1.safetensors", "a.x": "m-1.safetensors",
                    "b.w": "m-2.safetensors", "c.w": "m-3.safetensors",
                    "embed": "m-3.safetensors"}})");
  }

  // The files of a folder by name.
  std::map<std::string, std::string> Folder(const std::string& name) {
    std::map<std::string, std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(tool_.Path(name))) {
      const std::string file = entry.path().filename().string();
      files[file] = tool_.Read(absl::StrCat(name, "/", file));
    }
    return files;
  }

  ToolRunner tool_;
};

// Many panels on several threads write what one call in memory does.
TEST_F(MxtileQuantizeTest, BytesOfAWholeMatrix) {
  const int64_t rows = 1000, cols = 4100;
  const std::vector<float> values = Values(rows * cols, 1);
  WriteNpy("w.npy", {rows, cols}, values);
  for (const char* axis : {"0", "1"}) {
    host::QuantizedForm form;
    form.format = ElementFormat::kF4E2M1FN;
    form.axis = axis[0] == '0' ? GroupAxis::kAxis0 : GroupAxis::kAxis1;
    form.data_order = host::DataOrder::kNZ;
    form.scale_order = ScaleOrder::kZZ;
    form.padded = host::PaddedForCube(host::CubeOperand::kA, form.axis,
                                      form.format, {rows, cols});
    MX_ASSERT_OK_AND_ASSIGN(const host::QuantizedLayout layout,
                            host::QuantizedLayout::Create(rows, cols, form));
    std::vector<uint8_t> data(layout.data_size_bytes());
    std::vector<uint8_t> scales(layout.scale_size_bytes());
    MX_ASSERT_OK(host::QuantizeRows(
        layout, ScaleRule::kNv,
        {ElementFormat::kF32,
         absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                             values.size() * sizeof(float))},
        {0, rows}, {absl::MakeSpan(data), absl::MakeSpan(scales)}));
    const std::string expected(std::string(data.begin(), data.end()) +
                               std::string(scales.begin(), scales.end()));
    for (const char* threads : {"1", "3"}) {
      Out({"quantize", "w.npy", "-o", "q.safetensors", "--format", "mxfp4-e2m1",
           "--scale-rule", "nv", "--axis", axis, "--role", "a", "--data-layout",
           "nz", "--scale-layout", "zz", "--threads", threads, "--verify"});
      const std::string file = tool_.Read("q.safetensors");
      ASSERT_GT(file.size(), expected.size());
      EXPECT_TRUE(file.substr(file.size() - expected.size()) == expected);
    }
  }
  EXPECT_THAT(tool_.Files(), ElementsAre("q.safetensors", "w.npy"));
}

TEST_F(MxtileQuantizeTest, TableAndJson) {
  std::vector<float> values(64 * 64, 2.0f);
  values[0] = 7.0f;  // above 6 * 2^0
  values[1] = 0.1f;  // below 0.25
  values[64] = std::numeric_limits<float>::quiet_NaN();
  values[128] = std::numeric_limits<float>::infinity();
  WriteNpy("w.npy", {64, 64}, values);
  const std::vector<std::string> args = {
      "quantize", "w.npy", "-o", "q.safetensors", "--format", "mxfp4-e2m1"};
  EXPECT_THAT(Out(args), AllOf(HasSubstr("tensor"), HasSubstr("SQNR dB"),
                               HasSubstr("w       F32   [64, 64]"),
                               HasSubstr("1 quantised, 0 copied, 16384 bytes "
                                         "in, 2176 bytes out")));
  std::vector<std::string> with_json = args;
  with_json.push_back("--json");
  const auto json = nlohmann::json::parse(Out(with_json));
  EXPECT_EQ(json["schema"], "mxtile.quantize.v1");
  const auto& tensor = json["shards"][0]["tensors"][0];
  EXPECT_EQ(tensor["elements"], 4096);
  EXPECT_EQ(tensor["groups"], 128);
  EXPECT_EQ(tensor["nan_groups"], 1);
  EXPECT_EQ(tensor["inf_groups"], 1);
  EXPECT_EQ(tensor["saturated"], 1);
  EXPECT_EQ(tensor["underflowed"], 1);
  EXPECT_EQ(tensor["max_abs_error"], 1.0);
}

TEST_F(MxtileQuantizeTest, SelectionAndCopies) {
  WriteShard("m.safetensors", {{"a.w", 32}, {"b.w", 32}, {"b.norm", 32}});
  const std::string table =
      Out({"quantize", "m.safetensors", "-o", "q.safetensors", "--include",
           "^b", "--exclude", "norm$"});
  EXPECT_THAT(table, AllOf(HasSubstr("copied: not included"),
                           HasSubstr("copied: excluded"),
                           HasSubstr("1 quantised, 2 copied")));
  Out({"dequantize", "q.safetensors", "-o", "back.safetensors"});
  // Copies are as they were: a.w is first, b.norm follows.
  const std::string in = tool_.Read("m.safetensors");
  const std::string back = tool_.Read("back.safetensors");
  EXPECT_EQ(in.size(), back.size());
  const size_t two = 2 * 32 * 128 * 4;
  EXPECT_TRUE(in.substr(in.size() - 3 * two / 2, two) ==
              back.substr(back.size() - 3 * two / 2, two));
}

TEST_F(MxtileQuantizeTest, ShardsByOneOrManyRunsAreTheSameFolder) {
  WriteCheckpoint();
  Out({"quantize", "in", "-o", "one", "--exclude", "embed"});
  const auto one = Folder("one");
  EXPECT_EQ(one.size(), 7);
  const auto index =
      nlohmann::json::parse(one.at("model.safetensors.index.json"));
  EXPECT_EQ(index["weight_map"]["b.w_scale"], "m-2.safetensors");
  EXPECT_EQ(index["weight_map"]["embed"], "m-3.safetensors");
  for (const char* shard : {"1/2", "0/2"}) {
    Out({"quantize", "in", "-o", "two", "--exclude", "embed", "--shard",
         shard});
  }
  EXPECT_TRUE(Folder("two") == one);
  Out({"dequantize", "one", "-o", "back"});
  EXPECT_EQ(Folder("back").size(), 4);
  EXPECT_EQ(Folder("back").at("m-2.safetensors").size(),
            Folder("in").at("m-2.safetensors").size());
}

TEST_F(MxtileQuantizeTest, ASingleFileIsShardZero) {
  WriteNpy("w.npy", {32, 64}, Values(32 * 64, 2));
  EXPECT_THAT(
      Out({"quantize", "w.npy", "-o", "q.safetensors", "--shard", "1/2"}),
      HasSubstr("0 quantised"));
  EXPECT_THAT(tool_.Files(), ElementsAre("w.npy"));
  Out({"quantize", "w.npy", "-o", "q.safetensors", "--shard", "0/2"});
  EXPECT_THAT(tool_.Files(), ElementsAre("q.safetensors", "w.npy"));
}

TEST_F(MxtileQuantizeTest, ResumeSkipsWhatIsFinishedAndWhole) {
  WriteCheckpoint();
  const std::vector<std::string> args = {"quantize", "in",       "-o",
                                         "out",      "--resume", "--json"};
  const auto fresh = nlohmann::json::parse(Out(args));
  const auto whole = Folder("out");
  struct stat first, again;
  ASSERT_EQ(stat(tool_.Path("out/m-1.safetensors").c_str(), &first), 0);

  // A shard that was changed, one without its record, a rest of a killed run.
  tool_.Write("out/m-2.safetensors",
              whole.at("m-2.safetensors").substr(1) + "x");
  std::filesystem::remove(tool_.Path("out/m-3.safetensors.mxtile.json"));
  tool_.Write("out/m-3.safetensors.part", "rest");
  const auto resumed = nlohmann::json::parse(Out(args));
  EXPECT_TRUE(Folder("out") == whole);
  ASSERT_EQ(stat(tool_.Path("out/m-1.safetensors").c_str(), &again), 0);
  EXPECT_EQ(first.st_ino, again.st_ino);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(resumed["shards"][i]["resumed"], i == 0);
    EXPECT_EQ(resumed["shards"][i]["tensors"], fresh["shards"][i]["tensors"]);
  }

  // Other options are another output.
  std::vector<std::string> other = args;
  other.insert(other.end(), {"--scale-rule", "nv"});
  EXPECT_EQ(nlohmann::json::parse(Out(other))["shards"][0]["resumed"], false);
}

// Killed at many moments, resumed: the same bytes.
TEST_F(MxtileQuantizeTest, KilledRunsAreFinishedByTheNext) {
  WriteCheckpoint();
  Out({"quantize", "in", "-o", "expected"});
  const auto expected = Folder("expected");
  const std::string binary = std::filesystem::absolute("tools/mxtile_main");
  for (int i = 1; i <= 10; ++i) {
    const std::string command = absl::StrCat(
        "cd '", tool_.folder(), "' && timeout -s KILL 0.0", i, " '", binary,
        "' quantize in -o out --resume >/dev/null 2>&1");
    // How far it came is up to the machine.
    (void)!std::system(command.c_str());
  }
  Out({"quantize", "in", "-o", "out", "--resume"});
  EXPECT_TRUE(Folder("out") == expected);
}

TEST_F(MxtileQuantizeTest, RefusedInputs) {
  WriteNpy("w.npy", {33, 64}, Values(33 * 64, 2));
  ExpectRefused({"quantize", "w.npy", "-o", "q.safetensors", "--no-pad"}, 1,
                "tensor 'w': [33, 64] has to be padded to [64, 64], which "
                "--no-pad forbids (MX-QUANTIZE-2)");
  std::vector<float> values = Values(32 * 64, 3);
  values[70] = std::numeric_limits<float>::infinity();
  WriteNpy("inf.npy", {32, 64}, values);
  ExpectRefused(
      {"quantize", "inf.npy", "-o", "q.safetensors", "--fail-on-nonfinite"}, 1,
      "tensor 'inf': rows 0 to 31 have 0 groups with a NaN and 1 with an Inf, "
      "which --fail-on-nonfinite refuses (MX-QUANTIZE-3)");
  WriteShard("twice.safetensors", {{"a", 32}, {"a_scale", 32}});
  ExpectRefused({"quantize", "twice.safetensors", "-o", "q.safetensors"}, 1,
                "(MX-QUANTIZE-4)");
  ExpectRefused({"dequantize", "twice.safetensors", "-o", "q.safetensors"}, 1,
                "(MX-QUANTIZE-5)");
  ExpectRefused({"quantize", "w.npy", "-o", "q.npy"}, 1, "(MX-QUANTIZE-7)");
  ExpectRefused({"quantize", "twice.safetensors", "-o", "twice.safetensors",
                 "--include", "^a$", "--exclude", "a"},
                1, "is the input (MX-QUANTIZE-7)");
  tool_.Write("cut.safetensors", tool_.Read("twice.safetensors").substr(0, 99));
  ExpectRefused({"quantize", "cut.safetensors", "-o", "q.safetensors"}, 1,
                "cut.safetensors: truncated header");
  tool_.Write("cut.npy", tool_.Read("w.npy").substr(0, 999));
  ExpectRefused({"quantize", "cut.npy", "-o", "q.safetensors"}, 1,
                "cut.npy: truncated data");
}

TEST_F(MxtileQuantizeTest, DamagedMetadataIsRefused) {
  WriteNpy("w.npy", {32, 64}, Values(32 * 64, 2));
  Out({"quantize", "w.npy", "-o", "q.safetensors"});
  const std::string good = tool_.Read("q.safetensors");
  const std::map<std::string, std::string> changes = {
      {R"(\"axis\":1)", R"(\"axis\":0)"},
      {R"(\"shape\":[32,64])", R"(\"shape\":[32,65])"},
      {R"(\"padded\":[32,64])", R"(\"padded\":[64,64])"},
      {R"(\"format\":\"mxfp8-e4m3\")", R"(\"format\":\"mxfp8-e5m2\")"},
      {R"(\"scale\":\"w_scale\")", R"(\"scale\":\"v_scale\")"},
      {R"(\"data_layout\":\"nd\")", R"(\"data_layout\":\"nx\")"},
  };
  for (const auto& [from, to] : changes) {
    std::string bad = good;
    const size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    tool_.Write("bad.safetensors", bad);
    ExpectRefused({"dequantize", "bad.safetensors", "-o", "back.npy"}, 1,
                  "(MX-QUANTIZE-");
  }
}

TEST_F(MxtileQuantizeTest, WrongUsageAndFiles) {
  WriteNpy("w.npy", {32, 64}, Values(32 * 64, 2));
  ExpectRefused({"quantize", "w.npy", "-o", "q.safetensors", "--role", "a",
                 "--scale-layout", "nn"},
                2,
                "--role a --axis 1 --scale-layout nn do not go together "
                "(MX-QUANTIZE-1)");
  ExpectRefused({"quantize", "w.npy", "-o", "q.safetensors", "--include", "("},
                2, "--include (");
  ExpectRefused({"quantize", "w.npy", "-o", "q.safetensors", "--shard", "2/2"},
                2, "--shard 2/2");
  ExpectRefused({"quantize", "w.npy", "-o", "q.safetensors", "--format", "x"},
                2, "--format");
  ExpectRefused({"quantize", "none.npy", "-o", "q.safetensors"}, 2,
                "cannot open none.npy");
  ExpectRefused({"quantize", "w.npy", "-o", "no/q.safetensors"}, 2,
                "no/q.safetensors");
  ExpectRefused({"quantize", "w.npy", "-o", "/dev/full"}, 2,
                "/dev/full: No space left on device");
}

TEST_F(MxtileQuantizeTest, ALimitOnFilesLeavesNothing) {
  WriteNpy("w.npy", {1024, 64}, Values(1024 * 64, 2));
  const std::string binary = std::filesystem::absolute("tools/mxtile_main");
  const int status = std::system(
      absl::StrCat("cd '", tool_.folder(), "' && (ulimit -f 16; exec '", binary,
                   "' quantize w.npy -o q.safetensors >/dev/null 2>&1)")
          .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(tool_.Files(), ElementsAre("w.npy"));
}

TEST_F(MxtileQuantizeTest, ExplainedGroups) {
  WriteNpy("w.npy", {2, 64}, std::vector<float>(128, 1.5f));
  EXPECT_THAT(Out({"explain", "w.npy", "w", "1", "40", "--scale-layout", "nn"}),
              AllOf(HasSubstr("w [2, 64], element (1, 40): group 1 of row 1"),
                    HasSubstr("* scale nn")));
  ExpectRefused({"explain", "w.npy", "w", "2", "0"}, 1, "(MX-EXPLAIN-1)");
  ExpectRefused({"explain", "w.npy", "v", "0", "0"}, 1, "(MX-EXPLAIN-2)");
  ExpectRefused({"explain", "v.npy", "v", "0", "0"}, 2, "v.npy");
}

TEST_F(MxtileQuantizeTest, HelpHasTheTableAndExamples) {
  EXPECT_THAT(Out({"quantize", "--help"}),
              AllOf(HasSubstr("b     1     [N, K]  nd, nn, mx-b-nd, mx-b-dn"),
                    HasSubstr("mxtile quantize w.npy -o w.safetensors")));
}

}  // namespace
}  // namespace mxtile
