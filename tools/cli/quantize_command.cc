#include <algorithm>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/quantize_choices.h"
#include "tools/cli/session.h"
#include "tools/quantize/checkpoint.h"
#include "tools/quantize/dequantize_run.h"
#include "tools/quantize/progress_bar.h"
#include "tools/quantize/quantize_report.h"
#include "tools/quantize/quantize_run.h"
#include "tools/quantize/quantize_settings.h"

namespace mxtile {
namespace {

struct QuantizeCommandOptions {
  std::string input;
  std::string output;
  QuantizeChoices choices;
  std::string include;
  std::string exclude;
  std::string shard;
  int threads = 0;
  bool stacks = false;
  bool no_pad = false;
  bool npy_bf16 = false;
  bool fail_on_nonfinite = false;
  bool verify = false;
  bool resume = false;
  bool json = false;
};

// A limit on the size of files is an error of the write then, not the end of
// the process.
void IgnoreFileSizeSignal() { std::signal(SIGXFSZ, SIG_IGN); }

int ThreadCount(int option) {
  if (option > 0) return option;
  return std::max<int>(1, std::thread::hardware_concurrency());
}

// Refused input is exit code 1, the system's refusal of a file 2.
ExitCode FailOnRun(const absl::Status& status, Session* session) {
  return absl::IsNotFound(status) || absl::IsPermissionDenied(status) ||
                 absl::IsFailedPrecondition(status)
             ? session->FailOnFile(status)
             : session->Fail(status);
}

absl::StatusOr<std::unique_ptr<re2::RE2>> Compile(const char* option,
                                                  const std::string& pattern) {
  if (pattern.empty()) return std::unique_ptr<re2::RE2>();
  auto compiled = std::make_unique<re2::RE2>(pattern, re2::RE2::Quiet);
  if (!compiled->ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, " ", pattern, ": ", compiled->error()));
  }
  return compiled;
}

// "2/8": the shards 2, 10, ... of 0, 1, ...
absl::Status ParseShard(const std::string& text, QuantizeOptions* options) {
  if (text.empty()) return absl::OkStatus();
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &options->shard_index) ||
      !absl::SimpleAtoi(parts[1], &options->shard_count) ||
      options->shard_index < 0 ||
      options->shard_index >= options->shard_count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shard ", text, ": expected I/N with 0 <= I < N, as in 0/8"));
  }
  return absl::OkStatus();
}

ExitCode Quantize(const QuantizeCommandOptions& options) {
  Session session;
  IgnoreFileSizeSignal();
  QuantizeOptions run;
  run.settings = SettingsOf(options.choices);
  run.settings.pad = !options.no_pad;
  const absl::Status legal = CheckSettings(run.settings);
  if (!legal.ok()) return session.FailOnFile(legal);
  const auto include = Compile("--include", options.include);
  if (!include.ok()) return session.FailOnFile(include.status());
  const auto exclude = Compile("--exclude", options.exclude);
  if (!exclude.ok()) return session.FailOnFile(exclude.status());
  run.selection = {include->get(), exclude->get(), options.stacks};
  const absl::Status shard = ParseShard(options.shard, &run);
  if (!shard.ok()) return session.FailOnFile(shard);
  run.num_threads = ThreadCount(options.threads);
  run.fail_on_nonfinite = options.fail_on_nonfinite;
  run.verify = options.verify;
  run.resume = options.resume;

  const absl::StatusOr<Checkpoint> input =
      OpenCheckpoint(options.input, {options.npy_bf16});
  if (!input.ok()) return FailOnRun(input.status(), &session);
  ProgressBar bar;
  run.progress = [&bar](int64_t done, int64_t total) {
    bar.Update(done, total);
  };
  const absl::StatusOr<std::vector<ShardReport>> reports =
      QuantizeCheckpoint(*input, options.output, run);
  bar.Clear();
  if (!reports.ok()) return FailOnRun(reports.status(), &session);
  std::cout << (options.json ? QuantizeJson(*reports)
                             : QuantizeTable(*reports));
  return kExitDone;
}

