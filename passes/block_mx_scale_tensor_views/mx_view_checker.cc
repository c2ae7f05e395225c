#include "passes/block_mx_scale_tensor_views/mx_view_checker.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/type_walk.h"
#include "passes/block_mx_scale_tensor_views/mx_blocking.h"
#include "passes/block_mx_scale_tensor_views/mx_offset_checker.h"
#include "passes/block_mx_scale_tensor_views/mx_operators.h"
#include "passes/function_attrs.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"
#include "passes/typed_sites.h"

namespace mxtile {
namespace {

using ir::AsConstInt;
using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::Function;
using ir::SourceSpan;
using ir::Stmt;
using ir::TensorType;
using ir::TileType;
using ir::Type;
using ir::Var;

constexpr int64_t kMxBoxBytes = 32;

bool SameConstants(ir::Exprs a, ir::Exprs b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr* x, const Expr* y) {
                      const ir::ConstInt* left = AsConstInt(x);
                      const ir::ConstInt* right = AsConstInt(y);
                      return left != nullptr && right != nullptr &&
                             left->value == right->value;
                    });
}

class Checker {
 public:
  Checker(const ir::Program& program, const BlockMxOptions& options,
          PassContext& context)
      : offsets_(program, options, context),
        ops_(context.ir->registry()),
        options_(options),
        context_(context) {}

  void CheckFunction(const Function& function);

 private:
  void CheckExpr(const Expr& expr, bool has_variables_type, SourceSpan span);
  void CheckType(const Type* type, SourceSpan span, absl::string_view what);
  void CheckCall(const Call& call, SourceSpan span);
  void CheckLoad(const Call& call, SourceSpan span);
  void CheckStore(const Call& call, SourceSpan span);
  void CheckView(const Call& call, SourceSpan span);

  // Null after an error.
  const ir::Tuple* OffsetsOf(const Call& call, absl::string_view subject,
                             SourceSpan span);
  // Each tells whether it found nothing wrong.
  bool CheckStoredTile(const MxWindow& window, const TileType& tile);
  bool CheckExtents(const MxWindow& window, absl::string_view what,
                    ir::Dims extents);

  ir::Diagnostic& Error(absl::string_view rule, SourceSpan span,
                        absl::string_view message) {
    return context_.sink->Error(rule, span, message);
  }
  // Whether it is OK; reported otherwise.
  bool Expect(const absl::Status& status, SourceSpan span) {
    if (!status.ok()) Error(ir::RuleOf(status), span, status.message());
    return status.ok();
  }

  MxOffsetChecker offsets_;
  MxOperators ops_;
  const BlockMxOptions& options_;
  PassContext& context_;
  const Function* function_ = nullptr;
};

// ---- Types

void Checker::CheckFunction(const Function& function) {
  function_ = &function;
  ForEachTypedSite(
      function,
      [this](const Type* type, SourceSpan span, absl::string_view what) {
        CheckType(type, span, what);
      },
      [this](const Expr& expr, bool has_variables_type, SourceSpan span) {
        CheckExpr(expr, has_variables_type, span);
      });
}

// The type of a variable has been checked with it.
void Checker::CheckExpr(const Expr& expr, bool has_variables_type,
                        SourceSpan span) {
  const Call* call = DynCast<Call>(&expr);
  const ir::Submit* submit = DynCast<ir::Submit>(&expr);
  if (call == nullptr && submit == nullptr) return;
  const ir::Callee& callee = call != nullptr ? *call->callee : *submit->callee;
  if (!has_variables_type) CheckType(expr.type, span, callee.name);
  if (call != nullptr && !callee.is_function) CheckCall(*call, span);
}

