#include "a5_model/cube/mmad_mx.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "a5_model/cost.h"
#include "a5_model/cube/field.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "numerics/element_format.h"
#include "numerics/f8e8m0fnu.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kFloatBytes = 4;
constexpr uint32_t kNanBits = 0x7FC00000;

int64_t RoundUp16(int64_t value) { return (value + 15) / 16 * 16; }

absl::Status CheckFormat(const Access& access, ElementFormat format) {
  if (format == ElementFormat::kF8E4M3FN || format == ElementFormat::kF8E5M2) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrFormat(
      "%s (instruction %d): operands of format %s; the model has f8E4M3FN and "
      "f8E5M2",
      access.instruction, access.id, Name(format)));
}

absl::Status CheckParams(const Access& access, const Soc& soc,
                         const MmadMxParams& params) {
  const int64_t limit = soc.cube.max_extent;
  MX_RETURN_IF_ERROR(CheckField(access, "m", params.m, 1, limit));
  MX_RETURN_IF_ERROR(CheckField(access, "k", params.k, 1, limit));
  MX_RETURN_IF_ERROR(CheckField(access, "n", params.n, 1, limit));
  MX_RETURN_IF_ERROR(CheckFormat(access, params.left_format));
  MX_RETURN_IF_ERROR(CheckFormat(access, params.right_format));
  if (params.k % soc.cube.k_multiple != 0) {
    return TrapError(
        access, absl::StrFormat("k is %d, no multiple of %d: scales come in "
                                "pairs of groups of 32; pad K with zero data "
                                "and scales that are not NaN (A5-FIELD-1)",
                                params.k, soc.cube.k_multiple));
  }
  const int64_t alignment = soc.memory(MemorySpace::kAcc).alignment_bytes;
  if (params.acc % alignment != 0) {
    return TrapError(access, absl::StrFormat("0x%x of Acc is no multiple of %d "
                                             "bytes (A5-MEM-2)",
                                             params.acc, alignment));
  }
  return absl::OkStatus();
}

std::array<double, 256> DecodeTable(ElementFormat format) {
  std::array<double, 256> table;
  for (int code = 0; code < 256; ++code) table[code] = Decode(format, code);
  return table;
}

// One of the two inputs. `lines` are the rows of A or the columns of B: along
// both, 32 consecutive k are 32 consecutive bytes.
struct Operand {
  const Memory& data;
  const Memory& scales;
  uint64_t address;
  ElementFormat format;
  int64_t lines;
};

// Code times scale of [lines, k]. A float has the exponent range of E8M0 but
// not that of the product, hence double, where it is exact.
absl::StatusOr<std::vector<double>> ReadOperand(const Soc& soc,
                                                const Access& access,
                                                const Operand& operand,
                                                int64_t k) {
  const int64_t group = soc.cube.scale_group;
  const int64_t pairs = k / group / 2;
  const std::array<double, 256> decode = DecodeTable(operand.format);
  std::vector<double> scale(operand.lines * 2 * pairs);
  const uint64_t scale_address = operand.address >> soc.scale_address_shift;
  for (int64_t first = 0; first < operand.lines; first += 16) {
    const int64_t lines = std::min<int64_t>(16, operand.lines - first);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const uint64_t box = scale_address + (first / 16 * pairs + pair) *
                                               soc.cube.scale_box_bytes;
      MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> bytes,
                          operand.scales.Read(access, box, lines * 2));
      for (int64_t i = 0; i < lines * 2; ++i) {
        scale[(first + i / 2) * 2 * pairs + pair * 2 + i % 2] =
            DecodeF8E8M0FNU(bytes[i]);
      }
    }
  }
  std::vector<double> values(operand.lines * k);
  const int64_t block_bytes = RoundUp16(operand.lines) * group;
  for (int64_t g = 0; g < 2 * pairs; ++g) {
    MX_ASSIGN_OR_RETURN(
        absl::Span<const uint8_t> codes,
        operand.data.Read(access, operand.address + g * block_bytes,
                          operand.lines * group));
    for (int64_t i = 0; i < operand.lines * group; ++i) {
      const int64_t line = i / group;
      values[line * k + g * group + i % group] =
          decode[codes[i]] * scale[line * 2 * pairs + g];
    }
  }
  return values;
}

