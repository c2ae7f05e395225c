#include "exec/model/estimated_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "exec/reference/reference_tile.h"
#include "ir/rule_error.h"
#include "kernels/tile_layout.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec {
namespace {

using a5::Access;
using a5::Machine;
using a5::Memory;
using a5::MemorySpace;
using a5::Tile;

constexpr int64_t kRegisterBytes = 256;
constexpr int64_t kLaneBytes = 4;

int64_t BytesOf(ElementFormat format) { return BitWidth(format) / 8; }

absl::Status CheckPlain(const ir::Call& call, absl::string_view role,
                        const Tile& tile) {
  if (BitWidth(tile.format) < 8) {
    return ir::RuleError(
        "MX-MODEL-2",
        absl::StrCat(call.callee->name, ": ", role, " tile ", ToString(tile),
                     ": elements of whole bytes only"));
  }
  return CheckTile(call.callee->name, role, tile, MemorySpace::kVec,
                   TileLayout::kNd);
}

uint64_t AddressOf(const Tile& tile, int64_t row, int64_t col) {
  return tile.address + (row * tile.cols + col) * BytesOf(tile.format);
}

Value Decoded(const Memory& ub, const Tile& tile) {
  auto numbers = NewReferenceTile<double>(tile.rows, tile.cols);
  numbers->valid_rows = tile.valid_rows;
  numbers->valid_cols = tile.valid_cols;
  const int64_t bytes = BytesOf(tile.format);
  for (int64_t r = 0; r < tile.valid_rows; ++r) {
    for (int64_t c = 0; c < tile.valid_cols; ++c) {
      const uint64_t address = AddressOf(tile, r, c);
      if (!ub.HasValue(address, bytes)) continue;
      const uint8_t* from = ub.Bytes(address);
      uint32_t code = 0;
      for (int64_t i = 0; i < bytes; ++i) code |= uint32_t{from[i]} << (8 * i);
      numbers->values[r * tile.cols + c] = Decode(tile.format, code);
      numbers->defined[r * tile.cols + c] = 1;
    }
  }
  return Value(std::shared_ptr<Object>(std::move(numbers)));
}

void Encode(const ReferenceTile<double>& numbers, const Access& access,
            const Tile& tile, Memory& ub) {
  const int64_t bytes = BytesOf(tile.format);
  for (int64_t r = 0; r < tile.valid_rows; ++r) {
    for (int64_t c = 0; c < tile.valid_cols; ++c) {
      const double value = numbers.values[r * numbers.cols + c];
      const uint32_t code = mxtile::Encode(
          tile.format, static_cast<float>(value), Overflow::kSpecial);
      uint8_t* to = ub.Overwrite(access, AddressOf(tile, r, c), bytes,
                                 /*has_values=*/true);
      for (int64_t i = 0; i < bytes; ++i) {
        to[i] = static_cast<uint8_t>(code >> (8 * i));
      }
    }
  }
}

int64_t Registers(const Tile& tile) {
  const int64_t bytes = tile.valid_rows * tile.valid_cols * kLaneBytes;
  return (bytes + kRegisterBytes - 1) / kRegisterBytes;
}

int64_t CyclesOf(const a5::VectorCosts& costs, int64_t loads, int64_t widest,
                 int64_t stores) {
  const double busiest = std::max(
      {loads / costs.loads_per_cycle, widest / costs.add_scalar.per_cycle,
       stores / costs.stores_per_cycle,
       (loads + widest + stores) / costs.issues_per_cycle});
  return static_cast<int64_t>(
      std::ceil(costs.startup_cycles + costs.drain_cycles + busiest));
}

}  // namespace

absl::Status EstimatedOps::Eval(Machine& machine, const ir::Call& call,
                                absl::Span<const Value> args,
                                absl::Span<const Tile* const> tiles,
                                Tile* result) {
  Memory& ub = machine.memory(MemorySpace::kVec);
  std::vector<Value> numbers;
  int64_t loads = 0;
  int64_t widest = 0;
  int64_t bytes = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (tiles[i] == nullptr) {
      numbers.push_back(args[i]);
      continue;
    }
    MX_RETURN_IF_ERROR(CheckPlain(call, "operand", *tiles[i]));
    numbers.push_back(Decoded(ub, *tiles[i]));
    loads += Registers(*tiles[i]);
    widest = std::max(widest, Registers(*tiles[i]));
    bytes +=
        tiles[i]->valid_rows * tiles[i]->valid_cols * BytesOf(tiles[i]->format);
  }
  const Access access = machine.Begin(call.callee->name);
  MX_ASSIGN_OR_RETURN(const Value value, ops_.Eval(call, numbers));
  const auto& computed = ReferenceTileOf<double>(value);
  result->valid_rows = computed.valid_rows;
  result->valid_cols = computed.valid_cols;
  MX_RETURN_IF_ERROR(CheckPlain(call, "result", *result));
  Encode(computed, access, *result, ub);
  bytes += result->valid_rows * result->valid_cols * BytesOf(result->format);
  const int64_t cycles =
      CyclesOf(machine.soc().cost.vector, loads, widest, Registers(*result));
  machine.Retire(a5::Pipe::kV, absl::StrCat(call.callee->name, " (estimated)"),
                 cycles, bytes,
                 {a5::AddressArg("to", ub.name(), result->address)});
  EstimatedCost& cost = costs_[std::string(call.callee->name)];
  ++cost.calls;
  cost.cycles += cycles;
  return absl::OkStatus();
}

}  // namespace mxtile::exec
