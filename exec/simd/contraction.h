#ifndef EXEC_SIMD_CONTRACTION_H_
#define EXEC_SIMD_CONTRACTION_H_

// A contraction with its dimensions sorted into roles, by identity: what
// admission and emission look at instead of operators and names.
//
//   const Contraction mma = TypedContraction(program, op);
//   mma.column         // innermost output dimension with more than one element
//   mma.rhs.stride     // of that dimension inside the right operand

#include <cstdint>
#include <vector>

#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

struct ContractionOperand {
  ValueId value = kNoValue;
  ElementType type = ElementType::kF32;
  bool has_column = false;
  // Distance of neighbours along `column` in the tile's own row-major order; 0
  // when it lacks the dimension. Nothing about memory.
  int64_t stride = 0;
};

struct Contraction {
  ContractionOperand lhs;
  ContractionOperand rhs;
  ValueId seed = kNoValue;
  Space output;
  std::vector<DimId> contracted;  // in the order of contributions
  int64_t terms = 1;              // contributions to an output
  // The innermost and the next output dimension with more than one element,
  // kNoDim when there is none.
  DimId column = kNoDim;
  DimId row = kNoDim;
  bool is_mx = false;
  bool reassociate = false;
};

// `op` is a kContract or kMxContract. Of an MX one the operands are the codes.
Contraction TypedContraction(const TileProgram& program, const Op& op);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_CONTRACTION_H_
