#include "exec/reference/quant_ops.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "exec/interpreter.h"
#include "exec/reference/reference_backend.h"
#include "exec/reference/reference_tile.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "kernels/group_axis.h"
#include "kernels/reference/quantize.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::HasSubstr;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

constexpr int64_t kRows = 64;
constexpr int64_t kCols = 96;

Value FreshTensor(std::vector<int64_t> shape) {
  auto tensor = std::make_shared<ReferenceTensor<double>>();
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  tensor->shape = std::move(shape);
  tensor->values.resize(count);
  tensor->defined.resize(count);
  return Value(std::shared_ptr<Object>(std::move(tensor)));
}

const std::vector<double>& ValuesOf(const Value& tensor) {
  return ReferenceBackend<double>::Tensor(tensor).values;
}

// "" or the first diagnostic.
std::string RunProgram(absl::string_view params, absl::string_view body,
                       std::vector<Value> args) {
  const TextProgram program(
      ProgramText({FunctionText("InCore", "f", params, body)}));
  if (program->functions.empty()) return "no program";
  ReferenceBackend<double> backend(program.context().registry());
  ir::DiagnosticSink sink;
  Interpreter interpreter(*program, &backend, &sink);
  const auto results = interpreter.Run(*program->functions[0], std::move(args));
  if (results.ok()) return "";
  return absl::StrCat(sink.diagnostics()[0].rule_id, " ",
                      sink.diagnostics()[0].message);
}

// ---- Codes and scales

struct Source {
  std::string dtype;
  ElementFormat format;
};
void PrintTo(const Source& source, std::ostream* out) { *out << source.dtype; }

class QuantizeTest : public TestWithParam<Source> {
 protected:
  // Not representable in 16 bits; groups differ in magnitude.
  std::vector<double> RandomValues() {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> values(kRows * kCols);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = std::ldexp(normal(random), static_cast<int>(i / 32 % 9) - 4);
    }
    values[40] = 0;
    return values;
  }

  QuantizedMatrix Expected(const std::vector<double>& values, int64_t rows,
                           int64_t cols, GroupAxis axis) {
    std::vector<float> rounded;
    for (const double value : values) {
      const ElementFormat format = GetParam().format;
      rounded.push_back(Decode(format, Encode(format, static_cast<float>(value),
                                              Overflow::kSpecial)));
    }
    auto matrix = Quantize(rounded, rows, cols, axis, ElementFormat::kF8E4M3FN,
                           ScaleRule::kOcp);
    EXPECT_THAT(matrix, IsOk());
    return *std::move(matrix);
  }

  static std::vector<double> DecodeAll(ElementFormat format,
                                       const std::vector<uint8_t>& codes) {
    std::vector<double> values;
    for (const uint8_t code : codes) values.push_back(Decode(format, code));
    return values;
  }

  void ExpectMatrix(const Value& codes, const Value& scales,
                    const QuantizedMatrix& expected) {
    EXPECT_EQ(ValuesOf(codes),
              DecodeAll(ElementFormat::kF8E4M3FN, expected.codes));
    EXPECT_EQ(ValuesOf(scales),
              DecodeAll(ElementFormat::kF8E8M0FNU, expected.scales));
  }

  std::string Params(absl::string_view codes, absl::string_view scales) {
    return absl::StrCat("x: pl.Tensor[[64, 96], pl.", GetParam().dtype,
                        "], codes: pl.Out[pl.Tensor[", codes,
                        ", pl.FP8E4M3FN]], scales: pl.Out[pl.Tensor[", scales,
                        ", pl.FP8E8M0]]");
  }
};

TEST_P(QuantizeTest, RawAlongTheRows) {
  const std::vector<double> values = RandomValues();
  const Value scales = FreshTensor({kRows, 2});
  // Two of the three groups: an odd number has no boxes.
  std::vector<double> two_thirds;
  for (int64_t i = 0; i < kRows; ++i) {
    two_thirds.insert(two_thirds.end(), values.begin() + i * kCols,
                      values.begin() + i * kCols + 64);
  }
  const Value codes_of_two = FreshTensor({kRows, 64});
  ASSERT_EQ(
      RunProgram(
          Params("[64, 64]", "[64, 2]"),
          absl::StrReplaceAll(
              "tx = pl.load(x, [0, 0], [64, 64])\n"
              "scratch = pl.create_tile([1, 128], dtype=pl.$T)\n"
              "tmp = pl.create_tile([1, 96], dtype=pl.UINT8)\n"
              "q = pl.tile.tquant_mx_raw(tx, scratch, scratch, group_axis=1)\n"
              "raw = q[0]\n"
              "exps = q[1]\n"
              "c = pl.tile.reinterpret_view(raw, dtype=pl.FP8E4M3FN)\n"
              "zz = pl.tile.tmov_x2zz(exps, tmp, group_axis=1, dst_rows=64, "
              "dst_cols=2)\n"
              "s = pl.tile.reinterpret_view(zz, dtype=pl.FP8E8M0)\n"
              "r0 = pl.store(c, [0, 0], codes)\n"
              "r1 = pl.store(s, [0, 0], scales)",
              {{"$T", GetParam().dtype}}),
          {ReferenceBackend<double>::MakeTensor({kRows, kCols}, values),
           codes_of_two, scales}),
      "");
  ExpectMatrix(codes_of_two, scales,
               Expected(two_thirds, kRows, 64, GroupAxis::kAxis1));
}

