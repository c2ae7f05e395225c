#include "tools/bench/arm.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "exec/simd/candidate.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/linked_object.h"
#include "exec/simd/planner.h"
#include "exec/simd/workloads/attention.h"
#include "tools/bench/declaration.h"
#include "tools/bench/hand_attention.h"
#include "tools/bench/openblas.h"
#include "tools/bench/paired.h"
#include "tools/bench/workload.h"

namespace mxtile::bench {
namespace {

using exec::simd::AttentionShape;
using exec::simd::Candidate;
using exec::simd::CandidateFacts;
using exec::simd::CompiledKernel;
using exec::simd::JitOptions;
using exec::simd::KernelFacts;
using exec::simd::LaneMode;
using exec::simd::LinkedObject;
using exec::simd::PlanMode;
using exec::simd::PlannerOptions;
using exec::simd::PlanningResult;
using Json = nlohmann::ordered_json;

PlannerOptions OptionsOf(const ArmSpec& spec, int64_t clone_budget) {
  PlannerOptions options;
  options.clone_budget = clone_budget;
  if (spec.kind == ArmKind::kCompat) {
    options.mode = PlanMode::kCompat;
    options.mma_output_block = spec.block;
    options.full_packet = spec.full_packet;
  }
  return options;
}

absl::StatusOr<Candidate> Choose(const ArmSpec& spec,
                                 const PlanningResult& planned) {
  if (spec.kind == ArmKind::kCompat || spec.kind == ArmKind::kJoint) {
    return planned.selected.candidate();
  }
  for (const auto* list : {&planned.admitted, &planned.rejected}) {
    for (const CandidateFacts& facts : *list) {
      if (!facts.is_incumbent) continue;
      Candidate candidate = facts.candidate;
      candidate.full_packet = spec.kind == ArmKind::kIncumbent;
      return candidate;
    }
  }
  return absl::InternalError("the planner tried no incumbent");
}

Json FactsOf(const ArmSpec& spec, int64_t clone_budget,
             const Candidate& candidate, const CompiledKernel& kernel,
             const PlanningResult& planned) {
  const KernelFacts& facts = kernel.facts();
  const bool compat = spec.kind == ArmKind::kCompat;
  const bool programs = candidate.lanes == LaneMode::kPrograms;
  Json json = {{"kind", "compiled"},
               {"mode", compat ? "compat" : "joint"},
               {"requested_block", spec.block},
               {"requested_clone",
                compat ? spec.full_packet : spec.kind != ArmKind::kReference},
               {"clone_budget", clone_budget},
               {"candidate", exec::simd::ToString(candidate)},
               {"lanes", programs ? "programs" : "axis"},
               {"width", candidate.width},
               {"group", candidate.group},
               {"block_rows", candidate.block_rows},
               {"block_cols", candidate.block_cols},
               {"programs", kernel.program().program_count},
               {"buffers", kernel.program().views.size()},
               {"blocked_mmas", facts.blocked_mmas},
               {"clones", programs && facts.team_instructions > 0 ? 1 : 0},
               {"body_instructions", facts.body_instructions},
               {"team_instructions", facts.team_instructions},
               {"instructions", facts.instructions},
               {"bytes", facts.resources.bytes},
               {"allocations", facts.resources.allocations},
               {"workspace", facts.resources.workspace},
               {"object_sha256", kernel.code().object().sha256},
               {"rejected", Json::array()}};
  for (const CandidateFacts& rejected : planned.rejected) {
    json["rejected"].push_back(
        {{"candidate", exec::simd::ToString(rejected.candidate)},
         {"reason", rejected.rejection}});
  }
  return json;
}

absl::Status CaptureCompiled(const Workload& workload,
                             const CaptureOptions& options, CapturedArm* arm) {
  JitOptions jit;
  jit.keep_ir = true;
  jit.target = options.target;
  MX_ASSIGN_OR_RETURN(
      const PlanningResult planned,
      Plan(workload.program, OptionsOf(arm->spec, options.clone_budget),
           jit.target));
  MX_ASSIGN_OR_RETURN(const Candidate candidate, Choose(arm->spec, planned));
  MX_ASSIGN_OR_RETURN(const std::unique_ptr<CompiledKernel> kernel,
                      CompiledKernel::Create(workload.program, candidate, jit));
  const exec::simd::CompiledObject& object = kernel->code().object();
  arm->object = object.bytes;
  arm->ir_before = object.ir_before;
  arm->ir_after = object.ir_after;
  arm->workspace_bytes = kernel->facts().resources.workspace;
  arm->facts =
      FactsOf(arm->spec, options.clone_budget, candidate, *kernel, planned);
  return absl::OkStatus();
}

// hand_attention.cc is compiled for more than every processor has.
absl::Status CheckHandCodeRuns(const ArmSpec& spec) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("fma")) {
    return absl::UnimplementedError(
        absl::StrCat("arm ", spec.name, ": this processor has no AVX2"));
  }
#endif
  return absl::OkStatus();
}

