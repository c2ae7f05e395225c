//   model_backend_test [--seed=N]
#include "exec/model/model_backend.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/pipe_timeline.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/variant.h"
#include "base/status_matchers.h"
#include "exec/interpreter.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/mx/scale_pack.h"
#include "numerics/element_format.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

constexpr int64_t kM = 32, kK = 128, kN = 64;
constexpr int64_t kGroups = kK / 32;

// ---- The product of random codes

struct Problem {
  std::vector<uint8_t> a = std::vector<uint8_t>(kM * kK);
  std::vector<uint8_t> sa = std::vector<uint8_t>(kM * kGroups);
  std::vector<uint8_t> b = std::vector<uint8_t>(kK * kN);
  std::vector<uint8_t> sb = std::vector<uint8_t>(kGroups * kN);
  std::vector<float> bias = std::vector<float>(kN);
};

uint32_t seed = 1;

Problem RandomProblem() {
  std::mt19937 random(seed);
  Problem p;
  for (std::vector<uint8_t>* codes : {&p.a, &p.b}) {
    for (uint8_t& code : *codes) {
      do {
        code = random();
      } while (std::isnan(Decode(ElementFormat::kF8E4M3FN, code)));
    }
  }
  for (std::vector<uint8_t>* scales : {&p.sa, &p.sb}) {
    for (uint8_t& scale : *scales) scale = 117 + random() % 21;
  }
  for (float& value : p.bias) value = random() % 1000 * 0.125f - 60;
  return p;
}

// What the machine's accumulator holds after the K elements [begin, end): one
// rounding to float a step, K ascending.
std::vector<float> Accumulate(const Problem& p, std::vector<float> c,
                              int64_t begin, int64_t end) {
  for (int64_t m = 0; m < kM; ++m) {
    for (int64_t n = 0; n < kN; ++n) {
      float& acc = c[m * kN + n];
      for (int64_t k = begin; k < end; ++k) {
        const int64_t g = k / 32;
        const double scale =
            std::ldexp(1.0, p.sa[m * kGroups + g] + p.sb[g * kN + n] - 2 * 127);
        const double x = Decode(ElementFormat::kF8E4M3FN, p.a[m * kK + k]);
        const double y = Decode(ElementFormat::kF8E4M3FN, p.b[k * kN + n]);
        acc = static_cast<float>(static_cast<double>(acc) + x * y * scale);
      }
    }
  }
  return c;
}

// ---- Lowered programs

// K in steps of 64; every tile at an address of its own choice.
struct Addresses {
  int64_t left = 0x8000;
  int64_t right = 0x4000;
  int64_t left_scale = left >> 4;
  int64_t right_scale = right >> 4;
  int64_t acc = 0x3000;
};

constexpr absl::string_view kParams =
    "a: pl.Tensor[[32, 128], pl.FP8E4M3FN], "
    "sa: pl.Tensor[[1, 2, 2, 16, 2], pl.FP8E8M0, pl.TensorView(stride=[128, "
    "64, 32, 2, 1], layout=pl.TensorLayout.MX_A_ZZ)], "
    "b: pl.Tensor[[128, 64], pl.FP8E4M3FN], "
    "sb: pl.Tensor[[1, 4, 2, 16, 2], pl.FP8E8M0, pl.TensorView(stride=[256, "
    "64, 32, 2, 1], layout=pl.TensorLayout.MX_B_NN)], "
    "bias: pl.Tensor[[1, 64], pl.FP32], "
    "c: pl.Out[pl.Tensor[[32, 64], pl.FP32]]";

