// Relations that quantising keeps, on random tiles: the algorithms along both
// axes, sources of each format, ragged edges, ordinary, tiny, huge and special
// values. The tests name what they changed and what must follow.
//
//   metamorphic_test --tiles=100000 --seed=7

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/int_math.h"
#include "base/random_test_main.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tmov.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

uint64_t seed = 20261130;
int num_tiles = 10000;

constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;
constexpr ElementFormat kF32 = ElementFormat::kF32;

enum class Kind { kOrdinary, kTiny, kHuge, kInf, kNan, kZeros };

struct Matrix {
  int64_t rows;
  int64_t cols;
  std::vector<float> values;
};

Matrix Transposed(const Matrix& matrix) {
  Matrix transposed = {matrix.cols, matrix.rows, {}};
  for (int64_t col = 0; col < matrix.cols; ++col) {
    for (int64_t row = 0; row < matrix.rows; ++row) {
      transposed.values.push_back(matrix.values[row * matrix.cols + col]);
    }
  }
  return transposed;
}

template <typename T>
std::vector<T> TransposedVector(const std::vector<T>& values, int64_t rows,
                                int64_t cols) {
  std::vector<T> transposed;
  for (int64_t col = 0; col < cols; ++col) {
    for (int64_t row = 0; row < rows; ++row) {
      transposed.push_back(values[row * cols + col]);
    }
  }
  return transposed;
}

GroupAxis Other(GroupAxis axis) {
  return axis == GroupAxis::kAxis0 ? GroupAxis::kAxis1 : GroupAxis::kAxis0;
}

// One quantisation: what is drawn at random.
struct Draw {
  GroupAxis axis;
  MxQuantAlg alg;
  ElementFormat source;
  Kind kind;
  Matrix matrix;

  ElementFormat format() const { return FormatOf(alg); }
  bool IsOcp() const { return RuleOf(alg) == ScaleRule::kOcp; }
};

TileType Allocated(ElementFormat format, int64_t rows, int64_t cols) {
  return {format, RoundUp(rows, 32), RoundUp(cols, 32), rows, cols};
}

struct Quantized {
  TestTile codes;
  TestTile scales;
};

Quantized Quantize(const Draw& draw, const Matrix& matrix, ElementFormat source,
                   GroupAxis axis) {
  const TileType type = Allocated(source, matrix.rows, matrix.cols);
  const TestTile src = TestTile::OfValues(type, matrix.values);
  const GroupShape groups = ShapeOfGroups(axis, type);
  Quantized q = {TestTile(Allocated(draw.format(), matrix.rows, matrix.cols)),
                 TestTile(FullTile(kE8M0, groups.rows, groups.cols))};
  TestTile max(FullTile(kF32, groups.rows, groups.cols));
  TestTile scaling(FullTile(kF32, groups.rows, groups.cols));
  const absl::Status status =
      TQuant({axis, RuleOf(draw.alg), draw.format(), /*extensions=*/true},
             {q.codes.view(), src.const_view(), q.scales.view(), max.view(),
              scaling.view()});
  MX_CHECK(status.ok()) << status;
  return q;
}

Quantized Quantize(const Draw& draw, const Matrix& matrix) {
  return Quantize(draw, matrix, draw.source, draw.axis);
}

class Drawer {
 public:
  explicit Drawer(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }

  Draw Next() {
    Draw draw;
    draw.axis = Below(2) == 0 ? GroupAxis::kAxis0 : GroupAxis::kAxis1;
    draw.alg = kMxQuantAlgs[Below(4)];
    draw.source =
        std::array{kF32, ElementFormat::kBF16, ElementFormat::kF16}[Below(3)];
    draw.kind = static_cast<Kind>(Below(12) < 7 ? 0 : 1 + Below(5));
    draw.matrix = {1 + Below(8), 1 + Below(8), {}};
    // Up to three groups along the axis.
    (draw.axis == GroupAxis::kAxis0 ? draw.matrix.rows : draw.matrix.cols) =
        1 + Below(90);
    const int64_t count = draw.matrix.rows * draw.matrix.cols;
    for (int64_t i = 0; i < count; ++i) {
      draw.matrix.values.push_back(Value(draw.kind, draw.source));
    }
    return draw;
  }

