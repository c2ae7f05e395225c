#include "a5_model/cube/store_acc.h"

#include <algorithm>
#include <cstdint>

#include "a5_model/cost.h"
#include "a5_model/cube/field.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kElementBytes = 4;

absl::Status CheckParams(const Access& access, const Soc& soc,
                         const StoreAccParams& params) {
  MX_RETURN_IF_ERROR(
      CheckField(access, "columns", params.columns, 1, soc.cube.max_extent));
  MX_RETURN_IF_ERROR(
      CheckField(access, "rows", params.rows, 1, params.source_rows));
  MX_RETURN_IF_ERROR(CheckField(access, "destination_row_stride",
                                params.destination_row_stride, 0, kMaxStride));
  if (params.source_rows % soc.cube.fractal_rows != 0) {
    return TrapError(
        access, absl::StrFormat("source_rows is %d, no multiple "
                                "of %d (A5-FIELD-1)",
                                params.source_rows, soc.cube.fractal_rows));
  }
  const int64_t alignment = soc.memory(MemorySpace::kAcc).alignment_bytes;
  if (params.source % alignment != 0) {
    return TrapError(access, absl::StrFormat("0x%x of Acc is no multiple of %d "
                                             "bytes (A5-MEM-2)",
                                             params.source, alignment));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status StoreAcc(Machine& machine, const StoreAccParams& params) {
  const Access access = machine.Begin("FIXPIPE");
  MX_RETURN_IF_ERROR(CheckParams(access, machine.soc(), params));
  const Memory& acc = machine.memory(MemorySpace::kAcc);
  const int64_t block = machine.soc().cube.fractal_rows;
  const int64_t block_row_bytes = block * kElementBytes;
  for (int64_t row = 0; row < params.rows; ++row) {
    const uint64_t destination =
        params.destination +
        row * params.destination_row_stride * kElementBytes;
    MX_ASSIGN_OR_RETURN(Memory * gm, machine.GmAt(access, destination));
    MX_ASSIGN_OR_RETURN(
        absl::Span<uint8_t> to,
        gm->Write(access, destination, params.columns * kElementBytes));
    for (int64_t column = 0; column < params.columns; column += block) {
      const uint64_t source =
          params.source +
          (column / block * params.source_rows + row) * block_row_bytes;
      const absl::Span<uint8_t> part =
          to.subspan(column * kElementBytes, block_row_bytes);
      MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> from,
                          acc.Read(access, source, part.size()));
      std::copy(from.begin(), from.end(), part.begin());
    }
  }
  MX_ASSIGN_OR_RETURN(const Memory* gm,
                      machine.GmAt(access, params.destination));
  machine.Retire(Pipe::kFix,
                 absl::StrCat("FIXPIPE ", params.rows, "x", params.columns),
                 AccDrainCycles(machine.soc(), params.rows, params.columns),
                 params.rows * params.columns * kElementBytes,
                 {AddressArg("from", acc.name(), params.source),
                  AddressArg("to", gm->name(), params.destination)});
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
