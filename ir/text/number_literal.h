#ifndef IR_TEXT_NUMBER_LITERAL_H_
#define IR_TEXT_NUMBER_LITERAL_H_

// The values of Python's number literals, from their texts.
//
//   DecodeInt("0x_ff")       ->  255
//   DecodeFloat("1_0.5e-1")  ->  1.05

#include <cstdint>
#include <limits>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile::ir::text {

// Decimal, or hexadecimal, octal, binary with their prefixes; `_` between
// digits. InvalidArgument for a malformed literal, OutOfRange for one above
// `max`; the message is fit for a diagnostic.
absl::StatusOr<uint64_t> DecodeInt(
    absl::string_view text, uint64_t max = std::numeric_limits<int64_t>::max());

// Digits with a point, an exponent or both; `_` between digits. Rounds to
// nearest, subnormals included. InvalidArgument for a malformed literal,
// OutOfRange for an infinite one; the message is fit for a diagnostic.
absl::StatusOr<double> DecodeFloat(absl::string_view text);

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_NUMBER_LITERAL_H_
