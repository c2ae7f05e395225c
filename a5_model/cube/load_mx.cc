#include "a5_model/cube/load_mx.h"

#include <cstdint>

#include "a5_model/cost.h"
#include "a5_model/cube/field.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {
namespace {

absl::Status CheckFields(const Access& access, const CubeInfo& cube,
                         const LoadMxParams& params) {
  const int64_t steps = cube.max_load_steps;
  const int64_t strides = cube.max_load_stride;
  MX_RETURN_IF_ERROR(CheckField(access, "xStart", params.x_start, 0, strides));
  MX_RETURN_IF_ERROR(CheckField(access, "yStart", params.y_start, 0, strides));
  MX_RETURN_IF_ERROR(CheckField(access, "xStep", params.x_step, 1, steps));
  MX_RETURN_IF_ERROR(CheckField(access, "yStep", params.y_step, 1, steps));
  MX_RETURN_IF_ERROR(
      CheckField(access, "srcStride", params.src_stride, 1, strides));
  return CheckField(access, "dstStride", params.dst_stride, 1, strides);
}

}  // namespace

absl::Status LoadMx(Machine& machine, MemorySpace to,
                    const LoadMxParams& params) {
  MX_CHECK(IsScaleSpace(to)) << Name(to);
  const absl::string_view name =
      to == MemorySpace::kLeftScale ? "LOAD_MX L0A_MX" : "LOAD_MX L0B_MX";
  const Access access = machine.Begin(name);
  MX_RETURN_IF_ERROR(CheckFields(access, machine.soc().cube, params));
  const int64_t box = machine.soc().cube.scale_box_bytes;
  const Memory& from = machine.memory(MemorySpace::kMat);
  Memory& scales = machine.memory(to);
  for (int64_t i = 0; i < params.x_step; ++i) {
    // The boxes of one block lie side by side.
    const int64_t source_box =
        (params.x_start + i) * params.src_stride + params.y_start;
    MX_RETURN_IF_ERROR(scales.Copy(
        access, from, params.source + source_box * box,
        params.destination + i * params.dst_stride * box, params.y_step * box));
  }
  const int64_t boxes = (params.x_step - 1) * params.dst_stride + params.y_step;
  machine.RecordScaleFill(
      {to, params.destination, boxes * box, params.fill_id, access.id});
  const int64_t bytes = params.x_step * params.y_step * box;
  machine.Retire(
      Pipe::kMte1,
      absl::StrFormat("%s %dx%d", name, params.x_step, params.y_step),
      MatMoveCycles(machine.soc(), to, bytes), bytes,
      {AddressArg("from", Name(MemorySpace::kMat), params.source),
       AddressArg("to", Name(to), params.destination),
       {"fills scale tile", params.fill_id}});
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