void Checker::CheckType(const Type* type, SourceSpan span,
                        absl::string_view what) {
  ir::ForEachLeafType(*type, [&](const Type& leaf) {
    const TensorType* tensor = AsMxTensor(&leaf);
    if (tensor == nullptr) return;
    const std::string subject = absl::StrCat("MX tensor '", what, "'");
    if (tensor->kind == ir::TypeKind::kDistributedTensor) {
      Error("MX-BLOCK-5", span,
            absl::StrCat(subject,
                         ": MX layouts are not supported on distributed "
                         "tensors"));
      return;
    }
    const MxAxes axes = MxAxesOf(tensor->layout());
    if (!Expect(CheckBlockable(subject, axes, tensor->shape), span)) return;
    if (!tensor->view->valid_shape.empty()) {
      Error("MX-BLOCK-4", span,
            absl::StrCat(subject,
                         ": a partial tensor valid_shape is not supported; "
                         "narrow the load instead"));
    }
  });
}

// ---- Calls

void Checker::CheckCall(const Call& call, SourceSpan span) {
  int first = -1;
  int count = 0;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (AsMxTensor(call.args[i]->type) == nullptr) continue;
    if (count++ == 0) first = static_cast<int>(i);
  }
  const ir::OpDef* def = call.callee->def;
  const bool is_view = def != nullptr && def == ops_.view;
  if (is_view && (count > 0 || AsMxTensor(call.type) != nullptr)) {
    return CheckView(call, span);
  }
  if (count == 0) return;
  const bool takes_one = count == 1 && def != nullptr;
  if (takes_one && first == kTensorArg && def == ops_.load) {
    return CheckLoad(call, span);
  }
  if (takes_one && first == kOutputArg && def == ops_.store &&
      options_.store == BlockMxOptions::kCompleteBoxes) {
    return CheckStore(call, span);
  }
  Error("MX-BLOCK-6", span,
        absl::StrCat(call.callee->name, " cannot take MX tensor '",
                     NameOf(*call.args[first]), "' as argument ", first,
                     "; an MX tensor is read-only and only tile.load and "
                     "tensor.view take one, as their source"));
}

void Checker::CheckView(const Call& call, SourceSpan span) {
  const TensorType* source =
      call.args.empty() ? nullptr
                        : DynCast<TensorType>(call.args[kTensorArg]->type);
  const TensorType* result = DynCast<TensorType>(call.type);
  const auto is_scales = [](const TensorType* tensor) {
    return tensor != nullptr && tensor->dtype == ir::DataType::kFP8E8M0;
  };
  const auto is_nd = [](const TensorType& tensor) {
    return tensor.layout() == ir::TensorLayout::kND;
  };
  if (is_scales(source) && is_scales(result) &&
      is_nd(*source) != is_nd(*result) &&
      ListArg(call, kViewShapeArg) != nullptr) {
    return;
  }
  Error("MX-BLOCK-8", span,
        "tensor.view of an MX tensor needs a shape argument, FP8E8M0, and a "
        "change between ND and an MX layout");
}

void Checker::CheckLoad(const Call& call, SourceSpan span) {
  const std::string subject = Subject(call, *call.args[kTensorArg]);
  const ir::AttrValue* target = ir::FindAttr(call.kwargs, "target_memory");
  if (target == nullptr ||
      target->text != ir::EnumName(ir::MemorySpace::kMat)) {
    Error("MX-BLOCK-7", span,
          absl::StrCat(subject, " goes to Mat; ",
                       target == nullptr
                           ? std::string("target_memory is missing")
                           : absl::StrCat("target_memory is ", target->text)));
    return;
  }
  const ir::Tuple* offsets = OffsetsOf(call, subject, span);
  if (offsets == nullptr) return;
  const ir::Tuple* shapes = ListArg(call, kLoadShapesArg);
  const std::string what =
      absl::StrCat("the window (argument ", kLoadShapesArg, ")");
  if (shapes == nullptr) {
    Error("MX-BLOCK-1", span,
          absl::StrCat(subject, ": ", what,
                       " must be a list of rank 2, written in place"));
    return;
  }
  const MxWindow window = {call, span, call.args[kTensorArg], offsets->elements,
                           shapes->elements};
  if (CheckExtents(window, what, window.extents))
    offsets_.Check(window, *function_);
}

