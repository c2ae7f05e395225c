#include "exec/reference/reference_backend.h"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/status_matchers.h"
#include "exec/interpreter.h"
#include "exec/reference/number.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "layouts/mx/scale_layout.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

using Shape = std::vector<int64_t>;

// A program's only function, run on tensors.
template <typename Number>
class ReferenceRun {
 public:
  explicit ReferenceRun(absl::string_view text) : program_(text) {}

  // A tensor argument of these values; of none, a fresh one.
  Value Add(const Shape& shape, const std::vector<double>& values) {
    args_.push_back(ReferenceBackend<Number>::MakeTensor(shape, values));
    return args_.back();
  }
  Value AddFresh(const Shape& shape) {
    auto tensor = std::make_shared<ReferenceTensor<Number>>();
    tensor->shape = shape;
    int64_t count = 1;
    for (const int64_t dim : shape) count *= dim;
    tensor->values.resize(count);
    tensor->defined.resize(count);
    args_.push_back(Value(std::shared_ptr<Object>(tensor)));
    return args_.back();
  }
  void AddInt(int64_t value) { args_.push_back(Value(value)); }

  // "" or "RULE message".
  std::string Run() {
    if (program_->functions.empty()) return "no program";
    ReferenceBackend<Number> backend(program_.context().registry());
    ir::DiagnosticSink sink;
    Interpreter interpreter(*program_, &backend, &sink);
    const auto results = interpreter.Run(*program_->functions[0], args_);
    EXPECT_EQ(results.ok(), sink.error_count() == 0) << results.status();
    if (results.ok()) return "";
    line_ = sink.diagnostics()[0].span.line;
    return absl::StrCat(sink.diagnostics()[0].rule_id, " ",
                        sink.diagnostics()[0].message);
  }
  const TextProgram& program() const { return program_; }
  int error_line() const { return line_; }

  static const ReferenceTensor<Number>& Tensor(const Value& value) {
    return ReferenceBackend<Number>::Tensor(value);
  }

 private:
  TextProgram program_;
  std::vector<Value> args_;
  int line_ = 0;
};

std::string InCore(absl::string_view params, absl::string_view body) {
  return ProgramText({FunctionText("InCore", "f", params, body)});
}

// fn(row, col) of a matrix, row-major.
template <typename Fn>
std::vector<double> Matrix(int64_t rows, int64_t cols, Fn&& fn) {
  std::vector<double> values;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) values.push_back(fn(r, c));
  }
  return values;
}

// ---- MX matmuls

constexpr absl::string_view kGemmParams =
    "a: pl.Tensor[[16, 64], pl.FP8E4M3FN], "
    "sa: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ], "
    "b: pl.Tensor[[64, 32], pl.FP8E4M3FN], "
    "sb: pl.Tensor[[2, 32], pl.FP8E8M0, pl.MX_B_NN], "
    "c: pl.Out[pl.Tensor[[16, 32], pl.FP32]]";
constexpr absl::string_view kLoads =
    "ta = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)\n"
    "tsa = pl.load(sa, [0, 0], [16, 2])\n"
    "tb = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)\n"
    "tsb = pl.load(sb, [0, 0], [2, 32])\n";

// a = m + 1 in the first group of K, -3 (m + 1) in the second, scales 2 and
// 1/2; b = n - 8 everywhere, scales 1 and 4. So
//   c = 32 (m+1) 2 (n-8) - 32 3 (m+1) 1/2 (n-8) 4 = -128 (m+1) (n-8)
// and the absolute products add up to 256 (m+1) |n-8|.
template <typename Number>
Value AddGemmOperands(ReferenceRun<Number>& run) {
  run.Add({16, 64}, Matrix(16, 64, [](int64_t m, int64_t k) {
            return k < 32 ? m + 1.0 : -3.0 * (m + 1);
          }));
  run.Add({16, 2},
          Matrix(16, 2, [](int64_t, int64_t g) { return g == 0 ? 2 : 0.5; }));
  run.Add({64, 32}, Matrix(64, 32, [](int64_t, int64_t n) { return n - 8.0; }));
  run.Add({2, 32},
          Matrix(2, 32, [](int64_t g, int64_t) { return g == 0 ? 1 : 4; }));
  return run.AddFresh({16, 32});
}
std::vector<double> Product(double scale, double start = 0) {
  return Matrix(16, 32, [&](int64_t m, int64_t n) {
    return start + scale * (m + 1) * (n - 8);
  });
}

