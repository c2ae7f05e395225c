#include "exec/simd/tile_math.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "absl/base/casts.h"
#include "base/status_matchers.h"
#include "exec/simd/element_type.h"
#include "exec/simd/testing/test_program.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gtest/gtest.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/exp.h"

namespace mxtile::exec::simd {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = std::numeric_limits<float>::denorm_min();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr ElementType kF32 = ElementType::kF32;

// Bits, with one pattern for all NaNs, so that signs of zeros count.
std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) {
    bits.push_back(std::isnan(value) ? 0x7FC00000
                                     : absl::bit_cast<uint32_t>(value));
  }
  return bits;
}

std::vector<uint32_t> FloatBits(const TestProgram& t, int buffer) {
  return Bits(t.Elements<float>(buffer));
}

using Truths = std::vector<uint8_t>;

// ---- elementwise

std::vector<uint32_t> UnaryBits(UnaryKind kind, const std::vector<float>& x) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", static_cast<int64_t>(x.size()));
  const int y = t.Output(t.b.Unary(kind, t.Input<float>(kF32, {n}, x)));
  MX_EXPECT_OK(t.Run());
  return FloatBits(t, y);
}

TEST(TileMathTest, UnaryOperations) {
  EXPECT_EQ(UnaryBits(UnaryKind::kNeg, {1, -0.0f, 0, kInf, kNan, kTiny}),
            Bits({-1, 0, -0.0f, -kInf, kNan, -kTiny}));
  EXPECT_EQ(UnaryBits(UnaryKind::kAbs, {-1, -0.0f, -kInf, kNan, -kTiny}),
            Bits({1, 0, kInf, kNan, kTiny}));
  EXPECT_EQ(UnaryBits(UnaryKind::kExp, {0, 1, -kInf, kInf, kNan, -100}),
            Bits({1, Exp(1), 0, kInf, kNan, Exp(-100)}));
  EXPECT_EQ(UnaryBits(UnaryKind::kSqrt, {4, 2, -0.0f, -1, kInf, kNan}),
            Bits({2, 1.41421354f, -0.0f, kNan, kInf, kNan}));
  // 3: 1 / 1.7320508, in two roundings.
  EXPECT_EQ(UnaryBits(UnaryKind::kRsqrt, {4, 0, -0.0f, kInf, -1, 3}),
            Bits({0.5f, kInf, -kInf, 0, kNan, 1 / 1.73205078f}));
  EXPECT_EQ(UnaryBits(UnaryKind::kRecip, {4, 0, -0.0f, -kInf, kNan, kTiny}),
            Bits({0.25f, kInf, -kInf, -0.0f, kNan, kInf}));
  EXPECT_EQ(UnaryBits(UnaryKind::kRelu, {4, -4, -0.0f, 0, kNan, -kInf}),
            Bits({4, 0, -0.0f, 0, kNan, 0}));
}

TEST(TileMathTest, BinaryOperationsOfFloats) {
  const std::vector<float> a = {1, kNan, 2, -0.0f, 0, 3, kInf, kTiny};
  const std::vector<float> b = {2, 1, kNan, 0, -0.0f, 0, -kInf, kTiny};
  const struct {
    BinaryKind kind;
    std::vector<float> expected;
  } kCases[] = {
      {BinaryKind::kAdd, {3, kNan, kNan, 0, 0, 3, kNan, 2 * kTiny}},
      {BinaryKind::kSub, {-1, kNan, kNan, -0.0f, 0, 3, kInf, 0}},
      {BinaryKind::kMul, {2, kNan, kNan, -0.0f, -0.0f, 0, -kInf, 0}},
      {BinaryKind::kDiv, {0.5f, kNan, kNan, kNan, kNan, kInf, kNan, 1}},
      {BinaryKind::kMax, {2, kNan, kNan, -0.0f, 0, 3, kInf, kTiny}},
      {BinaryKind::kMin, {1, kNan, kNan, -0.0f, 0, 0, -kInf, kTiny}},
  };
  for (const auto& c : kCases) {
    TestProgram t;
    const DimId n = t.b.AddDim("n", 8);
    const int y = t.Output(t.b.Binary(c.kind, t.Input<float>(kF32, {n}, a),
                                      t.Input<float>(kF32, {n}, b)));
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(FloatBits(t, y), Bits(c.expected)) << static_cast<int>(c.kind);
  }
}