void Checker::CheckStore(const Call& call, SourceSpan span) {
  const Expr* tensor = call.args[kOutputArg];
  const TileType* tile = DynCast<TileType>(call.args[kTileArg]->type);
  const ir::Tuple* offsets = OffsetsOf(call, Subject(call, *tensor), span);
  if (tile == nullptr || offsets == nullptr) return;
  const MxWindow window = {call, span, tensor, offsets->elements, tile->shape};
  if (CheckStoredTile(window, *tile)) offsets_.Check(window, *function_);
}

const ir::Tuple* Checker::OffsetsOf(const Call& call, absl::string_view subject,
                                    SourceSpan span) {
  const ir::Tuple* offsets = ListArg(call, kOffsetsArg);
  if (offsets != nullptr && offsets->elements.size() == 2) return offsets;
  Error("MX-OFFSET-1", span,
        absl::StrCat(subject, ": the offsets (argument ", kOffsetsArg,
                     ") must be a list of rank 2, written in place",
                     offsets == nullptr
                         ? std::string()
                         : absl::StrCat("; this one has rank ",
                                        offsets->elements.size())));
  return nullptr;
}

// A 16 x 16 tile of the other side would fit as well, with each element in
// another's place.
bool Checker::CheckStoredTile(const MxWindow& window, const TileType& tile) {
  const ir::TileView view = tile.EffectiveView();
  const ir::TileLayout wanted =
      window.type().layout() == ir::TensorLayout::kMxAZZ
          ? ir::TileLayout::kRowMajor
          : ir::TileLayout::kColMajor;
  if (tile.dtype != ir::DataType::kFP8E8M0 || view.blayout != wanted ||
      view.slayout != wanted || view.fractal != kMxBoxBytes) {
    const absl::string_view name = ir::EnumName(wanted);
    Error("MX-BLOCK-9", window.span,
          absl::StrCat(
              Subject(window.call, *window.tensor), ": the tile (argument ",
              kTileArg, ") must be FP8E8M0 ", name, "/", name, "/", kMxBoxBytes,
              " for ", ir::EnumName(window.type().layout()), ", got ",
              ir::DataTypeName(tile.dtype), " ", ir::EnumName(view.blayout),
              "/", ir::EnumName(view.slayout), "/", view.fractal));
    return false;
  }
  const std::string what = absl::StrCat("the tile (argument ", kTileArg, ")");
  if (!CheckExtents(window, what, tile.shape) ||
      !CheckExtents(window, absl::StrCat("the valid shape of ", what),
                    tile.EffectiveValidShape())) {
    return false;
  }
  if (window.call.args.size() <= kStoreShapesArg) return true;
  const ir::Tuple* shapes = ListArg(window.call, kStoreShapesArg);
  if (shapes != nullptr && SameConstants(shapes->elements, tile.shape)) {
    return true;
  }
  Error("MX-BLOCK-9", window.span,
        absl::StrCat(Subject(window.call, *window.tensor),
                     ": shapes (argument ", kStoreShapesArg, ") ",
                     ir::PrintExpr(window.call.args[kStoreShapesArg]),
                     " must be those of the tile, written in place"));
  return false;
}

// ---- Windows

// MX-BLOCK-1 to 3.
bool Checker::CheckExtents(const MxWindow& window, absl::string_view what,
                           ir::Dims extents) {
  return Expect(
      CheckBlockable(
          absl::StrCat(Subject(window.call, *window.tensor), ": ", what),
          window.axes(), extents),
      window.span);
}

}  // namespace

void CheckMxViews(const ir::Program& program, const BlockMxOptions& options,
                  PassContext& context) {
  Checker checker(program, options, context);
  for (const Function* function : program.functions) {
    if (!HasMark(*function, kMxTensorViewsBlocked)) {
      checker.CheckFunction(*function);
    }
  }
}

}  // namespace mxtile
