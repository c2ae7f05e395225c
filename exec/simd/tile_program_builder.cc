#include "exec/simd/tile_program_builder.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

bool Contains(absl::Span<const DimId> space, DimId dim) {
  return absl::c_linear_search(space, dim);
}

bool IsComparison(BinaryKind kind) {
  return kind >= BinaryKind::kLt && kind <= BinaryKind::kNe;
}

// Which operand types a binary operation takes.
bool Takes(BinaryKind kind, ElementType type) {
  switch (kind) {
    case BinaryKind::kDiv:
      return type == ElementType::kF32;
    case BinaryKind::kFloorDiv:
    case BinaryKind::kMod:
      return type == ElementType::kIndex;
    case BinaryKind::kAnd:
    case BinaryKind::kOr:
      return type == ElementType::kBool;
    default:
      return type == ElementType::kF32 || type == ElementType::kIndex;
  }
}

bool IsContractible(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBF16 ||
         type == ElementType::kF16;
}

bool IsF8(ElementType type) {
  return type == ElementType::kF8E4M3FN || type == ElementType::kF8E5M2;
}

bool IsF4(ElementType type) {
  return type == ElementType::kF4E2M1FN || type == ElementType::kF4E1M2;
}

bool CanCast(ElementType from, ElementType to) {
  if (to == ElementType::kF32) {
    return IsFloat(from) || from == ElementType::kIndex;
  }
  return from == ElementType::kF32 &&
         (to == ElementType::kBF16 || to == ElementType::kF16);
}

}  // namespace

TileProgramBuilder::TileProgramBuilder(absl::string_view name,
                                       int64_t program_count) {
  program_.name = std::string(name);
  program_.program_count = program_count;
  program_.body = OpenBlock();
  Check(program_count >= 0, "a program has 0 instances or more");
}

// ---- errors

bool TileProgramBuilder::Check(bool holds, absl::string_view message) {
  if (!holds && status_.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(place_, place_.empty() ? "" : ": ", message));
  }
  return holds;
}

bool TileProgramBuilder::IsUsable(ValueId value) {
  return Check(value >= 0 && value < static_cast<ValueId>(usable_.size()) &&
                   usable_[value],
               absl::StrCat("value %", value, " is not defined here"));
}

bool TileProgramBuilder::AreUsable(absl::Span<const ValueId> values) {
  return absl::c_all_of(values, [this](ValueId v) { return IsUsable(v); });
}

ElementType TileProgramBuilder::TypeOf(ValueId value) const {
  return program_.values[value].type;
}

const Space& TileProgramBuilder::SpaceOf(ValueId value) const {
  return program_.values[value].space;
}

bool TileProgramBuilder::IsIndex(ValueId value) const {
  return TypeOf(value) == ElementType::kIndex && SpaceOf(value).empty();
}

bool TileProgramBuilder::IsSpace(absl::Span<const DimId> dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!Check(
            dims[i] >= 0 && dims[i] < static_cast<DimId>(program_.dims.size()),
            absl::StrCat("there is no dimension ", dims[i])) ||
        !Check(!Contains(dims.subspan(0, i), dims[i]),
               absl::StrCat("dimension ", program_.dims[dims[i]].name,
                            " is named twice"))) {
      return false;
    }
  }
  return true;
}

bool TileProgramBuilder::Covers(const Space& space, ValueId value) {
  return absl::c_all_of(SpaceOf(value),
                        [&](DimId dim) { return Contains(space, dim); });
}

Space TileProgramBuilder::JoinedSpace(absl::Span<const ValueId> values) {
  for (const ValueId candidate : values) {
    const Space& space = SpaceOf(candidate);
    if (absl::c_all_of(values,
                       [&](ValueId other) { return Covers(space, other); })) {
      return space;
    }
  }
  Check(false,
        "no operand has all dimensions of the others: state the result's "
        "space");
  return {};
}

// ---- growth

ValueId TileProgramBuilder::Add(Op op, ElementType type, Space space) {
  // After an error values stand for nothing, but have to exist.
  const ValueId id = static_cast<ValueId>(program_.values.size());
  Value value;
  value.type = type;
  value.space = std::move(space);
  value.op = static_cast<OpId>(program_.ops.size());
  program_.values.push_back(std::move(value));
  usable_.push_back(true);
  op.results = {id};
  Append(std::move(op));
  return id;
}