TEST(MatmulMxTest, ScalesBelongToGroupsOf32) {
  ReferenceRun<double> run(
      InCore(kGemmParams, absl::StrCat(kLoads,
                                       "p = pl.matmul_mx(ta, tsa, tb, tsb)\n"
                                       "r = pl.store(p, [0, 0], c)")));
  const Value c = AddGemmOperands(run);
  ASSERT_EQ(run.Run(), "");
  EXPECT_EQ(run.Tensor(c).values, Product(-128));
  EXPECT_THAT(run.Tensor(c).defined, Each(1));
}

TEST(MatmulMxTest, TrackedMagnitudesDoNotCancel) {
  ReferenceRun<Tracked> run(
      InCore(kGemmParams, absl::StrCat(kLoads,
                                       "p = pl.matmul_mx(ta, tsa, tb, tsb)\n"
                                       "r = pl.store(p, [0, 0], c)")));
  const Value c = AddGemmOperands(run);
  ASSERT_EQ(run.Run(), "");
  std::vector<double> values, magnitudes;
  for (const Tracked& number : run.Tensor(c).values) {
    values.push_back(number.value);
    magnitudes.push_back(number.magnitude);
  }
  EXPECT_EQ(values, Product(-128));
  EXPECT_EQ(magnitudes, Matrix(16, 32, [](int64_t m, int64_t n) {
              return 256.0 * (m + 1) * (n < 8 ? 8 - n : n - 8);
            }));
}

TEST(MatmulMxTest, AccAddsToTheAccumulator) {
  ReferenceRun<double> run(
      InCore(kGemmParams,
             absl::StrCat(kLoads,
                          "p = pl.matmul_mx(ta, tsa, tb, tsb)\n"
                          "for i, (acc,) in pl.range(3, init_values=(p,)):\n"
                          "    q = pl.matmul_mx_acc(acc, ta, tsa, tb, tsb)\n"
                          "    total = pl.yield_(q)\n"
                          "r = pl.store(total, [0, 0], c)")));
  const Value c = AddGemmOperands(run);
  ASSERT_EQ(run.Run(), "");
  EXPECT_EQ(run.Tensor(c).values, Product(4 * -128));
}

TEST(MatmulMxTest, BiasIsARow) {
  ReferenceRun<double> run(
      InCore(absl::StrCat(kGemmParams, ", bias: pl.Tensor[[1, 32], pl.FP32]"),
             absl::StrCat(kLoads,
                          "tv = pl.load(bias, [0, 0], [1, 32], "
                          "target_memory=pl.Mem.Mat)\n"
                          "p = pl.matmul_mx_bias(ta, tsa, tb, tsb, tv)\n"
                          "r = pl.store(p, [0, 0], c)")));
  const Value c = AddGemmOperands(run);
  run.Add({1, 32}, Matrix(1, 32, [](int64_t, int64_t n) { return n + 0.5; }));
  ASSERT_EQ(run.Run(), "");
  EXPECT_EQ(run.Tensor(c).values, Matrix(16, 32, [](int64_t m, int64_t n) {
              return n + 0.5 - 128.0 * (m + 1) * (n - 8);
            }));
}

TEST(MatmulMxTest, OnlyTheValidRegionIsComputedAndStored) {
  ReferenceRun<double> run(InCore(
      kGemmParams,
      "ta = pl.load(a, [0, 0], [16, 64], [10, 64], "
      "target_memory=pl.Mem.Mat)\n"
      "tsa = pl.load(sa, [0, 0], [16, 2], [10, 2])\n"
      "tb = pl.load(b, [0, 0], [64, 32], [64, 20], target_memory=pl.Mem.Mat)\n"
      "tsb = pl.load(sb, [0, 0], [2, 32], [2, 20])\n"
      "p = pl.matmul_mx(ta, tsa, tb, tsb)\n"
      "r = pl.store(p, [0, 0], c)"));
  const Value c = AddGemmOperands(run);
  ASSERT_EQ(run.Run(), "");
  const std::vector<double> want = Product(-128);
  for (int64_t m = 0; m < 16; ++m) {
    for (int64_t n = 0; n < 32; ++n) {
      const int64_t i = m * 32 + n;
      const bool valid = m < 10 && n < 20;
      ASSERT_EQ(run.Tensor(c).defined[i], valid) << m << ", " << n;
      if (valid) {
        ASSERT_EQ(run.Tensor(c).values[i], want[i]);
      }
    }
  }
}

