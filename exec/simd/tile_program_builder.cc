#include "exec/simd/tile_program_builder.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

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

bool TileProgramBuilder::Contains(absl::Span<const DimId> space, DimId dim) {
  return absl::c_linear_search(space, dim);
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

ValueId TileProgramBuilder::NewValue(ElementType type, Space space, OpId op,
                                     BlockId block) {
  Value value;
  value.type = type;
  value.space = std::move(space);
  value.op = op;
  value.block = block;
  program_.values.push_back(std::move(value));
  usable_.push_back(true);
  return static_cast<ValueId>(program_.values.size()) - 1;
}

ValueId TileProgramBuilder::Add(Op op, ElementType type, Space space) {
  // After an error values stand for nothing, but have to exist.
  const ValueId id =
      NewValue(type, std::move(space), static_cast<OpId>(program_.ops.size()),
               /*block=*/-1);
  op.results = {id};
  Append(std::move(op));
  return id;
}

std::vector<ValueId> TileProgramBuilder::AddLike(
    Op op, absl::Span<const ValueId> values) {
  const OpId id = static_cast<OpId>(program_.ops.size());
  for (const ValueId value : values) {
    const Space space = SpaceOf(value);
    op.results.push_back(NewValue(TypeOf(value), space, id, /*block=*/-1));
  }
  std::vector<ValueId> results = op.results;
  Append(std::move(op));
  return results;
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
  Check(!IsPacked(TypeOf(x)),
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

absl::StatusOr<TileProgram> TileProgramBuilder::Finish() && {
  if (!status_.ok()) return status_;
  open_.clear();
  return std::move(program_);
}

}  // namespace mxtile::exec::simd
