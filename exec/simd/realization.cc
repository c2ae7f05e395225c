#include "exec/simd/realization.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "absl/algorithm/container.h"
#include "base/int_math.h"
#include "exec/simd/admission.h"
#include "exec/simd/candidate.h"
#include "exec/simd/contraction.h"
#include "exec/simd/element_type.h"
#include "exec/simd/lane_analysis.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

// Operations in a row that their consumers compute.
constexpr int kMaxDeferred = 64;

bool IsPure(OpKind kind) {
  switch (kind) {
    case OpKind::kUnary:
    case OpKind::kBinary:
    case OpKind::kSelect:
    case OpKind::kCast:
    case OpKind::kExtract:
      return true;
    default:
      return false;
  }
}

bool IsMma(OpKind kind) {
  return kind == OpKind::kContract || kind == OpKind::kMxContract;
}

}  // namespace

Realization::Realization(const TileProgram& program, const Candidate& candidate,
                         const LaneAnalysis& lanes)
    : program_(program),
      candidate_(candidate),
      lanes_(lanes),
      values_(program.values.size()),
      uses_(program.values.size()),
      dynamic_(program.values.size()),
      block_of_(program.ops.size()),
      blocks_(program.ops.size()) {
  CountUses(program.body);
  ChooseOrders();
  for (size_t i = 0; i < program.blocks.size(); ++i) {
    for (const ValueId param : program.blocks[i].params) {
      ValuePlan& plan = values_[param];
      plan.registers = RegistersOf(param);
      plan.form = IsLarge(param) ? Form::kArray : Form::kRegisters;
    }
    for (const OpId op : program.blocks[i].ops) {
      ChooseForm(op, static_cast<BlockId>(i));
    }
  }
  FindDynamicUses(program.body);
  AllocateArrays(program.body);
  for (const ArrayPlan& array : arrays_) {
    ++resources_.allocations;
    resources_.bytes += array.slots * array.bytes;
  }
  for (const ArrayPlan& array : arrays_) {
    resources_.team_bytes +=
        array.slots * array.bytes * (array.varies ? candidate.team() : 1);
  }
  if (resources_.team_bytes > kMaxStackBytes) {
    resources_.workspace = resources_.team_bytes;
  }
}

// ---- uses

void Realization::CountUses(BlockId id) {
  const Block& block = program_.blocks[id];
  for (const OpId op_id : block.ops) {
    block_of_[op_id] = id;
    const Op& op = program_.ops[op_id];
    const auto use = [&](ValueId value) {
      if (value == kNoValue) return;
      ++uses_[value].count;
      uses_[value].op = op_id;
      uses_[value].block = id;
    };
    for (const ValueId operand : op.operands) use(operand);
    use(op.limit);
    for (const ValueId limit : op.window.limits) use(limit);
    for (const BlockId inner : op.blocks) CountUses(inner);
  }
  for (const ValueId value : block.yields) {
    ++uses_[value].count;
    uses_[value].yielded = true;
    uses_[value].block = id;
  }
}

// ---- orders

void Realization::ChooseOrders() {
  for (size_t i = 0; i < values_.size(); ++i) {
    ValuePlan& plan = values_[i];
    plan.order = program_.values[i].space;
    plan.varies =
        !lanes_.IsUniform(static_cast<ValueId>(i)) ||
        (!candidate_.share_uniform && (!program_.values[i].space.empty() ||
                                       IsFloat(program_.values[i].type)));
  }
  // Operands of contractions that are read by vectors along the column have it
  // innermost.
  if (candidate_.lanes == LaneMode::kAxis) {
    for (const Op& op : program_.ops) {
      if (!IsMma(op.kind)) continue;
      const Contraction mma = TypedContraction(program_, op);
      for (const ContractionOperand& operand : {mma.lhs, mma.rhs}) {
        if (!operand.has_column || operand.stride == 1) continue;
        ValueId value = operand.value;
        DimId column = mma.column;
        while (program_.values[value].op >= 0 &&
               program_.ops[program_.values[value].op].kind ==
                   OpKind::kRelabel) {
          const ValueId source =
              program_.ops[program_.values[value].op].operands[0];
          const Space& space = program_.values[value].space;
          column = program_.values[source]
                       .space[absl::c_find(space, column) - space.begin()];
          value = source;
        }
        // What a loop or an if hands on keeps its order.
        const OpId source = program_.values[value].op;
        if (source < 0 || !program_.ops[source].blocks.empty()) continue;
        Space& order = values_[value].order;
        order.erase(absl::c_find(order, column));
        order.push_back(column);
      }
    }
    for (ValuePlan& plan : values_) {
      for (const DimId dim : plan.order) {
        if (program_.Extent(dim) > 1) plan.vector_dim = dim;
      }
    }
  }
}

