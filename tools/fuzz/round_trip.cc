#include "tools/fuzz/round_trip.h"

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/check.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/program_reader.h"
#include "ir/proto/program_writer.h"
#include "ir/source_file.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/text/reader.h"
#include "ir/verifier.h"

namespace mxtile {
namespace {

std::string FirstError(const ir::DiagnosticSink& sink) {
  return sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message;
}

void CheckSame(const ir::Program& a, const ir::Program& b) {
  const std::optional<ir::Difference> difference = ir::FindDifference(a, b);
  MX_CHECK(!difference.has_value())
      << difference->path << ": " << difference->lhs << " | "
      << difference->rhs;
}

}  // namespace

void CheckTextRoundTrip(const ir::Program& program) {
  const std::string text = ir::PrintProgram(program);
  ir::Context context(&ir::StandardOps());
  ir::DiagnosticSink sink;
  const ir::SourceFile file("printed.py", text);
  const absl::StatusOr<const ir::Program*> again =
      ir::ReadProgram(file, &context, &sink);
  MX_CHECK(again.ok()) << FirstError(sink) << "\n" << text;
  CheckSame(program, **again);
  MX_CHECK(ir::PrintProgram(**again) == text) << "printing is not stable";
}

void CheckProtoRoundTrip(const ir::Program& program) {
  const std::string bytes = ir::SerializeProgram(program);
  ir::Context context(&ir::StandardOps());
  ir::DiagnosticSink sink;
  const absl::StatusOr<const ir::Program*> again =
      ir::ReadProtoProgram(bytes, "written.mxpb", {}, &context, &sink);
  MX_CHECK(again.ok()) << FirstError(sink);
  CheckSame(program, **again);
  MX_CHECK(ir::PrintProgram(**again) == ir::PrintProgram(program))
      << "the text differs";
  MX_CHECK(ir::SerializeProgram(**again) == bytes) << "the bytes differ";
}

void RunVerifier(const ir::Program& program) {
  ir::DiagnosticSink sink;
  ir::VerifySsaForm(program, &sink);
  ir::VerifyUseAfterDef(program, &sink);
  ir::VerifyCallTypes(program, &sink);
}

}  // namespace mxtile
