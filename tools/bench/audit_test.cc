#include "tools/bench/audit.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/status_matchers.h"
#include "exec/simd/jit/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/bench/bench_run.h"
#include "tools/bench/declaration.h"
#include "tools/bench/evidence.h"
#include "tools/bench/evidence_paths.h"
#include "tools/bench/paired.h"
#include "tools/bench/result_report.h"

namespace mxtile::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kShape[] = "attention:1,8,2,1,21,8,72,1,10";

// Goes on by another amount each time that it is asked, more than a batch.
class FakeClock : public Clock {
 public:
  int64_t NowNs() override {
    step_ = (step_ * 48271) % 2147483647;
    return now_ += 100'000 + step_ % 10'000;
  }

 private:
  int64_t now_ = 0;
  int64_t step_ = 1;
};

BenchRequest SmallSeed() {
  BenchRequest request;
  request.matrix = "seed";
  request.workloads = {kShape};
  request.cycles = 2;
  request.samples = 3;
  request.repeats = 2;
  request.warmup_us = 10;
  request.batch_us = 50;
  return request;
}

absl::StatusOr<BenchResult> Measure(const BenchRequest& request,
                                    Evidence* evidence) {
  FakeClock clock;
  absl::StatusOr<Declaration> declaration = Declare(request);
  if (!declaration.ok()) return declaration.status();
  return RunBench(*declaration, clock, evidence, nullptr);
}

void Write(const fs::path& path, absl::string_view contents) {
  MX_ASSERT_OK(WriteFileAtomically(path.string(), contents));
}

std::string Read(const fs::path& path) {
  absl::StatusOr<std::string> text = ReadFile(path.string());
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

// A manifest that fits whatever is there.
void WriteManifest(const fs::path& folder) {
  Json manifest = {{"format", 1}, {"files", Json::object()}};
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder).string();
    if (!entry.is_regular_file() || path == kManifestFile) continue;
    const std::string bytes = Read(entry.path());
    manifest["files"][path] = {{"sha256", Sha256Hex(bytes)},
                               {"bytes", bytes.size()}};
  }
  Write(folder / kManifestFile, manifest.dump());
}

// The first character behind `text` becomes another.
void ChangeBehind(const fs::path& path, const std::string& text) {
  std::string bytes = Read(path);
  const size_t at = bytes.find(text);
  ASSERT_NE(at, std::string::npos) << text;
  char& c = bytes[at + text.size()];
  c = c == '1' ? '2' : '1';
  Write(path, bytes);
}

void EditJson(const fs::path& path, const std::function<void(Json&)>& edit) {
  Json json = Json::parse(Read(path));
  edit(json);
  Write(path, json.dump());
}

class AuditTest : public ::testing::Test {
 protected:
  // One honest folder for all.
  static void SetUpTestSuite() {
    if (exec::simd::HostTarget().cpu == "generic") return;
    honest_ = fs::path(::testing::TempDir()) / "honest";
    fs::remove_all(honest_);
    MX_ASSERT_OK_AND_ASSIGN(const BenchResult trial,
                            Measure(SmallSeed(), nullptr));
    BenchRequest request = SmallSeed();
    // The body of one column fits, that of four does not.
    const auto& facts = trial.facts.at(kShape);
    const int64_t r1 = facts.at("r1_off").at("body_instructions");
    const int64_t r4 = facts.at("r4_off").at("body_instructions");
    ASSERT_LT(r1, r4);
    request.clone_budget = r1;
    MX_ASSERT_OK_AND_ASSIGN(Evidence evidence,
                            Evidence::Create(honest_.string()));
    MX_ASSERT_OK_AND_ASSIGN(const BenchResult result,
                            Measure(request, &evidence));
    MX_ASSERT_OK(evidence.Add(kResultsFile, ResultJson(result).dump(1)));
    MX_ASSERT_OK(evidence.Finish());
  }

  void SetUp() override {
    if (honest_.empty()) GTEST_SKIP() << "this build has no LLVM";
    folder_ = fs::path(::testing::TempDir()) / "planted";
    fs::remove_all(folder_);
    fs::copy(honest_, folder_, fs::copy_options::recursive);
  }

  static std::string Audit(const fs::path& folder) {
    const absl::StatusOr<AuditReport> report = AuditEvidence(folder.string());
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? ToText(*report) : "";
  }
  // After a change whose author also wrote the manifest anew.
  std::string AuditWithManifest() {
    WriteManifest(folder_);
    return Audit(folder_);
  }

  fs::path Arm(const std::string& arm, const std::string& file) const {
    return folder_ / ArmFile(kShape, arm, file);
  }
  fs::path Experiment(const std::string& pair, int repeat) const {
    return folder_ / ExperimentFile(absl::StrCat(kShape, ".", pair), repeat);
  }

