#include "exec/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/npy.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "kernels/group_axis.h"
#include "kernels/reference/quantize.h"
#include "layouts/mx/scale_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

using Shape = std::vector<int64_t>;

std::string ProductText(absl::string_view params, absl::string_view body,
                        absl::string_view head = "") {
  return ProgramText({FunctionText("InCore", "gemm", params, body)}, head);
}

constexpr absl::string_view kScaleA =
    "sa: pl.Tensor[[32, 2], pl.FP8E8M0, pl.MX_A_ZZ]";
constexpr absl::string_view kDataA = "a: pl.Tensor[[32, 64], pl.FP8E4M3FN]";
constexpr absl::string_view kDataB = "b: pl.Tensor[[64, 32], pl.FP8E4M3FN]";
constexpr absl::string_view kScaleB =
    "sb: pl.Tensor[[2, 32], pl.FP8E8M0, pl.MX_B_NN]";
constexpr absl::string_view kBias =
    "bias: pl.InOut[pl.Tensor[[1, 32], pl.FP32]]";
constexpr absl::string_view kOut = "c: pl.Out[pl.Tensor[[32, 32], pl.FP32]]";
constexpr absl::string_view kLoads =
    "ta = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)\n"
    "tsa = pl.load(sa, [0, 0], [32, 2])\n"
    "tb = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)\n"
    "tsb = pl.load(sb, [0, 0], [2, 32])\n";
constexpr absl::string_view kMatmul = "r = pl.matmul_mx(ta, tsa, tb, tsb)\n";

// The scale of a stands before it, that of b behind it.
std::string Gemm(absl::string_view more_params = "",
                 absl::string_view head = "") {
  return ProductText(
      absl::StrCat(kScaleA, ", ", kDataA, ", ", kDataB, ", ", kScaleB, ", ",
                   kBias, ", ", kOut, more_params),
      absl::StrCat(kLoads, kMatmul), head);
}

InputFile Npy(absl::string_view name, absl::string_view descr, Shape shape,
              std::string bytes) {
  NpyArray array;
  array.descr = std::string(descr);
  array.shape = std::move(shape);
  array.bytes = std::move(bytes);
  return {std::string(name), SerializeNpy(array)};
}
int64_t Count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}
// Bytes 1, 2, 3, ..., as codes.
InputFile Codes(absl::string_view name, const Shape& shape) {
  std::string bytes;
  for (int64_t i = 0; i < Count(shape); ++i) {
    bytes.push_back(static_cast<char>(i % 100 + 1));
  }
  return Npy(name, "|u1", shape, bytes);
}
InputFile Floats(absl::string_view name, const Shape& shape,
                 const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(&bytes[0], values.data(), bytes.size());
  return Npy(name, "<f4", shape, bytes);
}
std::vector<float> SomeValues(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(std::ldexp(static_cast<float>(i % 97 - 48), i % 13 - 6));
  }
  return values;
}

absl::StatusOr<std::vector<BoundInput>> Bind(const TextProgram& program,
                                             const InputOptions& options) {
  return BindInputs(*program, program.function("gemm"), options);
}

const BoundInput& Of(const std::vector<BoundInput>& inputs,
                     absl::string_view name) {
  for (const BoundInput& input : inputs) {
    if (input.param->name == name) return input;
  }
  ADD_FAILURE() << "no input " << name;
  return inputs[0];
}

std::vector<float> ToFloats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

// The pair is what the definition of quantisation makes of the exact values.
void ExpectQuantisedPair(const BoundInput& data, const BoundInput& scale,
                         GroupAxis axis, ScaleRule rule) {
  MX_ASSERT_OK_AND_ASSIGN(
      const QuantizedMatrix q,
      Quantize(ToFloats(data.exact_values), data.shape[0], data.shape[1], axis,
               ElementFormat::kF8E4M3FN, rule));
  EXPECT_TRUE(data.quantised);
  EXPECT_TRUE(scale.quantised);
  EXPECT_EQ(data.codes, q.codes);
  EXPECT_EQ(scale.codes, q.scales);
  EXPECT_EQ(scale.shape, Shape({q.scale_rows, q.scale_cols}));
  EXPECT_THAT(scale.exact_values, Each(1.0));
  EXPECT_EQ(scale.exact_values.size(), scale.values.size());
  // `values` are those of the codes: data times scale is the dequantised value.
  const std::vector<double> back = Dequantize(q);
  ASSERT_EQ(data.values.size(), back.size());
  for (int64_t row = 0; row < data.shape[0]; ++row) {
    for (int64_t col = 0; col < data.shape[1]; ++col) {
      const int64_t group = axis == GroupAxis::kAxis1
                                ? row * q.scale_cols + col / 32
                                : row / 32 * q.scale_cols + col;
      const int64_t i = row * data.shape[1] + col;
      ASSERT_EQ(data.values[i] * scale.values[group], back[i]) << i;
    }
  }
}

