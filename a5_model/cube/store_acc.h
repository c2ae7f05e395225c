#ifndef A5_MODEL_CUBE_STORE_ACC_H_
#define A5_MODEL_CUBE_STORE_ACC_H_

// FIXPIPE: accumulators from Acc (L0C) to row-major fp32 in global memory.
//
//   StoreAcc(machine, {/*source=*/0, /*source_rows=*/32, /*rows=*/30,
//                      /*columns=*/50, /*destination=*/gm,
//                      /*destination_row_stride=*/50});
//
// Only the valid [rows, columns] are read and written; the rest of GM stays as
// it is. Conversion to fp16 or bf16 on the way is not modelled.

#include <cstdint>

#include "a5_model/machine.h"
#include "absl/status/status.h"

namespace mxtile {
namespace a5 {

// Element (m, n) is at source + (n / 16) * source_rows * 64 + m * 64 + (n % 16)
// * 4 of Acc.
struct StoreAccParams {
  uint64_t source;                 // in Acc, a multiple of 128
  int64_t source_rows;             // rows of the tile in Acc, a multiple of 16
  int64_t rows;                    // 1..source_rows
  int64_t columns;                 // 1..4095
  uint64_t destination;            // GM address of element (0, 0)
  int64_t destination_row_stride;  // elements; >= columns
};

absl::Status StoreAcc(Machine& machine, const StoreAccParams& params);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_CUBE_STORE_ACC_H_
