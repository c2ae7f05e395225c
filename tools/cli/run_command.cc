#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "CLI/CLI.hpp"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/npy.h"
#include "exec/element_type.h"
#include "exec/inputs.h"
#include "exec/model/model_backend.h"
#include "exec/specialize.h"
#include "ir/enums.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/text/printer.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "passes/property.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/pipeline_hooks.h"
#include "tools/cli/session.h"
#include "tools/run/execution.h"
#include "tools/run/report.h"
#include "tools/run/trace.h"

namespace mxtile {
namespace {

struct RunOptions {
  std::string file;
  std::string entry;
  std::vector<std::string> inputs;   // NAME=FILE
  std::vector<std::string> scalars;  // NAME=INT
  uint64_t seed = 1;
  std::string scale_rule = "ocp";
  double tolerance = 1e-5;
  std::string output_folder;
  std::string trace_file;
  bool json = false;
  bool no_scale_reuse = false;
  std::string fault;
};

constexpr char kDropBinding[] = "drop-binding";
constexpr char kSwapBindings[] = "swap-bindings";
constexpr char kRowMajorScale[] = "row-major-scale";
constexpr char kFlipScaleByte[] = "flip-scale-byte";

// "NAME=VALUE" in two; nullopt without a name or "=".
std::optional<std::pair<std::string, std::string>> SplitSetting(
    const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return std::make_pair(setting.substr(0, equals), setting.substr(equals + 1));
}

// One `mxtile run`, step by step; a step that fails has told why and leaves the
// exit code.
class Run {
 public:
  explicit Run(const RunOptions& options) : options_(options) {}

