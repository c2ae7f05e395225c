// Puts elements of values where they live: registers and arrays.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/check.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {
namespace {

constexpr int kArrayAlignment = 64;

}  // namespace

// ---- arrays

void BodyEmitter::AllocateArrays() {
  int64_t offset = 0;
  for (const ArrayPlan& array : plan_.arrays()) {
    const int64_t bytes =
        array.slots * array.bytes * (array.varies ? candidate_.team() : 1);
    ++emitted_.allocations;
    emitted_.bytes += array.slots * array.bytes;
    emitted_.team_bytes += bytes;
    if (plan_.resources().workspace > 0) {
      arrays_.push_back(builder_.CreateConstInBoundsGEP1_64(
          builder_.getInt8Ty(), args_.workspace, offset));
      emitted_.workspace += bytes;
      offset += bytes;
    } else {
      llvm::AllocaInst* memory = builder_.CreateAlloca(
          llvm::ArrayType::get(builder_.getInt8Ty(), bytes));
      memory->setAlignment(llvm::Align(kArrayAlignment));
      arrays_.push_back(memory);
    }
  }
  for (size_t i = 0; i < storage_.size(); ++i) {
    const ValueId value = static_cast<ValueId>(i);
    const int array = plan_.of(value).array;
    if (array != kNoArray) storage_[i] = StorageOf(value, array);
  }
}

BodyEmitter::Storage BodyEmitter::StorageOf(ValueId value, int array) const {
  Storage storage;
  storage.base = arrays_[array];
  for (const int64_t stride : plan_.Strides(value)) {
    storage.strides.push_back(Coord::Constant(stride));
  }
  const ArrayPlan& plan = plan_.arrays()[array];
  storage.member_stride = plan.varies && !programs() ? plan.slots : 0;
  storage.interleaved = plan.varies && programs();
  return storage;
}

llvm::Value* BodyEmitter::SlotAddress(const Storage& storage, ValueId value,
                                      const Place& place, llvm::Type* slot) {
  const Space& order = plan_.of(value).order;
  Coord index = Coord::Constant(storage.member_stride * place.member);
  for (size_t i = 0; i < order.size(); ++i) {
    if (program_.Extent(order[i]) == 1) continue;
    const Coord* coord = place.Find(order[i]);
    MX_CHECK(coord != nullptr) << "no coordinate for dimension " << order[i];
    index = Add(index, Multiply(*coord, storage.strides[i]));
  }
  if (storage.interleaved) index = Multiply(index, Coord::Constant(width()));
  llvm::Value* base = storage.base;
  if (!storage.member_bases.empty()) {
    base =
        storage
            .member_bases[storage.member_bases.size() == 1 ? 0 : place.member];
  }
  return builder_.CreateGEP(slot, base, CoordValue(index));
}

void BodyEmitter::WriteArray(const Storage& storage, ValueId value,
                             const Place& place, llvm::Value* element) {
  const ElementType type = program_.values[value].type;
  element = Shaped(element, value, place);
  llvm::Value* address = SlotAddress(storage, value, place, SlotType(type));
  const int bytes =
      static_cast<int>(SlotType(type)->getPrimitiveSizeInBits() / 8);
  builder_.CreateAlignedStore(ToSlot(element, type), address,
                              llvm::Align(bytes));
}

// ---- all elements

void BodyEmitter::ForEachRegister(
    ValueId value, int members, const std::function<void(const Place&)>& body) {
  const ValuePlan& plan = plan_.of(value);
  for (int member = 0; member < members; ++member) {
    Place place = ScalarPlace(member);
    std::function<void(size_t)> visit = [&](size_t axis) {
      if (axis == plan.order.size()) {
        body(place);
        return;
      }
      const DimId dim = plan.order[axis];
      const bool is_vector = dim == plan.vector_dim;
      const int64_t extent = program_.Extent(dim);
      for (int64_t i = 0; i < extent; i += is_vector ? width() : 1) {
        place.Set(dim, Coord::Constant(i));
        if (is_vector) {
          place.vector = dim;
          place.lanes =
              static_cast<int>(std::min<int64_t>(width(), extent - i));
        }
        visit(axis + 1);
      }
    };
    visit(0);
  }
}

