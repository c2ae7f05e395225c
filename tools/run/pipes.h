#ifndef TOOLS_RUN_PIPES_H_
#define TOOLS_RUN_PIPES_H_

// What reports and traces say about the pipes of the machine.

#include "a5_model/soc/soc.h"
#include "absl/strings/string_view.h"

namespace mxtile {

// Every pipe, in the order in which data flows through the cube.
inline constexpr a5::Pipe kPipesInOrder[] = {
    a5::Pipe::kMte2, a5::Pipe::kMte1, a5::Pipe::kM, a5::Pipe::kFix,
    a5::Pipe::kMte3, a5::Pipe::kV,    a5::Pipe::kS};

inline constexpr absl::string_view kCostSource =
    "cost constants of a5_model/soc/soc.h: fitted to the vendor's simulator by "
    "the public PyPTO backend, scale fills our guess; pipes overlap freely";

}  // namespace mxtile

#endif  // TOOLS_RUN_PIPES_H_
