// Any bytes as a protobuf program: an error or a program, which survives
// writing. The text form may refuse what only the protobuf form can say.

#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/proto/program_reader.h"
#include "tools/fuzz/fuzz_target.h"
#include "tools/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mxtile;  // NOLINT: the function can't be in a namespace.
  ir::Context context(&ir::StandardOps());
  ir::DiagnosticSink sink;
  const auto program = ir::ReadProtoProgram(
      absl::string_view(reinterpret_cast<const char*>(data), size),
      "fuzzed.mxpb", {}, &context, &sink);
  if (!program.ok()) return 0;
  RunVerifier(**program);
  CheckProtoRoundTrip(**program);
  return 0;
}
