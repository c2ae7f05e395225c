#ifndef TOOLS_CLI_SESSION_H_
#define TOOLS_CLI_SESSION_H_

// What one call of mxtile works with: the IR, the files that were read, the
// diagnostics, and the way to end.
//
//   Session session;
//   const ir::Program* program = session.Load(path);
//   if (program == nullptr) return session.exit_code();
//   ...
//   return session.Fail(status);          // or kExitDone

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/source_file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/program_form.h"

namespace mxtile {

class Session {
 public:
  Session();

  ir::Context& context() { return context_; }
  ir::DiagnosticSink& sink() { return sink_; }

  struct LoadOptions {
    // Instead of what the file's name and contents say.
    std::optional<ProgramForm> form;
    // Of the protobuf forms.
    bool drop_unknown_fields = false;
  };

  // Reads a program in any of its forms; "-" is standard input. Null after an
  // error, which is printed.
  const ir::Program* Load(const std::string& path) { return Load(path, {}); }
  const ir::Program* Load(const std::string& path, const LoadOptions& options);

  // Prints the diagnostics that were collected since the last time.
  void PrintDiagnostics();
  // Prints diagnostics, or the status itself when there are none, to stderr,
  // and returns the exit code that fits: kExitRefused for InvalidArgument,
  // FailedPrecondition and Unimplemented, kExitFault for Internal and others.
  ExitCode Fail(const absl::Status& status);
  // The same for the system's refusal of a file, kExitUsage.
  ExitCode FailOnFile(const absl::Status& status);
  ExitCode exit_code() const { return exit_code_; }

 private:
  const ir::SourceFile* FindFile(absl::string_view name) const;
  absl::StatusOr<const ir::Program*> Read(const ir::SourceFile& file,
                                          ProgramForm form,
                                          const LoadOptions& options);

  ir::Context context_;
  ir::DiagnosticSink sink_;
  std::vector<std::unique_ptr<ir::SourceFile>> files_;
  size_t printed_ = 0;
  ExitCode exit_code_ = kExitDone;
};

}  // namespace mxtile

#endif  // TOOLS_CLI_SESSION_H_
