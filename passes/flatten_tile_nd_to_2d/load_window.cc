#include "passes/flatten_tile_nd_to_2d/load_window.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/flatten_tile_nd_to_2d/flat_shapes.h"
#include "passes/ir_queries.h"
#include "passes/statement_emitter.h"

namespace mxtile {

using ir::CheckedCast;
using ir::DynCast;
using ir::Expr;
using ir::Var;

const Var* FlatSource(const Expr* tensor, absl::string_view name,
                      ir::Context& context, StatementEmitter& emit) {
  const auto& type = *CheckedCast<ir::TensorType>(tensor->type);
  const Expr* shape = context.NewTuple(FlatDims(context, type.shape));
  if (type.view == nullptr || (type.view->valid_shape.empty() &&
                               type.view->pad == ir::PadValue::kNull)) {
    return emit.Op(name, "tensor.view", {tensor, shape});
  }
  ir::Dims valid = type.view->valid_shape;
  if (!valid.empty()) valid = FlatDims(context, valid);
  return emit.Op(name, "tensor.view", {tensor, shape, context.NewTuple(valid)});
}

void FlattenWindow(const ir::Assign& assign, ir::Context& context,
                   StatementEmitter& emit, ir::DiagnosticSink* sink,
                   ir::Call* load) {
  const auto* tensor = DynCast<ir::TensorType>(load->args[0]->type);
  const auto* offsets = DynCast<ir::Tuple>(load->args[1]);
  const auto* shape = DynCast<ir::Tuple>(load->args[2]);
  const auto* valid =
      load->args.size() > 3 ? DynCast<ir::Tuple>(load->args[3]) : shape;
  if (tensor == nullptr || offsets == nullptr || shape == nullptr ||
      valid == nullptr || tensor->layout() == ir::TensorLayout::kNZ ||
      tensor->shape.size() != offsets->elements.size()) {
    return;
  }
  if (!IsRowBand(context, valid->elements, tensor->shape)) {
    sink->Error("MX-FLAT2D-8", PlaceOf(*load, assign),
                absl::StrCat("tile.load into Mat reads ", ir::PrintExpr(valid),
                             " of ", ir::PrintType(tensor),
                             ", which is no band of rows; load it page by "
                             "page"));
    return;
  }
  const Var* source = FlatSource(
      load->args[0], absl::StrCat(assign.var->name, "_view2d"), context, emit);
  const auto flat = [&context](ir::Exprs dims) {
    return context.NewTuple(FlatDims(context, dims));
  };
  load->args = context.ExprList(
      {source,
       context.NewTuple(context.ExprList(
           {RowOffset(context, offsets->elements, tensor->shape),
            offsets->elements.back()})),
       flat(shape->elements), flat(valid->elements)});
}

}  // namespace mxtile
