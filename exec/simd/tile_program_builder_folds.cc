// Reductions and contractions.

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/int_math.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

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

// "contract: BF16 MMA accumulation ..."
std::string AccumulationError(OpKind kind, ElementType type) {
  return absl::StrCat(Name(kind), ": ", absl::AsciiStrToUpper(Name(type)),
                      " MMA accumulation: an accumulator is f32; cast the seed "
                      "to f32");
}

}  // namespace

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
        AccumulationError(OpKind::kContract, TypeOf(seed)));
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
  Check(TypeOf(seed) == ElementType::kF32,
        AccumulationError(OpKind::kMxContract, TypeOf(seed)));
  Check(limit == kNoValue || IsIndex(limit), "a limit is an index");
  Op op;
  op.kind = OpKind::kMxContract;
  op.operands = {lhs, lhs_scale, rhs, rhs_scale, seed};
  op.dims = {k, group};
  op.limit = limit;
  const Space space = result;
  return Add(std::move(op), ElementType::kF32, space);
}

}  // namespace mxtile::exec::simd
