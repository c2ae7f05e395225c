#include "a5_model/ub_copy.h"

#include <algorithm>
#include <cstdint>

#include "a5_model/cost.h"
#include "a5_model/cube/field.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kMaxCount = 65535;
constexpr int64_t kMaxStride = int64_t{1} << 24;

absl::Status CheckParams(const Access& access, const UbCopyParams& params) {
  MX_RETURN_IF_ERROR(
      CheckField(access, "burst_count", params.burst_count, 1, kMaxCount));
  MX_RETURN_IF_ERROR(
      CheckField(access, "burst_bytes", params.burst_bytes, 1, kMaxCount));
  MX_RETURN_IF_ERROR(
      CheckField(access, "source_stride", params.source_stride, 0, kMaxStride));
  return CheckField(access, "destination_stride", params.destination_stride, 0,
                    kMaxStride);
}

// Calls copy(from, to) for each burst.
template <typename Copy>
absl::Status ForEachBurst(const UbCopyParams& params, Copy copy) {
  for (int64_t burst = 0; burst < params.burst_count; ++burst) {
    MX_RETURN_IF_ERROR(
        copy(params.source + burst * params.source_stride,
             params.destination + burst * params.destination_stride));
  }
  return absl::OkStatus();
}

int64_t Bytes(const UbCopyParams& params) {
  return params.burst_count * params.burst_bytes;
}

void Retire(Machine& machine, const Access& access, Pipe pipe, int64_t cycles,
            const UbCopyParams& params, absl::string_view from,
            absl::string_view to) {
  machine.Retire(pipe,
                 absl::StrCat(access.instruction, " ", params.burst_count, "x",
                              params.burst_bytes),
                 cycles, Bytes(params),
                 {AddressArg("from", from, params.source),
                  AddressArg("to", to, params.destination)});
}

}  // namespace

absl::Status CopyGmToUb(Machine& machine, const UbCopyParams& params) {
  const Access access = machine.Begin("COPY_GM_TO_UB");
  MX_RETURN_IF_ERROR(CheckParams(access, params));
  Memory& ub = machine.memory(MemorySpace::kVec);
  MX_ASSIGN_OR_RETURN(const Memory* gm, machine.GmAt(access, params.source));
  MX_RETURN_IF_ERROR(
      ForEachBurst(params, [&](uint64_t from, uint64_t to) -> absl::Status {
        MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> bytes,
                            gm->Read(access, from, params.burst_bytes));
        MX_ASSIGN_OR_RETURN(absl::Span<uint8_t> written,
                            ub.Write(access, to, params.burst_bytes));
        std::copy(bytes.begin(), bytes.end(), written.begin());
        return absl::OkStatus();
      }));
  Retire(machine, access, Pipe::kMte2,
         GmLoadCycles(machine.soc(), Bytes(params)), params, gm->name(),
         ub.name());
  return absl::OkStatus();
}

absl::Status CopyUbToGm(Machine& machine, const UbCopyParams& params) {
  const Access access = machine.Begin("COPY_UB_TO_GM");
  MX_RETURN_IF_ERROR(CheckParams(access, params));
  const Memory& ub = machine.memory(MemorySpace::kVec);
  MX_ASSIGN_OR_RETURN(Memory * gm, machine.GmAt(access, params.destination));
  MX_RETURN_IF_ERROR(
      ForEachBurst(params, [&](uint64_t from, uint64_t to) -> absl::Status {
        MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> bytes,
                            ub.Read(access, from, params.burst_bytes));
        MX_ASSIGN_OR_RETURN(absl::Span<uint8_t> written,
                            gm->Write(access, to, params.burst_bytes));
        std::copy(bytes.begin(), bytes.end(), written.begin());
        return absl::OkStatus();
      }));
  Retire(machine, access, Pipe::kMte3,
         GmLoadCycles(machine.soc(), Bytes(params)), params, ub.name(),
         gm->name());
  return absl::OkStatus();
}

absl::Status CopyUbToMat(Machine& machine, const UbCopyParams& params) {
  const Access access = machine.Begin("COPY_UB_TO_L1");
  MX_RETURN_IF_ERROR(CheckParams(access, params));
  const Memory& ub = machine.memory(MemorySpace::kVec);
  Memory& mat = machine.memory(MemorySpace::kMat);
  MX_RETURN_IF_ERROR(ForEachBurst(params, [&](uint64_t from, uint64_t to) {
    return mat.Copy(access, ub, from, to, params.burst_bytes);
  }));
  Retire(machine, access, Pipe::kMte3,
         UbToMatCycles(machine.soc(), Bytes(params)), params, ub.name(),
         mat.name());
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
