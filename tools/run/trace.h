#ifndef TOOLS_RUN_TRACE_H_
#define TOOLS_RUN_TRACE_H_

// What each pipe of the machine did, as a file for trace viewers: the JSON of
// Chrome's Trace Event Format, which Perfetto (ui.perfetto.dev) and
// chrome://tracing open.
//
//   WriteFileAtomically("t.json", ToChromeTrace(timeline, a5::Ascend950()));
//
// One track a pipe that did something, in the order in which data flows; one
// slice an instruction, from its start to its end in microseconds at the clock
// of `soc`, with its bytes, cycles, addresses and number; bindings of scales as
// marks (docs/trace.md).

#include <string>

#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"

namespace mxtile {

std::string ToChromeTrace(const a5::PipeTimeline& timeline, const a5::Soc& soc);

}  // namespace mxtile

#endif  // TOOLS_RUN_TRACE_H_
