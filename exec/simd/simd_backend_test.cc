#include "exec/simd/simd_backend.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "exec/interpreter.h"
#include "exec/reference/reference_backend.h"
#include "exec/simd/strict_interpreter.h"
#include "exec/simd/tile_program.h"
#include "exec/value.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec::simd {
namespace {

absl::Status RunStrictly(const TileProgram& program,
                         absl::Span<const BufferSpan> buffers) {
  return Interpret(program, buffers, AllOf(program));
}

struct Program {
  const char* name;
  int64_t launches;
  int64_t instances;
};

class SimdBackendTest : public ::testing::TestWithParam<Program> {};

// main, statement by statement, has the bits of the reference.
TEST_P(SimdBackendTest, RunsMain) {
  std::ifstream file(
      absl::StrCat("testdata/programs/", GetParam().name, ".py"));
  const ir::TextProgram program(
      std::string(std::istreambuf_iterator<char>(file), {}));
  const ir::Function& main = program.function("main");
  std::mt19937 random(1);
  std::vector<exec::Value> args;
  std::vector<exec::Value> reference_args;
  for (const ir::Var* param : main.params) {
    const auto* tensor = ir::CheckedCast<ir::TensorType>(param->type);
    ElementType type = ElementType::kF32;
    if (tensor->dtype == ir::DataType::kFP8E4M3FN) {
      type = ElementType::kF8E4M3FN;
    }
    if (tensor->dtype == ir::DataType::kFP8E8M0) type = ElementType::kF8E8M0FNU;
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const ir::Expr* dim : tensor->shape) {
      shape.push_back(ir::AsConstInt(dim)->value);
      count *= shape.back();
    }
    std::vector<uint8_t> bytes(BytesOf(type, count));
    std::vector<double> values(count);
    const int width = BitWidth(type) / 8;
    for (int64_t i = 0; i < count; ++i) {
      const float drawn = static_cast<float>(random() % 1000 + 1) / 500;
      const uint32_t code = Encode(*FormatOf(type), drawn, Overflow::kSaturate);
      std::memcpy(&bytes[i * width], &code, width);
      values[i] = Decode(*FormatOf(type), code);
    }
    args.push_back(SimdBackend::MakeTensor(type, shape, bytes));
    reference_args.push_back(
        ReferenceBackend<float>::MakeTensor(shape, values));
  }
  ir::DiagnosticSink sink;
  SimdBackend backend(program.context().registry(), RunStrictly, &sink);
  const auto results = Interpreter(*program, &backend, &sink).Run(main, args);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(backend.launches(), GetParam().launches);
  EXPECT_EQ(backend.instances(), GetParam().instances);
  EXPECT_EQ((*results)[0].AsObject(), args.back().AsObject());

  ReferenceBackend<float> reference(program.context().registry());
  ASSERT_TRUE(
      Interpreter(*program, &reference, &sink).Run(main, reference_args).ok());
  const std::vector<float>& expected =
      ReferenceBackend<float>::Tensor(reference_args.back()).values;
  const std::vector<uint8_t>& actual = SimdBackend::Bytes(args.back());
  ASSERT_EQ(actual.size(), expected.size() * 4);
  EXPECT_EQ(std::memcmp(actual.data(), expected.data(), actual.size()), 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, SimdBackendTest,
                         ::testing::Values(Program{"attention_decode", 1, 8},
                                           Program{"attention_prefill", 1, 32},
                                           Program{"sgemm", 1, 16},
                                           Program{"mxfp8_gemm", 1, 1},
                                           // Sequential loops around the call.
                                           Program{"mxfp8_gemm_tiled", 4, 4}),
                         [](const ::testing::TestParamInfo<Program>& info) {
                           return std::string(info.param.name);
                         });

TEST(SimdBackendErrorTest, IsReportedOnceAtItsPlace) {
  const ir::TextProgram program(ir::ProgramText(
      {ir::FunctionText("InCore", "f", "x: pl.Tensor[[8, 16], pl.FP32]",
                        "t = pl.load(x, [0, 0], [8, 16])\n"
                        "u = pl.tile.log(t)"),
       ir::FunctionText("Orchestration", "main",
                        "self, x: pl.Tensor[[8, 16], pl.FP32]", "self.f(x)")}));
  ir::DiagnosticSink sink;
  SimdBackend backend(program.context().registry(), RunStrictly, &sink);
  const exec::Value x = SimdBackend::MakeTensor(ElementType::kF32, {8, 16},
                                                std::vector<uint8_t>(512));
  EXPECT_FALSE(Interpreter(*program, &backend, &sink)
                   .Run(program.function("main"), {x})
                   .ok());
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].rule_id, "MX-SIMD-1");
  EXPECT_EQ(sink.diagnostics()[0].span.line, program.LineOf("tile.log"));
}

}  // namespace
}  // namespace mxtile::exec::simd