// The fills of step `i`, with names that end in it.
std::string Fill(int64_t i, const Addresses& at = {}) {
  return absl::StrReplaceAll(
      "ma$i: pl.Tile[[32, 64], pl.FP8E4M3FN, pl.MemRef(\"l1\", 0, 2048), "
      "pl.Mem.Mat] = pl.tile.load(a, [0, $k], [32, 64], [32, 64], "
      "target_memory=pl.Mem.Mat)\n"
      "msa$i: pl.Tile[[32, 2], pl.FP8E8M0, pl.MemRef(\"l1\", 2048, 64), "
      "pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, fractal=32)] "
      "= pl.tile.load(sa, [0, 0, $i, 0, 0], [1, 2, 1, 16, 2], [1, 2, 1, 16, "
      "2], target_memory=pl.Mem.Mat)\n"
      "mb$i: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(\"l1\", 4096, 4096), "
      "pl.Mem.Mat] = pl.tile.load(b, [$k, 0], [64, 64], [64, 64], "
      "target_memory=pl.Mem.Mat)\n"
      "msb$i: pl.Tile[[2, 64], pl.FP8E8M0, pl.MemRef(\"l1\", 8192, 128), "
      "pl.Mem.Mat, pl.TileView(slayout=pl.TileLayout.col_major, fractal=32)] "
      "= pl.tile.load(sb, [0, 0, $i, 0, 0], [1, 4, 1, 16, 2], [1, 4, 1, 16, "
      "2], target_memory=pl.Mem.Mat)\n"
      "l$i: pl.Tile[[32, 64], pl.FP8E4M3FN, pl.MemRef(\"l0a\", $left, 2048), "
      "pl.Mem.Left] = pl.tile.move(ma$i, target_memory=pl.Mem.Left)\n"
      "r$i: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(\"l0b\", $right, 4096), "
      "pl.Mem.Right] = pl.tile.move(mb$i, target_memory=pl.Mem.Right)\n"
      "ls$i: pl.Tile[[32, 2], pl.FP8E8M0, pl.MemRef(\"sa\", $lscale, 64), "
      "pl.Mem.LeftScale] = pl.tile.move(msa$i, "
      "target_memory=pl.Mem.LeftScale)\n"
      "rs$i: pl.Tile[[2, 64], pl.FP8E8M0, pl.MemRef(\"sb\", $rscale, 128), "
      "pl.Mem.RightScale] = pl.tile.move(msb$i, "
      "target_memory=pl.Mem.RightScale)\n",
      {{"$i", absl::StrCat(i)},
       {"$k", absl::StrCat(64 * i)},
       {"$left", absl::StrCat(at.left)},
       {"$right", absl::StrCat(at.right)},
       {"$lscale", absl::StrCat(at.left_scale)},
       {"$rscale", absl::StrCat(at.right_scale)}});
}

std::string Bind(int64_t i, const Addresses& at = {}) {
  return absl::StrReplaceAll(
      "bl$i: pl.Tile[[32, 2], pl.FP8E8M0, pl.MemRef(\"sa\", $lscale, 64), "
      "pl.Mem.LeftScale] = pl.tile.tget_scale_addr(ls$i, l$i)\n"
      "br$i: pl.Tile[[2, 64], pl.FP8E8M0, pl.MemRef(\"sb\", $rscale, 128), "
      "pl.Mem.RightScale] = pl.tile.tget_scale_addr(rs$i, r$i)\n",
      {{"$i", absl::StrCat(i)},
       {"$lscale", absl::StrCat(at.left_scale)},
       {"$rscale", absl::StrCat(at.right_scale)}});
}

std::string AccType(int64_t address) {
  return absl::StrCat("pl.Tile[[32, 64], pl.FP32, pl.MemRef(\"l0c\", ", address,
                      ", 8192), pl.Mem.Acc]");
}
// acc0 = the product of step 0.
std::string Multiply(const Addresses& at = {}) {
  return absl::StrCat("acc0: ", AccType(at.acc),
                      " = pl.tile.matmul_mx(l0, bl0, r0, br0)\n");
}
// acc1 = acc0 + the product of step 1.
std::string MultiplyAcc(int64_t address) {
  return absl::StrCat("acc1: ", AccType(address),
                      " = pl.tile.matmul_mx_acc(acc0, l1, bl1, r1, br1)\n");
}
std::string Store(absl::string_view acc) {
  return absl::StrCat("out: pl.Tensor[[32, 64], pl.FP32] = pl.tile.store(", acc,
                      ", [0, 0], c)\n");
}

