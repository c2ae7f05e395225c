#ifndef A5_MODEL_PIPE_TIMELINE_H_
#define A5_MODEL_PIPE_TIMELINE_H_

// What each pipe of a core did: sums, and one event per instruction.
//
//   PipeTimeline timeline;
//   timeline.Add(Pipe::kM, "MMAD_MX 32x64x64", /*cycles=*/41, /*bytes=*/0,
//                {{"left", "0x800 of Left"}, {"instruction", int64_t{12}}});
//   timeline.stats(Pipe::kM).cycles;   // 41
//   timeline.Makespan();               // 41
//
// A pipe starts an instruction when the pipe's previous one ends. Pipes do not
// wait for one another: flags, buffer reuse and data dependences are not
// modelled, so the makespan is what perfect double buffering would reach, a
// lower bound within the cost constants.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/soc/soc.h"
#include "absl/strings/string_view.h"
#include "absl/types/variant.h"

namespace mxtile {
namespace a5 {

struct PipeStats {
  int64_t cycles = 0;
  int64_t bytes = 0;  // that the pipe moved; 0 for arithmetic
  int64_t instructions = 0;
};

// What an event says about itself: a name and a number or a text.
struct TraceArg {
  std::string name;
  absl::variant<int64_t, std::string> value;
};
using TraceArgs = std::vector<TraceArg>;

// {"left", "0x800 of Left"}: where an operand is.
TraceArg AddressArg(absl::string_view name, absl::string_view memory,
                    uint64_t address);

// Times in cycles since the start of the program.
struct TraceEvent {
  Pipe pipe;
  std::string name;
  int64_t start_cycles;
  int64_t duration_cycles;
  int64_t bytes;
  TraceArgs args;
  // Something that takes no time and is no instruction of the pipe: a mark
  // between those around it.
  bool is_mark = false;
};

class PipeTimeline {
 public:
  void Add(Pipe pipe, absl::string_view name, int64_t cycles, int64_t bytes,
           TraceArgs args = {});
  // A mark after what the pipe has done so far.
  void Mark(Pipe pipe, absl::string_view name, TraceArgs args = {});

  const PipeStats& stats(Pipe pipe) const {
    return stats_[static_cast<int>(pipe)];
  }
  // In the order in which the instructions were executed, marks among them.
  const std::vector<TraceEvent>& events() const { return events_; }
  // The end of the busiest pipe.
  int64_t Makespan() const;

  void Clear();

 private:
  std::array<PipeStats, kNumPipes> stats_;
  std::vector<TraceEvent> events_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_PIPE_TIMELINE_H_
