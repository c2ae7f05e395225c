#ifndef TOOLS_QUANTIZE_SAFETENSORS_JSON_H_
#define TOOLS_QUANTIZE_SAFETENSORS_JSON_H_

// The JSON of a .safetensors header as tensors; safetensors.h checks what they
// say. Reads event by event: a text nested 10,000 deep, or of 100 MB, takes no
// more memory than the tensors in it.

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace mxtile {

struct SafetensorsTensor;

// Errors (kInvalidArgument) say what is wrong and where.
absl::Status ParseSafetensorsJson(absl::string_view json,
                                  std::vector<SafetensorsTensor>* tensors,
                                  std::map<std::string, std::string>* metadata);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_SAFETENSORS_JSON_H_
