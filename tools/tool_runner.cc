#include "tools/tool_runner.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/file.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

std::string ShellQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

}  // namespace

ToolRunner::ToolRunner(const std::string& binary)
    : binary_(std::filesystem::absolute(binary).string()) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = absl::StrCat(test->test_suite_name(), "_", test->name());
  std::replace(name.begin(), name.end(), '/', '_');
  folder_ = absl::StrCat(::testing::TempDir(), "/", name);
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
}

std::string ToolRunner::Path(absl::string_view name) const {
  return absl::StrCat(folder_, "/", name);
}

void ToolRunner::Write(absl::string_view name,
                       absl::string_view contents) const {
  MX_CHECK(WriteFileAtomically(Path(name), contents).ok()) << name;
}

std::string ToolRunner::Read(absl::string_view name) const {
  absl::StatusOr<std::string> contents = ReadFile(Path(name));
  EXPECT_TRUE(contents.ok()) << contents.status();
  return contents.ok() ? *std::move(contents) : "";
}

std::vector<std::string> ToolRunner::Files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ToolResult ToolRunner::Run(const std::vector<std::string>& args) const {
  // Beside the folder, so that Files() shows what the tool left.
  const std::string out = folder_ + ".stdout";
  const std::string err = folder_ + ".stderr";
  std::string command =
      absl::StrCat("cd ", ShellQuoted(folder_), " && ", ShellQuoted(binary_));
  for (const std::string& arg : args) {
    absl::StrAppend(&command, " ", ShellQuoted(arg));
  }
  absl::StrAppend(&command, " >", ShellQuoted(out), " 2>", ShellQuoted(err));
  const int status = std::system(command.c_str());
  ToolResult result;
  if (WIFEXITED(status) && WEXITSTATUS(status) < 128) {
    result.exit_code = WEXITSTATUS(status);
  }
  result.out = *ReadFile(out);
  result.err = *ReadFile(err);
  return result;
}

std::string ToolRunner::RepositoryFile(absl::string_view path) {
  // Tests start in their runfiles.
  return std::filesystem::absolute(std::string(path)).string();
}

}  // namespace mxtile