TEST_P(QuantizeTest, RawAlongTheColumns) {
  const std::vector<double> values = RandomValues();
  const Value codes = FreshTensor({kRows, kCols});
  const Value scales = FreshTensor({kRows / 32, kCols});
  ASSERT_EQ(
      RunProgram(
          Params("[64, 96]", "[2, 96]"),
          absl::StrReplaceAll(
              "tx = pl.load(x, [0, 0], [64, 96])\n"
              "scratch = pl.create_tile([2, 96], dtype=pl.$T)\n"
              "tmp = pl.create_tile([1, 32], dtype=pl.UINT8)\n"
              "q = pl.tile.tquant_mx_raw(tx, scratch, scratch, group_axis=0)\n"
              "raw = q[0]\n"
              "exps = q[1]\n"
              "c = pl.tile.reinterpret_view(raw, dtype=pl.FP8E4M3FN)\n"
              "zz = pl.tile.tmov_x2zz(exps, tmp, group_axis=0)\n"
              "sz = pl.tile.reinterpret_view(zz, dtype=pl.FP8E8M0)\n"
              "s = pl.tile.transpose_view(sz)\n"
              "r0 = pl.store(c, [0, 0], codes)\n"
              "r1 = pl.store(s, [0, 0], scales)",
              {{"$T", GetParam().dtype}}),
          {ReferenceBackend<double>::MakeTensor({kRows, kCols}, values), codes,
           scales}),
      "");
  ExpectMatrix(codes, scales,
               Expected(values, kRows, kCols, GroupAxis::kAxis0));
}

// [N, K] is transposed first.
TEST_P(QuantizeTest, WholeOperatorOfTheRightOperand) {
  const std::vector<double> values = RandomValues();
  std::vector<double> transposed(64 * 64);
  for (int64_t n = 0; n < 64; ++n) {
    for (int64_t k = 0; k < 64; ++k) {
      transposed[k * 64 + n] = values[n * kCols + k];
    }
  }
  const Value codes = FreshTensor({64, 64});
  const Value scales = FreshTensor({2, 64});
  ASSERT_EQ(
      RunProgram(Params("[64, 64]", "[2, 64]"),
                 "tx = pl.load(x, [0, 0], [64, 64])\n"
                 "q = pl.tile.tquant_mx(tx, group_axis=0)\n"
                 "c = q[0]\n"
                 "s = q[1]\n"
                 "r0 = pl.store(c, [0, 0], codes)\n"
                 "r1 = pl.store(s, [0, 0], scales)",
                 {ReferenceBackend<double>::MakeTensor({kRows, kCols}, values),
                  codes, scales}),
      "");
  ExpectMatrix(codes, scales, Expected(transposed, 64, 64, GroupAxis::kAxis0));
}

INSTANTIATE_TEST_SUITE_P(
    Sources, QuantizeTest,
    ValuesIn(std::vector<Source>{{"FP32", ElementFormat::kF32},
                                 {"FP16", ElementFormat::kF16},
                                 {"BF16", ElementFormat::kBF16}}),
    [](const TestParamInfo<Source>& info) { return info.param.dtype; });

// ---- Errors

constexpr absl::string_view kParams =
    "x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]";

TEST(QuantOpsErrorTest, ElementWithoutAValue_MX_REF_1) {
  EXPECT_THAT(
      RunProgram(kParams,
                 "scratch = pl.create_tile([1, 128], dtype=pl.FP32)\n"
                 "t = pl.create_tile([64, 64], dtype=pl.FP32)\n"
                 "q = pl.tile.tquant_mx_raw(t, scratch, scratch, group_axis=1)",
                 {FreshTensor({64, 64}), FreshTensor({64, 64})}),
      HasSubstr("MX-REF-1 tile.tquant_mx_raw: element [0, 0]"));
}

TEST(QuantOpsErrorTest, BitsOfFloatsHaveNoMeaningInNumbers_MX_REF_3) {
  EXPECT_THAT(RunProgram(kParams,
                         "t = pl.load(x, [0, 0], [64, 64])\n"
                         "bits = pl.tile.reinterpret_view(t, dtype=pl.INT32)",
                         {ReferenceBackend<double>::MakeTensor(
                              {64, 64}, std::vector<double>(64 * 64, 1.0)),
                          FreshTensor({64, 64})}),
              HasSubstr("MX-REF-3 tile.reinterpret_view from FP32"));
}

}  // namespace
}  // namespace mxtile::exec