// A run of a program with the parameters above.
struct ModelRun {
  explicit ModelRun(absl::string_view body)
      : program(ProgramText({FunctionText("AIC", "f", kParams, body)})),
        backend(program.context().registry()) {}

  // "" or "RULE message".
  std::string Run(const Problem& p) {
    if (program->functions.empty()) return "no program";
    const ir::Function& f = program.function("f");
    const auto pack = [](ScaleOrder order, int64_t rows, int64_t cols,
                         const std::vector<uint8_t>& scales) {
      return *PackScale(*ScaleLayout::Create(order, rows, cols), scales);
    };
    std::vector<uint8_t> bias(kN * sizeof(float));
    std::memcpy(bias.data(), p.bias.data(), bias.size());
    const std::vector<uint8_t> bytes[] = {
        p.a, pack(ScaleOrder::kZZ, kM, kGroups, p.sa), p.b,
        pack(ScaleOrder::kNN, kGroups, kN, p.sb), bias};
    std::vector<Value> args;
    for (size_t i = 0; i < 5; ++i) {
      const auto made =
          backend.MakeTensor(Type(i), f.params[i]->name, bytes[i]);
      EXPECT_TRUE(made.ok()) << made.status();
      args.push_back(*made);
    }
    c = *backend.CreateTensor(Type(5), "c");
    args.push_back(c);
    Interpreter interpreter(*program, &backend, &sink);
    const auto results = interpreter.Run(f, args);
    if (results.ok()) return "";
    EXPECT_EQ(sink.error_count(), 1);
    const ir::Diagnostic& error = sink.diagnostics()[0];
    return absl::StrCat(error.rule_id, " ", error.message);
  }

  std::vector<float> Result() const {
    const absl::StatusOr<std::vector<uint8_t>> bytes = backend.ReadTensor(c);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    std::vector<float> values(bytes->size() / sizeof(float));
    std::memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }

  const ir::TensorType& Type(size_t param) const {
    return *ir::CheckedCast<ir::TensorType>(
        program.function("f").params[param]->type);
  }

  TextProgram program;
  ModelBackend backend;
  ir::DiagnosticSink sink;
  Value c;
};

// Bits, so that -0 and NaN count.
std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

class ModelBackendTest : public ::testing::Test {
 protected:
  const Problem problem_ = RandomProblem();
  const ::testing::ScopedTrace trace_{__FILE__, __LINE__,
                                      absl::StrCat("seed ", seed)};
};

TEST_F(ModelBackendTest, OneStepIsTheLoopBitForBit) {
  ModelRun run(absl::StrCat(Fill(0), Bind(0), Multiply(), Store("acc0")));
  ASSERT_EQ(run.Run(problem_), "");
  const std::vector<float> want =
      Accumulate(problem_, std::vector<float>(kM * kN), 0, 64);
  EXPECT_EQ(Bits(run.Result()), Bits(want));
}

TEST_F(ModelBackendTest, ResultDoesNotDependOnAddresses) {
  const std::vector<float> want =
      Accumulate(problem_, std::vector<float>(kM * kN), 0, 64);
  for (const int64_t at : {0x0, 0x200, 0xe000}) {
    Addresses addresses;
    addresses.left = at;
    addresses.right = at;
    addresses.left_scale = addresses.right_scale = at >> 4;
    addresses.acc = 4 * at;
    ModelRun run(absl::StrCat(Fill(0, addresses), Bind(0, addresses),
                              Multiply(addresses), Store("acc0")));
    ASSERT_EQ(run.Run(problem_), "") << at;
    EXPECT_EQ(Bits(run.Result()), Bits(want)) << at;
  }
}

