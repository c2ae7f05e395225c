// Contractions: register blocks of accumulators, each with the contributions in
// their order, a multiplication and an addition for each.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "exec/simd/admission.h"
#include "exec/simd/contraction.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/IRBuilder.h"
#include "numerics/float_bits.h"

namespace mxtile::exec::simd {

void BodyEmitter::EmitContraction(OpId id) {
  const Op& op = program_.ops[id];
  Mma mma{op, TypedContraction(program_, op), plan_.block(id)};
  if (mma.shape.is_mx) {
    mma.scaled[0] = ScaleOperand(op.operands[0], op.operands[1], op.dims,
                                 plan_.scaled_array(id, 0));
    mma.scaled[1] = ScaleOperand(op.operands[2], op.operands[3], op.dims,
                                 plan_.scaled_array(id, 1));
  }
  if (mma.block.rows * mma.block.cols > 1) ++blocked_mmas_;
  ForEachOutputBlock(
      mma, [&](const Outputs& outputs) { ContractBlock(mma, outputs); });
  if (plan_.of(op.results[0]).form == Form::kRegisters) {
    FillArray(op.results[0]);
  }
}

void BodyEmitter::ContractBlock(const Mma& mma, const Outputs& outputs) {
  const ValueId result = mma.op.results[0];
  const bool vectors =
      programs() ? plan_.of(result).varies : mma.shape.column != kNoDim;
  Values accumulators;
  for (size_t r = 0; r < outputs.rows.size(); ++r) {
    for (size_t c = 0; c < outputs.cols.size(); ++c) {
      llvm::Value* seed = Read(mma.shape.seed, OutputPlace(mma, outputs, r, c));
      accumulators.push_back(vectors ? Splat(seed) : seed);
    }
  }
  cost_.AddChain(frequency_, mma.shape.terms,
                 static_cast<int64_t>(accumulators.size()));
  accumulators = ContractTerms(mma, outputs, std::move(accumulators));
  size_t next = 0;
  for (size_t r = 0; r < outputs.rows.size(); ++r) {
    for (size_t c = 0; c < outputs.cols.size(); ++c) {
      llvm::Value* sum = accumulators[next++];
      if (mma.shape.is_mx) {
        FloatOps& ops = OpsFor(sum);
        sum = ops.SelectNan(
            sum, ops.FromBits(ops.IntConstant(kFloatQuietNanBits)), sum);
      }
      const Place place = OutputPlace(mma, outputs, r, c);
      if (plan_.of(result).form == Form::kRegisters) {
        SetRegister(result, place, sum);
      } else {
        WriteArray(storage_[result], result, place, sum);
      }
    }
  }
}

// ---- contributions

BodyEmitter::Values BodyEmitter::ContractTerms(const Mma& mma,
                                               const Outputs& outputs,
                                               Values accumulators) {
  const std::vector<DimId>& dims = mma.shape.contracted;
  if (mma.shape.terms == 0) return accumulators;
  Place term;
  const bool limited = mma.op.limit != kNoValue;
  const bool same_limit = limited && !plan_.of(mma.op.limit).varies;
  const auto accumulate = [&](Values carried) {
    Accumulate(mma, outputs, term, limited && !same_limit, &carried);
    return carried;
  };
  if (dims.size() == 1 && (mma.block.rolled || same_limit)) {
    const int64_t extent = program_.Extent(dims[0]);
    Coord stop = Coord::Constant(extent);
    if (same_limit) {
      llvm::Value* limit = ReadScalar(mma.op.limit, 0);
      limit = ComputeBinary(BinaryKind::kMin, limit, I64(extent));
      stop = Coord::Of(ComputeBinary(BinaryKind::kMax, limit, I64(0)));
    }
    const int64_t unroll =
        std::min<int64_t>(std::max(candidate_.k_unroll, 1), extent);
    const Coord blocked =
        stop.is_constant()
            ? Coord::Constant(stop.constant / unroll * unroll)
            : Coord::Of(builder_.CreateSub(
                  stop.value, builder_.CreateSRem(stop.value, I64(unroll))));
    accumulators = Loop(Coord::Constant(0), blocked, unroll,
                        std::move(accumulators), [&](Coord k, Values carried) {
                          for (int64_t u = 0; u < unroll; ++u) {
                            term.Set(dims[0], Add(k, Coord::Constant(u)));
                            carried = accumulate(std::move(carried));
                          }
                          return carried;
                        });
    return Loop(blocked, stop, 1, std::move(accumulators),
                [&](Coord k, Values carried) {
                  term.Set(dims[0], k);
                  return accumulate(std::move(carried));
                });
  }
  std::function<Values(size_t, Values)> visit = [&](size_t axis,
                                                    Values carried) {
    if (axis == dims.size()) return accumulate(std::move(carried));
    const int64_t extent = program_.Extent(dims[axis]);
    if (!mma.block.rolled) {
      for (int64_t i = 0; i < extent; ++i) {
        term.Set(dims[axis], Coord::Constant(i));
        carried = visit(axis + 1, std::move(carried));
      }
      return carried;
    }
    return Loop(Coord::Constant(0), Coord::Constant(extent), 1,
                std::move(carried), [&](Coord i, Values inner) {
                  term.Set(dims[axis], i);
                  return visit(axis + 1, std::move(inner));
                });
  };
  return visit(0, std::move(accumulators));
}

// One contribution to each output of the block. What several outputs share is
// read once.
void BodyEmitter::Accumulate(const Mma& mma, const Outputs& outputs,
                             const Place& term, bool select_by_limit,
                             Values* accumulators) {
  const size_t rows = outputs.rows.size();
  const size_t cols = outputs.cols.size();
  const auto place_of = [&](size_t row, size_t col) {
    Place place = OutputPlace(mma, outputs, row, col);
    for (const auto& [dim, coord] : term.coords) place.Set(dim, coord);
    return place;
  };
  std::vector<Values> elements[2];
  for (const int side : {0, 1}) {
    const ContractionOperand& operand =
        side == 0 ? mma.shape.lhs : mma.shape.rhs;
    const size_t own_rows = DependsOnRow(mma, operand) ? rows : 1;
    const size_t own_cols = operand.has_column ? cols : 1;
    for (size_t r = 0; r < own_rows; ++r) {
      Values row;
      for (size_t c = 0; c < own_cols; ++c) {
        row.push_back(ReadOperand(mma, side, place_of(r, c)));
      }
      elements[side].push_back(std::move(row));
    }
  }
  const auto element = [&](int side, size_t row, size_t col) {
    const std::vector<Values>& own = elements[side];
    const Values& values = own[own.size() == 1 ? 0 : row];
    return values[values.size() == 1 ? 0 : col];
  };
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) {
      llvm::Value*& acc = (*accumulators)[r * cols + c];
      llvm::Value* lhs = element(0, r, c);
      llvm::Value* rhs = element(1, r, c);
      Unify(&lhs, &rhs);
      llvm::Value* product = builder_.CreateFMul(lhs, rhs);
      llvm::Value* sum = AddProduct(acc, product);
      if (select_by_limit) {
        llvm::Value* limit = ReadScalar(mma.op.limit, outputs.rows[r].member);
        llvm::Value* k = CoordValue(term.coords[0].second);
        llvm::Value* inside = ComputeBinary(BinaryKind::kLt, k, limit);
        sum = builder_.CreateSelect(inside, sum, acc);
      }
      acc = sum;
    }
  }
}

// acc is f32; of f64 products the sum is rounded once more.
llvm::Value* BodyEmitter::AddProduct(llvm::Value* acc, llvm::Value* product) {
  Unify(&acc, &product);
  if (!product->getType()->getScalarType()->isDoubleTy()) {
    return builder_.CreateFAdd(acc, product);
  }
  return builder_.CreateFPTrunc(
      builder_.CreateFAdd(builder_.CreateFPExt(acc, product->getType()),
                          product),
      acc->getType());
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
