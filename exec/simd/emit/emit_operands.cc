// Operands of contractions: how they are read, and MX ones times their scales.

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "exec/simd/contraction.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {
namespace {

// Contributions whose operands lie whole pages apart fall into one set of the
// first cache; more of them than it has ways come from the second, and nothing
// fetches them ahead. Measured on Zen 4: 43 cycles for the six loads of a 2 x 4
// block with a stride of 4096 bytes (gemm:256/64x64x64, lanes of programs).
constexpr int64_t kPageBytes = 4096;
constexpr int64_t kCacheWays = 8;
constexpr double kFromAnotherPage = 14;

}  // namespace

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
