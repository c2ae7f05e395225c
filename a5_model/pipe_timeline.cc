#include "a5_model/pipe_timeline.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace mxtile {
namespace a5 {

void PipeTimeline::Add(Pipe pipe, absl::string_view name, int64_t cycles,
                       int64_t bytes) {
  MX_CHECK(cycles >= 0 && bytes >= 0) << cycles << " cycles, " << bytes;
  PipeStats& stats = stats_[static_cast<int>(pipe)];
  events_.push_back({pipe, std::string(name), stats.cycles, cycles});
  stats.cycles += cycles;
  stats.bytes += bytes;
  ++stats.instructions;
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
