#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "exec/simd/jit/target.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "passes/property.h"
#include "tools/cli/commands.h"
#include "tools/cli/entry.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"
#include "tools/cli/simd_options.h"
#include "tools/plan/plan_report.h"
#include "tools/plan/planned_kernels.h"
#include "tools/run/simd_execution.h"

namespace mxtile {
namespace {

struct PlanCommandOptions {
  std::string file;
  std::string entry;
  std::vector<std::string> scalars;  // NAME=INT
  std::string target;
  std::string mx_products = "f32";
  bool explain = false;
  bool tile_program = false;
  bool json = false;
  SimdOptions simd;
  std::string fault;  // What is wrong with them together.
};

ExitCode Plan(const PlanCommandOptions& options) {
  Session session;
  ExitCode exit_code = kExitFault;
  if (!options.fault.empty()) {
    return session.FailOnFile(absl::InvalidArgumentError(options.fault));
  }
  const absl::Status has_simd = CheckHasSimd();
  if (!has_simd.ok()) return session.Fail(has_simd);
  PlanRequest request;
  request.registry = &ir::StandardOps();
  request.options = options.simd.planner;
  request.options.mx_f32 = options.mx_products == "f32";
  request.target = exec::simd::HostTarget();
  if (!options.target.empty()) {
    absl::StatusOr<exec::simd::SimdTarget> target =
        exec::simd::NamedTarget(options.target);
    if (!target.ok()) return session.FailOnFile(target.status());
    request.target = *std::move(target);
  }
  if (!ParseScalars(options.scalars, session, &request.scalars, &exit_code)) {
    return exit_code;
  }
  request.program = session.Load(options.file);
  if (request.program == nullptr) return session.exit_code();
  VerifyProperty(Property::kCallTypes, *request.program, &session.sink());
  if (session.sink().has_errors()) {
    return session.Fail(session.sink().ToStatus());
  }
  if (!FindEntry(*request.program, options.entry, session, &request.entry,
                 &exit_code) ||
      !SpecializeProgram(session, &request.program, &request.scalars,
                         &exit_code)) {
    return exit_code;
  }
  absl::StatusOr<std::vector<PlannedKernel>> kernels =
      PlanKernels(request, &session.sink());
  if (!kernels.ok()) return session.Fail(kernels.status());
  session.PrintDiagnostics();
  const PlanReport report = {options.file,   std::string(request.program->name),
                             request.entry,  request.options,
                             request.target, *std::move(kernels)};
  std::cout << (options.json ? ToJson(report)
                             : ToText(report,
                                      options.explain ? PlanDetail::kCandidates
                                                      : PlanDetail::kSelected,
                                      options.tile_program));
  return kExitDone;
}

}  // namespace

void AddPlanCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<PlanCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "plan",
      "What the SIMD backend would make of each kernel that a program "
      "launches; nothing is compiled or run");
  command->add_option("FILE", options->file, "Program; - is standard input")
      ->required();
  command->add_option("--entry", options->entry,
                      "The function to plan for; else the only Orchestration "
                      "function, else the only in-core one");
  command
      ->add_option("--set", options->scalars,
                   "NAME=INTEGER: a scalar parameter or dynamic dimension")
      ->allow_extra_args(false);
  command->add_flag("--explain", options->explain,
                    "Also every candidate: estimated cycles, instructions, "
                    "bytes of arrays, and why it lost");
  command->add_flag("--tile-program", options->tile_program,
                    "Also what each kernel is for the planner, one operation a "
                    "line");
  command->add_flag("--json", options->json,
                    "A report for machines (docs/simd.md)");
  AddPlannerOptions(command, &options->simd);
  command->add_option("--target", options->target,
                      "Processor, by LLVM's name: znver3, x86-64-v3, "
                      "skylake-avx512 ... [the host's]");
  command
      ->add_option("--mx-products", options->mx_products,
                   "How MX products are computed: f32, where scales are in its "
                   "range, or f64; a run chooses by the scales [f32]")
      ->check(CLI::IsMember({"f32", "f64"}));
  command->footer(
      "docs/simd.md says how to read the answer.\n\n"
      "Exit code 0 when every kernel has a plan, 1 when the program is "
      "refused, 2 when the file cannot be read.\n\n"
      "Example:\n  mxtile plan --explain "
      "testdata/programs/attention_decode.py\n"
      "  mxtile plan --mode compat --block 4 --full-packet "
      "testdata/programs/attention_prefill.py\n");
  command->callback([options, command, exit_code] {
    options->fault =
        FinishPlannerOptions(*command, &options->simd).value_or("");
    *exit_code = Plan(*options);
  });
}

}  // namespace mxtile
