#include "a5_model/cube/load_bias.h"

#include <cstdint>

#include "a5_model/cost.h"
#include "a5_model/cube/field.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {

absl::Status LoadBias(Machine& machine, const LoadBiasParams& params) {
  const Access access = machine.Begin("LOAD_BIAS");
  Memory& bias = machine.memory(MemorySpace::kBias);
  MX_RETURN_IF_ERROR(
      CheckField(access, "count", params.count, 1, bias.size() / 4));
  const int64_t bytes = params.count * 4;
  MX_RETURN_IF_ERROR(bias.Copy(access, machine.memory(MemorySpace::kMat),
                               params.source, params.destination, bytes));
  machine.Retire(Pipe::kMte1, absl::StrCat("LOAD_BIAS ", params.count),
                 MatMoveCycles(machine.soc(), MemorySpace::kBias, bytes), bytes,
                 {AddressArg("from", Name(MemorySpace::kMat), params.source),
                  AddressArg("to", bias.name(), params.destination)});
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