void TileProgramBuilder::Append(Op op) {
  op.place = place_;
  program_.blocks[open_.back()].ops.push_back(
      static_cast<OpId>(program_.ops.size()));
  program_.ops.push_back(std::move(op));
}

BlockId TileProgramBuilder::OpenBlock() {
  const BlockId id = static_cast<BlockId>(program_.blocks.size());
  program_.blocks.emplace_back();
  open_.push_back(id);
  return id;
}

void TileProgramBuilder::CloseBlock(std::vector<ValueId> yields) {
  Block& block = program_.blocks[open_.back()];
  block.yields = std::move(yields);
  for (const ValueId param : block.params) usable_[param] = false;
  for (const OpId op : block.ops) {
    for (const ValueId result : program_.ops[op].results) {
      usable_[result] = false;
    }
  }
  open_.pop_back();
}

DimId TileProgramBuilder::AddDim(absl::string_view name, int64_t extent) {
  Check(extent >= 0, absl::StrCat("dimension ", name, " has the extent ",
                                  extent, ", 0 is the least"));
  program_.dims.push_back({std::string(name), extent});
  return static_cast<DimId>(program_.dims.size()) - 1;
}

ViewId TileProgramBuilder::AddView(View view) {
  for (const int64_t extent : view.shape) {
    Check(extent >= 0, absl::StrCat("view ", view.name, " has the extent ",
                                    extent, ", 0 is the least"));
  }
  program_.views.push_back(std::move(view));
  return static_cast<ViewId>(program_.views.size()) - 1;
}

// ---- scalars and elementwise operations

ValueId TileProgramBuilder::Constant(float value) {
  Op op;
  op.kind = OpKind::kConstant;
  op.constant = value;
  return Add(std::move(op), ElementType::kF32, {});
}

ValueId TileProgramBuilder::Index(int64_t value) {
  Op op;
  op.kind = OpKind::kConstant;
  op.integer = value;
  return Add(std::move(op), ElementType::kIndex, {});
}

ValueId TileProgramBuilder::Bool(bool value) {
  Op op;
  op.kind = OpKind::kConstant;
  op.integer = value ? 1 : 0;
  return Add(std::move(op), ElementType::kBool, {});
}

ValueId TileProgramBuilder::ProgramIndex() {
  Op op;
  op.kind = OpKind::kProgramIndex;
  return Add(std::move(op), ElementType::kIndex, {});
}

ValueId TileProgramBuilder::Iota(DimId dim) {
  if (!IsSpace({dim})) return Constant(0);
  Op op;
  op.kind = OpKind::kIota;
  op.dims = {dim};
  return Add(std::move(op), ElementType::kIndex, {dim});
}

ValueId TileProgramBuilder::Unary(UnaryKind kind, ValueId x) {
  Op op;
  op.kind = OpKind::kUnary;
  op.unary = kind;
  op.operands = {x};
  if (!IsUsable(x)) return Add(std::move(op), ElementType::kF32, {});
  const ElementType type = TypeOf(x);
  Check(kind == UnaryKind::kNot ? type == ElementType::kBool
                                : type == ElementType::kF32,
        absl::StrCat("this operation does not take ", Name(type),
                     ": cast to f32 first"));
  const Space space = SpaceOf(x);
  return Add(std::move(op), type, space);
}

ValueId TileProgramBuilder::Binary(BinaryKind kind, ValueId a, ValueId b) {
  if (!AreUsable({a, b})) return Constant(0);
  return Binary(kind, a, b, JoinedSpace({a, b}));
}

ValueId TileProgramBuilder::Binary(BinaryKind kind, ValueId a, ValueId b,
                                   Space space) {
  if (!AreUsable({a, b}) || !IsSpace(space)) return Constant(0);
  const ElementType type = TypeOf(a);
  Check(TypeOf(b) == type && Takes(kind, type),
        absl::StrCat("this operation does not take ", Name(type), " and ",
                     Name(TypeOf(b))));
  Check(Covers(space, a) && Covers(space, b),
        "the stated space lacks a dimension of an operand");
  if (kind == BinaryKind::kFloorDiv || kind == BinaryKind::kMod) {
    const OpId divisor = program_.values[b].op;
    Check(divisor >= 0 && program_.ops[divisor].kind == OpKind::kConstant &&
              program_.ops[divisor].integer > 0,
          "a divisor is a constant above 0");
  }
  Op op;
  op.kind = OpKind::kBinary;
  op.binary = kind;
  op.operands = {a, b};
  return Add(std::move(op), IsComparison(kind) ? ElementType::kBool : type,
             std::move(space));
}

