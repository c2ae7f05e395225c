// Loads and stores of the caller's memory. A window that is whole, inside all
// limits of all instances, is read without masks; whether it is, is asked once.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/check.h"
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
namespace {

// A ragged window is the last of many.
constexpr double kUsuallyWhole = 0.97;

llvm::Align AlignmentOf(ElementType type) {
  return llvm::Align(std::max(8, BitWidth(type)) / 8);
}

bool IsPacked(ElementType type) { return BitWidth(type) < 8; }

}  // namespace

// ---- windows

BodyEmitter::MemoryWindow BodyEmitter::OpenWindow(const Op& op) {
  MemoryWindow window;
  window.op = &op;
  window.view = &program_.views[op.view];
  window.strides.resize(window.view->shape.size());
  int64_t stride = 1;
  for (size_t i = window.strides.size(); i-- > 0;) {
    window.strides[i] = stride;
    stride *= window.view->shape[i];
  }
  const auto varies = [this](const std::vector<ValueId>& values) {
    return absl::c_any_of(values, [this](ValueId value) {
      return value != kNoValue && plan_.of(value).varies;
    });
  };
  window.varies = varies(op.window.origins) || varies(op.window.limits);
  window.lane_step = lanes_.Step(*window.view, op.window);
  const int members = window.varies && !programs() ? candidate_.group : 1;
  for (int member = 0; member < members; ++member) {
    Coord offset = Coord::Constant(0);
    for (size_t i = 0; i < window.strides.size(); ++i) {
      offset = Add(offset,
                   Multiply(Coord::Of(ReadScalar(op.window.origins[i], member)),
                            Coord::Constant(window.strides[i])));
    }
    window.offsets.push_back(CoordValue(offset));
    Values limits(window.strides.size());
    for (size_t i = 0; i < op.window.limits.size(); ++i) {
      if (op.window.limits[i] == kNoValue) continue;
      limits[i] = ReadScalar(op.window.limits[i], member);
    }
    window.limits.push_back(std::move(limits));
  }
  window.enabled.resize(members);
  if (op.window.checked) CheckWindow(window);
  FindWhole(window);
  return window;
}

// All of them, as one i1.
llvm::Value* BodyEmitter::AllLanes(llvm::Value* condition) {
  return condition->getType()->isVectorTy()
             ? builder_.CreateAndReduce(condition)
             : condition;
}

llvm::Value* BodyEmitter::And(llvm::Value* a, llvm::Value* b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  Unify(&a, &b);
  return builder_.CreateAnd(a, b);
}

void BodyEmitter::FindWhole(MemoryWindow& window) {
  for (size_t member = 0; member < window.offsets.size(); ++member) {
    llvm::Value* inside = window.enabled[member];
    for (size_t i = 0; i < window.strides.size(); ++i) {
      llvm::Value* limit = window.limits[member][i];
      if (limit == nullptr) continue;
      llvm::Value* extent = I64(program_.Extent(window.op->window.axes[i]));
      Unify(&limit, &extent);
      inside = And(inside, builder_.CreateICmpSGE(limit, extent));
    }
    if (inside != nullptr) window.whole = And(window.whole, AllLanes(inside));
  }
}

