#ifndef EXEC_SIMD_MX_PRODUCT_FORM_H_
#define EXEC_SIMD_MX_PRODUCT_FORM_H_

// Whether a launch may compute its MX contractions by f32 products, which are
// faster and have the bits of MMAD_MX while scales stay in the range of
// numerics/f32_product.h.
//
//   PlannerOptions options;
//   options.mx_f32 = HasExactF32Products(program, buffers);

#include "absl/types/span.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// True when that is certain for every MX contraction of the program, whatever
// the operands: both scales are loads (relabelled, broadcast or in parts) of
// views that the program does not write, and all scales in these views, but for
// NaN, are in the range. False for programs without MX contractions.
//
// Reads the whole buffers of the scales; `buffers` as CheckBuffers wants them.
bool HasExactF32Products(const TileProgram& program,
                         absl::Span<const BufferSpan> buffers);

bool HasMxContractions(const TileProgram& program);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_MX_PRODUCT_FORM_H_