struct DequantizeCommandOptions {
  std::string input;
  std::string output;
  int threads = 0;
};

ExitCode Dequantize(const DequantizeCommandOptions& options) {
  Session session;
  IgnoreFileSizeSignal();
  const absl::StatusOr<Checkpoint> input = OpenCheckpoint(options.input, {});
  if (!input.ok()) return FailOnRun(input.status(), &session);
  const absl::Status done = DequantizeCheckpoint(*input, options.output,
                                                 ThreadCount(options.threads));
  return done.ok() ? kExitDone : FailOnRun(done, &session);
}

constexpr char kExitCodes[] =
    "Exit code 0 when done, 1 when the input is refused, 2 for wrong options "
    "or a file that cannot be read or written; then no file is half written.";

void AddSelection(CLI::App* command,
                  const std::shared_ptr<QuantizeCommandOptions>& options) {
  command->add_option("--include", options->include,
                      "Quantise only tensors whose name matches this RE2");
  command->add_option("--exclude", options->exclude,
                      "Copy tensors whose name matches this RE2");
  command->add_flag("--stacks", options->stacks,
                    "Quantise tensors of rank 3 too, as stacked matrices");
  command->add_flag("--npy-bf16", options->npy_bf16,
                    "A .npy of uint16 holds bf16");
  command->add_flag("--no-pad", options->no_pad,
                    "Refuse matrices that would have to be padded");
  command->add_flag("--fail-on-nonfinite", options->fail_on_nonfinite,
                    "Refuse NaN and Inf instead of counting them");
}

void AddThreads(CLI::App* command, int* threads) {
  command->add_option("--threads", *threads, "As many as processors otherwise")
      ->check(CLI::Range(1, 1024));
}

}  // namespace

void AddQuantizeCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<QuantizeCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "quantize",
      "Quantise the matrices of a .npy, .safetensors or sharded checkpoint "
      "into MX data and scales");
  command
      ->add_option("IN", options->input,
                   ".npy, .safetensors, *.safetensors.index.json or a "
                   "folder with one")
      ->required();
  command
      ->add_option("-o,--out", options->output,
                   "A .safetensors; for a checkpoint in shards a folder")
      ->required();
  AddQuantizeChoices(command, &options->choices);
  AddSelection(command, options);
  AddThreads(command, &options->threads);
  command->add_option("--shard", options->shard,
                      "I/N: only the shards I, I + N, ... of a checkpoint");
  command->add_flag("--verify", options->verify,
                    "Read the output back and hold each element against the "
                    "bound of its format");
  command->add_flag("--resume", options->resume,
                    "Skip shards that an earlier run finished, by the digests "
                    "in its records");
  command->add_flag("--json", options->json,
                    "The report for machines (docs/quantize.md)");
  command->footer(absl::StrCat(
      "What goes together:\n", LegalSettings(),
      "\nMatrices [rows, cols] become NAME and NAME_scale, everything else is "
      "copied. docs/quantize.md says which bytes come out.\n\n",
      kExitCodes,
      "\n\nExamples, weights [N, K] as the cube reads them, and a job for one "
      "of eight machines:\n"
      "  mxtile quantize w.npy -o w.safetensors --data-layout nz "
      "--scale-layout nn\n"
      "  mxtile quantize model/ -o model-mx/ --exclude embed --shard 0/8 "
      "--resume\n"));
  command->callback([options, exit_code] { *exit_code = Quantize(*options); });
}

void AddDequantizeCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<DequantizeCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "dequantize", "Turn what quantize wrote back into F32");
  command->add_option("IN", options->input, "What quantize wrote")->required();
  command
      ->add_option("-o,--out", options->output,
                   "A .safetensors, of one tensor also a .npy; for a "
                   "checkpoint in shards a folder")
      ->required();
  AddThreads(command, &options->threads);
  command->footer(absl::StrCat(
      kExitCodes,
      "\n\nExample:\n  mxtile dequantize w.safetensors -o back.npy\n"));
  command->callback(
      [options, exit_code] { *exit_code = Dequantize(*options); });
}

}  // namespace mxtile