  ExitCode Execute() {
    if (ReadInputs() && CheckOutputFolder() && Load() && Specialize() &&
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

  bool ReadInputs();
  bool CheckOutputFolder();
  bool Load();
  bool FindEntry(const ir::Program& program);
  bool Specialize();
  bool Lower();
  bool Bind();
  bool RunAndCompare();
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
  for (const std::string& setting : options_.scalars) {
    const auto parts = SplitSetting(setting);
    int64_t value = 0;
    if (!parts.has_value() || !absl::SimpleAtoi(parts->second, &value)) {
      return StopOnFile(absl::InvalidArgumentError(
          absl::StrCat("--set ", setting, ": expected NAME=INTEGER")));
    }
    if (!inputs_.scalars.emplace(parts->first, value).second) {
      return StopOnFile(absl::InvalidArgumentError(
          absl::StrCat("--set ", parts->first, " is given twice")));
    }
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
  return FindEntry(*source_);
}

bool Run::FindEntry(const ir::Program& program) {
  if (!options_.entry.empty()) {
    report_.entry = options_.entry;
    if (program.Find(options_.entry) != nullptr) return true;
    return StopOnFile(absl::NotFoundError(absl::StrCat(
        "--entry ", options_.entry, ": the program has no such function")));
  }
  std::vector<std::string> orchestrations;
  std::vector<std::string> kernels;
  for (const ir::Function* function : program.functions) {
    if (function->function_type == ir::FunctionType::kOrchestration) {
      orchestrations.emplace_back(function->name);
    } else if (ir::IsInCore(function->function_type)) {
      kernels.emplace_back(function->name);
    }
  }
  const std::vector<std::string>& candidates =
      orchestrations.empty() ? kernels : orchestrations;
  if (candidates.size() == 1) {
    report_.entry = candidates[0];
    return true;
  }
  ir::SourceSpan span = program.functions[0]->span;
  span.line = 0;
  session_.sink().Error(
      "MX-RUN-1", span,
      candidates.empty()
          ? "the program has no Orchestration and no in-core function to run"
          : absl::StrCat("several functions could be the entry: ",
                         absl::StrJoin(candidates, ", "),
                         "; choose one with --entry"));
  return Stop(session_.Fail(session_.sink().ToStatus()));
}

// Gives dynamic dims their values; what is left in `inputs_.scalars` is for the
// entry's scalar parameters.
bool Run::Specialize() {
  std::map<std::string, int64_t> dims;
  for (const ir::Var* dim : source_->dynamic_dims) {
    const auto it = inputs_.scalars.find(std::string(dim->name));
    if (it == inputs_.scalars.end()) continue;
    dims.insert(*it);
    inputs_.scalars.erase(it);
  }
  const absl::StatusOr<const ir::Program*> specialized =
      exec::SpecializeDims(source_, dims, &session_.context());
  if (!specialized.ok()) return Stop(session_.Fail(specialized.status()));
  source_ = *specialized;
  return true;
}

bool Run::Lower() {
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
  absl::StatusOr<Execution> execution =
      mxtile::Execute(request, *references, &session_.sink());
  if (!execution.ok()) {
    session_.Fail(execution.status());
    // What the model has no machine for is the program's to change.
    const std::string rule = ir::RuleOf(execution.status());
    const bool refused = rule == exec::kModelUnsupportedRule ||
                         rule == exec::kModelNoAddressRule;
    return Stop(refused ? kExitRefused : kExitFault);
  }
  report_.execution = *std::move(execution);
  report_.file = options_.file;
  report_.program = std::string(source_->name);
  report_.tolerance = options_.tolerance;
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
      "A5 model, compare with float64");
  command->add_option("FILE", options->file, "Program; - is standard input")
      ->required();
  command->add_option("--entry", options->entry,
                      "The function to run; else the only Orchestration "
                      "function, else the only in-core one");
  command
      ->add_option("--in", options->inputs,
                   "NAME=FILE.npy: a parameter's values. float32 for FP8 data "
                   "is quantised, scales with it; uint8 holds codes. "
                   "Parameters without a file are generated from the seed")
      ->allow_extra_args(false);
  command
      ->add_option("--set", options->scalars,
                   "NAME=INTEGER: a scalar parameter or dynamic dimension")
      ->allow_extra_args(false);
  command
      ->add_option("--seed", options->seed,
                   "Seed of generated inputs, not negative")
      ->check([](const std::string& text) {
        uint64_t value = 0;
        return absl::SimpleAtoi(text, &value)
                   ? std::string()
                   : "expected an integer that is not negative, got " + text;
      });
  command
      ->add_option("--scale-rule", options->scale_rule,
                   "How scales of float32 inputs are chosen: ocp, nv")
      ->check(CLI::IsMember({"ocp", "nv"}));
  command
      ->add_option("--tolerance", options->tolerance,
                   "Largest error, as part of the sum of absolute "
                   "products, that counts as correct")
      ->check([](const std::string& text) {
        double value = -1;
        return absl::SimpleAtod(text, &value) && value >= 0 &&
                       std::isfinite(value)
                   ? std::string()
                   : "expected a number that is not negative, got " + text;
      });
  command->add_option("--out", options->output_folder,
                      "Folder for the results (.npy) and the lowered program");
  command->add_option("--trace", options->trace_file,
                      "File for what each pipe did, in Chrome's trace format: "
                      "open it at ui.perfetto.dev (docs/trace.md)");
  command->add_flag("--json", options->json,
                    "Print the report as JSON (docs/run_report.md)");
  command->add_flag("--no-scale-reuse", options->no_scale_reuse,
                    "Bind scales anew for every MX matmul");
  command
      ->add_option("--inject-fault", options->fault,
                   "Break something on purpose, to see that it is noticed: "
                   "drop-binding, swap-bindings, row-major-scale, "
                   "flip-scale-byte")
      ->check(CLI::IsMember(
          {kDropBinding, kSwapBindings, kRowMajorScale, kFlipScaleByte}));
  command->footer(
      "Exit code 0 when the result is correct, 1 when the program or an input "
      "is refused,\n3 when the machine traps or the result is wrong.\n\n"
      "Example:\n  mxtile run testdata/programs/mxfp8_gemm.py --in a=a.npy "
      "--in b=b.npy --out out\n");
  command->callback(
      [options, exit_code] { *exit_code = Run(*options).Execute(); });
}

}  // namespace mxtile
