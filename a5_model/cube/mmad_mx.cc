#include "a5_model/cube/mmad_mx.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "a5_model/cost.h"
#include "a5_model/cube/field.h"
#include "a5_model/cube/mx_accumulate.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kFloatBytes = 4;
constexpr uint32_t kNanBits = 0x7FC00000;

bool HasBits(ElementFormat format, int bits) {
  switch (format) {
    case ElementFormat::kF8E4M3FN:
    case ElementFormat::kF8E5M2:
      return bits == 8;
    case ElementFormat::kF4E2M1FN:
    case ElementFormat::kF4E1M2:
      return bits == 4;
    default:
      return false;
  }
}

absl::Status CheckFormats(const Access& access, const MmadMxParams& params) {
  for (const int bits : {8, 4}) {
    if (HasBits(params.left_format, bits) &&
        HasBits(params.right_format, bits)) {
      return absl::OkStatus();
    }
  }
  return TrapError(
      access,
      absl::StrFormat("the formats are %s and %s, not two of f8E4M3FN "
                      "and f8E5M2 or two of f4E2M1FN and f4E1M2 "
                      "(A5-FIELD-1)",
                      Name(params.left_format), Name(params.right_format)));
}

absl::Status CheckParams(const Access& access, const Soc& soc,
                         const MmadMxParams& params) {
  const int64_t limit = soc.cube.max_extent;
  MX_RETURN_IF_ERROR(CheckField(access, "m", params.m, 1, limit));
  MX_RETURN_IF_ERROR(CheckField(access, "k", params.k, 1, limit));
  MX_RETURN_IF_ERROR(CheckField(access, "n", params.n, 1, limit));
  MX_RETURN_IF_ERROR(CheckFormats(access, params));
  if (params.k % soc.cube.k_multiple != 0) {
    return TrapError(
        access, absl::StrFormat("k is %d, no multiple of %d: scales come in "
                                "pairs of groups of 32; pad K with zero data "
                                "and scales that are not NaN (A5-FIELD-1)",
                                params.k, soc.cube.k_multiple));
  }
  if (params.gemv && params.m != 1) {
    return TrapError(access, absl::StrFormat("m is %d; in gemv mode A is one "
                                             "row (A5-FIELD-1)",
                                             params.m));
  }
  const int64_t alignment = soc.memory(MemorySpace::kAcc).alignment_bytes;
  if (params.acc % alignment != 0) {
    return TrapError(access, absl::StrFormat("0x%x of Acc is no multiple of %d "
                                             "bytes (A5-MEM-2)",
                                             params.acc, alignment));
  }
  return absl::OkStatus();
}

// One of the two inputs. `lines` are the rows of A or the columns of B: along
// both, consecutive k are consecutive in their 32 bytes.
struct Operand {
  const Memory& data;
  const Memory& scales;
  uint64_t address;
  ElementFormat format;
  int64_t lines;
  bool is_vector;  // A in gemv mode
};

// The scales [groups, lines].
absl::StatusOr<std::vector<uint8_t>> ReadScales(const Soc& soc,
                                                const Access& access,
                                                const Operand& operand,
                                                int64_t groups) {
  const uint64_t address = operand.address >> soc.scale_address_shift;
  if (operand.is_vector) {
    MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> bytes,
                        operand.scales.Read(access, address, groups));
    return std::vector<uint8_t>(bytes.begin(), bytes.end());
  }
  std::vector<uint8_t> scales(groups * operand.lines);
  const int64_t pairs = groups / 2;
  for (int64_t first = 0; first < operand.lines; first += 16) {
    const int64_t lines = std::min<int64_t>(16, operand.lines - first);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const int64_t box = first / 16 * pairs + pair;
      MX_ASSIGN_OR_RETURN(
          absl::Span<const uint8_t> bytes,
          operand.scales.Read(access, address + box * soc.cube.scale_box_bytes,
                              lines * 2));
      for (int64_t i = 0; i < lines * 2; ++i) {
        scales[(pair * 2 + i % 2) * operand.lines + first + i / 2] = bytes[i];
      }
    }
  }
  return scales;
}