// ---- Generated

TEST(GeneratedTest, PairsAreQuantised) {
  const TextProgram program(Gemm());
  for (const ScaleRule rule : {ScaleRule::kOcp, ScaleRule::kNv}) {
    InputOptions options;
    options.seed = 7;
    options.scale_rule = rule;
    MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                            Bind(program, options));
    ASSERT_EQ(inputs.size(), 6);
    ExpectQuantisedPair(Of(inputs, "a"), Of(inputs, "sa"), GroupAxis::kAxis1,
                        rule);
    ExpectQuantisedPair(Of(inputs, "b"), Of(inputs, "sb"), GroupAxis::kAxis0,
                        rule);
    EXPECT_EQ(Of(inputs, "a").origin, "seed 7");
    EXPECT_EQ(Of(inputs, "sa").origin, "quantised with a");
  }
}

TEST(GeneratedTest, ShapesOnly) {
  const TextProgram program(Gemm());
  InputOptions options;
  options.shapes_only = true;
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> shapes,
                          Bind(program, options));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, InputOptions()));
  ASSERT_EQ(shapes.size(), inputs.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_EQ(shapes[i].param, inputs[i].param);
    EXPECT_EQ(shapes[i].shape, inputs[i].shape);
    EXPECT_EQ(shapes[i].scalar, inputs[i].scalar);
    EXPECT_TRUE(shapes[i].codes.empty() && shapes[i].values.empty());
  }
}

// A scale that is read from a neighbour's place shows.
TEST(GeneratedTest, NeighbouringScalesDiffer) {
  const TextProgram program(Gemm());
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, InputOptions()));
  for (const absl::string_view name : {"sa", "sb"}) {
    const BoundInput& scale = Of(inputs, name);
    const int64_t rows = scale.shape[0];
    const int64_t cols = scale.shape[1];
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t col = 0; col < cols; ++col) {
        const uint8_t code = scale.codes[row * cols + col];
        if (col + 1 < cols) {
          EXPECT_NE(code, scale.codes[row * cols + col + 1])
              << name << " " << row << ", " << col;
        }
        if (row + 1 < rows) {
          EXPECT_NE(code, scale.codes[(row + 1) * cols + col])
              << name << " " << row << ", " << col;
        }
      }
    }
  }
}

// So it does where the program quantises.
TEST(GeneratedTest, NeighbouringScalesOfTheProgramsOwnDiffer) {
  const auto raw = [](absl::string_view name, int axis) {
    return absl::StrReplaceAll(
        "t$N = pl.load($N, [0, 0], [64, 64])\n"
        "s$N = pl.create_tile([1, 128], dtype=pl.FP32)\n"
        "q$N = pl.tile.tquant_mx_raw(t$N, s$N, s$N, group_axis=$A)\n",
        {{"$N", name}, {"$A", absl::StrCat(axis)}});
  };
  const TextProgram program(ProductText(
      "x: pl.Tensor[[64, 64], pl.FP32], y: pl.Tensor[[64, 64], pl.FP32], "
      "z: pl.Tensor[[64, 64], pl.FP32]",
      absl::StrCat(raw("x", 1), raw("y", 0),
                   "tz = pl.load(z, [0, 0], [64, 64])\n"
                   "qz = pl.tile.tquant_mx(tz, group_axis=0)")));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, InputOptions()));
  // [N, K] of tquant_mx has its groups along K, its rows.
  const std::pair<absl::string_view, GroupAxis> params[] = {
      {"x", GroupAxis::kAxis1},
      {"y", GroupAxis::kAxis0},
      {"z", GroupAxis::kAxis1}};
  for (const auto& [name, axis] : params) {
    MX_ASSERT_OK_AND_ASSIGN(
        const QuantizedMatrix q,
        Quantize(ToFloats(Of(inputs, name).values), 64, 64, axis,
                 ElementFormat::kF8E4M3FN, ScaleRule::kOcp));
    int equal = 0;
    for (int64_t row = 0; row < q.scale_rows; ++row) {
      for (int64_t col = 0; col < q.scale_cols; ++col) {
        const uint8_t code = q.scales[row * q.scale_cols + col];
        if (col + 1 < q.scale_cols) {
          equal += code == q.scales[row * q.scale_cols + col + 1];
        }
        if (row + 1 < q.scale_rows) {
          equal += code == q.scales[(row + 1) * q.scale_cols + col];
        }
      }
    }
    EXPECT_EQ(equal, 0) << name;
  }
}

