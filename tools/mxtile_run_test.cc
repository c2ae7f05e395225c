// The main job from outside: `mxtile run` on programs and inputs.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/reference/quantize.h"
#include "nlohmann/json.hpp"
#include "numerics/element_format.h"
#include "numerics/f8e4m3fn.h"
#include "numerics/f8e8m0fnu.h"
#include "tools/run/json_schema_test_util.h"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::StartsWith;
using Json = nlohmann::json;

constexpr char kBinary[] = "tools/mxtile_main";
constexpr int64_t kM = 128;
constexpr int64_t kN = 128;
constexpr int64_t kK = 512;

std::string Gemm() {
  return ToolRunner::RepositoryFile("testdata/programs/mxfp8_gemm.py");
}

template <typename T>
std::string Npy(const std::string& descr, std::vector<int64_t> shape,
                const std::vector<T>& values) {
  NpyArray array;
  array.descr = descr;
  array.shape = std::move(shape);
  array.bytes.assign(reinterpret_cast<const char*>(values.data()),
                     values.size() * sizeof(T));
  return SerializeNpy(array);
}

std::vector<float> ReadFloats(const ToolRunner& tool, const std::string& name) {
  const absl::StatusOr<NpyArray> array = ParseNpy(tool.Read(name), name);
  EXPECT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->descr, "<f4");
  EXPECT_THAT(array->shape, ElementsAre(kM, kN));
  std::vector<float> values(array->bytes.size() / sizeof(float));
  std::memcpy(values.data(), array->bytes.data(), array->bytes.size());
  return values;
}

// The largest |c - a*b| as a part of |a|*|b|.
double ScaledError(const std::vector<float>& c, const std::vector<double>& a,
                   const std::vector<double>& b) {
  double worst = 0;
  for (int64_t m = 0; m < kM; ++m) {
    for (int64_t n = 0; n < kN; ++n) {
      double sum = 0;
      double magnitude = 0;
      for (int64_t k = 0; k < kK; ++k) {
        const double product = a[m * kK + k] * b[k * kN + n];
        sum += product;
        magnitude += std::fabs(product);
      }
      worst = std::max(worst, std::fabs(c[m * kN + n] - sum) / magnitude);
    }
  }
  return worst;
}

