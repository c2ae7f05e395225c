#include "exec/simd/jit/target.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

#ifndef MX_WITHOUT_LLVM
#include "absl/container/btree_set.h"
#include "exec/simd/jit/llvm_target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#endif

namespace mxtile::exec::simd {

#ifdef MX_WITHOUT_LLVM

SimdTarget HostTarget() {
  SimdTarget target;
  target.cpu = "generic";
  return target;
}

absl::StatusOr<SimdTarget> NamedTarget(const std::string& cpu) {
  return absl::UnimplementedError(
      "this build has no LLVM, hence no named processors");
}

absl::Status CheckRunsOnHost(const SimdTarget& target) {
  return absl::UnimplementedError("this build has no LLVM");
}

#else

namespace {

int64_t SizeOr(int name, int64_t otherwise) {
  const long size = sysconf(name);
  return size > 0 ? size : otherwise;
}

// Fills in what follows from names.
absl::Status Describe(SimdTarget* target) {
  MX_ASSIGN_OR_RETURN(
      const absl::btree_set<std::string> features,
      EnabledFeatures(target->triple, target->cpu, target->features));
  if (features.contains("avx512f")) {
    target->f32_lanes = 16;
    target->vector_registers = 32;
  } else if (features.contains("avx2")) {
    target->f32_lanes = 8;
  } else if (!features.contains("sse2")) {
    target->vector_registers = 32;  // AArch64
  }
  target->vector_bytes = 4 * target->f32_lanes;
  target->has_f16c = features.contains("f16c");
  return absl::OkStatus();
}

SimdTarget DetectHost() {
  SimdTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features.push_back(
        absl::StrCat(feature.second ? "+" : "-", feature.first().str()));
  }
  // A hash map has no order of its own.
  std::sort(features.begin(), features.end());
  target.features = absl::StrJoin(features, ",");
  target.l1_bytes = SizeOr(_SC_LEVEL1_DCACHE_SIZE, target.l1_bytes);
  target.l2_bytes = SizeOr(_SC_LEVEL2_CACHE_SIZE, target.l2_bytes);
  target.cache_line_bytes = static_cast<int>(
      SizeOr(_SC_LEVEL1_DCACHE_LINESIZE, target.cache_line_bytes));
  // An architecture that this LLVM can't generate code for keeps the defaults;
  // compiling then says so.
  Describe(&target).IgnoreError();
  return target;
}

}  // namespace

SimdTarget HostTarget() {
  static const SimdTarget* const host = new SimdTarget(DetectHost());
  return *host;
}

absl::StatusOr<SimdTarget> NamedTarget(const std::string& cpu) {
  SimdTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = cpu;
  MX_RETURN_IF_ERROR(Describe(&target));
  return target;
}

absl::Status CheckRunsOnHost(const SimdTarget& target) {
  MX_ASSIGN_OR_RETURN(
      const absl::btree_set<std::string> features,
      EnabledFeatures(target.triple, target.cpu, target.features));
  // The host's list holds every feature that a processor can be asked about;
  // the others are about tuning.
  std::vector<std::string> lacking;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const std::string name = feature.first().str();
    if (!feature.second && features.contains(name)) lacking.push_back(name);
  }
  if (lacking.empty()) return absl::OkStatus();
  std::sort(lacking.begin(), lacking.end());
  return absl::FailedPreconditionError(absl::StrCat(
      "code for ", target.cpu, " can't run on this ", HostTarget().cpu,
      ": it lacks ", absl::StrJoin(lacking, ", ")));
}

#endif  // MX_WITHOUT_LLVM

}  // namespace mxtile::exec::simd
