// MatmulMx against the vectors of the public CPU simulator, bit for bit.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "kernels/golden_vectors_test_util.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/reference/tmov.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr ElementFormat kScale = ElementFormat::kF8E8M0FNU;
constexpr ElementFormat kF32 = ElementFormat::kF32;

ElementFormat FormatOf(const std::string& name) {
  if (name == "e4m3") return ElementFormat::kF8E4M3FN;
  if (name == "e5m2") return ElementFormat::kF8E5M2;
  if (name == "e2m1") return ElementFormat::kF4E2M1FN;
  EXPECT_EQ(name, "e1m2");
  return ElementFormat::kF4E1M2;
}

// The row-major operands of a case, or the same in the layouts of L0.
struct Operands {
  TileType a, a_scale, b, b_scale;
  Bytes a_bytes, a_scale_bytes, b_bytes, b_scale_bytes;
};

Bytes ToBytes(absl::Span<const uint8_t> span) {
  return Bytes(span.begin(), span.end());
}

struct Extents {
  explicit Extents(const GoldenCase& golden)
      : m(golden.Number("m")), k(golden.Number("k")), n(golden.Number("n")) {}
  int64_t m, k, n;
};

Operands RowMajorOperands(const GoldenCase& golden) {
  const Extents e(golden);
  return {FullTile(FormatOf(golden.Text("a_dtype")), e.m, e.k),
          FullTile(kScale, e.m, e.k / 32),
          FullTile(FormatOf(golden.Text("b_dtype")), e.k, e.n),
          FullTile(kScale, e.k / 32, e.n),
          ToBytes(golden.Bytes("a")),
          ToBytes(golden.Bytes("sa")),
          ToBytes(golden.Bytes("b")),
          ToBytes(golden.Bytes("sb"))};
}

void MoveTo(TileLayout layout, TileType* type, Bytes* bytes) {
  TileType moved = *type;
  moved.layout = layout;
  Bytes moved_bytes(*TileBytes(moved), 0xA5);
  EXPECT_THAT(TMov({moved, absl::MakeSpan(moved_bytes)}, {*type, *bytes}),
              IsOk());
  *type = moved;
  *bytes = moved_bytes;
}

Operands L0Operands(const GoldenCase& golden) {
  Operands operands = RowMajorOperands(golden);
  MoveTo(TileLayout::kNz, &operands.a, &operands.a_bytes);
  MoveTo(TileLayout::kZz, &operands.a_scale, &operands.a_scale_bytes);
  MoveTo(TileLayout::kZn, &operands.b, &operands.b_bytes);
  MoveTo(TileLayout::kNn, &operands.b_scale, &operands.b_scale_bytes);
  return operands;
}

std::vector<float> Product(const GoldenCase& golden, const Operands& operands,
                           AccumulateOrder order) {
  const Extents e(golden);
  Bytes c(4 * e.m * e.n, 0xA5);
  MatmulMxTiles tiles = {{FullTile(kF32, e.m, e.n), absl::MakeSpan(c)},
                         {operands.a, operands.a_bytes},
                         {operands.a_scale, operands.a_scale_bytes},
                         {operands.b, operands.b_bytes},
                         {operands.b_scale, operands.b_scale_bytes},
                         {},
                         {}};
  if (golden.HasBytes("cin")) {
    tiles.c_in = ConstTileView{FullTile(kF32, e.m, e.n), golden.Bytes("cin")};
  }
  if (golden.HasBytes("bias")) {
    tiles.bias = ConstTileView{FullTile(kF32, 1, e.n), golden.Bytes("bias")};
  }
  MatmulMxOptions options;
  options.order = order;
  options.gemv = e.m == 1;
  EXPECT_THAT(MatmulMx(tiles, options), IsOk());
  std::vector<float> values(e.m * e.n);
  std::memcpy(values.data(), c.data(), c.size());
  return values;
}

std::vector<float> ToFloats(absl::Span<const uint8_t> bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// As bits: -0 is not 0.
std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), 4 * values.size());
  return bits;
}

bool IsSpecials(const GoldenCase& golden) {
  return golden.name() == "tmatmul_mx_e4m3_e4m3_plain_16x64x32_specials";
}

