#include "exec/simd/mx_product_form.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "numerics/f32_product.h"

namespace mxtile::exec::simd {
namespace {

constexpr uint8_t kNanScale = 255;

struct ScaleRange {
  int min = kNanScale;
  int max = 0;

  bool is_empty() const { return min > max; }
  void Add(uint8_t scale) {
    if (scale == kNanScale) return;
    min = std::min<int>(min, scale);
    max = std::max<int>(max, scale);
  }
};

// The load that all elements of the tile are from; null when there is none.
const Op* LoadOf(const TileProgram& program, ValueId value) {
  while (true) {
    const OpId id = program.values[value].op;
    if (id < 0) return nullptr;
    const Op& op = program.ops[id];
    switch (op.kind) {
      case OpKind::kLoad:
        return &op;
      case OpKind::kRelabel:
      case OpKind::kBroadcast:
      case OpKind::kExtract:
        value = op.operands[0];
        break;
      default:
        return nullptr;
    }
  }
}

bool IsWritten(const TileProgram& program, int buffer) {
  return absl::c_any_of(program.ops, [&](const Op& op) {
    return op.kind == OpKind::kStore && program.views[op.view].buffer == buffer;
  });
}

// Of what the load may find; nothing when that is not known.
absl::optional<ScaleRange> RangeOf(const TileProgram& program, ValueId scales,
                                   absl::Span<const BufferSpan> buffers) {
  const Op* load = LoadOf(program, scales);
  if (load == nullptr) return absl::nullopt;
  const View& view = program.views[load->view];
  if (IsWritten(program, view.buffer)) return absl::nullopt;
  int64_t count = 1;
  for (const int64_t extent : view.shape) count *= extent;
  const auto* codes = static_cast<const uint8_t*>(buffers[view.buffer].data);
  ScaleRange range;
  for (int64_t i = 0; i < count; ++i) range.Add(codes[i]);
  // Elements that the window's limits leave out.
  if (!load->window.limits.empty()) {
    range.Add(static_cast<uint8_t>(BitsOf(view.type, load->window.fill)));
  }
  return range;
}

bool IsExact(const TileProgram& program, const Op& contraction,
             absl::Span<const BufferSpan> buffers) {
  const auto format = [&](int operand) {
    return *FormatOf(program.values[contraction.operands[operand]].type);
  };
  const absl::optional<ScaleRange> left =
      RangeOf(program, contraction.operands[1], buffers);
  const absl::optional<ScaleRange> right =
      RangeOf(program, contraction.operands[3], buffers);
  if (!left.has_value() || !right.has_value()) return false;
  if (left->is_empty() || right->is_empty()) return true;  // All are NaN.
  const F32ProductRange exact = ExactF32Products(format(0), format(2));
  return exact.Holds(left->min, right->min) &&
         exact.Holds(left->max, right->max);
}

}  // namespace

bool HasMxContractions(const TileProgram& program) {
  return absl::c_any_of(
      program.ops, [](const Op& op) { return op.kind == OpKind::kMxContract; });
}

bool HasExactF32Products(const TileProgram& program,
                         absl::Span<const BufferSpan> buffers) {
  if (!HasMxContractions(program)) return false;
  return absl::c_all_of(program.ops, [&](const Op& op) {
    return op.kind != OpKind::kMxContract || IsExact(program, op, buffers);
  });
}

}  // namespace mxtile::exec::simd
