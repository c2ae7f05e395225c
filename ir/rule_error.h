#ifndef IR_RULE_ERROR_H_
#define IR_RULE_ERROR_H_

// A user's error that breaks a numbered rule, as a Status.
//
//   return RuleError("MX-MATMUL-3", "M is 8; it must be a multiple of 16");
//   RuleOf(status) == "MX-MATMUL-3"
//
// The rule travels as a payload; the message does not repeat it.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace mxtile::ir {

// InvalidArgument with the rule attached.
absl::Status RuleError(absl::string_view rule, absl::string_view message);

// The rule of a status made by RuleError; "" for others.
std::string RuleOf(const absl::Status& status);

}  // namespace mxtile::ir

#endif  // IR_RULE_ERROR_H_