absl::Status CheckHand(const Workload& workload, const ArmSpec& spec) {
  const AttentionShape& shape = workload.spec.attention;
  if (workload.spec.is_attention() && shape.block_keys <= kMaxBlockKeys) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "arm ", spec.name, " of ", workload.spec.name,
      ": for attention in blocks of at most ", kMaxBlockKeys, " keys"));
}

const float* In(const Launch& launch, int i) {
  return static_cast<const float*>(launch.buffers[i]);
}
float* Out(const Launch& launch) {
  return static_cast<float*>(launch.buffers.back());
}

// Code of this binary.
void CallNative(const WorkloadSpec& workload, const ArmSpec& spec,
                Launch& launch) {
  float* const scratch = static_cast<float*>(launch.workspace);
  if (!workload.is_attention()) {
    OpenBlasGemm(workload.gemm, In(launch, 0), In(launch, 1), Out(launch));
  } else if (spec.kind == ArmKind::kHand) {
    HandAttention(workload.attention, spec.rows, In(launch, 0), In(launch, 1),
                  In(launch, 2), Out(launch), scratch);
  } else {
    OpenBlasAttention(workload.attention, In(launch, 0), In(launch, 1),
                      In(launch, 2), Out(launch), scratch);
  }
}

absl::Status CaptureNative(const Workload& workload, CapturedArm* arm) {
  const bool hand = arm->spec.kind == ArmKind::kHand;
  MX_RETURN_IF_ERROR(CheckHandCodeRuns(arm->spec));
  if (hand) {
    MX_RETURN_IF_ERROR(CheckHand(workload, arm->spec));
  } else if (!HaveOpenBlas()) {
    return absl::UnimplementedError(
        absl::StrCat("arm ", arm->spec.name, " of ", workload.spec.name,
                     ": this build has no OpenBLAS (third_party/README.md)"));
  }
  const AttentionShape& shape = workload.spec.attention;
  int64_t scratch = 0;
  if (workload.spec.is_attention()) {
    scratch =
        hand ? HandAttentionScratch(shape) : OpenBlasAttentionScratch(shape);
  }
  arm->workspace_bytes = scratch * static_cast<int64_t>(sizeof(float));
  arm->facts = {{"kind", hand ? "hand" : "openblas"},
                {"workspace", arm->workspace_bytes}};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CapturedArm> Capture(const Workload& workload,
                                    const ArmSpec& spec,
                                    const CaptureOptions& options) {
  CapturedArm arm;
  arm.spec = spec;
  MX_RETURN_IF_ERROR(spec.is_compiled()
                         ? CaptureCompiled(workload, options, &arm)
                         : CaptureNative(workload, &arm));
  // As it will be timed, from the object.
  MX_ASSIGN_OR_RETURN(const PairedArm replay, Replay(workload, arm));
  MX_ASSIGN_OR_RETURN(arm.output, CallOnce(workload.problem, replay));
  return arm;
}

absl::StatusOr<PairedArm> Replay(const Workload& workload,
                                 const CapturedArm& arm) {
  PairedArm replay;
  replay.name = absl::StrCat(workload.spec.name, " ", arm.spec.name);
  replay.workspace_bytes = arm.workspace_bytes;
  if (!arm.spec.is_compiled()) {
    replay.call = [&workload, &arm](Launch& launch) {
      CallNative(workload.spec, arm.spec, launch);
    };
    return replay;
  }
  MX_ASSIGN_OR_RETURN(std::unique_ptr<LinkedObject> linked,
                      exec::simd::LinkObject(arm.object));
  // The entry is all that an object exports.
  const std::vector<std::string> names = linked->Names();
  if (names.size() != 1) {
    return absl::InternalError(absl::StrCat(replay.name, ": the object has ",
                                            names.size(), " entries"));
  }
  const auto entry =
      reinterpret_cast<CompiledKernel::Entry>(linked->Find(names[0]));
  // A call can be copied, so the code is shared.
  replay.call = [entry, code = std::shared_ptr<LinkedObject>(
                            std::move(linked))](Launch& launch) {
    entry(launch.buffers.data(), launch.first, launch.count, launch.workspace,
          &launch.error);
  };
  return replay;
}

}  // namespace mxtile::bench
