#include "tools/bench/strict_json.h"

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {

using Json = nlohmann::ordered_json;

absl::StatusOr<Json> ParseStrictJson(absl::string_view text) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const std::string key = value.get<std::string>();
      if (!keys.back().insert(key).second && twice.empty()) twice = key;
    }
    return true;
  };
  try {
    // The parser knows no NaN and refuses numbers that are no finite double.
    Json json = Json::parse(text.begin(), text.end(), watch);
    if (!twice.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("key \"", twice, "\" stands twice in an object"));
    }
    return json;
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
}

}  // namespace mxtile::bench
