// `mxtile run --backend simd` and `mxtile plan` from outside.

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

constexpr char kBinary[] = "tools/mxtile_main";

std::string Program(const std::string& name) {
  return ToolRunner::RepositoryFile(
      absl::StrCat("testdata/programs/", name, ".py"));
}

// One fixture, so that a build without LLVM skips all but what it says then.
class MxtileSimdTest : public ::testing::Test {
 protected:
  MxtileSimdTest() : tool_(kBinary) {}
  void SetUp() override {
    const ToolResult r = tool_.Run({"plan", Program("sgemm"), "--mode=compat"});
    if (r.exit_code == 0) return;
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.err, HasSubstr("the SIMD backend is not in this build"));
    const ToolResult run =
        tool_.Run({"run", Program("sgemm"), "--backend", "simd"});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.err, r.err);
    GTEST_SKIP() << r.err;
  }

  Json RunJson(const std::string& program, const std::string& backend,
               const std::vector<std::string>& more = {}) {
    std::vector<std::string> args = {"run", Program(program), "--json",
                                     "--backend", backend};
    args.insert(args.end(), more.begin(), more.end());
    const ToolResult r = tool_.Run(args);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.err, IsEmpty());
    return Json::parse(r.out);
  }

  ToolRunner tool_;
};

// ---- run: the same bits as the A5 model, the same report

class MxGemmTest : public MxtileSimdTest,
                   public ::testing::WithParamInterface<const char*> {};

TEST_P(MxGemmTest, HasTheBitsAndTheReportOfTheModel) {
  const Json model =
      RunJson(GetParam(), "model", {"--out", "model", "--seed", "5"});
  const Json simd =
      RunJson(GetParam(), "simd", {"--out", "simd", "--seed", "5"});
  EXPECT_EQ(model["backend"], "model");
  EXPECT_EQ(simd["backend"], "simd");
  EXPECT_TRUE(simd["correct"]);
  // Hashes of the bits, errors against both references.
  EXPECT_EQ(simd["results"], model["results"]);
  EXPECT_EQ(simd["results"][0]["against_exact"],
            model["results"][0]["against_exact"]);
  for (const char* field :
       {"schema", "file", "program", "entry", "inputs", "tolerance"}) {
    EXPECT_EQ(simd[field], model[field]) << field;
  }
  EXPECT_EQ(tool_.Read("simd/c.npy"), tool_.Read("model/c.npy"));
  EXPECT_EQ(simd.count("machine"), 0);
  int launches = 0;
  for (const Json& kernel : simd["simd"]["kernels"]) {
    launches += kernel["launches"].get<int>();
    EXPECT_TRUE(kernel["plan"]["candidate"]["mx_f32"]);
  }
  // In sequential loops the first column and the first row are as they are;
  // what then changed is read from memory, by one kernel for all.
  const bool tiled = GetParam() == std::string("mxfp8_gemm_tiled");
  EXPECT_EQ(launches, tiled ? 4 : 1);
  EXPECT_EQ(simd["simd"]["kernels"].size(), tiled ? 3 : 1);
}

INSTANTIATE_TEST_SUITE_P(Programs, MxGemmTest,
                         ::testing::Values("mxfp8_gemm", "mxfp8_gemm_bias",
                                           "mxfp8_gemm_tiled"));

// ---- run: programs without a counterpart on the model

struct Launched {
  const char* program;
  int instances;
};

class FloatProgramTest : public MxtileSimdTest,
                         public ::testing::WithParamInterface<Launched> {};

