// TQUANT on the vector unit against kernels/reference, byte for byte: in random
// shapes, pitches, valid regions and forms, with special values. Guards around
// each tile and the bytes between are compared, too; every path of the kernel
// is counted.
//
//   tquant_test --tiles=100000 --seed=7

#include "kernels/a5/tquant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/random_test_main.h"
#include "gtest/gtest.h"
#include "kernels/a5/tquant_test_util.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile {
namespace a5 {
namespace {

uint64_t seed = 6001;
int num_tiles = 10000;

constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;

// ---- random cases

class Drawer {
 public:
  explicit Drawer(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }

  QuantCase Next() {
    const MxQuantAlg alg = kMxQuantAlgs[Below(4)];
    QuantCase c;
    c.options = {Below(2) == 0 ? GroupAxis::kAxis0 : GroupAxis::kAxis1,
                 RuleOf(alg), FormatOf(alg), /*extensions=*/true};
    c.src.format = std::array{ElementFormat::kF32, ElementFormat::kBF16,
                              ElementFormat::kF16}[Below(3)];
    c.src.layout = TileLayout::kNd;
    c.options.axis == GroupAxis::kAxis0 ? DrawAxis0(c) : DrawAxis1(c);
    if (c.options.format == ElementFormat::kF4E2M1FN) {
      c.src.valid_cols += c.src.valid_cols % 2;
    }
    c.dst = c.src;
    c.dst.format = c.options.format;
    // Rows of FP4 may begin at half a block.
    c.dst.pitch = Below(3) == 0 ? c.src.cols + 32 * Below(3) : 0;
    DrawGroups(c);
    return c;
  }

  // In every byte of the tile, also beyond the valid region.
  TestTile Source(const TileType& type) {
    TileType whole = type;
    whole.valid_rows = type.rows;
    whole.valid_cols = type.cols;
    const int kind = static_cast<int>(Below(8));
    std::vector<float> values;
    for (int64_t i = 0; i < type.rows * type.cols; ++i) {
      values.push_back(Value(type.format, kind));
    }
    const TestTile filled = TestTile::OfValues(whole, values);
    TestTile source(type);
    std::copy(filled.bytes().begin(), filled.bytes().end(),
              source.view().bytes.begin());
    return source;
  }

 private:
  void DrawAxis0(QuantCase& c) {
    c.form = Below(4) == 0 ? GroupForm::kInterleaved : GroupForm::k2d;
    const int64_t unit = c.form == GroupForm::kInterleaved ? 64 : 32;
    c.src.rows = unit * (1 + Below(2));
    c.src.cols = 32 * (1 + Below(6));
    c.src.valid_rows =
        c.form == GroupForm::kInterleaved ? c.src.rows : Valid(c.src.rows);
    c.src.valid_cols = Valid(c.src.cols);
    c.src.pitch = Below(3) == 0 ? c.src.cols + 32 * Below(3) : 0;
  }

  void DrawAxis1(QuantCase& c) {
    c.form = Below(2) == 0 ? GroupForm::kFlat : GroupForm::k2d;
    // Now and then a stream of whole 2048, or long rows.
    if (Below(4) == 0) {
      c.src.rows = 1 + Below(2);
      c.src.cols = 1024 * (2 + 2 * Below(2)) / c.src.rows +
                   (Below(2) == 0 ? 0 : 32 * Below(9));
    } else {
      c.src.rows = 1 + Below(6);
      c.src.cols = 32 * (1 + Below(12));
    }
    c.src.valid_rows = Valid(c.src.rows);
    c.src.valid_cols = Valid(c.src.cols);
    c.src.pitch = Below(3) == 0 ? c.src.cols + 32 * Below(3) : 0;
  }

  int64_t Valid(int64_t extent) {
    return Below(2) == 0 ? extent : 1 + Below(extent);
  }

