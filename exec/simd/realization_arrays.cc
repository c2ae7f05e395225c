// Arrays: which values have one, and how elements lie in it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/int_math.h"
#include "exec/simd/candidate.h"
#include "exec/simd/element_type.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

// Of a slot: 4-bit codes are unpacked to a byte.
int SlotBytes(ElementType type) { return std::max(8, BitWidth(type)) / 8; }

}  // namespace

int Realization::AddArray(ValueId value) {
  const ValuePlan& plan = values_[value];
  ArrayPlan array;
  array.value = value;
  array.varies = plan.varies;
  array.bytes = SlotBytes(program_.values[value].type);
  array.slots = 1;
  for (const DimId dim : plan.order) {
    const int64_t extent = program_.Extent(dim);
    array.slots *= dim == plan.vector_dim
                       ? RoundUp(extent, static_cast<int64_t>(candidate_.width))
                       : extent;
  }
  arrays_.push_back(array);
  return static_cast<int>(arrays_.size()) - 1;
}

void Realization::AllocateArrays(BlockId id) {
  const Block& block = program_.blocks[id];
  const auto allocate = [this](ValueId value) {
    ValuePlan& plan = values_[value];
    if (plan.array != kNoArray) return;
    const bool needed = plan.form == Form::kArray ||
                        (plan.form == Form::kRegisters && dynamic_[value] &&
                         program_.Volume(value) > 1);
    if (needed) plan.array = AddArray(value);
  };
  for (const ValueId param : block.params) allocate(param);
  for (const OpId op_id : block.ops) {
    const Op& op = program_.ops[op_id];
    if (op.kind == OpKind::kFor) AllocateCarried(op);
    if (op.kind == OpKind::kMxContract) AllocateScaled(op_id);
    for (const ValueId result : op.results) {
      const bool complete = op.kind == OpKind::kLoad &&
                            op.window.limits.empty() && !op.window.checked;
      if (values_[result].forwarded && complete) continue;
      if (values_[result].next_of != kNoValue) continue;
      allocate(result);
    }
    for (const BlockId inner : op.blocks) AllocateArrays(inner);
  }
}

void Realization::AllocateCarried(const Op& loop) {
  const Block& body = program_.blocks[loop.blocks[0]];
  for (size_t i = 0; i < loop.results.size(); ++i) {
    if (!IsLarge(loop.results[i])) continue;
    const ValueId param = body.params[1 + i];
    ValuePlan& plan = values_[param];
    plan.array = AddArray(param);
    plan.next_array = AddArray(param);
    values_[loop.results[i]].array = plan.array;
    // Written where it goes, if nobody else has it.
    const ValueId yield = body.yields[i];
    const OpId source = program_.values[yield].op;
    if (candidate_.share_uniform && source >= 0 &&
        program_.ops[source].blocks.empty() &&
        block_of_[source] == loop.blocks[0] && uses_[yield].count == 1 &&
        values_[yield].form == Form::kArray && !values_[yield].forwarded &&
        values_[yield].varies == plan.varies &&
        values_[yield].order == plan.order) {
      values_[yield].next_of = param;
    }
  }
}

void Realization::AllocateScaled(OpId id) {
  const Op& op = program_.ops[id];
  std::array<int, 2>& arrays = scaled_arrays_[id];
  for (const int side : {0, 1}) {
    arrays[side] = AddArray(Storage(op.operands[2 * side]));
    ArrayPlan& array = arrays_[arrays[side]];
    array.varies |= values_[op.operands[2 * side + 1]].varies;
    array.bytes = candidate_.mx_f32 ? 4 : 8;
  }
}

std::vector<int64_t> Realization::Strides(ValueId value) const {
  const ValuePlan& plan = values_[value];
  std::vector<int64_t> strides(plan.order.size());
  int64_t stride = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    strides[i] = stride;
    const int64_t extent = program_.Extent(plan.order[i]);
    stride *= plan.order[i] == plan.vector_dim
                  ? RoundUp(extent, static_cast<int64_t>(candidate_.width))
                  : extent;
  }
  return strides;
}

ValueId Realization::Storage(ValueId value) const {
  while (values_[value].form == Form::kAlias) {
    value = program_.ops[program_.values[value].op].operands[0];
  }
  return value;
}

}  // namespace mxtile::exec::simd