  static fs::path honest_;
  fs::path folder_;
};

fs::path AuditTest::honest_;

TEST_F(AuditTest, AnHonestFolderHasNoFault) {
  const std::string text = Audit(honest_);
  EXPECT_THAT(text, HasSubstr("no fault in"));
  EXPECT_THAT(text, HasSubstr("declaration: 4 experiments, each 2 times"));
  EXPECT_THAT(text, Not(HasSubstr("FAULT")));
  EXPECT_EQ(Json::parse(Read(Arm("r1_on", "facts.json"))).at("clones"), 1);
  EXPECT_EQ(Json::parse(Read(Arm("r4_on", "facts.json"))).at("clones"), 0);
}

TEST_F(AuditTest, AByteOfAnyFileIsFoundByItsHash) {
  int changed = 0;
  for (const auto& entry : fs::recursive_directory_iterator(honest_)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().lexically_relative(honest_).string();
    if (path == kManifestFile) continue;
    std::string bytes = Read(entry.path());
    bytes[bytes.size() / 2] ^= 1;
    Write(folder_ / path, bytes);
    EXPECT_THAT(Audit(folder_),
                HasSubstr(absl::StrCat("FAULT  inventory: ", path,
                                       ": its hash is not that")));
    bytes[bytes.size() / 2] ^= 1;
    Write(folder_ / path, bytes);
    ++changed;
  }
  // 3 + 1 files of the workload, 5 of each of 6 arms, 4 x 2 experiments,
  // declaration, environment, results.
  EXPECT_EQ(changed, 45);
  EXPECT_THAT(Audit(folder_), HasSubstr("no fault"));
}

TEST_F(AuditTest, AByteOfTheManifestIsFound) {
  ChangeBehind(folder_ / kManifestFile, "\"sha256\": \"");
  EXPECT_THAT(Audit(folder_), HasSubstr("FAULT  inventory"));
}

TEST_F(AuditTest, FilesThatAreMissingOrTooMany) {
  fs::remove(Arm("r2_on", "after.ll"));
  EXPECT_THAT(Audit(folder_),
              HasSubstr("r2_on/after.ll: in the manifest, but missing"));
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("r2_on/after.ll: declared, but missing"));
  SetUp();
  Write(folder_ / "notes.txt", "fast");
  EXPECT_THAT(Audit(folder_), HasSubstr("notes.txt: not in the manifest"));
  EXPECT_THAT(AuditWithManifest(), HasSubstr("notes.txt: not declared"));
  SetUp();
  fs::remove(Experiment("r4_on_r1_on", 1));
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("r4_on_r1_on/1.json: declared, but missing"));
}

TEST_F(AuditTest, LinksAndPathsThatLeaveTheFolder) {
  fs::remove(Arm("r1_on", "object.o"));
  fs::create_symlink(
      fs::absolute(honest_ / ArmFile(kShape, "r1_on", "object.o")),
      Arm("r1_on", "object.o"));
  EXPECT_THAT(Audit(folder_), HasSubstr("r1_on/object.o: a symbolic link"));
  SetUp();
  for (const char* const path :
       {"../honest/x", "/absolute/x", "a//b", "a/./b"}) {
    EditJson(folder_ / kManifestFile, [&](Json& manifest) {
      manifest["files"][path] = {{"sha256", ""}, {"bytes", 0}};
    });
    EXPECT_THAT(Audit(folder_),
                HasSubstr(absl::StrCat(path, ": leaves the folder")));
  }
}

TEST_F(AuditTest, JsonThatMeansTwoThingsOrNoNumber) {
  const fs::path facts = Arm("r2_off", "facts.json");
  Write(facts, absl::StrReplaceAll(
                   Read(facts), {{"\"width\"", "\"clones\": 1, \"width\""}}));
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("r2_off/facts.json: key \"clones\" stands twice"));
  SetUp();
  const fs::path run = Experiment("r2_on_r1_on", 0);
  Write(run,
        absl::StrReplaceAll(Read(run), {{"\"ratio\": ", "\"ratio\": NaN"}}));
  EXPECT_THAT(AuditWithManifest(), HasSubstr("r2_on_r1_on/0.json: [json"));
  SetUp();
  EditJson(run, [](Json& json) { json.erase("ratios"); });
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("r2_on_r1_on/0.json: not as docs/bench.md has it"));
}

