#include "exec/simd/strict_interpreter.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/test_program.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr ElementType kF32 = ElementType::kF32;
using Floats = std::vector<float>;

// ---- windows

TEST(StrictInterpreterTest, EachInstanceHasItsWindow) {
  TestProgram t(3);
  const DimId n = t.b.AddDim("n", 2);
  const ViewId x = t.AddView<float>(kF32, {3, 2}, {1, 2, 3, 4, 5, 6});
  const ViewId y = t.AddView<float>(kF32, {2, 3}, {0, 0, 0, 0, 0, 0});
  const ValueId i = t.b.ProgramIndex();
  const ValueId zero = t.b.Index(0);
  const ValueId row = t.b.Load(x, {{i, zero}, {kNoDim, n}});
  t.b.Store(y, {{zero, i}, {n, kNoDim}}, row);
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(1), (Floats{1, 3, 5, 2, 4, 6}));
}

TEST(StrictInterpreterTest, StoresMatchDimensionsByIdentity) {
  TestProgram t;
  const DimId m = t.b.AddDim("m", 2);
  const DimId n = t.b.AddDim("n", 3);
  const ViewId y = t.AddView<float>(kF32, {3, 2}, Floats(6));
  t.b.Store(y, t.Whole({n, m}),
            t.Input<float>(kF32, {m, n}, {1, 2, 3, 4, 5, 6}));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(0), (Floats{1, 4, 2, 5, 3, 6}));
}

TEST(StrictInterpreterTest, ElementsBeyondLimitsAreFilledAndNotStored) {
  for (const int64_t limit : {int64_t{2}, int64_t{0}, int64_t{-9}}) {
    TestProgram t;
    const DimId m = t.b.AddDim("m", 2);
    const DimId n = t.b.AddDim("n", 3);
    const ViewId x = t.AddView<float>(kF32, {2, 2}, {1, 2, 3, 4});
    const ViewId y = t.AddView<float>(kF32, {2, 3}, Floats(6, 9));
    const ValueId zero = t.b.Index(0);
    Window window = {{zero, zero}, {m, n}, {kNoValue, t.b.Index(limit)}, 7};
    const ValueId tile = t.b.Load(x, window);
    const int filled = t.Output(tile);
    t.b.Store(y, window, tile);
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(t.Elements<float>(filled),
              limit > 0 ? (Floats{1, 2, 7, 3, 4, 7}) : Floats(6, 7));
    EXPECT_EQ(t.Elements<float>(1),
              limit > 0 ? (Floats{1, 2, 9, 3, 4, 9}) : Floats(6, 9));
  }
}

TEST(StrictInterpreterTest, FillsAreOfTheViewsType) {
  const struct {
    ElementType type;
    double fill;
    float value;
  } kCases[] = {
      {kF32, -1e30, -1e30f},
      {kF32, -std::numeric_limits<double>::infinity(),
       -std::numeric_limits<float>::infinity()},
      {ElementType::kBF16, 1.00390625, 1},
      {ElementType::kF16, 65536, std::numeric_limits<float>::infinity()},
      {ElementType::kF8E4M3FN, -0.0, -0.0f},
      {ElementType::kF8E5M2, 3, 3},
      {ElementType::kF4E2M1FN, 100, 6},
      {ElementType::kF4E1M2, -0.25, -0.25f},
      {ElementType::kF8E8M0FNU, 2, 2},
      {ElementType::kF8E8M0FNU, 0, 0x1p-127f},
      {ElementType::kIndex, -5, -5},
  };
  for (const auto& c : kCases) {
    TestProgram t;
    const DimId n = t.b.AddDim("n", 1);
    const ViewId x = t.AddView<uint8_t>(c.type, {0}, {});
    const int y = t.Output(t.b.Cast(
        t.b.Load(x, {{t.b.Index(0)}, {n}, {t.b.Index(0)}, c.fill}), kF32));
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(t.Elements<float>(y), Floats{c.value}) << Name(c.type);
  }
}

TEST(StrictInterpreterTest, TruthValuesAndFillsOfTruthValues) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", 4);
  const ViewId x = t.AddView<uint8_t>(ElementType::kBool, {3}, {0, 1, 0});
  const int y =
      t.Output(t.b.Load(x, {{t.b.Index(0)}, {n}, {t.b.Index(3)}, /*fill=*/1}));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<uint8_t>(y), (std::vector<uint8_t>{0, 1, 0, 1}));
}

