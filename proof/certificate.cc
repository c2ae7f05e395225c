#include "proof/certificate.h"

#include "absl/strings/string_view.h"

namespace mxtile::proof {

absl::string_view RuleId(Rule rule) {
  switch (rule) {
    case Rule::kConstant:
      return "MX-PROOF-1";
    case Rule::kProduct:
      return "MX-PROOF-2";
    case Rule::kSum:
      return "MX-PROOF-3";
    case Rule::kDifference:
      return "MX-PROOF-4";
    case Rule::kQuotient:
      return "MX-PROOF-5";
    case Rule::kLoopVar:
      return "MX-PROOF-6";
    case Rule::kNeverNegative:
      return "MX-PROOF-7";
    case Rule::kCallers:
      return "MX-PROOF-8";
    case Rule::kDefinition:
      return "MX-PROOF-9";
    case Rule::kMin:
      return "MX-PROOF-10";
    case Rule::kMax:
      return "MX-PROOF-11";
    case Rule::kRemainder:
      return "MX-PROOF-12";
  }
  return "";
}

}  // namespace mxtile::proof
