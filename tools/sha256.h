#ifndef TOOLS_SHA256_H_
#define TOOLS_SHA256_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace mxtile {

// The SHA-256 of the bytes, in lower-case hexadecimal, as sha256sum prints it.
std::string Sha256Hex(absl::Span<const uint8_t> bytes);

}  // namespace mxtile

#endif  // TOOLS_SHA256_H_
