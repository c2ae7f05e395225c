// Any bytes as a .npy file: an error, or an array that survives writing.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/npy.h"
#include "tools/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mxtile;  // NOLINT: the function can't be in a namespace.
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto header = ParseNpyHeader(bytes, size, "fuzzed");
  const auto array = ParseNpy(bytes, "fuzzed");
  MX_CHECK(array.ok() == (header.ok() && !header->fortran_order));
  if (header.ok()) {
    MX_CHECK(header->data_offset + header->data_size_bytes ==
             static_cast<int64_t>(size));
  }
  if (!array.ok()) return 0;
  const auto again = ParseNpy(SerializeNpy(*array), "again");
  MX_CHECK(again.ok()) << again.status();
  MX_CHECK(again->descr == array->descr && again->shape == array->shape &&
           again->bytes == array->bytes);
  return 0;
}
