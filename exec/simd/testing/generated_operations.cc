#include "exec/simd/testing/generated_operations.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/int_math.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/generated_values.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

constexpr size_t kMaxRank = GeneratedValues::kMaxRank;
constexpr int64_t kMaxVolume = GeneratedValues::kMaxVolume;
// Multiplications of a contraction, with the repetitions of its loops.
constexpr int64_t kMaxWork = 6000;
constexpr size_t kMaxDims = 24;

bool Contains(const Space& space, DimId dim) {
  return absl::c_linear_search(space, dim);
}

}  // namespace

void GeneratedOperations::Add() {
  const int64_t how = random_.Below(100);
  if (how < 10) return AddUnary();
  if (how < 26) return AddBinary();
  if (how < 31) {
    v_.Compare();
    return;
  }
  if (how < 39) return AddIndexOperation();
  if (how < 42) return AddLogic();
  if (how < 48) return AddSelect();
  if (how < 54) return AddCast();
  if (how < 58) return AddBroadcast();
  if (how < 62) return AddRelabel();
  if (how < 68) return AddExtract();
  if (how < 76) return AddReduce();
  if (how < 92) return AddContract();
  if (how < 95) return AddMxContract();
  AddLoad();
}

void GeneratedOperations::AddUnary() {
  const ValueId x = v_.AnyFloat();
  const UnaryKind kind = random_.OneOf(
      {UnaryKind::kNeg, UnaryKind::kAbs, UnaryKind::kExp, UnaryKind::kSqrt,
       UnaryKind::kRsqrt, UnaryKind::kRecip, UnaryKind::kRelu});
  if (kind == UnaryKind::kExp) {
    v_.Keep(b_.Unary(kind, v_.Tame(x)));
  } else if (kind == UnaryKind::kSqrt || kind == UnaryKind::kRsqrt) {
    const ValueId magnitude =
        random_.Chance(70) ? b_.Unary(UnaryKind::kAbs, x) : x;
    v_.Keep(v_.Tame(b_.Unary(kind, magnitude)));
  } else {
    v_.Keep(b_.Unary(kind, x));
  }
}

void GeneratedOperations::AddBinary() {
  const BinaryKind kind = random_.OneOf(
      {BinaryKind::kAdd, BinaryKind::kSub, BinaryKind::kMul, BinaryKind::kMul,
       BinaryKind::kMax, BinaryKind::kMin, BinaryKind::kDiv});
  ValueId a = v_.AnyFloat();
  ValueId b = random_.Chance(25) ? v_.RandomConstant() : v_.AnyFloat();
  if (v_.Volume(v_.Union(v_.SpaceOf(a), v_.SpaceOf(b))) > kMaxVolume)
    b = v_.RandomConstant();
  if (random_.Chance(50)) std::swap(a, b);
  Space space = v_.Union(v_.SpaceOf(a), v_.SpaceOf(b));
  if (random_.Chance(20)) random_.Shuffle(space);
  const ValueId result = b_.Binary(kind, a, b, space);
  const bool grows = kind == BinaryKind::kMul || kind == BinaryKind::kDiv;
  v_.Keep(grows ? v_.Tame(result) : result);
}

void GeneratedOperations::AddIndexOperation() {
  const BinaryKind kind = random_.OneOf(
      {BinaryKind::kAdd, BinaryKind::kSub, BinaryKind::kMul, BinaryKind::kMax,
       BinaryKind::kMin, BinaryKind::kFloorDiv, BinaryKind::kMod});
  const ValueId a = v_.AnyIndexTile();
  if (kind == BinaryKind::kFloorDiv || kind == BinaryKind::kMod) {
    const int64_t divisor = random_.OneOf<int64_t>({1, 2, 3, 7, 8});
    v_.Keep(b_.Binary(kind, a, b_.Index(divisor)));
    return;
  }
  ValueId b = v_.AnyIndexTile();
  if (random_.Chance(30) ||
      v_.Volume(v_.Union(v_.SpaceOf(a), v_.SpaceOf(b))) > kMaxVolume) {
    b = b_.Index(random_.Below(20) - 10);
  }
  v_.Keep(b_.Binary(kind, a, b, v_.Union(v_.SpaceOf(a), v_.SpaceOf(b))));
}

void GeneratedOperations::AddLogic() {
  const ValueId a = v_.AnyBool();
  const int64_t how = random_.Below(3);
  if (how == 0) {
    v_.Keep(b_.Unary(UnaryKind::kNot, a));
    return;
  }
  ValueId b = v_.AnyBool();
  if (v_.Volume(v_.Union(v_.SpaceOf(a), v_.SpaceOf(b))) > kMaxVolume)
    b = b_.Bool(true);
  v_.Keep(b_.Binary(how == 1 ? BinaryKind::kAnd : BinaryKind::kOr, a, b,
                    v_.Union(v_.SpaceOf(a), v_.SpaceOf(b))));
}

