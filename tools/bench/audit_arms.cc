#include "tools/bench/audit_arms.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "nlohmann/json.hpp"
#include "tools/bench/audit_files.h"
#include "tools/bench/audit_oracle.h"
#include "tools/bench/declaration.h"
#include "tools/bench/evidence_paths.h"
#include "tools/bench/ir_text.h"
#include "tools/bench/object_text.h"

namespace mxtile::bench {
namespace {

using Json = nlohmann::ordered_json;

// Of the oracle in double against another in double; of inputs, which the sine
// of another C library may round otherwise; of results in f32.
constexpr double kOracleTolerance = 1e-12;
constexpr double kInputTolerance = 1e-6;
constexpr double kOutputTolerance = 5e-5;

bool IsNear(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * (1 + std::fabs(b));
}

struct AuditedArm {
  ArmSpec spec;
  Json facts;

  int64_t Count(const char* key) const { return facts.at(key).get<int64_t>(); }
  bool Flag(const char* key) const { return facts.at(key).get<bool>(); }
  std::string Text(const char* key) const {
    return facts.at(key).get<std::string>();
  }
  bool IsProgramLanes() const { return Text("lanes") == "programs"; }
};

class ArmAudit {
 public:
  ArmAudit(const Declaration& declaration, const WorkloadSpec& workload,
           const AuditedArm& arm, AuditFiles& files)
      : declaration_(declaration),
        workload_(workload),
        arm_(arm),
        files_(files),
        facts_file_(Path("facts.json")) {}

  void Run() {
    if (!arm_.spec.is_compiled()) {
      const bool hand = arm_.spec.kind == ArmKind::kHand;
      Claim(arm_.Text("kind") == (hand ? "hand" : "openblas"), "kind", "");
      return;
    }
    Claim(arm_.Text("kind") == "compiled", "kind", "");
    Request();
    Module();
    Object();
    if (arm_.spec.kind == ArmKind::kCompat) Compat();
  }

 private:
  std::string Path(absl::string_view file) const {
    return ArmFile(workload_.name, arm_.spec.name, file);
  }
  void Claim(bool holds, const char* key, absl::string_view message) {
    if (!holds) {
      files_.Fault(
          facts_file_,
          absl::StrCat(key, " is ", arm_.facts.at(key).dump(), message));
    }
  }
  void Equal(const char* key, int64_t found, absl::string_view where) {
    Claim(arm_.Count(key) == found, key, absl::StrCat(", ", where, " ", found));
  }

  // What was asked for is what the arm's name says.
  void Request() {
    const bool compat = arm_.spec.kind == ArmKind::kCompat;
    Claim(arm_.Text("mode") == (compat ? "compat" : "joint"), "mode", "");
    Equal("requested_block", arm_.spec.block, "the arm's name has");
    const bool clone =
        compat ? arm_.spec.full_packet : arm_.spec.kind != ArmKind::kReference;
    Claim(arm_.Flag("requested_clone") == clone, "requested_clone",
          ", which is not the arm's");
    Equal("clone_budget", declaration_.request.clone_budget,
          "the declaration has");
    Equal("buffers", static_cast<int64_t>(workload_.BufferSizes().size()),
          "the workload has");
  }

  // The counters against the text of the module.
  void Module() {
    const std::string path = Path("before.ll");
    const IrText ir(files_.Bytes(path));
    const IrFunction* entry = nullptr;
    int64_t all = 0;
    for (const IrFunction& function : ir.functions()) {
      all += function.instructions;
      if (function.is_internal) continue;
      files_.Expect(entry == nullptr, path, "two external functions");
      entry = &function;
    }
    if (entry == nullptr) {
      files_.Fault(path, "no external function");
      return;
    }
    entry_ = entry->name;
    Equal("instructions", all, "the module has");
    Body(ir, *entry, "body", "body_instructions");
    Body(ir, *entry, "team", "team_instructions");
    const IrFunction* team = ir.Find(absl::StrCat(entry->name, ".team"));
    Equal("clones", arm_.IsProgramLanes() && team != nullptr ? 1 : 0,
          "the module has");
    if (team != nullptr) TeamIsWhole(*team);
  }

  void Body(const IrText& ir, const IrFunction& entry, const char* name,
            const char* key) {
    const IrFunction* function = ir.Find(absl::StrCat(entry.name, ".", name));
    Equal(key, function == nullptr ? 0 : function->instructions,
          "the module has");
    if (function == nullptr) return;
    files_.Expect(entry.Calls(function->name), Path("before.ll"),
                  absl::StrCat("@", function->name,
                               " is defined, but the entry does not call it"));
  }