// ---- Loads and stores

// The values 0, 1, 2, ... of a tensor, so that a value tells its place.
std::vector<double> Places(int64_t count) {
  std::vector<double> values(count);
  for (int64_t i = 0; i < count; ++i) values[i] = i;
  return values;
}

TEST(LoadTest, WindowOfAMatrix) {
  ReferenceRun<double> run(InCore(
      "x: pl.Tensor[[8, 16], pl.FP32], y: pl.Out[pl.Tensor[[8, 16], pl.FP32]]",
      "t = pl.load(x, [2, 4], [2, 8])\n"
      "r = pl.store(t, [5, 8], y)"));
  run.Add({8, 16}, Places(128));
  const Value y = run.AddFresh({8, 16});
  ASSERT_EQ(run.Run(), "");
  for (int64_t r = 0; r < 8; ++r) {
    for (int64_t c = 0; c < 16; ++c) {
      const bool written = r >= 5 && r < 7 && c >= 8;
      ASSERT_EQ(run.Tensor(y).defined[r * 16 + c], written) << r << ", " << c;
      if (written) {
        ASSERT_EQ(run.Tensor(y).values[r * 16 + c],
                  (r - 5 + 2) * 16 + (c - 8 + 4));
      }
    }
  }
}

// A tile with the axes of the tensor is its own window; a flat one is told it,
// and fills of it what is valid.
TEST(StoreTest, WindowOfThreeAxes) {
  const auto stored = [](const std::string& body) {
    ReferenceRun<double> run(
        InCore("x: pl.Tensor[[2, 4, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 8, "
               "8], pl.FP32]]",
               body));
    run.Add({2, 4, 8}, Places(64));
    const Value y = run.AddFresh({2, 8, 8});
    EXPECT_EQ(run.Run(), "");
    std::vector<double> values = run.Tensor(y).values;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!run.Tensor(y).defined[i]) values[i] = -1;
    }
    return values;
  };
  // Rows 4 to 3 + `rows` of each batch below `batches` are those of x.
  const auto want = [](int64_t batches, int64_t rows) {
    std::vector<double> values(128, -1);
    for (int64_t b = 0; b < batches; ++b) {
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < 8; ++c) {
          values[(b * 8 + 4 + r) * 8 + c] = (b * 4 + r) * 8 + c;
        }
      }
    }
    return values;
  };
  const std::string flat =
      "t: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0, 0], "
      "[2, 4, 8], [2, 4, 8], target_memory=pl.Mem.Vec)\n";
  EXPECT_EQ(stored("t = pl.load(x, [0, 0, 0], [2, 4, 8])\n"
                   "r = pl.store(t, [0, 4, 0], y)"),
            want(2, 4));
  EXPECT_EQ(stored(flat + "r = pl.tile.store(t, [0, 4, 0], y, [2, 4, 8])"),
            want(2, 4));
  EXPECT_EQ(stored("t: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec, "
                   "pl.TileView(valid_shape=[3, 8])] = pl.tile.load(x, [0, 0, "
                   "0], [1, 4, 8], [1, 3, 8], target_memory=pl.Mem.Vec)\n"
                   "r = pl.tile.store(t, [0, 4, 0], y, [1, 4, 8])"),
            want(1, 3));
}

TEST(LoadTest, LeadingAxesFoldIntoRows) {
  ReferenceRun<double> run(
      InCore("x: pl.Tensor[[2, 4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 4], "
             "pl.FP32]]",
             "t = pl.load(x, [0, 1, 4], [2, 2, 4])\n"
             "r = pl.store(t, [0, 0], y)"));
  run.Add({2, 4, 8}, Places(64));
  const Value y = run.AddFresh({4, 4});
  ASSERT_EQ(run.Run(), "");
  EXPECT_EQ(run.Tensor(y).values, Matrix(4, 4, [](int64_t r, int64_t c) {
              return r / 2 * 32 + (1 + r % 2) * 8 + 4 + c;
            }));
}

