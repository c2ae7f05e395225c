#include "tools/validate/execution_validator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "nlohmann/json.hpp"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "tools/validate/stage_run.h"
#include "tools/validate/validation_report.h"

namespace mxtile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// ---- FirstDifference

ResultBits Bits(const std::string& name, std::vector<uint32_t> codes,
                std::vector<uint8_t> written) {
  ResultBits bits;
  bits.name = name;
  bits.dtype = ir::DataType::kFP32;
  bits.shape = {2, static_cast<int64_t>(codes.size()) / 2};
  bits.codes = std::move(codes);
  bits.written = std::move(written);
  return bits;
}

constexpr uint32_t kOne = 0x3f800000;
constexpr uint32_t kTwo = 0x40000000;
constexpr uint32_t kMinusZero = 0x80000000;

TEST(FirstDifferenceTest, OfTheFirstResultThatHasOne) {
  const std::vector<ResultBits> before = {
      Bits("a", {kOne, kTwo, 0, 0}, {1, 1, 1, 0}),
      Bits("b", {kOne, kOne, 0, kTwo}, {1, 1, 1, 1})};
  EXPECT_EQ(FirstDifference(before, before)->has_value(), false);

  std::vector<ResultBits> after = before;
  after[1].codes = {kOne, kOne, kMinusZero, kOne};
  const std::optional<Difference> sign = *FirstDifference(before, after);
  ASSERT_TRUE(sign.has_value());
  EXPECT_EQ(sign->result, "b");
  EXPECT_THAT(sign->index, ElementsAre(1, 0));
  EXPECT_EQ(sign->before.code, 0);
  EXPECT_EQ(sign->after.code, kMinusZero);
  EXPECT_EQ(sign->num_different, 2);
  EXPECT_EQ(sign->num_elements, 4);

  // Zero that is written is not nothing.
  after[0].written = {1, 1, 1, 1};
  const std::optional<Difference> written = *FirstDifference(before, after);
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->result, "a");
  EXPECT_THAT(written->index, ElementsAre(1, 1));
  EXPECT_FALSE(written->before.written);
  EXPECT_TRUE(written->after.written);
  EXPECT_EQ(written->num_different, 1);
}

TEST(FirstDifferenceTest, OtherResultsAreNotCompared) {
  const std::vector<ResultBits> before = {Bits("a", {0, 0}, {1, 1})};
  std::vector<ResultBits> after = before;
  after[0].shape = {1, 2};
  EXPECT_TRUE(absl::IsUnimplemented(FirstDifference(before, after).status()));
  after = before;
  after[0].is_coded = false;
  EXPECT_TRUE(absl::IsUnimplemented(FirstDifference(before, after).status()));
  EXPECT_TRUE(absl::IsUnimplemented(FirstDifference(before, {}).status()));
}

// ---- Pipelines

struct Validation {
  absl::Status status;
  ValidationReport report;
  std::vector<std::string> rules;  // Of the diagnostics.
};

Validation Validate(absl::string_view text, ValidatorOptions options,
                    PassOptions pass_options = {}) {
  const ir::TextProgram program(text);
  ir::DiagnosticSink sink;
  PassContext context;
  context.ir = &program.context();
  context.sink = &sink;
  context.options = pass_options;
  options.context = &program.context();
  options.entry = "main";
  options.is_complete = true;
  ExecutionValidator validator(options, &sink);
  PassManager manager(A5Pipeline());
  manager.AddHook(&validator);
  const absl::StatusOr<const ir::Program*> lowered =
      manager.Run(program.get(), context);
  Validation result;
  result.status = lowered.ok() ? validator.Finish() : lowered.status();
  result.report = validator.report();
  for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
    result.rules.push_back(diagnostic.rule_id);
  }
  return result;
}

std::string Kernel(absl::string_view params, absl::string_view body,
                   absl::string_view head = "") {
  return ir::ProgramText({ir::FunctionText("InCore", "main", params, body)},
                         head);
}

constexpr char kProduct[] =
    "a: pl.Tensor[[32, 128], pl.FP8E4M3FN], "
    "sa: pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ], "
    "b: pl.Tensor[[128, 64], pl.FP8E4M3FN], "
    "sb: pl.Tensor[[4, 64], pl.FP8E8M0, pl.MX_B_NN], "
    "c: pl.Out[pl.Tensor[[48, 64], pl.FP32]]";
constexpr char kProductBody[] =
    "ta = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)\n"
    "ts = pl.load(sa, [0, 0], [32, 2])\n"
    "tb = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)\n"
    "tu = pl.load(sb, [0, 0], [2, 64])\n"
    "p = pl.matmul_mx(ta, ts, tb, tu)\n"
    "va = pl.load(a, [0, 64], [32, 64], target_memory=pl.Mem.Mat)\n"
    "vs = pl.load(sa, [0, 2], [32, 2])\n"
    "vb = pl.load(b, [64, 0], [64, 64], target_memory=pl.Mem.Mat)\n"
    "vu = pl.load(sb, [2, 0], [2, 64])\n"
    "q = pl.matmul_mx_acc(p, va, vs, vb, vu)\n"
    "pl.store(q, [16, 0], c)";

