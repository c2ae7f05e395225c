// Loops and branches.

#include <functional>
#include <utility>
#include <vector>

#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {

std::vector<ValueId> TileProgramBuilder::For(
    ValueId start, ValueId stop, ValueId step, std::vector<ValueId> carried,
    const std::function<std::vector<ValueId>(ValueId, std::vector<ValueId>)>&
        body) {
  if (!AreUsable({start, stop, step}) || !AreUsable(carried)) return carried;
  const OpId step_op = program_.values[step].op;
  Check(IsIndex(start) && IsIndex(stop) && IsIndex(step) && step_op >= 0 &&
            program_.ops[step_op].kind == OpKind::kConstant &&
            program_.ops[step_op].integer != 0,
        "a loop's bounds are indices, its step is a constant other than 0");
  const BlockId block = OpenBlock();
  const auto add_param = [&](ElementType type, Space space) {
    const ValueId id = NewValue(type, std::move(space), /*op=*/-1, block);
    program_.blocks[block].params.push_back(id);
    return id;
  };
  const ValueId loop_var = add_param(ElementType::kIndex, {});
  std::vector<ValueId> params;
  for (const ValueId value : carried) {
    const Space space = SpaceOf(value);
    params.push_back(add_param(TypeOf(value), space));
  }
  std::vector<ValueId> next = body(loop_var, params);
  bool fits = next.size() == carried.size() && AreUsable(next);
  for (size_t i = 0; fits && i < next.size(); ++i) {
    fits = TypeOf(next[i]) == TypeOf(carried[i]) &&
           SpaceOf(next[i]) == SpaceOf(carried[i]);
  }
  Check(fits, "what a loop yields has the types and spaces of what it carries");
  CloseBlock(std::move(next));
  Op op;
  op.kind = OpKind::kFor;
  op.operands = {start, stop, step};
  op.operands.insert(op.operands.end(), carried.begin(), carried.end());
  op.blocks = {block};
  return AddLike(std::move(op), carried);
}

std::vector<ValueId> TileProgramBuilder::If(
    ValueId condition, const std::function<std::vector<ValueId>()>& then,
    const std::function<std::vector<ValueId>()>& otherwise) {
  if (!IsUsable(condition)) return {};
  Check(TypeOf(condition) == ElementType::kBool && SpaceOf(condition).empty(),
        "the condition of an if is a bool scalar");
  Op op;
  op.kind = OpKind::kIf;
  op.operands = {condition};
  std::vector<ValueId> yields[2];
  for (const int side : {0, 1}) {
    op.blocks.push_back(OpenBlock());
    yields[side] = side == 0 ? then() : otherwise();
    if (!AreUsable(yields[side])) return {};
    CloseBlock(yields[side]);
  }
  bool fits = yields[0].size() == yields[1].size();
  for (size_t i = 0; fits && i < yields[0].size(); ++i) {
    fits = TypeOf(yields[0][i]) == TypeOf(yields[1][i]) &&
           SpaceOf(yields[0][i]) == SpaceOf(yields[1][i]);
  }
  if (!Check(fits, "both sides of an if yield the same types and spaces")) {
    return {};
  }
  return AddLike(std::move(op), yields[0]);
}

}  // namespace mxtile::exec::simd