TEST_F(AuditTest, ASampleARatioAnOrderACount) {
  const fs::path run = Experiment("r2_on_r1_on", 0);
  const auto found = [&](const std::function<void(Json&)>& edit) {
    SetUp();
    EditJson(run, edit);
    return AuditWithManifest();
  };
  EXPECT_THAT(found([](Json& json) {
                for (Json& ns : json["visits"][3]["batch_ns"]) {
                  ns = ns.get<int64_t>() - 1;
                }
              }),
              HasSubstr("0.json: visit 3: median_us is"));
  EXPECT_THAT(found([](Json& json) {
                json["visits"][2]["repeats"] =
                    2 * json["visits"][2]["repeats"].get<int64_t>();
              }),
              HasSubstr("0.json: visit 2: median_us is"));
  EXPECT_THAT(found([](Json& json) {
                json["visits"][1]["median_us"] =
                    json["visits"][1]["median_us"].get<double>() / 2;
              }),
              HasSubstr("0.json: ratios are"));
  EXPECT_THAT(found([](Json& json) {
                json["ratios"][3] =
                    json["ratios"][3].get<double>() * (1 - 1e-15);
              }),
              HasSubstr("0.json: ratios are"));
  for (const char* const key :
       {"ratio", "ratio_min", "ratio_max", "base_us", "candidate_us"}) {
    EXPECT_THAT(
        found([&](Json& json) { json[key] = json[key].get<double>() * 0.9; }),
        HasSubstr(absl::StrCat("0.json: ", key, " is ")));
  }
  EXPECT_THAT(
      found(
          [](Json& json) { std::swap(json["visits"][4], json["visits"][5]); }),
      HasSubstr("visit 4: of the candidate, in A B B A it is the base"));
  EXPECT_THAT(found([](Json& json) { json["visits"].erase(7); }),
              HasSubstr("0.json: 7 visits, not 8"));
  EXPECT_THAT(found([](Json& json) { json["visits"][0]["batch_ns"].erase(0); }),
              HasSubstr("0.json: visit 0: 2 batches, not 3"));
  EXPECT_THAT(found([](Json& json) { json["candidate"] = "r4_on"; }),
              HasSubstr("0.json: is about another experiment"));
  EXPECT_THAT(
      found([](Json& json) { json["visits"][6]["output_sha256"] = "00"; }),
      HasSubstr("0.json: visit 6: another output"));
}

TEST_F(AuditTest, InputsOracleAndOutputs) {
  const auto change = [&](const fs::path& path, size_t at) {
    SetUp();
    std::string bytes = Read(path);
    bytes[at] ^= 0x10;
    Write(path, bytes);
    return AuditWithManifest();
  };
  const fs::path workload = folder_ / "workloads" / FileName(kShape);
  EXPECT_THAT(change(workload / "buffer1.f32", 6),
              HasSubstr("buffer1.f32: element 1 is"));
  EXPECT_THAT(change(workload / "oracle.f64", 8 * 5 + 5),
              HasSubstr("oracle.f64: element 5 is"));
  // The lowest bits of an output are within the tolerance, but not those of
  // the other arms.
  EXPECT_THAT(change(Arm("r2_off", "output.f32"), 4),
              HasSubstr("r2_off/output.f32: other bits than r1_off"));
  EXPECT_THAT(change(Arm("r4_off", "output.f32"), 7),
              HasSubstr("r4_off/output.f32: element 1 is"));
  SetUp();
  Write(workload / "oracle.f64", "12345678");
  EXPECT_THAT(AuditWithManifest(), HasSubstr("oracle.f64: 8 bytes, not"));
}

TEST_F(AuditTest, FactsAgainstTheModule) {
  const auto found = [&](const std::string& arm, const char* key,
                         const Json& value) {
    SetUp();
    EditJson(Arm(arm, "facts.json"), [&](Json& json) { json[key] = value; });
    return AuditWithManifest();
  };
  const auto says = [](const std::string& arm, const std::string& text) {
    return HasSubstr(absl::StrCat(arm, "/facts.json: ", text));
  };
  EXPECT_THAT(found("r2_on", "clones", 1), says("r2_on", "clones is 1"));
  EXPECT_THAT(found("r1_on", "clones", 0), says("r1_on", "clones is 0"));
  EXPECT_THAT(found("r1_on", "team_instructions", 7),
              says("r1_on", "team_instructions is 7, the module has"));
  EXPECT_THAT(found("r1_off", "body_instructions", 7),
              says("r1_off", "body_instructions is 7, the module has"));
  EXPECT_THAT(found("r1_off", "instructions", 7),
              says("r1_off", "instructions is 7, the module has"));
  EXPECT_THAT(found("r4_off", "blocked_mmas", 0),
              says("r4_off", "blocked_mmas is 0 with a block of 4"));
  EXPECT_THAT(found("r1_off", "blocked_mmas", 1),
              says("r1_off", "blocked_mmas is 1 with a block of 1"));
  EXPECT_THAT(found("r4_off", "requested_block", 2),
              says("r4_off", "requested_block is 2"));
  EXPECT_THAT(found("r4_off", "block_cols", 2),
              says("r4_off", "block_cols is 2"));
  EXPECT_THAT(found("r2_off", "requested_clone", true),
              says("r2_off", "requested_clone is true"));
  EXPECT_THAT(found("r2_off", "clone_budget", 1),
              says("r2_off", "clone_budget is 1"));
  EXPECT_THAT(found("r2_off", "bytes", 1), says("r2_off", "bytes is 1, of"));
  EXPECT_THAT(found("r2_off", "workspace", 1),
              says("r2_off", "workspace is 1, of"));
}

