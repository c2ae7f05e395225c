#include "tools/bench/evidence.h"

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class EvidenceTest : public ::testing::Test {
 protected:
  EvidenceTest() : parent_(fs::path(::testing::TempDir()) / "evidence_test") {
    fs::remove_all(parent_);
    fs::create_directories(parent_);
  }
  int Entries() const {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(parent_)) {
      (void)entry;
      ++count;
    }
    return count;
  }

  const fs::path parent_;
};

TEST_F(EvidenceTest, AppearsWholeWithAManifest) {
  const std::string folder = (parent_ / "out").string();
  MX_ASSERT_OK_AND_ASSIGN(Evidence evidence, Evidence::Create(folder + "/"));
  MX_ASSERT_OK(evidence.Add("a/b.txt", "abc"));
  MX_ASSERT_OK(evidence.Add("c.txt", ""));
  EXPECT_FALSE(fs::exists(folder));
  MX_ASSERT_OK(evidence.Finish());
  EXPECT_EQ(Entries(), 1);
  MX_ASSERT_OK_AND_ASSIGN(const std::string text,
                          ReadFile(folder + "/a/b.txt"));
  EXPECT_EQ(text, "abc");
  MX_ASSERT_OK_AND_ASSIGN(const std::string manifest,
                          ReadFile(folder + "/manifest.json"));
  const auto json = nlohmann::json::parse(manifest);
  EXPECT_EQ(json.at("format"), 1);
  EXPECT_EQ(json.at("files").size(), 2);
  EXPECT_EQ(json.at("files").at("a/b.txt").at("sha256"), Sha256Hex("abc"));
  EXPECT_EQ(json.at("files").at("a/b.txt").at("bytes"), 3);
}

TEST_F(EvidenceTest, LeavesNothingWithoutFinish) {
  {
    MX_ASSERT_OK_AND_ASSIGN(Evidence evidence,
                            Evidence::Create((parent_ / "out").string()));
    MX_ASSERT_OK(evidence.Add("a.txt", "abc"));
    EXPECT_EQ(Entries(), 1);
  }
  EXPECT_EQ(Entries(), 0);
}

TEST_F(EvidenceTest, DoesNotOverwrite) {
  fs::create_directory(parent_ / "out");
  EXPECT_THAT(Evidence::Create((parent_ / "out").string()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("out: exists")));
}

}  // namespace
}  // namespace mxtile::bench
