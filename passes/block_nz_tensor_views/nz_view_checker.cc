#include "passes/block_nz_tensor_views/nz_view_checker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
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
#include "passes/block_nz_tensor_views/nz_blocking.h"
#include "passes/block_nz_tensor_views/nz_offset_checker.h"
#include "passes/block_nz_tensor_views/nz_operators.h"
#include "passes/ir_queries.h"
#include "passes/pass.h"
#include "passes/typed_sites.h"

namespace mxtile {
namespace {

using ir::AsConstInt;
using ir::Call;
using ir::DynCast;
using ir::Expr;
using ir::SourceSpan;
using ir::Stmt;
using ir::TensorType;
using ir::Type;

// Rows between two stripes of columns: a 16-bit count of 32-byte blocks.
constexpr int64_t kMaxRowGap = 65535;

bool IsTrue(const Call& call, absl::string_view kwarg) {
  const ir::AttrValue* value = ir::FindAttr(call.kwargs, kwarg);
  return value != nullptr && value->bool_value;
}

class Checker {
 public:
  Checker(const ir::Program& program, const ir::Function& function,
          PassContext& context)
      : offsets_(program, function, context),
        ops_(context.ir->registry()),
        sink_(*context.sink) {}

  void CheckFunction(const ir::Function& function);

 private:
  void CheckType(const Type* type, SourceSpan span, absl::string_view what);
  void CheckExpr(const Expr& expr, bool has_variables_type, SourceSpan span);
  void CheckCall(const Call& call, SourceSpan span);
  void CheckLoad(const Call& call, SourceSpan span);
  void CheckSlice(const Call& call, SourceSpan span);

  // Each is null, or false, after an error.
  const ir::Tuple* ListOf(const Call& call, int index, absl::string_view rule,
                          absl::string_view what, SourceSpan span);
  bool CheckExtents(const Call& call, int index, SourceSpan span);
  bool CheckValidShape(const Call& call, SourceSpan span);
  bool CheckSliceArgs(const Call& call, SourceSpan span);
  bool CheckRowGap(const Call& call, SourceSpan span);

  bool Error(absl::string_view rule, SourceSpan span, const std::string& text) {
    sink_.Error(rule, span, text);
    return false;
  }
  bool Expect(const absl::Status& status, SourceSpan span) {
    if (status.ok()) return true;
    return Error(ir::RuleOf(status), span, std::string(status.message()));
  }

