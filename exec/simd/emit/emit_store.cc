// Stores to the caller's memory.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>

#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

void BodyEmitter::StoreElement(const MemoryWindow& window, const Place& place,
                               llvm::Value* element, bool whole) {
  const ElementType type = window.view->type;
  llvm::Value* base = Offset(window, place.member);
  llvm::Value* offset =
      programs() && base->getType()->isVectorTy()
          ? builder_.CreateAdd(base, Splat(ElementOffset(window, place)))
          : builder_.CreateAdd(base, ElementOffset(window, place));
  llvm::Value* mask = ElementMask(window, place, whole, /*guard_active=*/true);
  element = ToSlot(element, type);
  const bool along_axis = place.vector != kNoDim;
  const int64_t stride = VectorStride(window, place.vector);
  if (!along_axis && !programs()) {
    const auto store = [&] {
      builder_.CreateAlignedStore(element, Address(window, offset),
                                  AlignmentOf(type));
      return Values();
    };
    if (mask == nullptr) {
      store();
    } else {
      Branch(mask, 0.5, store, [] { return Values(); });
    }
    return;
  }
  element = Splat(element);
  if (along_axis ? stride == 1 : window.lane_step == 1) {
    if (offset->getType()->isVectorTy()) {
      offset = builder_.CreateExtractElement(offset, uint64_t{0});
    }
    llvm::Value* address = Address(window, offset);
    if (mask == nullptr) {
      builder_.CreateAlignedStore(element, address, AlignmentOf(type));
    } else {
      builder_.CreateMaskedStore(element, address, AlignmentOf(type),
                                 Splat(mask));
    }
    return;
  }
  llvm::Value* offsets = Splat(offset);
  if (along_axis) {
    offsets = builder_.CreateAdd(offsets, LaneOffsets(stride, place.lanes));
  }
  if (mask != nullptr && !(whole && along_axis)) {
    builder_.CreateMaskedScatter(element, Address(window, offsets),
                                 AlignmentOf(type), Splat(mask));
    return;
  }
  const int lanes = along_axis ? place.lanes : width();
  for (int lane = 0; lane < lanes; ++lane) {
    builder_.CreateAlignedStore(
        builder_.CreateExtractElement(element, static_cast<uint64_t>(lane)),
        Address(window, builder_.CreateExtractElement(
                            offsets, static_cast<uint64_t>(lane))),
        AlignmentOf(type));
  }
}

void BodyEmitter::EmitStore(const Op& op) {
  const MemoryWindow window = OpenWindow(op);
  const ValueId value = op.operands[0];
  const int members =
      std::max(Members(value), static_cast<int>(window.offsets.size()));
  const auto store_all = [&](bool whole) {
    const auto store = [&](const Place& place) {
      StoreElement(window, place, Read(value, place), whole);
    };
    if (plan_.of(value).registers > candidate_.max_unrolled_elements) {
      ForEachSlot(value, members, store);
    } else {
      ForEachRegister(value, members, store);
    }
    return Values();
  };
  if (window.whole == nullptr) {
    store_all(true);
  } else {
    Branch(
        window.whole, kUsuallyWhole, [&] { return store_all(true); },
        [&] { return store_all(false); });
  }
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