ValueId TileProgramBuilder::Select(ValueId condition, ValueId then,
                                   ValueId otherwise) {
  if (!AreUsable({condition, then, otherwise})) return Constant(0);
  return Select(condition, then, otherwise,
                JoinedSpace({condition, then, otherwise}));
}

ValueId TileProgramBuilder::Select(ValueId condition, ValueId then,
                                   ValueId otherwise, Space space) {
  if (!AreUsable({condition, then, otherwise}) || !IsSpace(space)) {
    return Constant(0);
  }
  Check(TypeOf(condition) == ElementType::kBool,
        absl::StrCat("a condition is bool, not ", Name(TypeOf(condition))));
  Check(TypeOf(then) == TypeOf(otherwise),
        absl::StrCat("select between ", Name(TypeOf(then)), " and ",
                     Name(TypeOf(otherwise))));
  Check(Covers(space, condition) && Covers(space, then) &&
            Covers(space, otherwise),
        "the stated space lacks a dimension of an operand");
  Op op;
  op.kind = OpKind::kSelect;
  op.operands = {condition, then, otherwise};
  return Add(std::move(op), TypeOf(then), std::move(space));
}

ValueId TileProgramBuilder::Cast(ValueId x, ElementType type) {
  if (!IsUsable(x)) return Constant(0);
  Check(CanCast(TypeOf(x), type),
        absl::StrCat("no cast from ", Name(TypeOf(x)), " to ", Name(type)));
  Op op;
  op.kind = OpKind::kCast;
  op.operands = {x};
  const Space space = SpaceOf(x);
  return Add(std::move(op), type, space);
}

ValueId TileProgramBuilder::Broadcast(ValueId x, Space space) {
  if (!IsUsable(x) || !IsSpace(space)) return Constant(0);
  Check(Covers(space, x), "the stated space lacks a dimension of the tile");
  Op op;
  op.kind = OpKind::kBroadcast;
  op.operands = {x};
  return Add(std::move(op), TypeOf(x), std::move(space));
}

ValueId TileProgramBuilder::Relabel(ValueId x, Space space) {
  if (!IsUsable(x) || !IsSpace(space)) return Constant(0);
  const Space& from = SpaceOf(x);
  bool fits = from.size() == space.size();
  for (size_t i = 0; fits && i < space.size(); ++i) {
    fits = program_.Extent(from[i]) == program_.Extent(space[i]);
  }
  Check(fits, "the other dimensions have other extents");
  Op op;
  op.kind = OpKind::kRelabel;
  op.operands = {x};
  return Add(std::move(op), TypeOf(x), std::move(space));
}

ValueId TileProgramBuilder::Extract(ValueId x, std::vector<DimId> dims,
                                    std::vector<ValueId> indices) {
  if (!IsUsable(x) || !AreUsable(indices)) return Constant(0);
  bool fits = dims.size() == indices.size();
  Space rest = SpaceOf(x);
  for (size_t i = 0; fits && i < dims.size(); ++i) {
    const auto it = absl::c_find(rest, dims[i]);
    fits =
        it != rest.end() && IsIndex(indices[i]) && program_.Extent(dims[i]) > 0;
    if (fits) rest.erase(it);
  }
  Check(fits,
        "an extract names dimensions of its tile that have elements, and an "
        "index for each");
  Op op;
  op.kind = OpKind::kExtract;
  op.operands = {x};
  op.operands.insert(op.operands.end(), indices.begin(), indices.end());
  op.dims = std::move(dims);
  return Add(std::move(op), TypeOf(x), std::move(rest));
}

// ---- folds

ValueId TileProgramBuilder::Reduce(ReduceKind kind, ValueId x, DimId dim,
                                   ValueId limit) {
  if (!IsUsable(x) || (limit != kNoValue && !IsUsable(limit))) {
    return Constant(0);
  }
  Space rest = SpaceOf(x);
  const auto it = absl::c_find(rest, dim);
  if (!Check(it != rest.end() && program_.Extent(dim) > 0,
             "the reduced dimension is one of the tile's and has elements")) {
    return Constant(0);
  }
  rest.erase(it);
  Check(TypeOf(x) == ElementType::kF32,
        absl::StrCat("reductions take f32, not ", Name(TypeOf(x))));
  Check(limit == kNoValue || IsIndex(limit), "a limit is an index");
  Op op;
  op.kind = OpKind::kReduce;
  op.reduce = kind;
  op.operands = {x};
  op.dims = {dim};
  op.limit = limit;
  return Add(std::move(op), ElementType::kF32, std::move(rest));
}