TEST(StoreTest, ShapesOfAnotherRank) {
  ReferenceRun<double> run(
      InCore("x: pl.Tensor[[4, 4], pl.FP32], y: pl.Out[pl.Tensor[[2, 4, 8], "
             "pl.FP32]]",
             "t = pl.load(x, [0, 0], [4, 4])\n"
             "r = pl.tile.store(t, [0, 1, 4], y, [2, 2, 4])"));
  run.Add({4, 4}, Places(16));
  const Value y = run.AddFresh({2, 4, 8});
  ASSERT_EQ(run.Run(), "");
  int64_t written = 0;
  for (int64_t i = 0; i < 64; ++i) written += run.Tensor(y).defined[i];
  EXPECT_EQ(written, 16);
  for (int64_t r = 0; r < 4; ++r) {
    for (int64_t c = 0; c < 4; ++c) {
      EXPECT_EQ(run.Tensor(y).values[r / 2 * 32 + (1 + r % 2) * 8 + 4 + c],
                r * 4 + c);
    }
  }
}

// The windows that the blocking pass makes of logical ones name the same
// scales.
TEST(LoadTest, BlockedScalesEqualLogicalOnes) {
  const struct {
    absl::string_view layout;
    ScaleOrder order;
    Shape shape, offsets, window;  // Logical.
    absl::string_view blocked_type;
    absl::string_view blocked_load;
  } kCases[] = {
      {"MX_A_ZZ",
       ScaleOrder::kZZ,
       {64, 8},
       {16, 2},
       {32, 4},
       "[1, 4, 4, 16, 2]",
       "[0, 1, 1, 0, 0], [1, 2, 2, 16, 2]"},
      {"MX_B_NN",
       ScaleOrder::kNN,
       {8, 64},
       {2, 16},
       {4, 32},
       "[1, 4, 4, 16, 2]",
       "[0, 1, 1, 0, 0], [1, 2, 2, 16, 2]"},
      {"MX_A_ZZ",
       ScaleOrder::kZZ,
       {32, 6},
       {0, 4},
       {16, 2},
       "[1, 2, 3, 16, 2]",
       "[0, 0, 2, 0, 0], [1, 1, 1, 16, 2]"},
  };
  for (const auto& c : kCases) {
    const auto list = [](const Shape& v) {
      return absl::StrCat("[", absl::StrJoin(v, ", "), "]");
    };
    const std::string out =
        absl::StrCat("y: pl.Out[pl.Tensor[", list(c.window), ", pl.FP8E8M0]]");
    const int64_t count = c.shape[0] * c.shape[1];
    const std::vector<double> logical_values = Places(count);

    ReferenceRun<double> logical(
        InCore(absl::StrCat("s: pl.Tensor[", list(c.shape), ", pl.FP8E8M0, pl.",
                            c.layout, "], ", out),
               absl::StrCat("t = pl.load(s, ", list(c.offsets), ", ",
                            list(c.window), ")\nr = pl.store(t, [0, 0], y)")));
    logical.Add(c.shape, logical_values);
    const Value want = logical.AddFresh(c.window);
    ASSERT_EQ(logical.Run(), "");

    MX_ASSERT_OK_AND_ASSIGN(
        const ScaleLayout layout,
        ScaleLayout::Create(c.order, c.shape[0], c.shape[1]));
    std::vector<double> physical(count);
    for (int64_t row = 0; row < c.shape[0]; ++row) {
      for (int64_t col = 0; col < c.shape[1]; ++col) {
        physical[layout.Offset(row, col)] =
            logical_values[row * c.shape[1] + col];
      }
    }
    ReferenceRun<double> blocked(
        InCore(absl::StrCat("s: pl.Tensor[", c.blocked_type,
                            ", pl.FP8E8M0, pl.", c.layout, "], ", out),
               absl::StrCat("t = pl.load(s, ", c.blocked_load,
                            ")\nr = pl.store(t, [0, 0], y)")));
    const int64_t blocks = count / 32;
    blocked.Add(
        {1, c.order == ScaleOrder::kZZ ? c.shape[0] / 16 : c.shape[1] / 16,
         blocks /
             (c.order == ScaleOrder::kZZ ? c.shape[0] / 16 : c.shape[1] / 16),
         16, 2},
        physical);
    const Value got = blocked.AddFresh(c.window);
    ASSERT_EQ(blocked.Run(), "");

    EXPECT_EQ(blocked.Tensor(got).values, logical.Tensor(want).values)
        << c.layout << " " << list(c.shape);
    EXPECT_THAT(blocked.Tensor(got).defined, Each(1));
  }
}

