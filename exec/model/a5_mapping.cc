#include "exec/model/a5_mapping.h"

#include <optional>

#include "exec/element_type.h"

namespace mxtile::exec {

std::optional<a5::MemorySpace> ToA5Space(ir::MemorySpace space) {
  switch (space) {
    case ir::MemorySpace::kDDR:
      return a5::MemorySpace::kGm;
    case ir::MemorySpace::kVec:
      return a5::MemorySpace::kVec;
    case ir::MemorySpace::kMat:
      return a5::MemorySpace::kMat;
    case ir::MemorySpace::kLeft:
      return a5::MemorySpace::kLeft;
    case ir::MemorySpace::kRight:
      return a5::MemorySpace::kRight;
    case ir::MemorySpace::kAcc:
      return a5::MemorySpace::kAcc;
    case ir::MemorySpace::kBias:
      return a5::MemorySpace::kBias;
    case ir::MemorySpace::kLeftScale:
      return a5::MemorySpace::kLeftScale;
    case ir::MemorySpace::kRightScale:
      return a5::MemorySpace::kRightScale;
    case ir::MemorySpace::kScalarLocal:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<a5::TileLayout> ToA5Layout(const ir::TileView& view) {
  using L = ir::TileLayout;
  const bool scale_box = view.fractal == 32;
  if (view.slayout == L::kNoneBox) {
    return view.blayout == L::kRowMajor ? std::optional(a5::TileLayout::kNd)
                                        : std::nullopt;
  }
  if (view.blayout == L::kRowMajor && view.slayout == L::kRowMajor) {
    return scale_box ? std::optional(a5::TileLayout::kZz) : std::nullopt;
  }
  if (view.blayout == L::kColMajor && view.slayout == L::kColMajor) {
    return scale_box ? std::optional(a5::TileLayout::kNn) : std::nullopt;
  }
  if (scale_box) return std::nullopt;
  return view.blayout == L::kColMajor ? a5::TileLayout::kNz
                                      : a5::TileLayout::kZn;
}

std::optional<ElementFormat> ToA5Format(ir::DataType type) {
  if (type == ir::DataType::kInt8) return ElementFormat::kF8E4M3FN;
  if (type == ir::DataType::kUInt8) return ElementFormat::kF8E8M0FNU;
  return FormatOf(type);
}

}  // namespace mxtile::exec
