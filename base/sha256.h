#ifndef BASE_SHA256_H_
#define BASE_SHA256_H_

// Digests of bytes, to name contents and to notice that they changed.
//
//   Sha256Hex("abc") ==
//       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile {

// The SHA-256 of the bytes, in lower-case hexadecimal, as sha256sum prints it.
std::string Sha256Hex(absl::Span<const uint8_t> bytes);
std::string Sha256Hex(absl::string_view bytes);

}  // namespace mxtile

#endif  // BASE_SHA256_H_
