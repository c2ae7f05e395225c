#include "tools/run/json_schema_test_util.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "nlohmann/json.hpp"

namespace mxtile {
namespace {

using Json = nlohmann::json;

std::string Fault(const Json& schema, const Json& value,
                  const std::string& path);

bool HasType(const std::string& type, const Json& value) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  MX_CHECK(type == "integer") << "type " << type;
  return value.is_number_integer();
}

std::string ObjectFault(const Json& schema, const Json& value,
                        const std::string& path) {
  const Json properties = schema.value("properties", Json::object());
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name)) return absl::StrCat(path, ": no ", name.dump());
  }
  for (const auto& [name, member] : value.items()) {
    if (properties.contains(name)) {
      const std::string fault =
          Fault(properties[name], member, absl::StrCat(path, "/", name));
      if (!fault.empty()) return fault;
    } else if (!schema.value("additionalProperties", true)) {
      return absl::StrCat(path, ": unknown member '", name, "'");
    }
  }
  return "";
}

std::string OneOfFault(const Json& schemas, const Json& value,
                       const std::string& path) {
  std::string faults;
  int fitting = 0;
  for (const Json& schema : schemas) {
    const std::string fault = Fault(schema, value, path);
    if (fault.empty()) ++fitting;
    absl::StrAppend(&faults, faults.empty() ? "" : "; or ", fault);
  }
  if (fitting == 1) return "";
  return fitting == 0 ? faults
                      : absl::StrCat(path, ": fits ", fitting, " of oneOf");
}

std::string KeywordFault(const std::string& keyword, const Json& schema,
                         const Json& value, const std::string& path) {
  const Json& rule = schema[keyword];
  const auto broken = [&](absl::string_view why) {
    return absl::StrCat(path, ": ", value.dump(), " ", why, " ", rule.dump());
  };
  if (keyword == "type") return HasType(rule, value) ? "" : broken("is no");
  if (keyword == "const") return rule == value ? "" : broken("is not");
  if (keyword == "minimum") return value >= rule ? "" : broken("is below");
  if (keyword == "enum") {
    return std::find(rule.begin(), rule.end(), value) != rule.end()
               ? ""
               : broken("is not in");
  }
  if (keyword == "oneOf") return OneOfFault(rule, value, path);
  if (keyword == "required" || keyword == "properties" ||
      keyword == "additionalProperties") {
    return ObjectFault(schema, value, path);
  }
  if (keyword == "items") {
    for (size_t i = 0; i < value.size(); ++i) {
      const std::string fault =
          Fault(rule, value[i], absl::StrCat(path, "/", i));
      if (!fault.empty()) return fault;
    }
    return "";
  }
  MX_CHECK(keyword == "$schema" || keyword == "$comment")
      << "keyword " << keyword;
  return "";
}

std::string Fault(const Json& schema, const Json& value,
                  const std::string& path) {
  // What the other keywords look into has to be of the type.
  if (schema.contains("type")) {
    const std::string fault = KeywordFault("type", schema, value, path);
    if (!fault.empty()) return fault;
  }
  for (const auto& [keyword, rule] : schema.items()) {
    const std::string fault = KeywordFault(keyword, schema, value, path);
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace

std::string SchemaFault(const Json& schema, const Json& value) {
  return Fault(schema, value, "");
}

}  // namespace mxtile
