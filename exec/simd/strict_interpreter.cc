#include "exec/simd/strict_interpreter.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/base/casts.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_math.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/view_error.h"

namespace mxtile::exec::simd {
namespace {

// ---- memory

// The element's bits.
uint64_t ReadElement(const uint8_t* buffer, ElementType type, int64_t index) {
  const int width = BitWidth(type);
  if (width == 4) return buffer[index / 2] >> (index % 2 * 4) & 0xF;
  uint64_t bits = 0;  // The host is little-endian.
  std::memcpy(&bits, buffer + index * (width / 8), width / 8);
  return bits;
}

void WriteElement(uint8_t* buffer, ElementType type, int64_t index,
                  uint64_t bits) {
  const int bytes = BitWidth(type) / 8;
  MX_CHECK(bytes > 0) << "a store of 4-bit elements";
  std::memcpy(buffer + index * bytes, &bits, bytes);
}

void AppendBits(uint64_t bits, TileValue& tile) {
  switch (tile.type) {
    case ElementType::kF32:
      tile.floats.push_back(absl::bit_cast<float>(static_cast<uint32_t>(bits)));
      break;
    case ElementType::kBool:
      tile.integers.push_back(bits != 0 ? 1 : 0);
      break;
    default:
      tile.integers.push_back(static_cast<int64_t>(bits));
  }
}

uint64_t BitsAt(const TileValue& tile, int64_t offset) {
  if (tile.type == ElementType::kF32) {
    return absl::bit_cast<uint32_t>(tile.floats[offset]);
  }
  return static_cast<uint64_t>(tile.integers[offset]);
}

// ---- execution

// Of an element that the limits keep from memory.
constexpr int64_t kUntouched = -1;

class Instance {
 public:
  Instance(const TileProgram& program, absl::Span<const BufferSpan> buffers,
           int64_t index)
      : program_(program),
        buffers_(buffers),
        index_(index),
        values_(program.values.size()) {}

  absl::Status Run() { return RunBlock(program_.body); }

 private:
  absl::Status RunBlock(BlockId block) {
    for (const OpId op : program_.blocks[block].ops) {
      MX_RETURN_IF_ERROR(RunOp(program_.ops[op]));
    }
    return absl::OkStatus();
  }

  absl::Status RunOp(const Op& op) {
    switch (op.kind) {
      case OpKind::kProgramIndex:
        values_[op.results[0]] = IndexScalar(index_);
        return absl::OkStatus();
      case OpKind::kLoad:
        return RunLoad(op);
      case OpKind::kStore:
        return RunStore(op);
      case OpKind::kFor:
        return RunFor(op);
      case OpKind::kIf:
        return RunIf(op);
      default:
        RunPure(op);
        return absl::OkStatus();
    }
  }

  int64_t Index(ValueId value) const { return values_[value].integers[0]; }

  std::vector<TileValue> Copies(absl::Span<const ValueId> values) const {
    std::vector<TileValue> copies;
    for (const ValueId value : values) copies.push_back(values_[value]);
    return copies;
  }

  void Define(absl::Span<const ValueId> values, std::vector<TileValue> tiles) {
    for (size_t i = 0; i < values.size(); ++i) {
      values_[values[i]] = std::move(tiles[i]);
    }
  }

  void RunPure(const Op& op) {
    std::vector<const TileValue*> operands;
    for (const ValueId operand : op.operands) {
      operands.push_back(&values_[operand]);
    }
    absl::optional<int64_t> limit;
    if (op.limit != kNoValue) limit = Index(op.limit);
    values_[op.results[0]] = Evaluate(program_, op, operands, limit);
  }

  absl::Status RunFor(const Op& op) {
    const int64_t start = Index(op.operands[0]);
    const int64_t stop = Index(op.operands[1]);
    const int64_t step = Index(op.operands[2]);
    // In 128 bits the loop variable does not overflow.
    const auto runs = [&](__int128 i) {
      return step > 0 ? i < stop : i > stop;
    };
    const Block& body = program_.blocks[op.blocks[0]];
    const auto carried_params = absl::MakeConstSpan(body.params).subspan(1);
    std::vector<TileValue> carried =
        Copies(absl::MakeConstSpan(op.operands).subspan(3));
    for (__int128 i = start; runs(i); i += step) {
      values_[body.params[0]] = IndexScalar(static_cast<int64_t>(i));
      Define(carried_params, std::move(carried));
      MX_RETURN_IF_ERROR(RunBlock(op.blocks[0]));
      carried = Copies(body.yields);
    }
    Define(op.results, std::move(carried));
    return absl::OkStatus();
  }