TEST_F(ModelBackendTest, TwoStepsAccumulateInPlace) {
  ModelRun run(absl::StrCat(Fill(0), Bind(0), Multiply(), Fill(1), Bind(1),
                            MultiplyAcc(Addresses().acc), Store("acc1")));
  ASSERT_EQ(run.Run(problem_), "");
  const std::vector<float> want =
      Accumulate(problem_, std::vector<float>(kM * kN), 0, kK);
  EXPECT_EQ(Bits(run.Result()), Bits(want));
}

TEST_F(ModelBackendTest, BiasStartsTheAccumulator) {
  ModelRun run(absl::StrCat(
      Fill(0), Bind(0),
      "mv: pl.Tile[[1, 64], pl.FP32, pl.MemRef(\"l1\", 16384, 256), "
      "pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, "
      "slayout=pl.TileLayout.none_box)] = pl.tile.load(bias, [0, 0], [1, 64], "
      "[1, 64], target_memory=pl.Mem.Mat)\n"
      "bt: pl.Tile[[1, 64], pl.FP32, pl.MemRef(\"bt\", 1024, 256), "
      "pl.Mem.Bias] = pl.tile.move(mv, target_memory=pl.Mem.Bias)\n"
      "acc0: ",
      AccType(0x3000), " = pl.tile.matmul_mx_bias(l0, bl0, r0, br0, bt)\n",
      Store("acc0")));
  ASSERT_EQ(run.Run(problem_), "");
  std::vector<float> start;
  for (int64_t m = 0; m < kM; ++m) {
    start.insert(start.end(), problem_.bias.begin(), problem_.bias.end());
  }
  EXPECT_EQ(Bits(run.Result()), Bits(Accumulate(problem_, start, 0, 64)));
}

TEST_F(ModelBackendTest, CyclesAreBooked) {
  ModelRun run(absl::StrCat(Fill(0), Bind(0), Multiply(), Store("acc0")));
  ASSERT_EQ(run.Run(problem_), "");
  for (const a5::Pipe pipe :
       {a5::Pipe::kMte2, a5::Pipe::kMte1, a5::Pipe::kM, a5::Pipe::kFix}) {
    EXPECT_GT(run.backend.machine().timeline().stats(pipe).cycles, 0);
  }
}

// Two bindings, each of which names its tile as the matmul names the fill.
TEST_F(ModelBackendTest, BindingsAreMarkedInTheTrace) {
  ModelRun run(absl::StrCat(Fill(0), Bind(0), Multiply(), Store("acc0")));
  ASSERT_EQ(run.Run(problem_), "");
  std::vector<int64_t> bound;
  std::string scales;
  for (const a5::TraceEvent& event :
       run.backend.machine().timeline().events()) {
    if (event.is_mark) {
      EXPECT_EQ(event.name, "TGET_SCALE_ADDR");
      ASSERT_EQ(event.args.size(), 3);
      EXPECT_EQ(event.args[0].name, "scale tile");
      bound.push_back(absl::get<int64_t>(event.args[0].value));
    }
    if (event.pipe != a5::Pipe::kM) continue;
    for (const a5::TraceArg& arg : event.args) {
      if (arg.name == "left scale" || arg.name == "right scale") {
        absl::StrAppend(&scales, absl::get<std::string>(arg.value), "; ");
      }
    }
  }
  ASSERT_EQ(bound.size(), 2);
  EXPECT_THAT(scales,
              AllOf(HasSubstr(absl::StrCat("of LeftScale, filled for tile ",
                                           bound[0], " by instruction")),
                    HasSubstr(absl::StrCat("of RightScale, filled for tile ",
                                           bound[1], " by instruction"))));
}

// ---- Refusals and traps

struct TrapCase {
  std::string name;
  std::string body;
  std::string want;  // Part of the error.
  std::string at;    // Part of its line.
};
std::ostream& operator<<(std::ostream& os, const TrapCase& c) {
  return os << c.body;
}

class ModelErrorTest : public ModelBackendTest,
                       public ::testing::WithParamInterface<TrapCase> {};