  NzOffsetChecker offsets_;
  NzOperators ops_;
  ir::DiagnosticSink& sink_;
};

const TensorType& TensorOf(const Call& call) {
  return *AsNzTensor(call.args[kNzTensor]->type);
}

std::string ArgName(absl::string_view what, int index) {
  return absl::StrCat("the ", what, " (argument ", index, ")");
}

// ---- Types

void Checker::CheckFunction(const ir::Function& function) {
  ForEachTypedSite(
      function,
      [this](const Type* type, SourceSpan span, absl::string_view what) {
        CheckType(type, span, what);
      },
      [this](const Expr& expr, bool has_variables_type, SourceSpan span) {
        CheckExpr(expr, has_variables_type, span);
      });
}

void Checker::CheckType(const Type* type, SourceSpan span,
                        absl::string_view what) {
  ir::ForEachLeafType(*type, [&](const Type& leaf) {
    const TensorType* tensor = AsNzTensor(&leaf);
    if (tensor == nullptr) return;
    const std::string subject = absl::StrCat("NZ tensor '", what, "'");
    if (tensor->kind == ir::TypeKind::kDistributedTensor) {
      Error("NZ-BLOCK-6", span,
            absl::StrCat(subject,
                         ": layout NZ is not supported on distributed "
                         "tensors"));
      return;
    }
    if (!Expect(CheckNzBlockable(subject, tensor->shape, tensor->dtype),
                span)) {
      return;
    }
    if (!tensor->view->valid_shape.empty()) {
      Error("NZ-BLOCK-5", span,
            absl::StrCat(subject,
                         ": a partial tensor valid_shape is not supported; "
                         "narrow the load instead"));
    }
    if (!tensor->view->stride.empty()) {
      Error("NZ-BLOCK-5", span,
            absl::StrCat(subject,
                         ": a stride is not supported; leave it out, NZ "
                         "tensors are packed"));
    }
  });
}

// The type of a variable has been checked with it.
void Checker::CheckExpr(const Expr& expr, bool has_variables_type,
                        SourceSpan span) {
  const Call* call = DynCast<Call>(&expr);
  const auto* submit = DynCast<ir::Submit>(&expr);
  if (call == nullptr && submit == nullptr) return;
  const ir::Callee& callee = call != nullptr ? *call->callee : *submit->callee;
  if (!has_variables_type) CheckType(expr.type, span, callee.name);
  if (call != nullptr && !callee.is_function) CheckCall(*call, span);
}

// ---- Calls

void Checker::CheckCall(const Call& call, SourceSpan span) {
  const ir::OpDef* def = call.callee->def;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (AsNzTensor(call.args[i]->type) == nullptr) continue;
    const bool is_source = i == kNzTensor && def != nullptr;
    if (is_source && def == ops_.load) return CheckLoad(call, span);
    if (is_source && def == ops_.slice) return CheckSlice(call, span);
    const bool is_stored = def != nullptr && def == ops_.store &&
                           i == static_cast<size_t>(kNzStoreOutput);
    const auto* var = DynCast<ir::Var>(call.args[i]);
    Error("NZ-BLOCK-7", span,
          absl::StrCat(call.callee->name, " cannot take NZ tensor '",
                       var != nullptr ? var->name : "", "' as argument ", i,
                       is_stored
                           ? "; an NZ tensor is read-only, make the output ND"
                           : "; only tile.load and tensor.slice take one, as "
                             "their source"));
    return;
  }
}

void Checker::CheckLoad(const Call& call, SourceSpan span) {
  const std::string subject = NzSubject(call);
  const ir::AttrValue* target = ir::FindAttr(call.kwargs, "target_memory");
  if (target == nullptr ||
      target->text != ir::EnumName(ir::MemorySpace::kMat)) {
    Error("NZ-BLOCK-8", span,
          absl::StrCat(subject, " goes to Mat; ",
                       target == nullptr
                           ? std::string("target_memory is missing")
                           : absl::StrCat("target_memory is ", target->text)));
    return;
  }
  const ir::Tuple* offsets =
      ListOf(call, kNzLoadOffsets, "NZ-OFFSET-1", "offsets", span);
  if (offsets == nullptr || !CheckExtents(call, kNzLoadShapes, span) ||
      !CheckValidShape(call, span) || !CheckRowGap(call, span)) {
    return;
  }
  offsets_.Check({call, span, TensorOf(call), offsets->elements,
                  ListArg(call, kNzLoadShapes)->elements, kNzLoadOffsets});
}

void Checker::CheckSlice(const Call& call, SourceSpan span) {
  const ir::Tuple* offsets =
      ListOf(call, kNzSliceOffsets, "NZ-OFFSET-1", "offsets", span);
  if (offsets == nullptr || !CheckExtents(call, kNzSliceShapes, span) ||
      !CheckSliceArgs(call, span)) {
    return;
  }
  offsets_.Check({call, span, TensorOf(call), offsets->elements,
                  ListArg(call, kNzSliceShapes)->elements, kNzSliceOffsets});
}

// ---- Arguments

const ir::Tuple* Checker::ListOf(const Call& call, int index,
                                 absl::string_view rule, absl::string_view what,
                                 SourceSpan span) {
  const size_t rank = TensorOf(call).shape.size();
  const ir::Tuple* list = ListArg(call, index);
  if (list != nullptr && list->elements.size() == rank) return list;
  Error(rule, span,
        absl::StrCat(NzSubject(call), ": ", ArgName(what, index),
                     " must be a list of rank ", rank, ", written in place",
                     list == nullptr ? std::string()
                                     : absl::StrCat("; this one has rank ",
                                                    list->elements.size())));
  return nullptr;
}

// Extents that can be blocked, of batches that follow each other.
bool Checker::CheckExtents(const Call& call, int index, SourceSpan span) {
  const TensorType& tensor = TensorOf(call);
  const std::string what =
      absl::StrCat(NzSubject(call), ": ", ArgName("window", index));
  const ir::Tuple* list = ListOf(call, index, "NZ-BLOCK-9", "window", span);
  if (list == nullptr ||
      !Expect(CheckNzBlockable(what, list->elements, tensor.dtype), span) ||
      !Expect(CheckNzRun(what, tensor.shape, list->elements), span)) {
    return false;
  }
  if (IsTrue(call, "clamp")) {
    return Error("NZ-BLOCK-9", span,
                 absl::StrCat(NzSubject(call),
                              ": clamp=True is not supported; give a window "
                              "inside of the tensor"));
  }
  return true;
}

// Whole fractals; only where all batches are one are rows left out.
bool Checker::CheckValidShape(const Call& call, SourceSpan span) {
  const TensorType& tensor = TensorOf(call);
  const ir::Dims shapes = ListArg(call, kNzLoadShapes)->elements;
  ir::Dims valid = shapes;
  if (call.args.size() > kNzLoadValid) {
    if (!CheckExtents(call, kNzLoadValid, span)) return false;
    valid = ListArg(call, kNzLoadValid)->elements;
  }
  const size_t rank = shapes.size();
  bool same_batches = true;
  bool has_several = false;
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    same_batches =
        same_batches && NzExtent(shapes[axis]) == NzExtent(valid[axis]);
    has_several = has_several || NzExtent(shapes[axis]) > 1;
  }
  const bool all_rows =
      NzExtent(shapes[rank - 2]) == NzExtent(tensor.shape[rank - 2]) &&
      NzExtent(valid[rank - 2]) == NzExtent(shapes[rank - 2]);
  if (same_batches && (all_rows || !has_several)) return true;
  return Error("NZ-BLOCK-9", span,
               absl::StrCat(NzSubject(call),
                            ": of several batches a window has all rows, and "
                            "all of its batches are valid"));
}

