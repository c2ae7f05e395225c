#ifndef TOOLS_FUZZ_ROUND_TRIP_H_
#define TOOLS_FUZZ_ROUND_TRIP_H_

// What must hold for a program whatever file it came from.
//
//   CheckTextRoundTrip(*program);   // ends the process where it does not

#include "ir/program.h"

namespace mxtile {

// Printed, the program can be read; it is the same, and prints the same again.
void CheckTextRoundTrip(const ir::Program& program);

// Written as protobuf, the program can be read; it is the same, prints the same
// and gives the same bytes again.
void CheckProtoRoundTrip(const ir::Program& program);

// The verifier's checks end, whatever they find.
void RunVerifier(const ir::Program& program);

}  // namespace mxtile

#endif  // TOOLS_FUZZ_ROUND_TRIP_H_