TEST(ExecutionValidatorTest, AResultMayBePartlyWritten) {
  const Validation validation = Validate(Kernel(kProduct, kProductBody), {});
  EXPECT_THAT(validation.status, IsOk());
  EXPECT_EQ(validation.report.stages.back().model.outcome, Outcome::kRan);
  EXPECT_TRUE(validation.report.validated());
  EXPECT_THAT(validation.rules, ElementsAre());
}

// A binding that is missing is seen where the model first runs: its pass is
// among those to blame. (Of one product alone nobody misses it: all is at 0.)
TEST(ExecutionValidatorTest, AMissingBindingOfTheRealPass) {
  PassOptions options;
  options.fault = InjectedFault::kDropBinding;
  const Validation validation =
      Validate(Kernel(kProduct, kProductBody), {}, options);
  EXPECT_TRUE(absl::IsInternal(validation.status)) << validation.status;
  EXPECT_THAT(validation.rules, ElementsAre("MX-VALIDATE-3"));
  ASSERT_TRUE(validation.report.fault.has_value());
  EXPECT_EQ(validation.report.fault->engine, Engine::kModel);
  EXPECT_THAT(validation.report.fault->suspects,
              Contains("insert_mx_scale_addr"));
  const Json json = Json::parse(ToJson(validation.report));
  EXPECT_EQ(json["validated"], false);
  EXPECT_EQ(json["fault"]["rule"], "MX-VALIDATE-3");
  EXPECT_EQ(json["fault"]["engine"], "model");
  EXPECT_THAT(ToText(validation.report), HasSubstr("model stopped"));
}

TEST(ExecutionValidatorTest, DynamicDimsAndScalarsHaveTheirValues) {
  const std::string text = Kernel(
      "x: pl.Tensor[[ROWS, 64], pl.FP32], row: pl.Scalar[pl.INDEX], "
      "z: pl.Out[pl.Tensor[[ROWS, 64], pl.FP32]]",
      "s = pl.load(x, [row, 0], [8, 64], target_memory=pl.Mem.Vec)\n"
      "pl.store(s, [row, 0], z)",
      "ROWS = pl.dynamic(\"ROWS\")\n");
  ValidatorOptions options;
  options.scalars = {{"ROWS", 24}, {"row", 16}};
  const Validation validation = Validate(text, options);
  EXPECT_THAT(validation.status, IsOk());
  ASSERT_EQ(validation.report.results.size(), 1);
  EXPECT_THAT(validation.report.results[0].shape, ElementsAre(24, 64));

  options.scalars = {{"ROWS", 24}};
  EXPECT_THAT(Validate(text, options).rules, ElementsAre("MX-INPUT-6"));
  // The window leaves the tensor: wrong as written, no fault of a pass.
  options.scalars = {{"ROWS", 20}, {"row", 16}};
  const Validation outside = Validate(text, options);
  EXPECT_TRUE(absl::IsInvalidArgument(outside.status)) << outside.status;
  EXPECT_THAT(outside.rules, ElementsAre("MX-REF-2"));
  EXPECT_FALSE(outside.report.fault.has_value());
  EXPECT_FALSE(outside.report.validated());
}

// The scales come in whole boxes, the product reads as far as its data reaches.
TEST(ExecutionValidatorTest, ValidRowsThatAreKnownAtRunTime) {
  const std::string text = Kernel(
      "a: pl.Tensor[[40, 64], pl.FP8E4M3FN], m: pl.Scalar[pl.INDEX], "
      "sa: pl.Tensor[[48, 2], pl.FP8E8M0, pl.MX_A_ZZ], "
      "b: pl.Tensor[[64, 64], pl.FP8E4M3FN], "
      "sb: pl.Tensor[[2, 64], pl.FP8E8M0, pl.MX_B_NN], "
      "c: pl.Out[pl.Tensor[[40, 64], pl.FP32]]",
      "ta = pl.load(a, [0, 0], [48, 64], [m, 64], target_memory=pl.Mem.Mat)\n"
      "ts = pl.load(sa, [0, 0], [48, 2], [m, 2])\n"
      "tb = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)\n"
      "tu = pl.load(sb, [0, 0], [2, 64])\n"
      "p = pl.matmul_mx(ta, ts, tb, tu)\n"
      "pl.store(p, [0, 0], c)");
  for (const int64_t rows : {1, 23, 33, 40}) {
    ValidatorOptions options;
    options.scalars = {{"m", rows}};
    const Validation validation = Validate(text, options);
    EXPECT_THAT(validation.status, IsOk()) << ToText(validation.report);
    EXPECT_EQ(validation.report.stages.back().model.outcome, Outcome::kRan);
  }
}

TEST(ExecutionValidatorTest, AProgramWithoutAResultIsNotValidated) {
  const Validation validation = Validate(
      Kernel("x: pl.Tensor[[16, 64], pl.FP32]",
             "s = pl.load(x, [0, 0], [8, 64], target_memory=pl.Mem.Vec)"),
      {});
  EXPECT_TRUE(absl::IsInvalidArgument(validation.status));
  EXPECT_THAT(validation.rules, ElementsAre("MX-VALIDATE-4"));
}

}  // namespace
}  // namespace mxtile
