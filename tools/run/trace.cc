#include "tools/run/trace.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/variant.h"
#include "nlohmann/json.hpp"
#include "tools/run/pipes.h"

namespace mxtile {
namespace {

using Json = nlohmann::ordered_json;

// One core.
constexpr int kProcess = 1;

// Tracks are numbered as pipes are; viewers sort them by `sort_index`.
int TrackOf(a5::Pipe pipe) { return static_cast<int>(pipe) + 1; }

Json Metadata(const char* name, int track, Json args) {
  return {{"ph", "M"},
          {"name", name},
          {"pid", kProcess},
          {"tid", track},
          {"args", std::move(args)}};
}

bool IsUsed(const a5::PipeTimeline& timeline, a5::Pipe pipe) {
  for (const a5::TraceEvent& event : timeline.events()) {
    if (event.pipe == pipe) return true;
  }
  return false;
}

Json ArgsOf(const a5::TraceEvent& event) {
  Json args = Json::object();
  for (const a5::TraceArg& arg : event.args) {
    absl::visit([&](const auto& value) { args[arg.name] = value; }, arg.value);
  }
  if (event.is_mark) return args;
  args["cycles"] = event.duration_cycles;
  args["bytes"] = event.bytes;
  return args;
}

Json EventJson(const a5::TraceEvent& event, const a5::Soc& soc) {
  Json json = {{"ph", event.is_mark ? "i" : "X"},
               {"name", event.name},
               {"cat", std::string(a5::Name(event.pipe))},
               {"pid", kProcess},
               {"tid", TrackOf(event.pipe)},
               {"ts", event.start_cycles / soc.clock_mhz}};
  if (event.is_mark) {
    json["s"] = "t";  // The mark belongs to its track.
  } else {
    json["dur"] = event.duration_cycles / soc.clock_mhz;
  }
  json["args"] = ArgsOf(event);
  return json;
}

}  // namespace

std::string ToChromeTrace(const a5::PipeTimeline& timeline,
                          const a5::Soc& soc) {
  Json events = Json::array();
  events.push_back(
      Metadata("process_name", 0,
               Json::object({{"name", absl::StrCat(soc.name, " cube core")}})));
  int place = 0;
  for (const a5::Pipe pipe : kPipesInOrder) {
    ++place;
    if (!IsUsed(timeline, pipe)) continue;
    events.push_back(
        Metadata("thread_name", TrackOf(pipe),
                 Json::object({{"name", std::string(a5::Name(pipe))}})));
    events.push_back(Metadata("thread_sort_index", TrackOf(pipe),
                              Json::object({{"sort_index", place}})));
  }
  for (const a5::TraceEvent& event : timeline.events()) {
    events.push_back(EventJson(event, soc));
  }
  const Json trace = {{"displayTimeUnit", "ns"},
                      {"otherData",
                       {{"soc", std::string(soc.name)},
                        {"clock_mhz", soc.clock_mhz},
                        {"cost_source", std::string(kCostSource)}}},
                      {"traceEvents", std::move(events)}};
  return trace.dump(1) + "\n";
}

}  // namespace mxtile
