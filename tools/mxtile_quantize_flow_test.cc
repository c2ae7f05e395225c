// Quantise on the vector core, then multiply on the cube: `mxtile run` on the
// programs of the flows, against kernels/reference bit for bit.
//
//   mxtile_quantize_flow_test [--seed=N]

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/npy.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/group_axis.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tmov.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "nlohmann/json.hpp"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "tools/tool_runner.h"

namespace mxtile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

constexpr char kBinary[] = "tools/mxtile_main";
constexpr auto kE4M3 = ElementFormat::kF8E4M3FN;
constexpr auto kE8M0 = ElementFormat::kF8E8M0FNU;
constexpr auto kF32 = ElementFormat::kF32;
constexpr int64_t kK = 128;
constexpr int64_t kGroups = kK / 32;

uint32_t seed = 1;

std::string ProgramFile(absl::string_view name) {
  return ToolRunner::RepositoryFile(
      absl::StrCat("testdata/programs/", name, ".py"));
}

// ---- Inputs

// [rows, cols] floats whose groups along the axis differ in magnitude, in both
// directions and not symmetrically; one group is zeros, and one element of
// another is far beyond the rest.
TestTile RandomSource(std::mt19937& random, int64_t rows, int64_t cols,
                      GroupAxis axis) {
  std::normal_distribution<float> normal(0.25f, 1);
  std::vector<float> values(rows * cols);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      const bool along_rows = axis == GroupAxis::kAxis1;
      const int64_t line = along_rows ? r : c;
      const int64_t group = (along_rows ? c : r) / 32;
      const int exponent = static_cast<int>((3 * line + 5 * group) % 23) - 11;
      float& value = values[r * cols + c];
      value = std::ldexp(normal(random), exponent);
      if (line == 7 && group == 2) value = 0;
      if (line == 9 && (along_rows ? c : r) == 33) value = -1e20f;
    }
  }
  return TestTile::OfValues(FullTile(kF32, rows, cols), values);
}

TestTile RandomCodes(std::mt19937& random, int64_t rows, int64_t cols) {
  std::vector<uint32_t> codes(rows * cols);
  for (uint32_t& code : codes) {
    do {
      code = random() % 256;
    } while (KindOf(kE4M3, code) == CodeKind::kNan);
  }
  return TestTile::OfCodes(FullTile(kE4M3, rows, cols), codes);
}

TestTile RandomScales(std::mt19937& random, int64_t rows, int64_t cols) {
  std::vector<uint32_t> codes(rows * cols);
  for (uint32_t& code : codes) code = 110 + random() % 30;
  return TestTile::OfCodes(FullTile(kE8M0, rows, cols), codes);
}

void WriteNpy(const ToolRunner& tool, const std::string& name,
              const TestTile& tile) {
  NpyArray array;
  array.descr = tile.type().format == kF32 ? "<f4" : "|u1";
  array.shape = {tile.type().rows, tile.type().cols};
  array.bytes.assign(tile.bytes().begin(), tile.bytes().end());
  tool.Write(absl::StrCat(name, ".npy"), SerializeNpy(array));
}

// ---- What kernels/reference says

struct Quantized {
  TestTile codes;
  TestTile exponents;
};

Quantized QuantizeByReference(const TestTile& source, GroupAxis axis) {
  const int64_t rows = source.type().rows;
  const int64_t cols = source.type().cols;
  const int64_t group_rows = axis == GroupAxis::kAxis1 ? rows : rows / 32;
  const int64_t group_cols = axis == GroupAxis::kAxis1 ? cols / 32 : cols;
  Quantized q = {TestTile(FullTile(kE4M3, rows, cols)),
                 TestTile(FullTile(kE8M0, group_rows, group_cols))};
  TestTile max(FullTile(kF32, group_rows, group_cols));
  TestTile scaling(FullTile(kF32, group_rows, group_cols));
  EXPECT_THAT(TQuant({axis, ScaleRule::kOcp, kE4M3},
                     {q.codes.view(), source.const_view(), q.exponents.view(),
                      max.view(), scaling.view()}),
              IsOk());
  return q;
}

TestTile TransposeByReference(const TestTile& tile) {
  TestTile result(
      FullTile(tile.type().format, tile.type().cols, tile.type().rows));
  EXPECT_THAT(TMovTransposed(result.view(), tile.const_view()), IsOk());
  return result;
}