TEST_P(ModelErrorTest, IsLocated) {
  const TrapCase& c = GetParam();
  ModelRun run(c.body);
  EXPECT_THAT(run.Run(problem_), HasSubstr(c.want));
  ASSERT_EQ(run.sink.error_count(), 1);
  EXPECT_EQ(run.sink.diagnostics()[0].span.line, run.program.LineOf(c.at));
}

Addresses WithLeft(int64_t left) {
  Addresses at;
  at.left = left;
  return at;  // The scale stays where it was.
}

// Without the binding of the left scale.
std::string Unbound() {
  return absl::StrCat(Fill(0), Bind(0), "acc0: ", AccType(0x3000),
                      " = pl.tile.matmul_mx(l0, ls0, r0, br0)\n");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ModelErrorTest,
    ValuesIn(std::vector<TrapCase>{
        {"MX_MODEL_1_NoMemref",
         "t = pl.tile.load(a, [0, 0], [32, 64], [32, 64], "
         "target_memory=pl.Mem.Mat)",
         "MX-MODEL-1 the tile has no address", "tile.load"},
        {"MX_MODEL_1_NoMemrefOfTheProduct",
         absl::StrCat(Fill(0), Bind(0),
                      "acc0 = pl.tile.matmul_mx(l0, bl0, r0, br0)"),
         "MX-MODEL-1", "tile.matmul_mx"},
        // The scales were filled where the data's address does not point to:
        // binding moves the address, not the bytes.
        {"BoundToTheWrongAddress",
         absl::StrCat(Fill(0, WithLeft(0x9000)), Bind(0, WithLeft(0x9000)),
                      Multiply()),
         "A5-SCALE-2", "tile.matmul_mx"},
        {"NotBound", absl::StrReplaceAll(Unbound(), {{"32768", "36864"}}),
         "A5-SCALE-1", "tile.matmul_mx"},
        // A fill of the next step overwrites the scales of this one.
        {"FilledByAnotherTile",
         absl::StrCat(Fill(0), Bind(0), Fill(1), Multiply()), "A5-SCALE-2",
         "tile.matmul_mx"},
        {"MX_MODEL_3_AccumulatorElsewhere",
         absl::StrCat(Fill(0), Bind(0), Multiply(), Fill(1), Bind(1),
                      MultiplyAcc(0x8000)),
         "MX-MODEL-3 the accumulator enters at 12288 of Acc and leaves at "
         "32768",
         "matmul_mx_acc"},
        {"AccumulatorWithoutValues",
         absl::StrCat("acc0: ", AccType(0x3000),
                      " = pl.tile.create([32, 64], dtype=pl.FP32, "
                      "target_memory=pl.Mem.Acc)\n",
                      Fill(1), Bind(1), MultiplyAcc(0x3000)),
         "A5-MEM", "matmul_mx_acc"},
        {"MX_MODEL_2_Operator",
         "t: pl.Tile[[32, 64], pl.FP32, pl.MemRef(\"v\", 0, 8192), "
         "pl.Mem.Vec] = pl.tile.frobnicate(a)",
         "MX-MODEL-2 operator tile.frobnicate cannot be run on the A5 model",
         "frobnicate"},
        {"MX_MODEL_3_View",
         "t: pl.Tile[[32, 64], pl.FP8E4M3FN, pl.MemRef(\"v\", 64, 2048), "
         "pl.Mem.Vec] = pl.tile.load(a, [0, 0], [32, 64], [32, 64], "
         "target_memory=pl.Mem.Vec)\n"
         "u: pl.Tile[[32, 64], pl.INT8, pl.MemRef(\"v\", 128, 2048), "
         "pl.Mem.Vec] = pl.tile.reinterpret_view(t, dtype=pl.INT8)",
         "MX-MODEL-3 tile.reinterpret_view of Vec 0x40", "reinterpret_view"},
        {"OutsideOfUb",
         "t: pl.Tile[[32, 64], pl.FP8E4M3FN, pl.MemRef(\"v\", 253440, 2048), "
         "pl.Mem.Vec] = pl.tile.load(a, [0, 0], [32, 64], [32, 64], "
         "target_memory=pl.Mem.Vec)",
         "A5-TILE-1", "tile.load"},
        {"MX_MODEL_2_Move",
         absl::StrCat(Fill(0),
                      "t: pl.Tile[[32, 64], pl.FP8E4M3FN, pl.MemRef(\"v\", 0, "
                      "2048), pl.Mem.Vec] = pl.tile.move(l0, "
                      "target_memory=pl.Mem.Vec)"),
         "MX-MODEL-2 tile.move from Left to Vec, NZ to ND, cannot",
         "tile.move(l0"},
        {"MX_MODEL_2_StoreFromMat",
         "t: pl.Tile[[32, 64], pl.FP32, pl.MemRef(\"l1\", 0, 8192), "
         "pl.Mem.Mat] = pl.tile.create([32, 64], dtype=pl.FP32, "
         "target_memory=pl.Mem.Mat)\n"
         "out = pl.tile.store(t, [0, 0], c)",
         "MX-MODEL-2 tile.store from Mat", "tile.store"},
        {"MX_MODEL_2_Atomic",
         absl::StrCat(Fill(0), Bind(0), Multiply(),
                      "out = pl.tile.store(acc0, [0, 0], c, "
                      "atomic=pl.AtomicType.Add)"),
         "MX-MODEL-2 tile.store with atomic", "tile.store"},
        {"MX_MODEL_2_ElementType",
         "u = pl.tensor.create([4, 4], dtype=pl.INT32)",
         "MX-MODEL-2 tensor 'tensor.create': elements of INT32",
         "tensor.create"},
        {"OutsideOfTheMemory",
         absl::StrReplaceAll(Fill(0), {{"\"l0a\", 32768", "\"l0a\", 65024"}}),
         "A5-TILE-1", "tile.move(ma0"},
    }),
    [](const TestParamInfo<TrapCase>& info) { return info.param.name; });