// 32 bytes of each line, [lines, 32], as [groups of the block, lines, 32]: one
// group of 8-bit codes, or two of 4-bit codes.
void UnpackBlock(absl::Span<const uint8_t> bytes, int64_t lines, bool is_4_bit,
                 uint8_t* codes) {
  if (!is_4_bit) {
    std::copy(bytes.begin(), bytes.end(), codes);
    return;
  }
  for (int64_t i = 0; i < bytes.size(); ++i) {
    const int64_t line = i / 32;
    const int64_t group = i % 32 / 16;
    uint8_t* const to = &codes[(group * lines + line) * 32 + i % 16 * 2];
    to[0] = bytes[i] & 0xF;
    to[1] = bytes[i] >> 4;
  }
}

// The codes [groups, lines, 32].
absl::StatusOr<std::vector<uint8_t>> ReadCodes(const Soc& soc,
                                               const Access& access,
                                               const Operand& operand,
                                               int64_t groups) {
  const bool is_4_bit = BitWidth(operand.format) == 4;
  const int64_t blocks = is_4_bit ? groups / 2 : groups;
  const int64_t row_bytes = soc.cube.fractal_row_bytes;
  // Addresses inside a fractal are none: a vector is read as a whole.
  absl::Span<const uint8_t> vector;
  if (operand.is_vector) {
    MX_ASSIGN_OR_RETURN(
        vector, operand.data.Read(access, operand.address, blocks * row_bytes));
  }
  std::vector<uint8_t> codes(groups * operand.lines * soc.cube.scale_group);
  for (int64_t block = 0; block < blocks; ++block) {
    absl::Span<const uint8_t> bytes;
    if (operand.is_vector) {
      bytes = vector.subspan(block * row_bytes, row_bytes);
    } else {
      MX_ASSIGN_OR_RETURN(
          bytes,
          operand.data.Read(
              access,
              operand.address + block * RoundUp(operand.lines, 16) * row_bytes,
              operand.lines * row_bytes));
    }
    UnpackBlock(bytes, operand.lines, is_4_bit,
                &codes[block * operand.lines * row_bytes * (is_4_bit ? 2 : 1)]);
  }
  return codes;
}

// Calls visit(row, first column, columns, address in Acc) for each run of
// valid accumulators that lie side by side.
template <typename Visit>
absl::Status ForEachAccRun(const MmadMxParams& params, Visit visit) {
  for (int64_t column = 0; column < params.n; column += 16) {
    const int64_t columns = std::min<int64_t>(16, params.n - column);
    for (int64_t row = 0; row < params.m; ++row) {
      const uint64_t address = params.acc +
                               column * RoundUp(params.m, 16) * kFloatBytes +
                               row * 16 * kFloatBytes;
      MX_RETURN_IF_ERROR(visit(row, column, columns, address));
    }
  }
  return absl::OkStatus();
}

// NaN counts as 0, an infinity as the largest float.
float Saturated(float value) {
  if (std::isnan(value)) return 0;
  constexpr float kLargest = std::numeric_limits<float>::max();
  return std::min(std::max(value, -kLargest), kLargest);
}

// The accumulators [m, MxPitch(n)] before the first step. Values are little
// endian in the machine's memories, as they are on every host that this code
// supports.
absl::StatusOr<std::vector<float>> ReadInitial(const Machine& machine,
                                               const Access& access,
                                               const MmadMxParams& params) {
  const int64_t pitch = MxPitch(params.n);
  std::vector<float> acc(params.m * pitch, 0.0f);
  if (params.init == AccumulatorInit::kAccumulate) {
    const Memory& memory = machine.memory(MemorySpace::kAcc);
    MX_RETURN_IF_ERROR(ForEachAccRun(
        params,
        [&](int64_t row, int64_t column, int64_t columns,
            uint64_t address) -> absl::Status {
          MX_ASSIGN_OR_RETURN(
              absl::Span<const uint8_t> bytes,
              memory.Read(access, address, columns * kFloatBytes));
          std::memcpy(&acc[row * pitch + column], bytes.data(), bytes.size());
          return absl::OkStatus();
        }));
  }
  if (params.init == AccumulatorInit::kBias) {
    MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> bytes,
                        machine.memory(MemorySpace::kBias)
                            .Read(access, params.bias, params.n * kFloatBytes));
    for (int64_t row = 0; row < params.m; ++row) {
      std::memcpy(&acc[row * pitch], bytes.data(), bytes.size());
    }
  }
  if (params.saturate) {
    for (float& value : acc) value = Saturated(value);
  }
  return acc;
}