void GeneratedOperations::AddSelect() {
  const ValueId condition = v_.AnyBool();
  const ValueId then = random_.Chance(80) ? v_.AnyFloat() : v_.Any();
  ValueId otherwise = v_.Pick(v_.TypeOf(then));
  if (v_.TypeOf(then) == ElementType::kF32 && random_.Chance(30)) {
    otherwise = v_.RandomConstant();
  }
  if (otherwise == kNoValue) otherwise = then;
  const Space space = v_.Union(
      v_.SpaceOf(condition), v_.Union(v_.SpaceOf(then), v_.SpaceOf(otherwise)));
  if (v_.Volume(space) > kMaxVolume) return;
  v_.Keep(b_.Select(condition, then, otherwise, space));
}

void GeneratedOperations::AddCast() {
  const int64_t how = random_.Below(4);
  if (how == 0) {
    v_.Keep(b_.Cast(v_.AnyIndexTile(), ElementType::kF32));
  } else if (how == 1) {
    const ElementType type =
        random_.OneOf({ElementType::kBF16, ElementType::kF16});
    v_.Keep(b_.Cast(v_.AnyFloat(), type));
  } else {
    const ElementType type = random_.OneOf(
        {ElementType::kBF16, ElementType::kF16, ElementType::kF8E4M3FN,
         ElementType::kF8E5M2, ElementType::kF4E2M1FN, ElementType::kF4E1M2});
    const ValueId narrow = v_.Pick(type);
    const ValueId x = narrow != kNoValue && random_.Chance(50)
                          ? narrow
                          : v_.Keep(v_.memory().LoadInput(
                                type, v_.RandomSpace(kMaxRank, kMaxVolume)));
    v_.Keep(b_.Cast(x, ElementType::kF32));
  }
}

void GeneratedOperations::AddBroadcast() {
  const ValueId x = v_.Any();
  const Space more = v_.RandomSpace(2, kMaxVolume);
  Space space = v_.Union(v_.SpaceOf(x), more);
  if (v_.Volume(space) > kMaxVolume || space.size() > kMaxRank) {
    space = v_.SpaceOf(x);
  }
  random_.Shuffle(space);
  v_.Keep(b_.Broadcast(x, space));
}

void GeneratedOperations::AddRelabel() {
  const ValueId x = v_.Any();
  Space space;
  for (const DimId dim : v_.SpaceOf(x)) {
    std::vector<DimId> twins;
    for (size_t i = 0; i < b_.program().dims.size(); ++i) {
      const DimId other = static_cast<DimId>(i);
      if (v_.Extent(other) == v_.Extent(dim) && !Contains(space, other)) {
        twins.push_back(other);
      }
    }
    if (twins.size() < 2 && b_.program().dims.size() < kMaxDims) {
      twins.push_back(b_.AddDim("twin", v_.Extent(dim)));
    }
    if (twins.empty()) return;
    space.push_back(random_.OneOf(twins));
  }
  v_.Keep(b_.Relabel(x, space));
}

void GeneratedOperations::AddExtract() {
  const ValueId x = v_.PickWhere([&](ValueId v) {
    return !v_.SpaceOf(v).empty() && v_.Volume(v_.SpaceOf(v)) > 0;
  });
  if (x == kNoValue) return;
  Space dims = v_.SpaceOf(x);
  random_.Shuffle(dims);
  dims.resize(1 + random_.Below(static_cast<int64_t>(dims.size())));
  std::vector<ValueId> indices;
  for (const DimId dim : dims) {
    if (random_.Chance(30)) {
      indices.push_back(b_.Index(random_.Below(v_.Extent(dim) + 4) - 2));
    } else {
      v_.Note("extract at a dynamic index");
      indices.push_back(v_.AnyIndex());
    }
  }
  v_.Keep(b_.Extract(x, dims, indices));
}

void GeneratedOperations::AddReduce() {
  const ValueId x = v_.PickWhere([&](ValueId v) {
    return v_.TypeOf(v) == ElementType::kF32 && !v_.SpaceOf(v).empty() &&
           v_.Volume(v_.SpaceOf(v)) > 0;
  });
  if (x == kNoValue) return AddLoad();
  const ReduceKind kind = random_.OneOf(
      {ReduceKind::kSum, ReduceKind::kSum, ReduceKind::kMax, ReduceKind::kMin});
  const DimId dim = random_.OneOf(v_.SpaceOf(x));
  ValueId limit = kNoValue;
  if (random_.Chance(30)) {
    v_.Note("reduction with a limit");
    limit = v_.AnyLimit(v_.Extent(dim));
  }
  v_.Keep(b_.Reduce(kind, x, dim, limit));
}

Space GeneratedOperations::ContractedDims(const Space& result) {
  const int64_t work = std::max<int64_t>(v_.Volume(result), 1) * v_.repeats();
  Space contracted;
  int64_t terms = 1;
  for (int tries = static_cast<int>(random_.Below(5)); tries >= 0; --tries) {
    const DimId dim = static_cast<DimId>(
        random_.Below(static_cast<int64_t>(b_.program().dims.size())));
    if (Contains(result, dim) || Contains(contracted, dim) ||
        contracted.size() == 2 || terms * v_.Extent(dim) * work > kMaxWork ||
        (!contracted.empty() && random_.Chance(70))) {
      continue;
    }
    contracted.push_back(dim);
    terms *= v_.Extent(dim);
  }
  return contracted;
}

