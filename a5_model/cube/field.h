#ifndef A5_MODEL_CUBE_FIELD_H_
#define A5_MODEL_CUBE_FIELD_H_

// The range check that the parameters of all instructions share.
//
//   CheckField({"LOAD_2D", 7}, "mStep", 256, 1, 255);
//   // InvalidArgument: "LOAD_2D (instruction 7): mStep is 256, not in
//   //   [1, 255] (A5-FIELD-1)"

#include <cstdint>

#include "a5_model/memory.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

// Strides in bytes: a 40-bit field. [ours: wide enough never to be the reason]
inline constexpr int64_t kMaxStride = (int64_t{1} << 40) - 1;

absl::Status CheckField(const Access& access, absl::string_view field,
                        int64_t value, int64_t low, int64_t high);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_FIELD_H_
