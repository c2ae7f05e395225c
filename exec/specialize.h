#ifndef EXEC_SPECIALIZE_H_
#define EXEC_SPECIALIZE_H_

// Makes dimensions that are known at run time only constants, so that a program
// can be lowered and run.
//
//   MX_ASSIGN_OR_RETURN(program,
//                       SpecializeDims(program, {{"ROWS", 64}}, &context));
//   // pl.Tensor[[ROWS * 2, 64], ...] is pl.Tensor[[128, 64], ...] now
//
// The same program when it has no dynamic dims. Errors: MX-INPUT-6 for a dim
// without a value, MX-INPUT-9 for a value that is not positive.

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "ir/context.h"
#include "ir/program.h"

namespace mxtile::exec {

absl::StatusOr<const ir::Program*> SpecializeDims(
    const ir::Program* program, const std::map<std::string, int64_t>& values,
    ir::Context* context);

}  // namespace mxtile::exec

#endif  // EXEC_SPECIALIZE_H_
