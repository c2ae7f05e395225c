// Any bytes as the header of a .safetensors file: an error, or tensors that
// survive writing and lie in the file.

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "tools/fuzz/fuzz_target.h"
#include "tools/quantize/safetensors.h"

namespace mxtile {
namespace {

void CheckHeader(const SafetensorsHeader& header, int64_t data_size) {
  int64_t end = 0;
  for (const SafetensorsTensor& tensor : header.tensors) {
    MX_CHECK(tensor.begin == end) << tensor.name;
    end = tensor.end;
    const auto size = SafetensorsBytes(tensor.dtype, tensor.shape);
    MX_CHECK(size.ok() && *size == tensor.size_bytes()) << tensor.name;
  }
  MX_CHECK(end == data_size) << end;
  const auto bytes =
      SerializeSafetensorsHeader(header.tensors, header.metadata);
  MX_CHECK(bytes.ok()) << bytes.status();
  const auto again = ParseSafetensorsHeader(absl::string_view(*bytes).substr(8),
                                            bytes->size() + data_size, "again");
  MX_CHECK(again.ok()) << again.status();
  MX_CHECK(again->metadata == header.metadata);
  MX_CHECK(again->tensors.size() == header.tensors.size());
  for (size_t i = 0; i < header.tensors.size(); ++i) {
    MX_CHECK(again->tensors[i].name == header.tensors[i].name) << i;
    MX_CHECK(again->tensors[i].shape == header.tensors[i].shape) << i;
    MX_CHECK(again->tensors[i].begin == header.tensors[i].begin) << i;
  }
}

}  // namespace
}  // namespace mxtile

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace mxtile;  // NOLINT: the function can't be in a namespace.
  const absl::string_view json(reinterpret_cast<const char*>(data), size);
  // How much data follows is not in the header.
  for (int64_t data_size = 0; data_size <= 16; ++data_size) {
    const auto header = ParseSafetensorsHeader(
        json, static_cast<int64_t>(8 + size) + data_size, "fuzzed");
    if (header.ok()) CheckHeader(*header, data_size);
  }
  return 0;
}
