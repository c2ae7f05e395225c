#ifndef EXEC_SIMD_TILE_PROGRAM_BUILDER_H_
#define EXEC_SIMD_TILE_PROGRAM_BUILDER_H_

// Builds tile programs (an example is in tile_program.h) and checks them on the
// way.
//
// In reading order: tile_program_builder.cc (dimensions, views, memory), then
// its parts _elementwise.cc, _folds.cc and _control.cc.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {

// Remembers the first error, which Finish() returns; what is built after it has
// no meaning. Errors (InvalidArgument, each with the operation's place):
// operand types or spaces that do not fit, values used where they are not
// defined, dimensions that do not exist or are named twice, a divisor that is
// no constant above 0, extents below 0.
class TileProgramBuilder {
 public:
  TileProgramBuilder(absl::string_view name, int64_t program_count);

  DimId AddDim(absl::string_view name, int64_t extent);
  ViewId AddView(View view);
  // Of the operations that follow.
  void SetPlace(absl::string_view place) { place_ = std::string(place); }

  ValueId Constant(float value);
  ValueId Index(int64_t value);
  ValueId Bool(bool value);
  ValueId ProgramIndex();
  ValueId Iota(DimId dim);
  ValueId Unary(UnaryKind kind, ValueId x);
  // Over the space of the operand that has all dimensions of the other; where
  // none has, over `space`.
  ValueId Binary(BinaryKind kind, ValueId a, ValueId b);
  ValueId Binary(BinaryKind kind, ValueId a, ValueId b, Space space);
  ValueId Select(ValueId condition, ValueId then, ValueId otherwise);
  ValueId Select(ValueId condition, ValueId then, ValueId otherwise,
                 Space space);
  ValueId Cast(ValueId x, ElementType type);
  ValueId Broadcast(ValueId x, Space space);
  ValueId Relabel(ValueId x, Space space);
  ValueId Extract(ValueId x, std::vector<DimId> dims,
                  std::vector<ValueId> indices);
  // Its dimension has an extent of 1 or more.
  ValueId Reduce(ReduceKind kind, ValueId x, DimId dim,
                 ValueId limit = kNoValue);
  // A limit needs a single contracted dimension. lhs and rhs: f32, bf16 or f16.
  ValueId Contract(ValueId lhs, ValueId rhs, ValueId seed,
                   ValueId limit = kNoValue, bool reassociate = false);
  // lhs [m, k], lhs_scale [m, g], rhs [k, n], rhs_scale [g, n] in any order of
  // dimensions, g = k / 32 rounded up; elements f8E4M3FN or f8E5M2 (or both),
  // or f4E2M1FN or f4E1M2, scales f8E8M0FNU.
  ValueId MxContract(ValueId lhs, ValueId lhs_scale, ValueId rhs,
                     ValueId rhs_scale, ValueId seed, ValueId limit = kNoValue);
  // Over the dimensions of window.axes, in that order.
  ValueId Load(ViewId view, Window window);
  void Store(ViewId view, Window window, ValueId x);

  // body(loop variable, carried) returns what the carried values become. stop
  // is exclusive, step a constant other than 0; the space and type of a carried
  // value stay.
  std::vector<ValueId> For(
      ValueId start, ValueId stop, ValueId step, std::vector<ValueId> carried,
      const std::function<std::vector<ValueId>(ValueId, std::vector<ValueId>)>&
          body);
  std::vector<ValueId> If(
      ValueId condition, const std::function<std::vector<ValueId>()>& then,
      const std::function<std::vector<ValueId>()>& otherwise);

  absl::StatusOr<TileProgram> Finish() &&;

  // What has been built so far, to look up types, spaces and extents.
  const TileProgram& program() const { return program_; }

 private:
  bool Check(bool holds, absl::string_view message);
  bool IsUsable(ValueId value);
  bool AreUsable(absl::Span<const ValueId> values);
  ElementType TypeOf(ValueId value) const;
  const Space& SpaceOf(ValueId value) const;
  bool IsIndex(ValueId value) const;
  bool IsSpace(absl::Span<const DimId> dims);
  bool CheckWindow(ViewId view, const Window& window);
  // The space with all dimensions of the others; kept as the error otherwise.
  Space JoinedSpace(absl::Span<const ValueId> values);
  static bool Contains(absl::Span<const DimId> space, DimId dim);
  bool Covers(const Space& space, ValueId value);
  // A value that can be used from now on, defined by an operation or, as its
  // parameter, by a block.
  ValueId NewValue(ElementType type, Space space, OpId op, BlockId block);
  ValueId Add(Op op, ElementType type, Space space);
  // An operation with one result like each of `values`.
  std::vector<ValueId> AddLike(Op op, absl::Span<const ValueId> values);
  void Append(Op op);
  BlockId OpenBlock();
  void CloseBlock(std::vector<ValueId> yields);

  TileProgram program_;
  absl::Status status_;
  std::string place_;
  std::vector<BlockId> open_;  // innermost last
  std::vector<bool> usable_;   // by value: defined in an open block
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TILE_PROGRAM_BUILDER_H_
