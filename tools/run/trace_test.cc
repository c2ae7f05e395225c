#include "tools/run/trace.h"

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "base/file.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/run/json_schema_test_util.h"

namespace mxtile {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

Json Schema() {
  const absl::StatusOr<std::string> text =
      ReadFile("tools/run/testdata/trace_event.schema.json");
  EXPECT_THAT(text, IsOk());
  return text.ok() ? Json::parse(*text) : Json();
}

a5::PipeTimeline Timeline() {
  a5::PipeTimeline timeline;
  timeline.Add(a5::Pipe::kMte2, "ND2NZ 32x64", 1650, 2048,
               {a5::AddressArg("to", "Mat", 0x40)});
  timeline.Mark(a5::Pipe::kMte1, "TGET_SCALE_ADDR",
                {{"scale tile", int64_t{3}}});
  timeline.Add(a5::Pipe::kMte1, "LOAD_MX L0A_MX 2x1", 33, 64);
  timeline.Add(a5::Pipe::kMte1, "LOAD_MX L0B_MX 2x1", 66, 64);
  timeline.Add(a5::Pipe::kM, "MMAD_MX 32x64x32", 0, 0);
  return timeline;
}

TEST(TraceTest, FollowsTheSchema) {
  const Json schema = Schema();
  for (const a5::PipeTimeline& timeline : {Timeline(), a5::PipeTimeline()}) {
    EXPECT_EQ(SchemaFault(schema, Json::parse(ToChromeTrace(timeline,
                                                            a5::Ascend950()))),
              "");
  }
}

TEST(TraceTest, WholeFile) {
  const Json trace = Json::parse(ToChromeTrace(Timeline(), a5::Ascend950()));
  EXPECT_EQ(trace["otherData"]["soc"], "Ascend950");
  EXPECT_EQ(trace["otherData"]["clock_mhz"], 1650);
  const Json expected = Json::parse(R"json([
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0,
     "args": {"name": "Ascend950 cube core"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2,
     "args": {"name": "MTE2"}},
    {"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": 2,
     "args": {"sort_index": 1}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1,
     "args": {"name": "MTE1"}},
    {"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": 1,
     "args": {"sort_index": 2}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 4,
     "args": {"name": "M"}},
    {"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": 4,
     "args": {"sort_index": 3}},
    {"ph": "X", "name": "ND2NZ 32x64", "cat": "MTE2", "pid": 1, "tid": 2,
     "ts": 0.0, "dur": 1.0,
     "args": {"to": "0x40 of Mat", "cycles": 1650, "bytes": 2048}},
    {"ph": "i", "name": "TGET_SCALE_ADDR", "cat": "MTE1", "pid": 1, "tid": 1,
     "ts": 0.0, "s": "t", "args": {"scale tile": 3}},
    {"ph": "X", "name": "LOAD_MX L0A_MX 2x1", "cat": "MTE1", "pid": 1,
     "tid": 1, "ts": 0.0, "dur": 0.02, "args": {"cycles": 33, "bytes": 64}},
    {"ph": "X", "name": "LOAD_MX L0B_MX 2x1", "cat": "MTE1", "pid": 1,
     "tid": 1, "ts": 0.02, "dur": 0.04, "args": {"cycles": 66, "bytes": 64}},
    {"ph": "X", "name": "MMAD_MX 32x64x32", "cat": "M", "pid": 1, "tid": 4,
     "ts": 0.0, "dur": 0.0, "args": {"cycles": 0, "bytes": 0}}
  ])json");
  EXPECT_EQ(trace["traceEvents"], expected);
}

// The schema says no: one fault a member.
TEST(TraceTest, SchemaFindsFaults) {
  const Json schema = Schema();
  const Json good = Json::parse(ToChromeTrace(Timeline(), a5::Ascend950()));
  const auto is_refused = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return !SchemaFault(schema, bad).empty();
  };
  EXPECT_TRUE(is_refused("/traceEvents", "none"));
  EXPECT_TRUE(is_refused("/displayTimeUnit", "us"));
  EXPECT_TRUE(is_refused("/unknown", 1));
  EXPECT_TRUE(is_refused("/traceEvents/0/name", "no_such_metadata"));
  EXPECT_TRUE(is_refused("/traceEvents/7/ph", "B"));
  EXPECT_TRUE(is_refused("/traceEvents/7/ts", -1));
  EXPECT_TRUE(is_refused("/traceEvents/7/dur", "1"));
  EXPECT_TRUE(is_refused("/traceEvents/7/tid", 1.5));
  EXPECT_TRUE(is_refused("/traceEvents/8/s", "x"));
  EXPECT_FALSE(is_refused("/traceEvents/8/s", "g"));
  Json bad = good;
  bad["traceEvents"][7].erase("dur");
  EXPECT_THAT(SchemaFault(schema, bad),
              ::testing::HasSubstr("/traceEvents/7: no \"dur\""));
}

}  // namespace
}  // namespace mxtile
