#include "exec/simd/contraction.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "base/check.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

ContractionOperand Operand(const TileProgram& program, ValueId value,
                           DimId column) {
  ContractionOperand operand;
  operand.value = value;
  operand.type = program.values[value].type;
  const Space& space = program.values[value].space;
  const auto at = absl::c_find(space, column);
  if (at == space.end()) return operand;
  operand.has_column = true;
  operand.stride = 1;
  for (auto inner = at + 1; inner != space.end(); ++inner) {
    operand.stride *= program.Extent(*inner);
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
