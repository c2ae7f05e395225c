#include "exec/simd/contraction.h"

#include <cstdint>

#include "base/check.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

ContractionOperand Operand(const TileProgram& program, ValueId value,
                           DimId column) {
  ContractionOperand operand;
  operand.value = value;
  operand.type = program.values[value].type;
  int64_t stride = 1;
  const Space& space = program.values[value].space;
  for (size_t i = space.size(); i-- > 0;) {
    if (space[i] == column) {
      operand.has_column = true;
      operand.stride = stride;
    }
    stride *= program.Extent(space[i]);
  }
  return operand;
}

}  // namespace

Contraction TypedContraction(const TileProgram& program, const Op& op) {
  Contraction mma;
  mma.is_mx = op.kind == OpKind::kMxContract;
  MX_CHECK(mma.is_mx || op.kind == OpKind::kContract);
  mma.seed = op.operands[mma.is_mx ? 4 : 2];
  mma.output = program.values[op.results[0]].space;
  mma.contracted = op.dims;
  if (mma.is_mx) mma.contracted.resize(1);
  for (const DimId dim : mma.contracted) mma.terms *= program.Extent(dim);
  for (size_t i = mma.output.size(); i-- > 0;) {
    if (program.Extent(mma.output[i]) <= 1) continue;
    if (mma.column == kNoDim) {
      mma.column = mma.output[i];
    } else {
      mma.row = mma.output[i];
      break;
    }
  }
  mma.lhs = Operand(program, op.operands[0], mma.column);
  mma.rhs = Operand(program, op.operands[mma.is_mx ? 2 : 1], mma.column);
  mma.reassociate = op.reassociate;
  return mma;
}

}  // namespace mxtile::exec::simd
