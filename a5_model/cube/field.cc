#include "a5_model/cube/field.h"

#include <cstdint>

#include "a5_model/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

absl::Status CheckField(const Access& access, absl::string_view field,
                        int64_t value, int64_t low, int64_t high) {
  if (low <= value && value <= high) return absl::OkStatus();
  return TrapError(
      access, absl::StrFormat("%s is %d, not in [%d, %d] (A5-FIELD-1)", field,
                              value, low, high));
}

}  // namespace a5
}  // namespace mxtile
