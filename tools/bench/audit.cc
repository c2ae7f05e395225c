#include "tools/bench/audit.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/bench/audit_arms.h"
#include "tools/bench/audit_experiments.h"
#include "tools/bench/audit_files.h"
#include "tools/bench/declaration.h"
#include "tools/bench/evidence_paths.h"

namespace mxtile::bench {
namespace {

using Json = nlohmann::ordered_json;

// Whether a path stays inside the folder.
bool StaysInside(absl::string_view path) {
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return !absl::StrContains(path, '\\');
}

// The manifest against the files, both ways.
void AuditInventory(AuditFiles& files) {
  const Json manifest = files.Json(kManifestFile);
  if (manifest.is_null()) return;
  try {
    files.Expect(manifest.at("format") == 1, kManifestFile,
                 absl::StrCat("format ", manifest.at("format").dump(),
                              ", this audit knows 1"));
    std::set<std::string> listed = {kManifestFile};
    for (const auto& [path, claim] : manifest.at("files").items()) {
      listed.insert(path);
      if (!StaysInside(path)) {
        files.Fault(path, "leaves the folder");
        continue;
      }
      if (!files.Has(path)) {
        files.Fault(path, "in the manifest, but missing");
        continue;
      }
      const std::string& bytes = files.Bytes(path);
      files.Expect(claim.at("bytes") == bytes.size(), path,
                   absl::StrCat(bytes.size(), " bytes, the manifest has ",
                                claim.at("bytes").dump()));
      files.Expect(claim.at("sha256") == Sha256Hex(bytes), path,
                   "its hash is not that of the manifest");
    }
    for (const auto& [path, bytes] : files.contents()) {
      files.Expect(listed.count(path) > 0, path, "not in the manifest");
    }
  } catch (const Json::exception& error) {
    files.Fault(kManifestFile, error.what());
  }
  files.Note(absl::StrCat(files.contents().size(), " files"));
}

// The files that a declaration leads to. Arms that are not generated may be
// missing, with their experiments.
std::set<std::string> ExpectedFiles(const Declaration& declaration,
                                    const AuditFiles& files) {
  std::set<std::string> expected = {kManifestFile, kDeclaredFile,
                                    kEnvironmentFile, kResultsFile};
  for (const WorkloadSpec& workload : declaration.workloads) {
    for (size_t i = 0; i + 1 < workload.BufferSizes().size(); ++i) {
      expected.insert(BufferFile(workload.name, static_cast<int>(i)));
    }
    expected.insert(OracleFile(workload.name));
    for (const std::string& arm : declaration.ArmsOf(workload.name)) {
      const absl::StatusOr<ArmSpec> spec = ParseArm(arm);
      const bool compiled = spec.ok() && spec->is_compiled();
      if (!compiled && !files.Has(ArmFile(workload.name, arm, "facts.json"))) {
        continue;
      }
      std::vector<std::string> names = {"facts.json", "output.f32"};
      if (compiled) {
        names.insert(names.end(), {"object.o", "before.ll", "after.ll"});
      }
      for (const std::string& name : names) {
        expected.insert(ArmFile(workload.name, arm, name));
      }
    }
  }
  for (const ExperimentSpec& experiment : declaration.experiments) {
    if (!IsMeasured(experiment, files)) continue;
    for (int i = 0; i < declaration.request.repeats; ++i) {
      expected.insert(ExperimentFile(experiment.name, i));
    }
  }
  return expected;
}

// Made again from the request; then everything that it leads to must be there,
// and nothing else.
absl::StatusOr<Declaration> AuditDeclaration(AuditFiles& files) {
  const Json stored = files.Json(kDeclaredFile);
  if (stored.is_null()) return absl::NotFoundError("no declaration");
  absl::StatusOr<BenchRequest> request = RequestFromJson(stored);
  absl::StatusOr<Declaration> declaration =
      request.ok() ? Declare(*request) : request.status();
  if (!declaration.ok()) {
    files.Fault(kDeclaredFile, declaration.status().message());
    return declaration;
  }
  files.Expect(stored == ToJson(*declaration), kDeclaredFile,
               "workloads or experiments are not those of the request");
  const std::set<std::string> expected = ExpectedFiles(*declaration, files);
  for (const std::string& path : expected) {
    files.Expect(files.Has(path), path, "declared, but missing");
  }
  for (const auto& [path, bytes] : files.contents()) {
    files.Expect(expected.count(path) > 0, path, "not declared");
  }
  files.Note(absl::StrCat(declaration->experiments.size(),
                          " experiments, each ", request->repeats, " times"));
  return declaration;
}

void AuditEnvironment(AuditFiles& files) {
  const Json environment = files.Json(kEnvironmentFile);
  if (environment.is_null()) return;
  for (const char* const key :
       {"cpu", "kernel", "compiler", "llvm", "jit_cpu", "load_average"}) {
    files.Expect(environment.contains(key), kEnvironmentFile,
                 absl::StrCat(key, " is missing"));
  }
}

}  // namespace

absl::StatusOr<AuditReport> AuditEvidence(const std::string& folder) {
  AuditFiles files(folder);
  files.Begin("inventory");
  MX_RETURN_IF_ERROR(files.ReadAll());
  AuditInventory(files);
  files.Begin("declaration");
  const absl::StatusOr<Declaration> declaration = AuditDeclaration(files);
  if (!declaration.ok()) return std::move(files.report());
  files.Begin("environment");
  AuditEnvironment(files);
  for (const WorkloadSpec& workload : declaration->workloads) {
    const std::vector<double> oracle = AuditWorkload(workload, files);
    AuditArms(*declaration, workload, oracle, files);
  }
  AuditExperiments(*declaration, files);
  AuditResults(*declaration, files);
  return std::move(files.report());
}

}  // namespace mxtile::bench