TEST(CreateTest, TensorsOfTheProgramAreStoredTo) {
  ReferenceRun<double> run(InCore(
      "x: pl.Tensor[[4, 4], pl.FP32], y: pl.Out[pl.Tensor[[4, 4], pl.FP32]]",
      "u = pl.tensor.create([4, 4], dtype=pl.FP32)\n"
      "t = pl.load(x, [0, 0], [4, 4])\n"
      "v = pl.store(t, [0, 0], u)\n"
      "w = pl.load(v, [0, 0], [4, 4])\n"
      "r = pl.store(w, [0, 0], y)"));
  run.Add({4, 4}, Places(16));
  const Value y = run.AddFresh({4, 4});
  ASSERT_EQ(run.Run(), "");
  EXPECT_EQ(run.Tensor(y).values, Places(16));
}

TEST(BlocksTest, IndexAndCount) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "cell",
                    "x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, "
                    "8], pl.FP32]]",
                    "b = pl.tile.get_block_idx()\n"
                    "n = pl.tile.get_block_num()\n"
                    "t = pl.load(x, [n - 1 - b, 0], [1, 8])\n"
                    "r = pl.store(t, [b, 0], y)"),
       FunctionText("Orchestration", "main",
                    "self, x: pl.Tensor[[4, 8], pl.FP32], y: "
                    "pl.Out[pl.Tensor[[4, 8], pl.FP32]]",
                    "t = pl.spmd_submit(self.cell, x, y, core_num=4)")}));
  ReferenceBackend<double> backend(program.context().registry());
  ir::DiagnosticSink sink;
  Interpreter interpreter(*program, &backend, &sink);
  const Value x = backend.MakeTensor({4, 8}, Places(32));
  const Value y = backend.MakeTensor({4, 8}, std::vector<double>(32));
  ASSERT_THAT(interpreter.Run(program.function("main"), {x, y}), IsOk());
  EXPECT_EQ(backend.Tensor(y).values,
            Matrix(4, 8, [](int64_t r, int64_t c) { return (3 - r) * 8 + c; }));
}

// ---- Errors, of x [8, 16] and y [8, 16] fresh, with n = 5

struct ErrorCase {
  std::string name;
  std::string body;
  std::string want;  // Beginning of the error.
  std::string at;    // Part of its line.
};
std::ostream& operator<<(std::ostream& os, const ErrorCase& c) {
  return os << c.body;
}

class ReferenceErrorTest : public TestWithParam<ErrorCase> {};

