#include "exec/simd/testing/generated_tiles.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/int_math.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

constexpr size_t kMaxRank = 3;
constexpr int64_t kMaxVolume = 600;
// Multiplications of a contraction, with the repetitions of its loops.
constexpr int64_t kMaxWork = 6000;
constexpr size_t kMaxDims = 24;

bool Contains(const Space& space, DimId dim) {
  return absl::c_linear_search(space, dim);
}

}  // namespace

GeneratedTiles::GeneratedTiles(TileProgramBuilder* builder,
                               RandomSource* random,
                               std::map<std::string, int64_t>* features,
                               bool mx_contractions)
    : b_(*builder),
      random_(*random),
      features_(*features),
      memory_(builder, random, features, [this] { return AnyIndex(); }),
      mx_contractions_(mx_contractions) {}

// ---- values

ValueId GeneratedTiles::Keep(ValueId value) {
  pool_.push_back(value);
  return value;
}

ValueId GeneratedTiles::PickWhere(const std::function<bool(ValueId)>& holds) {
  std::vector<ValueId> fitting;
  for (const ValueId value : pool_) {
    if (holds(value)) fitting.push_back(value);
  }
  if (fitting.empty()) return kNoValue;
  // Half of the time one of the newest, which makes chains.
  const int64_t size = static_cast<int64_t>(fitting.size());
  const int64_t window = random_.Chance(50) ? std::min<int64_t>(size, 4) : size;
  return fitting[size - 1 - random_.Below(window)];
}

ValueId GeneratedTiles::Pick(ElementType type) {
  return PickWhere([&](ValueId v) { return TypeOf(v) == type; });
}

ValueId GeneratedTiles::PickOver(ElementType type, const Space& space) {
  return PickWhere(
      [&](ValueId v) { return TypeOf(v) == type && SpaceOf(v) == space; });
}

ValueId GeneratedTiles::Any() {
  const ValueId any = PickWhere([](ValueId) { return true; });
  return any != kNoValue ? any : AnyFloat();
}

ValueId GeneratedTiles::AnyIndex() {
  if (random_.Chance(70)) {
    const ValueId index = PickOver(ElementType::kIndex, {});
    if (index != kNoValue) return index;
  }
  return b_.ProgramIndex();
}

ValueId GeneratedTiles::AnyLimit(int64_t extent) {
  if (random_.Chance(30)) return b_.Index(random_.Below(extent + 3) - 1);
  const ValueId index = AnyIndex();
  return b_.Binary(BinaryKind::kSub,
                   b_.Binary(BinaryKind::kMod, index, b_.Index(extent + 3)),
                   b_.Index(1));
}

ValueId GeneratedTiles::AnyFloat() {
  if (random_.Chance(80)) {
    const ValueId x = Pick(ElementType::kF32);
    if (x != kNoValue) return x;
  }
  const Space space = RandomSpace(kMaxRank, kMaxVolume);
  if (random_.Chance(30)) {
    const ValueId own = memory_.LoadOwn(ElementType::kF32, space);
    if (own != kNoValue) return Keep(own);
  }
  return Keep(memory_.LoadInput(ElementType::kF32, space));
}

ValueId GeneratedTiles::FloatOver(const Space& space) {
  if (random_.Chance(75)) {
    const ValueId x = PickOver(ElementType::kF32, space);
    if (x != kNoValue) return x;
  }
  if (random_.Chance(50)) {
    const ValueId part = PickWhere([&](ValueId v) {
      return TypeOf(v) == ElementType::kF32 &&
             absl::c_all_of(SpaceOf(v),
                            [&](DimId dim) { return Contains(space, dim); });
    });
    if (part != kNoValue) return b_.Broadcast(part, space);
  }
  if (random_.Chance(30)) {
    const ValueId own = memory_.LoadOwn(ElementType::kF32, space);
    if (own != kNoValue) return Keep(own);
  }
  return Keep(memory_.LoadInput(ElementType::kF32, space));
}