TEST_F(AuditTest, TheModuleAndTheObject) {
  const auto replaced = [&](const std::string& arm, const std::string& file,
                            const std::string& from, const std::string& to) {
    SetUp();
    const std::string before = Read(Arm(arm, file));
    const std::string after = absl::StrReplaceAll(before, {{from, to}});
    EXPECT_NE(before, after) << from;
    Write(Arm(arm, file), after);
    return AuditWithManifest();
  };
  EXPECT_THAT(
      replaced("r1_on", "before.ll", "call void @attention.team(",
               "call void @attention.body("),
      HasSubstr("@attention.team is defined, but the entry does not call it"));
  // The sixth of its parameters is the number of active lanes.
  EXPECT_THAT(replaced("r1_on", "before.ll", "i64 %4, ", "i64 %5, "),
              HasSubstr("@attention.team uses its number of lanes, %5"));
  // Text of a lost clone, then its object.
  EXPECT_THAT(replaced("r4_on", "after.ll", "nounwind", "nounwind "),
              HasSubstr("r4_on/after.ll: without its clone it is not that of "
                        "r4_off"));
  SetUp();
  fs::copy_file(Arm("r1_on", "object.o"), Arm("r4_on", "object.o"),
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("r4_on/object.o: is not the object that facts.json"));
  EditJson(Arm("r4_on", "facts.json"), [&](Json& json) {
    json["object_sha256"] = Sha256Hex(Read(Arm("r1_on", "object.o")));
  });
  EXPECT_THAT(AuditWithManifest(), HasSubstr("r4_on/object.o: without its"));
  SetUp();
  fs::copy_file(Arm("r1_off", "object.o"), Arm("r2_off", "object.o"),
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("r2_off/object.o: is that of r1_off"));
  SetUp();
  Write(Arm("r2_off", "object.o"),
        Read(Arm("r2_off", "object.o")).substr(0, 99));
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("r2_off/object.o: is no whole relocatable object"));
}

TEST_F(AuditTest, WhatWasDeclaredAndWhatCameOut) {
  EditJson(folder_ / kDeclaredFile,
           [](Json& json) { json["experiments"].erase(3); });
  fs::remove_all(Experiment("r4_on_r1_on", 0).parent_path());
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("experiments are not those of the request"));
  SetUp();
  EditJson(folder_ / kDeclaredFile,
           [](Json& json) { json["request"]["repeats"] = 1; });
  EXPECT_THAT(AuditWithManifest(), HasSubstr("1.json: not declared"));
  SetUp();
  EditJson(folder_ / kDeclaredFile,
           [](Json& json) { json["request"]["matrix"] = "best"; });
  EXPECT_THAT(AuditWithManifest(), HasSubstr("declared.json: matrix best"));
  SetUp();
  EditJson(folder_ / kResultsFile,
           [](Json& json) { json["rows"][2]["ratio"] = 0.5; });
  EXPECT_THAT(AuditWithManifest(), HasSubstr("results.json: row 2 is"));
  SetUp();
  EditJson(folder_ / kResultsFile,
           [](Json& json) { json["arms"][1]["facts"]["clones"] = 5; });
  EXPECT_THAT(AuditWithManifest(), HasSubstr("results.json: arms: not "));
  SetUp();
  EditJson(folder_ / kEnvironmentFile, [](Json& json) { json["cpu"] = "x"; });
  EXPECT_THAT(AuditWithManifest(),
              HasSubstr("environment is not environment.json"));
}

TEST_F(AuditTest, WhatIsNoFolderIsAnError) {
  EXPECT_THAT(AuditEvidence((folder_ / "nowhere").string()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nowhere")));
  fs::remove(folder_ / kManifestFile);
  EXPECT_THAT(Audit(folder_), HasSubstr("manifest.json: missing"));
}

}  // namespace
}  // namespace mxtile::bench
