#include "exec/simd/tile_program_builder.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::Eq;

using Values = std::vector<ValueId>;

// One statement a value: the order of arguments is the compiler's.
TEST(TileProgramBuilderTest, BuildsWhatToTextShows) {
  TileProgramBuilder b("norms", 8);
  const DimId m = b.AddDim("m", 4);
  const DimId n = b.AddDim("n", 16);
  const ViewId x = b.AddView({"x", ElementType::kBF16, {32, 100}, 0});
  const ViewId y = b.AddView({"y", ElementType::kF32, {8}, 1});
  b.SetPlace("rows.py:3:1");
  const ValueId program = b.ProgramIndex();
  const ValueId four = b.Index(4);
  const ValueId row = b.Binary(BinaryKind::kMul, program, four);
  b.SetPlace("");
  const ValueId start = b.Index(0);
  const ValueId stop = b.Index(100);
  const ValueId step = b.Index(16);
  const ValueId zero = b.Constant(0);
  const ValueId zeros = b.Broadcast(zero, {m});
  const Values sums =
      b.For(start, stop, step, {zeros}, [&](ValueId col, Values carried) {
        const ValueId limit = b.Binary(BinaryKind::kSub, stop, col);
        Window window = {{row, col}, {m, n}, {kNoValue, limit}, -2};
        window.checked = true;
        const ValueId tile = b.Unary(
            UnaryKind::kExp, b.Cast(b.Load(x, window), ElementType::kF32));
        const ValueId sum = b.Reduce(ReduceKind::kSum, tile, n, limit);
        return Values{b.Binary(BinaryKind::kAdd, carried[0], sum)};
      });
  const ValueId few = b.Binary(BinaryKind::kLt, row, stop);
  const Values chosen = b.If(
      few, [&] { return Values{b.Reduce(ReduceKind::kMax, sums[0], m)}; },
      [&] {
        return Values{b.Contract(sums[0], sums[0], zero, kNoValue,
                                 /*reassociate=*/true)};
      });
  b.Store(y, {{program}, {kNoDim}}, chosen[0]);
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram built, std::move(b).Finish());
  EXPECT_EQ(ToText(built), R"(program norms x 8
  dim m#0 = 4
  dim n#1 = 16
  view x: bf16 [32, 100] in buffer 0
  view y: f32 [8] in buffer 1
  %0: index[] = program_index()  # rows.py:3:1
  %1: index[] = constant 4()  # rows.py:3:1
  %2: index[] = mul(%0, %1)  # rows.py:3:1
  %3: index[] = constant 0()
  %4: index[] = constant 100()
  %5: index[] = constant 16()
  %6: f32[] = constant 0()
  %7: f32[m#0] = broadcast(%6)
  %16: f32[m#0] = for(%3, %4, %5, %7)
    params %8, %9
    %10: index[] = sub(%4, %8)
    %11: bf16[m#0 n#1] = load x(%2, %8) axes [m#0 n#1] limits [-, %10] fill -2 checked
    %12: f32[m#0 n#1] = cast(%11)
    %13: f32[m#0 n#1] = exp(%12)
    %14: f32[m#0] = reduce_sum n#1(%13) limit %10
    %15: f32[m#0] = add(%9, %14)
    yield %15
  %17: bool[] = lt(%2, %4)
  %20: f32[] = if(%17)
    %18: f32[] = reduce_max m#0(%16)
    yield %18
  else
    %19: f32[] = contract m#0(%16, %16, %6) reassociate
    yield %19
  store y(%20, %0) axes [-]
)");
}

struct ErrorCase {
  std::string message;
  std::function<void(TileProgramBuilder&)> build;
};

// What ErrorOf() gives to `build`: dimensions of 2, 3 and 0 elements, views of
// f32 [2, 3] and f4E2M1FN [3].
constexpr DimId kM = 0;
constexpr DimId kN = 1;
constexpr DimId kNone = 2;
constexpr ViewId kX = 0;
constexpr ViewId kCodes = 1;

ValueId Tile(TileProgramBuilder& b) {
  const ValueId zero = b.Index(0);
  return b.Load(kX, {{zero, zero}, {kM, kN}});
}

ValueId Codes(TileProgramBuilder& b) {
  return b.Load(kCodes, {{b.Index(0)}, {kN}});
}

std::string ErrorOf(const std::function<void(TileProgramBuilder&)>& build) {
  TileProgramBuilder b("p", 1);
  b.AddDim("m", 2);
  b.AddDim("n", 3);
  b.AddDim("none", 0);
  b.AddView({"x", ElementType::kF32, {2, 3}, 0});
  b.AddView({"codes", ElementType::kF4E2M1FN, {3}, 1});
  b.SetPlace("a.py:1:2");
  build(b);
  const absl::StatusOr<TileProgram> program = std::move(b).Finish();
  if (program.ok()) return "no error";
  EXPECT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(program.status().message());
}

TEST(TileProgramBuilderTest, NamesPlaceAndRuleOfAnError) {
  using B = TileProgramBuilder;
  const ErrorCase kCases[] = {
      {"value %9 is not defined here",
       [](B& b) { b.Unary(UnaryKind::kNeg, 9); }},
      {"dimension q has the extent -1, 0 is the least",
       [](B& b) { b.AddDim("q", -1); }},
      {"view v has the extent -3, 0 is the least",
       [](B& b) {
         b.AddView({"v", ElementType::kF32, {2, -3}, 0});
       }},
      {"there is no dimension 7", [](B& b) { b.Iota(7); }},
      {"dimension m is named twice",
       [](B& b) {
         b.Broadcast(b.Constant(1), {kM, kM});
       }},
      {"this operation does not take index: cast to f32 first",
       [](B& b) { b.Unary(UnaryKind::kNeg, b.Index(1)); }},
      {"this operation does not take f32 and index",
       [](B& b) { b.Binary(BinaryKind::kAdd, b.Constant(1), b.Index(1)); }},
      {"this operation does not take bool and bool",
       [](B& b) { b.Binary(BinaryKind::kLt, b.Bool(true), b.Bool(true)); }},
      {"no operand has all dimensions of the others: state the result's space",
       [](B& b) { b.Binary(BinaryKind::kAdd, b.Iota(kM), b.Iota(kN)); }},
      {"the stated space lacks a dimension of an operand",
       [](B& b) { b.Binary(BinaryKind::kAdd, b.Iota(kM), b.Iota(kN), {kM}); }},
      {"a divisor is a constant above 0",
       [](B& b) {
         b.Binary(BinaryKind::kFloorDiv, b.Index(1), b.ProgramIndex());
       }},
      {"a condition is bool, not f32",
       [](B& b) { b.Select(b.Constant(1), b.Index(1), b.Index(2)); }},
      {"select between index and f32",
       [](B& b) { b.Select(b.Bool(true), b.Index(1), b.Constant(2)); }},
      {"no cast from f32 to f8E4M3FN",
       [](B& b) { b.Cast(b.Constant(1), ElementType::kF8E4M3FN); }},
      {"the stated space lacks a dimension of the tile",
       [](B& b) { b.Broadcast(b.Iota(kM), {kN}); }},
      {"the other dimensions have other extents",
       [](B& b) { b.Relabel(b.Iota(kM), {kN}); }},
      {"an extract names dimensions of its tile that have elements, and an "
       "index for each",
       [](B& b) { b.Extract(b.Iota(kM), {kN}, {b.Index(0)}); }},
      {"the reduced dimension is one of the tile's and has elements",
       [](B& b) {
         b.Reduce(ReduceKind::kSum, b.Broadcast(b.Constant(1), {kNone}), kNone);
       }},
      {"reductions take f32, not index",
       [](B& b) { b.Reduce(ReduceKind::kSum, b.Iota(kM), kM); }},
      {"a limit is an index",
       [](B& b) { b.Reduce(ReduceKind::kSum, Tile(b), kM, b.Constant(1)); }},
      {"a contraction takes f32, bf16 and f16, not index and f32",
       [](B& b) { b.Contract(b.Iota(kM), Tile(b), b.Constant(0)); }},
      {"contract: BF16 MMA accumulation: an accumulator is f32; cast the seed "
       "to f32",
       [](B& b) {
         const ValueId x = Tile(b);
         b.Contract(x, x, b.Cast(b.Constant(0), ElementType::kBF16));
       }},
      {"a dimension of rhs is neither contracted nor in the result",
       [](B& b) { b.Contract(b.Constant(1), Tile(b), b.Constant(0)); }},
      {"a limit is an index and needs a single contracted dimension",
       [](B& b) {
         const ValueId x = Tile(b);
         b.Contract(x, x, b.Constant(0), b.Index(1));
       }},
      {"an MX contraction takes [m, k], [m, g], [k, n], [g, n] and [m, n], g "
       "being k / 32 rounded up",
       [](B& b) {
         const ValueId x = Codes(b);
         b.MxContract(x, x, x, x, x);
       }},
      {"there is no view 5",
       [](B& b) {
         b.Load(5, {{b.Index(0)}, {kNoDim}});
       }},
      {"a window of view x has 2 origins, axes and limits",
       [](B& b) {
         b.Load(kX, {{b.Index(0)}, {kNoDim}});
       }},
      {"an origin is an index",
       [](B& b) {
         b.Load(kCodes, {{b.Constant(0)}, {kN}});
       }},
      {"a limit is an index, for an axis that has a dimension",
       [](B& b) {
         const ValueId zero = b.Index(0);
         b.Load(kCodes, {{zero}, {kNoDim}, {zero}});
       }},
      {"a store's window has the dimensions of its tile",
       [](B& b) {
         const ValueId zero = b.Index(0);
         b.Store(kX, {{zero, zero}, {kM, kNoDim}}, Tile(b));
       }},
      {"a tile of index stored to view x of f32",
       [](B& b) {
         const ValueId zero = b.Index(0);
         b.Store(kX, {{zero, zero}, {kM, kNoDim}}, b.Iota(kM));
       }},
      {"4-bit elements cannot be stored: two programs may share a byte",
       [](B& b) {
         b.Store(kCodes, {{b.Index(0)}, {kN}}, Codes(b));
       }},
      {"a loop's bounds are indices, its step is a constant other than 0",
       [](B& b) {
         const ValueId zero = b.Index(0);
         b.For(zero, zero, zero, {}, [](ValueId, Values) { return Values{}; });
       }},
      {"what a loop yields has the types and spaces of what it carries",
       [](B& b) {
         const ValueId one = b.Index(1);
         b.For(one, one, one, {one},
               [&b](ValueId, Values) { return Values{b.Constant(1)}; });
       }},
      {"value %3 is not defined here",
       [](B& b) {
         const ValueId one = b.Index(1);
         ValueId inner = kNoValue;
         b.For(one, one, one, {}, [&](ValueId, Values) {
           b.Constant(1);
           inner = b.Constant(2);
           return Values{};
         });
         b.Unary(UnaryKind::kNeg, inner);
       }},
      {"the condition of an if is a bool scalar",
       [](B& b) {
         const auto nothing = [] { return Values{}; };
         b.If(b.Index(1), nothing, nothing);
       }},
      {"both sides of an if yield the same types and spaces",
       [](B& b) {
         b.If(
             b.Bool(true), [&b] { return Values{b.Constant(1)}; },
             [&b] { return Values{b.Index(1)}; });
       }},
  };
  for (const ErrorCase& c : kCases) {
    EXPECT_EQ(ErrorOf(c.build), "a.py:1:2: " + c.message);
  }
}

// Tiles for an MX contraction of [2, 64] with [64, 3] but for one type.
std::string MxErrorOf(ElementType a, ElementType b_type, ElementType scale,
                      bool float_seed, bool other_result) {
  TileProgramBuilder b("p", 1);
  const DimId m = b.AddDim("m", 2);
  const DimId n = b.AddDim("n", 3);
  const DimId k = b.AddDim("k", 64);
  const DimId g = b.AddDim("g", 2);
  const DimId other = b.AddDim("other", 2);
  const ValueId zero = b.Index(0);
  const auto tile = [&](ElementType type, DimId row, DimId col) {
    const ViewId view = b.AddView(
        {"v", type, {b.program().Extent(row), b.program().Extent(col)}, 0});
    return b.Load(view, {{zero, zero}, {row, col}});
  };
  const ValueId seed = float_seed ? b.Constant(0) : b.Index(0);
  b.MxContract(tile(a, m, k), tile(scale, m, g), tile(b_type, k, n),
               tile(scale, g, n),
               b.Broadcast(seed, {other_result ? other : m, n}));
  const absl::StatusOr<TileProgram> program = std::move(b).Finish();
  return std::string(program.status().message());
}

TEST(TileProgramBuilderTest, TypesOfMxContractions) {
  constexpr ElementType kF8 = ElementType::kF8E4M3FN;
  constexpr ElementType kF4 = ElementType::kF4E1M2;
  constexpr ElementType kScale = ElementType::kF8E8M0FNU;
  EXPECT_EQ(MxErrorOf(kF8, kF8, kScale, true, false), "");
  EXPECT_EQ(MxErrorOf(kF4, kF4, kScale, true, false), "");
  EXPECT_EQ(MxErrorOf(kF8, kF4, kScale, true, false),
            "an MX contraction takes two FP8 or two FP4 operands, not f8E4M3FN "
            "and f4E1M2");
  EXPECT_EQ(MxErrorOf(kF8, kF8, kF8, true, false), "scales are f8E8M0FNU");
  EXPECT_EQ(MxErrorOf(kF8, kF8, kScale, false, false),
            "mx_contract: INDEX MMA accumulation: an accumulator is f32; cast "
            "the seed to f32");
  // Rows of lhs that are not in the result.
  EXPECT_EQ(MxErrorOf(kF8, kF8, kScale, true, true),
            "an MX contraction takes [m, k], [m, g], [k, n], [g, n] and [m, "
            "n], g being k / 32 rounded up");
}

TEST(TileProgramBuilderTest, TheFirstErrorIsKept) {
  EXPECT_EQ(ErrorOf([](TileProgramBuilder& b) {
              b.SetPlace("first");
              const ValueId wrong = b.Unary(UnaryKind::kNot, b.Constant(1));
              b.SetPlace("second");
              b.Unary(UnaryKind::kNot, b.Unary(UnaryKind::kNeg, wrong));
            }),
            "first: this operation does not take f32: cast to f32 first");
  TileProgramBuilder b("p", -1);
  EXPECT_THAT(std::move(b).Finish(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       Eq("a program has 0 instances or more")));
}

}  // namespace
}  // namespace mxtile::exec::simd
