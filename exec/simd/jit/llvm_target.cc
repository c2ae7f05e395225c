#include "exec/simd/jit/llvm_target.h"

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

namespace mxtile::exec::simd {
namespace {

absl::StatusOr<const llvm::Target*> Lookup(const llvm::Triple& triple) {
  MX_RETURN_IF_ERROR(InitializeHostTarget());
  std::string error;
  const llvm::Target* const found =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (found == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        "LLVM has no code generator for ", triple.str(), ": ", error));
  }
  return found;
}

// The known processors whose names share the longest start with `cpu`.
std::string AlikeNames(const llvm::MCSubtargetInfo& info, llvm::StringRef cpu) {
  for (size_t length = cpu.size(); length > 0; --length) {
    std::vector<std::string> names;
    for (const auto& known : info.getAllProcessorDescriptions()) {
      const llvm::StringRef name(known.Key);
      if (name.starts_with(cpu.take_front(length))) names.push_back(name.str());
    }
    if (!names.empty()) return absl::StrJoin(names, ", ");
  }
  return "none";
}

// LLVM itself writes to stderr about names that it does not know, or ends the
// process.
absl::Status CheckNames(const llvm::MCSubtargetInfo& info,
                        const std::string& cpu, const std::string& features) {
  if (cpu.empty() || !info.isCPUStringValid(cpu)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "processor '", cpu, "' is not known to LLVM for ",
        info.getTargetTriple().str(),
        "; known names that start alike: ", AlikeNames(info, cpu)));
  }
  for (const absl::string_view feature :
       absl::StrSplit(features, ',', absl::SkipEmpty())) {
    absl::string_view name = feature;
    const bool has_sign =
        absl::ConsumePrefix(&name, "+") || absl::ConsumePrefix(&name, "-");
    const auto& known = info.getAllProcessorFeatures();
    if (!has_sign || std::none_of(known.begin(), known.end(),
                                  [&](const llvm::SubtargetFeatureKV& entry) {
                                    return name == entry.Key;
                                  })) {
      return absl::InvalidArgumentError(
          absl::StrCat("feature '", feature, "' of processor '", cpu,
                       "' is not + or - and a name that LLVM knows"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InitializeHostTarget() {
  static const bool failed = llvm::InitializeNativeTarget() ||
                             llvm::InitializeNativeTargetAsmPrinter();
  if (!failed) return absl::OkStatus();
  return absl::UnimplementedError("LLVM has no code generator for this host");
}

absl::StatusOr<absl::btree_set<std::string>> EnabledFeatures(
    const std::string& triple, const std::string& cpu,
    const std::string& features) {
  const llvm::Triple parsed(triple);
  MX_ASSIGN_OR_RETURN(const llvm::Target* const found, Lookup(parsed));
  const std::unique_ptr<llvm::MCSubtargetInfo> generic(
      found->createMCSubtargetInfo(parsed, "", ""));
  MX_RETURN_IF_ERROR(CheckNames(*generic, cpu, features));
  const std::unique_ptr<llvm::MCSubtargetInfo> info(
      found->createMCSubtargetInfo(parsed, cpu, features));
  absl::btree_set<std::string> names;
  for (const auto& feature : info->getEnabledProcessorFeatures()) {
    names.insert(feature.Key);
  }
  if (parsed.getArch() == llvm::Triple::x86_64 && !names.contains("64bit")) {
    return absl::InvalidArgumentError(
        absl::StrCat("processor '", cpu, "' has no 64-bit mode"));
  }
  return names;
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const std::string& triple, const std::string& cpu,
    const std::string& features, int level) {
  MX_RETURN_IF_ERROR(EnabledFeatures(triple, cpu, features).status());
  const llvm::Triple parsed(triple);
  MX_ASSIGN_OR_RETURN(const llvm::Target* const found, Lookup(parsed));
  const std::optional<llvm::CodeGenOptLevel> optimisation =
      llvm::CodeGenOpt::getLevel(level);
  if (!optimisation) {
    return absl::InvalidArgumentError(
        absl::StrCat("optimisation level ", level, " is not one of 0 to 3"));
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      parsed, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      *optimisation, /*JIT=*/true));
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