std::vector<float> RandomFloats(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

// ---- The report

TEST(MxtileRunTest, MainJobProvesEveryOffsetAndIsCorrect) {
  const ToolRunner tool(kBinary);
  const ToolResult r = tool.Run({"run", Gemm(), "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.err, IsEmpty());
  const Json report = Json::parse(r.out);
  EXPECT_EQ(report["schema"], "mxtile.run_report.v1");
  EXPECT_EQ(report["entry"], "main");
  // Four loads of scales, two offsets each; k0 // 32 stands in two of them.
  ASSERT_EQ(report["offsets"].size(), 8);
  int symbolic = 0;
  for (const Json& offset : report["offsets"]) {
    EXPECT_TRUE(offset["proven"]) << offset;
    if (offset["symbolic"]) {
      ++symbolic;
      EXPECT_EQ(offset["offset"], "k0 // 32");
      EXPECT_EQ(offset["axis"], "group");
    }
  }
  EXPECT_EQ(symbolic, 2);
  // Two matmuls, two sides.
  EXPECT_EQ(report["bindings"].size(), 4);
  ASSERT_EQ(report["results"].size(), 1);
  const Json& result = report["results"][0];
  EXPECT_LT(result["against_quantised"]["max_scaled_error"].get<double>(),
            1e-5);
  EXPECT_TRUE(report["correct"]);
}

TEST(MxtileRunTest, LaterTilesAreNotAtZero) {
  const ToolRunner tool(kBinary);
  const ToolResult r = tool.Run({"run", Gemm(), "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json report = Json::parse(r.out);
  for (const char* space : {"Left", "Right", "LeftScale", "RightScale"}) {
    std::vector<int64_t> addresses;
    for (const Json& tile : report["addresses"]) {
      if (tile["space"] != space) continue;
      const int64_t address = tile["address"];
      if (addresses.empty() || addresses.back() != address) {
        addresses.push_back(address);
      }
    }
    ASSERT_GE(addresses.size(), 2) << space;
    EXPECT_EQ(addresses[0], 0) << space;
    EXPECT_THAT(std::vector<int64_t>(addresses.begin() + 1, addresses.end()),
                Each(Gt(0)))
        << space;
  }
}

// ---- The trace

// Every instruction of the report's pipes is a slice of its track; fills,
// bindings and matmuls are there by name, and each matmul names the fills that
// its scales come from.
TEST(MxtileRunTest, TraceShowsFillsBindingsAndMatmuls) {
  const ToolRunner tool(kBinary);
  const ToolResult r = tool.Run({"run", Gemm(), "--json", "--trace", "t.json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json trace = Json::parse(tool.Read("t.json"));
  const absl::StatusOr<std::string> schema = ReadFile(
      ToolRunner::RepositoryFile("tools/run/testdata/trace_event.schema.json"));
  ASSERT_THAT(schema, IsOk());
  EXPECT_EQ(SchemaFault(Json::parse(*schema), trace), "");
  std::map<std::string, int> slices;
  std::map<int64_t, std::string> fills;  // by instruction
  int matmuls = 0;
  int bindings = 0;
  for (const Json& event : trace["traceEvents"]) {
    const std::string name = event["name"];
    if (event["ph"] == "X") ++slices[event["cat"]];
    if (event["ph"] == "i" && name == "TGET_SCALE_ADDR") ++bindings;
    if (absl::StartsWith(name, "LOAD_MX ")) {
      fills[event["args"]["instruction"]] = event["args"]["to"];
    }
    if (!absl::StartsWith(name, "MMAD_MX ")) continue;
    ++matmuls;
    for (const char* side : {"left scale", "right scale"}) {
      const std::string scale = event["args"][side];
      const size_t number = scale.rfind(' ') + 1;
      const std::string& filled = fills[std::stoll(scale.substr(number))];
      EXPECT_THAT(scale, StartsWith(absl::StrCat(filled, ", filled for tile ")))
          << event;
    }
  }
  EXPECT_EQ(matmuls, kK / 64);
  EXPECT_EQ(fills.size(), 2 * kK / 64);
  EXPECT_EQ(bindings, 2 * kK / 64);
  const Json report = Json::parse(r.out);
  for (const Json& pipe : report["machine"]["pipes"]) {
    EXPECT_EQ(slices[pipe["pipe"]], pipe["instructions"]) << pipe;
  }
}

TEST(MxtileRunTest, TraceThatCannotBeWrittenIsSaid) {
  const ToolRunner tool(kBinary);
  const ToolResult r =
      tool.Run({"run", Gemm(), "--trace", "no_such_folder/t.json"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("no_such_folder/t.json"));
}

TEST(MxtileRunTest, TheSameSeedGivesTheSameResultAnotherSeedAnother) {
  const ToolRunner tool(kBinary);
  std::vector<std::string> digests;
  for (const char* seed : {"7", "7", "8"}) {
    const ToolResult r = tool.Run({"run", Gemm(), "--json", "--seed", seed});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    digests.push_back(Json::parse(r.out)["results"][0]["sha256"]);
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[0], digests[2]);
}

class EveryProgramTest : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string File() {
    return ToolRunner::RepositoryFile(
        absl::StrCat("testdata/programs/", GetParam(), ".py"));
  }
};

TEST_P(EveryProgramTest, RunsCorrectlyAsWrittenAndLowered) {
  const ToolRunner tool(kBinary);
  const std::string file = File();
  const ToolResult lowered = tool.Run({"lower", file, "-o", "lowered.py"});
  ASSERT_EQ(lowered.exit_code, 0) << lowered.err;
  std::vector<std::string> digests;
  for (const std::string& program : {file, std::string("lowered.py")}) {
    const ToolResult r = tool.Run({"run", program, "--json"});
    ASSERT_EQ(r.exit_code, 0) << r.err << r.out;
    digests.push_back(Json::parse(r.out)["results"][0]["sha256"]);
  }
  EXPECT_EQ(digests[0], digests[1]);
}

TEST_P(EveryProgramTest, PrintingAndReadingGivesTheSameProgram) {
  const ToolRunner tool(kBinary);
  const std::string file = File();
  ASSERT_EQ(tool.Run({"lower", file, "-o", "x", "--dump-after-each", "dump"})
                .exit_code,
            0);
  std::vector<std::string> programs = {file,
                                       "dump/00_after_block_mx_scale_"
                                       "tensor_views.py",
                                       "dump/04_after_allocate_addresses.py"};
  for (const std::string& program : programs) {
    ASSERT_EQ(tool.Run({"convert", program, "printed.py"}).exit_code, 0);
    const ToolResult diff = tool.Run({"diff", program, "printed.py"});
    EXPECT_EQ(diff.exit_code, 0) << diff.out;
    // Printing is stable.
    ASSERT_EQ(tool.Run({"convert", "printed.py", "again.py"}).exit_code, 0);
    EXPECT_EQ(tool.Read("again.py"), tool.Read("printed.py"));
  }
}

// Not for the A5: FP32 in the cube.
bool IsForSimdOnly(const std::string& name) {
  return name == "sgemm" || name == "attention_decode" ||
         name == "attention_prefill";
}

// The programs in testdata/programs that run on the model, by their names
// without ".py".
std::vector<std::string> ProgramNames() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator("testdata/programs")) {
    const std::string name = entry.path().stem().string();
    if (!IsForSimdOnly(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryProgramTest,
                         ::testing::ValuesIn(ProgramNames()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                           return info.param;
                         });

// ---- Inputs

TEST(MxtileRunTest, FloatInputsGiveTheProductOfTheirQuantisedValues) {
  const ToolRunner tool(kBinary);
  const std::vector<float> a = RandomFloats(kM * kK, 11);
  const std::vector<float> b = RandomFloats(kK * kN, 12);
  tool.Write("a.npy", Npy("<f4", {kM, kK}, a));
  tool.Write("b.npy", Npy("<f4", {kK, kN}, b));
  for (const bool nv : {false, true}) {
    const ToolResult r =
        tool.Run({"run", Gemm(), "--in", "a=a.npy", "--in", "b=b.npy", "--out",
                  "out", "--scale-rule", nv ? "nv" : "ocp"});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const ScaleRule rule = nv ? ScaleRule::kNv : ScaleRule::kOcp;
    MX_ASSERT_OK_AND_ASSIGN(
        const QuantizedMatrix qa,
        Quantize(a, kM, kK, GroupAxis::kAxis1, ElementFormat::kF8E4M3FN, rule));
    MX_ASSERT_OK_AND_ASSIGN(
        const QuantizedMatrix qb,
        Quantize(b, kK, kN, GroupAxis::kAxis0, ElementFormat::kF8E4M3FN, rule));
    EXPECT_LT(ScaledError(ReadFloats(tool, "out/c.npy"), Dequantize(qa),
                          Dequantize(qb)),
              1e-5);
  }
}

TEST(MxtileRunTest, CodesAndScalesGiveTheProductOfTheirValues) {
  const ToolRunner tool(kBinary);
  std::mt19937 random(13);
  const auto codes = [&](int64_t count, uint32_t low, uint32_t high) {
    std::vector<uint8_t> result(count);
    for (uint8_t& code : result) {
      code = static_cast<uint8_t>(low + random() % (high - low));
    }
    return result;
  };
  // Positive codes below NaN, scales around one.
  const std::vector<uint8_t> a = codes(kM * kK, 0, 127);
  const std::vector<uint8_t> b = codes(kK * kN, 0, 127);
  const std::vector<uint8_t> sa = codes(kM * kK / 32, 117, 138);
  const std::vector<uint8_t> sb = codes(kK / 32 * kN, 117, 138);
  tool.Write("a.npy", Npy("|u1", {kM, kK}, a));
  tool.Write("b.npy", Npy("|u1", {kK, kN}, b));
  tool.Write("sa.npy", Npy("|u1", {kM, kK / 32}, sa));
  tool.Write("sb.npy", Npy("|u1", {kK / 32, kN}, sb));
  const ToolResult r =
      tool.Run({"run", Gemm(), "--in", "a=a.npy", "--in", "b=b.npy", "--in",
                "a_scale=sa.npy", "--in", "b_scale=sb.npy", "--out", "out"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  std::vector<double> av(a.size());
  std::vector<double> bv(b.size());
  for (int64_t m = 0; m < kM; ++m) {
    for (int64_t k = 0; k < kK; ++k) {
      av[m * kK + k] = double{DecodeF8E4M3FN(a[m * kK + k])} *
                       DecodeF8E8M0FNU(sa[m * (kK / 32) + k / 32]);
    }
  }
  for (int64_t k = 0; k < kK; ++k) {
    for (int64_t n = 0; n < kN; ++n) {
      bv[k * kN + n] = double{DecodeF8E4M3FN(b[k * kN + n])} *
                       DecodeF8E8M0FNU(sb[k / 32 * kN + n]);
    }
  }
  EXPECT_LT(ScaledError(ReadFloats(tool, "out/c.npy"), av, bv), 1e-5);
  // The report's digest is that of the bytes in the file.
  EXPECT_THAT(tool.Files(),
              ElementsAre("a.npy", "b.npy", "out", "sa.npy", "sb.npy"));
}

// ---- Faults

struct FaultCase {
  const char* fault;
  const char* said;  // On stderr when the machine traps, else on stdout.
};

class FaultTest : public ::testing::TestWithParam<FaultCase> {};

TEST_P(FaultTest, IsNoticed) {
  const ToolRunner tool(kBinary);
  const ToolResult r =
      tool.Run({"run", Gemm(), "--inject-fault", GetParam().fault});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err + r.out, HasSubstr(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultTest,
    ::testing::Values(FaultCase{"drop-binding", "A5-SCALE-1"},
                      FaultCase{"swap-bindings", "A5-SCALE-2"},
                      FaultCase{"row-major-scale", "WRONG"},
                      FaultCase{"flip-scale-byte", "WRONG"}));

// The matmul with one place rewritten: refused before or by the reference.
struct Refused {
  const char* name;
  std::string from;
  std::string to;
  const char* said;
};

void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}

class RefusedProgramTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedProgramTest, SaysWhy) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", absl::StrReplaceAll(*ReadFile(Gemm()),
                                         {{GetParam().from, GetParam().to}}));
  const ToolResult r = tool.Run({"run", "p.py", "--out", "out"});
  EXPECT_EQ(r.exit_code, 1) << r.out;
  EXPECT_THAT(r.err, HasSubstr(GetParam().said));
  EXPECT_THAT(tool.Files(), ElementsAre("p.py"));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, RefusedProgramTest,
    ::testing::Values(
        Refused{"StoreOutsideTheResult", "pl.store(total, [0, 0], c)",
                "pl.store(total, [0, 64], c)", "writes past the end"},
        Refused{
            "ArgumentOfAnotherShape",
            "    def main(\n        self,\n        a: pl.Tensor[[128, 512]",
            "    def main(\n        self,\n        a: pl.Tensor[[128, 1024]",
            "MX-CALL-1"},
        Refused{"ReturnOfAnotherType",
                "-> pl.Tensor[[128, 128], pl.FP32]:\n        result = self",
                "-> pl.Tensor[[128, 128], pl.BF16]:\n        result = self",
                "MX-CALL-2"},
        Refused{"AccumulatorLostByABreak",
                "            total = pl.yield_(next_acc)",
                "            if k0 == 128:\n                break\n"
                "            total = pl.yield_(next_acc)",
                "MX-ADDR-3"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MxtileRunTest, EntryWithoutResultsAndHalfWrittenOutputsAreRefused) {
  const ToolRunner tool(kBinary);
  const std::string head =
      "import pypto.language as pl\n@pl.program\nclass P:\n"
      "    @pl.function(type=pl.FunctionType.Orchestration)\n";
  tool.Write("idle.py", head + "    def main(self):\n        pass\n");
  tool.Write("hole.py",
             head +
                 "    def main(self, c: pl.Out[pl.Tensor[[4, 8], pl.FP32]]) -> "
                 "pl.Tensor[[4, 8], pl.FP32]:\n        return c\n");
  const ToolResult idle = tool.Run({"run", "idle.py"});
  EXPECT_EQ(idle.exit_code, 1);
  EXPECT_THAT(idle.err, HasSubstr("[MX-RUN-2]"));
  const ToolResult hole = tool.Run({"run", "hole.py"});
  EXPECT_EQ(hole.exit_code, 1);
  EXPECT_THAT(hole.err, HasSubstr("element [0, 0] is never written"));
}

// What the reference refuses is the program's mistake, not a fault of ours.
TEST(MxtileRunTest, LoopThatRunsOverTheTensorIsRefused) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py", absl::StrReplaceAll(*ReadFile(Gemm()),
                                         {{"(64, 512, 64", "(64, 576, 64"}}));
  const ToolResult r = tool.Run({"run", "p.py"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err,
              AllOf(StartsWith("p.py:23:22: error: tile.load: window [128, 64] "
                               "at [0, 512] leaves the tensor [128, 512]"),
                    HasSubstr("in the call of 'gemm'")));
}

TEST(MxtileRunTest, InfinityAndNaNComeOutAsInTheReference) {
  const ToolRunner tool(kBinary);
  std::vector<float> a(kM * kK, 1.0f);
  a[3 * kK + 5] = std::numeric_limits<float>::infinity();
  a[7 * kK + 9] = std::numeric_limits<float>::quiet_NaN();
  tool.Write("a.npy", Npy("<f4", {kM, kK}, a));
  const ToolResult r =
      tool.Run({"run", Gemm(), "--in", "a=a.npy", "--out", "out"});
  ASSERT_EQ(r.exit_code, 0) << r.out;
  const std::vector<float> c = ReadFloats(tool, "out/c.npy");
  for (int64_t n = 0; n < kN; ++n) {
    EXPECT_TRUE(std::isnan(c[7 * kN + n])) << n;
    EXPECT_TRUE(std::isfinite(c[8 * kN + n])) << n;
  }
}

// ---- Refusals

TEST(MxtileRunTest, OffsetThatCannotBeProvenNamesOperatorAxisAndDivisor) {
  const ToolRunner tool(kBinary);
  tool.Write("p.py",
             absl::StrReplaceAll(*ReadFile(Gemm()),
                                 {{"[0, k0 // 32]", "[0, k0 // 32 + 1]"}}));
  const ToolResult r = tool.Run({"run", "p.py", "--out", "out"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(
      r.err,
      AllOf(StartsWith("p.py:24:28: error: tile.load"),
            HasSubstr("group offset"), HasSubstr("a multiple of 2"),
            HasSubstr("1 is not a multiple of 2"), HasSubstr("[MX-OFFSET-3]")));
  EXPECT_THAT(tool.Files(), ElementsAre("p.py"));
}

struct BadInput {
  const char* name;
  std::vector<std::string> args;
  int exit_code;
  const char* said;
};

void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.name; }

class BadInputTest : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, OneClearMessageAndNoOutput) {
  const ToolRunner tool(kBinary);
  const std::vector<float> a(kM * kK, 1.0f);
  tool.Write("f8.npy", Npy("<f8", {kM, kK}, std::vector<double>(kM * kK, 1.0)));
  tool.Write("short.npy",
             Npy("<f4", {kM, kK / 2}, std::vector<float>(kM * kK / 2)));
  std::string npy = Npy("<f4", {kM, kK}, a);
  tool.Write("good.npy", npy);
  tool.Write("truncated.npy", npy.substr(0, npy.size() - 100));
  tool.Write("fortran.npy",
             absl::StrReplaceAll(
                 npy, {{"'fortran_order': False", "'fortran_order': True "}}));
  tool.Write("plain", "a file, no folder");
  const std::vector<std::string> before = tool.Files();
  std::vector<std::string> args = {"run", Gemm()};
  args.insert(args.end(), GetParam().args.begin(), GetParam().args.end());
  const ToolResult r = tool.Run(args);
  EXPECT_EQ(r.exit_code, GetParam().exit_code);
  EXPECT_THAT(r.err, HasSubstr(GetParam().said));
  EXPECT_LT(r.err.size(), 400) << r.err;
  EXPECT_THAT(r.out, IsEmpty());
  EXPECT_EQ(tool.Files(), before);
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, BadInputTest,
    ::testing::Values(
        BadInput{"Missing",
                 {"--in", "a=none.npy", "--out", "o"},
                 2,
                 "cannot open none.npy"},
        BadInput{"Type", {"--in", "a=f8.npy", "--out", "o"}, 1, "MX-INPUT-2"},
        BadInput{"Shape",
                 {"--in", "a=short.npy", "--out", "o"},
                 1,
                 "has shape [128, 256], parameter 'a' has [128, 512]"},
        BadInput{"Order",
                 {"--in", "a=fortran.npy", "--out", "o"},
                 1,
                 "Fortran order"},
        BadInput{"Truncated",
                 {"--in", "a=truncated.npy", "--out", "o"},
                 1,
                 "takes 262144 bytes, the file has 262044"},
        BadInput{"NoParameter",
                 {"--in", "q=good.npy"},
                 1,
                 "has no input tensor 'q'"},
        BadInput{"ScalesAlone",
                 {"--in", "a_scale=good.npy"},
                 1,
                 "their codes 'a' are missing"},
        BadInput{"NoNpy", {"--in", "a=plain"}, 1, "plain"},
        BadInput{"Setting", {"--in", "a"}, 2, "expected NAME=FILE.npy"},
        BadInput{"Entry", {"--entry", "nothing"}, 2, "has no such function"},
        BadInput{"Folder", {"--out", "plain/out"}, 2, "plain is no folder"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace mxtile
