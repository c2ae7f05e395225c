#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "ir/program.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/program_form.h"
#include "tools/cli/session.h"
#include "tools/reduce/reducer.h"

namespace mxtile {
namespace {

struct ReduceOptions {
  std::string file;
  std::string command;
  std::optional<int> exit_code;
  std::string output = "-";
};

// What a shell answers that cannot run a command.
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

std::string ShellQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// A folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    std::string name =
        (std::filesystem::temp_directory_path(error) / "mxtile_reduce_XXXXXX")
            .string();
    if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }  // "": none.

 private:
  std::string path_;
};

// Runs the command on programs, each in the same file.
class Trial {
 public:
  Trial(const ReduceOptions& options, const std::string& folder)
      : exit_code_(options.exit_code),
        file_(absl::StrCat(folder, "/",
                           std::filesystem::path(options.file).stem().string(),
                           ".py")),
        command_(absl::StrCat(
            "( ",
            absl::StrReplaceAll(options.command, {{"{}", ShellQuoted(file_)}}),
            "\n) </dev/null >/dev/null 2>&1")) {}

  absl::StatusOr<bool> Fails(const std::string& text) {
    MX_RETURN_IF_ERROR(WriteFileAtomically(file_, text));
    const int status = std::system(command_.c_str());
    if (status == -1 || !WIFEXITED(status)) {
      return absl::AbortedError("--cmd: the shell was stopped");
    }
    const int exit_code = WEXITSTATUS(status);
    if (exit_code_.has_value()) return exit_code == *exit_code_;
    if (exit_code == kCannotExecute || exit_code == kNotFound) {
      return absl::NotFoundError(
          absl::StrCat("--cmd: the shell cannot run it (exit code ", exit_code,
                       "); --exit-code ", exit_code, " if it is meant"));
    }
    return exit_code != 0;
  }

 private:
  std::optional<int> exit_code_;
  std::string file_;
  std::string command_;
};

void PrintProgress(const ReduceProgress& progress) {
  std::cerr << "reduce: " << progress.lines << " lines, "
            << progress.num_candidates << " candidates, " << progress.num_tried
            << " tried, " << progress.num_kept << " kept, "
            << progress.reduction << "\n";
}

ExitCode Reduce(const ReduceOptions& options) {
  Session session;
  if (options.command.find("{}") == std::string::npos) {
    return session.FailOnFile(absl::InvalidArgumentError(
        "--cmd has no {}, where the program's file name goes"));
  }
  const ir::Program* program = session.Load(options.file);
  if (program == nullptr) return session.exit_code();
  const TemporaryFolder folder;
  if (folder.path().empty()) {
    return session.FailOnFile(
        absl::FailedPreconditionError("cannot make a temporary folder"));
  }
  Trial trial(options, folder.path());
  // Nothing that the system refused is the program's fault.
  absl::Status stopped;
  const absl::StatusOr<std::string> reduced = ReduceProgram(
      *program,
      [&](const std::string& text) {
        const absl::StatusOr<bool> fails = trial.Fails(text);
        stopped.Update(fails.status());
        return fails;
      },
      PrintProgress, &session.sink());
  if (!stopped.ok()) return session.FailOnFile(stopped);
  if (!reduced.ok()) return session.Fail(reduced.status());
  const ProgramForm form =
      FormOfName(options.output).value_or(ProgramForm::kText);
  if (form != ProgramForm::kText) {
    return session.FailOnFile(absl::InvalidArgumentError(
        absl::StrCat("-o ", options.output,
                     ": the result is text; mxtile convert makes another form "
                     "of it")));
  }
  const absl::Status written = WriteFileAtomically(options.output, *reduced);
  return written.ok() ? kExitDone : session.FailOnFile(written);
}

}  // namespace

void AddReduceCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<ReduceOptions>();
  CLI::App* command = app.add_subcommand(
      "reduce", "Shrink a failing program while a command keeps failing on it");
  command->add_option("FILE", options->file, "Program; - is standard input")
      ->required();
  command
      ->add_option("--cmd", options->command,
                   "Shell command, {} being the program's file; it fails when "
                   "its exit code is not 0")
      ->required();
  command
      ->add_option("--exit-code", options->exit_code,
                   "Only this exit code of the command counts as failing")
      ->check(CLI::Range(0, 255));
  command->add_option("-o", options->output,
                      "Where to write; - is standard output (the default)");
  command->footer(
      "Functions, statements, bodies, expressions and sizes go as long as the "
      "command\nfails on what is left; each candidate is verified first. "
      "Progress is on standard\nerror. What the command says can be asked for "
      "with grep and !, so that no other\nfailure takes the place of this "
      "one.\n\n"
      "Exit code 0 when done, 1 when the program is refused or does not "
      "fail.\n\n"
      "Example:\n  mxtile reduce testdata/refused/mx_offsets.py -o small.py "
      "\\\n      --cmd '! mxtile prove {} | grep -q refused'\n");
  command->callback([options, exit_code] { *exit_code = Reduce(*options); });
}

}  // namespace mxtile
