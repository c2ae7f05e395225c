#include "tools/cli/program_checks.h"

#include "absl/status/status.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "passes/property.h"

namespace mxtile {

absl::Status VerifySound(const ir::Program& program, PropertySet besides,
                         ir::DiagnosticSink* sink) {
  PropertySet required = besides;
  for (const Property property :
       {Property::kTypeChecked, Property::kUseAfterDef, Property::kCallTypes}) {
    required.Insert(property);
  }
  for (const Property property : required.ToVector()) {
    VerifyProperty(property, program, sink);
  }
  return sink->ToStatus();
}

}  // namespace mxtile
