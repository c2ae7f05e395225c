#include "exec/simd/testing/generated_memory.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

constexpr int64_t kMaxInputElements = 20000;
constexpr int64_t kMaxPart = 2048;
constexpr size_t kMaxInputsOfAType = 2;
constexpr size_t kMaxOwnBuffers = 3;
// Far outside every view.
constexpr int64_t kOutside = 1000000;

}  // namespace

// ---- indices

ValueId GeneratedMemory::Arithmetic(BinaryKind kind, ValueId a, int64_t b) {
  return b_.Binary(kind, a, b_.Index(b));
}

ValueId GeneratedMemory::IndexUpTo(int64_t last) {
  const int64_t how = random_.Below(10);
  if (how < 3) return b_.Index(random_.Below(last + 1));
  if (how < 5) {
    const ValueId program = b_.ProgramIndex();
    if (b_.program().program_count - 1 <= last) return program;
    return Arithmetic(BinaryKind::kMod, program, last + 1);
  }
  const ValueId any = any_index_();
  if (how < 9) return Arithmetic(BinaryKind::kMod, any, last + 1);
  return Arithmetic(BinaryKind::kMax, Arithmetic(BinaryKind::kMin, any, last),
                    0);
}

// -1 .. extent
ValueId GeneratedMemory::AnyLimit(int64_t extent) {
  Note("window with a limit");
  return Arithmetic(BinaryKind::kSub, IndexUpTo(extent + 1), 1);
}

// ---- axes

GeneratedMemory::Axis GeneratedMemory::SingleAxis(int64_t size) {
  return {kNoDim, size, IndexUpTo(size - 1), kNoValue};
}

// Of `size` elements of which the last ones may not fill the tile.
GeneratedMemory::Axis GeneratedMemory::CutAxis(DimId dim, int64_t size) {
  Note("ragged window");
  const ValueId origin = IndexUpTo(size - 1);
  return {dim, size, origin,
          b_.Binary(BinaryKind::kSub, b_.Index(size), origin)};
}

GeneratedMemory::Axis GeneratedMemory::InputAxis(DimId dim, bool is_small) {
  const int64_t extent = b_.program().Extent(dim);
  const int64_t programs = b_.program().program_count;
  const int64_t how = is_small ? 99 : random_.Below(100);
  if (how < 25 && extent >= 2) {
    return CutAxis(dim, 1 + random_.Below(extent + extent / 2));
  }
  if (how < 50 && extent >= 1) {
    Note("window by instance");
    return {dim, programs * extent,
            Arithmetic(BinaryKind::kMul, b_.ProgramIndex(), extent), kNoValue};
  }
  const int64_t spare = is_small ? 0 : random_.OneOf<int64_t>({0, 0, 1, 5});
  const ValueId origin = IndexUpTo(spare);
  const ValueId limit = random_.Chance(15) ? AnyLimit(extent) : kNoValue;
  return {dim, extent + spare, origin, limit};
}

// ---- buffers and views

int GeneratedMemory::NewBuffer(ElementType type) {
  buffer_types_.push_back(type);
  return static_cast<int>(buffer_types_.size()) - 1;
}

int GeneratedMemory::InputBuffer(ElementType type) {
  std::vector<int> existing;
  for (const auto& [input_type, number] : inputs_) {
    if (input_type == type) existing.push_back(number);
  }
  if (!existing.empty() &&
      (existing.size() == kMaxInputsOfAType || random_.Chance(60))) {
    return random_.OneOf(existing);
  }
  const int number = NewBuffer(type);
  inputs_.push_back({type, number});
  return number;
}

GeneratedMemory::PlacedWindow GeneratedMemory::Place(
    int buffer, ElementType type, const std::vector<Axis>& axes) {
  std::vector<int64_t> shape;
  Window window;
  for (const Axis& axis : axes) {
    shape.push_back(axis.size);
    window.origins.push_back(axis.origin);
    window.axes.push_back(axis.dim);
    window.limits.push_back(axis.limit);
  }
  if (std::all_of(window.limits.begin(), window.limits.end(),
                  [](ValueId limit) { return limit == kNoValue; })) {
    window.limits.clear();
  }
  if (type == ElementType::kF32) {
    window.fill = random_.OneOf({0.0, 0.0, 1.0, -0.0, -1e30});
  } else {
    window.fill = random_.OneOf({0.0, 1.0});
  }
  window.checked = random_.Chance(20);
  if (window.checked) Note("checked window");
  const std::vector<View>& views = b_.program().views;
  for (size_t i = 0; i < views.size(); ++i) {
    if (views[i].buffer == buffer && views[i].shape == shape) {
      return {static_cast<ViewId>(i), window};
    }
  }
  const ViewId view = b_.AddView(
      {"v" + std::to_string(views.size()), type, std::move(shape), buffer});
  return {view, window};
}

// ---- inputs

ValueId GeneratedMemory::LoadInput(ElementType type, const Space& space) {
  std::vector<Axis> axes;
  int64_t elements = 1;
  const auto add = [&](const Axis& axis) {
    axes.push_back(axis);
    elements *= std::max<int64_t>(axis.size, 1);
  };
  for (const DimId dim : space) {
    if (random_.Chance(15)) add(SingleAxis(1 + random_.Below(4)));
    add(InputAxis(
        dim, elements * b_.program().Extent(dim) * b_.program().program_count >
                 kMaxInputElements));
  }
  if (space.empty() && random_.Chance(70)) add(SingleAxis(40));
  if (!axes.empty() && axes.back().dim != kNoDim && random_.Chance(3)) {
    Note("window without elements, outside its view");
    axes.back().limit = b_.Index(-random_.Below(2));
    axes.front().origin = b_.Index(kOutside);
  }
  const PlacedWindow placed = Place(InputBuffer(type), type, axes);
  return b_.Load(placed.view, placed.window);
}

