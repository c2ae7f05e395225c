#include "passes/flatten_tile_nd_to_2d/page_transposes.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/type.h"
#include "passes/flatten_tile_nd_to_2d/flat_shapes.h"
#include "passes/statement_emitter.h"

namespace mxtile {

using ir::Expr;
using ir::Var;

const Var* TransposePages(const ir::TileType& written, const Expr* input,
                          absl::string_view name, ir::MemorySpace space,
                          ir::Context& context, StatementEmitter& emit) {
  const size_t rank = written.shape.size();
  const int64_t rows = ir::AsConstInt(written.shape[rank - 2])->value;
  const int64_t columns = ir::AsConstInt(written.shape[rank - 1])->value;
  const int64_t pages = *StaticProduct(written.shape.first(rank - 2));
  const ir::Attr dtype = {"dtype", ir::AttrValue::Of(written.dtype)};
  const ir::Attr target = {"target_memory", ir::AttrValue::Of(space)};
  const Var* result =
      emit.Op(name, "tile.create", {emit.List({pages * columns, rows})},
              {dtype, target});
  const Var* pool =
      emit.Op("trans_tmp_pool", "tile.create",
              {emit.List({pages * rows, columns})}, {dtype, target});
  for (int64_t i = 0; i < pages; ++i) {
    const Expr* shape = emit.List({rows, columns});
    const Expr* offset = emit.List({i * rows, 0});
    const Var* page = emit.Op(absl::StrCat("trans_page_", i), "tile.slice",
                              {input, shape, offset});
    const Var* scratch = emit.Op(absl::StrCat("trans_tmp_", i), "tile.slice",
                                 {pool, shape, offset});
    const Var* turned =
        emit.Op(absl::StrCat("trans_", i), "tile.transpose",
                {page, context.Index(0), context.Index(1), scratch});
    result = emit.Op(name, "tile.assemble",
                     {result, turned, emit.List({i * columns, 0})});
  }
  return result;
}

}  // namespace mxtile