// Calls visit(row, first column, columns, address in Acc) for each run of
// valid accumulators that lie side by side.
template <typename Visit>
absl::Status ForEachAccRun(const MmadMxParams& params, Visit visit) {
  for (int64_t column = 0; column < params.n; column += 16) {
    const int64_t columns = std::min<int64_t>(16, params.n - column);
    for (int64_t row = 0; row < params.m; ++row) {
      const uint64_t address = params.acc +
                               column * RoundUp16(params.m) * kFloatBytes +
                               row * 16 * kFloatBytes;
      MX_RETURN_IF_ERROR(visit(row, column, columns, address));
    }
  }
  return absl::OkStatus();
}

// The accumulators [m, n] before the first step. Values are little endian in
// the machine's memories, as they are on every host that this code supports.
absl::StatusOr<std::vector<float>> ReadInitial(const Machine& machine,
                                               const Access& access,
                                               const MmadMxParams& params) {
  std::vector<float> acc(params.m * params.n, 0.0f);
  if (params.init == AccumulatorInit::kAccumulate) {
    const Memory& memory = machine.memory(MemorySpace::kAcc);
    MX_RETURN_IF_ERROR(ForEachAccRun(
        params,
        [&](int64_t row, int64_t column, int64_t columns,
            uint64_t address) -> absl::Status {
          MX_ASSIGN_OR_RETURN(
              absl::Span<const uint8_t> bytes,
              memory.Read(access, address, columns * kFloatBytes));
          std::memcpy(&acc[row * params.n + column], bytes.data(),
                      bytes.size());
          return absl::OkStatus();
        }));
  }
  if (params.init == AccumulatorInit::kBias) {
    MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> bytes,
                        machine.memory(MemorySpace::kBias)
                            .Read(access, params.bias, params.n * kFloatBytes));
    for (int64_t row = 0; row < params.m; ++row) {
      std::memcpy(&acc[row * params.n], bytes.data(), bytes.size());
    }
  }
  return acc;
}

// `b` is [n, k]; one row of C at a time, so that its accumulators and a row of
// the transposed B stay in the cache and the inner loop has no dependence.
void MultiplyAccumulate(const MmadMxParams& params, absl::Span<const double> a,
                        absl::Span<const double> b, absl::Span<float> acc) {
  const int64_t k = params.k;
  const int64_t n = params.n;
  std::vector<double> b_rows(k * n);
  for (int64_t column = 0; column < n; ++column) {
    for (int64_t i = 0; i < k; ++i) b_rows[i * n + column] = b[column * k + i];
  }
  for (int64_t row = 0; row < params.m; ++row) {
    float* const sums = &acc[row * n];
    for (int64_t i = 0; i < k; ++i) {
      const double factor = a[row * k + i];
      const double* const b_row = &b_rows[i * n];
      for (int64_t column = 0; column < n; ++column) {
        sums[column] = static_cast<float>(static_cast<double>(sums[column]) +
                                          factor * b_row[column]);
      }
    }
  }
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
          const float value = acc[row * params.n + column + i];
          uint32_t bits = kNanBits;
          if (!std::isnan(value)) std::memcpy(&bits, &value, kFloatBytes);
          std::memcpy(&bytes[i * kFloatBytes], &bits, kFloatBytes);
        }
        return absl::OkStatus();
      });
}

}  // namespace

absl::Status MmadMx(Machine& machine, const MmadMxParams& params) {
  const Access access = machine.Begin("MMAD_MX");
  const Soc& soc = machine.soc();
  MX_RETURN_IF_ERROR(CheckParams(access, soc, params));
  MX_ASSIGN_OR_RETURN(const std::vector<double> a,
                      ReadOperand(soc, access,
                                  {machine.memory(MemorySpace::kLeft),
                                   machine.memory(MemorySpace::kLeftScale),
                                   params.left, params.left_format, params.m},
                                  params.k));
  MX_ASSIGN_OR_RETURN(const std::vector<double> b,
                      ReadOperand(soc, access,
                                  {machine.memory(MemorySpace::kRight),
                                   machine.memory(MemorySpace::kRightScale),
                                   params.right, params.right_format, params.n},
                                  params.k));
  MX_ASSIGN_OR_RETURN(std::vector<float> acc,
                      ReadInitial(machine, access, params));
  MultiplyAccumulate(params, a, b, absl::MakeSpan(acc));
  MX_RETURN_IF_ERROR(WriteResult(machine, access, params, acc));
  machine.Retire(
      Pipe::kM,
      absl::StrFormat("MMAD_MX %dx%dx%d", params.m, params.k, params.n),
      MmadCycles(soc, params.m, params.k, params.n, /*element_bytes=*/1),
      /*bytes=*/0);
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