std::vector<uint8_t> MultiplyByReference(const TestTile& a, const TestTile& sa,
                                         const TestTile& b,
                                         const TestTile& sb) {
  TestTile c(FullTile(kF32, a.type().rows, b.type().cols));
  EXPECT_THAT(MatmulMx({c.view(), a.const_view(), sa.const_view(),
                        b.const_view(), sb.const_view()},
                       {}),
              IsOk());
  return c.bytes();
}

// ---- The flows

// Runs the program on the .npy files in the tool's folder; the bytes of c.
std::vector<uint8_t> RunProgram(const ToolRunner& tool,
                                const std::string& program,
                                const std::vector<std::string>& inputs) {
  std::vector<std::string> args = {"run", ProgramFile(program), "--out", "out",
                                   "--json"};
  for (const std::string& name : inputs) {
    args.push_back("--in");
    args.push_back(absl::StrCat(name, "=", name, ".npy"));
  }
  const ToolResult r = tool.Run(args);
  EXPECT_EQ(r.exit_code, 0) << r.err << r.out;
  EXPECT_THAT(r.err, IsEmpty());
  if (r.exit_code != 0) return {};
  EXPECT_TRUE(Json::parse(r.out)["correct"]);
  const absl::StatusOr<NpyArray> c = ParseNpy(tool.Read("out/c.npy"), "c");
  EXPECT_TRUE(c.ok()) << c.status();
  return {c->bytes.begin(), c->bytes.end()};
}

TEST(QuantizeFlowTest, NdIsTheLeftOperand) {
  std::mt19937 random(seed);
  const ToolRunner tool(kBinary);
  const TestTile a = RandomSource(random, 64, kK, GroupAxis::kAxis1);
  const TestTile b = RandomCodes(random, kK, 96);
  const TestTile sb = RandomScales(random, kGroups, 96);
  WriteNpy(tool, "a", a);
  WriteNpy(tool, "b", b);
  WriteNpy(tool, "b_scale", sb);
  const Quantized q = QuantizeByReference(a, GroupAxis::kAxis1);
  EXPECT_EQ(RunProgram(tool, "quantize_nd_gemm", {"a", "b", "b_scale"}),
            MultiplyByReference(q.codes, q.exponents, b, sb));
}

TEST(QuantizeFlowTest, DnIsTheRightOperand) {
  std::mt19937 random(seed);
  const ToolRunner tool(kBinary);
  const TestTile a = RandomCodes(random, 48, kK);
  const TestTile sa = RandomScales(random, 48, kGroups);
  const TestTile b = RandomSource(random, kK, 96, GroupAxis::kAxis0);
  WriteNpy(tool, "a", a);
  WriteNpy(tool, "a_scale", sa);
  WriteNpy(tool, "b", b);
  const Quantized q = QuantizeByReference(b, GroupAxis::kAxis0);
  EXPECT_EQ(RunProgram(tool, "quantize_dn_right_gemm", {"a", "a_scale", "b"}),
            MultiplyByReference(a, sa, q.codes, q.exponents));
}

TEST(QuantizeFlowTest, DnTransposedIsTheLeftOperand) {
  std::mt19937 random(seed);
  const ToolRunner tool(kBinary);
  const TestTile source = RandomSource(random, kK, 96, GroupAxis::kAxis0);
  const TestTile b = RandomCodes(random, kK, 64);
  const TestTile sb = RandomScales(random, kGroups, 64);
  WriteNpy(tool, "q", source);
  WriteNpy(tool, "b", b);
  WriteNpy(tool, "b_scale", sb);
  const Quantized q = QuantizeByReference(source, GroupAxis::kAxis0);
  EXPECT_EQ(RunProgram(tool, "quantize_dn_left_gemm", {"q", "b", "b_scale"}),
            MultiplyByReference(TransposeByReference(q.codes),
                                TransposeByReference(q.exponents), b, sb));
}

// ---- Arithmetic without a kernel