bool Checker::CheckRowGap(const Call& call, SourceSpan span) {
  const TensorType& tensor = TensorOf(call);
  const ir::Dims loaded =
      ListArg(call,
              call.args.size() > kNzLoadValid ? kNzLoadValid : kNzLoadShapes)
          ->elements;
  const size_t rank = loaded.size();
  const int64_t rows = NzExtent(tensor.shape[rank - 2]);
  const int64_t gap = rows - NzExtent(loaded[rank - 2]);
  if (NzExtent(loaded[rank - 1]) <= NzColumns(tensor.dtype) ||
      gap <= kMaxRowGap) {
    return true;
  }
  return Error(
      "NZ-BLOCK-11", span,
      absl::StrCat(NzSubject(call), ": ", NzExtent(loaded[rank - 2]), " of ",
                   rows, " rows leave ", gap,
                   " between two stripes of columns, more than ", kMaxRowGap,
                   "; load ", NzColumns(tensor.dtype), " columns at a time"));
}

bool Checker::CheckSliceArgs(const Call& call, SourceSpan span) {
  const TensorType& tensor = TensorOf(call);
  const size_t rank = tensor.shape.size();
  const ir::Dims shapes = ListArg(call, kNzSliceShapes)->elements;
  const ir::Exprs offsets = ListArg(call, kNzSliceOffsets)->elements;
  for (size_t axis = rank - 2; axis < rank; ++axis) {
    const ir::ConstInt* offset = AsConstInt(offsets[axis]);
    if (offset != nullptr && offset->value == 0 &&
        NzExtent(shapes[axis]) == NzExtent(tensor.shape[axis])) {
      continue;
    }
    return Error("NZ-BLOCK-10", span,
                 absl::StrCat(NzSubject(call), ": axis ", axis,
                              " must be whole, from offset 0, got ",
                              NzExtent(shapes[axis]), " of ",
                              NzExtent(tensor.shape[axis]), " from ",
                              ir::PrintExpr(offsets[axis])));
  }
  const ir::Tuple* valid = ListArg(call, kNzSliceValid);
  if (call.args.size() > kNzSliceValid &&
      (valid == nullptr ||
       (!valid->elements.empty() &&
        !std::equal(valid->elements.begin(), valid->elements.end(),
                    shapes.begin(), shapes.end(),
                    [](const Expr* a, const Expr* b) {
                      const ir::ConstInt* extent = AsConstInt(a);
                      return extent != nullptr && extent->value == NzExtent(b);
                    })))) {
    return Error("NZ-BLOCK-10", span,
                 absl::StrCat(NzSubject(call), ": ",
                              ArgName("valid_shape", kNzSliceValid),
                              " must be the window, all of which is valid"));
  }
  const ir::Tuple* drop = ListArg(call, kNzSliceDrop);
  for (size_t i = 0; drop != nullptr && i < drop->elements.size(); ++i) {
    const ir::ConstInt* axis = AsConstInt(drop->elements[i]);
    if (axis != nullptr && axis->value == static_cast<int64_t>(i) &&
        i + 2 < rank) {
      continue;
    }
    return Error("NZ-BLOCK-10", span,
                 absl::StrCat(NzSubject(call), ": ",
                              ArgName("dropped axes", kNzSliceDrop),
                              " must be 0, 1, ... before the last two"));
  }
  return true;
}

}  // namespace

void CheckNzViews(const ir::Program& program, const ir::Function& function,
                  PassContext& context) {
  Checker(program, function, context).CheckFunction(function);
}

}  // namespace mxtile
