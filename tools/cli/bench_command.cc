#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/bench/audit.h"
#include "tools/bench/bench_run.h"
#include "tools/bench/declaration.h"
#include "tools/bench/evidence.h"
#include "tools/bench/evidence_paths.h"
#include "tools/bench/paired.h"
#include "tools/bench/result_report.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"

namespace mxtile {
namespace {

struct SimdOptions {
  bench::BenchRequest request;
  std::string matrix;
  bool targets = false;
  int repeats = 0;  // 0: what the matrix asks for
  std::string evidence;
  bool json = false;
  bool quiet = false;
};

// Medians of this many experiments are what the targets are about.
constexpr int kTargetRepeats = 5;

bench::BenchRequest RequestOf(const SimdOptions& options) {
  bench::BenchRequest request = options.request;
  if (options.targets) {
    request.matrix = "targets";
  } else if (!options.matrix.empty()) {
    request.matrix = options.matrix;
  } else {
    request.matrix = request.workloads.empty() ? "seed" : "pairs";
  }
  request.repeats = options.repeats != 0          ? options.repeats
                    : request.matrix == "targets" ? kTargetRepeats
                                                  : 1;
  return request;
}

ExitCode BenchSimd(const SimdOptions& options) {
  Session session;
  if (options.targets && !options.matrix.empty()) {
    return session.FailOnFile(absl::InvalidArgumentError(
        "--targets is a matrix of its own: leave --matrix out"));
  }
  const absl::StatusOr<bench::Declaration> declaration =
      bench::Declare(RequestOf(options));
  if (!declaration.ok()) return session.FailOnFile(declaration.status());
  std::optional<bench::Evidence> evidence;
  if (!options.evidence.empty()) {
    absl::StatusOr<bench::Evidence> created =
        bench::Evidence::Create(options.evidence);
    if (!created.ok()) return session.FailOnFile(created.status());
    evidence.emplace(*std::move(created));
  }
  bench::Evidence* const sink = evidence.has_value() ? &*evidence : nullptr;
  const auto progress = [&](absl::string_view line) {
    if (!options.quiet) std::cerr << line << "\n";
  };
  const absl::StatusOr<bench::BenchResult> result =
      bench::RunBench(*declaration, bench::SteadyClock(), sink, progress);
  if (!result.ok()) return session.Fail(result.status());
  const std::string json = bench::ResultJson(*result).dump(1) + "\n";
  if (sink != nullptr) {
    absl::Status written = sink->Add(bench::kResultsFile, json);
    if (written.ok()) written = sink->Finish();
    if (!written.ok()) return session.FailOnFile(written);
  }
  std::cout << (options.json ? json : bench::ResultText(*result));
  return kExitDone;
}

void AddBenchSimd(CLI::App& bench, ExitCode* exit_code) {
  auto options = std::make_shared<SimdOptions>();
  bench::BenchRequest& request = options->request;
  CLI::App* command = bench.add_subcommand(
      "simd",
      "Generated code against generated, hand-written and OpenBLAS code, in "
      "pairs");
  command->add_option("--matrix", options->matrix,
                      "seed (default): blocks 2 and 4 against 1, clone off and "
                      "on, decode and prefill; targets; pairs: --candidate "
                      "against --base");
  command->add_flag(
      "--targets", options->targets,
      "The comparisons that have a target; five experiments each");
  command->add_option(
      "--workload", request.workloads,
      "decode, prefill, mha, long, mqa_batch, prefill_q8, "
      "attention:B,HQ,HKV,Q,K,D,DV,BQ,BK, gemm:N, "
      "gemm:MxNxK/BMxBNxBK, tile:MxNxK/ROUNDS; several may follow. Without "
      "--matrix: pairs");
  command->add_option("--base", request.base,
                      "Arm: r1_off ... r4_on, joint, incumbent, reference, "
                      "one_row, four_rows, openblas; default incumbent");
  command->add_option("--candidate", request.candidate,
                      "Likewise; default joint");
  command->add_option("--clone-budget", request.clone_budget,
                      "Instructions of a body that is cloned, in arms r1_off "
                      "... r4_on; default 4096");
  command->add_option("--target", request.target,
                      "Processor of generated code, by LLVM's name, of those "
                      "that run here: x86-64-v3 has 8 lanes; default this one");
  command->add_option("--repeat", options->repeats,
                      "Experiments of each kind; default 1, of targets 5");
  command->add_option("--cycles", request.cycles,
                      "Of four visits, A B B A; default 3");
  command->add_option("--samples", request.samples,
                      "Batches of a visit; default 7");
  command->add_option("--warmup-us", request.warmup_us,
                      "Of a visit; default 30000");
  command->add_option("--batch-us", request.batch_us,
                      "A batch takes at least this; default 15000");
  command->add_option("--evidence", options->evidence,
                      "A new folder with everything that `bench audit` checks");
  command->add_flag("--json", options->json, "The result for machines");
  command->add_flag("--quiet", options->quiet, "No progress on standard error");
  command->footer(
      "docs/bench.md explains the method, the table and the folder.\n\n"
      "Exit code 0 when measured, also where a target is missed; 1 when a "
      "workload is refused, 2 for wrong options or files, 3 for a wrong "
      "result.\n\n"
      "Example, the seed's matrix with a budget between the bodies of R1 and "
      "R4:\n"
      "  mxtile bench simd --matrix seed --target x86-64-v3 --clone-budget "
      "1700 "
      "--evidence seed\n");
  command->callback([options, exit_code] { *exit_code = BenchSimd(*options); });
}

ExitCode BenchAudit(const std::string& folder) {
  Session session;
  const absl::StatusOr<bench::AuditReport> report =
      bench::AuditEvidence(folder);
  if (!report.ok()) return session.FailOnFile(report.status());
  std::cout << bench::ToText(*report);
  return report->ok() ? kExitDone : kExitRefused;
}

void AddBenchAudit(CLI::App& bench, ExitCode* exit_code) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = bench.add_subcommand(
      "audit",
      "Recomputes what a folder of `bench simd --evidence` claims; runs no "
      "code of it");
  command->add_option("dir", *folder, "The folder")->required();
  command->footer(
      "A verdict a line. docs/bench.md says what is recomputed, and which "
      "forgeries nobody can see from a folder.\n\n"
      "Exit code 0 without a fault, 1 with one, 2 when the folder cannot be "
      "read.\n\n"
      "Example:\n  mxtile bench audit seed\n");
  command->callback([folder, exit_code] { *exit_code = BenchAudit(*folder); });
}

}  // namespace

void AddBenchCommand(CLI::App& app, ExitCode* exit_code) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measures generated code, and audits such measurements");
  command->require_subcommand(1);
  AddBenchSimd(*command, exit_code);
  AddBenchAudit(*command, exit_code);
}

}  // namespace mxtile
