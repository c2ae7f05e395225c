#include "exec/simd/lane_analysis.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

// nullopt on overflow: then nothing is known.
std::optional<int64_t> Times(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<int64_t> Plus(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

int64_t Magnitude(int64_t x) {
  return x == INT64_MIN ? INT64_MAX : std::abs(x);
}

// Of bounds.
int64_t SaturatingPlus(int64_t a, int64_t b) {
  return Plus(a, b).value_or(INT64_MAX);
}

int64_t SaturatingTimes(int64_t a, int64_t b) {
  return Times(a, b).value_or(INT64_MAX);
}

}  // namespace

LaneAnalysis::LaneAnalysis(const TileProgram& program, int64_t team)
    : program_(program),
      team_(team),
      varies_(program.values.size(), false),
      affine_(program.values.size()) {
  VisitBlock(program.body);
}

std::optional<int64_t> LaneAnalysis::Step(ValueId index) const {
  if (!affine_[index].has_value()) return std::nullopt;
  return affine_[index]->step;
}

std::optional<int64_t> LaneAnalysis::Step(const View& view,
                                          const Window& window) const {
  int64_t stride = 1;
  int64_t step = 0;
  for (size_t i = view.shape.size(); i-- > 0;) {
    const std::optional<int64_t> of_origin = Step(window.origins[i]);
    if (!of_origin.has_value()) return std::nullopt;
    const std::optional<int64_t> scaled = Times(*of_origin, stride);
    if (!scaled.has_value()) return std::nullopt;
    const std::optional<int64_t> sum = Plus(step, *scaled);
    if (!sum.has_value()) return std::nullopt;
    step = *sum;
    stride *= view.shape[i];
  }
  return step;
}

void LaneAnalysis::Set(ValueId value, std::optional<Affine> affine) {
  if (affine.has_value()) {
    affine->divisor = Magnitude(affine->divisor);
    // What may have wrapped is a multiple of powers of two only.
    if (affine->bound == INT64_MAX) affine->divisor &= -affine->divisor;
  }
  varies_[value] = !affine.has_value() || affine->step != 0;
  affine_[value] = affine;
}

void LaneAnalysis::VisitBlock(BlockId block) {
  for (const OpId op : program_.blocks[block].ops) VisitOp(program_.ops[op]);
}

void LaneAnalysis::VisitOp(const Op& op) {
  switch (op.kind) {
    case OpKind::kFor:
      VisitFor(op);
      return;
    case OpKind::kIf: {
      const bool varies = varies_[op.operands[0]];
      if (varies) ifs_are_uniform_ = false;
      for (const BlockId block : op.blocks) VisitBlock(block);
      for (size_t i = 0; i < op.results.size(); ++i) {
        bool result_varies = varies;
        for (const BlockId block : op.blocks) {
          if (varies_[program_.blocks[block].yields[i]]) result_varies = true;
        }
        varies_[op.results[i]] = result_varies;
        // An earlier round of a loop may have found it uniform.
        affine_[op.results[i]].reset();
        if (!result_varies) affine_[op.results[i]] = Affine{};
      }
      return;
    }
    case OpKind::kStore:
      return;
    default:
      break;
  }
  const ValueId result = op.results[0];
  if (program_.values[result].type == ElementType::kIndex &&
      program_.values[result].space.empty()) {
    Set(result, IndexOf(op));
    return;
  }
  bool varies =
      absl::c_any_of(op.operands, [this](ValueId v) { return varies_[v]; }) ||
      (op.limit != kNoValue && varies_[op.limit]);
  for (const ValueId limit : op.window.limits) {
    if (limit != kNoValue && varies_[limit]) varies = true;
  }
  varies_[result] = varies;
}

std::optional<LaneAnalysis::Affine> LaneAnalysis::IndexOf(const Op& op) const {
  if (op.kind == OpKind::kConstant) {
    return Affine{0, op.integer, Magnitude(op.integer)};
  }
  if (op.kind == OpKind::kProgramIndex) {
    return Affine{team_ == 1 ? 0 : 1, team_, program_.program_count};
  }
  if (op.kind == OpKind::kBinary) {
    const std::optional<Affine> affine = BinaryIndex(op);
    if (affine.has_value()) return affine;
  }
  // Of operands that are the same everywhere.
  const bool uniform =
      absl::c_none_of(op.operands, [this](ValueId v) { return varies_[v]; });
  return uniform ? std::make_optional(Affine{}) : std::nullopt;
}

std::optional<LaneAnalysis::Affine> LaneAnalysis::BinaryIndex(
    const Op& op) const {
  const std::optional<Affine>& a = affine_[op.operands[0]];
  const std::optional<Affine>& b = affine_[op.operands[1]];
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  const auto constant = [this](ValueId value) -> std::optional<int64_t> {
    const OpId op = program_.values[value].op;
    if (op < 0 || program_.ops[op].kind != OpKind::kConstant) {
      return std::nullopt;
    }
    return program_.ops[op].integer;
  };
  switch (op.binary) {
    case BinaryKind::kAdd:
    case BinaryKind::kSub: {
      const int64_t sign = op.binary == BinaryKind::kAdd ? 1 : -1;
      const std::optional<int64_t> addend = Times(sign, b->step);
      if (!addend.has_value()) return std::nullopt;
      const std::optional<int64_t> step = Plus(a->step, *addend);
      if (!step.has_value()) return std::nullopt;
      return Affine{*step, std::gcd(a->divisor, b->divisor),
                    SaturatingPlus(a->bound, b->bound)};
    }
    case BinaryKind::kMul: {
      std::optional<int64_t> factor = constant(op.operands[1]);
      const Affine& other = factor.has_value() ? *a : *b;
      if (!factor.has_value()) factor = constant(op.operands[0]);
      if (!factor.has_value()) return std::nullopt;
      const std::optional<int64_t> step = Times(other.step, *factor);
      const std::optional<int64_t> divisor = Times(other.divisor, *factor);
      if (!step.has_value() || !divisor.has_value()) return std::nullopt;
      return Affine{*step, *divisor,
                    SaturatingTimes(other.bound, Magnitude(*factor))};
    }
    case BinaryKind::kFloorDiv:
    case BinaryKind::kMod: {
      const int64_t d = *constant(op.operands[1]);
      const bool divides = op.binary == BinaryKind::kFloorDiv;
      const int64_t bound = divides ? a->bound : d - 1;
      if (a->step % d == 0 && a->divisor % d == 0) {
        if (!divides) return Affine{0, 0, 0};
        // Where lanes wrap, their quotients do not go on.
        if (a->step != 0 && a->bound == INT64_MAX) return std::nullopt;
        return Affine{a->step / d, a->divisor / d, bound};
      }
      // base % d is at most d - room, so that lanes below `room` do not carry.
      const int64_t room = std::gcd(a->divisor, d);
      const std::optional<int64_t> reach = Times(a->step, team_ - 1);
      if (!reach.has_value() || *reach < 0 || *reach >= room) {
        return std::nullopt;
      }
      if (!divides) return Affine{a->step, room == d ? 0 : room, bound};
      return Affine{0, a->divisor % d == 0 ? a->divisor / d : 1, bound};
    }
    default:
      return std::nullopt;
  }
}

void LaneAnalysis::VisitFor(const Op& op) {
  const Block& body = program_.blocks[op.blocks[0]];
  const bool uniform_bounds =
      !varies_[op.operands[0]] && !varies_[op.operands[1]];
  if (!uniform_bounds) loops_are_uniform_ = false;
  const std::optional<Affine>& start = affine_[op.operands[0]];
  const std::optional<Affine>& step = affine_[op.operands[2]];
  if (start.has_value() && step.has_value()) {
    const std::optional<Affine>& stop = affine_[op.operands[1]];
    Set(body.params[0],
        Affine{start->step, std::gcd(start->divisor, step->divisor),
               stop.has_value() ? std::max(start->bound, stop->bound)
                                : INT64_MAX});
  } else {
    Set(body.params[0], std::nullopt);
  }
  // Optimistic at first; a round that finds a carried value varying makes it
  // so, and the next round sees that.
  const size_t carried = op.results.size();
  std::vector<bool> varies(carried);
  for (size_t i = 0; i < carried; ++i) {
    varies[i] = !uniform_bounds || varies_[op.operands[3 + i]];
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < carried; ++i) {
      const ValueId param = body.params[1 + i];
      varies_[param] = varies[i];
      affine_[param].reset();
      if (!varies[i]) affine_[param] = Affine{};
    }
    VisitBlock(op.blocks[0]);
    for (size_t i = 0; i < carried; ++i) {
      if (!varies[i] && varies_[body.yields[i]]) varies[i] = changed = true;
    }
  }
  for (size_t i = 0; i < carried; ++i) {
    varies_[op.results[i]] = varies[i];
    affine_[op.results[i]].reset();
    if (!varies[i]) affine_[op.results[i]] = Affine{};
  }
}

}  // namespace mxtile::exec::simd
