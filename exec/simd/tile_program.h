#ifndef EXEC_SIMD_TILE_PROGRAM_H_
#define EXEC_SIMD_TILE_PROGRAM_H_

// What the SIMD backend plans, resources, emits and interprets: many instances
// of one small program over tiles. Instances are independent of each other and
// numbered 0 .. program_count - 1; a SIMD lane, or a register tile, may run
// several at once.
//
// A tile is an immutable value over a space: an ordered list of dimensions,
// row-major. Dimensions have identity; names are for people. Everything matches
// by identity: a + b pairs the elements that agree in the dimensions that both
// have, and a contraction sums over the dimensions of its left operand that its
// result does not have. A scalar is a tile over the empty space, an index a
// scalar of type kIndex.
//
//   // tile_program_builder.h
//   TileProgramBuilder b("scale_rows", /*program_count=*/8);
//   const DimId n = b.AddDim("n", 100);
//   const auto view = [&](const char* name, int buffer) {
//     return b.AddView({name, ElementType::kF32, {8, 100}, buffer});
//   };
//   const Window row = {{b.ProgramIndex(), b.Index(0)}, {kNoDim, n}};
//   const ValueId a = b.Load(view("x", 0), row);
//   const ValueId twice = b.Binary(BinaryKind::kMul, a, b.Constant(2));
//   b.Store(view("y", 1), row, twice);
//   MX_ASSIGN_OR_RETURN(TileProgram program, std::move(b).Finish());
//
// Meaning, which every way of execution has bit for bit (a NaN is a NaN,
// whatever its payload):
//   * Floats are f32: each operation is rounded once to nearest even, none is
//     contracted or reassociated, subnormals are kept. Narrower formats are
//     stored and converted, never computed in.
//   * kMax: the first NaN of a and b, else a >= b ? a : b; kMin likewise with
//     <=. Comparisons with a NaN are false, kNe is true.
//   * kExp is mxtile::Exp (numerics/exp.h). kSqrt and kDiv are rounded
//     correctly; kRsqrt is 1 / sqrt(x), kRecip is 1 / x, kRelu is
//     x < 0 ? 0 : x.
//   * kFloorDiv and kMod of indices round towards minus infinity, as in Python;
//     the divisor is a constant above 0. Indices have 64 bits and wrap.
//   * A reduction folds left from the first element on:
//     ((x0 + x1) + x2) + ...
//   * A contraction starts from its seed; contributions are added one by one,
//     in row-major order of the contracted dimensions of the left operand:
//     acc = acc + lhs * rhs, two roundings. Without contributions the result is
//     the seed.
//   * An MX contraction is MMAD_MX of A5 (docs/a5/cube_mmad_mx.md):
//     acc = float(double(acc) + a * sa * b * sb), k ascending; a NaN is
//     0x7FC00000.
//   * A load reads memory where it stands: later stores do not change its tile.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "exec/simd/element_type.h"

