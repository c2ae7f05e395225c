#include "base/positioned_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;

class PositionedFileTest : public ::testing::Test {
 protected:
  PositionedFileTest()
      : folder_(
            ::testing::TempDir() + "/" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  std::string Path(const std::string& name) { return folder_ + "/" + name; }

  int FileCount() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      (void)entry;
      ++count;
    }
    return count;
  }

  std::string folder_;
};

TEST_F(PositionedFileTest, PartsInAnyOrderAndZerosBetween) {
  auto out = OutputFile::Create(Path("x"));
  MX_ASSERT_OK(out.status());
  MX_ASSERT_OK(out->WriteAt(5, {7, 8}));
  MX_ASSERT_OK(out->WriteAt(0, {1, 2, 3}));
  std::vector<uint8_t> back(7);
  MX_ASSERT_OK(out->ReadAt(0, absl::MakeSpan(back)));
  EXPECT_THAT(back, ElementsAre(1, 2, 3, 0, 0, 7, 8));
  EXPECT_FALSE(std::filesystem::exists(Path("x")));
  MX_ASSERT_OK(out->Commit());
  EXPECT_EQ(FileCount(), 1);

  const auto in = InputFile::Open(Path("x"));
  MX_ASSERT_OK(in.status());
  EXPECT_EQ(in->size(), 7);
  std::vector<uint8_t> part(3);
  MX_ASSERT_OK(in->ReadAt(4, absl::MakeSpan(part)));
  EXPECT_THAT(part, ElementsAre(0, 7, 8));
  EXPECT_THAT(in->ReadAt(5, absl::MakeSpan(part)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("it ends at byte 7, 1 bytes short")));
}

TEST_F(PositionedFileTest, WithoutCommitTheOldFileStays) {
  MX_ASSERT_OK(WriteFileAtomically(Path("x"), "old"));
  {
    auto out = OutputFile::Create(Path("x"));
    MX_ASSERT_OK(out.status());
    MX_ASSERT_OK(out->WriteAt(0, {1}));
  }
  EXPECT_THAT(ReadFile(Path("x")), IsOkAndHolds(Eq("old")));
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(PositionedFileTest, WhatAKilledRunLeftIsOverwritten) {
  MX_ASSERT_OK(WriteFileAtomically(Path("x.part"), "a long rest"));
  auto out = OutputFile::Create(Path("x"));
  MX_ASSERT_OK(out.status());
  MX_ASSERT_OK(out->WriteAt(0, {'n', 'e', 'w'}));
  MX_ASSERT_OK(out->Commit());
  EXPECT_THAT(ReadFile(Path("x")), IsOkAndHolds(Eq("new")));
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(PositionedFileTest, TwoWritersAreRefused) {
  auto first = OutputFile::Create(Path("x"));
  MX_ASSERT_OK(first.status());
  MX_ASSERT_OK(first->WriteAt(0, {1}));
  EXPECT_THAT(OutputFile::Create(Path("x")).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("another run is writing")));
  MX_ASSERT_OK(first->Commit());
  MX_EXPECT_OK(OutputFile::Create(Path("x")).status());
  EXPECT_THAT(ReadFile(Path("x")), IsOkAndHolds(Eq("\1")));
}

TEST_F(PositionedFileTest, OrTheSecondWaits) {
  auto first = OutputFile::Create(Path("x"));
  MX_ASSERT_OK(first.status());
  MX_ASSERT_OK(first->WriteAt(0, {'1'}));
  std::thread second([this] {
    auto out = OutputFile::Create(Path("x"), OutputFile::WhenLocked::kWait);
    MX_ASSERT_OK(out.status());
    MX_ASSERT_OK(out->WriteAt(0, {'2'}));
    MX_ASSERT_OK(out->Commit());
  });
  MX_ASSERT_OK(first->Commit());
  { const OutputFile closed = *std::move(first); }
  second.join();
  EXPECT_THAT(ReadFile(Path("x")), IsOkAndHolds(Eq("2")));
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(PositionedFileTest, LinksAreFollowed) {
  MX_ASSERT_OK(WriteFileAtomically(Path("target"), "old"));
  std::filesystem::create_symlink("target", Path("link"));
  auto out = OutputFile::Create(Path("link"));
  MX_ASSERT_OK(out.status());
  MX_ASSERT_OK(out->WriteAt(0, {'n'}));
  MX_ASSERT_OK(out->Commit());
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_THAT(ReadFile(Path("target")), IsOkAndHolds(Eq("n")));
}

TEST_F(PositionedFileTest, FullDisksAndLimits) {
  const auto full = OutputFile::Create("/dev/full");
  MX_ASSERT_OK(full.status());
  EXPECT_THAT(full->WriteAt(0, {1}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("/dev/full: No space left on device")));

  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {4, limit.rlim_max};
  {
    const auto out = OutputFile::Create(Path("x"));
    MX_ASSERT_OK(out.status());
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THAT(out->WriteAt(0, {1, 2, 3, 4, 5}),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr("File too large")));
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  EXPECT_EQ(FileCount(), 0);
}

TEST_F(PositionedFileTest, WhatIsNoFile) {
  EXPECT_THAT(InputFile::Open(Path("none")).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
  EXPECT_THAT(InputFile::Open(folder_).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("Is a directory")));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(InputFile::Open(Path("pipe")).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("no regular file")));
  EXPECT_THAT(OutputFile::Create(folder_).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("Is a directory")));
  EXPECT_THAT(OutputFile::Create(Path("no/folder")).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/folder")));
}

}  // namespace
}  // namespace mxtile