// Reports a window that leaves its view, and disables it.
void BodyEmitter::CheckWindow(MemoryWindow& window) {
  const Op& op = *window.op;
  for (size_t member = 0; member < window.offsets.size(); ++member) {
    llvm::Value* inside = nullptr;
    llvm::Value* empty = nullptr;
    for (size_t i = 0; i < window.strides.size(); ++i) {
      llvm::Value* origin =
          ReadScalar(op.window.origins[i], static_cast<int>(member));
      const DimId dim = op.window.axes[i];
      const int64_t extent = dim == kNoDim ? 1 : program_.Extent(dim);
      llvm::Value* count = I64(extent);
      if (llvm::Value* limit = window.limits[member][i]; limit != nullptr) {
        count = ComputeBinary(BinaryKind::kMin, limit, count);
      }
      llvm::Value* none = ComputeBinary(BinaryKind::kLe, count, I64(0));
      empty =
          empty == nullptr ? none : ComputeBinary(BinaryKind::kOr, empty, none);
      inside = And(inside, ComputeBinary(BinaryKind::kGe, origin, I64(0)));
      // The origin may be anything: a sum with it could wrap.
      inside =
          And(inside,
              ComputeBinary(BinaryKind::kLe, origin,
                            ComputeBinary(BinaryKind::kSub,
                                          I64(window.view->shape[i]), count)));
    }
    if (inside == nullptr) continue;  // a view of one element
    llvm::Value* enabled = ComputeBinary(BinaryKind::kOr, inside, empty);
    window.enabled[member] = enabled;
    llvm::Value* fine = enabled;
    if (active_mask_ != nullptr) {
      fine = ComputeBinary(BinaryKind::kOr, fine,
                           builder_.CreateNot(active_mask_));
    }
    Branch(
        AllLanes(fine), 1, [] { return Values(); },
        [&] {
          llvm::Value* old =
              builder_.CreateLoad(builder_.getInt64Ty(), args_.error);
          llvm::Value* first = builder_.CreateICmpEQ(old, I64(0));
          const OpId id = static_cast<OpId>(&op - program_.ops.data());
          builder_.CreateStore(builder_.CreateSelect(first, I64(id + 1), old),
                               args_.error);
          return Values();
        });
  }
}

llvm::Value* BodyEmitter::ElementOffset(const MemoryWindow& window,
                                        const Place& place) {
  Coord offset = Coord::Constant(0);
  for (size_t i = 0; i < window.strides.size(); ++i) {
    const DimId dim = window.op->window.axes[i];
    if (dim == kNoDim || program_.Extent(dim) == 1) continue;
    offset = Add(
        offset, Multiply(*place.Find(dim), Coord::Constant(window.strides[i])));
  }
  return CoordValue(offset);
}

llvm::Value* BodyEmitter::Offset(const MemoryWindow& window, int member) const {
  return window.offsets[window.offsets.size() == 1 ? 0 : member];
}

int64_t BodyEmitter::VectorStride(const MemoryWindow& window, DimId dim) const {
  for (size_t i = 0; i < window.strides.size(); ++i) {
    if (window.op->window.axes[i] == dim) return window.strides[i];
  }
  return 0;
}

// Addresses of elements: one, or a vector of them. Of packed ones of their
// bytes.
llvm::Value* BodyEmitter::Address(const MemoryWindow& window,
                                  llvm::Value* offset) {
  const ElementType type = window.view->type;
  if (IsPacked(type)) {
    offset = builder_.CreateAShr(offset,
                                 llvm::ConstantInt::get(offset->getType(), 1));
  }
  return builder_.CreateGEP(SlotType(type), args_.buffers[window.view->buffer],
                            offset);
}

// The element of a byte that holds two.
llvm::Value* BodyEmitter::Unpack(const MemoryWindow& window, llvm::Value* slot,
                                 llvm::Value* offset) {
  if (!IsPacked(window.view->type)) {
    return FromSlot(slot, window.view->type);
  }
  Unify(&slot, &offset);
  llvm::Value* odd =
      builder_.CreateAnd(offset, llvm::ConstantInt::get(offset->getType(), 1));
  llvm::Value* shift =
      builder_.CreateShl(builder_.CreateTrunc(odd, slot->getType()),
                         llvm::ConstantInt::get(slot->getType(), 2));
  return builder_.CreateAnd(builder_.CreateLShr(slot, shift),
                            llvm::ConstantInt::get(slot->getType(), 15));
}

// In kAxis the vector's offsets from its first element: 0, stride, 2 * stride;
// lanes without an element repeat the last.
llvm::Value* BodyEmitter::LaneOffsets(int64_t stride, int lanes) {
  std::vector<llvm::Constant*> offsets;
  for (int lane = 0; lane < width(); ++lane) {
    offsets.push_back(llvm::ConstantInt::get(
        builder_.getInt64Ty(),
        static_cast<uint64_t>(stride * std::min(lane, lanes - 1))));
  }
  return llvm::ConstantVector::get(offsets);
}