absl::Status WriteResult(Machine& machine, const Access& access,
                         const MmadMxParams& params,
                         absl::Span<const float> acc) {
  Memory& memory = machine.memory(MemorySpace::kAcc);
  return ForEachAccRun(
      params,
      [&](int64_t row, int64_t column, int64_t columns,
          uint64_t address) -> absl::Status {
        MX_ASSIGN_OR_RETURN(
            absl::Span<uint8_t> bytes,
            memory.Write(access, address, columns * kFloatBytes));
        for (int64_t i = 0; i < columns; ++i) {
          const float value = acc[row * MxPitch(params.n) + column + i];
          uint32_t bits = kNanBits;
          if (!std::isnan(value)) std::memcpy(&bits, &value, kFloatBytes);
          std::memcpy(&bytes[i * kFloatBytes], &bits, kFloatBytes);
        }
        return absl::OkStatus();
      });
}

// "MMAD_MX 32x128x64", with what differs from the plain form behind it.
std::string Label(const MmadMxParams& params) {
  return absl::StrFormat("MMAD_MX %dx%dx%d%s%s%s", params.m, params.k, params.n,
                         params.init == AccumulatorInit::kZero   ? ""
                         : params.init == AccumulatorInit::kBias ? " bias"
                                                                 : " acc",
                         params.gemv ? " gemv" : "",
                         params.saturate ? " sat" : "");
}

// "0x80 of LeftScale, filled for tile 3 by instruction 9": which fill the
// scales come from, the instruction itself can't tell.
TraceArg ScaleArg(const Machine& machine, absl::string_view name,
                  MemorySpace space, uint64_t data_address) {
  const uint64_t address = data_address >> machine.soc().scale_address_shift;
  std::string text = absl::StrFormat("0x%x of %s", address, Name(space));
  // A pair of groups is the least that there is.
  const absl::StatusOr<ScaleFill> fill =
      machine.FindScaleFill(space, address, /*size=*/2);
  if (fill.ok()) {
    absl::StrAppendFormat(&text, ", filled for tile %d by instruction %d",
                          fill->fill_id, fill->instruction);
  }
  return {std::string(name), text};
}

TraceArgs ArgsOf(const Machine& machine, const MmadMxParams& params) {
  TraceArgs args = {
      {"formats", absl::StrFormat("%s x %s", Name(params.left_format),
                                  Name(params.right_format))},
      AddressArg("left", Name(MemorySpace::kLeft), params.left),
      ScaleArg(machine, "left scale", MemorySpace::kLeftScale, params.left),
      AddressArg("right", Name(MemorySpace::kRight), params.right),
      ScaleArg(machine, "right scale", MemorySpace::kRightScale, params.right),
      AddressArg("acc", Name(MemorySpace::kAcc), params.acc)};
  if (params.init == AccumulatorInit::kBias) {
    args.push_back(AddressArg("bias", Name(MemorySpace::kBias), params.bias));
  }
  return args;
}

}  // namespace

absl::Status MmadMx(Machine& machine, const MmadMxParams& params) {
  const Access access = machine.Begin("MMAD_MX");
  const Soc& soc = machine.soc();
  MX_RETURN_IF_ERROR(CheckParams(access, soc, params));
  const Operand left = {machine.memory(MemorySpace::kLeft),
                        machine.memory(MemorySpace::kLeftScale),
                        params.left,
                        params.left_format,
                        params.m,
                        params.gemv};
  const Operand right = {machine.memory(MemorySpace::kRight),
                         machine.memory(MemorySpace::kRightScale),
                         params.right,
                         params.right_format,
                         params.n,
                         /*is_vector=*/false};
  const int64_t groups = params.k / soc.cube.scale_group;
  MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> sa,
                      ReadScales(soc, access, left, groups));
  MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> a,
                      ReadCodes(soc, access, left, groups));
  MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> sb,
                      ReadScales(soc, access, right, groups));
  MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> b,
                      ReadCodes(soc, access, right, groups));
  MX_ASSIGN_OR_RETURN(std::vector<float> acc,
                      ReadInitial(machine, access, params));
  AccumulateMx({params.left_format, params.m, a, sa},
               {params.right_format, params.n, b, sb}, groups, params.saturate,
               absl::MakeSpan(acc));
  MX_RETURN_IF_ERROR(WriteResult(machine, access, params, acc));
  machine.Retire(Pipe::kM, Label(params),
                 MmadCycles(soc, params.m, params.k, params.n,
                            BitWidth(params.left_format)),
                 /*bytes=*/0, ArgsOf(machine, params));
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