void GeneratedOperations::NoteContraction(const Space& result,
                                          const Space& contracted) {
  const int64_t terms = v_.Volume(contracted);
  if (terms == 0) v_.Note("contraction of nothing");
  if (contracted.empty()) v_.Note("contraction without dimensions");
  if (contracted.size() == 2) v_.Note("contraction of two dimensions");
  if (terms > 64) v_.Note("contraction of more than 64 terms");
  if (v_.Volume(result) > 64) v_.Note("contraction to more than 64 elements");
}

void GeneratedOperations::AddContract() {
  const Space result = v_.RandomSpace(kMaxRank, 256);
  const Space contracted = ContractedDims(result);
  Space lhs;
  Space rhs;
  for (const DimId dim : result) {
    const int64_t where = random_.Below(10);
    if (where < 5 || where == 9) lhs.push_back(dim);
    if (where >= 5) rhs.push_back(dim);  // 9: a batch.
  }
  for (const DimId dim : contracted) {
    lhs.push_back(dim);
    if (random_.Chance(90)) rhs.push_back(dim);
  }
  for (Space* space : {&lhs, &rhs}) {
    if (random_.Chance(50)) random_.Shuffle(*space);
  }
  const auto any_type = [&] {
    return random_.Chance(75)
               ? ElementType::kF32
               : random_.OneOf({ElementType::kBF16, ElementType::kF16});
  };
  const ElementType lhs_type = any_type();
  const ElementType rhs_type = any_type();
  const ValueId a = v_.OperandOver(lhs_type, lhs);
  const ValueId b = v_.OperandOver(rhs_type, rhs);
  ValueId seed = kNoValue;
  if (random_.Chance(40)) {
    const ValueId zero = b_.Constant(random_.Chance(80) ? 0.0f : -0.0f);
    seed = b_.Broadcast(zero, result);
  } else {
    seed = v_.FloatOver(result);
  }
  ValueId limit = kNoValue;
  if (contracted.size() == 1 && random_.Chance(25)) {
    v_.Note("contraction with a limit");
    limit = v_.AnyLimit(v_.Extent(contracted[0]));
  }
  NoteContraction(result, contracted);
  v_.Keep(v_.Tame(b_.Contract(a, b, seed, limit)));
}

void GeneratedOperations::AddMxContract() {
  if (!mx_contractions_ || b_.program().dims.size() + 4 > kMaxDims) return;
  const DimId m = b_.AddDim("m", 1 + random_.Below(5));
  const DimId n = b_.AddDim("n", 1 + random_.Below(9));
  const int64_t terms = random_.OneOf<int64_t>({0, 1, 31, 32, 33, 64, 70});
  const DimId k = b_.AddDim("k", terms);
  const DimId g = b_.AddDim("g", CeilDivide(terms, kMxGroup));
  const bool f8 = random_.Chance(50);
  const auto any_type = [&] {
    return f8 ? random_.OneOf({ElementType::kF8E4M3FN, ElementType::kF8E5M2})
              : random_.OneOf({ElementType::kF4E2M1FN, ElementType::kF4E1M2});
  };
  const auto load = [&](ElementType type, DimId a, DimId b) {
    const Space space = random_.Chance(50) ? Space{a, b} : Space{b, a};
    return v_.memory().LoadInput(type, space);
  };
  const ElementType lhs_type = any_type();
  const ElementType rhs_type = any_type();
  const ValueId lhs = load(lhs_type, m, k);
  const ValueId lhs_scale = load(ElementType::kF8E8M0FNU, m, g);
  const ValueId rhs = load(rhs_type, k, n);
  const ValueId rhs_scale = load(ElementType::kF8E8M0FNU, g, n);
  const ValueId seed =
      v_.FloatOver(random_.Chance(70) ? Space{m, n} : Space{n, m});
  const ValueId limit = random_.Chance(25) ? v_.AnyLimit(terms) : kNoValue;
  if (limit != kNoValue) v_.Note("MX contraction with a limit");
  v_.Keep(v_.Tame(b_.MxContract(lhs, lhs_scale, rhs, rhs_scale, seed, limit)));
}

void GeneratedOperations::AddLoad() {
  const ElementType type = random_.OneOf(
      {ElementType::kF32, ElementType::kF32, ElementType::kF32,
       ElementType::kBF16, ElementType::kF16, ElementType::kIndex,
       ElementType::kBool, ElementType::kF8E4M3FN, ElementType::kF4E2M1FN});
  const Space space = v_.RandomSpace(kMaxRank, kMaxVolume);
  v_.Keep(v_.memory().LoadInput(type, space));
}

}  // namespace mxtile::exec::simd
