#ifndef TOOLS_CLI_PROGRAM_CHECKS_H_
#define TOOLS_CLI_PROGRAM_CHECKS_H_

// Whether a program is sound enough to be worked with.
//
//   const absl::Status sound = VerifySound(*program, {}, &session.sink());
//   if (!sound.ok()) return session.Fail(sound);

#include "absl/status/status.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "passes/property.h"

namespace mxtile {

// What every program keeps, before SSA form too (type_checked, use_after_def,
// call_types), and the properties of `besides`. The sink's status.
absl::Status VerifySound(const ir::Program& program, PropertySet besides,
                         ir::DiagnosticSink* sink);

}  // namespace mxtile

#endif  // TOOLS_CLI_PROGRAM_CHECKS_H_