// ---- Tensors

TEST(ModelTensorTest, WhatWasNotWrittenCannotBeRead) {
  const TextProgram program(ProgramText(
      {FunctionText("AIC", "f", "x: pl.Tensor[[4, 8], pl.FP16]", "")}));
  const auto& type =
      *ir::CheckedCast<ir::TensorType>(program.function("f").params[0]->type);
  ModelBackend backend(program.context().registry());
  MX_ASSERT_OK_AND_ASSIGN(const Value fresh, backend.CreateTensor(type, "x"));
  const auto read = backend.ReadTensor(fresh);
  EXPECT_FALSE(read.ok());
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("A5-MEM"));

  std::vector<uint8_t> bytes(4 * 8 * 2);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = i;
  MX_ASSERT_OK_AND_ASSIGN(const Value made,
                          backend.MakeTensor(type, "y", bytes));
  EXPECT_THAT(backend.ReadTensor(made), IsOkAndHolds(bytes));
}

TEST(ModelTensorTest, OnlyPackedTensorsAreGiven) {
  const TextProgram program(ProgramText({FunctionText(
      "AIC", "f",
      "x: pl.Tensor[[4, 8], pl.FP16, pl.TensorView(stride=[10, 1], "
      "layout=pl.TensorLayout.ND)]",
      "")}));
  const auto& type =
      *ir::CheckedCast<ir::TensorType>(program.function("f").params[0]->type);
  ModelBackend backend(program.context().registry());
  EXPECT_THAT(
      backend.MakeTensor(type, "x", std::vector<uint8_t>(64)),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("'x' spans 76 bytes and is given 64; only packed")));
}

}  // namespace
}  // namespace mxtile::exec

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (!absl::ConsumePrefix(&arg, "--seed=") ||
        !absl::SimpleAtoi(arg, &mxtile::exec::seed)) {
      std::cerr << "usage: model_backend_test [--seed=N]\n";
      return EXIT_FAILURE;
    }
  }
  return RUN_ALL_TESTS();
}
