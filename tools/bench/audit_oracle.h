#ifndef TOOLS_BENCH_AUDIT_ORACLE_H_
#define TOOLS_BENCH_AUDIT_ORACLE_H_

// What an audit works out for itself of a workload, by other formulas than the
// benchmark: attention weights as exp(score - log of their sum) in long double,
// last key first; products of matrices as four interleaved sums, last k first.
//
//   IndependentOracle(spec, buffers)    // [elements of the output]

#include <cstdint>
#include <vector>

#include "tools/bench/declaration.h"

namespace mxtile::bench {

// `inputs` as spec.BufferSizes has them, without the output.
std::vector<double> IndependentOracle(
    const WorkloadSpec& spec, const std::vector<std::vector<float>>& inputs);

// What stands at element i of an input before rounding to f32.
double ExpectedInput(const WorkloadSpec& spec, int buffer, int64_t i);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_AUDIT_ORACLE_H_
