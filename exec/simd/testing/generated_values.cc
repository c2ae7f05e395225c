#include "exec/simd/testing/generated_values.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

bool Contains(const Space& space, DimId dim) {
  return absl::c_linear_search(space, dim);
}

}  // namespace

GeneratedValues::GeneratedValues(TileProgramBuilder* builder,
                                 RandomSource* random,
                                 std::map<std::string, int64_t>* features)
    : b_(*builder),
      random_(*random),
      features_(*features),
      memory_(builder, random, features, [this] { return AnyIndex(); }) {}

// ---- values

ValueId GeneratedValues::Keep(ValueId value) {
  pool_.push_back(value);
  return value;
}

ValueId GeneratedValues::PickWhere(const std::function<bool(ValueId)>& holds) {
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

ValueId GeneratedValues::Pick(ElementType type) {
  return PickWhere([&](ValueId v) { return TypeOf(v) == type; });
}

ValueId GeneratedValues::PickOver(ElementType type, const Space& space) {
  return PickWhere(
      [&](ValueId v) { return TypeOf(v) == type && SpaceOf(v) == space; });
}

ValueId GeneratedValues::Any() {
  const ValueId any = PickWhere([](ValueId) { return true; });
  return any != kNoValue ? any : AnyFloat();
}

ValueId GeneratedValues::AnyIndex() {
  if (random_.Chance(70)) {
    const ValueId index = PickOver(ElementType::kIndex, {});
    if (index != kNoValue) return index;
  }
  return b_.ProgramIndex();
}

ValueId GeneratedValues::AnyLimit(int64_t extent) {
  if (random_.Chance(30)) return b_.Index(random_.Below(extent + 3) - 1);
  const ValueId index = AnyIndex();
  return b_.Binary(BinaryKind::kSub,
                   b_.Binary(BinaryKind::kMod, index, b_.Index(extent + 3)),
                   b_.Index(1));
}

ValueId GeneratedValues::AnyFloat() {
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

ValueId GeneratedValues::FloatOver(const Space& space) {
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

ValueId GeneratedValues::OperandOver(ElementType type, const Space& space) {
  if (type == ElementType::kF32) return FloatOver(space);
  const ValueId x = PickOver(type, space);
  return x != kNoValue ? x : Keep(memory_.LoadInput(type, space));
}

ValueId GeneratedValues::AnyIndexTile() {
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

ValueId GeneratedValues::AnyBool() {
  const ValueId tile = Pick(ElementType::kBool);
  if (tile != kNoValue && random_.Chance(70)) return tile;
  if (random_.Chance(20)) {
    const Space space = RandomSpace(2, kMaxVolume);
    return Keep(memory_.LoadInput(ElementType::kBool, space));
  }
  return Compare();
}

ValueId GeneratedValues::Condition() {
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

ValueId GeneratedValues::RandomConstant() {
  return b_.Constant(
      random_.OneOf({0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 3.0f, -1e30f, 0.1f}));
}

ValueId GeneratedValues::Tame(ValueId x) {
  if (random_.Chance(25)) return x;
  return b_.Binary(BinaryKind::kMax,
                   b_.Binary(BinaryKind::kMin, x, b_.Constant(8)),
                   b_.Constant(-8));
}

ValueId GeneratedValues::Compare() {
  const BinaryKind kind =
      random_.OneOf({BinaryKind::kLt, BinaryKind::kLe, BinaryKind::kGt,
                     BinaryKind::kGe, BinaryKind::kEq, BinaryKind::kNe});
  const bool floats = random_.Chance(60);
  const ValueId a = floats ? AnyFloat() : AnyIndexTile();
  ValueId b = floats ? AnyFloat() : AnyIndexTile();
  if (Volume(Union(SpaceOf(a), SpaceOf(b))) > kMaxVolume) {
    b = floats ? RandomConstant() : b_.Index(3);
  }
  return Keep(b_.Binary(kind, a, b, Union(SpaceOf(a), SpaceOf(b))));
}

// ---- spaces

Space GeneratedValues::RandomSpace(size_t max_rank, int64_t max_volume) {
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

DimId GeneratedValues::BlockDim(const Space& space) {
  std::vector<DimId> dims;
  for (size_t i = 0; i < b_.program().dims.size(); ++i) {
    const DimId dim = static_cast<DimId>(i);
    if (Extent(dim) >= 2 && !Contains(space, dim)) dims.push_back(dim);
  }
  return dims.empty() ? b_.AddDim("block", 4) : random_.OneOf(dims);
}

Space GeneratedValues::Union(const Space& a, const Space& b) const {
  Space all = a;
  for (const DimId dim : b) {
    if (!Contains(all, dim)) all.push_back(dim);
  }
  return all;
}

}  // namespace mxtile::exec::simd