  std::vector<int64_t> Permutation(int64_t size) {
    std::vector<int64_t> permutation(size);
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    return permutation;
  }

 private:
  // A value that the source has.
  float Value(Kind kind, ElementFormat source) {
    if (Below(16) == 0) return Below(2) == 0 ? 0.0f : -0.0f;
    int low = -10;
    int high = 10;
    if (kind == Kind::kTiny) {
      low = source == ElementFormat::kF16 ? -24 : -149;
      high = low + 30;
    } else if (kind == Kind::kHuge) {
      high = source == ElementFormat::kF16 ? 15 : 127;
      low = high - 12;
    } else if (kind == Kind::kInf && Below(20) == 0) {
      return std::copysign(std::numeric_limits<float>::infinity(), Sign());
    } else if (kind == Kind::kNan && Below(20) == 0) {
      return std::copysign(std::numeric_limits<float>::quiet_NaN(), Sign());
    } else if (kind == Kind::kZeros) {
      return 0.0f * Sign();
    }
    const float mantissa =
        1 + static_cast<float>(Below(int64_t{1} << 23)) / (1 << 23);
    const float value =
        Sign() * std::ldexp(mantissa, low + Below(high - low + 1));
    return Decode(source, Encode(source, value, Overflow::kSaturate));
  }

  float Sign() { return Below(2) == 0 ? 1.0f : -1.0f; }

  std::mt19937_64 random_;
};

std::string ToString(const Draw& draw) {
  return absl::StrCat("axis ", static_cast<int>(draw.axis), ", algorithm ",
                      static_cast<int>(draw.alg), ", ", Name(draw.source), " [",
                      draw.matrix.rows, ", ", draw.matrix.cols, "], kind ",
                      static_cast<int>(draw.kind));
}

// Draws tiles and hands each to `check` with its drawer; stops at the first
// failure.
template <typename Check>
void ForEachTile(Check check) {
  Drawer drawer(seed);
  for (int i = 0; i < num_tiles && !::testing::Test::HasFailure(); ++i) {
    const Draw draw = drawer.Next();
    SCOPED_TRACE(
        absl::StrCat("--seed=", seed, ", tile ", i, ": ", ToString(draw)));
    check(draw, drawer);
  }
}

int64_t GroupOf(const Draw& draw, int64_t element) {
  const int64_t row = element / draw.matrix.cols;
  const int64_t col = element % draw.matrix.cols;
  return draw.axis == GroupAxis::kAxis1
             ? row * ((draw.matrix.cols + 31) / 32) + col / 32
             : row / 32 * draw.matrix.cols + col;
}

TEST(MetamorphicTest, PowerOfTwoMovesIntoTheScale) {
  int checked = 0;
  ForEachTile([&checked](const Draw& draw, Drawer& drawer) {
    // Elsewhere a scale could reach its ends, or a half its own.
    if (draw.kind != Kind::kOrdinary || draw.source == ElementFormat::kF16) {
      return;
    }
    ++checked;
    const int power = static_cast<int>(drawer.Below(121)) - 60;
    Matrix scaled = draw.matrix;
    for (float& value : scaled.values) value = std::ldexp(value, power);
    const Quantized before = Quantize(draw, draw.matrix);
    const Quantized after = Quantize(draw, scaled);
    EXPECT_EQ(after.codes.bytes(), before.codes.bytes());
    std::vector<uint32_t> scales = before.scales.Codes();
    // A group of zeros has scale 0 whatever it is multiplied by.
    for (uint32_t& scale : scales) scale += scale == 0 ? 0 : power;
    EXPECT_EQ(after.scales.Codes(), scales);
  });
  EXPECT_GT(checked, num_tiles / 4);
}

TEST(MetamorphicTest, SignsMoveIntoTheCodes) {
  ForEachTile([](const Draw& draw, Drawer& drawer) {
    Matrix flipped = draw.matrix;
    const Quantized before = Quantize(draw, draw.matrix);
    std::vector<uint32_t> codes = before.codes.Codes();
    const std::vector<uint32_t> scales = before.scales.Codes();
    for (size_t i = 0; i < codes.size(); ++i) {
      if (drawer.Below(2) == 0) continue;
      flipped.values[i] = -flipped.values[i];
      // The codes of a NaN group have no sign.
      if (scales[GroupOf(draw, i)] != 255) codes[i] ^= SignMask(draw.format());
    }
    const Quantized after = Quantize(draw, flipped);
    EXPECT_EQ(after.codes.Codes(), codes);
    EXPECT_EQ(after.scales.bytes(), before.scales.bytes());
  });
}

