#include "passes/block_mx_scale_tensor_views/mx_offset_checker.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "passes/block_mx_scale_tensor_views/mx_offsets.h"
#include "passes/block_mx_scale_tensor_views/mx_operators.h"
#include "passes/pass.h"
#include "proof/prover.h"

namespace mxtile {
namespace {

using ir::AsConstInt;

}  // namespace

absl::string_view NameOf(const ir::Expr& tensor) {
  const ir::Var* var = ir::DynCast<ir::Var>(&tensor);
  return var != nullptr ? var->name : "";
}

std::string Subject(const ir::Call& call, const ir::Expr& tensor) {
  return absl::StrCat(call.callee->name, " of MX tensor '", NameOf(tensor),
                      "'");
}

void MxOffsetChecker::Check(const MxWindow& window,
                            const ir::Function& function) const {
  MxWindowOffsets offsets;
  offsets.function = &function;
  offsets.call = &window.call;
  offsets.span = window.span;
  offsets.tensor = window.tensor;
  offsets.offsets = MxOffsetsOf(window.type().layout(), window.offsets);
  const int errors = context_.sink->error_count();
  for (const MxOffset& offset : offsets.offsets) CheckOffset(offsets, offset);
  // A tensor of another rank has been reported.
  if (context_.sink->error_count() > errors ||
      window.type().shape.size() != 2) {
    return;
  }
  for (const MxOffset& offset : offsets.offsets) CheckInside(window, offset);
}

void MxOffsetChecker::CheckOffset(const MxWindowOffsets& window,
                                  const MxOffset& offset) const {
  const OffsetJudgement judgement = JudgeOffset(prover_, window, offset);
  const OffsetVerdict& verdict = judgement.verdict;
  context_.findings.offsets.push_back(verdict);
  if (verdict.proven) return;
  const std::string subject = SubjectOf(*window.call, *window.tensor, offset);
  if (const ir::ConstInt* constant = AsConstInt(offset.expr)) {
    context_.sink->Error(
        "MX-OFFSET-2", window.span,
        absl::StrCat(subject, "must be a non-negative multiple of ",
                     offset.divisor, ", got ", constant->value));
    return;
  }
  const bool divisible = judgement.multiple.proven();
  context_.sink
      ->Error(divisible ? "MX-OFFSET-4" : "MX-OFFSET-3", window.span,
              absl::StrCat(
                  subject, "'", verdict.offset, "' cannot be proven ",
                  divisible ? "non-negative"
                            : absl::StrCat("a multiple of ", offset.divisor)))
      .AddNote(offset.expr->span, verdict.reason);
}

void MxOffsetChecker::CheckInside(const MxWindow& window,
                                  const MxOffset& offset) const {
  const ir::ConstInt* begin = AsConstInt(offset.expr);
  const ir::ConstInt* size = AsConstInt(window.type().shape[offset.axis]);
  if (begin == nullptr || size == nullptr) return;
  const int64_t extent = AsConstInt(window.extents[offset.axis])->value;
  if (extent <= size->value && begin->value <= size->value - extent) return;
  context_.sink->Error(
      "MX-OFFSET-5", window.span,
      absl::StrCat(SubjectOf(window.call, *window.tensor, offset), "is ",
                   begin->value, ", and a window of ", extent,
                   " from there ends behind the tensor's ", size->value));
}

std::string MxOffsetChecker::SubjectOf(const ir::Call& call,
                                       const ir::Expr& tensor,
                                       const MxOffset& offset) {
  return absl::StrCat(Subject(call, tensor), ": the ", offset.axis_name,
                      " offset (argument ", kOffsetsArg, ", axis ", offset.axis,
                      ") ");
}

}  // namespace mxtile
