#ifndef PROOF_CALL_CYCLES_H_
#define PROOF_CALL_CYCLES_H_

// Which nodes of a directed graph can reach themselves: for a call graph, which
// functions are recursive, directly or through others.
//
//   OnCycle({{1}, {0}, {0}})  ==  {true, true, false}
//
// Linear in nodes and edges, and without recursion: a chain of calls may be as
// long as the program.

#include <vector>

namespace mxtile::proof {

// edges[n] lists the successors of node n; an edge may occur several times.
std::vector<bool> OnCycle(const std::vector<std::vector<int>>& edges);

}  // namespace mxtile::proof

#endif  // PROOF_CALL_CYCLES_H_
