#ifndef EXEC_SIMD_STRICT_INTERPRETER_H_
#define EXEC_SIMD_STRICT_INTERPRETER_H_

// Executes a tile program instance by instance, operation by operation, exactly
// as tile_program.h defines it. What compiled code computes is compared with
// this, bit for bit; so it is plain, not fast.
//
//   std::vector<float> x = ..., y(800);
//   MX_RETURN_IF_ERROR(Interpret(
//       program, {{x.data(), 3200}, {y.data(), 3200}}, AllOf(program)));

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// Errors: what CheckBuffers and CheckRange refuse (InvalidArgument), before
// anything runs; a window with an element within its limits outside its view
// (OutOfRange), naming place, view, window and shape. That ends the execution;
// what has been stored until then stays. It is found whether or not the window
// is `checked`.
absl::Status Interpret(const TileProgram& program,
                       absl::Span<const BufferSpan> buffers,
                       ProgramRange range);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_STRICT_INTERPRETER_H_
