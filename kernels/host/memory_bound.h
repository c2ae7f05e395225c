#ifndef KERNELS_HOST_MEMORY_BOUND_H_
#define KERNELS_HOST_MEMORY_BOUND_H_

// The least that a kernel of this folder can cost: reading and writing the same
// bytes with next to no work between them. Benchmarks measure it in the same
// run, since what memory gives changes from minute to minute.

#include <cstdint>

namespace mxtile::host {

// Reads `bytes` bytes and writes one vector for each `ratio` vectors read.
// `ratio` is 2, 4 or 8 and `bytes` a multiple of 64 * ratio.
void ReadAndPack(const uint8_t* in, int64_t bytes, int ratio, uint8_t* out);

// Writes `bytes` bytes and reads one vector for each `ratio` vectors written.
// As above; `ratio` is 4 or 8.
void ReadAndSpread(const uint8_t* in, int64_t bytes, int ratio, uint8_t* out);

}  // namespace mxtile::host

#endif  // KERNELS_HOST_MEMORY_BOUND_H_