  // Parameters: the buffers, first, active, workspace, error.
  void TeamIsWhole(const IrFunction& team) {
    const size_t active = arm_.Count("buffers") + 1;
    if (team.params.size() != active + 3) {
      files_.Fault(Path("before.ll"),
                   absl::StrCat("@", team.name, " has ", team.params.size(),
                                " parameters, not ", active + 3));
      return;
    }
    files_.Expect(!team.Uses(team.params[active]), Path("before.ll"),
                  absl::StrCat("@", team.name, " uses its number of lanes, ",
                               team.params[active]));
  }

  void Object() {
    const std::string path = Path("object.o");
    const std::string& bytes = files_.Bytes(path);
    files_.Expect(Sha256Hex(bytes) == arm_.Text("object_sha256"), path,
                  "is not the object that facts.json has the hash of");
    const absl::StatusOr<ObjectSymbols> symbols = ReadObjectSymbols(bytes);
    if (!symbols.ok()) {
      files_.Fault(path, symbols.status().message());
      return;
    }
    files_.Expect(symbols->exported == std::vector<std::string>{entry_}, path,
                  absl::StrCat("does not export ", entry_, " alone"));
    for (const std::string& name : symbols->undefined) {
      files_.Expect(name == "memcpy" || name == "memmove" || name == "memset",
                    path,
                    absl::StrCat("calls ", name, ", which it does not define"));
    }
    const IrText after(files_.Bytes(Path("after.ll")));
    files_.Expect(after.Find(entry_) != nullptr, Path("after.ll"),
                  absl::StrCat("does not define ", entry_));
  }

  // Compat: requested and realised.
  void Compat() {
    Claim(arm_.IsProgramLanes(), "lanes", ", compat has programs");
    Equal("block_rows", 1, "compat has");
    Equal("block_cols", arm_.spec.block, "the arm's name has");
    const bool blocked = arm_.Count("blocked_mmas") >= 1;
    Claim(blocked == (arm_.spec.block > 1), "blocked_mmas",
          absl::StrCat(" with a block of ", arm_.spec.block));
    const bool cloned = arm_.Count("clones") == 1;
    const bool fits =
        arm_.Count("body_instructions") <= declaration_.request.clone_budget;
    const bool has_packet = workload_.Programs() >= arm_.Count("width");
    Claim(cloned == (arm_.spec.full_packet && fits && has_packet), "clones",
          absl::StrCat(": the body of ", arm_.Count("body_instructions"),
                       " instructions ", fits ? "fits" : "is over",
                       " the budget, a clone is ",
                       arm_.spec.full_packet ? "requested" : "not requested",
                       ", ", workload_.Programs(), " programs ",
                       has_packet ? "fill" : "do not fill", " a packet of ",
                       arm_.Count("width")));
  }

  const Declaration& declaration_;
  const WorkloadSpec& workload_;
  const AuditedArm& arm_;
  AuditFiles& files_;
  const std::string facts_file_;
  std::string entry_;
};

void AuditOutput(const WorkloadSpec& workload, const std::string& arm,
                 const std::vector<double>& oracle, AuditFiles& files) {
  const std::string path = ArmFile(workload.name, arm, "output.f32");
  const std::vector<float> output =
      files.Floats(path, workload.BufferSizes().back());
  if (output.size() != oracle.size()) return;
  for (size_t i = 0; i < output.size(); ++i) {
    if (!IsNear(output[i], oracle[i], kOutputTolerance)) {
      files.Fault(path, absl::StrCat("element ", i, " is ", output[i],
                                     ", the oracle has ", oracle[i]));
      return;
    }
  }
}

class ComparedArms {
 public:
  ComparedArms(const WorkloadSpec& workload,
               const std::map<std::string, AuditedArm>& arms, AuditFiles& files)
      : workload_(workload), arms_(arms), files_(files) {}

  void Run() {
    const AuditedArm* first = nullptr;
    const AuditedArm* first_compat = nullptr;
    for (const auto& [name, arm] : arms_) {
      if (!arm.spec.is_compiled()) continue;
      if (first == nullptr) first = &arm;
      files_.Expect(Same(*first, arm, "output.f32"),
                    ArmFile(workload_.name, name, "output.f32"),
                    absl::StrCat("other bits than ", first->spec.name));
      if (arm.spec.kind != ArmKind::kCompat) continue;
      if (first_compat == nullptr) first_compat = &arm;
      Resources(*first_compat, arm);
      LostClone(arm);
      OtherWidths(arm);
    }
    JointKeepsTheClone();
  }

 private:
  bool Same(const AuditedArm& a, const AuditedArm& b, const char* file) const {
    return files_.Bytes(ArmFile(workload_.name, a.spec.name, file)) ==
           files_.Bytes(ArmFile(workload_.name, b.spec.name, file));
  }

