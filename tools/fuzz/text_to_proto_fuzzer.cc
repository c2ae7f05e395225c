// Any bytes as a text program: what can be read survives the protobuf form.

#include <string>

#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/source_file.h"
#include "ir/text/reader.h"
#include "tools/fuzz/fuzz_target.h"
#include "tools/fuzz/round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mxtile;  // NOLINT: the function can't be in a namespace.
  ir::Context context(&ir::StandardOps());
  ir::DiagnosticSink sink;
  const ir::SourceFile file(
      "fuzzed.py", std::string(reinterpret_cast<const char*>(data), size));
  const auto program = ir::ReadProgram(file, &context, &sink);
  if (!program.ok()) return 0;
  CheckProtoRoundTrip(**program);
  return 0;
}