TEST_P(ReferenceErrorTest, IsLocated) {
  const ErrorCase& c = GetParam();
  ReferenceRun<double> run(
      InCore("x: pl.Tensor[[8, 16], pl.FP32], y: pl.Out[pl.Tensor[[8, 16], "
             "pl.FP32]], n: pl.Scalar[pl.INDEX]",
             c.body));
  run.Add({8, 16}, Places(128));
  run.AddFresh({8, 16});
  run.AddInt(5);
  EXPECT_THAT(run.Run(), testing::StartsWith(c.want));
  EXPECT_EQ(run.error_line(), run.program().LineOf(c.at));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ReferenceErrorTest,
    ValuesIn(std::vector<ErrorCase>{
        {"MX_REF_1_FreshTensor",
         "t = pl.load(y, [0, 0], [4, 4])\nr = pl.store(t, [0, 0], y)",
         "MX-REF-1 tile.store: element [0, 0] of the tile has no value",
         "pl.store"},
        {"MX_REF_1_FreshTile",
         "t = pl.create_tile([4, 4], dtype=pl.FP32)\n"
         "r = pl.store(t, [0, 0], y)",
         "MX-REF-1 tile.store", "pl.store"},
        {"MX_REF_1_MovedFreshTile",
         "t = pl.create_tile([4, 4], dtype=pl.FP32)\n"
         "u = pl.move(t, target_memory=pl.Mem.Vec)\n"
         "r = pl.store(u, [0, 0], y)",
         "MX-REF-1 tile.store", "pl.store"},
        {"MX_REF_1_PartlyWrittenTensor",
         "t = pl.load(x, [0, 0], [2, 4])\n"
         "z = pl.store(t, [0, 0], y)\n"
         "u = pl.load(z, [0, 0], [4, 4])\n"
         "r = pl.store(u, [4, 0], z)",
         "MX-REF-1 tile.store: element [2, 0]", "r = pl.store"},
        {"MX_REF_2_Load", "t = pl.load(x, [n, 0], [4, 4])",
         "MX-REF-2 tile.load: window [4, 4] at [5, 0] leaves the tensor [8, "
         "16]",
         "pl.load"},
        {"MX_REF_2_NegativeOffset", "t = pl.load(x, [n - 6, 0], [4, 4])",
         "MX-REF-2 tile.load", "pl.load"},
        {"MX_REF_2_Store",
         "t = pl.load(x, [0, 0], [4, 4])\nr = pl.store(t, [n, 0], y)",
         "MX-REF-2 tile.store: window [4, 4] at [5, 0]", "pl.store"},
        {"MX_REF_2_ValidBeyondTheWindow",
         "t = pl.load(x, [0, 0], [4, 4], [n, 4])",
         "MX-REF-2 tile.load: along axis 0 5 elements of 4 are valid",
         "pl.load"},
        {"MX_REF_2_NegativeValid", "t = pl.load(x, [0, 0], [4, 4], [n - 6, 4])",
         "MX-REF-2 tile.load", "pl.load"},
        {"MX_REF_2_StoreUnderAnotherShape",
         "t = pl.load(x, [0, 0], [4, 4])\n"
         "r = pl.tile.store(t, [0, 0], y, [2, 4])",
         "MX-REF-2 tile.store: a window of 2 x 4 does not take the tile's 4 x "
         "4",
         "tile.store"},
        {"MX_REF_2_NegativeExtent",
         "u = pl.tensor.create([n - 6, 4], dtype=pl.FP32)",
         "MX-REF-2 tensor.create: the extents [-1, 4]", "tensor.create"},
        {"MX_REF_3_Unknown",
         "t = pl.load(x, [0, 0], [4, 4])\n"
         "u: pl.Tile[[4, 4], pl.FP32, pl.Mem.Vec] = pl.tile.frobnicate(t)",
         "MX-REF-3 operator tile.frobnicate cannot be run", "frobnicate"},
        {"MX_REF_3_Atomic",
         "t = pl.load(x, [0, 0], [4, 4])\n"
         "r = pl.tile.store(t, [0, 0], y, atomic=pl.AtomicType.Add)",
         "MX-REF-3 tile.store with atomic", "tile.store"},
        {"MX_REF_3_InitValue",
         "u = pl.tensor.create([4, 4], dtype=pl.FP32, init_value=1.0)",
         "MX-REF-3 tensor.create with init_value", "tensor.create"},
    }),
    [](const TestParamInfo<ErrorCase>& info) { return info.param.name; });

TEST(ReferenceErrorsTest, UndefinedOperandsOfAMatmul) {
  const struct {
    int fresh;  // Which of the four is fresh.
    std::string want;
  } kCases[] = {
      {0, "MX-REF-1 tile.matmul_mx: element [0, 0] of lhs has no value"},
      {1, "MX-REF-1 tile.matmul_mx: element [0, 0] of lhs_scale has no value"},
      {2, "MX-REF-1 tile.matmul_mx: element [0, 0] of rhs has no value"},
      {3, "MX-REF-1 tile.matmul_mx: element [0, 0] of rhs_scale has no value"},
  };
  const Shape shapes[] = {{16, 64}, {16, 2}, {64, 32}, {2, 32}};
  for (const auto& c : kCases) {
    ReferenceRun<double> run(
        InCore(kGemmParams,
               absl::StrCat(kLoads, "p = pl.matmul_mx(ta, tsa, tb, tsb)\n")));
    for (int i = 0; i < 4; ++i) {
      if (i == c.fresh) {
        run.AddFresh(shapes[i]);
      } else {
        run.Add(shapes[i], std::vector<double>(shapes[i][0] * shapes[i][1]));
      }
    }
    run.AddFresh({16, 32});
    EXPECT_EQ(run.Run(), c.want);
  }
}

TEST(ReferenceErrorsTest, UndefinedAccumulator) {
  ReferenceRun<double> run(
      InCore(kGemmParams,
             absl::StrCat(kLoads,
                          "acc = pl.create_tile([16, 32], dtype=pl.FP32, "
                          "target_memory=pl.Mem.Acc)\n"
                          "p = pl.matmul_mx_acc(acc, ta, tsa, tb, tsb)")));
  AddGemmOperands(run);
  EXPECT_EQ(run.Run(),
            "MX-REF-1 tile.matmul_mx_acc: element [0, 0] of acc has no value");
}

}  // namespace
}  // namespace mxtile::exec
