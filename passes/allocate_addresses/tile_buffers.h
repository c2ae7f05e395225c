#ifndef PASSES_ALLOCATE_ADDRESSES_TILE_BUFFERS_H_
#define PASSES_ALLOCATE_ADDRESSES_TILE_BUFFERS_H_

// Which tiles of a function share a buffer.
//
//   const TileBuffers tiles = TileBuffers::Build(function, bind_op, &sink);
//   for (const TileBuffer& buffer : tiles.buffers()) ...
//
// One buffer holds, because no instruction copies between them:
//
//   y and x                        of y = x
//   a result and the operand       that it aliases (OpDef::result_aliases_arg:
//                                  acc in = out, scale = bound scale)
//   initial value, iter arg,       of a loop
//   yielded value and result
//   yielded values and result      of an if
//   all scales                     that are bound to the same data: the cube
//                                  finds scales by the address of the data
//
// Sharing is wrong where a tile is written while another tile of its buffer is
// still needed. Such a program is refused (MX-ADDR-3), because nothing here
// copies: a tile that starts two loops, an accumulator that is read after it
// has been accumulated into, a loop that exchanges two tiles.
//
// Rules: MX-ADDR-3, and MX-ADDR-7 for tiles that are no variables.
// Cost: n log n in the statements, times the depth of loops; an if also costs
// the number of tiles that are live after it.

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"

namespace mxtile {

// What binds a scale buffer to the address of its data.
struct BufferBinding {
  const ir::Var* data;
  int data_buffer;
  ir::SourceSpan span;  // Of the binding.
};

struct TileBuffer {
  std::vector<const ir::Var*> tiles;    // In program order; not empty.
  std::vector<BufferBinding> bindings;  // In program order.
};

class TileBuffers {
 public:
  // `bind` is the operator that binds scales to data, or null. Reports what
  // cannot share.
  static TileBuffers Build(const ir::Function& function, const ir::OpDef* bind,
                           ir::DiagnosticSink* sink);

  // In the order of their first tiles.
  const std::vector<TileBuffer>& buffers() const { return buffers_; }
  // The index of the buffer of a tile that the function defines; -1 for other
  // variables.
  int BufferOf(const ir::Var* var) const;

 private:
  friend class BufferBuilder;

  std::vector<TileBuffer> buffers_;
  absl::flat_hash_map<const ir::Var*, int> buffer_of_;
};

// The tiles that the body defines, in program order: assigned ones, iter args
// and results.
std::vector<const ir::Var*> TilesOf(const ir::Function& function);

}  // namespace mxtile

#endif  // PASSES_ALLOCATE_ADDRESSES_TILE_BUFFERS_H_
