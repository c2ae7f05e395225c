// `mxtile bench` from outside: a small seed matrix with evidence, its audit,
// and what is refused. Times are whatever they are.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "exec/simd/jit/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kAttention[] = "attention:1,4,2,3,13,8,16,1,4";

class MxtileBenchTest : public ::testing::Test {
 protected:
  MxtileBenchTest() : tool_("tools/mxtile_main") {}

  void SetUp() override {
    if (exec::simd::HostTarget().cpu == "generic") {
      GTEST_SKIP() << "this build has no LLVM";
    }
  }

  // With batches of 1 ms.
  ToolResult Simd(std::vector<std::string> args) const {
    args.insert(args.begin(),
                {"bench", "simd", "--quiet", "--cycles", "1", "--samples", "3",
                 "--warmup-us", "0", "--batch-us", "1000"});
    return tool_.Run(args);
  }

  ToolRunner tool_;
};

TEST_F(MxtileBenchTest, SeedMatrixWithEvidenceIsAuditedAndChangesAreFound) {
  const ToolResult seed = Simd(
      {"--matrix", "seed", "--workload", kAttention, "--evidence", "seed"});
  ASSERT_EQ(seed.exit_code, 0) << seed.err;
  EXPECT_THAT(seed.err, IsEmpty());
  for (const char* const pair : {"r2_off / r1_off", "r4_off / r1_off",
                                 "r2_on / r1_on", "r4_on / r1_on"}) {
    EXPECT_THAT(seed.out, HasSubstr(pair));
  }
  EXPECT_THAT(seed.out, HasSubstr("load average"));
  EXPECT_THAT(tool_.Files(), ElementsAre("seed"));

  const ToolResult audit = tool_.Run({"bench", "audit", "seed"});
  EXPECT_EQ(audit.exit_code, 0) << audit.out;
  EXPECT_THAT(audit.out, HasSubstr("no fault"));

  const std::string results = tool_.Read("seed/results.json");
  tool_.Write(
      "seed/results.json",
      absl::StrReplaceAll(results, {{"\"met\": true", "\"met\": false"}}));
  const ToolResult found = tool_.Run({"bench", "audit", "seed"});
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_THAT(found.out, HasSubstr("FAULT  inventory: results.json: "));
  EXPECT_THAT(found.out, HasSubstr("FAULT  results: results.json: row 0"));

  const ToolResult again = Simd({"--evidence", "seed"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("seed: exists"));
}

TEST_F(MxtileBenchTest, PairsOfAllKindsOfArmsAsJson) {
  for (const char* const arm : {"joint", "one_row", "four_rows", "openblas"}) {
    const ToolResult r = Simd({"--workload", kAttention, "--base", arm,
                               "--candidate", "incumbent", "--json"});
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const auto json = nlohmann::json::parse(r.out);
    const auto& row = json.at("rows").at(0);
    EXPECT_EQ(row.at("experiment"),
              absl::StrCat(kAttention, ".incumbent_", arm));
    // Only what is not in this build is skipped.
    if (!row.contains("skipped")) {
      EXPECT_GT(row.at("ratio").get<double>(), 0);
      EXPECT_EQ(json.at("arms").size(), 2);
    } else {
      EXPECT_NE(std::string(arm), "joint");
    }
  }
}

TEST_F(MxtileBenchTest, GemmWithItselfAndWithTheReference) {
  const ToolResult r = Simd({"--workload", "gemm:12x20x9/4x8x8", "gemm:16",
                             "--base", "reference", "--evidence", "gemm"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("gemm:12x20x9/4x8x8"));
  EXPECT_THAT(r.out, HasSubstr("joint / reference"));
  const ToolResult audit = tool_.Run({"bench", "audit", "gemm"});
  EXPECT_EQ(audit.exit_code, 0) << audit.out;
}

TEST_F(MxtileBenchTest, RefusesWhatHasNoMeaning) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{
           {"--workload", "encode"},
           {"--workload", "gemm:8", "--base", "one_row"},
           {"--base", "fastest", "--matrix", "pairs"},
           {"--matrix", "seed", "--targets"},
           {"--repeat", "-1"}}) {
    const ToolResult r = Simd(args);
    EXPECT_EQ(r.exit_code, 2) << args[1];
    EXPECT_THAT(r.out, IsEmpty());
  }
  EXPECT_EQ(Simd({"--workload", "attention:1,1,1,9,5,4,4,1,4"}).exit_code, 1);
  EXPECT_EQ(tool_.Run({"bench", "audit", "nowhere"}).exit_code, 2);
  EXPECT_EQ(tool_.Run({"bench"}).exit_code, 2);
  EXPECT_THAT(tool_.Files(), IsEmpty());
}

}  // namespace
}  // namespace mxtile