llvm::Value* BodyEmitter::LanesBelow(int lanes) {
  std::vector<llvm::Constant*> mask;
  for (int lane = 0; lane < width(); ++lane) {
    mask.push_back(builder_.getInt1(lane < lanes));
  }
  return llvm::ConstantVector::get(mask);
}

// Which lanes may touch memory; null for all of them.
llvm::Value* BodyEmitter::ElementMask(const MemoryWindow& window,
                                      const Place& place, bool whole,
                                      bool guard_active) {
  llvm::Value* mask = nullptr;
  const bool is_vector = place.vector != kNoDim;
  if (is_vector && place.lanes < width()) mask = LanesBelow(place.lanes);
  if (guard_active && active_mask_ != nullptr) mask = And(mask, active_mask_);
  if (whole) return mask;
  const size_t member = window.offsets.size() == 1 ? 0 : place.member;
  mask = And(mask, window.enabled[member]);
  for (size_t i = 0; i < window.strides.size(); ++i) {
    llvm::Value* limit = window.limits[member][i];
    if (limit == nullptr) continue;
    const DimId dim = window.op->window.axes[i];
    llvm::Value* index =
        program_.Extent(dim) == 1 ? I64(0) : CoordValue(*place.Find(dim));
    if (is_vector && place.vector == dim) {
      index = builder_.CreateAdd(
          Splat(index),
          builder_.CreateStepVector(VectorOf(builder_.getInt64Ty())));
    }
    mask = And(mask, ComputeBinary(BinaryKind::kLt, index, limit));
  }
  return mask;
}