TEST(TileMathTest, ComparisonsOfFloats) {
  const std::vector<float> a = {1, 2, 2, kNan, -0.0f};
  const std::vector<float> b = {2, 2, 1, kNan, 0};
  const struct {
    BinaryKind kind;
    Truths expected;
  } kCases[] = {
      {BinaryKind::kLt, {1, 0, 0, 0, 0}}, {BinaryKind::kLe, {1, 1, 0, 0, 1}},
      {BinaryKind::kGt, {0, 0, 1, 0, 0}}, {BinaryKind::kGe, {0, 1, 1, 0, 1}},
      {BinaryKind::kEq, {0, 1, 0, 0, 1}}, {BinaryKind::kNe, {1, 0, 1, 1, 0}},
  };
  for (const auto& c : kCases) {
    TestProgram t;
    const DimId n = t.b.AddDim("n", 5);
    const int y = t.Output(t.b.Binary(c.kind, t.Input<float>(kF32, {n}, a),
                                      t.Input<float>(kF32, {n}, b)));
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(t.Elements<uint8_t>(y), c.expected) << static_cast<int>(c.kind);
  }
}

TEST(TileMathTest, OperationsOfIndices) {
  const std::vector<int64_t> a = {-7, 7, -6, kMin, kMax};
  const struct {
    BinaryKind kind;
    int64_t b;
    std::vector<int64_t> expected;
  } kCases[] = {
      {BinaryKind::kFloorDiv, 3, {-3, 2, -2, kMin / 3 - 1, kMax / 3}},
      {BinaryKind::kMod, 3, {2, 1, 0, 1, 1}},
      {BinaryKind::kAdd, 1, {-6, 8, -5, kMin + 1, kMin}},
      {BinaryKind::kSub, 1, {-8, 6, -7, kMax, kMax - 1}},
      {BinaryKind::kMul, 2, {-14, 14, -12, 0, -2}},
      {BinaryKind::kMax, 0, {0, 7, 0, 0, kMax}},
      {BinaryKind::kMin, 0, {-7, 0, -6, kMin, 0}},
  };
  for (const auto& c : kCases) {
    TestProgram t;
    const DimId n = t.b.AddDim("n", 5);
    const int y = t.Output(t.b.Binary(
        c.kind, t.Input<int64_t>(ElementType::kIndex, {n}, a), t.b.Index(c.b)));
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(t.Elements<int64_t>(y), c.expected) << static_cast<int>(c.kind);
  }
}

TEST(TileMathTest, TruthValues) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", 4);
  const ValueId a = t.Input<uint8_t>(ElementType::kBool, {n}, {0, 0, 1, 1});
  const ValueId b = t.Input<uint8_t>(ElementType::kBool, {n}, {0, 1, 0, 1});
  const int both = t.Output(t.b.Binary(BinaryKind::kAnd, a, b));
  const int either = t.Output(t.b.Binary(BinaryKind::kOr, a, b));
  const int neither =
      t.Output(t.b.Unary(UnaryKind::kNot, t.b.Binary(BinaryKind::kOr, a, b)));
  const int chosen = t.Output(t.b.Select(a, b, t.b.Bool(true)));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<uint8_t>(both), (Truths{0, 0, 0, 1}));
  EXPECT_EQ(t.Elements<uint8_t>(either), (Truths{0, 1, 1, 1}));
  EXPECT_EQ(t.Elements<uint8_t>(neither), (Truths{1, 0, 0, 0}));
  EXPECT_EQ(t.Elements<uint8_t>(chosen), (Truths{1, 1, 0, 1}));
}