TEST(MetamorphicTest, PermutationInsideAGroupPermutesItsCodes) {
  ForEachTile([](const Draw& draw, Drawer& drawer) {
    std::map<int64_t, std::vector<int64_t>> groups;
    for (int64_t i = 0; i < draw.matrix.rows * draw.matrix.cols; ++i) {
      groups[GroupOf(draw, i)].push_back(i);
    }
    const Quantized before = Quantize(draw, draw.matrix);
    const std::vector<uint32_t> codes = before.codes.Codes();
    Matrix permuted = draw.matrix;
    std::vector<uint32_t> expected = codes;
    for (const auto& [group, elements] : groups) {
      const std::vector<int64_t> to = drawer.Permutation(elements.size());
      for (size_t i = 0; i < elements.size(); ++i) {
        permuted.values[elements[to[i]]] = draw.matrix.values[elements[i]];
        expected[elements[to[i]]] = codes[elements[i]];
      }
    }
    const Quantized after = Quantize(draw, permuted);
    EXPECT_EQ(after.codes.Codes(), expected);
    EXPECT_EQ(after.scales.bytes(), before.scales.bytes());
  });
}

// Zero rows and columns around the matrix: within its groups and beyond.
TEST(MetamorphicTest, ZeroPaddingAddsZeroCodesAndZeroScales) {
  ForEachTile([](const Draw& draw, Drawer& drawer) {
    const int64_t rows = draw.matrix.rows + drawer.Below(40);
    const int64_t cols = draw.matrix.cols + drawer.Below(40);
    const auto padded = [rows, cols](const auto& values, int64_t old_rows,
                                     int64_t old_cols, int64_t new_rows,
                                     int64_t new_cols) {
      std::remove_cv_t<std::remove_reference_t<decltype(values)>> result(
          new_rows * new_cols);
      for (int64_t i = 0; i < old_rows * old_cols; ++i) {
        result[i / old_cols * new_cols + i % old_cols] = values[i];
      }
      return result;
    };
    const Matrix larger = {rows, cols,
                           padded(draw.matrix.values, draw.matrix.rows,
                                  draw.matrix.cols, rows, cols)};
    const Quantized before = Quantize(draw, draw.matrix);
    const Quantized after = Quantize(draw, larger);
    const TileType& old_groups = before.scales.type();
    const TileType& new_groups = after.scales.type();
    EXPECT_EQ(after.scales.Codes(),
              padded(before.scales.Codes(), old_groups.rows, old_groups.cols,
                     new_groups.rows, new_groups.cols));
    std::vector<uint32_t> codes = padded(before.codes.Codes(), draw.matrix.rows,
                                         draw.matrix.cols, rows, cols);
    // Zeros that join a NaN group get its codes.
    const std::vector<uint32_t> scales = after.scales.Codes();
    for (int64_t i = 0; i < rows * cols; ++i) {
      const int64_t group = draw.axis == GroupAxis::kAxis1
                                ? i / cols * new_groups.cols + i % cols / 32
                                : i / cols / 32 * cols + i % cols;
      if (scales[group] == 255) codes[i] = NanCode(draw.format());
    }
    EXPECT_EQ(after.codes.Codes(), codes);
  });
}

