// `mxtile lower --validate` from outside.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string Program(const std::string& name) {
  return ToolRunner::RepositoryFile("testdata/programs/" + name + ".py");
}

class MxtileValidateTest : public ::testing::Test {
 protected:
  MxtileValidateTest() : tool_("tools/mxtile_main") {}

  const ToolRunner tool_;
};

class EveryProgramTest : public MxtileValidateTest,
                         public ::testing::WithParamInterface<std::string> {};

// Each stage runs on the reference interpreter, the last one on the model too.
TEST_P(EveryProgramTest, EachStageComputesTheSameBits) {
  const ToolResult r =
      tool_.Run({"lower", Program(GetParam()), "--validate", "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Json report = Json::parse(r.out);
  EXPECT_EQ(report["schema"], "mxtile.validation_report.v1");
  EXPECT_EQ(report["validated"], true);
  EXPECT_EQ(report["fault"], nullptr);
  EXPECT_EQ(report["stages"].front()["pass"], "");
  EXPECT_EQ(report["stages"].back()["pass"], "allocate_addresses");
  EXPECT_FALSE(report["results"].empty());
  std::string last_model_outcome;
  for (const Json& stage : report["stages"]) {
    if (!stage["changed"]) continue;
    EXPECT_EQ(stage["reference"]["outcome"], "ran") << stage;
    last_model_outcome = stage["model"]["outcome"];
    if (last_model_outcome != "ran") {
      EXPECT_NE(stage["model"]["reason"], "") << stage;
    }
  }
  // The cube of the A5 has no FP32.
  EXPECT_EQ(last_model_outcome, GetParam() == "sgemm" ? "not_run" : "ran")
      << r.out;
}

INSTANTIATE_TEST_SUITE_P(All, EveryProgramTest,
                         ::testing::Values("mxfp8_gemm", "mxfp8_gemm_bias",
                                           "mxfp8_gemm_tiled",
                                           "quantize_dn_left_gemm",
                                           "quantize_dn_right_gemm",
                                           "quantize_nd_gemm", "sgemm"));

TEST_F(MxtileValidateTest, TheReportIsOnStandardErrorAndTheProgramOnOutput) {
  const ToolResult plain = tool_.Run({"lower", Program("mxfp8_gemm_bias")});
  const ToolResult r =
      tool_.Run({"lower", Program("mxfp8_gemm_bias"), "--validate"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.out, plain.out);
  EXPECT_THAT(r.err,
              HasSubstr("allocate_addresses           reference equal; model "
                        "equal\n"));
  EXPECT_THAT(r.err, HasSubstr("model not run, as before"));
  EXPECT_THAT(r.err, HasSubstr("c FP32 [32, 64]"));
}

TEST_F(MxtileValidateTest, JsonTakesOutputAndTheFileTakesTheProgram) {
  const ToolResult plain = tool_.Run({"lower", Program("mxfp8_gemm_bias")});
  const ToolResult r =
      tool_.Run({"lower", Program("mxfp8_gemm_bias"), "--validate", "--json",
                 "--seed", "7", "-o", "low.py"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_EQ(Json::parse(r.out)["seed"], 7);
  EXPECT_EQ(tool_.Read("low.py"), plain.out);
  // The same input, the same bytes.
  EXPECT_EQ(tool_
                .Run({"lower", Program("mxfp8_gemm_bias"), "--validate",
                      "--json", "--seed", "7"})
                .out,
            r.out);
}

TEST_F(MxtileValidateTest, WhatCannotBeExecutedIsSaid) {
  tool_.Write("window.py", R"(import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(x: pl.Tensor[[16, 64], pl.FP32], row: pl.Scalar[pl.INDEX],
             z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        s = pl.load(x, [row, 0], [8, 64], target_memory=pl.Mem.Vec)
        pl.store(s, [0, 0], z)
)");
  const ToolResult no_value = tool_.Run({"lower", "window.py", "--validate"});
  EXPECT_EQ(no_value.exit_code, 1);
  EXPECT_THAT(no_value.err, HasSubstr("[MX-INPUT-6]"));
  const ToolResult outside =
      tool_.Run({"lower", "window.py", "--validate", "--set", "row=9"});
  EXPECT_EQ(outside.exit_code, 1);
  EXPECT_THAT(outside.err, HasSubstr("window.py:8:13: error: tile.load"));
  EXPECT_THAT(outside.err, HasSubstr("[MX-REF-2]"));
  EXPECT_EQ(tool_.Run({"lower", "window.py", "--validate", "--set", "row=8"})
                .exit_code,
            0);
}

TEST_F(MxtileValidateTest, NoEngineForTheOperator) {
  tool_.Write("unknown.py", R"(import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def main(x: pl.Tensor[[16, 64], pl.FP32],
             z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        s: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.some.op(x)
        pl.store(s, [0, 0], z)
)");
  const ToolResult r = tool_.Run({"lower", "unknown.py", "--validate"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("some.op"));
  EXPECT_THAT(r.err, HasSubstr("[MX-VALIDATE-4]"));
}

// The vector core cannot write an accumulator: infer_tile_memory_space refuses.
TEST_F(MxtileValidateTest, APassThatRefusesEndsIt) {
  const ToolResult r =
      tool_.Run({"lower", Program("attention_decode"), "--validate", "--json"});
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("[MX-SPACE-4]"));
  const Json report = Json::parse(r.out);
  EXPECT_EQ(report["validated"], false);
  EXPECT_EQ(report["fault"], nullptr);
  for (const Json& stage : report["stages"]) {
    EXPECT_NE(stage["pass"], "infer_tile_memory_space");
  }
}

TEST_F(MxtileValidateTest, OptionsOfValidationNeedIt) {
  for (const char* option : {"--seed=2", "--set=n=1", "--json"}) {
    const ToolResult r = tool_.Run({"lower", Program("sgemm"), option});
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_THAT(r.err, HasSubstr("goes with --validate"));
  }
}

}  // namespace
}  // namespace mxtile