TEST(TileMathTest, DimensionsMatchByIdentity) {
  TestProgram t;
  const DimId m = t.b.AddDim("x", 2);
  const DimId n = t.b.AddDim("x", 3);
  const ValueId row = t.Input<float>(kF32, {n}, {1, 2, 3});
  const ValueId col = t.Input<float>(kF32, {m}, {10, 20});
  const ValueId matrix = t.Input<float>(kF32, {m, n}, {0, 1, 2, 3, 4, 5});
  const int outer = t.Output(t.b.Binary(BinaryKind::kSub, row, col, {n, m}));
  const int joined = t.Output(t.b.Binary(BinaryKind::kAdd, col, matrix));
  const int transposed = t.Output(t.b.Broadcast(matrix, {n, m}));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(outer),
            (std::vector<float>{-9, -19, -8, -18, -7, -17}));
  EXPECT_EQ(t.Elements<float>(joined),
            (std::vector<float>{10, 11, 12, 23, 24, 25}));
  EXPECT_EQ(t.Elements<float>(transposed),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(TileMathTest, SelectBroadcastsAndKeepsBits) {
  TestProgram t;
  const DimId m = t.b.AddDim("m", 2);
  const DimId n = t.b.AddDim("n", 2);
  const ValueId c = t.Input<uint8_t>(ElementType::kBool, {m}, {1, 0});
  const ValueId x = t.Input<uint16_t>(ElementType::kBF16, {n}, {0x7F81, 2});
  const ValueId y = t.Input<uint16_t>(ElementType::kBF16, {m, n}, {5, 6, 7, 8});
  const int z = t.Output(t.b.Select(c, x, y));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<uint16_t>(z), (std::vector<uint16_t>{0x7F81, 2, 7, 8}));
}

TEST(TileMathTest, CastsFromEveryCodeOfTheNarrowFormats) {
  for (const ElementType type :
       {ElementType::kBF16, ElementType::kF16, ElementType::kF8E4M3FN,
        ElementType::kF8E5M2, ElementType::kF8E8M0FNU}) {
    const ElementFormat format = *FormatOf(type);
    const int64_t codes = static_cast<int64_t>(CodeCount(format));
    TestProgram t;
    const DimId n = t.b.AddDim("n", codes);
    std::vector<float> values;
    std::vector<uint8_t> bytes;
    for (int64_t code = 0; code < codes; ++code) {
      values.push_back(Decode(format, static_cast<uint32_t>(code)));
      bytes.push_back(static_cast<uint8_t>(code));
      if (codes > 256) bytes.push_back(static_cast<uint8_t>(code >> 8));
    }
    const int y = t.Output(t.b.Cast(t.Input<uint8_t>(type, {n}, bytes), kF32));
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(FloatBits(t, y), Bits(values)) << Name(type);
  }
}

TEST(TileMathTest, CastsToHalvesAndFromIndices) {
  TestProgram t;
  const DimId n = t.b.AddDim("n", 5);
  const ValueId x =
      t.Input<float>(kF32, {n}, {1.00390625f, -0.0f, 65520, kInf, 3e38f});
  const ValueId i = t.Input<int64_t>(ElementType::kIndex, {n},
                                     {-1, 16777217, 16777219, kMax, kMin});
  const int bf16 = t.Output(t.b.Cast(x, ElementType::kBF16));
  const int f16 = t.Output(t.b.Cast(x, ElementType::kF16));
  const int f32 = t.Output(t.b.Cast(i, kF32));
  MX_ASSERT_OK(t.Run());
  // Ties to even: 1 + 2^-8 is 1, 65520 is 65536 and Inf as a half.
  EXPECT_EQ(t.Elements<uint16_t>(bf16),
            (std::vector<uint16_t>{0x3F80, 0x8000, 0x4780, 0x7F80, 0x7F62}));
  EXPECT_EQ(t.Elements<uint16_t>(f16),
            (std::vector<uint16_t>{0x3C04, 0x8000, 0x7C00, 0x7C00, 0x7C00}));
  EXPECT_EQ(t.Elements<float>(f32),
            (std::vector<float>{-1, 16777216, 16777220, 0x1p63f, -0x1p63f}));
}

TEST(TileMathTest, RelabelKeepsElements) {
  TestProgram t;
  const DimId m = t.b.AddDim("m", 2);
  const DimId n = t.b.AddDim("n", 2);
  const ValueId x = t.Input<float>(kF32, {m, n}, {1, 2, 3, 4});
  // x - x transposed.
  const int y = t.Output(t.b.Binary(
      BinaryKind::kSub, x, t.b.Broadcast(t.b.Relabel(x, {n, m}), {m, n})));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(y), (std::vector<float>{0, -1, 1, 0}));
}

