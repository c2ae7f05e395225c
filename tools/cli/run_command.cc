#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/npy.h"
#include "exec/element_type.h"
#include "exec/inputs.h"
#include "exec/model/model_backend.h"
#include "exec/simd/kernel_runner.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/text/printer.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "passes/property.h"
#include "tools/cli/commands.h"
#include "tools/cli/entry.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/pipeline_hooks.h"
#include "tools/cli/run_options.h"
#include "tools/cli/session.h"
#include "tools/run/execution.h"
#include "tools/run/report.h"
#include "tools/run/results.h"
#include "tools/run/simd_execution.h"
#include "tools/run/trace.h"

namespace mxtile {
namespace {

// One `mxtile run`, step by step; a step that fails has told why and leaves the
// exit code.
class Run {
 public:
  explicit Run(const RunOptions& options) : options_(options) {}

  ExitCode Execute() {
    if (CheckBackend() && ReadInputs() && CheckOutputFolder() && Load() &&
        Lower() && Bind() && RunAndCompare() && WriteTrace() && Write()) {
      exit_code_ = Report();
    }
    return exit_code_;
  }

 private:
  bool Stop(ExitCode code) {
    exit_code_ = code;
    return false;
  }
  bool StopOnFile(const absl::Status& status) {
    return Stop(session_.FailOnFile(status));
  }

  bool is_simd() const { return options_.backend == kSimdBackend; }
  bool CheckBackend();
  bool ReadInputs();
  bool CheckOutputFolder();
  bool Load();
  bool Lower();
  bool Bind();
  bool RunAndCompare();
  bool RunModel(const ExecutionRequest& request, const References& references);
  bool RunSimd(const ExecutionRequest& request, const References& references);
  bool WriteTrace();
  bool Write();
  ExitCode Report();

