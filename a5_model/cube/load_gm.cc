#include "a5_model/cube/load_gm.h"

#include <algorithm>
#include <cstdint>

#include "a5_model/cost.h"
#include "a5_model/cube/field.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kMaxCount = 65535;  // 16-bit fields

absl::StatusOr<absl::Span<const uint8_t>> ReadGmBytes(Machine& machine,
                                                      const Access& access,
                                                      uint64_t address,
                                                      int64_t size) {
  MX_ASSIGN_OR_RETURN(const Memory* buffer, machine.GmAt(access, address));
  return buffer->Read(access, address, size);
}

absl::Status CheckNd2Nz(const Access& access, const Nd2NzParams& params) {
  MX_RETURN_IF_ERROR(CheckField(access, "rows", params.rows, 1, kMaxCount));
  MX_RETURN_IF_ERROR(
      CheckField(access, "columns", params.columns, 1, kMaxCount));
  MX_RETURN_IF_ERROR(
      CheckField(access, "element_bytes", params.element_bytes, 1, 2));
  MX_RETURN_IF_ERROR(CheckField(access, "source_row_stride",
                                params.source_row_stride, 0, kMaxStride));
  if (params.destination_rows < params.rows) {
    return TrapError(
        access, absl::StrFormat("destination_rows %d is less than rows %d: "
                                "column blocks overlap (A5-MEM-4)",
                                params.destination_rows, params.rows));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LoadNd2Nz(Machine& machine, const Nd2NzParams& params) {
  const Access access = machine.Begin("ND2NZ");
  MX_RETURN_IF_ERROR(CheckNd2Nz(access, params));
  const int64_t block = machine.soc().cube.fractal_row_bytes;
  const int64_t row_bytes = params.columns * params.element_bytes;
  Memory& mat = machine.memory(MemorySpace::kMat);
  for (int64_t row = 0; row < params.rows; ++row) {
    MX_ASSIGN_OR_RETURN(
        absl::Span<const uint8_t> from,
        ReadGmBytes(machine, access,
                    params.source +
                        row * params.source_row_stride * params.element_bytes,
                    row_bytes));
    for (int64_t byte = 0; byte < row_bytes; byte += block) {
      const uint64_t address =
          params.destination + byte * params.destination_rows + row * block;
      MX_ASSIGN_OR_RETURN(absl::Span<uint8_t> to,
                          mat.Write(access, address, block));
      const absl::Span<const uint8_t> part = from.subspan(byte, block);
      std::fill(std::copy(part.begin(), part.end(), to.begin()), to.end(), 0);
    }
  }
  const int64_t bytes = params.rows * row_bytes;
  MX_ASSIGN_OR_RETURN(const Memory* gm, machine.GmAt(access, params.source));
  machine.Retire(Pipe::kMte2,
                 absl::StrCat("ND2NZ ", params.rows, "x", params.columns),
                 GmLoadCycles(machine.soc(), bytes), bytes,
                 {AddressArg("from", gm->name(), params.source),
                  AddressArg("to", mat.name(), params.destination)});
  return absl::OkStatus();
}

absl::Status LoadBursts(Machine& machine, const BurstLoadParams& params) {
  const Access access = machine.Begin("COPY_GM_TO_L1");
  MX_RETURN_IF_ERROR(
      CheckField(access, "burst_count", params.burst_count, 1, kMaxCount));
  MX_RETURN_IF_ERROR(
      CheckField(access, "burst_bytes", params.burst_bytes, 1, kMaxStride));
  MX_RETURN_IF_ERROR(
      CheckField(access, "source_stride", params.source_stride, 0, kMaxStride));
  MX_RETURN_IF_ERROR(CheckField(access, "destination_stride",
                                params.destination_stride, 0, kMaxStride));
  Memory& mat = machine.memory(MemorySpace::kMat);
  for (int64_t burst = 0; burst < params.burst_count; ++burst) {
    MX_ASSIGN_OR_RETURN(
        absl::Span<const uint8_t> from,
        ReadGmBytes(machine, access,
                    params.source + burst * params.source_stride,
                    params.burst_bytes));
    MX_ASSIGN_OR_RETURN(
        absl::Span<uint8_t> to,
        mat.Write(access,
                  params.destination + burst * params.destination_stride,
                  params.burst_bytes));
    std::copy(from.begin(), from.end(), to.begin());
  }
  const int64_t bytes = params.burst_count * params.burst_bytes;
  MX_ASSIGN_OR_RETURN(const Memory* gm, machine.GmAt(access, params.source));
  machine.Retire(Pipe::kMte2,
                 absl::StrCat("COPY_GM_TO_L1 ", params.burst_count, "x",
                              params.burst_bytes),
                 GmLoadCycles(machine.soc(), bytes), bytes,
                 {AddressArg("from", gm->name(), params.source),
                  AddressArg("to", mat.name(), params.destination)});
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