TEST(TileMathTest, ExtractClampsItsIndices) {
  TestProgram t;
  const DimId m = t.b.AddDim("m", 2);
  const DimId n = t.b.AddDim("n", 3);
  const DimId k = t.b.AddDim("k", 2);
  const ValueId x =
      t.Input<float>(kF32, {m, n, k}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const int middle = t.Output(t.b.Extract(x, {n}, {t.b.Index(1)}));
  const int clamped =
      t.Output(t.b.Extract(x, {k, m}, {t.b.Index(-5), t.b.Index(kMax)}));
  const int all = t.Output(
      t.b.Extract(x, {m, n, k}, {t.b.Index(0), t.b.Index(2), t.b.Index(1)}));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(middle), (std::vector<float>{2, 3, 8, 9}));
  EXPECT_EQ(t.Elements<float>(clamped), (std::vector<float>{6, 8, 10}));
  EXPECT_EQ(t.Elements<float>(all), (std::vector<float>{5}));
}

// ---- folds

TEST(TileMathTest, ReductionsFoldLeft) {
  TestProgram t;
  const DimId m = t.b.AddDim("m", 3);
  const DimId n = t.b.AddDim("n", 2);
  // Columns: 2^24 + 1 + 1 is 2^24 from the left, 2^24 + 2 from the right.
  const ValueId x =
      t.Input<float>(kF32, {m, n}, {0x1p24f, -0.0f, 1, 0, 1, kNan});
  const int sum = t.Output(t.b.Reduce(ReduceKind::kSum, x, m));
  const int max = t.Output(t.b.Reduce(ReduceKind::kMax, x, m));
  const int min = t.Output(t.b.Reduce(ReduceKind::kMin, x, n));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(FloatBits(t, sum), Bits({0x1p24f, kNan}));
  EXPECT_EQ(FloatBits(t, max), Bits({0x1p24f, kNan}));
  EXPECT_EQ(FloatBits(t, min), Bits({-0.0f, 0, kNan}));
}

TEST(TileMathTest, ReductionsStopAtTheirLimit) {
  const auto sum = [](int64_t limit) {
    TestProgram t;
    const DimId n = t.b.AddDim("n", 4);
    const int y = t.Output(t.b.Reduce(ReduceKind::kSum,
                                      t.Input<float>(kF32, {n}, {1, 2, 4, 8}),
                                      n, t.b.Index(limit)));
    MX_EXPECT_OK(t.Run());
    return t.Elements<float>(y)[0];
  };
  EXPECT_EQ(sum(kMax), 15);
  EXPECT_EQ(sum(3), 7);
  EXPECT_EQ(sum(1), 1);
  EXPECT_EQ(sum(0), 1);
  EXPECT_EQ(sum(kMin), 1);
}

TEST(TileMathTest, ContractionsRoundProductAndSum) {
  // The product is 1 - 2^-46 exactly and 1 when rounded; an FMA gives -2^-46.
  for (const bool swapped : {false, true}) {
    TestProgram t;
    const DimId k = t.b.AddDim("k", 1);
    const ValueId a = t.Input<float>(kF32, {k}, {1 + 0x1p-23f});
    const ValueId b = t.Input<float>(kF32, {k}, {1 - 0x1p-23f});
    const ValueId seed = t.b.Constant(-1);
    const int y =
        t.Output(swapped ? t.b.Contract(b, a, seed) : t.b.Contract(a, b, seed));
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(FloatBits(t, y), Bits({0}));
  }
}

TEST(TileMathTest, ContractionsFollowTheOrderOfTheLeftOperand) {
  TestProgram t;
  const DimId i = t.b.AddDim("i", 2);
  const DimId j = t.b.AddDim("j", 2);
  // 2^24 + 1 - 2^24 + 1 is 1 in this order; by columns 2^24 - 2^24 + 1 + 1
  // is 2.
  const ValueId a = t.Input<float>(kF32, {i, j}, {0x1p24f, 1, -0x1p24f, 1});
  const ValueId ones = t.Input<float>(kF32, {j, i}, {1, 1, 1, 1});
  const int rows = t.Output(t.b.Contract(a, ones, t.b.Constant(0)));
  const int cols = t.Output(t.b.Contract(ones, a, t.b.Constant(0)));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(rows), (std::vector<float>{1}));
  EXPECT_EQ(t.Elements<float>(cols), (std::vector<float>{2}));
}