ValueId TileProgramBuilder::Contract(ValueId lhs, ValueId rhs, ValueId seed,
                                     ValueId limit, bool reassociate) {
  if (!AreUsable({lhs, rhs, seed}) || (limit != kNoValue && !IsUsable(limit))) {
    return Constant(0);
  }
  Check(IsContractible(TypeOf(lhs)) && IsContractible(TypeOf(rhs)),
        absl::StrCat("a contraction takes f32, bf16 and f16, not ",
                     Name(TypeOf(lhs)), " and ", Name(TypeOf(rhs))));
  Check(TypeOf(seed) == ElementType::kF32,
        absl::StrCat(Name(TypeOf(seed)),
                     " MMA accumulation: accumulators are "
                     "f32"));
  Op op;
  op.kind = OpKind::kContract;
  op.operands = {lhs, rhs, seed};
  op.limit = limit;
  op.reassociate = reassociate;
  const Space& result = SpaceOf(seed);
  for (const DimId dim : SpaceOf(lhs)) {
    if (!Contains(result, dim)) op.dims.push_back(dim);
  }
  for (const DimId dim : SpaceOf(rhs)) {
    Check(Contains(result, dim) || Contains(op.dims, dim),
          "a dimension of rhs is neither contracted nor in the result");
  }
  Check(limit == kNoValue || (IsIndex(limit) && op.dims.size() == 1),
        "a limit is an index and needs a single contracted dimension");
  const Space space = result;
  return Add(std::move(op), ElementType::kF32, space);
}

ValueId TileProgramBuilder::MxContract(ValueId lhs, ValueId lhs_scale,
                                       ValueId rhs, ValueId rhs_scale,
                                       ValueId seed, ValueId limit) {
  if (!AreUsable({lhs, lhs_scale, rhs, rhs_scale, seed}) ||
      (limit != kNoValue && !IsUsable(limit))) {
    return Constant(0);
  }
  const Space& result = SpaceOf(seed);
  const auto inner = [&](ValueId value) {
    for (const DimId dim : SpaceOf(value)) {
      if (!Contains(result, dim)) return dim;
    }
    return kNoDim;
  };
  const DimId k = inner(lhs);
  const DimId group = inner(lhs_scale);
  const bool matrices = result.size() == 2 && SpaceOf(lhs).size() == 2 &&
                        SpaceOf(rhs).size() == 2 &&
                        SpaceOf(lhs_scale).size() == 2 &&
                        SpaceOf(rhs_scale).size() == 2;
  const bool fits =
      matrices && k != kNoDim && group != kNoDim && inner(rhs) == k &&
      inner(rhs_scale) == group &&
      program_.Extent(group) == CeilDivide(program_.Extent(k), kMxGroup);
  // Lines: the dimension of a matrix that is not contracted.
  const auto line = [&](ValueId value, DimId contracted) {
    const Space& space = SpaceOf(value);
    return space[0] == contracted ? space[1] : space[0];
  };
  Check(fits && line(lhs, k) == line(lhs_scale, group) &&
            line(rhs, k) == line(rhs_scale, group) &&
            line(lhs, k) != line(rhs, k) && Contains(result, line(lhs, k)) &&
            Contains(result, line(rhs, k)),
        "an MX contraction takes [m, k], [m, g], [k, n], [g, n] and [m, n], g "
        "being k / 32 rounded up");
  const ElementType a = TypeOf(lhs);
  const ElementType b = TypeOf(rhs);
  Check(
      (IsF8(a) && IsF8(b)) || (IsF4(a) && IsF4(b)),
      absl::StrCat("an MX contraction takes two FP8 or two FP4 operands, not ",
                   Name(a), " and ", Name(b)));
  Check(TypeOf(lhs_scale) == ElementType::kF8E8M0FNU &&
            TypeOf(rhs_scale) == ElementType::kF8E8M0FNU,
        "scales are f8E8M0FNU");
  Check(TypeOf(seed) == ElementType::kF32, "an MX accumulator is f32");
  Check(limit == kNoValue || IsIndex(limit), "a limit is an index");
  Op op;
  op.kind = OpKind::kMxContract;
  op.operands = {lhs, lhs_scale, rhs, rhs_scale, seed};
  op.dims = {k, group};
  op.limit = limit;
  const Space space = result;
  return Add(std::move(op), ElementType::kF32, space);
}

