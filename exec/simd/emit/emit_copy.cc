// Loads into arrays that have another order than memory: vectors of neighbours
// in memory are loaded, transposed in registers and stored.

#ifndef MX_WITHOUT_LLVM

#include <cstdint>
#include <vector>

#include "exec/simd/element_type.h"
#include "exec/simd/emit/body_emitter.h"
#include "exec/simd/emit/place.h"
#include "exec/simd/realization.h"
#include "exec/simd/tile_program.h"
#include "llvm/IR/IRBuilder.h"

namespace mxtile::exec::simd {
namespace {

// The dimension along which a window's elements lie side by side.
DimId ContiguousDim(const Op& op) {
  return op.window.axes.empty() ? kNoDim : op.window.axes.back();
}

}  // namespace

// ---- transposes

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

// ---- of a tile whose vectors run along another dimension

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

// ---- of lanes that are programs

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

}  // namespace mxtile::exec::simd

#endif  // MX_WITHOUT_LLVM
