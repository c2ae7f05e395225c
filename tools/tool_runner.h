#ifndef TOOLS_TOOL_RUNNER_H_
#define TOOLS_TOOL_RUNNER_H_

// Runs the mxtile binary in tests, as a user would.
//
//   ToolRunner tool;                       // has a folder of its own
//   tool.Write("a.py", text);
//   const ToolResult r = tool.Run({"check", "a.py"});
//   EXPECT_EQ(r.exit_code, 1); EXPECT_THAT(r.err, HasSubstr("..."));

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace mxtile {

struct ToolResult {
  int exit_code = -1;  // -1: ended by a signal.
  std::string out;
  std::string err;
};

class ToolRunner {
 public:
  // `binary`, relative to the runfiles: "tools/mxtile_main".
  explicit ToolRunner(const std::string& binary);

  // The folder that the tool runs in, empty at the start.
  const std::string& folder() const { return folder_; }
  std::string Path(absl::string_view name) const;

  // A file of the folder.
  void Write(absl::string_view name, absl::string_view contents) const;
  // Its contents; the test fails when it cannot be read.
  std::string Read(absl::string_view name) const;
  // The names of all files in the folder, sorted, folders not entered.
  std::vector<std::string> Files() const;

  ToolResult Run(const std::vector<std::string>& args) const;

  // A file of the repository, by its path from the root.
  static std::string RepositoryFile(absl::string_view path);

 private:
  std::string binary_;
  std::string folder_;
};

}  // namespace mxtile

#endif  // TOOLS_TOOL_RUNNER_H_
