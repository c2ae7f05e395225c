#include "tools/bench/declaration.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Names(const Declaration& declaration) {
  std::vector<std::string> names;
  for (const ExperimentSpec& e : declaration.experiments) {
    names.push_back(e.name);
  }
  return names;
}

TEST(DeclarationTest, TheSeedsMatrixIsEightExperimentsOfTwelveArms) {
  MX_ASSERT_OK_AND_ASSIGN(const Declaration seed, Declare({}));
  EXPECT_THAT(Names(seed),
              ElementsAre("decode.r2_off_r1_off", "decode.r4_off_r1_off",
                          "decode.r2_on_r1_on", "decode.r4_on_r1_on",
                          "prefill.r2_off_r1_off", "prefill.r4_off_r1_off",
                          "prefill.r2_on_r1_on", "prefill.r4_on_r1_on"));
  for (const char* const workload : {"decode", "prefill"}) {
    EXPECT_THAT(seed.ArmsOf(workload), ElementsAre("r1_off", "r2_off", "r4_off",
                                                   "r1_on", "r2_on", "r4_on"));
  }
  EXPECT_EQ(seed.workload("prefill").attention.queries, 32);
}

TEST(DeclarationTest, TargetsHoldTheirNumbers) {
  BenchRequest request;
  request.matrix = "targets";
  MX_ASSERT_OK_AND_ASSIGN(const Declaration targets, Declare(request));
  const auto target = [&](const std::string& name) {
    for (const ExperimentSpec& e : targets.experiments) {
      if (e.name == name) return e.target;
    }
    ADD_FAILURE() << name;
    return -1.0;
  };
  for (const char* const shape :
       {"decode", "prefill", "mha", "long", "mqa_batch", "prefill_q8"}) {
    EXPECT_EQ(target(std::string(shape) + ".joint_incumbent"), 1.05);
  }
  EXPECT_EQ(target("decode.incumbent_one_row"), 4);
  EXPECT_EQ(target("decode.joint_openblas"), 1.2);
  EXPECT_EQ(target("decode.joint_four_rows"), 1.3);
  EXPECT_EQ(target("prefill.joint_four_rows"), 1.25);
  EXPECT_NEAR(target("gemm:512.joint_openblas"), 1.4286, 1e-4);
  EXPECT_NEAR(target("gemm:1024.joint_openblas"), 1.6667, 1e-4);
  EXPECT_EQ(target("decode.joint_joint"), 0);
}

TEST(DeclarationTest, ComesBackFromItsJson) {
  BenchRequest request;
  request.matrix = "pairs";
  request.workloads = {"gemm:8x16x4/2x8x4", "attention:1,2,1,1,9,8,8,1,4"};
  request.base = "reference";
  request.candidate = "r4_on";
  request.repeats = 2;
  request.clone_budget = 1700;
  request.target = "x86-64-v3";
  request.cycles = 1;
  request.samples = 3;
  request.warmup_us = 0;
  request.batch_us = 10;
  MX_ASSERT_OK_AND_ASSIGN(const Declaration declaration, Declare(request));
  const nlohmann::ordered_json json = ToJson(declaration);
  MX_ASSERT_OK_AND_ASSIGN(const BenchRequest read, RequestFromJson(json));
  MX_ASSERT_OK_AND_ASSIGN(const Declaration again, Declare(read));
  EXPECT_EQ(ToJson(again).dump(), json.dump());
  EXPECT_EQ(json["request"]["clone_budget"], 1700);
  EXPECT_EQ(read.target, "x86-64-v3");
  EXPECT_THAT(
      RequestFromJson(nlohmann::ordered_json::object()),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("request")));
}

TEST(WorkloadSpecTest, Parses) {
  MX_ASSERT_OK_AND_ASSIGN(const WorkloadSpec gemm,
                          ParseWorkload("gemm:8x16x4/2x8x3"));
  EXPECT_EQ(gemm.kind, WorkloadKind::kGemm);
  EXPECT_THAT(gemm.BufferSizes(), ElementsAre(32, 64, 128));
  EXPECT_EQ(gemm.gemm.block_n, 8);
  EXPECT_EQ(gemm.gemm.block_k, 3);
  EXPECT_EQ(gemm.Programs(), 8);
  MX_ASSERT_OK_AND_ASSIGN(const WorkloadSpec tile,
                          ParseWorkload("tile:2x3x5/7"));
  EXPECT_THAT(tile.BufferSizes(), ElementsAre(16 * 2 * 5, 15, 16 * 2 * 3));
  EXPECT_EQ(tile.rounds, 7);
  EXPECT_EQ(tile.Programs(), 16);
  MX_ASSERT_OK_AND_ASSIGN(const WorkloadSpec square, ParseWorkload("gemm:20"));
  EXPECT_EQ(square.gemm.k, 20);
  EXPECT_LE(square.gemm.block_m, 20);
  MX_ASSERT_OK_AND_ASSIGN(const WorkloadSpec attention,
                          ParseWorkload("attention:2,4,2,3,7,5,6,1,4"));
  EXPECT_EQ(attention.Programs(), 2 * 4 * 3);
  EXPECT_THAT(
      attention.BufferSizes(),
      ElementsAre(2 * 4 * 3 * 5, 2 * 2 * 7 * 5, 2 * 2 * 7 * 6, 2 * 4 * 3 * 6));
}

TEST(DeclarationTest, RefusesWhatHasNoMeaning) {
  const auto refused = [](BenchRequest request) {
    request.matrix = request.matrix.empty() ? "pairs" : request.matrix;
    return Declare(request).status();
  };
  const auto pairs = [](const std::string& workload) {
    BenchRequest request;
    request.matrix = "pairs";
    request.workloads = {workload};
    return request;
  };
  EXPECT_THAT(refused(pairs("encode")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("encode: expected decode, prefill")));
  EXPECT_THAT(refused(pairs("gemm:0")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'0' is no extent")));
  for (const char* const workload :
       {"gemm:4x4", "attention:1,2,3", "tile:4x4x4"}) {
    EXPECT_THAT(refused(pairs(workload)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(std::string(workload) + ": expected")));
  }
  BenchRequest request = pairs("gemm:8");
  request.base = "one_row";
  EXPECT_THAT(refused(request), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("not written for gemm:8")));
  request = pairs("decode");
  request.candidate = "r3_on";
  EXPECT_THAT(refused(request), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("arm r3_on")));
  request = pairs("decode");
  request.workloads.push_back("decode");
  EXPECT_THAT(refused(request), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("there twice")));
  request = {};
  request.matrix = "all";
  EXPECT_THAT(refused(request), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("matrix all")));
  request = {};
  request.repeats = 0;
  EXPECT_THAT(refused(request), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("repeats 0")));
}

TEST(FileNameTest, HasNoPathInIt) {
  EXPECT_EQ(FileName("gemm:8x8/../x"), "gemm_8x8_.._x");
}

}  // namespace
}  // namespace mxtile::bench
