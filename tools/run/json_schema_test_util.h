#ifndef TOOLS_RUN_JSON_SCHEMA_TEST_UTIL_H_
#define TOOLS_RUN_JSON_SCHEMA_TEST_UTIL_H_

// Checks a JSON value against a JSON Schema, for tests.
//
//   EXPECT_EQ(SchemaFault(schema, value), "");
//   // "/traceEvents/3/ts: -1 is below 0"
//
// Knows what the schemas of this folder use: type (object, array, string,
// number, integer), required, properties, additionalProperties (false), items
// (one schema), enum, const, minimum, oneOf. Another keyword is a failed check:
// a schema must not ask for more than is looked at.

#include <string>

#include "nlohmann/json.hpp"

namespace mxtile {

// The first fault, with the path to it; empty when there is none.
std::string SchemaFault(const nlohmann::json& schema,
                        const nlohmann::json& value);

}  // namespace mxtile

#endif  // TOOLS_RUN_JSON_SCHEMA_TEST_UTIL_H_