// ---- memory

bool TileProgramBuilder::CheckWindow(ViewId view, const Window& window) {
  if (!Check(view >= 0 && view < static_cast<ViewId>(program_.views.size()),
             absl::StrCat("there is no view ", view))) {
    return false;
  }
  const View& memory = program_.views[view];
  const size_t rank = memory.shape.size();
  if (!Check(window.origins.size() == rank && window.axes.size() == rank &&
                 (window.limits.empty() || window.limits.size() == rank),
             absl::StrCat("a window of view ", memory.name, " has ", rank,
                          " origins, axes and limits"))) {
    return false;
  }
  if (!AreUsable(window.origins)) return false;
  for (size_t i = 0; i < rank; ++i) {
    Check(IsIndex(window.origins[i]), "an origin is an index");
    if (window.limits.empty() || window.limits[i] == kNoValue) continue;
    if (!IsUsable(window.limits[i])) return false;
    Check(IsIndex(window.limits[i]) && window.axes[i] != kNoDim,
          "a limit is an index, for an axis that has a dimension");
  }
  return status_.ok();
}

ValueId TileProgramBuilder::Load(ViewId view, Window window) {
  if (!CheckWindow(view, window)) return Constant(0);
  Space space;
  for (const DimId dim : window.axes) {
    if (dim != kNoDim) space.push_back(dim);
  }
  if (!IsSpace(space)) return Constant(0);
  Op op;
  op.kind = OpKind::kLoad;
  op.view = view;
  op.operands = window.origins;
  op.window = std::move(window);
  return Add(std::move(op), program_.views[view].type, std::move(space));
}

void TileProgramBuilder::Store(ViewId view, Window window, ValueId x) {
  if (!CheckWindow(view, window) || !IsUsable(x)) return;
  std::vector<DimId> stored;
  for (const DimId dim : window.axes) {
    if (dim != kNoDim) stored.push_back(dim);
  }
  std::vector<DimId> given = SpaceOf(x);
  absl::c_sort(stored);
  absl::c_sort(given);
  Check(stored == given, "a store's window has the dimensions of its tile");
  Check(TypeOf(x) == program_.views[view].type,
        absl::StrCat("a tile of ", Name(TypeOf(x)), " stored to view ",
                     program_.views[view].name, " of ",
                     Name(program_.views[view].type)));
  Check(BitWidth(TypeOf(x)) >= 8,
        "4-bit elements cannot be stored: two programs may share a byte");
  Op op;
  op.kind = OpKind::kStore;
  op.view = view;
  op.operands = {x};
  op.operands.insert(op.operands.end(), window.origins.begin(),
                     window.origins.end());
  op.window = std::move(window);
  Append(std::move(op));
}

// ---- control flow

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
    Value value;
    value.type = type;
    value.space = std::move(space);
    value.block = block;
    program_.values.push_back(std::move(value));
    usable_.push_back(true);
    const ValueId id = static_cast<ValueId>(program_.values.size()) - 1;
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
  const OpId id = static_cast<OpId>(program_.ops.size());
  for (const ValueId value : carried) {
    Value result;
    result.type = TypeOf(value);
    result.space = SpaceOf(value);
    result.op = id;
    op.results.push_back(static_cast<ValueId>(program_.values.size()));
    program_.values.push_back(std::move(result));
    usable_.push_back(true);
  }
  std::vector<ValueId> results = op.results;
  Append(std::move(op));
  return results;
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
  const OpId id = static_cast<OpId>(program_.ops.size());
  for (const ValueId value : yields[0]) {
    Value result;
    result.type = TypeOf(value);
    result.space = SpaceOf(value);
    result.op = id;
    op.results.push_back(static_cast<ValueId>(program_.values.size()));
    program_.values.push_back(std::move(result));
    usable_.push_back(true);
  }
  std::vector<ValueId> results = op.results;
  Append(std::move(op));
  return results;
}

absl::StatusOr<TileProgram> TileProgramBuilder::Finish() && {
  if (!status_.ok()) return status_;
  open_.clear();
  return std::move(program_);
}

}  // namespace mxtile::exec::simd
