#include "passes/block_nz_tensor_views/nz_offset_checker.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/type.h"
#include "passes/block_nz_tensor_views/nz_blocking.h"
#include "passes/block_nz_tensor_views/nz_operators.h"
#include "passes/pass.h"
#include "proof/explain.h"
#include "proof/facts.h"
#include "proof/format_expr.h"
#include "proof/prover.h"

namespace mxtile {
namespace {

using ir::AsConstInt;

// The function as the whole of a program: nobody is seen to call it.
const ir::Program& Alone(const ir::Program& program,
                         const ir::Function& function, ir::Context& context) {
  ir::Program alone = program;
  alone.functions = context.List(std::vector<const ir::Function*>{&function});
  return *context.New(alone);
}

proof::ProofOptions Extended() {
  proof::ProofOptions options;
  options.extended = true;
  return options;
}

struct Axis {
  absl::string_view name;
  int64_t divisor;
};

Axis AxisOf(const NzWindow& window, size_t axis) {
  const size_t rank = window.type.shape.size();
  if (axis + 1 == rank) return {"column", NzColumns(window.type.dtype)};
  if (axis + 2 == rank) return {"row", kNzRows};
  return {"batch", 1};
}

absl::string_view TensorName(const ir::Call& call) {
  const auto* var = ir::DynCast<ir::Var>(call.args[kNzTensor]);
  return var != nullptr ? var->name : "";
}

std::string OffsetSubject(const NzWindow& window, size_t axis) {
  return absl::StrCat(NzSubject(window.call), ": the ",
                      AxisOf(window, axis).name, " offset (argument ",
                      window.offsets_arg, ", axis ", axis, ") ");
}

}  // namespace

std::string NzSubject(const ir::Call& call) {
  return absl::StrCat(call.callee->name, " of NZ tensor '", TensorName(call),
                      "'");
}

NzOffsetChecker::NzOffsetChecker(const ir::Program& program,
                                 const ir::Function& function,
                                 PassContext& context)
    : function_(function),
      facts_(Alone(program, function, *context.ir)),
      prover_(facts_, Extended()),
      context_(context) {}

void NzOffsetChecker::Check(const NzWindow& window) const {
  for (size_t axis = 0; axis < window.offsets.size(); ++axis) {
    if (CheckOffset(window, axis)) CheckInside(window, axis);
  }
}

bool NzOffsetChecker::CheckOffset(const NzWindow& window, size_t axis) const {
  const ir::Expr* offset = window.offsets[axis];
  const auto [name, divisor] = AxisOf(window, axis);
  const proof::ProofResult sign = prover_.ProveNonNegative(offset);
  const proof::ProofResult multiple =
      divisor == 1 ? sign : prover_.ProveMultipleOf(offset, divisor);
  OffsetVerdict verdict;
  verdict.span = window.span;
  verdict.function = std::string(function_.name);
  verdict.op = std::string(window.call.callee->name);
  verdict.tensor = std::string(TensorName(window.call));
  verdict.argument = window.offsets_arg;
  verdict.axis = std::string(name);
  verdict.axis_index = static_cast<int>(axis);
  verdict.divisor = divisor;
  verdict.offset = proof::FormatExpr(offset);
  verdict.symbolic = AsConstInt(offset) == nullptr;
  verdict.proven = multiple.proven() && sign.proven();
  verdict.reason =
      divisor == 1 ? proof::Explain(sign) : proof::Explain(multiple, sign);
  context_.findings.offsets.push_back(verdict);
  if (verdict.proven) return true;

  if (const ir::ConstInt* constant = AsConstInt(offset)) {
    context_.sink->Error("NZ-OFFSET-2", window.span,
                         absl::StrCat(OffsetSubject(window, axis),
                                      "must be a non-negative multiple of ",
                                      divisor, ", got ", constant->value));
    return false;
  }
  const bool divisible = divisor == 1 || multiple.proven();
  context_.sink
      ->Error(divisible ? "NZ-OFFSET-4" : "NZ-OFFSET-3", window.span,
              absl::StrCat(OffsetSubject(window, axis), "'", verdict.offset,
                           "' cannot be proven ",
                           divisible ? std::string("non-negative")
                                     : absl::StrCat("a multiple of ", divisor),
                           "; what counts is what '", function_.name,
                           "' says itself"))
      .AddNote(offset->span, verdict.reason);
  return false;
}

void NzOffsetChecker::CheckInside(const NzWindow& window, size_t axis) const {
  const ir::ConstInt* begin = AsConstInt(window.offsets[axis]);
  if (begin == nullptr) return;
  const int64_t extent = NzExtent(window.extents[axis]);
  const int64_t size = NzExtent(window.type.shape[axis]);
  if (extent <= size && begin->value <= size - extent) return;
  context_.sink->Error(
      "NZ-OFFSET-5", window.span,
      absl::StrCat(OffsetSubject(window, axis), "is ", begin->value,
                   ", and a window of ", extent,
                   " from there ends behind the tensor's ", size));
}

}  // namespace mxtile