TEST(EstimatedTest, IsRunAndMarkedInTheReport) {
  const ToolRunner tool(kBinary);
  tool.Write("softmax.py",
             "# pypto.program: Softmax\n"
             "import pypto.language as pl\n"
             "\n\n"
             "@pl.program\n"
             "class Softmax:\n"
             "    @pl.function(type=pl.FunctionType.InCore)\n"
             "    def softmax(\n"
             "        x: pl.Tensor[[16, 64], pl.FP32],\n"
             "        y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],\n"
             "    ) -> pl.Tensor[[16, 64], pl.FP32]:\n"
             "        t = pl.load(x, [0, 0], [16, 64])\n"
             "        tmp = pl.create_tile([16, 64], dtype=pl.FP32)\n"
             "        top = pl.row_max(t, tmp)\n"
             "        below = pl.row_expand_sub(t, top)\n"
             "        e = pl.exp(below)\n"
             "        total = pl.row_sum(e, tmp)\n"
             "        parts = pl.row_expand_div(e, total)\n"
             "        stored = pl.store(parts, [0, 0], y)\n"
             "        return stored\n");
  const ToolResult r = tool.Run({"run", "softmax.py", "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err << r.out;
  const Json report = Json::parse(r.out);
  EXPECT_TRUE(report["correct"]);
  std::vector<std::string> ops;
  int64_t cycles = 0;
  for (const Json& estimated : report["machine"]["estimated"]) {
    ops.push_back(estimated["op"]);
    EXPECT_EQ(estimated["pipe"], "V");
    EXPECT_EQ(estimated["calls"], 1);
    cycles += estimated["cycles"].get<int64_t>();
  }
  EXPECT_THAT(
      ops, ElementsAre("tile.exp", "tile.row_expand_div", "tile.row_expand_sub",
                       "tile.row_max", "tile.row_sum"));
  for (const Json& pipe : report["machine"]["pipes"]) {
    if (pipe["pipe"] == "V") {
      EXPECT_EQ(pipe["cycles"], cycles);
    }
  }
  EXPECT_THAT(tool.Run({"run", "softmax.py"}).out,
              HasSubstr("cycles estimated: tile.exp, 1 calls"));
}

// ---- Faults in the programs

struct Fault {
  std::string name;
  std::string program;
  std::string from;  // In the program's text,
  std::string to;    //   instead.
  std::string said;
};

class FaultTest : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultTest, IsReportedByTheInstructionsName) {
  const Fault& fault = GetParam();
  const ToolRunner tool(kBinary);
  const absl::StatusOr<std::string> text = ReadFile(ProgramFile(fault.program));
  ASSERT_THAT(text, IsOk());
  const std::string planted =
      absl::StrReplaceAll(*text, {{fault.from, fault.to}});
  ASSERT_NE(planted, *text);
  tool.Write("planted.py", planted);
  const ToolResult r = tool.Run({"run", "planted.py"});
  EXPECT_NE(r.exit_code, 0);
  EXPECT_THAT(r.err, HasSubstr(fault.said));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, FaultTest,
    ::testing::Values(
        // The exponents as TQUANT leaves them, where the boxes should be.
        Fault{"RowMajorScales", "quantize_nd_gemm",
              "a0_zz: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(ub, 21792, 128)",
              "a0_zz: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(ub, 21568, 128)",
              "tile.reinterpret_view of Vec 0x5520"},
        Fault{"CodesThatAreNotInFractals", "quantize_nd_gemm",
              "pl.tile.move(a0_nz, target_memory=pl.Mem.Mat)",
              "pl.tile.move(a0_codes, target_memory=pl.Mem.Mat)",
              "TMOV: from Vec 0x4440 f8E4M3FN ND [64, 64]"},
        Fault{"ScalesAwayFromTheirData", "quantize_dn_left_gemm",
              "pl.MemRef(l0a_mx, 256, 192)", "pl.MemRef(l0a_mx, 288, 192)",
              "TMATMUL_MX"},
        Fault{"TilesThatShareBytes", "quantize_dn_right_gemm",
              "pl.MemRef(ub, 50752, 1536)", "pl.MemRef(ub, 49216, 1536)",
              "TQUANT: tile 'max'"},
        Fault{"AddressInsideABlock", "quantize_dn_right_gemm",
              "pl.MemRef(ub, 64992, 384)", "pl.MemRef(ub, 65000, 384)",
              "TMOV<0> DN->ZZ"}),
    [](const auto& info) { return info.param.name; });

// Scales of another layout than their tile says give a wrong result.
TEST(QuantizeFlowTest, RowMajorScalesOfTheOtherOperandAreWrong) {
  const ToolRunner tool(kBinary);
  const ToolResult r = tool.Run({"run", ProgramFile("quantize_nd_gemm"),
                                 "--inject-fault", "row-major-scale"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.out, HasSubstr("WRONG"));
}

}  // namespace
}  // namespace mxtile

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (!absl::ConsumePrefix(&arg, "--seed=") ||
        !absl::SimpleAtoi(arg, &mxtile::seed)) {
      std::cerr << "unknown argument " << argv[i] << "\n";
      return 2;
    }
  }
  std::cout << "seed " << mxtile::seed << "\n";
  return RUN_ALL_TESTS();
}
