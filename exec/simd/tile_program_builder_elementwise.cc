// Scalars, elementwise operations, and what puts elements elsewhere.

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

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

bool CanCast(ElementType from, ElementType to) {
  if (to == ElementType::kF32) {
    return IsFloat(from) || from == ElementType::kIndex;
  }
  return from == ElementType::kF32 &&
         (to == ElementType::kBF16 || to == ElementType::kF16);
}

}  // namespace

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

}  // namespace mxtile::exec::simd
