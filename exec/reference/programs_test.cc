// The FP32 programs of testdata/, run as they are written and compared with a
// formula in double that knows nothing of blocks.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/interpreter.h"
#include "exec/reference/number.h"
#include "exec/reference/reference_backend.h"
#include "exec/value.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile::exec {
namespace {

using Shape = std::vector<int64_t>;

std::string ReadProgram(absl::string_view name) {
  std::ifstream file(absl::StrCat("testdata/programs/", name, ".py"));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Floats, so that both number types start from the same.
std::vector<double> Sines(int64_t count, double frequency, double phase) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(
        std::sin(frequency * static_cast<double>(i) + phase)));
  }
  return values;
}

struct Input {
  Shape shape;
  std::vector<double> values;
};

// What `main` of the program leaves in its last parameter, an output.
template <typename Number>
std::vector<double> RunMain(absl::string_view name,
                            const std::vector<Input>& inputs,
                            const Shape& output) {
  const ir::TextProgram program(ReadProgram(name));
  using Backend = ReferenceBackend<Number>;
  Backend backend(program.context().registry());
  ir::DiagnosticSink sink;
  Interpreter interpreter(*program, &backend, &sink);
  std::vector<Value> args;
  for (const Input& input : inputs) {
    args.push_back(Backend::MakeTensor(input.shape, input.values));
  }
  args.push_back(Backend::MakeTensor(
      output, std::vector<double>(output[0] * output[1], -77.0)));
  const Value out = args.back();
  const auto results = interpreter.Run(program.function("main"), args);
  if (!results.ok()) {
    ADD_FAILURE() << results.status() << ' ' << sink.diagnostics()[0].message;
    return {};
  }
  std::vector<double> values;
  for (const Number& n : Backend::Tensor(out).values) {
    values.push_back(ValueOf(n));
  }
  return values;
}

struct Attention {
  int64_t query_heads, kv_heads, queries, keys, dim, value_dim;
};

// Dense softmax attention: query i sees the keys up to i + keys - queries.
std::vector<double> Dense(const Attention& s, const std::vector<double>& q,
                          const std::vector<double>& k,
                          const std::vector<double>& v) {
  std::vector<double> out;
  for (int64_t row = 0; row < s.query_heads * s.queries; ++row) {
    const int64_t head = row / s.queries / (s.query_heads / s.kv_heads);
    const int64_t visible = row % s.queries + s.keys - s.queries + 1;
    std::vector<double> weights(visible);
    for (int64_t key = 0; key < visible; ++key) {
      for (int64_t d = 0; d < s.dim; ++d) {
        weights[key] +=
            q[row * s.dim + d] * k[(head * s.keys + key) * s.dim + d];
      }
      weights[key] /= std::sqrt(static_cast<double>(s.dim));
    }
    const double max = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& w : weights) sum += w = std::exp(w - max);
    for (int64_t d = 0; d < s.value_dim; ++d) {
      double value = 0;
      for (int64_t key = 0; key < visible; ++key) {
        value += weights[key] * v[(head * s.keys + key) * s.value_dim + d];
      }
      out.push_back(value / sum);
    }
  }
  return out;
}

void ExpectClose(const std::vector<double>& actual,
                 const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  double worst = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(actual[i] - expected[i]);
    worst = std::max(worst, error / (1 + std::abs(expected[i])));
    ASSERT_FALSE(std::isnan(actual[i])) << i;
  }
  EXPECT_LE(worst, tolerance);
}

template <typename Number>
void CheckAttention(absl::string_view name, const Attention& s,
                    double tolerance) {
  const Input q = {{s.query_heads * s.queries, s.dim},
                   Sines(s.query_heads * s.queries * s.dim, .117, 0)};
  const Input k = {{s.kv_heads * s.keys, s.dim},
                   Sines(s.kv_heads * s.keys * s.dim, .148, .3)};
  const Input v = {{s.kv_heads * s.keys, s.value_dim},
                   Sines(s.kv_heads * s.keys * s.value_dim, .179, .6)};
  ExpectClose(RunMain<Number>(name, {q, k, v},
                              {s.query_heads * s.queries, s.value_dim}),
              Dense(s, q.values, k.values, v.values), tolerance);
}

constexpr Attention kDecode = {8, 2, 1, 2053, 80, 96};
constexpr Attention kPrefill = {4, 2, 32, 65, 32, 32};

TEST(AttentionDecodeTest, DoubleIsTheDenseFormula) {
  CheckAttention<double>("attention_decode", kDecode, 1e-12);
}
TEST(AttentionDecodeTest, FloatIsCloseToTheDenseFormula) {
  CheckAttention<float>("attention_decode", kDecode, 5e-5);
}
TEST(AttentionPrefillTest, DoubleIsTheDenseFormula) {
  CheckAttention<double>("attention_prefill", kPrefill, 1e-12);
}
TEST(AttentionPrefillTest, FloatIsCloseToTheDenseFormula) {
  CheckAttention<float>("attention_prefill", kPrefill, 5e-5);
}

constexpr int64_t kGemm = 256;

std::vector<Input> GemmInputs() {
  return {{{kGemm, kGemm}, Sines(kGemm * kGemm, .117, 0)},
          {{kGemm, kGemm}, Sines(kGemm * kGemm, .148, .3)}};
}

TEST(SgemmTest, DoubleIsTheProduct) {
  const std::vector<Input> inputs = GemmInputs();
  std::vector<double> product;
  for (int64_t m = 0; m < kGemm; ++m) {
    for (int64_t n = 0; n < kGemm; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < kGemm; ++k) {
        sum +=
            inputs[0].values[m * kGemm + k] * inputs[1].values[k * kGemm + n];
      }
      product.push_back(sum);
    }
  }
  ExpectClose(RunMain<double>("sgemm", inputs, {kGemm, kGemm}), product, 1e-12);
}

// Blocks change nothing: k ascends, one rounding a product and one a sum.
TEST(SgemmTest, FloatHasTheBitsOfAPlainLoop) {
  const std::vector<Input> inputs = GemmInputs();
  std::vector<double> product;
  for (int64_t m = 0; m < kGemm; ++m) {
    for (int64_t n = 0; n < kGemm; ++n) {
      float sum = 0;
      for (int64_t k = 0; k < kGemm; ++k) {
        const float term = static_cast<float>(inputs[0].values[m * kGemm + k] *
                                              inputs[1].values[k * kGemm + n]);
        sum = static_cast<float>(double{sum} + double{term});
      }
      product.push_back(sum);
    }
  }
  EXPECT_EQ(RunMain<float>("sgemm", inputs, {kGemm, kGemm}), product);
}

}  // namespace
}  // namespace mxtile::exec