  void DrawGroups(QuantCase& c) {
    const GroupShape shape = ShapeOfGroups(c.options.axis, c.src);
    const GroupShape flat = ShapeOfFlatGroups(c.src);
    if (c.form == GroupForm::kFlat) {
      const int64_t groups = flat.rows * flat.cols;
      c.exp = {kE8M0, 1, groups + Below(40), 1, groups};
      c.scratch = {c.src.format, 1, groups + Below(40), 1, groups};
      return;
    }
    const bool blocks = c.options.axis == GroupAxis::kAxis0;
    c.exp = GroupType(kE8M0, shape, blocks ? 32 : 1);
    c.scratch = GroupType(c.src.format, shape, blocks ? 32 : 1);
    if (c.form == GroupForm::kInterleaved) {
      c.exp = GroupType(kE8M0, {shape.rows / 2, 2 * shape.cols}, 32);
    }
  }

  // Rows of a pitch that is a multiple of `unit` elements.
  TileType GroupType(ElementFormat format, const GroupShape& valid,
                     int64_t unit) {
    const int64_t cols =
        (valid.cols + unit - 1) / unit * unit + unit * Below(3);
    return {format, valid.rows + Below(2), cols, valid.rows, valid.cols};
  }

  float Value(ElementFormat format, int kind) {
    const float sign = Below(2) == 0 ? 1.0f : -1.0f;
    const int64_t special = Below(200);
    if (special == 0 && kind < 3) {
      return sign * std::numeric_limits<float>::quiet_NaN();
    }
    if (special == 1 && kind < 5) {
      return sign * std::numeric_limits<float>::infinity();
    }
    if (special < 10) return sign * 0.0f;
    if (kind == 7 && Below(4) != 0) return sign * 0.0f;
    const bool half = format == ElementFormat::kF16;
    int exponent = static_cast<int>(Below(16)) - 8;
    if (kind == 5) exponent = (half ? -24 : -149) + static_cast<int>(Below(30));
    if (kind == 6) exponent = (half ? 15 : 127) - static_cast<int>(Below(12));
    const float mantissa =
        1 + static_cast<float>(Below(int64_t{1} << 23)) / (1 << 23);
    const float value = sign * std::ldexp(mantissa, exponent);
    return Decode(format, Encode(format, value, Overflow::kSaturate));
  }

  std::mt19937_64 random_;
};

// Every path for every source, and convert for every destination.
std::set<std::string> AllPaths() {
  std::set<std::string> paths = {"max/f32/2048/f32", "max/f32/256/f32",
                                 "max/f32/64/f32"};
  for (const char* source : {"f32", "bf16", "f16"}) {
    if (std::string(source) != "f32") {
      paths.insert(absl::StrCat("max/b16/256/", source));
    }
    for (const char* path :
         {"max/axis0", "scale/vector", "scale/pairs", "scale/row"}) {
      paths.insert(absl::StrCat(path, "/", source));
    }
    for (const char* path : {"convert/fast", "convert/64", "convert/axis0"}) {
      for (const char* format : {"f8E4M3FN", "f4E2M1FN"}) {
        paths.insert(absl::StrCat(path, "/", source, "/", format));
      }
    }
  }
  return paths;
}

// A part of the tiles, so that parts can run side by side.
constexpr int kParts = 4;

class TQuantRandomTest : public ::testing::TestWithParam<int> {};

TEST_P(TQuantRandomTest, EqualsTheReference) {
  const uint64_t part_seed = seed + GetParam();
  Drawer drawer(part_seed);
  PathCounts paths;
  for (int i = 0; i < num_tiles / kParts && !HasFailure(); ++i) {
    const QuantCase c = drawer.Next();
    SCOPED_TRACE(absl::StrCat("--seed=", seed, ", part ", GetParam(), ", tile ",
                              i, ": ", ToString(c)));
    ExpectModelEqualsReference(c, drawer.Source(c.src), &paths);
  }
  std::set<std::string> seen;
  for (const auto& [path, count] : paths) {
    seen.insert(path);
    EXPECT_GE(count, 100) << path;
  }
  EXPECT_EQ(seen, AllPaths());
}

INSTANTIATE_TEST_SUITE_P(Parts, TQuantRandomTest, ::testing::Range(0, kParts));

}  // namespace
}  // namespace a5
}  // namespace mxtile

int main(int argc, char** argv) {
  return mxtile::RunRandomTests(argc, argv, "--tiles=", &mxtile::a5::seed,
                                &mxtile::a5::num_tiles);
}