int64_t Realization::RegistersOf(ValueId value) const {
  int64_t registers = 1;
  for (const DimId dim : program_.values[value].space) {
    const int64_t extent = program_.Extent(dim);
    registers *=
        dim == values_[value].vector_dim
            ? CeilDivide(extent, static_cast<int64_t>(candidate_.width))
            : extent;
  }
  return registers;
}

bool Realization::IsLarge(ValueId value) const {
  // Of one element nothing is expanded.
  return RegistersOf(value) >
         std::max<int64_t>(candidate_.max_unrolled_elements, 1);
}

// ---- forms

void Realization::ChooseForm(OpId id, BlockId block) {
  const Op& op = program_.ops[id];
  for (const ValueId result : op.results) {
    ValuePlan& plan = values_[result];
    plan.registers = RegistersOf(result);
    plan.form = FormOf(id, block);
    if (plan.form == Form::kRegisters && IsLarge(result)) {
      plan.form = Form::kArray;
    }
    if (uses_[result].count == 0 && op.blocks.empty() && !IsMma(op.kind)) {
      plan.form = Form::kDead;
    }
  }
  if (IsMma(op.kind)) {
    blocks_[id] =
        AdmitMma(program_, TypedContraction(program_, op), candidate_);
    if (blocks_[id].rows * blocks_[id].cols > 1) ++blocked_mmas_;
  }
  if (op.kind == OpKind::kLoad) {
    values_[op.results[0]].forwarded = CanForward(op);
  }
}

Form Realization::FormOf(OpId id, BlockId block) const {
  const Op& op = program_.ops[id];
  if (op.results.empty()) return Form::kDead;
  switch (op.kind) {
    case OpKind::kConstant:
    case OpKind::kIota:
    case OpKind::kBroadcast:
      return Form::kLazy;
    case OpKind::kRelabel:
      return Form::kAlias;
    default:
      break;
  }
  const ValueId result = op.results[0];
  if (!IsPure(op.kind) || !IsLarge(result)) return Form::kRegisters;
  // Deferred: one consumer, here, that looks at each element once.
  const Uses& uses = uses_[result];
  if (uses.count != 1 || uses.yielded || uses.block != block) {
    return Form::kArray;
  }
  const Op& user = program_.ops[uses.op];
  if (user.kind == OpKind::kReduce || !user.blocks.empty()) return Form::kArray;
  if (user.kind == OpKind::kRelabel) return Form::kArray;
  if (IsMma(user.kind) && user.operands.back() != result) return Form::kArray;
  // A consumer over more elements reads some of them again.
  const ValueId consumer = user.results.empty() ? result : user.results[0];
  if (program_.Volume(consumer) > program_.Volume(result)) return Form::kArray;
  // Chains are emitted by recursion.
  const std::function<int(ValueId)> depth = [&](ValueId value) {
    const OpId source = program_.values[value].op;
    if (source < 0 || values_[value].form != Form::kLazy) return 0;
    int deepest = 0;
    for (const ValueId operand : program_.ops[source].operands) {
      deepest = std::max(deepest, depth(operand));
    }
    return 1 + deepest;
  };
  for (const ValueId operand : op.operands) {
    if (depth(operand) >= kMaxDeferred) return Form::kArray;
  }
  return Form::kLazy;
}

