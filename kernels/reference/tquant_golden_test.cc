// TQuant against the vectors of the public CPU simulator, byte for byte. Where
// the two follow different rules the difference has to be exactly what the
// rules say, and as often as the vectors show it.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "kernels/golden_vectors_test_util.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<float> ToFloats(absl::Span<const uint8_t> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// What the kernel made of the source of a case.
struct Outputs {
  Bytes q;
  Bytes exponents;
  std::vector<float> maxima;
  std::vector<float> scalings;
};

struct Case {
  explicit Case(const GoldenCase& golden)
      : axis(static_cast<GroupAxis>(golden.Number("grp_axis"))),
        alg(AlgOf(golden)),
        source(FullTile(SourceFormatOf(golden), golden.Extents("shape")[0],
                        golden.Extents("shape")[1])),
        groups(ShapeOfGroups(axis, source)) {}

  bool IsF8() const { return FormatOf(alg) == ElementFormat::kF8E4M3FN; }

  // The number of the group of an element, in the order of the exponents.
  int64_t GroupOf(int64_t element) const {
    const int64_t row = element / source.cols;
    const int64_t col = element % source.cols;
    return axis == GroupAxis::kAxis1 ? row * groups.cols + col / 32
                                     : row / 32 * groups.cols + col;
  }

  GroupAxis axis;
  MxQuantAlg alg;
  TileType source;
  GroupShape groups;
};

Outputs Quantized(const Case& c, absl::Span<const uint8_t> source) {
  const int64_t groups = c.groups.rows * c.groups.cols;
  const TileType dst = FullTile(FormatOf(c.alg), c.source.rows, c.source.cols);
  Bytes q(*TileBytes(dst));
  Bytes exponents(groups);
  Bytes maxima(4 * groups);
  Bytes scalings(4 * groups);
  const auto groups_of = [&c](ElementFormat format, Bytes& bytes) {
    return TileView{FullTile(format, c.groups.rows, c.groups.cols),
                    absl::MakeSpan(bytes)};
  };
  TQuantOptions options = {c.axis, RuleOf(c.alg), FormatOf(c.alg)};
  // The A5 has no FP4 from float; the simulator does.
  options.extensions = !c.IsF8() && c.source.format == ElementFormat::kF32;
  EXPECT_THAT(TQuant(options, {{dst, absl::MakeSpan(q)},
                               {c.source, source},
                               groups_of(ElementFormat::kF8E8M0FNU, exponents),
                               groups_of(ElementFormat::kF32, maxima),
                               groups_of(ElementFormat::kF32, scalings)}),
              IsOk());
  return {q, exponents, ToFloats(maxima), ToFloats(scalings)};
}

// The groups of a source that have a NaN.
std::vector<bool> NanGroups(const Case& c, absl::Span<const uint8_t> source) {
  const ElementReader reader = *ElementReader::Create({c.source, source});
  std::vector<bool> nan(c.groups.rows * c.groups.cols);
  for (int64_t i = 0; i < c.source.rows * c.source.cols; ++i) {
    if (std::isnan(reader.Value(i / c.source.cols, i % c.source.cols))) {
      nan[c.GroupOf(i)] = true;
    }
  }
  return nan;
}

// How often a rule of ours differs from the simulator's.
struct Differences {
  // Groups with a NaN, FP8: the simulator's maximum skips the NaN.
  int nan_scales = 0;
  int nan_codes = 0;
  // OCP FP8: the simulator gives 0x00 where a negative value becomes zero.
  int lost_signs = 0;
  // OCP FP4 from f32: the simulator truncates maxima to bf16, we do not; OCP
  // FP8 from f16: the A5 and we do, the simulator does not.
  int maxima = 0;

  bool operator==(const Differences& other) const {
    return Tied() == other.Tied();
  }
  std::tuple<int, int, int, int> Tied() const {
    return {nan_scales, nan_codes, lost_signs, maxima};
  }
};

std::ostream& operator<<(std::ostream& out, const Differences& d) {
  return out << "{nan_scales " << d.nan_scales << ", nan_codes " << d.nan_codes
             << ", lost_signs " << d.lost_signs << ", maxima " << d.maxima
             << "}";
}

float TruncatedToBF16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits &= 0xFFFF0000;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

