// Loads of the caller's memory, and its use in place of arrays. A window that
// is whole, inside all limits of all instances, is read without masks; whether
// it is, is asked once.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

llvm::Value* BodyEmitter::FillOf(const Op& load) {
  const ElementType type = program_.views[load.view].type;
  const double fill = load.window.fill;
  const uint64_t bits = BitsOf(type, fill);
  if (type == ElementType::kF32) {
    return llvm::ConstantFP::get(
        builder_.getFloatTy(),
        llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits)));
  }
  return llvm::ConstantInt::get(SlotType(type), bits);
}

// A register at a time: of a wider masked load LLVM 22 makes several, and loads
// a part whose mask is all false without a mask. And where the program stores
// to the memory, frozen: LLVM 22 merges a choice by the same mask into the
// load, which it then makes where the choice is, behind the store. Both are in
// exec/simd/jit/jit.h.
llvm::Value* BodyEmitter::LoadMasked(const MemoryWindow& window,
                                     llvm::Value* address, llvm::Value* mask,
                                     llvm::Value* fill) {
  const ElementType type = window.view->type;
  llvm::Type* slot = SlotType(type);
  const int lanes = std::min(
      width(),
      static_cast<int>(8 * vector_bytes_ /
                       slot->getPrimitiveSizeInBits().getFixedValue()));
  Values parts;
  for (int first = 0; first < width(); first += lanes) {
    llvm::SmallVector<int> own(lanes);
    std::iota(own.begin(), own.end(), first);
    llvm::Value* part = builder_.CreateMaskedLoad(
        llvm::FixedVectorType::get(slot, lanes),
        builder_.CreateConstGEP1_64(slot, address, first), AlignmentOf(type),
        builder_.CreateShuffleVector(mask, own),
        builder_.CreateShuffleVector(fill, own));
    parts.push_back(window.overwritten ? builder_.CreateFreeze(part) : part);
  }
  return llvm::concatenateVectors(builder_, parts);
}

llvm::Value* BodyEmitter::LoadElement(const MemoryWindow& window,
                                      const Place& place, bool whole) {
  const ElementType type = window.view->type;
  llvm::Type* slot = SlotType(type);
  llvm::Value* base = Offset(window, place.member);
  llvm::Value* element = ElementOffset(window, place);
  llvm::Value* mask =
      ElementMask(window, place, whole, candidate_.masked_lanes);
  const int64_t stride = VectorStride(window, place.vector);
  const bool along_axis = place.vector != kNoDim;
  const bool differs = base->getType()->isVectorTy();
  // Of inactive lanes only the addresses repeat an active one's: what lies
  // behind the last active element is not theirs to read.
  const bool by_lanes = differs && window.lane_step == 1 &&
                        (active_mask_ == nullptr || candidate_.masked_lanes);
  const bool contiguous =
      !IsPacked(type) && (along_axis ? stride == 1 : by_lanes);

  if (!along_axis && !differs) {
    // One element.
    llvm::Value* offset = builder_.CreateAdd(base, element);
    const auto load = [&] {
      return Values{
          Unpack(window,
                 builder_.CreateAlignedLoad(slot, Address(window, offset),
                                            AlignmentOf(type)),
                 offset)};
    };
    if (mask == nullptr) return load()[0];
    // Lanes that have it, if any has.
    const bool by_lane = mask->getType()->isVectorTy();
    llvm::Value* fill = FromSlot(FillOf(*window.op), type);
    llvm::Value* loaded = Branch(by_lane ? builder_.CreateOrReduce(mask) : mask,
                                 0.5, load, [&] { return Values{fill}; })[0];
    return by_lane ? builder_.CreateSelect(mask, Splat(loaded), Splat(fill))
                   : loaded;
  }
  llvm::Type* vector = VectorOf(slot);
  llvm::Value* fill = Splat(FillOf(*window.op));
  if (contiguous) {
    llvm::Value* first =
        differs ? builder_.CreateExtractElement(base, uint64_t{0}) : base;
    llvm::Value* address = Address(window, builder_.CreateAdd(first, element));
    llvm::Value* loaded =
        mask == nullptr ? static_cast<llvm::Value*>(builder_.CreateAlignedLoad(
                              vector, address, AlignmentOf(type)))
                        : LoadMasked(window, address, Splat(mask), fill);
    return FromSlot(loaded, type);
  }
  llvm::Value* offsets = builder_.CreateAdd(Splat(base), Splat(element));
  if (along_axis) {
    offsets = builder_.CreateAdd(offsets, LaneOffsets(stride, place.lanes));
  }
  // Lanes without an element repeat one that has.
  if (whole && along_axis) mask = nullptr;
  if (mask != nullptr) {
    mask = Splat(mask);
    llvm::Value* loaded = builder_.CreateMaskedGather(
        vector, Address(window, offsets), AlignmentOf(type), mask, fill);
    llvm::Value* elements = Unpack(window, loaded, offsets);
    // A fill is a code, not a byte of two.
    return IsPacked(type) ? builder_.CreateSelect(mask, elements, fill)
                          : elements;
  }
  llvm::Value* result = llvm::PoisonValue::get(vector);
  for (int lane = 0; lane < width(); ++lane) {
    // Along an axis from one base: the addresses differ by constants.
    llvm::Value* offset =
        along_axis && !differs
            ? builder_.CreateAdd(builder_.CreateAdd(base, element),
                                 I64(stride * std::min(lane, place.lanes - 1)))
            : builder_.CreateAdd(builder_.CreateExtractElement(
                                     base, static_cast<uint64_t>(lane)),
                                 element);
    result = builder_.CreateInsertElement(
        result,
        builder_.CreateAlignedLoad(slot, Address(window, offset),
                                   AlignmentOf(type)),
        static_cast<uint64_t>(lane));
  }
  return Unpack(window, result, offsets);
}