TEST_P(FloatProgramTest, IsCorrect) {
  const Json one = RunJson(GetParam().program, "simd", {"--threads", "1"});
  EXPECT_TRUE(one["correct"]);
  EXPECT_EQ(one["simd"]["threads"], 1);
  ASSERT_EQ(one["simd"]["kernels"].size(), 1);
  const Json& kernel = one["simd"]["kernels"][0];
  EXPECT_EQ(kernel["instances"], GetParam().instances);
  EXPECT_EQ(kernel["launches"], 1);
  EXPECT_EQ(kernel["plan"]["mode"], "joint");
  // The bits do not depend on the plan or on threads.
  const Json compat = RunJson(
      GetParam().program, "simd",
      {"--threads", "3", "--mode", "compat", "--block", "2", "--full-packet"});
  EXPECT_EQ(compat["results"], one["results"]);
  EXPECT_EQ(compat["simd"]["threads"], 3);
  const Json& plan = compat["simd"]["kernels"][0]["plan"];
  EXPECT_EQ(plan["mode"], "compat");
  EXPECT_EQ(plan["requested_mma_output_block"], 2);
  EXPECT_TRUE(plan["requested_clone"]);
}

INSTANTIATE_TEST_SUITE_P(Programs, FloatProgramTest,
                         ::testing::Values(Launched{"attention_decode", 8},
                                           Launched{"attention_prefill", 32},
                                           Launched{"sgemm", 16}),
                         [](const ::testing::TestParamInfo<Launched>& info) {
                           return std::string(info.param.program);
                         });

TEST_F(MxtileSimdTest, ReportForPeople) {
  const ToolResult r =
      tool_.Run({"run", Program("mxfp8_gemm_tiled"), "--backend", "simd"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(
      r.out,
      AllOf(HasSubstr("\ninputs\n"), HasSubstr("\nSIMD backend on "),
            HasSubstr("\n  cell: 1 instance, 2 launches\n    "),
            HasSubstr(" instructions\n    planned in "),
            HasSubstr("    against float64 of the quantised inputs: absolute "),
            HasSubstr("\n    sha256 "),
            HasSubstr("\ncorrect: errors against the quantised inputs are "
                      "within 1e-05")));
  EXPECT_THAT(r.out, AllOf(Not(HasSubstr("passes")), Not(HasSubstr("pipes"))));
}

TEST_F(MxtileSimdTest, OwnInputs) {
  RunJson("sgemm", "simd", {"--out", "first"});
  const Json second = RunJson("sgemm", "simd", {"--in", "a=first/c.npy"});
  EXPECT_EQ(second["inputs"][0]["origin"], "first/c.npy");
  EXPECT_EQ(second["inputs"][1]["origin"], "seed 1");
  EXPECT_TRUE(second["correct"]);
  EXPECT_EQ(tool_.Files(), std::vector<std::string>{"first"});
  // Nothing was lowered.
  EXPECT_FALSE(std::filesystem::exists(tool_.Path("first/lowered.py")));
}

// ---- run: what goes wrong

TEST_F(MxtileSimdTest, WrongDataIsAWrongResult) {
  const ToolResult r = tool_.Run({"run", Program("mxfp8_gemm"), "--backend",
                                  "simd", "--inject-fault", "flip-scale-byte"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.out, HasSubstr("\nWRONG: "));
}

TEST_F(MxtileSimdTest, OptionsOfTheOtherBackendAreRefused) {
  const struct {
    std::vector<std::string> args;
    const char* message;
  } kCases[] = {
      {{"--backend", "simd", "--trace", "t.json"},
       "--trace shows the pipes of the A5 model"},
      {{"--backend", "simd", "--no-scale-reuse"},
       "--no-scale-reuse is about lowering"},
      {{"--backend", "simd", "--inject-fault", "drop-binding"},
       "--inject-fault drop-binding is about lowering"},
      {{"--threads", "2"}, "--threads goes with --backend simd"},
      {{"--mode", "compat"}, "--mode goes with --backend simd"},
      {{"--backend", "simd", "--block", "2"},
       "--block goes with --mode compat"},
      {{"--backend", "simd", "--mode", "compat", "--jit-budget", "9"},
       "--jit-budget goes with --mode joint"},
      {{"--backend", "simd", "--mode", "compat", "--block", "3"}, "--block"},
      {{"--backend", "simd", "--threads", "0"}, "--threads"},
      {{"--backend", "gpu"}, "--backend"},
  };
  for (const auto& c : kCases) {
    std::vector<std::string> args = {"run", Program("sgemm")};
    args.insert(args.end(), c.args.begin(), c.args.end());
    const ToolResult r = tool_.Run(args);
    EXPECT_EQ(r.exit_code, 2) << c.message;
    EXPECT_THAT(r.out, IsEmpty()) << c.message;
    EXPECT_THAT(r.err, HasSubstr(c.message));
  }
  EXPECT_THAT(tool_.Files(), IsEmpty());
}

constexpr char kRows[] = R"py(# pypto.program: Rows
import pypto.language as pl


@pl.program
class Rows:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(
        x: pl.Tensor[[8, 16], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 16], pl.FP32]],
        row: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[8, 16], pl.FP32]:
        t = pl.load(x, [row + 1, 0], [1, 16])
        u = pl.exp(t)
        z = pl.store(u, [row, 0], y)
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[8, 16], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 16], pl.FP32]],
    ) -> pl.Tensor[[8, 16], pl.FP32]:
        for row, (out,) in pl.parallel(8, init_values=(y,)):
            next_out = self.rows(x, out, row)
            result = pl.yield_(next_out)
        return result
)py";