// Same value, or both NaN: the payload and sign of a NaN mean nothing.
bool SameFloat(float a, float b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

class Comparison {
 public:
  Comparison(const Case& c, const GoldenCase& golden, Differences* differences)
      : case_(c),
        golden_(golden),
        nan_(NanGroups(c, golden.Bytes("src"))),
        differences_(*differences) {}

  void Run() {
    const Outputs ours = Quantized(case_, golden_.Bytes("src"));
    CompareCodes(ours.q);
    CompareGroups(ours);
  }

 private:
  bool SimulatorSkipsNan(int64_t group) const {
    return case_.IsF8() && nan_[group];
  }

  void CompareCodes(const Bytes& q) {
    const absl::Span<const uint8_t> theirs = golden_.Bytes("q");
    ASSERT_EQ(q.size(), theirs.size());
    for (size_t i = 0; i < q.size(); ++i) {
      if (q[i] == theirs[i]) continue;
      if (case_.IsF8() && SimulatorSkipsNan(case_.GroupOf(i))) {
        EXPECT_EQ(q[i], 0x7F) << "code " << i;
        ++differences_.nan_codes;
      } else {
        EXPECT_EQ(case_.alg, MxQuantAlg::OcpMxFp8E4M3) << "byte " << i;
        EXPECT_EQ(q[i], 0x80) << "code " << i;
        EXPECT_EQ(theirs[i], 0x00) << "code " << i;
        ++differences_.lost_signs;
      }
    }
  }

  void CompareGroups(const Outputs& ours) {
    const absl::Span<const uint8_t> exponents = golden_.Bytes("e8m0");
    const std::vector<float> maxima = ToFloats(golden_.Bytes("max_f32"));
    const std::vector<float> scalings = ToFloats(golden_.Bytes("scaling_f32"));
    ASSERT_EQ(ours.exponents.size(), exponents.size());
    for (size_t i = 0; i < exponents.size(); ++i) {
      if (SimulatorSkipsNan(i)) {
        EXPECT_EQ(ours.exponents[i], 255) << "group " << i;
        EXPECT_TRUE(std::isnan(ours.maxima[i])) << "group " << i;
        EXPECT_TRUE(std::isnan(ours.scalings[i])) << "group " << i;
        EXPECT_NE(exponents[i], 255) << "group " << i;
        ++differences_.nan_scales;
        continue;
      }
      EXPECT_EQ(ours.exponents[i], exponents[i]) << "group " << i;
      EXPECT_TRUE(SameFloat(ours.scalings[i], scalings[i])) << "group " << i;
      CompareMaximum(i, ours.maxima[i], maxima[i]);
    }
  }

  void CompareMaximum(int64_t group, float ours, float theirs) {
    if (SameFloat(ours, theirs)) return;
    const bool they_truncate = case_.alg == MxQuantAlg::OcpMxFp4E2M1 &&
                               case_.source.format == ElementFormat::kF32;
    const bool we_truncate = case_.alg == MxQuantAlg::OcpMxFp8E4M3 &&
                             case_.source.format == ElementFormat::kF16;
    EXPECT_TRUE(they_truncate || we_truncate)
        << "group " << group << ": " << ours << " is not " << theirs;
    EXPECT_EQ(they_truncate ? TruncatedToBF16(ours) : ours,
              we_truncate ? TruncatedToBF16(theirs) : theirs)
        << "group " << group;
    ++differences_.maxima;
  }

  const Case& case_;
  const GoldenCase& golden_;
  std::vector<bool> nan_;
  Differences& differences_;
};

// {algorithm, source, data, axis}.
using Key = std::tuple<std::string, std::string, std::string, int64_t>;

// What the project's notes on PTO-ISA's numerics pin, split by axis: the
// adversarial data of the two axes are transposes of each other.
std::map<Key, Differences> ExpectedDifferences() {
  std::map<Key, Differences> expected;
  for (const int64_t axis : {0, 1}) {
    for (const char* source : {"fp32", "fp16", "bf16"}) {
      expected[{"NvMxFp8E4M3", source, "adv", axis}] = {8, 186, 0, 0};
    }
    expected[{"OcpMxFp8E4M3", "fp32", "adv", axis}] = {8, 186, 542, 0};
    expected[{"OcpMxFp8E4M3", "fp16", "adv", axis}] = {8, 186, 720, 70};
    expected[{"OcpMxFp8E4M3", "bf16", "adv", axis}] = {8, 186, 525, 0};
    expected[{"OcpMxFp4E2M1", "fp32", "adv", axis}] = {0, 0, 0, 52};
    expected[{"OcpMxFp8E4M3", "fp32", "rand", axis}] = {0, 0, 1, 0};
    expected[{"OcpMxFp4E2M1", "fp32", "rand", axis}] = {0, 0, 0, 1728};
  }
  expected[{"OcpMxFp8E4M3", "fp16", "rand", 0}] = {0, 0, 2, 1497};
  expected[{"OcpMxFp8E4M3", "fp16", "rand", 1}] = {0, 0, 2, 1507};
  expected[{"OcpMxFp8E4M3", "bf16", "rand", 0}] = {0, 0, 1, 0};
  expected[{"OcpMxFp8E4M3", "bf16", "rand", 1}] = {0, 0, 3, 0};
  return expected;
}

TEST(TQuantGoldenTest, EveryByteOfEveryCase) {
  std::map<Key, Differences> differences;
  int compared = 0;
  for (const char* operation : {"TQUANT_ND", "TQUANT_DN"}) {
    for (const GoldenCase& golden : LoadGoldenCases(operation)) {
      SCOPED_TRACE(golden.name());
      const Case c(golden);
      Differences& found =
          differences[{golden.Text("alg"), golden.Text("src_dtype"),
                       golden.Text("data"), golden.Number("grp_axis")}];
      Comparison(c, golden, &found).Run();
      ++compared;
    }
  }
  EXPECT_EQ(compared, 144);
  EXPECT_EQ(differences.size(), 48);
  const std::map<Key, Differences> expected = ExpectedDifferences();
  for (const auto& [key, found] : differences) {
    const auto it = expected.find(key);
    EXPECT_EQ(found, it == expected.end() ? Differences() : it->second)
        << std::get<0>(key) << " " << std::get<1>(key) << " "
        << std::get<2>(key) << " axis " << std::get<3>(key);
  }
}

}  // namespace
}  // namespace mxtile
