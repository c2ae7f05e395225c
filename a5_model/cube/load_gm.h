#ifndef A5_MODEL_CUBE_LOAD_GM_H_
#define A5_MODEL_CUBE_LOAD_GM_H_

// The loads of pipe MTE2 from global memory to Mat (L1).
//
//   // A row-major [48, 64] matrix of bytes into an NZ tile of 48 rows.
//   LoadNd2Nz(machine, {/*source=*/gm, /*rows=*/48, /*columns=*/64,
//                       /*element_bytes=*/1, /*source_row_stride=*/64,
//                       /*destination=*/0, /*destination_rows=*/48});
//
// Both use the bytes that they read: a byte of GM without a value traps.

#include <cstdint>

#include "a5_model/machine.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {

// Row-major [rows, columns] in GM to NZ in Mat. Byte column b = column *
// element_bytes of row r goes to
//
//   destination + (b / 32) * destination_rows * 32 + r * 32 + b % 32.
//
// Rows from `rows` on are left alone. When a row is no multiple of 32 bytes the
// rest of its last block becomes zero. [the order: headers; that tail: ours,
// after the vendor's older chips]
struct Nd2NzParams {
  uint64_t source;            // address of element (0, 0)
  int64_t rows;               // 1..65535
  int64_t columns;            // elements; 1..65535
  int64_t element_bytes;      // 1 or 2
  int64_t source_row_stride;  // elements, >= 0
  uint64_t destination;       // in Mat, a multiple of 32
  int64_t destination_rows;   // 32-byte rows of a column block, >= `rows`
};

absl::Status LoadNd2Nz(Machine& machine, const Nd2NzParams& params);

// `burst_count` runs of `burst_bytes` bytes each, at distances of the strides.
// One instruction for all loads that keep the order of bytes:
//
//   NZ -> NZ   a burst a column block of 32 bytes
//   ZZ -> ZZ   a burst a row of boxes: 32 bytes for each pair of groups
//   NN -> NN   the same, 16 columns a burst
//   ND -> ND   a burst a row
struct BurstLoadParams {
  uint64_t source;
  int64_t burst_count;         // 1..65535
  int64_t burst_bytes;         // >= 1
  int64_t source_stride;       // bytes from one burst's start to the next's
  uint64_t destination;        // in Mat, a multiple of 32
  int64_t destination_stride;  // bytes, a multiple of 32, >= burst_bytes
};

absl::Status LoadBursts(Machine& machine, const BurstLoadParams& params);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_LOAD_GM_H_
