#include "ir/rule_error.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace mxtile::ir {
namespace {
constexpr absl::string_view kRulePayload = "mxtile.ir.rule";
}  // namespace

absl::Status RuleError(absl::string_view rule, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kRulePayload, absl::Cord(rule));
  return status;
}

std::string RuleOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kRulePayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace mxtile::ir