ValueId GeneratedTiles::OperandOver(ElementType type, const Space& space) {
  if (type == ElementType::kF32) return FloatOver(space);
  const ValueId x = PickOver(type, space);
  return x != kNoValue ? x : Keep(memory_.LoadInput(type, space));
}

ValueId GeneratedTiles::AnyIndexTile() {
  if (random_.Chance(50)) {
    const ValueId tile = Pick(ElementType::kIndex);
    if (tile != kNoValue) return tile;
  }
  const Space space = RandomSpace(1, kMaxVolume);
  if (random_.Chance(40)) {
    return Keep(memory_.LoadInput(ElementType::kIndex, space));
  }
  return space.empty() ? AnyIndex() : Keep(b_.Iota(space[0]));
}

ValueId GeneratedTiles::AnyBool() {
  const ValueId tile = Pick(ElementType::kBool);
  if (tile != kNoValue && random_.Chance(70)) return tile;
  if (random_.Chance(20)) {
    const Space space = RandomSpace(2, kMaxVolume);
    return Keep(memory_.LoadInput(ElementType::kBool, space));
  }
  AddComparison();
  return pool_.back();
}

ValueId GeneratedTiles::Condition() {
  const int64_t how = random_.Below(4);
  if (how == 0) {
    Note("condition on the instance");
    const int64_t divisor = 2 + random_.Below(3);
    return b_.Binary(
        BinaryKind::kEq,
        b_.Binary(BinaryKind::kMod, b_.ProgramIndex(), b_.Index(divisor)),
        b_.Index(1));
  }
  if (how == 1) {
    Note("known condition");
    return b_.Bool(random_.Chance(50));
  }
  if (how == 2) {
    Note("condition on an index");
    const ValueId index = AnyIndex();
    return b_.Binary(BinaryKind::kLt, index, b_.Index(random_.Below(5)));
  }
  Note("condition on data");
  const ValueId tile = AnyBool();
  const Space space = SpaceOf(tile);
  std::vector<ValueId> indices;
  for (const DimId dim : space) {
    if (Extent(dim) == 0) return b_.Bool(true);
    indices.push_back(AnyIndex());
  }
  return b_.Extract(tile, space, indices);
}

ValueId GeneratedTiles::RandomConstant() {
  return b_.Constant(
      random_.OneOf({0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 3.0f, -1e30f, 0.1f}));
}

ValueId GeneratedTiles::Tame(ValueId x) {
  if (random_.Chance(25)) return x;
  return b_.Binary(BinaryKind::kMax,
                   b_.Binary(BinaryKind::kMin, x, b_.Constant(8)),
                   b_.Constant(-8));
}

// ---- spaces

Space GeneratedTiles::RandomSpace(size_t max_rank, int64_t max_volume) {
  std::vector<DimId> dims;
  for (size_t i = 0; i < b_.program().dims.size(); ++i) {
    dims.push_back(static_cast<DimId>(i));
  }
  random_.Shuffle(dims);
  const size_t rank = static_cast<size_t>(random_.Below(max_rank + 1));
  Space space;
  int64_t volume = 1;
  for (const DimId dim : dims) {
    if (space.size() == rank) break;
    if (Extent(dim) == 0 || volume * Extent(dim) > max_volume) continue;
    space.push_back(dim);
    volume *= Extent(dim);
  }
  return space;
}

DimId GeneratedTiles::BlockDim(const Space& space) {
  std::vector<DimId> dims;
  for (size_t i = 0; i < b_.program().dims.size(); ++i) {
    const DimId dim = static_cast<DimId>(i);
    if (Extent(dim) >= 2 && !Contains(space, dim)) dims.push_back(dim);
  }
  return dims.empty() ? b_.AddDim("block", 4) : random_.OneOf(dims);
}

Space GeneratedTiles::Union(const Space& a, const Space& b) const {
  Space all = a;
  for (const DimId dim : b) {
    if (!Contains(all, dim)) all.push_back(dim);
  }
  return all;
}

