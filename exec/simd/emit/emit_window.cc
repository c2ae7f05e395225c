// Windows of the caller's memory: where their elements lie, and which of them
// may be touched.

#ifndef MX_WITHOUT_LLVM

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {

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
  window.overwritten = absl::c_any_of(program_.ops, [&](const Op& other) {
    return other.kind == OpKind::kStore &&
           program_.views[other.view].buffer == window.view->buffer;
  });
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

llvm::Align BodyEmitter::AlignmentOf(ElementType type) {
  return llvm::Align(std::max(8, BitWidth(type)) / 8);
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

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