TEST_F(MxtileSimdTest, RefusalsNameTheLine) {
  tool_.Write("window.py", kRows);
  const ToolResult window =
      tool_.Run({"run", "window.py", "--backend", "simd"});
  EXPECT_EQ(window.exit_code, 1);
  EXPECT_THAT(window.err, AllOf(HasSubstr("window.py:13:13: error: "),
                                HasSubstr("[MX-REF-2]")));
  const std::string inside =
      absl::StrReplaceAll(kRows, {{"[row + 1, 0]", "[row, 0]"}});
  tool_.Write("inside.py", inside);
  EXPECT_EQ(tool_.Run({"run", "inside.py", "--backend", "simd"}).exit_code, 0);
  tool_.Write("operator.py",
              absl::StrReplaceAll(inside, {{"pl.exp(", "pl.tile.log("}}));
  const ToolResult log = tool_.Run({"plan", "operator.py"});
  EXPECT_EQ(log.exit_code, 1);
  EXPECT_THAT(log.err, AllOf(HasSubstr("operator.py:14:13: error: "),
                             HasSubstr("tile.log"), HasSubstr("[MX-SIMD-1]")));
}

// ---- plan

TEST_F(MxtileSimdTest, PlanShowsRequestedAndRealised) {
  const auto plan = [this](const std::vector<std::string>& more) {
    std::vector<std::string> args = {"plan", Program("attention_prefill"),
                                     "--json", "--target", "x86-64-v3"};
    args.insert(args.end(), more.begin(), more.end());
    const ToolResult r = tool_.Run(args);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return Json::parse(r.out);
  };
  const Json one =
      plan({"--mode=compat", "--full-packet", "--clone-budget=100000"});
  EXPECT_EQ(one["schema"], "mxtile.plan_report.v1");
  EXPECT_EQ(one["target"]["cpu"], "x86-64-v3");
  EXPECT_EQ(one["target"]["f32_lanes"], 8);
  ASSERT_EQ(one["kernels"].size(), 1);
  EXPECT_EQ(one["kernels"][0]["instances"], 32);
  const Json& r1 = one["kernels"][0]["selected"];
  EXPECT_EQ(r1["requested_mma_output_block"], 1);
  EXPECT_EQ(r1["realised_block"], "1x1");
  EXPECT_EQ(r1["blocked_mmas"], 0);
  EXPECT_EQ(r1["mma_blocking_cost"], "unmodeled");
  EXPECT_EQ(r1["full_packet_specializations"], 1);
  EXPECT_EQ(one["kernels"][0]["rejected"].size(), 0);

  // A budget below the body: the clone is lost, and the plan says so.
  const Json four = plan(
      {"--mode=compat", "--block=4", "--full-packet", "--clone-budget=10"});
  const Json& r4 = four["kernels"][0]["selected"];
  EXPECT_EQ(r4["requested_mma_output_block"], 4);
  EXPECT_EQ(r4["realised_block"], "1x4");
  EXPECT_GE(r4["blocked_mmas"], 1);
  EXPECT_TRUE(r4["requested_clone"]);
  EXPECT_EQ(r4["full_packet_specializations"], 0);
  EXPECT_EQ(r4["full_packet_cloned_instructions"], 0);
  ASSERT_EQ(four["kernels"][0]["rejected"].size(), 1);
  EXPECT_THAT(four["kernels"][0]["rejected"][0]["rejection"].get<std::string>(),
              HasSubstr("above the clone budget of 10"));

  // The incumbent is among the candidates, and never is anything slower chosen.
  const Json joint = plan({});
  EXPECT_EQ(joint, plan({}));
  int incumbents = 0;
  const double best =
      joint["kernels"][0]["selected"]["estimated_cycles"].get<double>();
  for (const char* list : {"admitted", "rejected"}) {
    for (const Json& facts : joint["kernels"][0][list]) {
      incumbents += facts["is_incumbent"].get<bool>() ? 1 : 0;
    }
  }
  for (const Json& facts : joint["kernels"][0]["admitted"]) {
    EXPECT_GE(facts["estimated_cycles"].get<double>(), best);
  }
  EXPECT_EQ(incumbents, 1);
}