void BodyEmitter::EmitLoad(const Op& op) {
  const MemoryWindow window = OpenWindow(op);
  const ValueId value = op.results[0];
  const ValuePlan& plan = plan_.of(value);
  if (plan.forwarded) {
    Forward(window, value);
    return;
  }
  if (plan.form == Form::kArray) {
    const auto fill = [&](bool whole) {
      if (whole && CanCopyTransposed(window, value)) {
        CopyTransposed(window, value);
      } else if (whole && CanCopyLanes(window, value)) {
        CopyLanes(window, value);
      } else {
        Define(value, [&](const Place& place) {
          return LoadElement(window, place, whole);
        });
      }
      return Values();
    };
    if (window.whole == nullptr) {
      fill(true);
    } else {
      Branch(
          window.whole, kUsuallyWhole, [&] { return fill(true); },
          [&] { return fill(false); });
    }
    return;
  }
  const auto load_all = [&](bool whole) {
    Values elements;
    ForEachRegister(value, Members(value), [&](const Place& place) {
      elements.push_back(
          Shaped(LoadElement(window, place, whole), value, place));
    });
    return elements;
  };
  const Values elements =
      window.whole == nullptr
          ? load_all(true)
          : Branch(
                window.whole, kUsuallyWhole, [&] { return load_all(true); },
                [&] { return load_all(false); });
  size_t next = 0;
  ForEachRegister(value, Members(value), [&](const Place& place) {
    SetRegister(value, place, elements[next++]);
  });
  FillArray(value);
}

// Rows at a pitch of large powers of two fall on few sets of the cache: where
// they do not stay, each load of the operand comes from further away.
double BodyEmitter::ForwardedLoadFactor(const MemoryWindow& window,
                                        ValueId value) const {
  constexpr int64_t kPage = 4096;  // sets of the first cache times a line
  constexpr int64_t kWays = 8;
  constexpr double kMostPages = 6;
  const ValuePlan& plan = plan_.of(value);
  int64_t rows = 1;
  int64_t pitch = 0;
  for (const DimId dim : plan.order) {
    if (dim == plan.vector_dim || program_.Extent(dim) == 1) continue;
    rows *= program_.Extent(dim);
    pitch = VectorStride(window, dim) * BitWidth(window.view->type) / 8;
  }
  if (pitch == 0 || rows <= kWays * (kPage / std::gcd(pitch, kPage))) return 1;
  return std::min(kMostPages, 1 + 4 * static_cast<double>(pitch) / kPage);
}

// Consumers read memory where it is, or the array where the window is not
// whole.
void BodyEmitter::Forward(const MemoryWindow& window, ValueId value) {
  const ValuePlan& plan = plan_.of(value);
  const Storage array = storage_[value];
  const int members = static_cast<int>(window.offsets.size());
  Storage memory;
  for (const DimId dim : plan.order) {
    memory.strides.push_back(Coord::Constant(VectorStride(window, dim)));
  }
  memory.load_factor = ForwardedLoadFactor(window, value);
  for (int member = 0; member < members; ++member) {
    memory.member_bases.push_back(Address(window, window.offsets[member]));
  }
  if (window.whole == nullptr) {
    storage_[value] = memory;
    return;
  }
  const Values merged = Branch(
      window.whole, kUsuallyWhole,
      [&] {
        Values values = memory.member_bases;
        for (const Coord& stride : memory.strides) {
          values.push_back(CoordValue(stride));
        }
        return values;
      },
      [&] {
        Define(value, [&](const Place& place) {
          return LoadElement(window, place, /*whole=*/false);
        });
        Values values;
        for (int member = 0; member < members; ++member) {
          values.push_back(
              builder_.CreateGEP(SlotType(window.view->type), array.base,
                                 I64(array.member_stride * member)));
        }
        for (const Coord& stride : array.strides) {
          values.push_back(CoordValue(stride));
        }
        return values;
      });
  Storage storage;
  storage.load_factor = memory.load_factor;
  storage.member_bases.assign(merged.begin(), merged.begin() + members);
  for (size_t i = 0; i < plan.order.size(); ++i) {
    llvm::Value* stride = merged[members + i];
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(stride);
    storage.strides.push_back(constant != nullptr
                                  ? Coord::Constant(constant->getSExtValue())
                                  : Coord::Of(stride));
  }
  storage_[value] = storage;
}

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
