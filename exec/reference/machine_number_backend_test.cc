#include "exec/reference/machine_number_backend.h"

#include <cmath>
#include <string>
#include <vector>

#include "exec/interpreter.h"
#include "exec/reference/reference_backend.h"
#include "exec/value.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/text/text_program_test_util.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"

namespace mxtile::exec {
namespace {

// What a kernel of these statements, from tiles `s` and `t` of 1 x 8 to `r`,
// leaves.
std::vector<float> RunCell(const std::string& dtype, const std::string& body,
                           const std::vector<double>& x,
                           const std::vector<double>& y) {
  const std::string tensor = "pl.Tensor[[1, 8], pl." + dtype + "]";
  const ir::TextProgram program(ir::ProgramText({ir::FunctionText(
      "InCore", "cell",
      "x: " + tensor + ", y: " + tensor + ", z: pl.Out[" + tensor + "]",
      "s = pl.load(x, [0, 0], [1, 8])\nt = pl.load(y, [0, 0], [1, 8])\n" +
          body + "\npl.store(r, [0, 0], z)")}));
  MachineNumberBackend backend(program.context().registry());
  ir::DiagnosticSink sink;
  Interpreter interpreter(*program, &backend, &sink);
  const Value z =
      *backend.CreateTensor(*ir::CheckedCast<ir::TensorType>(
                                program.function("cell").params[2]->type),
                            "z");
  const auto result = interpreter.Run(
      program.function("cell"),
      {backend.MakeTensor({1, 8}, x), backend.MakeTensor({1, 8}, y), z});
  EXPECT_TRUE(result.ok()) << result.status();
  return backend.Tensor(z).values;
}

const std::vector<double> kX = {1, 2049, 0.1, 65504, 3, -7, 1e-7, 12345};
const std::vector<double> kY = {1.0 / 3, 1, 0.2, 64, -3, 0.3, 5, 0.7};

// The values as the type holds them.
std::vector<double> Rounded(ElementFormat format, std::vector<double> values) {
  for (double& v : values) {
    v = Decode(format,
               Encode(format, static_cast<float>(v), Overflow::kSpecial));
  }
  return values;
}

TEST(MachineNumberBackendTest, ArithmeticIsRoundedToTheTypeOfItsResult) {
  const std::vector<double> x = Rounded(ElementFormat::kF16, kX);
  const std::vector<double> y = Rounded(ElementFormat::kF16, kY);
  std::vector<double> sums;
  for (size_t i = 0; i < x.size(); ++i) sums.push_back(x[i] + y[i]);
  sums = Rounded(ElementFormat::kF16, sums);
  const std::vector<float> got = RunCell("FP16", "r = pl.tile.add(s, t)", x, y);
  EXPECT_EQ(std::vector<double>(got.begin(), got.end()), sums);
}

TEST(MachineNumberBackendTest, EachStepIsRounded) {
  const std::vector<double> x = Rounded(ElementFormat::kF32, kX);
  const std::vector<double> y = Rounded(ElementFormat::kF32, kY);
  std::vector<float> want;
  for (size_t i = 0; i < x.size(); ++i) {
    const float product = static_cast<float>(x[i] * y[i]);
    const float sum = static_cast<float>(double{product} + x[i]);
    want.push_back(static_cast<float>(std::log(std::fabs(double{sum}))));
  }
  EXPECT_EQ(RunCell("FP32",
                    "p = pl.tile.mul(s, t)\nq = pl.tile.add(p, s)\n"
                    "a = pl.tile.abs(q)\nr = pl.tile.log(a)",
                    x, y),
            want);
}

}  // namespace
}  // namespace mxtile::exec