ValueId GeneratedMemory::LoadBlock(ElementType type, const Space& space,
                                   DimId dim, ValueId origin, ValueId limit,
                                   int64_t size) {
  std::vector<Axis> axes;
  for (const DimId d : space) {
    axes.push_back(d == dim ? Axis{dim, size, origin, limit}
                            : InputAxis(d, /*is_small=*/true));
  }
  const PlacedWindow placed = Place(InputBuffer(type), type, axes);
  return b_.Load(placed.view, placed.window);
}

// ---- own buffers

std::vector<GeneratedMemory::Axis> GeneratedMemory::ProgramAxes() {
  const int64_t programs = b_.program().program_count;
  const ValueId program = b_.ProgramIndex();
  const int64_t inner = 2 + random_.Below(4);
  if (programs % inner != 0 || !random_.Chance(40)) {
    return {{kNoDim, programs, program, kNoValue}};
  }
  Note("instances over two axes");
  const ValueId outer = Arithmetic(BinaryKind::kFloorDiv, program, inner);
  return {
      {kNoDim, programs / inner, outer, kNoValue},
      {kNoDim, inner, Arithmetic(BinaryKind::kMod, program, inner), kNoValue}};
}

// Sizes of axes from `first` on with the product `part`, none below its
// dimension's extent.
bool GeneratedMemory::Factor(int64_t part, const Space& space, size_t first,
                             std::vector<int64_t>& factors) {
  if (first == space.size()) return part == 1;
  const int64_t extent = b_.program().Extent(space[first]);
  std::vector<int64_t> candidates;
  for (int64_t f = std::max<int64_t>(extent, 1); f <= part; ++f) {
    if (part % f == 0) candidates.push_back(f);
  }
  random_.Shuffle(candidates);
  for (const int64_t f : candidates) {
    factors.push_back(f);
    if (Factor(part / f, space, first + 1, factors)) return true;
    factors.pop_back();
  }
  return false;
}

absl::optional<GeneratedMemory::PlacedWindow> GeneratedMemory::OwnWindow(
    const OwnBuffer& buffer, const Space& space) {
  std::vector<Axis> axes;
  if (space.empty()) {
    axes.push_back(SingleAxis(buffer.part));
  } else {
    std::vector<int64_t> factors;
    if (!Factor(buffer.part, space, 0, factors)) return absl::nullopt;
    for (size_t i = 0; i < space.size(); ++i) {
      const int64_t extent = b_.program().Extent(space[i]);
      if (extent >= 2 && random_.Chance(20)) {
        axes.push_back(CutAxis(space[i], factors[i]));
        continue;
      }
      const ValueId origin = IndexUpTo(factors[i] - extent);
      const ValueId limit = random_.Chance(10) ? AnyLimit(extent) : kNoValue;
      axes.push_back({space[i], factors[i], origin, limit});
    }
  }
  const std::vector<Axis> programs = ProgramAxes();
  axes.insert(buffer.columns ? axes.end() : axes.begin(), programs.begin(),
              programs.end());
  return Place(buffer.number, buffer.type, axes);
}

ValueId GeneratedMemory::LoadOwn(ElementType type, const Space& space) {
  for (const OwnBuffer& buffer : own_) {
    if (buffer.type != type) continue;
    const absl::optional<PlacedWindow> placed = OwnWindow(buffer, space);
    if (!placed.has_value()) continue;
    Note("load from an own buffer");
    return b_.Load(placed->view, placed->window);
  }
  return kNoValue;
}

bool GeneratedMemory::Store(ValueId tile) {
  const ElementType type = b_.program().values[tile].type;
  Space space = b_.program().values[tile].space;
  random_.Shuffle(space);
  const auto store = [&](const OwnBuffer& buffer) {
    const absl::optional<PlacedWindow> placed = OwnWindow(buffer, space);
    if (!placed.has_value()) return false;
    b_.Store(placed->view, placed->window, tile);
    return true;
  };
  for (const OwnBuffer& buffer : own_) {
    if (buffer.type == type && random_.Chance(80) && store(buffer)) return true;
  }
  int64_t part = 1;
  for (const DimId dim : space) {
    part *= std::max<int64_t>(b_.program().Extent(dim), 1) +
            random_.OneOf<int64_t>({0, 0, 1, 3});
  }
  if (own_.size() == kMaxOwnBuffers || part > kMaxPart) return false;
  const bool columns = random_.Chance(30);
  if (columns) Note("instances along the last axis");
  own_.push_back({NewBuffer(type), type, part, columns});
  return store(own_.back());
}

std::vector<GeneratedBuffer> GeneratedMemory::Buffers() const {
  std::vector<GeneratedBuffer> buffers;
  for (const ElementType type : buffer_types_) buffers.push_back({type, 0});
  for (const View& view : b_.program().views) {
    int64_t elements = 1;
    for (const int64_t extent : view.shape) elements *= extent;
    int64_t& bytes = buffers[view.buffer].bytes;
    bytes = std::max(bytes, BytesOf(view.type, elements));
  }
  return buffers;
}

}  // namespace mxtile::exec::simd
