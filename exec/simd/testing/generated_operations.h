#ifndef EXEC_SIMD_TESTING_GENERATED_OPERATIONS_H_
#define EXEC_SIMD_TESTING_GENERATED_OPERATIONS_H_

// Random operations without effects on the values of a generated program.

#include "exec/simd/testing/generated_values.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {

class GeneratedOperations {
 public:
  GeneratedOperations(TileProgramBuilder* builder, RandomSource* random,
                      GeneratedValues* values, bool mx_contractions)
      : b_(*builder),
        random_(*random),
        v_(*values),
        mx_contractions_(mx_contractions) {}

  // Keeps the result, if the values at hand allow for one.
  void Add();

 private:
  void AddUnary();
  void AddBinary();
  void AddIndexOperation();
  void AddLogic();
  void AddSelect();
  void AddCast();
  void AddBroadcast();
  void AddRelabel();
  void AddExtract();
  void AddReduce();
  void AddContract();
  Space ContractedDims(const Space& result);
  void NoteContraction(const Space& result, const Space& contracted);
  void AddMxContract();
  void AddLoad();

  TileProgramBuilder& b_;
  RandomSource& random_;
  GeneratedValues& v_;
  const bool mx_contractions_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_GENERATED_OPERATIONS_H_
