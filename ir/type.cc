#include "ir/type.h"

#include <optional>

#include "absl/strings/string_view.h"
#include "ir/enums.h"
#include "ir/expr.h"

namespace mxtile::ir {
namespace {

bool IsColumnVector(Dims shape) {
  if (shape.size() != 2) return false;
  const ConstInt* rows = AsConstInt(shape[0]);
  const ConstInt* cols = AsConstInt(shape[1]);
  return rows != nullptr && cols != nullptr && cols->value == 1 &&
         rows->value > 1;
}

TileView Layout(TileLayout blayout, TileLayout slayout, int64_t fractal) {
  TileView view;
  view.blayout = blayout;
  view.slayout = slayout;
  view.fractal = fractal;
  return view;
}

}  // namespace

TileView ImplicitTileView(Dims shape, std::optional<MemorySpace> space) {
  using L = TileLayout;
  const L flat = IsColumnVector(shape) ? L::kColMajor : L::kRowMajor;
  if (!space.has_value()) return Layout(flat, L::kNoneBox, 512);
  switch (*space) {
    case MemorySpace::kMat:
    case MemorySpace::kLeft:
      return Layout(L::kColMajor, L::kRowMajor, 512);
    case MemorySpace::kRight:
      return Layout(flat, L::kColMajor, 512);
    case MemorySpace::kLeftScale:
      return Layout(L::kRowMajor, L::kRowMajor, 32);
    case MemorySpace::kRightScale:
      return Layout(L::kColMajor, L::kColMajor, 32);
    case MemorySpace::kAcc:
      return Layout(L::kColMajor, L::kRowMajor, 1024);
    case MemorySpace::kDDR:
    case MemorySpace::kVec:
    case MemorySpace::kBias:
    case MemorySpace::kScalarLocal:
      return Layout(flat, L::kNoneBox, 512);
  }
  return Layout(flat, L::kNoneBox, 512);
}

TileView TileType::EffectiveView() const {
  return view != nullptr ? *view : ImplicitTileView(shape, space);
}

Dims TileType::EffectiveValidShape() const {
  return view != nullptr && !view->valid_shape.empty() ? view->valid_shape
                                                       : shape;
}

absl::string_view MarkerTypeName(TypeKind kind) {
  switch (kind) {
    case TypeKind::kUnknown:
      return "pl.UnknownType";
    case TypeKind::kPtr:
      return "pl.Ptr";
    case TypeKind::kMemRefType:
      return "pl.MemRefType";
    case TypeKind::kWindowBuffer:
      return "pld.WindowBufferType";
    case TypeKind::kCommCtx:
      return "pld.CommCtxType";
    case TypeKind::kPrefetchAsyncContext:
      return "pl.PrefetchAsyncContext";
    case TypeKind::kAsyncEvent:
      return "pl.AsyncEvent";
    case TypeKind::kAsyncSession:
      return "pl.AsyncSession";
    case TypeKind::kScalar:
    case TypeKind::kTensor:
    case TypeKind::kDistributedTensor:
    case TypeKind::kTile:
    case TypeKind::kArray:
    case TypeKind::kTuple:
      return "";
  }
  return "";
}

}  // namespace mxtile::ir
