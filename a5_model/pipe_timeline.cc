#include "a5_model/pipe_timeline.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile {
namespace a5 {

TraceArg AddressArg(absl::string_view name, absl::string_view memory,
                    uint64_t address) {
  return {std::string(name), absl::StrFormat("0x%x of %s", address, memory)};
}

void PipeTimeline::Add(Pipe pipe, absl::string_view name, int64_t cycles,
                       int64_t bytes, TraceArgs args) {
  MX_CHECK(cycles >= 0 && bytes >= 0) << cycles << " cycles, " << bytes;
  PipeStats& stats = stats_[static_cast<int>(pipe)];
  events_.push_back(
      {pipe, std::string(name), stats.cycles, cycles, bytes, std::move(args)});
  stats.cycles += cycles;
  stats.bytes += bytes;
  ++stats.instructions;
}

void PipeTimeline::Mark(Pipe pipe, absl::string_view name, TraceArgs args) {
  events_.push_back({pipe, std::string(name), stats(pipe).cycles,
                     /*duration_cycles=*/0, /*bytes=*/0, std::move(args),
                     /*is_mark=*/true});
}

int64_t PipeTimeline::Makespan() const {
  int64_t makespan = 0;
  for (const PipeStats& stats : stats_) {
    makespan = std::max(makespan, stats.cycles);
  }
  return makespan;
}

void PipeTimeline::Clear() { *this = PipeTimeline(); }

}  // namespace a5
}  // namespace mxtile
