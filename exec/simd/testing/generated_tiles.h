#ifndef EXEC_SIMD_TESTING_GENERATED_TILES_H_
#define EXEC_SIMD_TESTING_GENERATED_TILES_H_

// The values of a generated program that may be used where it stands, and
// random operations on them.
//
// What is computed stays of ordinary size more often than not: results that
// grow are clamped, or all programs would end in infinities.

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

class GeneratedTiles {
 public:
  GeneratedTiles(TileProgramBuilder* builder, RandomSource* random,
                 std::map<std::string, int64_t>* features,
                 bool mx_contractions);

  GeneratedMemory& memory() { return memory_; }

  // Values kept after OpenScope() are forgotten by CloseScope() of its result.
  size_t OpenScope() const { return pool_.size(); }
  void CloseScope(size_t scope) { pool_.resize(scope); }
  ValueId Keep(ValueId value);
  // All that may be used, oldest first.
  const std::vector<ValueId>& pool() const { return pool_; }

  // One random operation without effects, or a few that belong together.
  void AddOperation();

  ValueId Any();
  ValueId AnyIndex();
  ValueId AnyFloat();
  ValueId FloatOver(const Space& space);
  // A scalar of type kBool.
  ValueId Condition();
  // In -1 .. extent + 1
  ValueId AnyLimit(int64_t extent);
  // Dimensions that have elements.
  Space RandomSpace(size_t max_rank, int64_t max_volume);
  // Of 2 elements or more, not in `space`.
  DimId BlockDim(const Space& space);
  // Between -8 and 8, sometimes.
  ValueId Tame(ValueId x);

  // How often what is added now is executed in one instance.
  void set_repeats(int64_t repeats) { repeats_ = repeats; }
  int64_t repeats() const { return repeats_; }

  ElementType TypeOf(ValueId value) const {
    return b_.program().values[value].type;
  }
  const Space& SpaceOf(ValueId value) const {
    return b_.program().values[value].space;
  }

 private:
  int64_t Extent(DimId dim) const { return b_.program().Extent(dim); }
  int64_t Volume(const Space& space) const {
    return b_.program().Volume(space);
  }
  void Note(const std::string& feature) { ++features_[feature]; }

  ValueId PickWhere(const std::function<bool(ValueId)>& holds);
  ValueId Pick(ElementType type);
  ValueId PickOver(ElementType type, const Space& space);
  ValueId OperandOver(ElementType type, const Space& space);
  ValueId AnyIndexTile();
  ValueId AnyBool();
  ValueId RandomConstant();
  Space Union(const Space& a, const Space& b) const;

  void AddUnary();
  void AddBinary();
  void AddComparison();
  void AddIndexOperation();
  void AddLogic();
  void AddSelect();
  void AddCast();
  void AddBroadcast();
  void AddRelabel();
  void AddExtract();
  void AddReduce();
  void AddContract();
  void AddMxContract();
  void AddLoad();

  TileProgramBuilder& b_;
  RandomSource& random_;
  std::map<std::string, int64_t>& features_;
  GeneratedMemory memory_;
  const bool mx_contractions_;
  int64_t repeats_ = 1;
  std::vector<ValueId> pool_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_GENERATED_TILES_H_
