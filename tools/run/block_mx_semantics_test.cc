// The pass keeps what a program computes: the interpreter gives the same result
// before and after, and both are the product that the program is about.

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status_matchers.h"
#include "exec/element_type.h"
#include "exec/inputs.h"
#include "exec/interpreter.h"
#include "exec/reference/reference_backend.h"
#include "exec/value.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "numerics/element_format.h"
#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"
#include "passes/pass.h"

namespace mxtile {
namespace {

using exec::BoundInput;
using exec::ReferenceBackend;
using exec::Value;

constexpr int64_t kM = 128, kK = 512, kN = 128;

// The values in the order of the parameter's own form: boxes of a blocked scale
// tensor.
std::vector<double> PhysicalValues(const BoundInput& input,
                                   const ir::TensorType& type) {
  if (type.shape.size() == input.shape.size()) return input.values;
  const auto packed = exec::PackForType(type, input.shape, input.codes);
  EXPECT_TRUE(packed.ok()) << packed.status();
  std::vector<double> values;
  for (const uint8_t code : *packed) {
    values.push_back(Decode(*exec::FormatOf(type.dtype), code));
  }
  return values;
}

// Runs `main` on the inputs; its output c.
std::vector<double> RunMain(const ir::Program& program,
                            const ir::OpRegistry& ops,
                            const std::vector<BoundInput>& inputs) {
  const ir::Function& entry = *program.Find("main");
  ReferenceBackend<double> backend(ops);
  std::vector<Value> args;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& type = *ir::CheckedCast<ir::TensorType>(entry.params[i]->type);
    if (inputs[i].is_output) {
      args.push_back(*backend.CreateTensor(type, "c"));
      continue;
    }
    std::vector<int64_t> shape;
    for (const ir::Expr* dim : type.shape) {
      shape.push_back(ir::AsConstInt(dim)->value);
    }
    args.push_back(backend.MakeTensor(shape, PhysicalValues(inputs[i], type)));
  }
  ir::DiagnosticSink sink;
  exec::Interpreter interpreter(program, &backend, &sink);
  const auto results = interpreter.Run(entry, args);
  for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
    ADD_FAILURE() << diagnostic.rule_id << " " << diagnostic.message;
  }
  return backend.Tensor(args.back()).values;
}

TEST(BlockMxSemanticsTest, GemmStaysTheSame) {
  MX_ASSERT_OK_AND_ASSIGN(const std::string text,
                          ReadFile("testdata/programs/mxfp8_gemm.py"));
  const ir::TextProgram before(text);
  ir::DiagnosticSink sink;
  PassContext context;
  context.ir = &before.context();
  context.sink = &sink;
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* after,
                          BlockMxScaleTensorViews().Run(before.get(), context));
  ASSERT_NE(after, before.get());

  MX_ASSERT_OK_AND_ASSIGN(
      const std::vector<BoundInput> inputs,
      exec::BindInputs(*before, before.function("main"), {}));
  const ir::OpRegistry& ops = before.context().registry();
  const std::vector<double> c = RunMain(*before, ops, inputs);
  EXPECT_EQ(RunMain(*after, ops, inputs), c);

  // The products are exact in double, and are added in the order of k.
  const std::vector<double>& a = inputs[0].values;
  const std::vector<double>& sa = inputs[1].values;
  const std::vector<double>& b = inputs[2].values;
  const std::vector<double>& sb = inputs[3].values;
  ASSERT_EQ(c.size(), kM * kN);
  for (int64_t m = 0; m < kM; ++m) {
    for (int64_t n = 0; n < kN; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < kK; ++k) {
        const int64_t g = k / 32;
        sum += a[m * kK + k] * sa[m * (kK / 32) + g] * b[k * kN + n] *
               sb[g * kN + n];
      }
      ASSERT_EQ(c[m * kN + n], sum) << m << ", " << n;
    }
  }
}

}  // namespace
}  // namespace mxtile