// The lines of an MX tensor are padded up to whole boxes.
TEST(GeneratedTest, PaddedScaleLinesAreZero) {
  const TextProgram program(ProductText(
      absl::StrCat(kScaleA, ", a: pl.Tensor[[20, 64], pl.FP8E4M3FN], ", kDataB,
                   ", ", kScaleB),
      "ta = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)\n"
      "tsa = pl.load(sa, [0, 0], [16, 2])\n"
      "tb = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)\n"
      "tsb = pl.load(sb, [0, 0], [2, 32])\n"
      "r = pl.matmul_mx(ta, tsa, tb, tsb)"));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, InputOptions()));
  const BoundInput& scale = Of(inputs, "sa");
  MX_ASSERT_OK_AND_ASSIGN(
      const QuantizedMatrix q,
      Quantize(ToFloats(Of(inputs, "a").exact_values), 20, 64,
               GroupAxis::kAxis1, ElementFormat::kF8E4M3FN, ScaleRule::kOcp));
  std::vector<uint8_t> want = q.scales;
  want.resize(32 * 2, 0);
  EXPECT_EQ(scale.shape, Shape({32, 2}));
  EXPECT_EQ(scale.codes, want);
}

TEST(GeneratedTest, FP32LiesInItsRange) {
  const TextProgram program(ProductText(
      "x: pl.Tensor[[40, 100], pl.FP32], y: pl.Tensor[[40, 100], pl.FP32]",
      ""));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, InputOptions()));
  for (const BoundInput& input : inputs) {
    ASSERT_EQ(input.values.size(), 4000);
    double least = 1, largest = -1;
    for (const double value : input.values) {
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
    EXPECT_GE(least, -1);
    EXPECT_LT(largest, 1);
    EXPECT_LT(least, -0.9);
    EXPECT_GT(largest, 0.9);
    EXPECT_EQ(input.exact_values, input.values);
    EXPECT_FALSE(input.quantised);
    std::vector<float> floats(4000);
    ASSERT_EQ(input.codes.size(), 16000);
    std::memcpy(floats.data(), input.codes.data(), 16000);
    EXPECT_EQ(floats, ToFloats(input.values));
  }
  EXPECT_NE(inputs[0].values, inputs[1].values) << "same for every parameter";
}

TEST(GeneratedTest, SeedDecides) {
  const TextProgram program(Gemm());
  const auto codes_of = [&](uint64_t seed) {
    InputOptions options;
    options.seed = seed;
    const auto inputs = Bind(program, options);
    EXPECT_TRUE(inputs.ok()) << inputs.status();
    std::vector<std::vector<uint8_t>> codes;
    for (const BoundInput& input : *inputs) codes.push_back(input.codes);
    return codes;
  };
  EXPECT_EQ(codes_of(1), codes_of(1));
  const auto one = codes_of(1);
  const auto two = codes_of(2);
  for (const int i : {1, 2, 4}) EXPECT_NE(one[i], two[i]) << "parameter " << i;
}

TEST(GeneratedTest, OutputsHoldNothing) {
  const TextProgram program(Gemm());
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, InputOptions()));
  const BoundInput& c = Of(inputs, "c");
  EXPECT_TRUE(c.is_output);
  EXPECT_EQ(c.origin, "output");
  EXPECT_EQ(c.shape, Shape({32, 32}));
  EXPECT_THAT(c.codes, IsEmpty());
  EXPECT_THAT(c.values, IsEmpty());
  // What comes in and goes out is an input.
  EXPECT_FALSE(Of(inputs, "bias").is_output);
  EXPECT_EQ(Of(inputs, "bias").values.size(), 32);
}

// ---- From files