TEST(MatmulMxGoldenTest, EveryBitWithTheStartAddedLast) {
  int compared = 0;
  for (const GoldenCase& golden : LoadGoldenCases("TMATMUL_MX")) {
    if (IsSpecials(golden)) continue;
    SCOPED_TRACE(golden.name());
    const std::vector<uint32_t> expected = Bits(ToFloats(golden.Bytes("c")));
    for (const Operands& operands :
         {RowMajorOperands(golden), L0Operands(golden)}) {
      EXPECT_EQ(Bits(Product(golden, operands, AccumulateOrder::kAddLast)),
                expected);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 42);
}

// The values of a row-major operand times its scale.
std::vector<double> Values(const TileType& type, const Bytes& bytes,
                           const TileType& scale_type, const Bytes& scales) {
  const ElementReader elements = *ElementReader::Create({type, bytes});
  const ElementReader factors = *ElementReader::Create({scale_type, scales});
  std::vector<double> values;
  for (int64_t row = 0; row < type.rows; ++row) {
    for (int64_t col = 0; col < type.cols; ++col) {
      values.push_back(double{elements.Value(row, col)} *
                       factors.Value(row * scale_type.rows / type.rows,
                                     col * scale_type.cols / type.cols));
    }
  }
  return values;
}

// The sum of a row of steps as the kernel forms it, and how far it can be from
// the exact sum: each step rounds once, by half a unit in the last place of its
// result at most. (The rounding to double on the way is 2^-29 of that.)
struct RoundedSum {
  void Add(double term) {
    value = static_cast<float>(value + term);
    const int exponent = value == 0 ? -126 : std::max(std::ilogb(value), -126);
    bound += std::ldexp(1 + std::ldexp(1.0, -29), exponent - 24);
  }
  float value = 0;
  double bound = 0;
};

// Where C starts from something, the simulator adds that last and we first: two
// orders of the same terms, each within one rounding a step of the exact sum.
// Returns the number of elements that differ.
int ExpectOneRoundingAStep(const GoldenCase& golden,
                           const std::vector<float>& ours) {
  const Extents e(golden);
  const Operands o = RowMajorOperands(golden);
  const std::vector<double> a =
      Values(o.a, o.a_bytes, o.a_scale, o.a_scale_bytes);
  const std::vector<double> b =
      Values(o.b, o.b_bytes, o.b_scale, o.b_scale_bytes);
  const bool acc = golden.HasBytes("cin");
  const std::vector<float> start = ToFloats(golden.Bytes(acc ? "cin" : "bias"));
  const std::vector<float> theirs = ToFloats(golden.Bytes("c"));
  int different = 0;
  for (int64_t i = 0; i < e.m * e.n; ++i) {
    const float from = start[acc ? i : i % e.n];
    RoundedSum first;
    RoundedSum last;
    first.Add(from);
    for (int64_t k = 0; k < e.k; ++k) {
      const double term = a[i / e.n * e.k + k] * b[k * e.n + i % e.n];
      first.Add(term);
      last.Add(term);
    }
    last.Add(from);
    EXPECT_EQ(ours[i], first.value) << i;
    EXPECT_EQ(theirs[i], last.value) << i;
    EXPECT_LE(std::fabs(double{ours[i]} - theirs[i]), first.bound + last.bound)
        << i;
    if (ours[i] != theirs[i]) ++different;
  }
  return different;
}

TEST(MatmulMxGoldenTest, StartFirst) {
  int plain = 0;
  int started = 0;
  for (const GoldenCase& golden : LoadGoldenCases("TMATMUL_MX")) {
    if (IsSpecials(golden)) continue;
    SCOPED_TRACE(golden.name());
    const std::vector<float> ours =
        Product(golden, RowMajorOperands(golden), AccumulateOrder::kStartFirst);
    if (golden.Text("mode") == "plain") {
      EXPECT_EQ(Bits(ours), Bits(ToFloats(golden.Bytes("c"))));
      ++plain;
    } else {
      EXPECT_GT(ExpectOneRoundingAStep(golden, ours), 0);
      ++started;
    }
  }
  EXPECT_EQ(plain, 24);
  EXPECT_EQ(started, 18);
}

// The simulator decodes NaN codes as numbers. Where a row of A or a column of B
// has one, or a scale of 255, C is NaN; elsewhere the two agree.
TEST(MatmulMxGoldenTest, Specials) {
  const std::vector<GoldenCase> cases = LoadGoldenCases("TMATMUL_MX");
  const auto golden = std::find_if(cases.begin(), cases.end(), IsSpecials);
  ASSERT_NE(golden, cases.end());
  const Extents e(*golden);
  const Operands o = RowMajorOperands(*golden);
  const std::vector<double> a =
      Values(o.a, o.a_bytes, o.a_scale, o.a_scale_bytes);
  const std::vector<double> b =
      Values(o.b, o.b_bytes, o.b_scale, o.b_scale_bytes);
  const std::vector<uint32_t> ours =
      Bits(Product(*golden, o, AccumulateOrder::kStartFirst));
  const std::vector<uint32_t> theirs = Bits(ToFloats(golden->Bytes("c")));
  int nan = 0;
  for (int64_t i = 0; i < e.m * e.n; ++i) {
    bool is_nan = false;
    for (int64_t k = 0; k < e.k; ++k) {
      is_nan = is_nan || std::isnan(a[i / e.n * e.k + k]) ||
               std::isnan(b[k * e.n + i % e.n]);
    }
    EXPECT_EQ(ours[i], is_nan ? 0x7FC00000 : theirs[i]) << i;
    if (is_nan) ++nan;
  }
  EXPECT_GT(nan, 0);
  EXPECT_LT(nan, e.m * e.n);
}

TEST(GoldenVectorsTest, EveryCaseBelongsToATest) {
  // 144 TQUANT, 23 TMOV, 43 TMATMUL_MX.
  EXPECT_EQ(CountGoldenCases(), 210);
}

}  // namespace
}  // namespace mxtile
