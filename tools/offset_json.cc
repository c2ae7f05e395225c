#include "tools/offset_json.h"

namespace mxtile {

nlohmann::ordered_json OffsetToJson(const OffsetVerdict& verdict) {
  return {{"function", verdict.function},  {"line", verdict.span.line},
          {"column", verdict.span.column}, {"op", verdict.op},
          {"tensor", verdict.tensor},      {"axis", verdict.axis},
          {"divisor", verdict.divisor},    {"offset", verdict.offset},
          {"symbolic", verdict.symbolic},  {"proven", verdict.proven},
          {"reason", verdict.reason}};
}

}  // namespace mxtile