TEST(FileTest, Float32IsQuantised) {
  const TextProgram program(Gemm());
  const std::vector<float> a = SomeValues(32 * 64);
  InputOptions options;
  options.files["a"] = Floats("x.npy", {32, 64}, a);
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, options));
  EXPECT_EQ(ToFloats(Of(inputs, "a").exact_values), a);
  EXPECT_EQ(Of(inputs, "a").origin, "x.npy");
  ExpectQuantisedPair(Of(inputs, "a"), Of(inputs, "sa"), GroupAxis::kAxis1,
                      ScaleRule::kOcp);
  EXPECT_EQ(Of(inputs, "b").origin, "seed 1");
}

TEST(FileTest, CodesAreTakenAsTheyAre) {
  const TextProgram program(Gemm());
  InputOptions options;
  options.files["b"] = Codes("b.npy", {64, 32});
  options.files["sb"] = Codes("sb.npy", {2, 32});
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, options));
  const struct {
    absl::string_view name;
    ElementFormat format;
  } kCases[] = {{"b", ElementFormat::kF8E4M3FN},
                {"sb", ElementFormat::kF8E8M0FNU}};
  for (const auto& c : kCases) {
    const BoundInput& input = Of(inputs, c.name);
    EXPECT_FALSE(input.quantised);
    EXPECT_EQ(input.origin, absl::StrCat(c.name, ".npy"));
    ASSERT_EQ(input.codes.size(), Count(input.shape));
    ASSERT_EQ(input.values.size(), Count(input.shape));
    for (size_t i = 0; i < input.codes.size(); ++i) {
      ASSERT_EQ(input.codes[i], i % 100 + 1);
      ASSERT_EQ(input.values[i], Decode(c.format, input.codes[i]));
    }
    EXPECT_EQ(input.exact_values, input.values);
  }
}

TEST(FileTest, HalvesBfloatsAndFloats) {
  const TextProgram program(
      ProductText("x: pl.Tensor[[2], pl.BF16], y: pl.Tensor[[2], pl.FP16], "
                  "z: pl.Tensor[[2], pl.FP16], w: pl.Tensor[[2], pl.FP32]",
                  ""));
  InputOptions options;
  // 1.0 and -2.5 in each format.
  options.files["x"] =
      Npy("x.npy", "<u2", {2}, std::string("\x80\x3f\x20\xc0"));
  options.files["y"] =
      Npy("y.npy", "<f2", {2}, std::string("\x00\x3c\x00\xc1", 4));
  options.files["z"] =
      Npy("z.npy", "<u2", {2}, std::string("\x00\x3c\x00\xc1", 4));
  options.files["w"] = Floats("w.npy", {2}, {1.0f, -2.5f});
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, options));
  for (const BoundInput& input : inputs) {
    EXPECT_THAT(input.values, ElementsAre(1.0, -2.5)) << input.param->name;
  }
}

TEST(ScalarTest, ComesFromSet) {
  const TextProgram program(
      Gemm(", n: pl.Scalar[pl.INDEX], flag: pl.Scalar[pl.BOOL]",
           "ROWS = pl.dynamic(\"ROWS\")\n"));
  InputOptions options;
  options.scalars = {{"n", -3}, {"flag", 1}, {"ROWS", 8}};
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> inputs,
                          Bind(program, options));
  EXPECT_EQ(Of(inputs, "n").scalar, -3);
  EXPECT_EQ(Of(inputs, "n").origin, "--set");
  EXPECT_EQ(Of(inputs, "flag").scalar, 1);
}

// ---- Errors

struct ErrorCase {
  std::string name;
  std::string program;
  std::function<void(InputOptions&)> change;
  std::string want;  // The rule.
  std::string fragment;
};
std::ostream& operator<<(std::ostream& os, const ErrorCase& c) {
  return os << c.want;
}

class InputErrorTest : public TestWithParam<ErrorCase> {};

TEST_P(InputErrorTest, BreaksTheRule) {
  const ErrorCase& c = GetParam();
  const TextProgram program(c.program);
  InputOptions options;
  if (c.change) c.change(options);
  const auto inputs = Bind(program, options);
  EXPECT_EQ(inputs.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ir::RuleOf(inputs.status()), c.want) << inputs.status();
  EXPECT_THAT(std::string(inputs.status().message()), HasSubstr(c.fragment));
}