// ---- operations

void GeneratedTiles::AddOperation() {
  const int64_t how = random_.Below(100);
  if (how < 10) return AddUnary();
  if (how < 26) return AddBinary();
  if (how < 31) return AddComparison();
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

void GeneratedTiles::AddUnary() {
  const ValueId x = AnyFloat();
  const UnaryKind kind = random_.OneOf(
      {UnaryKind::kNeg, UnaryKind::kAbs, UnaryKind::kExp, UnaryKind::kSqrt,
       UnaryKind::kRsqrt, UnaryKind::kRecip, UnaryKind::kRelu});
  if (kind == UnaryKind::kExp) {
    Keep(b_.Unary(kind, Tame(x)));
  } else if (kind == UnaryKind::kSqrt || kind == UnaryKind::kRsqrt) {
    const ValueId magnitude =
        random_.Chance(70) ? b_.Unary(UnaryKind::kAbs, x) : x;
    Keep(Tame(b_.Unary(kind, magnitude)));
  } else {
    Keep(b_.Unary(kind, x));
  }
}

void GeneratedTiles::AddBinary() {
  const BinaryKind kind = random_.OneOf(
      {BinaryKind::kAdd, BinaryKind::kSub, BinaryKind::kMul, BinaryKind::kMul,
       BinaryKind::kMax, BinaryKind::kMin, BinaryKind::kDiv});
  ValueId a = AnyFloat();
  ValueId b = random_.Chance(25) ? RandomConstant() : AnyFloat();
  if (Volume(Union(SpaceOf(a), SpaceOf(b))) > kMaxVolume) b = RandomConstant();
  if (random_.Chance(50)) std::swap(a, b);
  Space space = Union(SpaceOf(a), SpaceOf(b));
  if (random_.Chance(20)) random_.Shuffle(space);
  const ValueId result = b_.Binary(kind, a, b, space);
  const bool grows = kind == BinaryKind::kMul || kind == BinaryKind::kDiv;
  Keep(grows ? Tame(result) : result);
}

void GeneratedTiles::AddComparison() {
  const BinaryKind kind =
      random_.OneOf({BinaryKind::kLt, BinaryKind::kLe, BinaryKind::kGt,
                     BinaryKind::kGe, BinaryKind::kEq, BinaryKind::kNe});
  const bool floats = random_.Chance(60);
  const ValueId a = floats ? AnyFloat() : AnyIndexTile();
  ValueId b = floats ? AnyFloat() : AnyIndexTile();
  if (Volume(Union(SpaceOf(a), SpaceOf(b))) > kMaxVolume) {
    b = floats ? RandomConstant() : b_.Index(3);
  }
  Keep(b_.Binary(kind, a, b, Union(SpaceOf(a), SpaceOf(b))));
}

void GeneratedTiles::AddIndexOperation() {
  const BinaryKind kind = random_.OneOf(
      {BinaryKind::kAdd, BinaryKind::kSub, BinaryKind::kMul, BinaryKind::kMax,
       BinaryKind::kMin, BinaryKind::kFloorDiv, BinaryKind::kMod});
  const ValueId a = AnyIndexTile();
  if (kind == BinaryKind::kFloorDiv || kind == BinaryKind::kMod) {
    const int64_t divisor = random_.OneOf<int64_t>({1, 2, 3, 7, 8});
    Keep(b_.Binary(kind, a, b_.Index(divisor)));
    return;
  }
  ValueId b = AnyIndexTile();
  if (random_.Chance(30) ||
      Volume(Union(SpaceOf(a), SpaceOf(b))) > kMaxVolume) {
    b = b_.Index(random_.Below(20) - 10);
  }
  Keep(b_.Binary(kind, a, b, Union(SpaceOf(a), SpaceOf(b))));
}

void GeneratedTiles::AddLogic() {
  const ValueId a = AnyBool();
  const int64_t how = random_.Below(3);
  if (how == 0) {
    Keep(b_.Unary(UnaryKind::kNot, a));
    return;
  }
  ValueId b = AnyBool();
  if (Volume(Union(SpaceOf(a), SpaceOf(b))) > kMaxVolume) b = b_.Bool(true);
  Keep(b_.Binary(how == 1 ? BinaryKind::kAnd : BinaryKind::kOr, a, b,
                 Union(SpaceOf(a), SpaceOf(b))));
}

void GeneratedTiles::AddSelect() {
  const ValueId condition = AnyBool();
  const ValueId then = random_.Chance(80) ? AnyFloat() : Any();
  ValueId otherwise = Pick(TypeOf(then));
  if (TypeOf(then) == ElementType::kF32 && random_.Chance(30)) {
    otherwise = RandomConstant();
  }
  if (otherwise == kNoValue) otherwise = then;
  const Space space =
      Union(SpaceOf(condition), Union(SpaceOf(then), SpaceOf(otherwise)));
  if (Volume(space) > kMaxVolume) return;
  Keep(b_.Select(condition, then, otherwise, space));
}

void GeneratedTiles::AddCast() {
  const int64_t how = random_.Below(4);
  if (how == 0) {
    Keep(b_.Cast(AnyIndexTile(), ElementType::kF32));
  } else if (how == 1) {
    const ElementType type =
        random_.OneOf({ElementType::kBF16, ElementType::kF16});
    Keep(b_.Cast(AnyFloat(), type));
  } else {
    const ElementType type = random_.OneOf(
        {ElementType::kBF16, ElementType::kF16, ElementType::kF8E4M3FN,
         ElementType::kF8E5M2, ElementType::kF4E2M1FN, ElementType::kF4E1M2});
    const ValueId narrow = Pick(type);
    const ValueId x =
        narrow != kNoValue && random_.Chance(50)
            ? narrow
            : Keep(memory_.LoadInput(type, RandomSpace(kMaxRank, kMaxVolume)));
    Keep(b_.Cast(x, ElementType::kF32));
  }
}

void GeneratedTiles::AddBroadcast() {
  const ValueId x = Any();
  const Space more = RandomSpace(2, kMaxVolume);
  Space space = Union(SpaceOf(x), more);
  if (Volume(space) > kMaxVolume || space.size() > kMaxRank) {
    space = SpaceOf(x);
  }
  random_.Shuffle(space);
  Keep(b_.Broadcast(x, space));
}

void GeneratedTiles::AddRelabel() {
  const ValueId x = Any();
  Space space;
  for (const DimId dim : SpaceOf(x)) {
    std::vector<DimId> twins;
    for (size_t i = 0; i < b_.program().dims.size(); ++i) {
      const DimId other = static_cast<DimId>(i);
      if (Extent(other) == Extent(dim) && !Contains(space, other)) {
        twins.push_back(other);
      }
    }
    if (twins.size() < 2 && b_.program().dims.size() < kMaxDims) {
      twins.push_back(b_.AddDim("twin", Extent(dim)));
    }
    if (twins.empty()) return;
    space.push_back(random_.OneOf(twins));
  }
  Keep(b_.Relabel(x, space));
}

void GeneratedTiles::AddExtract() {
  const ValueId x = PickWhere(
      [&](ValueId v) { return !SpaceOf(v).empty() && Volume(SpaceOf(v)) > 0; });
  if (x == kNoValue) return;
  Space dims = SpaceOf(x);
  random_.Shuffle(dims);
  dims.resize(1 + random_.Below(static_cast<int64_t>(dims.size())));
  std::vector<ValueId> indices;
  for (const DimId dim : dims) {
    if (random_.Chance(30)) {
      indices.push_back(b_.Index(random_.Below(Extent(dim) + 4) - 2));
    } else {
      Note("extract at a dynamic index");
      indices.push_back(AnyIndex());
    }
  }
  Keep(b_.Extract(x, dims, indices));
}

void GeneratedTiles::AddReduce() {
  const ValueId x = PickWhere([&](ValueId v) {
    return TypeOf(v) == ElementType::kF32 && !SpaceOf(v).empty() &&
           Volume(SpaceOf(v)) > 0;
  });
  if (x == kNoValue) return AddLoad();
  const ReduceKind kind = random_.OneOf(
      {ReduceKind::kSum, ReduceKind::kSum, ReduceKind::kMax, ReduceKind::kMin});
  const DimId dim = random_.OneOf(SpaceOf(x));
  ValueId limit = kNoValue;
  if (random_.Chance(30)) {
    Note("reduction with a limit");
    limit = AnyLimit(Extent(dim));
  }
  Keep(b_.Reduce(kind, x, dim, limit));
}

void GeneratedTiles::AddContract() {
  const Space result = RandomSpace(kMaxRank, 256);
  const int64_t work = std::max<int64_t>(Volume(result), 1) * repeats_;
  Space contracted;
  int64_t terms = 1;
  for (int tries = static_cast<int>(random_.Below(5)); tries >= 0; --tries) {
    const DimId dim = static_cast<DimId>(
        random_.Below(static_cast<int64_t>(b_.program().dims.size())));
    if (Contains(result, dim) || Contains(contracted, dim) ||
        contracted.size() == 2 || terms * Extent(dim) * work > kMaxWork ||
        (!contracted.empty() && random_.Chance(70))) {
      continue;
    }
    contracted.push_back(dim);
    terms *= Extent(dim);
  }
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
  const ValueId a = OperandOver(lhs_type, lhs);
  const ValueId b = OperandOver(rhs_type, rhs);
  ValueId seed = kNoValue;
  if (random_.Chance(40)) {
    const ValueId zero = b_.Constant(random_.Chance(80) ? 0.0f : -0.0f);
    seed = b_.Broadcast(zero, result);
  } else {
    seed = FloatOver(result);
  }
  ValueId limit = kNoValue;
  if (contracted.size() == 1 && random_.Chance(25)) {
    Note("contraction with a limit");
    limit = AnyLimit(Extent(contracted[0]));
  }
  if (terms == 0) Note("contraction of nothing");
  if (contracted.empty()) Note("contraction without dimensions");
  if (contracted.size() == 2) Note("contraction of two dimensions");
  if (terms > 64) Note("contraction of more than 64 terms");
  if (Volume(result) > 64) Note("contraction to more than 64 elements");
  Keep(Tame(b_.Contract(a, b, seed, limit)));
}

void GeneratedTiles::AddMxContract() {
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
    return memory_.LoadInput(type, space);
  };
  const ElementType lhs_type = any_type();
  const ElementType rhs_type = any_type();
  const ValueId lhs = load(lhs_type, m, k);
  const ValueId lhs_scale = load(ElementType::kF8E8M0FNU, m, g);
  const ValueId rhs = load(rhs_type, k, n);
  const ValueId rhs_scale = load(ElementType::kF8E8M0FNU, g, n);
  const ValueId seed =
      FloatOver(random_.Chance(70) ? Space{m, n} : Space{n, m});
  const ValueId limit = random_.Chance(25) ? AnyLimit(terms) : kNoValue;
  if (limit != kNoValue) Note("MX contraction with a limit");
  Keep(Tame(b_.MxContract(lhs, lhs_scale, rhs, rhs_scale, seed, limit)));
}

void GeneratedTiles::AddLoad() {
  const ElementType type = random_.OneOf(
      {ElementType::kF32, ElementType::kF32, ElementType::kF32,
       ElementType::kBF16, ElementType::kF16, ElementType::kIndex,
       ElementType::kBool, ElementType::kF8E4M3FN, ElementType::kF4E2M1FN});
  const Space space = RandomSpace(kMaxRank, kMaxVolume);
  Keep(memory_.LoadInput(type, space));
}

}  // namespace mxtile::exec::simd