void BodyEmitter::ForEachSlot(ValueId value, int members,
                              const std::function<void(const Place&)>& body) {
  const ValuePlan& plan = plan_.of(value);
  for (int member = 0; member < members; ++member) {
    Place place = ScalarPlace(member);
    std::function<void(size_t)> visit = [&](size_t axis) {
      if (axis == plan.order.size()) {
        body(place);
        return;
      }
      const DimId dim = plan.order[axis];
      const int64_t extent = program_.Extent(dim);
      const auto round = [&](Coord i, int lanes) {
        place.Set(dim, i);
        if (dim == plan.vector_dim) {
          place.vector = dim;
          place.lanes = lanes;
        }
        visit(axis + 1);
      };
      if (dim != plan.vector_dim) {
        Loop(extent, 1, [&](Coord i) { round(i, 0); });
        return;
      }
      const int64_t whole = extent / width() * width();
      Loop(whole, width(), [&](Coord i) { round(i, width()); });
      if (whole < extent) {
        round(Coord::Constant(whole), static_cast<int>(extent - whole));
      }
    };
    visit(0);
  }
}

// Calls body for each place of the value's other dimensions, in loops.
void BodyEmitter::ForEachOther(ValueId value, const std::vector<DimId>& without,
                               const std::function<void(const Place&)>& body) {
  const ValuePlan& plan = plan_.of(value);
  for (int member = 0; member < Members(value); ++member) {
    Place place = ScalarPlace(member);
    std::function<void(size_t)> visit = [&](size_t axis) {
      if (axis == plan.order.size()) {
        body(place);
        return;
      }
      const DimId dim = plan.order[axis];
      if (absl::c_linear_search(without, dim)) {
        visit(axis + 1);
        return;
      }
      Loop(program_.Extent(dim), 1, [&](Coord i) {
        place.Set(dim, i);
        visit(axis + 1);
      });
    };
    visit(0);
  }
}

// ---- definitions

// As the value's registers and slots are: a vector, or one element.
llvm::Value* BodyEmitter::Shaped(llvm::Value* element, ValueId value,
                                 const Place& place) {
  const bool is_vector =
      programs() ? plan_.of(value).varies : place.vector != kNoDim;
  if (is_vector) return Splat(element);
  if (!element->getType()->isVectorTy()) return element;
  // The same in all lanes, though computed from what differs.
  return builder_.CreateExtractElement(element, uint64_t{0});
}

void BodyEmitter::SetRegister(ValueId value, const Place& place,
                              llvm::Value* element) {
  Values& registers = registers_[value];
  if (registers.empty()) {
    registers.resize(plan_.of(value).registers * Members(value));
  }
  registers[RegisterIndex(value, place)] = Shaped(element, value, place);
}

void BodyEmitter::FillArray(ValueId value) {
  if (plan_.of(value).array == kNoArray) return;
  ForEachRegister(value, Members(value), [&](const Place& place) {
    WriteArray(storage_[value], value, place,
               registers_[value][RegisterIndex(value, place)]);
  });
}

void BodyEmitter::Define(
    ValueId value, const std::function<llvm::Value*(const Place&)>& element) {
  switch (plan_.of(value).form) {
    case Form::kRegisters:
      ForEachRegister(value, Members(value), [&](const Place& place) {
        SetRegister(value, place, element(place));
      });
      FillArray(value);
      return;
    case Form::kArray:
      ForEachSlot(value, Members(value), [&](const Place& place) {
        WriteArray(storage_[value], value, place, element(place));
      });
      return;
    default:
      return;
  }
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
