#ifndef EXEC_SIMD_TESTING_TEST_PROGRAM_H_
#define EXEC_SIMD_TESTING_TEST_PROGRAM_H_

// A small tile program with its memory: what a test of one operation needs.
//
//   TestProgram t;
//   const DimId n = t.b.AddDim("n", 3);
//   const ValueId x = t.Input<float>(ElementType::kF32, {n}, {1, 2, 3});
//   const int y = t.Output(t.b.Unary(UnaryKind::kNeg, x));
//   MX_ASSERT_OK(t.Run());
//   EXPECT_EQ(t.Elements<float>(y), (std::vector<float>{-1, -2, -3}));
//
// Each view has a buffer of its own unless it is added to `b` directly. T is
// the type that an element has in memory: float, int64_t, or uint16_t and
// uint8_t for codes, pairs of codes and truth values.

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {

class TestProgram {
 public:
  // What memory holds that nobody has written.
  static constexpr uint8_t kUnset = 0xA5;

  explicit TestProgram(int64_t program_count = 1) : b("test", program_count) {}

  // A buffer with this content; its number.
  template <typename T>
  int AddBuffer(const std::vector<T>& elements) {
    std::vector<uint8_t> bytes(elements.size() * sizeof(T));
    if (!bytes.empty()) {
      std::memcpy(bytes.data(), elements.data(), bytes.size());
    }
    buffers_.push_back(std::move(bytes));
    return static_cast<int>(buffers_.size()) - 1;
  }

  template <typename T>
  ViewId AddView(ElementType type, std::vector<int64_t> shape,
                 const std::vector<T>& elements) {
    return b.AddView({"view", type, std::move(shape), AddBuffer(elements)});
  }

  // The whole of a view over these dimensions.
  Window Whole(const Space& space) {
    return {std::vector<ValueId>(space.size(), b.Index(0)), space};
  }

  // A tile with these elements.
  template <typename T>
  ValueId Input(ElementType type, const Space& space,
                const std::vector<T>& elements) {
    return b.Load(AddView(type, Extents(space), elements), Whole(space));
  }

  // Stores the whole tile; the buffer's number.
  int Output(ValueId x) {
    const ElementType type = b.program().values[x].type;
    const Space space = b.program().values[x].space;
    const int buffer = AddBuffer(
        std::vector<uint8_t>(BytesOf(type, b.program().Volume(space)), kUnset));
    b.Store(b.AddView({"out", type, Extents(space), buffer}), Whole(space), x);
    return buffer;
  }

  std::vector<int64_t> Extents(const Space& space) const {
    std::vector<int64_t> extents;
    for (const DimId dim : space) extents.push_back(b.program().Extent(dim));
    return extents;
  }

  // Finishes the program and interprets all instances, once.
  absl::Status Run() {
    MX_ASSIGN_OR_RETURN(const TileProgram program, std::move(b).Finish());
    std::vector<BufferSpan> spans;
    for (std::vector<uint8_t>& bytes : buffers_) {
      spans.push_back({bytes.data(), static_cast<int64_t>(bytes.size())});
    }
    return Interpret(program, spans, AllOf(program));
  }

  template <typename T>
  std::vector<T> Elements(int buffer) const {
    const std::vector<uint8_t>& bytes = buffers_[buffer];
    std::vector<T> elements(bytes.size() / sizeof(T));
    if (!bytes.empty()) {
      std::memcpy(elements.data(), bytes.data(), bytes.size());
    }
    return elements;
  }

  // By number, as AddBuffer made them or Run left them.
  const std::vector<std::vector<uint8_t>>& buffers() const { return buffers_; }

  TileProgramBuilder b;

 private:
  std::vector<std::vector<uint8_t>> buffers_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_TEST_PROGRAM_H_
