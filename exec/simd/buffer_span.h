#ifndef EXEC_SIMD_BUFFER_SPAN_H_
#define EXEC_SIMD_BUFFER_SPAN_H_

// The memory that a tile program runs on, whoever executes it: one span for
// each buffer number of its views. Every view begins at the first byte of its
// buffer; no alignment is needed.
//
//   std::vector<float> x(800), y(800);
//   const BufferSpan buffers[] = {{x.data(), 3200}, {y.data(), 3200}};
//   MX_RETURN_IF_ERROR(CheckBuffers(program, buffers));

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct BufferSpan {
  void* data = nullptr;
  int64_t bytes = 0;
};

// Instances begin .. end - 1.
struct ProgramRange {
  int64_t begin = 0;
  int64_t end = 0;
};

inline ProgramRange AllOf(const TileProgram& program) {
  return {0, program.program_count};
}

// InvalidArgument where a view's buffer is missing or smaller than the view.
absl::Status CheckBuffers(const TileProgram& program,
                          absl::Span<const BufferSpan> buffers);
// InvalidArgument unless 0 <= begin <= end <= program_count.
absl::Status CheckRange(const TileProgram& program, ProgramRange range);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_BUFFER_SPAN_H_
