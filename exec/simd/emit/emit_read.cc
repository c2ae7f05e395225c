// Reads elements of values, wherever they live.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "base/check.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

int BodyEmitter::Members(ValueId value) const {
  return !programs() && plan_.of(value).varies ? candidate_.group : 1;
}

Place BodyEmitter::ScalarPlace(int member) const {
  Place place;
  place.member = member;
  return place;
}

llvm::Value* BodyEmitter::ReadScalar(ValueId value, int member) {
  return Read(value, ScalarPlace(member));
}

Place BodyEmitter::Relabelled(const Op& relabel, Place place) const {
  const Space& from = program_.values[relabel.results[0]].space;
  const Space& to = program_.values[relabel.operands[0]].space;
  Place source = place;
  source.coords.clear();
  source.vector = kNoDim;
  for (size_t i = 0; i < from.size(); ++i) {
    const Coord* coord = place.Find(from[i]);
    if (coord != nullptr) source.Set(to[i], *coord);
    if (place.vector == from[i]) source.vector = to[i];
  }
  return source;
}

// Whether lanes look at different elements.
bool BodyEmitter::DiffersByLane(const Place& place) {
  return absl::c_any_of(place.coords, [](const auto& dim_and_coord) {
    const Coord& coord = dim_and_coord.second;
    return !coord.is_constant() && coord.value->getType()->isVectorTy();
  });
}

llvm::Value* BodyEmitter::Read(ValueId value, const Place& place) {
  const ValuePlan& plan = plan_.of(value);
  // Of a vector along a dimension that the value lacks each lane is the same.
  if (place.vector != kNoDim &&
      !absl::c_linear_search(program_.values[value].space, place.vector)) {
    Place scalar = place;
    scalar.vector = kNoDim;
    return Read(value, scalar);
  }
  switch (plan.form) {
    case Form::kAlias: {
      const Op& op = program_.ops[program_.values[value].op];
      return Read(op.operands[0], Relabelled(op, place));
    }
    case Form::kLazy: {
      llvm::Value* element =
          Compute(program_.ops[program_.values[value].op], place);
      // The same for all lanes, though computed from what differs.
      if (programs() && !plan.varies && element->getType()->isVectorTy() &&
          !DiffersByLane(place)) {
        element = builder_.CreateExtractElement(element, uint64_t{0});
      }
      return element;
    }
    case Form::kRegisters:
      if (!IsStatic(value, place)) return ReadArray(value, place);
      return ReadRegister(value, place);
    case Form::kArray:
      return ReadArray(value, place);
    case Form::kDead:
      break;
  }
  MX_CHECK(false) << "value %" << value << " is read and has no storage";
  return nullptr;
}

// Whether all coordinates are constants.
bool BodyEmitter::IsStatic(ValueId value, const Place& place) const {
  return absl::c_all_of(program_.values[value].space, [&](DimId dim) {
    if (program_.Extent(dim) == 1) return true;
    const Coord* coord = place.Find(dim);
    MX_CHECK(coord != nullptr) << "no coordinate for dimension " << dim;
    return coord->is_constant();
  });
}

int64_t BodyEmitter::RegisterIndex(ValueId value, const Place& place) const {
  const ValuePlan& plan = plan_.of(value);
  int64_t index = 0;
  for (const DimId dim : plan.order) {
    const int64_t extent = program_.Extent(dim);
    if (extent == 1) continue;
    const int64_t coord = place.Find(dim)->constant;
    const bool is_vector = dim == plan.vector_dim;
    const int64_t count = is_vector ? (extent + width() - 1) / width() : extent;
    index = index * count + (is_vector ? coord / width() : coord);
  }
  return index + (Members(value) > 1 ? place.member * plan.registers : 0);
}

llvm::Value* BodyEmitter::ReadRegister(ValueId value, const Place& place) {
  const ValuePlan& plan = plan_.of(value);
  if (place.vector != kNoDim && place.vector != plan.vector_dim) {
    return ReadLanes(value, place);
  }
  llvm::Value* element = registers_[value][RegisterIndex(value, place)];
  if (programs() || plan.vector_dim == kNoDim || place.vector != kNoDim) {
    return element;
  }
  const int64_t coord = place.Find(plan.vector_dim)->constant;
  return builder_.CreateExtractElement(element,
                                       static_cast<uint64_t>(coord % width()));
}

llvm::Value* BodyEmitter::ReadArray(ValueId value, const Place& place) {
  const ValuePlan& plan = plan_.of(value);
  const Storage& storage = storage_[value];
  MX_CHECK(storage.base != nullptr || !storage.member_bases.empty())
      << "value %" << value << " has no array";
  if (DiffersByLane(place) ||
      (place.vector != kNoDim && place.vector != plan.vector_dim)) {
    return ReadLanes(value, place);
  }
  const ElementType type = program_.values[value].type;
  llvm::Type* slot = SlotType(type);
  llvm::Value* address = SlotAddress(storage, value, place, slot);
  const bool is_vector = storage.interleaved || place.vector != kNoDim;
  cost_.AddSlowLoad(frequency_, storage.load_factor);
  llvm::Value* element = builder_.CreateAlignedLoad(
      is_vector ? VectorOf(slot) : slot, address,
      llvm::Align(slot->getPrimitiveSizeInBits() / 8));
  return FromSlot(element, type);
}

// A vector whose lanes do not lie side by side, lane after lane.
llvm::Value* BodyEmitter::ReadLanes(ValueId value, const Place& place) {
  const ElementType type = program_.values[value].type;
  llvm::Value* result = llvm::PoisonValue::get(VectorOf(ScalarType(type)));
  for (int lane = 0; lane < width(); ++lane) {
    Place scalar = place;
    scalar.vector = kNoDim;
    if (place.vector != kNoDim) {
      const int within = std::min(lane, place.lanes - 1);
      scalar.Set(place.vector,
                 Add(*place.Find(place.vector), Coord::Constant(within)));
    }
    for (auto& [dim, coord] : scalar.coords) {
      if (!coord.is_constant() && coord.value->getType()->isVectorTy()) {
        coord = Coord::Of(builder_.CreateExtractElement(
            coord.value, static_cast<uint64_t>(lane)));
      }
    }
    llvm::Value* element = Read(value, scalar);
    // Interleaved arrays give all lanes of a slot.
    if (element->getType()->isVectorTy()) {
      element =
          builder_.CreateExtractElement(element, static_cast<uint64_t>(lane));
    }
    result = builder_.CreateInsertElement(result, element,
                                          static_cast<uint64_t>(lane));
  }
  return result;
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
