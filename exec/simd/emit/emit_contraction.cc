// Contractions: register blocks of accumulators, each with the contributions in
// their order, a multiplication and an addition for each.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/algorithm/container.h"
#include "exec/simd/admission.h"
#include "exec/simd/contraction.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "numerics/float_bits.h"

namespace mxtile::exec::simd {
namespace {

// Rows up to here are blocked in any combination; above, along one dimension.
constexpr int64_t kMaxListedRows = 32;

// Contributions whose operands lie whole pages apart fall into one set of the
// first cache; more of them than it has ways come from the second, and nothing
// fetches them ahead. Measured on Zen 4: 43 cycles for the six loads of a 2 x 4
// block with a stride of 4096 bytes (gemm:256/64x64x64, lanes of programs).
constexpr int64_t kPageBytes = 4096;
constexpr int64_t kCacheWays = 8;
constexpr double kFromAnotherPage = 14;

}  // namespace

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

// ---- which outputs make a block

// Inside runs what has fewer elements a block: the wider panel of the other
// operand then stays in the first cache while the narrower ones pass by.
void BodyEmitter::ForEachOutputBlock(
    const Mma& mma, const std::function<void(const Outputs&)>& body) {
  const bool registers = plan_.of(mma.op.results[0]).form == Form::kRegisters;
  const int64_t columns = mma.block.cols * ColumnUnit();
  if (registers || mma.shape.column == kNoDim || columns <= mma.block.rows) {
    ForEachRowBlock(mma, [&](const std::vector<Place>& rows) {
      ForEachColumnBlock(mma, [&](const std::vector<Coord>& cols, int last) {
        body({rows, cols, last});
      });
    });
    return;
  }
  ForEachColumnBlock(mma, [&](const std::vector<Coord>& cols, int last) {
    ForEachRowBlock(mma, [&](const std::vector<Place>& rows) {
      body({rows, cols, last});
    });
  });
}

void BodyEmitter::ForEachRowBlock(
    const Mma& mma,
    const std::function<void(const std::vector<Place>&)>& body) {
  const ValueId result = mma.op.results[0];
  const bool registers = plan_.of(result).form == Form::kRegisters;
  std::vector<DimId> dims;
  int64_t count = Members(result);
  for (const DimId dim : mma.shape.output) {
    if (dim == mma.shape.column) continue;
    dims.push_back(dim);
    count *= program_.Extent(dim);
  }
  if (count == 0) return;
  const size_t block = static_cast<size_t>(mma.block.rows);
  if (registers || count <= kMaxListedRows) {
    std::vector<Place> rows;
    for (int member = 0; member < Members(result); ++member) {
      Place place = ScalarPlace(member);
      std::function<void(size_t)> visit = [&](size_t axis) {
        if (axis == dims.size()) {
          rows.push_back(place);
          return;
        }
        for (int64_t i = 0; i < program_.Extent(dims[axis]); ++i) {
          place.Set(dims[axis], Coord::Constant(i));
          visit(axis + 1);
        }
      };
      visit(0);
    }
    for (size_t first = 0; first < rows.size(); first += block) {
      const size_t last = std::min(rows.size(), first + block);
      body({rows.begin() + first, rows.begin() + last});
    }
    return;
  }
  const DimId row = mma.shape.row;
  for (int member = 0; member < Members(result); ++member) {
    Place place = ScalarPlace(member);
    const auto rows_from = [&](Coord first, int64_t size) {
      std::vector<Place> rows;
      for (int64_t i = 0; i < size; ++i) {
        place.Set(row, Add(first, Coord::Constant(i)));
        rows.push_back(place);
      }
      body(rows);
    };
    std::function<void(size_t)> visit = [&](size_t axis) {
      if (axis == dims.size()) {
        const int64_t extent = program_.Extent(row);
        const int64_t step = std::min<int64_t>(mma.block.rows, extent);
        const int64_t whole = extent / step * step;
        Loop(whole, step, [&](Coord i) { rows_from(i, step); });
        if (whole < extent) {
          rows_from(Coord::Constant(whole), extent - whole);
        }
        return;
      }
      if (dims[axis] == row) {
        visit(axis + 1);
        return;
      }
      Loop(program_.Extent(dims[axis]), 1, [&](Coord i) {
        place.Set(dims[axis], i);
        visit(axis + 1);
      });
    };
    visit(0);
  }
}

void BodyEmitter::ForEachColumnBlock(
    const Mma& mma,
    const std::function<void(const std::vector<Coord>&, int)>& body) {
  const DimId column = mma.shape.column;
  if (column == kNoDim) return body({Coord::Constant(0)}, width());
  const int64_t unit = ColumnUnit();
  const int64_t extent = program_.Extent(column);
  const int64_t whole_units = extent / unit;
  const auto block = [&](Coord first, int64_t units, int last_lanes) {
    std::vector<Coord> cols;
    for (int64_t i = 0; i < units; ++i) {
      cols.push_back(Add(first, Coord::Constant(i * unit)));
    }
    body(cols, last_lanes);
  };
  const int64_t step = mma.block.cols;
  const int64_t blocked = whole_units / step * step;
  if (plan_.of(mma.op.results[0]).form == Form::kRegisters) {
    for (int64_t i = 0; i < blocked; i += step) {
      block(Coord::Constant(i * unit), step, width());
    }
  } else {
    Loop(blocked * unit, step * unit,
         [&](Coord first) { block(first, step, width()); });
  }
  const int64_t rest = whole_units - blocked;
  const int64_t partial = extent - whole_units * unit;
  if (rest + (partial > 0 ? 1 : 0) == 0) return;
  block(Coord::Constant(blocked * unit), rest + (partial > 0 ? 1 : 0),
        partial > 0 ? static_cast<int>(partial) : width());
}

Place BodyEmitter::OutputPlace(const Mma& mma, const Outputs& outputs,
                               size_t row, size_t col) const {
  Place place = outputs.rows[row];
  if (mma.shape.column == kNoDim) return place;
  place.Set(mma.shape.column, outputs.cols[col]);
  if (!programs()) {
    place.vector = mma.shape.column;
    place.lanes = col + 1 == outputs.cols.size() ? outputs.last_lanes : width();
  }
  return place;
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

bool BodyEmitter::DependsOnRow(const Mma& mma,
                               const ContractionOperand& operand) const {
  if (!programs() && Members(operand.value) > 1) return true;
  if (mma.shape.is_mx) {
    const int side = operand.value == mma.shape.lhs.value ? 0 : 1;
    if (mma.scaled[side].member_stride > 0) return true;
  }
  return absl::c_any_of(mma.shape.output, [&](DimId dim) {
    return dim != mma.shape.column && program_.Extent(dim) > 1 &&
           absl::c_linear_search(program_.values[operand.value].space, dim);
  });
}

llvm::Value* BodyEmitter::ReadOperand(const Mma& mma, int side,
                                      const Place& place) {
  const ContractionOperand& operand = side == 0 ? mma.shape.lhs : mma.shape.rhs;
  if (!mma.shape.is_mx) {
    if (IsPagesApart(mma, operand.value)) {
      cost_.AddSlowLoad(frequency_, kFromAnotherPage);
    }
    return Convert(Read(operand.value, place), operand.type, ElementType::kF32);
  }
  const Storage& scaled = mma.scaled[side];
  Place own = place;
  const ValueId source = plan_.Storage(operand.value);
  if (source != operand.value) own = ThroughRelabels(operand.value, own);
  if (own.vector != kNoDim && own.vector != plan_.of(source).vector_dim) {
    own.vector = kNoDim;
  }
  llvm::Type* slot =
      candidate_.mx_f32 ? builder_.getFloatTy() : builder_.getDoubleTy();
  const bool is_vector = scaled.interleaved || own.vector != kNoDim;
  return builder_.CreateAlignedLoad(is_vector ? VectorOf(slot) : slot,
                                    SlotAddress(scaled, source, own, slot),
                                    llvm::Align(4));
}

// Whether neighbouring contributions read this operand whole pages apart.
bool BodyEmitter::IsPagesApart(const Mma& mma, ValueId value) const {
  if (mma.shape.contracted.size() != 1 || mma.shape.terms <= kCacheWays) {
    return false;
  }
  Place term;
  term.Set(mma.shape.contracted[0], Coord::Constant(1));
  const ValueId source = plan_.Storage(value);
  term = ThroughRelabels(value, std::move(term));
  const Storage& storage = storage_[source];
  const int64_t slot_bytes =
      SlotType(program_.values[source].type)->getPrimitiveSizeInBits() / 8 *
      (storage.interleaved ? width() : 1);
  for (size_t i = 0; i < storage.strides.size(); ++i) {
    const Coord& stride = storage.strides[i];
    if (term.Find(plan_.of(source).order[i]) == nullptr) continue;
    if (!stride.is_constant() || stride.constant == 0) return false;
    return stride.constant * slot_bytes % kPageBytes == 0;
  }
  return false;
}

Place BodyEmitter::ThroughRelabels(ValueId value, Place place) const {
  while (plan_.of(value).form == Form::kAlias) {
    const Op& op = program_.ops[program_.values[value].op];
    place = Relabelled(op, std::move(place));
    value = op.operands[0];
  }
  return place;
}

// Codes times scales, exactly, in an array of f32 (f64 where a scale may take
// products out of f32's range). It lies as the codes' own storage does.
BodyEmitter::Storage BodyEmitter::ScaleOperand(ValueId codes, ValueId scales,
                                               const std::vector<DimId>& dims,
                                               int array) {
  const ValueId source = plan_.Storage(codes);
  const Storage storage = StorageOf(source, array);
  const int members = storage.member_stride > 0 ? candidate_.group : 1;
  // Relabelling keeps positions.
  const Space& own = program_.values[source].space;
  const Space& named = program_.values[codes].space;
  const auto named_dim = [&](DimId dim) {
    return dim == kNoDim ? kNoDim : named[absl::c_find(own, dim) - own.begin()];
  };
  ForEachSlot(source, members, [&](const Place& place) {
    llvm::Value* element = Convert(
        Read(source, place), program_.values[codes].type, ElementType::kF32);
    Place of_scale = place;
    of_scale.coords.clear();
    for (const auto& [dim, coord] : place.coords) {
      of_scale.Set(named_dim(dim), coord);
    }
    of_scale.vector = named_dim(place.vector);
    const Coord& k = *of_scale.Find(dims[0]);
    of_scale.Set(dims[1],
                 k.is_constant()
                     ? Coord::Constant(k.constant / kMxGroup)
                     : Coord::Of(builder_.CreateSDiv(k.value, I64(kMxGroup))));
    // A vector along k has one scale: it lies within a group.
    if (of_scale.vector == dims[0]) of_scale.vector = kNoDim;
    llvm::Value* scale = Convert(Read(scales, of_scale),
                                 ElementType::kF8E8M0FNU, ElementType::kF32);
    Unify(&element, &scale);
    if (!candidate_.mx_f32) {
      llvm::Type* wide = element->getType()->isVectorTy()
                             ? VectorOf(builder_.getDoubleTy())
                             : builder_.getDoubleTy();
      element = builder_.CreateFPExt(element, wide);
      scale = builder_.CreateFPExt(scale, wide);
    }
    llvm::Value* product = builder_.CreateFMul(element, scale);
    if (storage.interleaved || place.vector != kNoDim) {
      product = Splat(product);
    }
    builder_.CreateAlignedStore(
        product,
        SlotAddress(storage, source, place,
                    product->getType()->getScalarType()),
        llvm::Align(4));
  });
  return storage;
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