// ---- loads

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
// a part whose mask is all false without a mask (exec/simd/jit/jit.h).
llvm::Value* BodyEmitter::LoadMasked(llvm::Type* slot, llvm::Value* address,
                                     llvm::Align align, llvm::Value* mask,
                                     llvm::Value* fill) {
  const int lanes = std::min(
      width(),
      static_cast<int>(8 * vector_bytes_ /
                       slot->getPrimitiveSizeInBits().getFixedValue()));
  Values parts;
  for (int first = 0; first < width(); first += lanes) {
    llvm::SmallVector<int> own(lanes);
    std::iota(own.begin(), own.end(), first);
    parts.push_back(builder_.CreateMaskedLoad(
        llvm::FixedVectorType::get(slot, lanes),
        builder_.CreateConstGEP1_64(slot, address, first), align,
        builder_.CreateShuffleVector(mask, own),
        builder_.CreateShuffleVector(fill, own)));
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
        mask == nullptr
            ? static_cast<llvm::Value*>(builder_.CreateAlignedLoad(
                  vector, address, AlignmentOf(type)))
            : LoadMasked(slot, address, AlignmentOf(type), Splat(mask), fill);
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

// ---- copies by register transposes

// rows[i] lane j becomes rows[j] lane i: blocks of half the size change places,
// then their blocks.
void BodyEmitter::Transpose(Values& rows) {
  const int n = width();
  for (int half = n / 2; half > 0; half /= 2) {
    for (int i = 0; i < n; ++i) {
      if ((i & half) != 0) continue;
      std::vector<int> low(n);
      std::vector<int> high(n);
      for (int lane = 0; lane < n; ++lane) {
        const bool upper = (lane & half) != 0;
        low[lane] = upper ? n + lane - half : lane;
        high[lane] = upper ? n + lane : lane + half;
      }
      llvm::Value* a = rows[i];
      llvm::Value* b = rows[i + half];
      rows[i] = builder_.CreateShuffleVector(a, b, low);
      rows[i + half] = builder_.CreateShuffleVector(a, b, high);
    }
  }
}

namespace {

// The dimension along which a window's elements lie side by side.
DimId ContiguousDim(const Op& op) {
  return op.window.axes.empty() ? kNoDim : op.window.axes.back();
}

}  // namespace

bool BodyEmitter::CanCopyTransposed(const MemoryWindow& window,
                                    ValueId value) const {
  const ValuePlan& plan = plan_.of(value);
  const DimId contiguous = ContiguousDim(*window.op);
  return candidate_.vector_copies && !programs() &&
         BitWidth(window.view->type) == 32 && plan.vector_dim != kNoDim &&
         contiguous != kNoDim && contiguous != plan.vector_dim &&
         program_.Extent(contiguous) >= width();
}

// Vectors along the contiguous dimension are loaded, vectors along the array's
// are stored.
void BodyEmitter::CopyTransposed(const MemoryWindow& window, ValueId value) {
  const ValuePlan& plan = plan_.of(value);
  const DimId across = ContiguousDim(*window.op);
  const DimId along = plan.vector_dim;
  const int64_t whole = program_.Extent(across) / width() * width();
  const auto block = [&](Place place, Coord first, Coord row, int rows) {
    Values vectors;
    for (int i = 0; i < width(); ++i) {
      if (i >= rows) {
        vectors.push_back(vectors.back());
        continue;
      }
      place.Set(across, first);
      place.Set(along, Add(row, Coord::Constant(i)));
      place.vector = across;
      place.lanes = width();
      vectors.push_back(LoadElement(window, place, /*whole=*/true));
    }
    Transpose(vectors);
    for (int i = 0; i < width(); ++i) {
      place.Set(across, Add(first, Coord::Constant(i)));
      place.Set(along, row);
      place.vector = along;
      place.lanes = rows;
      WriteArray(storage_[value], value, place, vectors[i]);
    }
  };
  const auto rest = [&](Place place, Coord row, int rows) {
    for (int64_t i = whole; i < program_.Extent(across); ++i) {
      place.Set(across, Coord::Constant(i));
      place.Set(along, row);
      place.vector = along;
      place.lanes = rows;
      WriteArray(storage_[value], value, place,
                 LoadElement(window, place, /*whole=*/true));
    }
  };
  ForEachOther(value, {across, along}, [&](const Place& place) {
    const int64_t extent = program_.Extent(along);
    const auto rows = [&](Coord row, int count) {
      Loop(whole, width(),
           [&](Coord first) { block(place, first, row, count); });
      rest(place, row, count);
    };
    const int64_t whole_rows = extent / width() * width();
    Loop(whole_rows, width(), [&](Coord row) { rows(row, width()); });
    if (whole_rows < extent) {
      rows(Coord::Constant(whole_rows), static_cast<int>(extent - whole_rows));
    }
  });
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

bool BodyEmitter::CanCopyLanes(const MemoryWindow& window,
                               ValueId value) const {
  const ValuePlan& plan = plan_.of(value);
  const DimId contiguous = ContiguousDim(*window.op);
  return candidate_.vector_copies && programs() && plan.varies &&
         window.offsets[0]->getType()->isVectorTy() && window.lane_step != 1 &&
         BitWidth(window.view->type) == 32 &&
         !(candidate_.masked_lanes && active_mask_ != nullptr) &&
         contiguous != kNoDim && program_.Extent(contiguous) >= width();
}

// A vector of neighbours from each lane's memory, transposed to a vector of
// lanes for each neighbour.
void BodyEmitter::CopyLanes(const MemoryWindow& window, ValueId value) {
  const DimId along = ContiguousDim(*window.op);
  const int64_t extent = program_.Extent(along);
  const int64_t whole = extent / width() * width();
  llvm::Type* vector = VectorOf(SlotType(window.view->type));
  ForEachOther(value, {along}, [&](const Place& other) {
    Place place = other;
    Loop(whole, width(), [&](Coord first) {
      place.Set(along, first);
      llvm::Value* element = ElementOffset(window, place);
      Values vectors;
      for (int lane = 0; lane < width(); ++lane) {
        llvm::Value* offset = builder_.CreateAdd(
            builder_.CreateExtractElement(window.offsets[0],
                                          static_cast<uint64_t>(lane)),
            element);
        vectors.push_back(builder_.CreateAlignedLoad(
            vector, Address(window, offset), llvm::Align(4)));
      }
      Transpose(vectors);
      for (int i = 0; i < width(); ++i) {
        place.Set(along, Add(first, Coord::Constant(i)));
        WriteArray(storage_[value], value, place, vectors[i]);
      }
    });
    for (int64_t i = whole; i < extent; ++i) {
      place.Set(along, Coord::Constant(i));
      WriteArray(storage_[value], value, place,
                 LoadElement(window, place, /*whole=*/true));
    }
  });
}

// ---- stores

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