  const RunOptions& options_;
  Session session_;
  ExitCode exit_code_ = kExitFault;
  exec::InputOptions inputs_;
  const ir::Program* source_ = nullptr;
  const ir::Program* lowered_ = nullptr;
  RunReport report_;
};

// Options of the other backend are refused, not ignored.
bool Run::CheckBackend() {
  if (!options_.misplaced.empty()) {
    return StopOnFile(absl::InvalidArgumentError(options_.misplaced));
  }
  if (!is_simd()) return true;
  const absl::Status status = CheckHasSimd();
  return status.ok() || Stop(session_.Fail(status));
}

bool Run::ReadInputs() {
  for (const std::string& setting : options_.inputs) {
    const auto parts = SplitSetting(setting);
    if (!parts.has_value()) {
      return StopOnFile(absl::InvalidArgumentError(
          absl::StrCat("--in ", setting, ": expected NAME=FILE.npy")));
    }
    absl::StatusOr<std::string> bytes = ReadFile(parts->second);
    if (!bytes.ok()) return StopOnFile(bytes.status());
    const bool is_new =
        inputs_.files
            .emplace(parts->first,
                     exec::InputFile{parts->second, *std::move(bytes)})
            .second;
    if (!is_new) {
      return StopOnFile(absl::InvalidArgumentError(
          absl::StrCat("--in ", parts->first, " is given twice")));
    }
  }
  if (!ParseScalars(options_.scalars, session_, &inputs_.scalars,
                    &exit_code_)) {
    return false;
  }
  inputs_.seed = options_.seed;
  inputs_.scale_rule =
      options_.scale_rule == "nv" ? ScaleRule::kNv : ScaleRule::kOcp;
  return true;
}

// A folder that cannot be made is said before the work, not after it; it is
// made only when there is something to write.
bool Run::CheckOutputFolder() {
  if (options_.output_folder.empty()) return true;
  std::filesystem::path part = options_.output_folder;
  std::error_code error;
  while (!part.empty() && !std::filesystem::exists(part, error) &&
         part != part.parent_path()) {
    part = part.parent_path();
  }
  if (part.empty() || std::filesystem::is_directory(part, error)) return true;
  return StopOnFile(absl::FailedPreconditionError(
      absl::StrCat("cannot create folder ", options_.output_folder, ": ",
                   part.string(), " is no folder")));
}

bool Run::Load() {
  source_ = session_.Load(options_.file);
  if (source_ == nullptr) return Stop(session_.exit_code());
  VerifyProperty(Property::kCallTypes, *source_, &session_.sink());
  if (session_.sink().has_errors()) {
    return Stop(session_.Fail(session_.sink().ToStatus()));
  }
  return FindEntry(*source_, options_.entry, session_, &report_.entry,
                   &exit_code_) &&
         SpecializeProgram(session_, &source_, &inputs_.scalars, &exit_code_);
}

// The SIMD backend runs the program as written.
bool Run::Lower() {
  if (is_simd()) return true;
  PassContext context;
  context.ir = &session_.context();
  context.sink = &session_.sink();
  context.options.reuse_scale_bindings = !options_.no_scale_reuse;
  context.options.entry = report_.entry;
  if (options_.fault == kDropBinding) {
    context.options.fault = InjectedFault::kDropBinding;
  } else if (options_.fault == kSwapBindings) {
    context.options.fault = InjectedFault::kSwapBindings;
  }
  PassManager manager(A5Pipeline());
  TimingHook timing;
  manager.AddHook(&timing);
  const absl::StatusOr<const ir::Program*> lowered =
      manager.Run(source_, context);
  if (!lowered.ok()) return Stop(session_.Fail(lowered.status()));
  lowered_ = *lowered;
  report_.passes = timing.reports();
  report_.findings = context.findings;
  return true;
}

bool Run::Bind() {
  absl::StatusOr<std::vector<exec::BoundInput>> inputs =
      exec::BindInputs(*source_, *source_->Find(report_.entry), inputs_);
  if (!inputs.ok()) return Stop(session_.Fail(inputs.status()));
  report_.inputs = *std::move(inputs);
  return true;
}

bool Run::RunAndCompare() {
  ExecutionRequest request;
  request.registry = &ir::StandardOps();
  request.source = source_;
  request.lowered = lowered_;
  request.entry = report_.entry;
  request.inputs = report_.inputs;
  if (options_.fault == kRowMajorScale) {
    request.fault = DataFault::kRowMajorScale;
  } else if (options_.fault == kFlipScaleByte) {
    request.fault = DataFault::kFlipScaleByte;
  }
  const absl::StatusOr<References> references =
      ComputeReferences(request, &session_.sink());
  if (!references.ok()) return Stop(session_.Fail(references.status()));
  report_.file = options_.file;
  report_.program = std::string(source_->name);
  report_.tolerance = options_.tolerance;
  return is_simd() ? RunSimd(request, *references)
                   : RunModel(request, *references);
}

bool Run::RunModel(const ExecutionRequest& request,
                   const References& references) {
  absl::StatusOr<Execution> execution =
      mxtile::Execute(request, references, &session_.sink());
  if (!execution.ok()) {
    session_.Fail(execution.status());
    // What the model has no machine for is the program's to change.
    const std::string rule = ir::RuleOf(execution.status());
    const bool refused = rule == exec::kModelUnsupportedRule ||
                         rule == exec::kModelNoAddressRule;
    return Stop(refused ? kExitRefused : kExitFault);
  }
  report_.execution = *std::move(execution);
  return true;
}

bool Run::RunSimd(const ExecutionRequest& request,
                  const References& references) {
  exec::simd::KernelRunnerOptions runner;
  runner.planner = options_.simd.planner;
  runner.threads = options_.threads;
  absl::StatusOr<SimdExecution> execution =
      ExecuteSimd(request, references, runner, &session_.sink());
  if (!execution.ok()) return Stop(session_.Fail(execution.status()));
  report_.execution.results = std::move(execution->results);
  report_.simd = *std::move(execution);
  return true;
}

bool Run::WriteTrace() {
  if (options_.trace_file.empty()) return true;
  const absl::Status status = WriteFileAtomically(
      options_.trace_file,
      ToChromeTrace(report_.execution.timeline, a5::Ascend950()));
  return status.ok() || StopOnFile(status);
}

bool Run::Write() {
  if (options_.output_folder.empty()) return true;
  absl::Status status = CreateDirectories(options_.output_folder);
  if (!status.ok()) return StopOnFile(status);
  for (const ExecutionResult& result : report_.execution.results) {
    NpyArray array;
    array.descr = exec::AcceptedDescrs(result.dtype)[0];
    array.shape = result.shape;
    array.bytes.assign(result.bytes.begin(), result.bytes.end());
    status = WriteFileAtomically(
        absl::StrCat(options_.output_folder, "/", result.name, ".npy"),
        SerializeNpy(array));
    if (!status.ok()) return StopOnFile(status);
  }
  if (is_simd()) return true;
  status =
      WriteFileAtomically(absl::StrCat(options_.output_folder, "/lowered.py"),
                          ir::PrintProgram(*lowered_));
  return status.ok() || StopOnFile(status);
}

ExitCode Run::Report() {
  session_.PrintDiagnostics();
  const a5::Soc& soc = a5::Ascend950();
  std::cout << (options_.json ? ToJson(report_, soc) : ToText(report_, soc));
  return report_.correct() ? kExitDone : kExitFault;
}

}  // namespace

void AddRunCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run",
      "Lower a program for the A5 with every offset proven, execute it on the "
      "A5 model, or as written on this processor, compare with float64");
  AddRunOptions(command, options.get());
  command->footer(
      "Exit code 0 when the result is correct, 1 when the program or an input "
      "is refused,\n3 when the machine traps or the result is wrong.\n\n"
      "Example:\n  mxtile run testdata/programs/mxfp8_gemm.py --in a=a.npy "
      "--in b=b.npy --out out\n"
      "  mxtile run testdata/programs/attention_decode.py --backend simd\n");
  command->callback([options, command, exit_code] {
    FinishRunOptions(*command, options.get());
    *exit_code = Run(*options).Execute();
  });
}

}  // namespace mxtile