TEST(StrictInterpreterTest, TheFirstNibbleIsTheLowOne) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", 4);
  // 0.5, 1, 1.5, 2, 3 and -6, of which the middle four are loaded.
  const ViewId x =
      t.AddView<uint8_t>(ElementType::kF4E2M1FN, {3, 2}, {0x21, 0x43, 0xF5});
  const ViewId flat = t.b.AddView({"flat", ElementType::kF4E2M1FN, {6}, 0});
  const int middle =
      t.Output(t.b.Cast(t.b.Load(flat, {{t.b.Index(1)}, {n}}), kF32));
  const int last = t.Output(t.b.Cast(
      t.b.Load(x, {{t.b.Index(2), t.b.Index(1)}, {kNoDim, kNoDim}}), kF32));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(middle), (Floats{1, 1.5f, 2, 3}));
  EXPECT_EQ(t.Elements<float>(last), (Floats{-6}));
}

TEST(StrictInterpreterTest, LaterStoresDoNotChangeALoadedTile) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", 4);
  const DimId one = t.b.AddDim("one", 1);
  const ViewId x = t.AddView<float>(kF32, {4}, {1, 2, 3, 4});
  const ViewId alias = t.b.AddView({"alias", kF32, {2, 2}, 0});
  const ValueId before = t.b.Load(x, t.Whole({n}));
  t.b.Store(alias, {{t.b.Index(1), t.b.Index(0)}, {kNoDim, one}},
            t.b.Broadcast(t.b.Constant(13), {one}));
  const ValueId after = t.b.Load(x, t.Whole({n}));
  const int y = t.Output(t.b.Binary(BinaryKind::kSub, after, before));
  t.b.Store(x, t.Whole({n}), before);
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(y), (Floats{0, 0, 10, 0}));
  EXPECT_EQ(t.Elements<float>(0), (Floats{1, 2, 3, 4}));
}

// ---- loops and ifs

TEST(StrictInterpreterTest, CarriedTilesSwap) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", 2);
  const ValueId a = t.Input<float>(kF32, {n}, {1, 2});
  const ValueId b = t.Input<float>(kF32, {n}, {3, 4});
  const std::vector<ValueId> swapped =
      t.b.For(t.b.Index(0), t.b.Index(5), t.b.Index(2), {a, b},
              [](ValueId, std::vector<ValueId> carried) {
                return std::vector<ValueId>{carried[1], carried[0]};
              });
  const int first = t.Output(swapped[0]);
  const int second = t.Output(swapped[1]);
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(first), (Floats{3, 4}));
  EXPECT_EQ(t.Elements<float>(second), (Floats{1, 2}));
}

// The values that the loop variable takes, as decimal digits.
int64_t Digits(int64_t start, int64_t stop, int64_t step) {
  TestProgram t;
  const int y = t.Output(t.b.For(
      t.b.Index(start), t.b.Index(stop), t.b.Index(step), {t.b.Index(0)},
      [&t](ValueId i, std::vector<ValueId> carried) {
        return std::vector<ValueId>{t.b.Binary(
            BinaryKind::kAdd,
            t.b.Binary(BinaryKind::kMul, carried[0], t.b.Index(10)), i)};
      })[0]);
  MX_EXPECT_OK(t.Run());
  return t.Elements<int64_t>(y)[0];
}

TEST(StrictInterpreterTest, LoopsCountUpAndDownOrNotAtAll) {
  EXPECT_EQ(Digits(1, 5, 1), 1234);
  EXPECT_EQ(Digits(1, 6, 2), 135);
  EXPECT_EQ(Digits(1, 5, 2), 13);
  EXPECT_EQ(Digits(9, 0, -4), 951);
  EXPECT_EQ(Digits(9, 1, -4), 95);
  EXPECT_EQ(Digits(5, 5, 1), 0);
  EXPECT_EQ(Digits(5, 4, 1), 0);
  EXPECT_EQ(Digits(4, 5, -1), 0);
  // The variable would wrap.
  EXPECT_EQ(Digits(kMax - 1, kMax, 2), kMax - 1);
}

TEST(StrictInterpreterTest, BoundsAndConditionsDependOnTheInstance) {
  TestProgram t(4);
  const ViewId y = t.AddView<float>(kF32, {4}, Floats(4, -1));
  const ValueId i = t.b.ProgramIndex();
  const ValueId count =
      t.b.For(t.b.Index(0), i, t.b.Index(1), {t.b.Constant(0)},
              [&t](ValueId, std::vector<ValueId> carried) {
                return std::vector<ValueId>{
                    t.b.Binary(BinaryKind::kAdd, carried[0], t.b.Constant(1))};
              })[0];
  // Instance 2 stores nothing; the others their count or 50.
  const ValueId odd =
      t.b.Binary(BinaryKind::kEq, t.b.Binary(BinaryKind::kMod, i, t.b.Index(2)),
                 t.b.Index(1));
  const std::vector<ValueId> chosen = t.b.If(
      odd, [&] { return std::vector<ValueId>{count}; },
      [&] { return std::vector<ValueId>{t.b.Constant(50)}; });
  t.b.If(
      t.b.Binary(BinaryKind::kNe, i, t.b.Index(2)),
      [&] {
        t.b.Store(y, {{i}, {kNoDim}}, chosen[0]);
        return std::vector<ValueId>{};
      },
      [] { return std::vector<ValueId>{}; });
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(0), (Floats{50, 1, -1, 3}));
}