TEST_F(MxtileSimdTest, PlanExplainsToPeople) {
  const ToolResult r =
      tool_.Run({"plan", Program("mxfp8_gemm"), "--explain", "--tile-program"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(
      r.out,
      AllOf(HasSubstr("\nkernel gemm: 1 instance, 1 launch\n"),
            HasSubstr("  selected       "),
            HasSubstr("  output block   requested any, realised "),
            HasSubstr("  MX products    by f32"),
            HasSubstr("admitted, best first"), HasSubstr(" selected\n"),
            HasSubstr("the incumbent\n"), HasSubstr(" times the cycles\n"),
            HasSubstr("program gemm x 1\n"), HasSubstr("mx_contract")));
  const ToolResult brief = tool_.Run({"plan", Program("mxfp8_gemm")});
  EXPECT_THAT(brief.out, Not(HasSubstr("best first")));
  EXPECT_THAT(brief.out, Not(HasSubstr("mx_contract")));
}

TEST_F(MxtileSimdTest, PlanRefusals) {
  EXPECT_EQ(tool_.Run({"plan", "missing.py"}).exit_code, 2);
  const ToolResult target =
      tool_.Run({"plan", Program("sgemm"), "--target", "x86-64-v9"});
  EXPECT_EQ(target.exit_code, 2);
  EXPECT_THAT(target.err, HasSubstr("x86-64-v9"));
  const ToolResult block =
      tool_.Run({"plan", Program("sgemm"), "--full-packet"});
  EXPECT_EQ(block.exit_code, 2);
  EXPECT_THAT(block.err, HasSubstr("--full-packet goes with --mode compat"));
  tool_.Write("rows.py", kRows);
  const ToolResult scalar = tool_.Run({"plan", "rows.py", "--entry", "rows"});
  EXPECT_EQ(scalar.exit_code, 1);
  EXPECT_THAT(scalar.err, HasSubstr("[MX-INPUT-6]"));
  EXPECT_EQ(tool_.Run({"plan", "rows.py", "--entry", "rows", "--set", "row=3"})
                .exit_code,
            0);
}

// A kernel above its budget falls back to the smallest candidate.
TEST_F(MxtileSimdTest, JitBudgetNeverFails) {
  const Json small = RunJson("sgemm", "simd", {"--jit-budget", "1"});
  const Json free = RunJson("sgemm", "simd");
  EXPECT_EQ(small["results"], free["results"]);
  const auto instructions = [](const Json& report) {
    return report["simd"]["kernels"][0]["plan"]["instructions"].get<int>();
  };
  EXPECT_LE(instructions(small), instructions(free));
}

}  // namespace
}  // namespace mxtile