TEST(TileMathTest, ContractionsWithBatchTransposedAndMissingDimensions) {
  TestProgram t;
  const DimId batch = t.b.AddDim("batch", 2);
  const DimId m = t.b.AddDim("m", 2);
  const DimId n = t.b.AddDim("n", 2);
  const DimId k = t.b.AddDim("k", 3);
  const ValueId a = t.Input<float>(kF32, {batch, m, k},
                                   {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const ValueId b = t.Input<float>(kF32, {n, k}, {1, 0, 2, 0, 1, 1});
  const ValueId seed =
      t.Input<float>(kF32, {n, batch, m}, {100, 200, 300, 400, 0, 0, 0, 0});
  const int y = t.Output(t.b.Contract(a, b, seed));
  // rhs without k: the sum of the row times it.
  const int rows = t.Output(t.b.Contract(b, t.Input<float>(kF32, {n}, {1, 10}),
                                         t.Input<float>(kF32, {n}, {0, 0})));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(y),
            (std::vector<float>{107, 216, 325, 434, 5, 11, 17, 23}));
  EXPECT_EQ(t.Elements<float>(rows), (std::vector<float>{3, 20}));
}

TEST(TileMathTest, WithoutContributionsTheSeedStays) {
  for (const int64_t limit : {int64_t{0}, kMin}) {
    TestProgram t;
    const DimId n = t.b.AddDim("n", 2);
    const DimId none = t.b.AddDim("none", 0);
    const DimId k = t.b.AddDim("k", 1);
    const ValueId seed = t.Input<float>(kF32, {n}, {-0.0f, kTiny});
    const ValueId empty = t.Input<float>(kF32, {n, none}, {});
    const ValueId one = t.Input<float>(kF32, {n, k}, {kNan, kNan});
    const int y = t.Output(t.b.Contract(empty, empty, seed));
    const int z = t.Output(t.b.Contract(one, one, seed, t.b.Index(limit)));
    MX_ASSERT_OK(t.Run());
    EXPECT_EQ(FloatBits(t, y), Bits({-0.0f, kTiny}));
    EXPECT_EQ(FloatBits(t, z), Bits({-0.0f, kTiny}));
  }
}

TEST(TileMathTest, ContractionsOfHalvesStopAtTheirLimit) {
  TestProgram t;
  const DimId k = t.b.AddDim("k", 3);
  // 1.5, 2, Inf as bf16; 1, 0.5, 1 as halves.
  const ValueId a =
      t.Input<uint16_t>(ElementType::kBF16, {k}, {0x3FC0, 0x4000, 0x7F80});
  const ValueId b =
      t.Input<uint16_t>(ElementType::kF16, {k}, {0x3C00, 0x3800, 0x3C00});
  const int y = t.Output(t.b.Contract(a, b, t.b.Constant(0.25f), t.b.Index(2)));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<float>(y), (std::vector<float>{2.75f}));
}

// ---- MX contractions

struct MxCase {
  ElementType a;
  ElementType b;
  int64_t k;
  int lowest_scale;
  int highest_scale;
};

class MxContractTest : public ::testing::TestWithParam<MxCase> {};

