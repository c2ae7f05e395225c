#ifndef TOOLS_BENCH_STRICT_JSON_H_
#define TOOLS_BENCH_STRICT_JSON_H_

// JSON that means one thing: a key stands once in its object, numbers are
// finite, nothing follows the value. Readers that take the last of two equal
// keys and readers that take the first would see different evidence.
//
//   ParseStrictJson(R"({"a": 1, "a": 2})")   // InvalidArgument: key "a" twice

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {

absl::StatusOr<nlohmann::ordered_json> ParseStrictJson(absl::string_view text);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_STRICT_JSON_H_
