#ifndef EXEC_SIMD_IMPORT_IMPORTER_H_
#define EXEC_SIMD_IMPORT_IMPORTER_H_

// One in-core function as a tile program of many instances.
//
//   ImportRequest request;
//   request.digits = {8};                    // eight instances
//   request.params.resize(function.params.size());
//   request.params[0].buffer = 0;            // q: pl.Tensor[...]
//   request.params[1].buffer = 1;            // out: pl.Out[...]
//   request.params[2].scalar = {0, {16}};    // row: 16 * the instance
//   MX_ASSIGN_OR_RETURN(const ImportedKernel kernel,
//                       ImportInCore(function, registry, request, &sink));
//   Interpret(kernel.program, {{q, ...}, {out, ...}}, AllOf(kernel.program));
//
// Instances are numbered by digits, the last one fastest: loops of launches
// from outside in, blocks last. A tensor parameter is a view of its whole
// tensor, row-major in its logical shape, also of MX scales ([M, G], [G, N]).
//
// The instances compute what exec/reference computes in float, bit for bit,
// where the reference has a result: what it refuses when it gets there, such as
// elements without values, has some value here. A window that is not proven to
// stay in its tensor, whatever the instance, is checked while it runs. That
// instances are independent of each other is the author's promise. Integers of
// tiles are indices here and have to stay below 2^24, beyond which the
// reference's floats are not exact.
//
// Errors: diagnostics in the sink, at their place in the program; the status
// says that they are there (exec/interpreter.h, kReportedPayload).
//   MX-SIMD-1  the operator is not here (op_table.cc lists them)
//   MX-SIMD-2  this variant or element type of it is not
//   MX-SIMD-3  extents: tiles of constant ones, windows of at most two axes,
//              MX scales before blocking
//   MX-SIMD-4  the statement is not here: while, break, continue, scopes, a
//              return before the end, calls of functions, a variable that a
//              loop or branch assigns again (convert to SSA first)
//   MX-SIMD-5  the scalar expression is not (scalars.h)
//   MX-SIMD-6  valid regions that are not known to be the same
//   MX-SIMD-7  the request does not fit the function
//   MX-SIMD-8  what a loop or branch yields does not fit

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "exec/simd/tile_program.h"
#include "ir/diagnostic.h"
#include "ir/op_registry.h"
#include "ir/program.h"

namespace mxtile::exec::simd {

// An integer of each instance: base + the sum of steps[i] * digit i, or
// table[instance] where there is a table.
struct InstanceScalar {
  int64_t base = 0;
  std::vector<int64_t> steps;  // Missing ones are 0.
  std::vector<int64_t> table;
};

struct ImportedParam {
  int buffer = -1;        // Of a tensor; parameters may share one.
  InstanceScalar scalar;  // Of an integer or BOOL.
  double real = 0;        // Of a floating-point number.
};

struct ImportRequest {
  std::vector<int64_t> digits;  // Extents; none: one instance.
  std::vector<ImportedParam> params;
  // tile.get_block_idx and tile.get_block_num; any count.
  InstanceScalar block_index;
  int64_t block_count = 1;
};

// Memory that the program needs beside its parameters: one index an instance,
// to be passed as this buffer.
struct TableBuffer {
  int buffer = 0;
  std::vector<int64_t> values;
};

struct ImportedKernel {
  TileProgram program;
  std::vector<ViewId> views;  // By parameter; -1 for scalars.
  // Their buffers follow those of the parameters.
  std::vector<TableBuffer> tables;
};

// The registry is that of the function's context.
absl::StatusOr<ImportedKernel> ImportInCore(const ir::Function& in_core,
                                            const ir::OpRegistry& registry,
                                            const ImportRequest& request,
                                            ir::DiagnosticSink* sink);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_IMPORTER_H_
