#ifndef EXEC_SIMD_TESTING_GENERATED_MEMORY_H_
#define EXEC_SIMD_TESTING_GENERATED_MEMORY_H_

// The buffers, views and windows of a generated program.
//
// Input buffers are only read, anywhere. Own buffers are divided among the
// instances: each reads and writes its own part, through views of various
// shapes, so that instances are independent of each other. All views of a
// buffer have one element type. No element within the limits of a window lies
// outside its view.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/random_source.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {

struct GeneratedBuffer {
  ElementType type;
  int64_t bytes;
};

class GeneratedMemory {
 public:
  // `any_index` gives an index scalar of whatever value that may be used here.
  GeneratedMemory(TileProgramBuilder* builder, RandomSource* random,
                  std::map<std::string, int64_t>* features,
                  std::function<ValueId()> any_index)
      : b_(*builder),
        random_(*random),
        features_(*features),
        any_index_(std::move(any_index)) {}

  // An index in 0 .. last, known or not.
  ValueId IndexUpTo(int64_t last);

  ValueId LoadInput(ElementType type, const Space& space);
  // Along `dim` from `origin`, below `size`: a limit cuts off the rest.
  ValueId LoadBlock(ElementType type, const Space& space, DimId dim,
                    ValueId origin, ValueId limit, int64_t size);
  // kNoValue where no own buffer has such a window.
  ValueId LoadOwn(ElementType type, const Space& space);
  // Whether there was, or could be, an own buffer for the tile.
  bool Store(ValueId tile);

  // By number; bytes as many as the views need.
  std::vector<GeneratedBuffer> Buffers() const;

 private:
  struct Axis {
    DimId dim;
    int64_t size;  // of the view
    ValueId origin;
    ValueId limit;
  };
  struct OwnBuffer {
    int number;
    ElementType type;
    int64_t part;  // Elements of each instance.
    bool columns;  // The instances are the last axis, not the first.
  };
  struct PlacedWindow {
    ViewId view;
    Window window;
  };

  void Note(const std::string& feature) { ++features_[feature]; }
  ValueId Arithmetic(BinaryKind kind, ValueId a, int64_t b);
  int InputBuffer(ElementType type);
  int NewBuffer(ElementType type);
  Axis InputAxis(DimId dim, bool is_small);
  Axis CutAxis(DimId dim, int64_t size);
  Axis SingleAxis(int64_t size);
  ValueId AnyLimit(int64_t extent);
  PlacedWindow Place(int buffer, ElementType type,
                     const std::vector<Axis>& axes);
  std::vector<Axis> ProgramAxes();
  absl::optional<PlacedWindow> OwnWindow(const OwnBuffer& buffer,
                                         const Space& space);
  bool Factor(int64_t part, const Space& space, size_t first,
              std::vector<int64_t>& factors);

  TileProgramBuilder& b_;
  RandomSource& random_;
  std::map<std::string, int64_t>& features_;
  const std::function<ValueId()> any_index_;
  std::vector<ElementType> buffer_types_;
  std::vector<std::pair<ElementType, int>> inputs_;
  std::vector<OwnBuffer> own_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_GENERATED_MEMORY_H_
