#include "tools/prove/prove_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "passes/block_mx_scale_tensor_views/mx_offsets.h"
#include "proof/certificate.h"
#include "proof/certificate_checker.h"
#include "proof/explain.h"
#include "proof/facts.h"
#include "proof/prover.h"

namespace mxtile {
namespace {

bool Assumes(const OffsetJudgement& judgement) {
  return judgement.multiple.certificate().has_assumptions() ||
         judgement.sign.certificate().has_assumptions();
}

absl::Status CheckProofs(const proof::CertificateChecker& checker,
                         const OffsetJudgement& judgement) {
  for (const proof::ProofResult* result :
       {&judgement.multiple, &judgement.sign}) {
    if (!result->proven()) continue;
    const absl::Status checked =
        checker.Check(result->expr, result->goal, result->certificate());
    if (checked.ok()) continue;
    return absl::InternalError(absl::StrCat("the certificate of '",
                                            judgement.verdict.offset,
                                            "' is wrong: ", checked.message()));
  }
  return absl::OkStatus();
}

// ---- The table

constexpr size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;

Row HeadRow() {
  return {"function", "line",   "operator", "tensor",
          "axis",     "offset", "divisor",  "verdict"};
}

Row RowOf(const OffsetJudgement& judgement) {
  const OffsetVerdict& v = judgement.verdict;
  return {v.function,
          v.span.known() ? absl::StrCat(v.span.line) : "-",
          v.op,
          v.tensor,
          v.axis,
          v.offset,
          absl::StrCat(v.divisor),
          v.proven ? "proven" : "refused"};
}

void AppendRow(const Row& row, const std::array<size_t, kColumns>& widths,
               absl::string_view reason, std::string* out) {
  for (size_t i = 0; i < kColumns; ++i) {
    absl::StrAppend(out, row[i],
                    std::string(widths[i] - row[i].size() + 2, ' '));
  }
  absl::StrAppend(out, reason, "\n");
}

void AppendIndented(absl::string_view text, std::string* out) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    absl::StrAppend(out, "    ", text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

int ProvenProgram::num_proven() const {
  return static_cast<int>(
      std::count_if(offsets.begin(), offsets.end(),
                    [](const OffsetJudgement& j) { return j.verdict.proven; }));
}

int ProvenProgram::num_assuming() const {
  return static_cast<int>(std::count_if(
      offsets.begin(), offsets.end(),
      [](const OffsetJudgement& j) { return j.verdict.proven && Assumes(j); }));
}

absl::StatusOr<ProvenProgram> ProveOffsets(const std::string& file,
                                           const ir::Program& program,
                                           const ir::OpRegistry& registry,
                                           const proof::ProgramFacts& facts,
                                           const ProveOptions& options) {
  ProvenProgram result;
  result.file = file;
  result.program = std::string(program.name);
  const proof::Prover prover(facts, options.proof);
  const proof::CertificateChecker checker(
      program, {options.entry, options.proof.block_limit,
                options.proof.strict_overflow});
  absl::Status status;
  ForEachMxWindow(program, registry, [&](const MxWindowOffsets& window) {
    for (const MxOffset& offset : window.offsets) {
      result.offsets.push_back(JudgeOffset(prover, window, offset));
      status.Update(CheckProofs(checker, result.offsets.back()));
    }
  });
  if (!status.ok()) return status;
  return result;
}

std::string ToText(const ProvenProgram& program, bool explain) {
  std::string out =
      absl::StrCat("program ", program.program, ", ", program.file, "\n");
  if (program.offsets.empty()) {
    return absl::StrCat(out, "  no offsets of MX windows\n");
  }
  std::vector<Row> rows = {HeadRow()};
  for (const OffsetJudgement& judgement : program.offsets) {
    rows.push_back(RowOf(judgement));
  }
  std::array<size_t, kColumns> widths = {};
  for (const Row& row : rows) {
    for (size_t i = 0; i < kColumns; ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  AppendRow(rows[0], widths, "reason", &out);
  for (size_t i = 0; i < program.offsets.size(); ++i) {
    const OffsetJudgement& judgement = program.offsets[i];
    AppendRow(rows[i + 1], widths,
              proof::ExplainBriefly(judgement.multiple, judgement.sign), &out);
    if (!explain) continue;
    AppendIndented(proof::ExplainAtLength(judgement.multiple), &out);
    AppendIndented(proof::ExplainAtLength(judgement.sign), &out);
  }
  return out;
}

std::string SummaryText(const std::vector<ProvenProgram>& programs) {
  size_t offsets = 0;
  int proven = 0, refused = 0, assuming = 0;
  for (const ProvenProgram& program : programs) {
    offsets += program.offsets.size();
    proven += program.num_proven();
    refused += program.num_refused();
    assuming += program.num_assuming();
  }
  std::string text = absl::StrCat(offsets, " offsets: ", proven, " proven");
  if (assuming > 0) {
    absl::StrAppend(&text, " (", assuming, " assuming no overflow)");
  }
  if (refused > 0) absl::StrAppend(&text, ", ", refused, " refused");
  return text;
}

}  // namespace mxtile
