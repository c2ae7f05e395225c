#ifndef TOOLS_BENCH_ENVIRONMENT_H_
#define TOOLS_BENCH_ENVIRONMENT_H_

// What a measurement was made with; nothing that tells whose machine it was.
//
//   EnvironmentJson(HostTarget())["cpu"] == "AMD EPYC 7B13"

#include "exec/simd/jit/target.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {

// environment.json of the evidence (docs/bench.md); `target` is what code is
// generated for.
nlohmann::ordered_json EnvironmentJson(const exec::simd::SimdTarget& target);

// Of the last minute; -1 where the system does not say.
double LoadAverage();

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_ENVIRONMENT_H_