// a is the left operand of two products with different scales.
std::string Ambiguous() {
  return ProductText(
      absl::StrCat(kScaleA, ", ", kDataA, ", ", kDataB, ", ", kScaleB,
                   ", sa2: pl.Tensor[[32, 2], pl.FP8E8M0, pl.MX_A_ZZ]"),
      absl::StrCat(kLoads, kMatmul, "tsa2 = pl.load(sa2, [0, 0], [32, 2])\n",
                   "r2 = pl.matmul_mx(ta, tsa2, tb, tsb)"));
}

// Of a tile step with K = 64 out of a tensor whose K is `k`.
std::string WithK(absl::string_view k, absl::string_view groups) {
  return ProductText(
      absl::StrCat("sa: pl.Tensor[[32, ", groups,
                   "], pl.FP8E8M0, pl.MX_A_ZZ], a: pl.Tensor[[32, ", k,
                   "], pl.FP8E4M3FN], ", kDataB, ", ", kScaleB),
      absl::StrCat(kLoads, kMatmul));
}

using O = InputOptions;
INSTANTIATE_TEST_SUITE_P(
    Cases, InputErrorTest,
    ValuesIn(std::vector<ErrorCase>{
        {"MX_INPUT_1_Unknown", Gemm(),
         [](O& o) { o.files["d"] = Codes("d.npy", {1}); }, "MX-INPUT-1",
         "--in d=d.npy: 'gemm' has no input tensor 'd'; it has sa, a, b, sb, "
         "bias"},
        {"MX_INPUT_1_Output", Gemm(),
         [](O& o) {
           o.files["c"] = Codes("c.npy", {32, 32});
         },
         "MX-INPUT-1", "no input tensor 'c'"},
        {"MX_INPUT_1_Scalar", Gemm(", n: pl.Scalar[pl.INDEX]"),
         [](O& o) {
           o.scalars["n"] = 1;
           o.files["n"] = Codes("n.npy", {1});
         },
         "MX-INPUT-1", "no input tensor 'n'"},
        {"MX_INPUT_2_Data", Gemm(),
         [](O& o) {
           o.files["a"] =
               Npy("a.npy", "|i1", {32, 64}, std::string(32 * 64, '\0'));
         },
         "MX-INPUT-2",
         "a.npy has elements of type '|i1', parameter 'a' is FP8E4M3FN and "
         "takes |u1 or <f4 (to be quantised)"},
        {"MX_INPUT_2_Scale", Gemm(),
         [](O& o) {
           o.files["a"] = Codes("a.npy", {32, 64});
           o.files["sa"] = Floats("sa.npy", {32, 2}, SomeValues(64));
         },
         "MX-INPUT-2", "'sa' is FP8E8M0 and takes |u1"},
        {"MX_INPUT_2_NoFileYet", ProductText("x: pl.Tensor[[4], pl.INT32]", ""),
         [](O& o) { o.files["x"] = Codes("x.npy", {4}); }, "MX-INPUT-2",
         "takes no file yet"},
        {"MX_INPUT_3", Gemm(),
         [](O& o) {
           o.files["a"] = Codes("a.npy", {64, 32});
         },
         "MX-INPUT-3", "a.npy has shape [64, 32], parameter 'a' has [32, 64]"},
        {"MX_INPUT_3_ScaleOfAnotherShape", WithK("64", "4"), nullptr,
         "MX-INPUT-3",
         "scale parameter 'sa' has shape [32, 4], the scales of 'a' have "
         "[32, 2]"},
        {"MX_INPUT_4_Ambiguous", Ambiguous(),
         [](O& o) {
           o.files["a"] = Floats("a.npy", {32, 64}, SomeValues(2048));
         },
         "MX-INPUT-4", "the scale parameter of 'a' is ambiguous"},
        {"MX_INPUT_4_None",
         ProductText("a: pl.Tensor[[32, 64], pl.FP8E4M3FN]", ""),
         [](O& o) {
           o.files["a"] = Floats("a.npy", {32, 64}, SomeValues(2048));
         },
         "MX-INPUT-4", "the scale parameter of 'a' is not to be found"},
        {"MX_INPUT_5_ScalesMissingBefore", Gemm(),
         [](O& o) {
           o.files["a"] = Codes("a.npy", {32, 64});
         },
         "MX-INPUT-5",
         "'a' is given as codes (a.npy), its scales 'sa' are missing; give "
         "--in sa=FILE.npy"},
        {"MX_INPUT_5_ScalesMissingBehind", Gemm(),
         [](O& o) {
           o.files["b"] = Codes("b.npy", {64, 32});
         },
         "MX-INPUT-5", "its scales 'sb' are missing"},
        {"MX_INPUT_5_CodesMissingBehind", Gemm(),
         [](O& o) {
           o.files["sa"] = Codes("sa.npy", {32, 2});
         },
         "MX-INPUT-5",
         "scales sa.npy are given, their codes 'a' are missing; give --in "
         "a=FILE.npy"},
        {"MX_INPUT_5_CodesMissingBefore", Gemm(),
         [](O& o) {
           o.files["sb"] = Codes("sb.npy", {2, 32});
         },
         "MX-INPUT-5", "their codes 'b' are missing"},
        {"MX_INPUT_5_ScalesBesideValues", Gemm(),
         [](O& o) {
           o.files["a"] = Floats("a.npy", {32, 64}, SomeValues(2048));
           o.files["sa"] = Codes("sa.npy", {32, 2});
         },
         "MX-INPUT-5",
         "a.npy is float32 and brings its own scales; drop sa.npy"},
        {"MX_INPUT_6_Scalar", Gemm(", n: pl.Scalar[pl.INDEX]"), nullptr,
         "MX-INPUT-6", "'n' has no value; give --set n=INT"},
        {"MX_INPUT_6_DynamicDim", Gemm("", "ROWS = pl.dynamic(\"ROWS\")\n"),
         nullptr, "MX-INPUT-6",
         "dynamic dimension 'ROWS' has no value; give --set ROWS=INT"},
        {"MX_INPUT_6_Unknown", Gemm(), [](O& o) { o.scalars["m"] = 4; },
         "MX-INPUT-6", "--set m=4: 'gemm' has no scalar parameter or dynamic"},
        {"MX_INPUT_6_Tensor", Gemm(), [](O& o) { o.scalars["a"] = 4; },
         "MX-INPUT-6", "--set a=4"},
        {"MX_INPUT_7_Generated", WithK("80", "2"), nullptr, "MX-INPUT-7",
         "'a' [32, 80] cannot be quantised along axis 1: K must be a multiple "
         "of 32"},
        {"MX_INPUT_7_File", WithK("80", "2"),
         [](O& o) {
           o.files["a"] = Floats("a.npy", {32, 80}, SomeValues(2560));
         },
         "MX-INPUT-7", "[32, 80]"},
        {"MX_INPUT_8_Dynamic",
         ProductText("x: pl.Tensor[[N, 4], pl.FP32]", "",
                     "N = pl.dynamic(\"N\")\n"),
         [](O& o) { o.scalars["N"] = 4; }, "MX-INPUT-8",
         "'x' has a dimension that is known at run time only"},
        {"MX_INPUT_8_NotGenerated",
         ProductText("x: pl.Tensor[[4], pl.BF16]", ""), nullptr, "MX-INPUT-8",
         "'x' of BF16 cannot be generated; give --in x=FILE.npy"},
        {"MX_INPUT_8_DataWithoutPartner",
         ProductText("a: pl.Tensor[[32, 64], pl.FP8E4M3FN]", ""), nullptr,
         "MX-INPUT-8", "'a' of FP8E4M3FN cannot be generated"},
        {"MX_INPUT_8_Tile",
         ProductText("t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]", ""), nullptr,
         "MX-INPUT-8", "'t' is no tensor or scalar"},
        {"MX_INPUT_8_FloatScalar", ProductText("x: pl.Scalar[pl.FP32]", ""),
         [](O& o) { o.scalars["x"] = 1; }, "MX-INPUT-8",
         "'x' is FP32; only integers and BOOL can be set"},
    }),
    [](const TestParamInfo<ErrorCase>& info) { return info.param.name; });

