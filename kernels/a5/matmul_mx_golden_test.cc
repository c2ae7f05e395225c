// TMATMUL_MX on the model, from GM to GM, against the vectors of the public CPU
// simulator, bit for bit where both start their sums alike.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "absl/types/span.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "kernels/a5/matmul_mx_test_util.h"
#include "kernels/golden_vectors_test_util.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

using Words = std::vector<uint32_t>;

ElementFormat FormatOf(const std::string& name) {
  if (name == "e4m3") return ElementFormat::kF8E4M3FN;
  if (name == "e5m2") return ElementFormat::kF8E5M2;
  if (name == "e2m1") return ElementFormat::kF4E2M1FN;
  EXPECT_EQ(name, "e1m2");
  return ElementFormat::kF4E1M2;
}

// The vectors pack row-major codes without gaps, the low nibble first.
std::vector<uint8_t> Unpack(ElementFormat format,
                            absl::Span<const uint8_t> bytes) {
  if (BitWidth(format) == 8) return {bytes.begin(), bytes.end()};
  std::vector<uint8_t> codes;
  for (const uint8_t byte : bytes) {
    codes.push_back(byte & 0xF);
    codes.push_back(byte >> 4);
  }
  return codes;
}

template <typename T>
std::vector<T> As(absl::Span<const uint8_t> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

MatmulProblem ProblemOf(const GoldenCase& golden) {
  MatmulProblem p = {golden.Number("m"), golden.Number("k"),
                     golden.Number("n")};
  p.left_format = FormatOf(golden.Text("a_dtype"));
  p.right_format = FormatOf(golden.Text("b_dtype"));
  p.a = Unpack(p.left_format, golden.Bytes("a"));
  p.b = Unpack(p.right_format, golden.Bytes("b"));
  p.sa = As<uint8_t>(golden.Bytes("sa"));
  p.sb = As<uint8_t>(golden.Bytes("sb"));
  p.mode.gemv = p.m == 1;
  if (golden.HasBytes("cin")) p.c_in = As<float>(golden.Bytes("cin"));
  if (golden.HasBytes("bias")) p.bias = As<float>(golden.Bytes("bias"));
  return p;
}

// The case by every way into L0: A and B as they are and transposed, scales in
// boxes and in pairs, in one step of K and in several.
std::vector<MatmulProblem> WaysToRun(const GoldenCase& golden) {
  std::vector<MatmulProblem> ways;
  for (int way = 0; way < 16; ++way) {
    MatmulProblem p = ProblemOf(golden);
    p.a_is_transposed = way & 1;
    p.b_is_transposed = way & 2;
    p.interleaved_scales = way & 4;
    if (way & 8) p.k_step = 64;
    if (p.mode.gemv && p.a_is_transposed) continue;
    ways.push_back(p);
  }
  return ways;
}

Words RunOnModel(const MatmulProblem& p) {
  Machine machine;
  const MatmulBuffers gm = UploadMatmul(machine, p);
  MX_EXPECT_OK(RunMatmul(machine, p, gm));
  return ReadC(machine, p, gm);
}

bool IsSpecials(const GoldenCase& golden) {
  return golden.name() == "tmatmul_mx_e4m3_e4m3_plain_16x64x32_specials";
}

// The simulator adds C and the bias last, the model starts from them: there the
// reference in that order is the judge, which kernels/reference holds against
// the same vectors.
TEST(MatmulMxOnModelGoldenTest, EveryCase) {
  int plain = 0;
  int started = 0;
  for (const GoldenCase& golden : LoadGoldenCases("TMATMUL_MX")) {
    if (IsSpecials(golden)) continue;
    SCOPED_TRACE(golden.name());
    const Words reference = ReferenceC(ProblemOf(golden));
    for (const MatmulProblem& p : WaysToRun(golden)) {
      EXPECT_EQ(RunOnModel(p), reference);
    }
    if (golden.Text("mode") == "plain") {
      EXPECT_EQ(reference, As<uint32_t>(golden.Bytes("c")));
      ++plain;
    } else {
      EXPECT_TRUE(golden.HasBytes("cin") || golden.HasBytes("bias"));
      ++started;
    }
  }
  EXPECT_EQ(plain, 24);
  EXPECT_EQ(started, 18);
}

// The simulator decodes NaN codes as numbers. Where a row of A or a column of B
// has one, or a scale of 255, C is NaN; elsewhere the two agree.
TEST(MatmulMxOnModelGoldenTest, Specials) {
  const std::vector<GoldenCase> cases = LoadGoldenCases("TMATMUL_MX");
  const auto golden = std::find_if(cases.begin(), cases.end(), IsSpecials);
  ASSERT_NE(golden, cases.end());
  const MatmulProblem p = ProblemOf(*golden);
  const auto is_nan = [](ElementFormat format, uint8_t code) {
    return KindOf(format, code) == CodeKind::kNan;
  };
  Words expected = As<uint32_t>(golden->Bytes("c"));
  int64_t nans = 0;
  for (int64_t i = 0; i < p.m * p.n; ++i) {
    const int64_t m = i / p.n;
    const int64_t n = i % p.n;
    bool nan = false;
    for (int64_t k = 0; k < p.k; ++k) {
      nan = nan || is_nan(p.left_format, p.a[m * p.k + k]) ||
            is_nan(p.right_format, p.b[k * p.n + n]) ||
            p.sa[m * (p.k / 32) + k / 32] == 255 ||
            p.sb[k / 32 * p.n + n] == 255;
    }
    if (nan) expected[i] = 0x7FC00000;
    if (nan) ++nans;
  }
  EXPECT_GT(nans, 0);
  EXPECT_LT(nans, p.m * p.n);
  for (const MatmulProblem& way : WaysToRun(*golden)) {
    EXPECT_EQ(RunOnModel(way), expected);
  }
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
