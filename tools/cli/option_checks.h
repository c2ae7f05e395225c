#ifndef TOOLS_CLI_OPTION_CHECKS_H_
#define TOOLS_CLI_OPTION_CHECKS_H_

// Checks of option values, for CLI::Option::check: empty, or what is wrong.
//
//   command->add_option("--seed", seed, "...")->check(NotNegativeInteger);

#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"

namespace mxtile {

// 0 to 2^64 - 1; CLI11 itself would let -1 wrap.
inline std::string NotNegativeInteger(const std::string& text) {
  uint64_t value = 0;
  return absl::SimpleAtoi(text, &value)
             ? std::string()
             : "expected an integer that is not negative, got " + text;
}

}  // namespace mxtile

#endif  // TOOLS_CLI_OPTION_CHECKS_H_
