#ifndef EXEC_SIMD_TESTING_GENERATED_VALUES_H_
#define EXEC_SIMD_TESTING_GENERATED_VALUES_H_

// The values of a generated program that may be used where it stands. Those
// that are asked for and do not exist are loaded or made.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exec/simd/element_type.h"
#include "exec/simd/testing/generated_memory.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {

class GeneratedValues {
 public:
  GeneratedValues(TileProgramBuilder* builder, RandomSource* random,
                  std::map<std::string, int64_t>* features);

  // What a tile has at most.
  static constexpr size_t kMaxRank = 3;
  static constexpr int64_t kMaxVolume = 600;

  GeneratedMemory& memory() { return memory_; }

  // Values kept after OpenScope() are forgotten by CloseScope() of its result.
  size_t OpenScope() const { return pool_.size(); }
  void CloseScope(size_t scope) { pool_.resize(scope); }
  ValueId Keep(ValueId value);
  // All that may be used, oldest first.
  const std::vector<ValueId>& pool() const { return pool_; }

  // One of those kept, kNoValue where there is none.
  ValueId PickWhere(const std::function<bool(ValueId)>& holds);
  ValueId Pick(ElementType type);
  ValueId PickOver(ElementType type, const Space& space);

  ValueId Any();
  ValueId AnyIndex();
  ValueId AnyFloat();
  ValueId AnyIndexTile();
  ValueId AnyBool();
  ValueId FloatOver(const Space& space);
  // f32, bf16 or f16.
  ValueId OperandOver(ElementType type, const Space& space);
  // Of floats or of indices.
  ValueId Compare();
  // A scalar of type kBool.
  ValueId Condition();
  // In -1 .. extent + 1
  ValueId AnyLimit(int64_t extent);
  ValueId RandomConstant();
  // Between -8 and 8, more often than not: were results that grow not clamped,
  // all programs would end in infinities.
  ValueId Tame(ValueId x);

  Space Union(const Space& a, const Space& b) const;
  // Dimensions that have elements.
  Space RandomSpace(size_t max_rank, int64_t max_volume);
  // Of 2 elements or more, not in `space`.
  DimId BlockDim(const Space& space);

  // How often what is added now is executed in one instance.
  void set_repeats(int64_t repeats) { repeats_ = repeats; }
  int64_t repeats() const { return repeats_; }

  ElementType TypeOf(ValueId value) const {
    return b_.program().values[value].type;
  }
  Space SpaceOf(ValueId value) const {
    return b_.program().values[value].space;
  }

  int64_t Extent(DimId dim) const { return b_.program().Extent(dim); }
  int64_t Volume(const Space& space) const {
    return b_.program().Volume(space);
  }
  void Note(const std::string& feature) { ++features_[feature]; }

 private:
  TileProgramBuilder& b_;
  RandomSource& random_;
  std::map<std::string, int64_t>& features_;
  GeneratedMemory memory_;
  int64_t repeats_ = 1;
  std::vector<ValueId> pool_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_GENERATED_VALUES_H_
