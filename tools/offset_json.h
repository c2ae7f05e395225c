#ifndef TOOLS_OFFSET_JSON_H_
#define TOOLS_OFFSET_JSON_H_

// An offset's verdict, as `run --json` and `prove --json` report it: the fields
// are described in docs/run_report.md and docs/prove_report.md.
//
//   json["offsets"].push_back(OffsetToJson(verdict));

#include "nlohmann/json.hpp"
#include "passes/pass.h"

namespace mxtile {

nlohmann::ordered_json OffsetToJson(const OffsetVerdict& verdict);

}  // namespace mxtile

#endif  // TOOLS_OFFSET_JSON_H_