namespace mxtile::exec::simd {

using DimId = int32_t;
using ValueId = int32_t;
using ViewId = int32_t;
using OpId = int32_t;
using BlockId = int32_t;

inline constexpr DimId kNoDim = -1;
inline constexpr ValueId kNoValue = -1;

struct Dim {
  std::string name;
  int64_t extent = 0;  // 0 and above
};

// Each dimension at most once.
using Space = std::vector<DimId>;

// Elements along k that share a scale in an MX contraction.
inline constexpr int64_t kMxGroup = 32;

// Memory of the caller, row-major and dense.
struct View {
  std::string name;
  ElementType type = ElementType::kF32;
  std::vector<int64_t> shape;
  // Views of one buffer may overlap, views of two never do.
  int buffer = 0;
};

enum class UnaryKind { kNeg, kAbs, kExp, kSqrt, kRsqrt, kRecip, kRelu, kNot };
enum class BinaryKind {
  // f32 and kIndex
  kAdd,
  kSub,
  kMul,
  kMax,
  kMin,
  // f32
  kDiv,
  // kIndex
  kFloorDiv,
  kMod,
  // f32 and kIndex, to kBool
  kLt,
  kLe,
  kGt,
  kGe,
  kEq,
  kNe,
  // kBool
  kAnd,
  kOr,
};
enum class ReduceKind { kSum, kMax, kMin };

enum class OpKind {
  kConstant,      // -> scalar
  kProgramIndex,  // -> index: which instance runs
  kIota,          // -> kIndex over [dim]: 0, 1, 2 ...
  kUnary,         // (x)
  kBinary,        // (a, b)
  kSelect,        // (condition, then, otherwise)
  kCast,          // (x) -> `type`: any float format to f32; f32 to bf16 or f16,
                  //        nearest even; kIndex to f32
  kBroadcast,     // (x) -> the same over a space with more dimensions
  kRelabel,       // (x) -> the same elements over other dimensions of the same
                  //        extents
  kExtract,       // (x, index ...) -> x without `dims`, at these indices;
                  //        an index outside is clamped
  kReduce,        // (x) -> x without dims[0]
  kContract,      // (lhs, rhs, seed) -> over the seed's space
  kMxContract,    // (lhs, lhs_scale, rhs, rhs_scale, seed)
  kLoad,          // (origins ...)
  kStore,         // (x, origins ...), no result
  kFor,           // (start, stop, step, carried ...) -> carried ...
  kIf,            // (condition) -> ...
};

// Which part of a view a load or store is about: axis i of the view is indexed
// by origins[i] + the index along axes[i], or by origins[i] alone where that is
// kNoDim.
struct Window {
  std::vector<ValueId> origins;
  std::vector<DimId> axes;
  // Empty, or one an axis, kNoValue where there is none: elements whose index
  // along axes[i] is not below limits[i] are not touched in memory; a load has
  // BitsOf(view's type, fill) there.
  std::vector<ValueId> limits;
  double fill = 0;
  // That no element within the limits lies outside the view: promised by
  // whoever builds the program, or checked before each access, whose whole
  // window is then left untouched and reported.
  bool checked = false;
};

struct Value {
  ElementType type = ElementType::kF32;
  Space space;
  OpId op = -1;        // That defines it, or -1:
  BlockId block = -1;  //   a parameter of this block.
};

struct Op {
  OpKind kind = OpKind::kConstant;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<BlockId> blocks;  // kFor: body; kIf: then, otherwise

  UnaryKind unary = UnaryKind::kNeg;
  BinaryKind binary = BinaryKind::kAdd;
  ReduceKind reduce = ReduceKind::kSum;
  double constant = 0;       // kConstant of f32
  int64_t integer = 0;       // kConstant of kIndex and kBool
  std::vector<DimId> dims;   // kIota, kReduce: one; kExtract: those removed;
                             // kContract: those summed over; kMxContract:
                             // k and the dimension of its groups
  ValueId limit = kNoValue;  // kReduce, kContract, kMxContract: only elements
                             // before it along dims[0] take part
  bool reassociate = false;  // kContract: another order would be allowed;
                             // nobody takes one, so that all results agree
  ViewId view = -1;          // kLoad, kStore
  Window window;             // kLoad, kStore; origins are operands, too
  std::string place;         // "gemm.py:12:5", for messages
};

// A list of operations. A loop's body has the loop variable and the carried
// values as parameters, and yields what they become.
struct Block {
  std::vector<ValueId> params;
  std::vector<OpId> ops;
  std::vector<ValueId> yields;
};

struct TileProgram {
  std::string name;
  int64_t program_count = 1;
  std::vector<Dim> dims;
  std::vector<View> views;
  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Block> blocks;
  BlockId body = 0;

  int64_t Extent(DimId dim) const { return dims[dim].extent; }
  // Elements of a tile over `space`.
  int64_t Volume(const Space& space) const;
  int64_t Volume(ValueId value) const { return Volume(values[value].space); }
};

// As ToText writes them: "exp", "floordiv", "max", "mx_contract" ...
absl::string_view Name(UnaryKind kind);
absl::string_view Name(BinaryKind kind);
absl::string_view Name(ReduceKind kind);
absl::string_view Name(OpKind kind);

// The program as text, for people and tests; one operation a line.
std::string ToText(const TileProgram& program);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TILE_PROGRAM_H_