bool Realization::CanForward(const Op& load) const {
  if (!candidate_.forward || candidate_.lanes != LaneMode::kAxis) return false;
  const ValueId value = load.results[0];
  const ValuePlan& plan = values_[value];
  if (plan.form != Form::kArray || IsPacked(program_.values[value].type)) {
    return false;
  }
  // Vectors are read from memory as they lie there.
  const DimId innermost = load.window.axes.back();
  if (plan.vector_dim == kNoDim || plan.vector_dim != innermost ||
      program_.Extent(innermost) % candidate_.width != 0) {
    return false;
  }
  const int buffer = program_.views[load.view].buffer;
  return absl::c_none_of(program_.ops, [&](const Op& op) {
    return op.kind == OpKind::kStore &&
           program_.views[op.view].buffer == buffer;
  });
}

// ---- dynamic consumers

// Whether what the operation makes is filled by a loop.
bool Realization::IsLoop(const Op& op) const {
  return absl::c_any_of(op.results, [this](ValueId value) {
    return values_[value].form == Form::kArray;
  });
}

void Realization::UseDynamically(ValueId value) {
  dynamic_[value] = true;
  const OpId op = program_.values[value].op;
  if (op < 0) return;
  // Through what has no storage of its own.
  if (values_[value].form == Form::kAlias ||
      values_[value].form == Form::kLazy) {
    for (const ValueId operand : program_.ops[op].operands) {
      UseDynamically(operand);
    }
  }
}

void Realization::FindDynamicUses(BlockId id) {
  const Block& block = program_.blocks[id];
  const bool axis = candidate_.lanes == LaneMode::kAxis;
  for (const OpId op_id : block.ops) {
    const Op& op = program_.ops[op_id];
    for (const BlockId inner : op.blocks) FindDynamicUses(inner);
    switch (op.kind) {
      case OpKind::kExtract: {
        bool constant = true;
        for (size_t i = 1; i < op.operands.size(); ++i) {
          const OpId index = program_.values[op.operands[i]].op;
          constant &=
              index >= 0 && program_.ops[index].kind == OpKind::kConstant;
        }
        if (!constant || IsLoop(op)) UseDynamically(op.operands[0]);
        break;
      }
      case OpKind::kReduce:
        if (program_.Extent(op.dims[0]) > 1 || IsLoop(op)) {
          UseDynamically(op.operands[0]);
        }
        break;
      case OpKind::kContract:
      case OpKind::kMxContract:
        if (axis || IsLoop(op) || blocks_[op_id].rolled ||
            op.limit != kNoValue || op.kind == OpKind::kMxContract) {
          for (size_t i = 0; i + 1 < op.operands.size(); ++i) {
            UseDynamically(op.operands[i]);
          }
        }
        if (IsLoop(op)) UseDynamically(op.operands.back());
        break;
      case OpKind::kStore:
        if (IsLarge(op.operands[0])) UseDynamically(op.operands[0]);
        break;
      case OpKind::kUnary:
      case OpKind::kBinary:
      case OpKind::kSelect:
      case OpKind::kCast:
        if (IsLoop(op)) {
          for (const ValueId operand : op.operands) UseDynamically(operand);
        }
        break;
      case OpKind::kFor:
        for (size_t i = 0; i < op.results.size(); ++i) {
          if (!IsLarge(op.results[i])) continue;
          UseDynamically(op.operands[3 + i]);
          UseDynamically(program_.blocks[op.blocks[0]].yields[i]);
        }
        break;
      case OpKind::kIf:
        for (size_t i = 0; i < op.results.size(); ++i) {
          if (!IsLarge(op.results[i])) continue;
          for (const BlockId side : op.blocks) {
            UseDynamically(program_.blocks[side].yields[i]);
          }
        }
        break;
      default:
        break;
    }
  }
}

}  // namespace mxtile::exec::simd