  // Neither the block nor the clone may change them.
  void Resources(const AuditedArm& a, const AuditedArm& b) {
    for (const char* const key : {"bytes", "allocations", "workspace"}) {
      files_.Expect(a.Count(key) == b.Count(key),
                    ArmFile(workload_.name, b.spec.name, "facts.json"),
                    absl::StrCat(key, " is ", b.Count(key), ", of ",
                                 a.spec.name, " ", a.Count(key)));
    }
  }

  // A clone that was requested and not made leaves no trace.
  void LostClone(const AuditedArm& arm) {
    if (!arm.spec.full_packet || arm.Count("clones") != 0) return;
    const auto off = arms_.find(absl::StrCat("r", arm.spec.block, "_off"));
    if (off == arms_.end()) return;
    for (const char* const file : {"before.ll", "after.ll", "object.o"}) {
      files_.Expect(Same(arm, off->second, file),
                    ArmFile(workload_.name, arm.spec.name, file),
                    absl::StrCat("without its clone it is not that of ",
                                 off->second.spec.name));
    }
  }

  void OtherWidths(const AuditedArm& arm) {
    for (const auto& [name, other] : arms_) {
      if (other.spec.kind == ArmKind::kCompat &&
          other.spec.block < arm.spec.block) {
        files_.Expect(!Same(arm, other, "object.o"),
                      ArmFile(workload_.name, arm.spec.name, "object.o"),
                      absl::StrCat("is that of ", name));
      }
    }
  }

  void JointKeepsTheClone() {
    const auto joint = arms_.find("joint");
    const auto incumbent = arms_.find("incumbent");
    if (joint == arms_.end() || incumbent == arms_.end()) return;
    files_.Expect(
        !joint->second.IsProgramLanes() ||
            joint->second.Count("clones") >= incumbent->second.Count("clones"),
        ArmFile(workload_.name, "joint", "facts.json"),
        "lost the clone that the incumbent has");
  }

  const WorkloadSpec& workload_;
  const std::map<std::string, AuditedArm>& arms_;
  AuditFiles& files_;
};

}  // namespace

std::vector<double> AuditWorkload(const WorkloadSpec& spec, AuditFiles& files) {
  files.Begin(absl::StrCat("workload ", spec.name));
  const std::vector<int64_t> sizes = spec.BufferSizes();
  std::vector<std::vector<float>> inputs;
  bool complete = true;
  for (int b = 0; b + 1 < sizes.size(); ++b) {
    const std::string path = BufferFile(spec.name, b);
    inputs.push_back(files.Floats(path, sizes[b]));
    complete = complete && inputs.back().size() == sizes[b];
    for (int64_t i = 0; i < inputs.back().size(); ++i) {
      if (!IsNear(inputs.back()[i], ExpectedInput(spec, b, i),
                  kInputTolerance)) {
        files.Fault(path, absl::StrCat("element ", i, " is ", inputs.back()[i],
                                       ", not ", ExpectedInput(spec, b, i)));
        break;
      }
    }
  }
  if (!complete) return {};
  const std::vector<double> oracle = IndependentOracle(spec, inputs);
  const std::string path = OracleFile(spec.name);
  const std::vector<double> stored = files.Doubles(path, sizes.back());
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!IsNear(stored[i], oracle[i], kOracleTolerance)) {
      files.Fault(path, absl::StrCat("element ", i, " is ", stored[i],
                                     ", recomputed ", oracle[i]));
      break;
    }
  }
  return oracle;
}

void AuditArms(const Declaration& declaration, const WorkloadSpec& spec,
               const std::vector<double>& oracle, AuditFiles& files) {
  std::map<std::string, AuditedArm> arms;
  for (const std::string& name : declaration.ArmsOf(spec.name)) {
    const std::string path = ArmFile(spec.name, name, "facts.json");
    const absl::StatusOr<ArmSpec> arm_spec = ParseArm(name);
    // The inventory has said so, where it must not be missing.
    if (!arm_spec.ok() || !files.Has(path)) continue;
    files.Begin(absl::StrCat("arm ", spec.name, " ", name));
    AuditedArm arm = {*arm_spec, files.Json(path)};
    if (arm.facts.is_null()) continue;
    Guarded(path, files,
            [&] { ArmAudit(declaration, spec, arm, files).Run(); });
    AuditOutput(spec, name, oracle, files);
    arms[name] = std::move(arm);
  }
  files.Begin(absl::StrCat("arms of ", spec.name));
  Guarded(spec.name, files, [&] { ComparedArms(spec, arms, files).Run(); });
}

}  // namespace mxtile::bench