// ---- errors

TEST(StrictInterpreterTest, WindowsThatLeaveTheirViewAreFound) {
  const auto run = [](int64_t row, int64_t col, int64_t limit, bool checked) {
    TestProgram t;
    const DimId n = t.b.AddDim("n", 4);
    const ViewId x = t.AddView<float>(kF32, {2, 6}, Floats(12));
    t.b.SetPlace("gemm.py:12:5");
    Window window = {{t.b.Index(row), t.b.Index(col)},
                     {kNoDim, n},
                     {kNoValue, t.b.Index(limit)}};
    window.checked = checked;
    t.b.Store(x, window, t.b.Load(x, window));
    return t.Run();
  };
  for (const bool checked : {false, true}) {
    MX_EXPECT_OK(run(1, 2, 4, checked));
    MX_EXPECT_OK(run(1, 3, 3, checked));
    EXPECT_THAT(run(1, 3, 4, checked),
                StatusIs(absl::StatusCode::kOutOfRange,
                         Eq("gemm.py:12:5: load of view view: window [1, 4] at "
                            "[1, 3] leaves the view [2, 6]")));
    EXPECT_THAT(run(2, 0, 4, checked), StatusIs(absl::StatusCode::kOutOfRange,
                                                HasSubstr("at [2, 0]")));
    EXPECT_THAT(run(0, -1, 4, checked), StatusIs(absl::StatusCode::kOutOfRange,
                                                 HasSubstr("at [0, -1]")));
    EXPECT_THAT(run(0, kMax, 1, checked),
                StatusIs(absl::StatusCode::kOutOfRange,
                         HasSubstr("window [1, 1] at [0, 9223372036854775807] "
                                   "leaves the view [2, 6]")));
    // No element is within the limits, so none is outside.
    MX_EXPECT_OK(run(7, -1, 0, checked));
  }
}

TEST(StrictInterpreterTest, AStoreThatLeavesItsViewWritesNothing) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", 4);
  const ViewId x = t.AddView<float>(kF32, {5}, Floats(5, 3));
  t.b.Store(x, {{t.b.Index(2)}, {n}}, t.b.Broadcast(t.b.Constant(1), {n}));
  EXPECT_THAT(t.Run(), StatusIs(absl::StatusCode::kOutOfRange,
                                Eq("store of view view: window [4] at [2] "
                                   "leaves the view [5]")));
  EXPECT_EQ(t.Elements<float>(0), Floats(5, 3));
}

TEST(StrictInterpreterTest, BuffersAndInstancesAreCheckedFirst) {
  TileProgramBuilder b("p", 3);
  const ViewId y = b.AddView({"y", kF32, {3, 1}, 1});
  const ValueId zero = b.Index(0);
  b.Store(y, {{b.ProgramIndex(), zero}, {kNoDim, kNoDim}}, b.Constant(8));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(b).Finish());
  Floats memory(3);
  const BufferSpan none;
  EXPECT_THAT(Interpret(program, {none}, {0, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       Eq("view y is in buffer 1, but there are 1 buffers")));
  EXPECT_THAT(Interpret(program, {none, {memory.data(), 11}}, {0, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       Eq("view y, f32 [3, 1], needs more than the 11 bytes of "
                          "buffer 1")));
  const std::vector<BufferSpan> buffers = {none, {memory.data(), 12}};
  for (const ProgramRange range :
       {ProgramRange{-1, 1}, ProgramRange{2, 1}, ProgramRange{0, 4}}) {
    EXPECT_THAT(Interpret(program, buffers, range),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("of program p, which has 3")));
  }
  MX_EXPECT_OK(Interpret(program, buffers, {1, 3}));
  EXPECT_EQ(memory, (Floats{0, 8, 8}));
}

TEST(StrictInterpreterTest, ViewsThatNoMemoryCouldHoldAreRefused) {
  TileProgramBuilder b("p", 1);
  b.AddView({"y", kF32, {int64_t{1} << 40, int64_t{1} << 40}, 0});
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram program, std::move(b).Finish());
  const BufferSpan all = {nullptr, kMax};
  EXPECT_THAT(Interpret(program, {all}, {0, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("needs more than")));
}

}  // namespace
}  // namespace mxtile::exec::simd