// [M, K] and [K, N] with scales [M, K/32] and [K/32, N], against the kernel.
TEST_P(MxContractTest, EqualsTheReferenceKernel) {
  const MxCase& c = GetParam();
  constexpr int64_t kRows = 3;
  constexpr int64_t kCols = 4;
  const int64_t groups = c.k / kMxGroup;
  std::mt19937 random(4711);
  const auto tile = [&](ElementType type, int64_t rows, int64_t cols) {
    std::vector<uint32_t> codes;
    for (int64_t i = 0; i < rows * cols; ++i) {
      codes.push_back(static_cast<uint32_t>(
          type == ElementType::kF8E8M0FNU
              ? c.lowest_scale +
                    random() % (c.highest_scale - c.lowest_scale + 1)
              : random() % CodeCount(*FormatOf(type))));
    }
    return TestTile::OfCodes(FullTile(*FormatOf(type), rows, cols), codes);
  };
  const TestTile a = tile(c.a, kRows, c.k);
  const TestTile b = tile(c.b, c.k, kCols);
  const TestTile a_scale = tile(ElementType::kF8E8M0FNU, kRows, groups);
  const TestTile b_scale = tile(ElementType::kF8E8M0FNU, groups, kCols);
  const TestTile start = TestTile::OfValues(
      FullTile(ElementFormat::kF32, kRows, kCols),
      {1, -0.0f, 0, 3e38f, -7, kTiny, 1e10f, 0.5f, kInf, -2, 9, kNan});
  TestTile expected(FullTile(ElementFormat::kF32, kRows, kCols));
  MX_ASSERT_OK(MatmulMx({expected.view(),
                         a.const_view(),
                         a_scale.const_view(),
                         b.const_view(),
                         b_scale.const_view(),
                         start.const_view(),
                         {}},
                        {}));

  TestProgram t;
  const DimId m = t.b.AddDim("m", kRows);
  const DimId n = t.b.AddDim("n", kCols);
  const DimId k = t.b.AddDim("k", c.k);
  const DimId g = t.b.AddDim("g", groups);
  const int y = t.Output(
      t.b.MxContract(t.Input(c.a, {m, k}, a.bytes()),
                     t.Input(ElementType::kF8E8M0FNU, {m, g}, a_scale.bytes()),
                     t.Input(c.b, {k, n}, b.bytes()),
                     t.Input(ElementType::kF8E8M0FNU, {g, n}, b_scale.bytes()),
                     t.Input(kF32, {m, n}, start.bytes())));
  MX_ASSERT_OK(t.Run());
  EXPECT_EQ(t.Elements<uint32_t>(y), expected.Codes());
}

INSTANTIATE_TEST_SUITE_P(
    Formats, MxContractTest,
    ::testing::Values(
        MxCase{ElementType::kF8E4M3FN, ElementType::kF8E4M3FN, 64, 120, 134},
        MxCase{ElementType::kF8E4M3FN, ElementType::kF8E5M2, 128, 0, 255},
        MxCase{ElementType::kF8E5M2, ElementType::kF8E5M2, 64, 0, 40},
        MxCase{ElementType::kF4E2M1FN, ElementType::kF4E2M1FN, 64, 120, 134},
        MxCase{ElementType::kF4E2M1FN, ElementType::kF4E1M2, 192, 200, 254},
        MxCase{ElementType::kF4E1M2, ElementType::kF4E1M2, 64, 0, 255}));

TEST(TileMathTest, MxContractionsHaveRaggedGroupsAndLimits) {
  // 33 ones by ones: 32 under a scale of 1, the last under 2 * 4.
  const auto sum = [](int64_t limit) {
    TestProgram t;
    const DimId m = t.b.AddDim("m", 1);
    const DimId n = t.b.AddDim("n", 1);
    const DimId k = t.b.AddDim("k", 33);
    const DimId g = t.b.AddDim("g", 2);
    const std::vector<uint8_t> ones(33, 0x38);
    const ValueId a = t.Input(ElementType::kF8E4M3FN, {k, m}, ones);
    const ValueId b = t.Input(ElementType::kF8E4M3FN, {n, k}, ones);
    const int y = t.Output(t.b.MxContract(
        a, t.Input<uint8_t>(ElementType::kF8E8M0FNU, {m, g}, {127, 128}), b,
        t.Input<uint8_t>(ElementType::kF8E8M0FNU, {n, g}, {127, 129}),
        t.Input<float>(kF32, {n, m}, {0.5f}), t.b.Index(limit)));
    MX_EXPECT_OK(t.Run());
    return t.Elements<float>(y)[0];
  };
  EXPECT_EQ(sum(100), 40.5f);
  EXPECT_EQ(sum(32), 32.5f);
  EXPECT_EQ(sum(1), 1.5f);
  EXPECT_EQ(sum(-1), 0.5f);
}

}  // namespace
}  // namespace mxtile::exec::simd
