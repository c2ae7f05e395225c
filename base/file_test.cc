#include "base/file.h"

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;

// A folder of this test's own, empty at the start.
std::string Folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

int FilesIn(const std::string& folder) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    (void)entry;
    ++count;
  }
  return count;
}

TEST(FileTest, ReadsWhatWasWritten) {
  const std::string folder = Folder("round_trip");
  std::string bytes(200000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  MX_ASSERT_OK(WriteFileAtomically(folder + "/x", "old"));
  MX_ASSERT_OK(WriteFileAtomically(folder + "/x", bytes));
  EXPECT_THAT(ReadFile(folder + "/x"), IsOkAndHolds(Eq(bytes)));
  EXPECT_EQ(FilesIn(folder), 1);
}

TEST(FileTest, AbsentFileNamesThePath) {
  EXPECT_THAT(ReadFile("no/such/file"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/such/file")));
}

TEST(FileTest, FolderIsNoFile) {
  EXPECT_THAT(ReadFile(Folder("folder")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("Is a directory")));
}

TEST(FileTest, LinksAreFollowedAndDevicesStayDevices) {
  const std::string folder = Folder("links");
  MX_ASSERT_OK(WriteFileAtomically(folder + "/target", "old"));
  std::filesystem::create_symlink("target", folder + "/link");
  MX_ASSERT_OK(WriteFileAtomically(folder + "/link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
  EXPECT_THAT(ReadFile(folder + "/target"), IsOkAndHolds(Eq("new")));
  // A link to a device, so that a mistake here does no harm.
  std::filesystem::create_symlink("/dev/null", folder + "/null");
  MX_ASSERT_OK(WriteFileAtomically(folder + "/null", "gone"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(FileTest, FailedWriteLeavesNothing) {
  const std::string folder = Folder("failed");
  std::filesystem::create_directories(folder + "/taken/inner");
  EXPECT_THAT(
      WriteFileAtomically(folder + "/taken", "x"),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("taken")));
  EXPECT_EQ(FilesIn(folder), 1);
}

TEST(FileTest, FolderBelowAPlainFileIsRefused) {
  const std::string folder = Folder("below");
  MX_ASSERT_OK(WriteFileAtomically(folder + "/plain", "x"));
  EXPECT_THAT(
      CreateDirectories(folder + "/plain/out"),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("plain/out")));
  EXPECT_THAT(
      CreateDirectories(folder + "/plain"),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("plain")));
  MX_EXPECT_OK(CreateDirectories(folder + "/a/b/c"));
  MX_EXPECT_OK(CreateDirectories(folder + "/a/b/c"));
}

}  // namespace
}  // namespace mxtile
