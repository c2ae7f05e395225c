#include "proof/refusal.h"

#include "absl/strings/string_view.h"

namespace mxtile::proof {

absl::string_view RefusalReasonName(RefusalReason reason) {
  switch (reason) {
    case RefusalReason::kConstantViolates:
      return "constant_violates";
    case RefusalReason::kLoopViolates:
      return "loop_violates";
    case RefusalReason::kLoopNotConstant:
      return "loop_not_constant";
    case RefusalReason::kNoFact:
      return "no_fact";
    case RefusalReason::kRebound:
      return "rebound";
    case RefusalReason::kIterArg:
      return "iter_arg";
    case RefusalReason::kLoopResult:
      return "loop_result";
    case RefusalReason::kIfResult:
      return "if_result";
    case RefusalReason::kDynamicDim:
      return "dynamic_dim";
    case RefusalReason::kUnknownSource:
      return "unknown_source";
    case RefusalReason::kRecursion:
      return "recursion";
    case RefusalReason::kCast:
      return "cast";
    case RefusalReason::kTupleItem:
      return "tuple_item";
    case RefusalReason::kCallResult:
      return "call_result";
    case RefusalReason::kSubtraction:
      return "subtraction";
    case RefusalReason::kDivisorNotConstant:
      return "divisor_not_constant";
    case RefusalReason::kDivisorNotPositive:
      return "divisor_not_positive";
    case RefusalReason::kNotPowerOfTwo:
      return "not_power_of_two";
    case RefusalReason::kOverflow:
      return "overflow";
    case RefusalReason::kMayOverflow:
      return "may_overflow";
    case RefusalReason::kUnsupportedOperator:
      return "unsupported_operator";
    case RefusalReason::kNotInteger:
      return "not_integer";
    case RefusalReason::kBudget:
      return "budget";
  }
  return "";
}

}  // namespace mxtile::proof