TEST(InputErrorsTest, BrokenFile) {
  const TextProgram program(Gemm());
  InputOptions options;
  options.files["bias"] = {"bias.npy", "no npy"};
  EXPECT_THAT(
      Bind(program, options),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bias.npy")));
}

// ---- Layouts

const ir::TensorType& TypeOf(const TextProgram& program) {
  return *ir::CheckedCast<ir::TensorType>(
      program.function("f").params[0]->type);
}

struct LayoutCase {
  std::string type;
  Shape logical;
  ScaleOrder order;
};

const LayoutCase kLayoutCases[] = {
    {"pl.Tensor[[48, 6], pl.FP8E8M0, pl.MX_A_ZZ]", {48, 6}, ScaleOrder::kZZ},
    {"pl.Tensor[[1, 3, 3, 16, 2], pl.FP8E8M0, pl.MX_A_ZZ]",
     {48, 6},
     ScaleOrder::kZZ},
    {"pl.Tensor[[6, 48], pl.FP8E8M0, pl.MX_B_NN]", {6, 48}, ScaleOrder::kNN},
    {"pl.Tensor[[1, 3, 3, 16, 2], pl.FP8E8M0, pl.MX_B_NN]",
     {6, 48},
     ScaleOrder::kNN},
    {"pl.Tensor[[6, 48], pl.FP8E8M0]", {6, 48}, ScaleOrder::kND},
};

// Each code lies where the layout says, whatever form the type has.
TEST(LayoutTest, PackForTypeFollowsTheLayout) {
  for (const LayoutCase& c : kLayoutCases) {
    const TextProgram program(ProgramText(
        {FunctionText("InCore", "f", absl::StrCat("s: ", c.type), "")}));
    MX_ASSERT_OK_AND_ASSIGN(const Shape shape,
                            LogicalShape(TypeOf(program), "s"));
    EXPECT_EQ(shape, c.logical) << c.type;
    std::vector<uint8_t> codes;
    for (int i = 0; i < 48 * 6; ++i) codes.push_back(i % 251);
    MX_ASSERT_OK_AND_ASSIGN(const std::vector<uint8_t> packed,
                            PackForType(TypeOf(program), shape, codes));
    MX_ASSERT_OK_AND_ASSIGN(const ScaleLayout layout,
                            ScaleLayout::Create(c.order, shape[0], shape[1]));
    ASSERT_EQ(packed.size(), layout.size_bytes());
    for (int64_t row = 0; row < shape[0]; ++row) {
      for (int64_t col = 0; col < shape[1]; ++col) {
        ASSERT_EQ(packed[layout.Offset(row, col)], codes[row * shape[1] + col])
            << c.type << " at " << row << ", " << col;
      }
    }
  }
}

TEST(LayoutTest, OddGroupsCannotBePacked) {
  const TextProgram program(ProgramText({FunctionText(
      "InCore", "f", "s: pl.Tensor[[16, 3], pl.FP8E8M0, pl.MX_A_ZZ]", "")}));
  EXPECT_THAT(
      PackForType(TypeOf(program), {16, 3}, std::vector<uint8_t>(48)),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("MX-SCALE-2")));
}

