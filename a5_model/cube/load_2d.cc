#include "a5_model/cube/load_2d.h"

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

// Fractals of a square that the transpose moves, one below the other.
int64_t SquareFractals(const Load2dParams& params) {
  return params.element == Load2dElement::k4Bit ? 4 : 2;
}

absl::string_view InstructionName(MemorySpace to, Load2dElement element) {
  if (element == Load2dElement::k4Bit) {
    return to == MemorySpace::kLeft ? "LOAD_2D_S4 L0A" : "LOAD_2D_S4 L0B";
  }
  return to == MemorySpace::kLeft ? "LOAD_2D L0A" : "LOAD_2D L0B";
}

absl::Status CheckFields(const Access& access, const CubeInfo& cube,
                         const Load2dParams& params) {
  const int64_t steps = cube.max_load_steps;
  const int64_t strides = cube.max_load_stride;
  MX_RETURN_IF_ERROR(CheckField(access, "mStart", params.m_start, 0, strides));
  MX_RETURN_IF_ERROR(CheckField(access, "kStart", params.k_start, 0, strides));
  MX_RETURN_IF_ERROR(CheckField(access, "mStep", params.m_step, 1, steps));
  MX_RETURN_IF_ERROR(CheckField(access, "kStep", params.k_step, 1, steps));
  MX_RETURN_IF_ERROR(
      CheckField(access, "srcStride", params.src_stride, 1, strides));
  MX_RETURN_IF_ERROR(
      CheckField(access, "dstStride", params.dst_stride, 1, strides));
  const int64_t fractals = SquareFractals(params);
  if (params.transpose && params.m_step % fractals != 0) {
    return TrapError(
        access, absl::StrFormat("mStep is %d: a transposing load of %d-bit "
                                "elements moves squares of %dx%d, %d "
                                "fractals each (A5-FIELD-1)",
                                params.m_step,
                                params.element == Load2dElement::k4Bit ? 4 : 8,
                                16 * fractals, 16 * fractals, fractals));
  }
  return absl::OkStatus();
}

// What one execution of the instruction works on.
class Loader {
 public:
  Loader(Machine& machine, const Access& access, MemorySpace to,
         const Load2dParams& params)
      : cube_(machine.soc().cube),
        access_(access),
        from_(machine.memory(MemorySpace::kMat)),
        to_(machine.memory(to)),
        params_(params) {}

  absl::Status CopyFractals() {
    for (int64_t j = 0; j < params_.k_step; ++j) {
      for (int64_t i = 0; i < params_.m_step; ++i) {
        MX_RETURN_IF_ERROR(to_.Copy(access_, from_, SourceFractal(i, j),
                                    DestinationFractal(i, j),
                                    cube_.fractal_bytes));
      }
    }
    return absl::OkStatus();
  }

  absl::Status TransposeSquares() {
    const int64_t fractals = SquareFractals(params_);
    for (int64_t j = 0; j < params_.k_step; ++j) {
      for (int64_t i = 0; i < params_.m_step / fractals; ++i) {
        MX_RETURN_IF_ERROR(
            TransposeSquare(SourceFractal(fractals * i, j),
                            DestinationFractal(fractals * j, i)));
      }
    }
    return absl::OkStatus();
  }

 private:
  uint64_t SourceFractal(int64_t i, int64_t j) const {
    return params_.source +
           cube_.fractal_bytes * ((params_.k_start + j) * params_.src_stride +
                                  params_.m_start + i);
  }
  uint64_t DestinationFractal(int64_t i, int64_t j) const {
    return params_.destination +
           cube_.fractal_bytes * (j * params_.dst_stride + i);
  }

  // Fractals one below the other are rows of 32 bytes on both sides. Row c of
  // the destination is column c of the source: a byte of each of 32 rows, or a
  // nibble of each of 64.
  absl::Status TransposeSquare(uint64_t source, uint64_t destination) {
    const int64_t fractals = SquareFractals(params_);
    const int64_t row_bytes = cube_.fractal_row_bytes;
    const int64_t bytes = fractals * cube_.fractal_bytes;
    MX_RETURN_IF_ERROR(from_.Check(access_, "reads", source, bytes));
    MX_RETURN_IF_ERROR(to_.Check(access_, "writes", destination, bytes));
    for (int64_t row = 0; row < fractals * cube_.fractal_rows; ++row) {
      const uint64_t to = destination + row * row_bytes;
      if (params_.element == Load2dElement::k8Bit) {
        MX_RETURN_IF_ERROR(to_.CopyStrided(access_, from_, source + row,
                                           row_bytes, to, /*stride=*/1,
                                           row_bytes));
      } else {
        MX_RETURN_IF_ERROR(to_.PackNibbles(
            access_, from_, source + row / 2, row_bytes,
            row % 2 == 0 ? Memory::Nibble::kLow : Memory::Nibble::kHigh, to,
            row_bytes));
      }
    }
    return absl::OkStatus();
  }

  const CubeInfo& cube_;
  const Access access_;
  const Memory& from_;
  Memory& to_;
  const Load2dParams& params_;
};

}  // namespace

absl::Status Load2d(Machine& machine, MemorySpace to,
                    const Load2dParams& params) {
  MX_CHECK(to == MemorySpace::kLeft || to == MemorySpace::kRight) << Name(to);
  const absl::string_view name = InstructionName(to, params.element);
  const Access access = machine.Begin(name);
  MX_RETURN_IF_ERROR(CheckFields(access, machine.soc().cube, params));
  Loader loader(machine, access, to, params);
  MX_RETURN_IF_ERROR(params.transpose ? loader.TransposeSquares()
                                      : loader.CopyFractals());
  const int64_t bytes =
      params.m_step * params.k_step * machine.soc().cube.fractal_bytes;
  machine.Retire(
      Pipe::kMte1,
      absl::StrFormat("%s %dx%d%s", name, params.m_step, params.k_step,
                      params.transpose ? " transposed" : ""),
      MatMoveCycles(machine.soc(), to, bytes), bytes,
      {AddressArg("from", Name(MemorySpace::kMat), params.source),
       AddressArg("to", Name(to), params.destination)});
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