// Same value and sign, or both NaN.
bool SameValue(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

// kNv rounds the largest floats up to 2^128, which is Inf as a float; the scale
// of Inf is another one. Groups with such a value are left out.
std::set<int64_t> OverflownGroups(const Draw& draw,
                                  const std::vector<float>& dequantized) {
  std::set<int64_t> groups;
  for (size_t i = 0; i < dequantized.size(); ++i) {
    if (std::isinf(dequantized[i]) && std::isfinite(draw.matrix.values[i])) {
      groups.insert(GroupOf(draw, i));
    }
  }
  return groups;
}

TEST(MetamorphicTest, QuantisingTheDequantisedChangesNothing) {
  int nan_tiles = 0;
  int overflown_groups = 0;
  ForEachTile([&](const Draw& draw, Drawer&) {
    const auto dequantized = [&draw](const Quantized& q) {
      TestTile values(Allocated(kF32, draw.matrix.rows, draw.matrix.cols));
      const absl::Status status =
          TDequant(draw.axis, values.view(), q.codes.const_view(),
                   q.scales.const_view());
      MX_CHECK(status.ok()) << status;
      return values.Values();
    };
    const Quantized once = Quantize(draw, draw.matrix);
    const std::vector<float> values = dequantized(once);
    const Quantized twice = Quantize(
        draw, {draw.matrix.rows, draw.matrix.cols, values}, kF32, draw.axis);
    const std::set<int64_t> overflown = OverflownGroups(draw, values);
    overflown_groups += static_cast<int>(overflown.size());
    if (draw.IsOcp()) {
      EXPECT_EQ(overflown.size(), 0);
      EXPECT_EQ(twice.codes.bytes(), once.codes.bytes());
      EXPECT_EQ(twice.scales.bytes(), once.scales.bytes());
    }
    const std::vector<float> again = dequantized(twice);
    bool has_nan = false;
    for (size_t i = 0; i < values.size(); ++i) {
      has_nan = has_nan || std::isnan(values[i]);
      if (overflown.count(GroupOf(draw, i)) == 0 &&
          !SameValue(values[i], again[i])) {
        ADD_FAILURE() << "element " << i << ": " << values[i] << " became "
                      << again[i];
      }
    }
    if (has_nan) ++nan_tiles;
  });
  EXPECT_GT(nan_tiles, 0);
  EXPECT_GT(overflown_groups, 0);
}

TEST(MetamorphicTest, Axis0IsAxis1OfTheTranspose) {
  ForEachTile([](const Draw& draw, Drawer&) {
    const Quantized q = Quantize(draw, draw.matrix);
    const Quantized t =
        Quantize(draw, Transposed(draw.matrix), draw.source, Other(draw.axis));
    EXPECT_EQ(
        t.codes.Codes(),
        TransposedVector(q.codes.Codes(), draw.matrix.rows, draw.matrix.cols));
    EXPECT_EQ(t.scales.Codes(),
              TransposedVector(q.scales.Codes(), q.scales.type().rows,
                               q.scales.type().cols));
  });
}

// DN exponents moved to ZZ are the ND exponents of the transpose moved to ZZ,
// byte for byte, and the NZ of transposed codes is the ZN of the codes.
TEST(MetamorphicTest, LayoutsCommuteWithTheTranspose) {
  int paired = 0;
  ForEachTile([&paired](const Draw& draw, Drawer&) {
    const Quantized q = Quantize(draw, draw.matrix);
    const Quantized t =
        Quantize(draw, Transposed(draw.matrix), draw.source, Other(draw.axis));
    const auto moved = [](const TestTile& from, TileLayout layout,
                          bool transposed) {
      TileType type = from.type();
      if (transposed) {
        std::swap(type.rows, type.cols);
        std::swap(type.valid_rows, type.valid_cols);
      }
      type.layout = layout;
      TestTile to(type);
      const absl::Status status =
          transposed ? TMovTransposed(to.view(), from.const_view())
                     : TMov(to.view(), from.const_view());
      MX_CHECK(status.ok()) << status;
      return to.bytes();
    };
    EXPECT_EQ(moved(t.codes, TileLayout::kNz, false),
              moved(q.codes, TileLayout::kZn, false));
    const bool dn = draw.axis == GroupAxis::kAxis0;
    const TestTile& dn_scales = dn ? q.scales : t.scales;
    const TestTile& nd_scales = dn ? t.scales : q.scales;
    if (nd_scales.type().cols % 2 != 0) return;
    ++paired;
    EXPECT_EQ(moved(dn_scales, TileLayout::kZz, true),
              moved(nd_scales, TileLayout::kZz, false));
  });
  EXPECT_GT(paired, num_tiles / 4);
}

}  // namespace
}  // namespace mxtile

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--tiles=", &mxtile::seed,
                                &mxtile::num_tiles);
}