  absl::Status RunIf(const Op& op) {
    const BlockId block = op.blocks[Index(op.operands[0]) != 0 ? 0 : 1];
    MX_RETURN_IF_ERROR(RunBlock(block));
    Define(op.results, Copies(program_.blocks[block].yields));
    return absl::OkStatus();
  }

  // How many indices along an axis of the window the limit lets through.
  int64_t Count(const Window& window, size_t axis) const {
    const DimId dim = window.axes[axis];
    const int64_t extent = dim == kNoDim ? 1 : program_.Extent(dim);
    if (window.limits.empty() || window.limits[axis] == kNoValue) return extent;
    return std::min(std::max<int64_t>(Index(window.limits[axis]), 0), extent);
  }

  absl::Status CheckInside(const Op& op) const {
    const Window& window = op.window;
    const View& view = program_.views[op.view];
    std::vector<int64_t> origins;
    std::vector<int64_t> counts;
    bool inside = true;
    bool empty = false;
    for (size_t i = 0; i < view.shape.size(); ++i) {
      origins.push_back(Index(window.origins[i]));
      counts.push_back(Count(window, i));
      empty = empty || counts[i] == 0;
      inside =
          inside && origins[i] >= 0 && origins[i] <= view.shape[i] - counts[i];
    }
    if (inside || empty) return absl::OkStatus();
    return LeftViewError(
        program_, op,
        absl::StrCat("window [", absl::StrJoin(counts, ", "), "] at [",
                     absl::StrJoin(origins, ", "), "]"));
  }

  // The flat index in the view of each element of the window, row-major over
  // its dimensions, or kUntouched.
  absl::StatusOr<std::vector<int64_t>> Addresses(const Op& op) const {
    MX_RETURN_IF_ERROR(CheckInside(op));
    const Window& window = op.window;
    const View& view = program_.views[op.view];
    std::vector<int64_t> addresses = {0};
    for (size_t axis = 0; axis < view.shape.size(); ++axis) {
      const int64_t origin = Index(window.origins[axis]);
      const int64_t count = Count(window, axis);
      const int64_t extent =
          window.axes[axis] == kNoDim ? 1 : program_.Extent(window.axes[axis]);
      const std::vector<int64_t> outer = std::move(addresses);
      addresses.clear();
      for (const int64_t address : outer) {
        for (int64_t i = 0; i < extent; ++i) {
          addresses.push_back(address == kUntouched || i >= count
                                  ? kUntouched
                                  : address * view.shape[axis] + origin + i);
        }
      }
    }
    return addresses;
  }

  uint8_t* Buffer(const Op& op) const {
    return static_cast<uint8_t*>(buffers_[program_.views[op.view].buffer].data);
  }

  absl::Status RunLoad(const Op& op) {
    MX_ASSIGN_OR_RETURN(const std::vector<int64_t> addresses, Addresses(op));
    const ElementType type = program_.views[op.view].type;
    TileValue tile;
    tile.type = type;
    tile.space = program_.values[op.results[0]].space;
    for (const int64_t address : addresses) {
      AppendBits(address == kUntouched ? BitsOf(type, op.window.fill)
                                       : ReadElement(Buffer(op), type, address),
                 tile);
    }
    values_[op.results[0]] = std::move(tile);
    return absl::OkStatus();
  }

  absl::Status RunStore(const Op& op) {
    MX_ASSIGN_OR_RETURN(const std::vector<int64_t> addresses, Addresses(op));
    const TileValue& tile = values_[op.operands[0]];
    Space space;
    for (const DimId dim : op.window.axes) {
      if (dim != kNoDim) space.push_back(dim);
    }
    const std::vector<int64_t> offsets = Offsets(program_, space, tile.space);
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (addresses[i] == kUntouched) continue;
      WriteElement(Buffer(op), tile.type, addresses[i],
                   BitsAt(tile, offsets[i]));
    }
    return absl::OkStatus();
  }

  const TileProgram& program_;
  const absl::Span<const BufferSpan> buffers_;
  const int64_t index_;
  std::vector<TileValue> values_;
};

}  // namespace

absl::Status Interpret(const TileProgram& program,
                       absl::Span<const BufferSpan> buffers,
                       ProgramRange range) {
  MX_RETURN_IF_ERROR(CheckBuffers(program, buffers));
  MX_RETURN_IF_ERROR(CheckRange(program, range));
  for (int64_t index = range.begin; index < range.end; ++index) {
    MX_RETURN_IF_ERROR(Instance(program, buffers, index).Run());
  }
  return absl::OkStatus();
}

}  // namespace mxtile::exec::simd
