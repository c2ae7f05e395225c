#ifndef BASE_SHA256_H_
#define BASE_SHA256_H_

// Digests of bytes, to name contents and to notice that they changed.
//
//   Sha256Hex("abc") ==
//       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile {

// The SHA-256 of the bytes, in lower-case hexadecimal, as sha256sum prints it.
std::string Sha256Hex(absl::Span<const uint8_t> bytes);
std::string Sha256Hex(absl::string_view bytes);

// Of bytes that come in parts: a file larger than memory.
//
//   Sha256 sha;
//   sha.Update(first);
//   sha.Update(second);
//   sha.FinishHex() == Sha256Hex(both)
class Sha256 {
 public:
  Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  ~Sha256();

  void Update(absl::Span<const uint8_t> bytes);
  // Once, at the end.
  std::string FinishHex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mxtile

#endif  // BASE_SHA256_H_