TEST(LayoutTest, LogicalShapeOfOtherTensorsIsTheirOwn) {
  const TextProgram program(ProgramText({FunctionText(
      "InCore", "f", "s: pl.Tensor[[1, 3, 3, 16, 2], pl.FP8E8M0]", "")}));
  EXPECT_THAT(LogicalShape(TypeOf(program), "s"),
              IsOkAndHolds(ElementsAre(1, 3, 3, 16, 2)));
}

// A program in blocked form takes and generates the same logical inputs.
TEST(LayoutTest, BlockedProgramBindsLogicalScales) {
  const std::string body =
      "ta = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)\n"
      "tsa = pl.load(sa, [0, 0, 0, 0, 0], [1, 2, 1, 16, 2])\n"
      "tb = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)\n"
      "tsb = pl.load(sb, [0, 0, 0, 0, 0], [1, 2, 1, 16, 2])\n";
  const TextProgram blocked(ProductText(
      absl::StrCat(
          "sa: pl.Tensor[[1, 2, 1, 16, 2], pl.FP8E8M0, pl.MX_A_ZZ], ", kDataA,
          ", ", kDataB,
          ", sb: pl.Tensor[[1, 2, 1, 16, 2], pl.FP8E8M0, pl.MX_B_NN], ", kBias,
          ", ", kOut),
      absl::StrCat(body, kMatmul)));
  const TextProgram logical(Gemm());
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> from_blocked,
                          Bind(blocked, InputOptions()));
  MX_ASSERT_OK_AND_ASSIGN(const std::vector<BoundInput> from_logical,
                          Bind(logical, InputOptions()));
  for (size_t i = 0; i < from_logical.size(); ++i) {
    EXPECT_EQ(from_blocked[i].shape, from_logical[i].shape) << i;
    EXPECT_EQ(from_blocked[i].codes, from_logical[i].codes) << i;
  }
}

}  // namespace
}  // namespace mxtile::exec
