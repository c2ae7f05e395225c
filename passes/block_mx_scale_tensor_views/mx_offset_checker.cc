#include "passes/block_mx_scale_tensor_views/mx_offset_checker.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "passes/block_mx_scale_tensor_views/mx_blocking.h"
#include "passes/block_mx_scale_tensor_views/mx_operators.h"
#include "passes/pass.h"
#include "proof/explain.h"
#include "proof/format_expr.h"
#include "proof/prover.h"

namespace mxtile {
namespace {

using ir::AsConstInt;
using ir::Expr;

// A value for which the refused question has the wrong answer, where one is
// known.
std::optional<int64_t> ViolatingValue(const proof::ProofResult& multiple,
                                      const proof::ProofResult& sign) {
  for (const proof::ProofResult* result : {&multiple, &sign}) {
    if (!result->proven()) return result->refusal().value;
  }
  return std::nullopt;
}

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
  const MxAxes axes = window.axes();
  const Axis block = {"block", axes.block, kMxBlock};
  const Axis group = {"group", axes.group, kMxGroup};
  const int errors = context_.sink->error_count();
  CheckAxis(window, function, block);
  CheckAxis(window, function, group);
  // A tensor of another rank has been reported.
  if (context_.sink->error_count() > errors ||
      window.type().shape.size() != 2) {
    return;
  }
  CheckInside(window, block);
  CheckInside(window, group);
}

void MxOffsetChecker::CheckAxis(const MxWindow& window,
                                const ir::Function& function,
                                const Axis& at) const {
  const Expr* offset = window.offsets[at.axis];
  const proof::ProofResult multiple =
      prover_.ProveMultipleOf(offset, at.divisor);
  const proof::ProofResult sign = prover_.ProveNonNegative(offset);
  const ir::ConstInt* constant = AsConstInt(offset);

  OffsetVerdict verdict;
  verdict.span = window.span;
  verdict.function = std::string(function.name);
  verdict.op = std::string(window.call.callee->name);
  verdict.tensor = std::string(NameOf(*window.tensor));
  verdict.argument = kOffsetsArg;
  verdict.axis = std::string(at.name);
  verdict.axis_index = at.axis;
  verdict.divisor = at.divisor;
  verdict.offset = proof::FormatExpr(offset);
  verdict.symbolic = constant == nullptr;
  verdict.proven = multiple.proven() && sign.proven();
  verdict.reason = proof::Explain(multiple, sign);
  verdict.violating_value = ViolatingValue(multiple, sign);
  context_.findings.offsets.push_back(verdict);

  if (verdict.proven) return;
  const std::string subject = SubjectOf(window, at);
  if (constant != nullptr) {
    context_.sink->Error(
        "MX-OFFSET-2", window.span,
        absl::StrCat(subject, "must be a non-negative multiple of ", at.divisor,
                     ", got ", constant->value));
    return;
  }
  const bool divisible = multiple.proven();
  context_.sink
      ->Error(
          divisible ? "MX-OFFSET-4" : "MX-OFFSET-3", window.span,
          absl::StrCat(subject, "'", verdict.offset, "' cannot be proven ",
                       divisible ? "non-negative"
                                 : absl::StrCat("a multiple of ", at.divisor)))
      .AddNote(offset->span, verdict.reason);
}

void MxOffsetChecker::CheckInside(const MxWindow& window,
                                  const Axis& at) const {
  const ir::ConstInt* offset = AsConstInt(window.offsets[at.axis]);
  const ir::ConstInt* size = AsConstInt(window.type().shape[at.axis]);
  if (offset == nullptr || size == nullptr) return;
  const int64_t extent = AsConstInt(window.extents[at.axis])->value;
  if (extent <= size->value && offset->value <= size->value - extent) return;
  context_.sink->Error(
      "MX-OFFSET-5", window.span,
      absl::StrCat(SubjectOf(window, at), "is ", offset->value,
                   ", and a window of ", extent,
                   " from there ends behind the tensor's ", size->value));
}

std::string MxOffsetChecker::SubjectOf(const MxWindow& window, const Axis& at) {
  return absl::StrCat(Subject(window.call, *window.tensor), ": the ", at.name,
                      " offset (argument ", kOffsetsArg, ", axis ", at.axis,
                      ") ");
}

}  // namespace mxtile
