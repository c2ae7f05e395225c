#include "exec/simd/import/importer.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/simd/import/import_test_util.h"
#include "exec/simd/tile_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile::exec::simd {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

// Stores tile `r`, [rows, cols], in each of three instances; n is 2, 5 and 8.
std::string Body(absl::string_view body, int64_t rows, int64_t cols) {
  return ProgramText({FunctionText(
      "InCore", "f",
      absl::StrCat(
          "x: pl.Tensor[[8, 16], pl.FP32], y: pl.Tensor[[8, 16], pl.FP32], "
          "h: pl.Tensor[[8, 16], pl.BF16], w: pl.Tensor[[16, 8], pl.BF16], "
          "e: pl.Tensor[[16, 8], pl.FP16], z: pl.Tensor[[2, 3, 8, 16], "
          "pl.FP32], v: pl.Tensor[[40], pl.FP32], "
          "out: pl.Out[pl.Tensor[[",
          3 * rows, ", ", cols,
          "], pl.FP32]], out_h: pl.Out[pl.Tensor[[24, "
          "16], pl.BF16]], n: pl.Scalar[pl.INDEX], i: pl.Scalar[pl.INT32], "
          "scale: pl.Scalar[pl.FP32]"),
      absl::StrCat("tx = pl.load(x, [0, 0], [8, 16])\n"
                   "ty = pl.load(y, [0, 0], [8, 16])\n"
                   "th = pl.load(h, [0, 0], [8, 16])\n"
                   "row = pl.load(y, [1, 0], [1, 16])\n"
                   "col = pl.load(x, [0, 3], [8, 1])\n"
                   "tmp = pl.create_tile([8, 16], dtype=pl.FP32)\n",
                   body, "\nstored = pl.store(r, [i * ", rows,
                   ", 0], out)\n"))});
}

ImportRequest ThreeInstances() {
  ImportRequest request;
  request.digits = {3};
  request.params.resize(12);
  request.params[9].scalar = {2, {3}, {}};
  request.params[10].scalar = {0, {1}, {}};
  request.params[11].real = 0.1;
  return request;
}

struct Case {
  std::string name;
  std::string body;
  int64_t rows = 8;
  int64_t cols = 16;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class ImportTest : public TestWithParam<Case> {};

TEST_P(ImportTest, HasTheBitsOfTheReference) {
  const Case& c = GetParam();
  const TextProgram program(Body(c.body, c.rows, c.cols));
  for (const bool special : {false, true}) {
    BothRuns(program, "f", ThreeInstances(), /*seed=*/7, special)
        .ExpectSameBits();
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* op :
       {"abs", "exp", "neg", "recip", "relu", "rsqrt", "sqrt"}) {
    cases.push_back({op, absl::StrCat("r = pl.tile.", op, "(tx)")});
  }
  for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum"}) {
    cases.push_back({op, absl::StrCat("r = pl.tile.", op, "(tx, ty)")});
    cases.push_back(
        {absl::StrCat(op, "s"),
         absl::StrCat("a = pl.tile.", op, "s(tx, 0.3)\n", "b = pl.tile.", op,
                      "s(a, scale)\n", "r = pl.tile.", op, "s(b, n)")});
  }
  for (const char* op :
       {"_add", "_sub", "_mul", "_div", "_max", "_min", "_expdif", ""}) {
    cases.push_back({absl::StrCat("row_expand", op),
                     absl::StrCat("r = pl.tile.row_expand", op, "(ty, col)")});
    cases.push_back({absl::StrCat("col_expand", op),
                     absl::StrCat("r = pl.tile.col_expand", op, "(tx, row)")});
  }
  for (const char* op : {"max", "min", "sum"}) {
    cases.push_back({absl::StrCat("row_", op),
                     absl::StrCat("r = pl.tile.row_", op, "(tx, tmp)"), 8, 1});
    cases.push_back({absl::StrCat("col_", op),
                     absl::StrCat("r = pl.tile.col_", op, "(tx)"), 1, 16});
    cases.push_back({absl::StrCat("row_", op, "_of_the_valid"),
                     absl::StrCat("part = pl.load(x, [0, 0], [8, 16], [8, n])\n"
                                  "r = pl.tile.row_",
                                  op, "(part, tmp)"),
                     8, 1});
    cases.push_back(
        {absl::StrCat("col_", op, "_of_the_valid"),
         absl::StrCat("part = pl.load(x, [0, 0], [8, 16], [n, 16])\n"
                      "r = pl.tile.col_",
                      op, "(part)"),
         1, 16});
  }
  for (int type = 0; type < 6; ++type) {
    cases.push_back({absl::StrCat("cmp_", type),
                     absl::StrCat("m = pl.cmp(tx, ty, cmp_type=", type,
                                  ")\nr = pl.sel(m, tx, ty, tmp)")});
    cases.push_back({absl::StrCat("cmps_", type),
                     absl::StrCat("m = pl.cmp(tx, 0.0, cmp_type=", type,
                                  ")\nr = pl.sels(m, ty, tmp, scale)")});
  }
  const std::vector<Case> others = {
      {"broadcast", "r = pl.tile.add(pl.tile.mul(row, tx), row)"},
      {"outer", "r = pl.tile.mul(col, row)"},
      {"masks",
       "a = pl.cmp(tx, ty, cmp_type=2)\nb = pl.cmp(tx, 0.5, cmp_type=4)\n"
       "c = pl.cmp(col, row, cmp_type=3)\n"
       "r = pl.sel(pl.tile.or_(pl.tile.and_(a, b), c), tx, ty, tmp)"},
      {"integers",
       "a = pl.tile.ci(i * 5 - 7, [8, 16], dtype=pl.INT32)\n"
       "b = pl.tile.muls(a, 3)\nc = pl.tile.maximum(pl.tile.adds(b, n), a)\n"
       "m = pl.cmp(c, 20, cmp_type=2)\n"
       "r = pl.sel(m, pl.cast(c, target_type=pl.FP32), tx, tmp)"},
      {"descending",
       "a = pl.tile.ci(n, [8, 16], dtype=pl.INT32, descending=True)\n"
       "r = pl.cast(a, target_type=pl.FP32)"},
      {"full",
       "a = pl.tile.full([8, 16], dtype=pl.FP32, value=0.1)\n"
       "r = pl.tile.add(a, pl.tile.expands(tx, n))"},
      {"to_bf16",
       "t = pl.cast(tx, target_type=pl.BF16, mode='rint')\n"
       "s2 = pl.store(t, [i * 8, 0], out_h)\n"
       "r = pl.cast(t, target_type=pl.FP32)"},
      {"to_fp16",
       "r = pl.cast(pl.cast(pl.tile.muls(tx, 30000.0), "
       "target_type=pl.FP16, mode='rint'), target_type=pl.FP32)"},
      {"from_bf16", "r = pl.tile.exp(pl.cast(th, target_type=pl.FP32))"},
      {"transpose_view",
       "t = pl.tile.transpose_view(tx)\n"
       "r = pl.tile.transpose_view(pl.tile.exp(t))"},
      {"transposed_sum",
       "s = pl.load(x, [0, 4], [8, 8])\n"
       "r = pl.tile.add(s, pl.tile.transpose_view(s))",
       8, 8},
      {"fillpad",
       "part = pl.load(x, [0, 0], [8, 16], [n, 2 * n])\n"
       "r = pl.tile.add(pl.fillpad(part), ty)"},
      {"fillpad_of_computed",
       "part = pl.load(x, [0, 0], [8, 16], [n, 2 * n])\n"
       "r = pl.fillpad(pl.tile.adds(part, 1.0), pad_value=pl.PadValue.min)"},
      {"window_of_rank_4",
       "t = pl.load(z, [1, i, 2, 0], [1, 1, 6, 16])\n"
       "r = pl.tile.add(pl.tile.reshape(t, [6, 16]), pl.load(y, [0, 0], [6, "
       "16]))",
       6, 16},
      {"window_of_rank_1", "r = pl.load(v, [n * 3], [16])", 1, 16},
      {"move", "r = pl.move(tx, target_memory=pl.Mem.Vec)"},
      {"if_with_results",
       "if n > 4:\n    a = pl.tile.exp(tx)\n    b, k = pl.yield_(a, n)\n"
       "else:\n    c = pl.tile.transpose_view(ty)\n"
       "    d = pl.tile.transpose_view(c)\n    b, k = pl.yield_(d, 7)\n"
       "r = pl.tile.adds(b, k)"},
      {"loop_swaps_tiles",
       "for j, (a, b, k) in pl.range(0, n, init_values=(tx, ty, n)):\n"
       "    c = pl.tile.adds(a, j)\n    k2 = k + 1\n"
       "    a2, b2, k3 = pl.yield_(b, c, k2)\n"
       "r = pl.tile.adds(pl.tile.sub(a2, b2), k3)"},
      {"zero_trips",
       "for j, (a,) in pl.range(9, n, init_values=(tx,)):\n"
       "    b = pl.tile.exp(a)\n    a2 = pl.yield_(b)\nr = a2"},
      {"backwards",
       "for j, (a,) in pl.range(6, 0, -2, init_values=(tx,)):\n"
       "    t = pl.load(y, [j, 0], [1, 16])\n"
       "    b = pl.tile.add(pl.tile.mul(a, t), t)\n    a2 = pl.yield_(b)\n"
       "r = a2"},
      {"transposed_carry",
       "s = pl.load(x, [0, 4], [8, 8])\n"
       "for j, (a,) in pl.range(0, n, init_values=(s,)):\n"
       "    b = pl.tile.transpose_view(a)\n    c = pl.tile.adds(b, j)\n"
       "    a2 = pl.yield_(c)\nr = a2",
       8, 8},
      {"carried_tensor",
       "for j, (o,) in pl.range(0, 8, init_values=(out,)):\n"
       "    t = pl.load(x, [j, 0], [1, 16])\n"
       "    o2 = pl.store(t, [i * 8 + j, 0], o)\n    o3 = pl.yield_(o2)\n"
       "q = pl.load(o3, [i * 8, 0], [8, 16])\nr = pl.tile.adds(q, 1.0)"},
      {"scalars",
       "k = pl.max(pl.min(n * 3 % 7, 5), n // 2)\n"
       "a = pl.load(x, [k % 8, 0], [1, 16])\n"
       "r = pl.tile.adds(pl.tile.add(tx, a), pl.cast(k - 9, pl.FP32))"},
  };
  cases.insert(cases.end(), others.begin(), others.end());
  const std::vector<Case> matmuls = {
      {"matmul", "r = pl.matmul(tx, pl.tile.transpose_view(ty))", 8, 8},
      {"matmul_with_itself", "r = pl.matmul(tx, pl.tile.transpose_view(tx))", 8,
       8},
      {"square", "s = pl.load(x, [0, 4], [8, 8])\nr = pl.matmul(s, s)", 8, 8},
      {"power",
       "s = pl.load(x, [0, 4], [8, 8])\nq = pl.load(y, [0, 4], [8, 8])\n"
       "for j, (a,) in pl.range(0, 2, init_values=(q,)):\n"
       "    b = pl.matmul(a, s)\n    a2 = pl.yield_(b)\nr = a2",
       8, 8},
      {"matmul_bf16",
       "tw = pl.load(w, [0, 0], [16, 8])\n"
       "r = pl.matmul(th, tw)",
       8, 8},
      {"matmul_fp16",
       "te = pl.load(e, [0, 0], [16, 8])\n"
       "f = pl.tile.transpose_view(te)\nr = pl.matmul(f, te)",
       8, 8},
      {"matmul_acc",
       "s = pl.load(x, [0, 4], [8, 8])\n"
       "r = pl.matmul_acc(s, tx, pl.tile.transpose_view(ty))",
       8, 8},
      {"matmul_acc_overwrites",
       "s = pl.load(x, [0, 4], [8, 8])\n"
       "r = pl.tile.matmul_acc(s, tx, pl.tile.transpose_view(ty), n == 5)",
       8, 8},
      {"matmul_bias",
       "s = pl.load(x, [2, 0], [1, 8])\n"
       "r = pl.matmul_bias(tx, pl.tile.transpose_view(ty), s)",
       8, 8},
      {"matmul_valid_k",
       "a = pl.load(x, [0, 0], [8, 16], [8, 2 * n])\n"
       "b = pl.load(y, [0, 0], [8, 16], [8, 2 * n])\n"
       "r = pl.matmul(a, pl.tile.transpose_view(b))",
       8, 8},
      {"matmul_of_a_row", "r = pl.matmul(row, pl.tile.transpose_view(tx))", 1,
       8},
      {"matmul_of_k_1", "r = pl.matmul(col, row)"},
      {"gemv", "r = pl.tile.gemv(row, pl.tile.transpose_view(tx))", 1, 8},
  };
  cases.insert(cases.end(), matmuls.begin(), matmuls.end());
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Operators, ImportTest, ValuesIn(Cases()),
                         [](const TestParamInfo<Case>& info) {
                           return info.param.name;
                         });

// ---- refusals

struct Refusal {
  std::string name;
  std::string body;
  std::string error;
  std::string at = {};  // The line; the last one when empty.
};
void PrintTo(const Refusal& c, std::ostream* out) { *out << c.name; }

class RefusalTest : public TestWithParam<Refusal> {};

TEST_P(RefusalTest, NamesTheOperatorAndTheLine) {
  const Refusal& c = GetParam();
  const TextProgram program(Body(absl::StrCat(c.body, "\nr = tx"), 8, 16));
  const BothRuns runs(program, "f", ThreeInstances(), 1);
  EXPECT_EQ(runs.import_error(), c.error);
  const std::string last = c.body.substr(c.body.rfind('\n') + 1);
  EXPECT_EQ(runs.import_error_line(),
            program.LineOf(c.at.empty() ? last : c.at));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, RefusalTest,
    ValuesIn(std::vector<Refusal>{
        {"operator", "a = pl.tile.log(tx)",
         "MX-SIMD-1 operator tile.log cannot be run by the SIMD backend"},
        {"arithmetic_of_bf16", "a = pl.tile.exp(th)",
         "MX-SIMD-2 tile.exp of BF16 (cast to FP32 first) cannot be run by the "
         "SIMD backend"},
        {"cast", "a = pl.cast(tx, target_type=pl.INT32)",
         "MX-SIMD-2 tile.cast to INT32 by this mode (mode=\"rint\" to FP32, "
         "BF16 and FP16 can) cannot be run by the SIMD backend"},
        {"store_of_another_type", "a = pl.store(tx, [0, 0], out_h)",
         "MX-SIMD-2 tile.store of f32 to bf16 (cast first) cannot be run by "
         "the SIMD backend"},
        {"folded_window", "a = pl.load(z, [0, 0, 0, 0], [1, 2, 8, 16])",
         "MX-SIMD-3 tile.load: of more than two axes all but the last two need "
         "the extent 1"},
        {"while_loop", "while n > i:\n    break",
         "MX-SIMD-4 a while loop cannot be run by the SIMD backend", "while"},
        {"float_arithmetic",
         "a = pl.tile.adds(tx, scale + pl.cast(n, pl.FP32))",
         "MX-SIMD-5 arithmetic of floating-point scalars that are not constant "
         "cannot be run by the SIMD backend"},
        {"yield_of_another_tensor",
         "for j, (a,) in pl.range(0, n, init_values=(x,)):\n"
         "    a2 = pl.yield_(y)",
         "MX-SIMD-8 'a' becomes a value of another kind or tensor"},
        {"yield_of_another_valid_region",
         "for j, (a,) in pl.range(0, n, init_values=(tx,)):\n"
         "    b = pl.load(x, [0, 0], [8, 16], [j, 16])\n"
         "    a2 = pl.yield_(b)",
         "MX-SIMD-6 'a' becomes a tile whose valid region is not known to be "
         "the same; pad the tile (tile.fillpad)"},
        {"valid_regions",
         "a = pl.load(x, [0, 0], [8, 16], [n, 16])\n"
         "b = pl.tile.add(a, tx)",
         "MX-SIMD-6 tile.add: the valid regions of the tiles are not known to "
         "be the same; give them one valid shape, or pad them (tile.fillpad)"},
    }),
    [](const TestParamInfo<Refusal>& info) { return info.param.name; });

TEST(ImportRequestTest, MisfitsAreNamed) {
  const TextProgram program(Body("r = tx", 8, 16));
  ImportRequest request = ThreeInstances();
  request.params[9].scalar.steps = {1, 1};
  EXPECT_THAT(BothRuns(program, "f", request, 1).import_error(),
              StartsWith("MX-SIMD-7 'n' has more steps than there are digits"));
  request = ThreeInstances();
  request.params[9].scalar.table = {1, 2};
  EXPECT_THAT(BothRuns(program, "f", request, 1).import_error(),
              StartsWith("MX-SIMD-7 'n' has more steps"));
}

// ---- instances and bounds

// The first use of the block index is in a loop, the second one behind it.
TEST(InstanceTest, BlockIndexIsKnownEverywhere) {
  const std::string params =
      "x: pl.Tensor[[8, 16], pl.FP32], out: pl.Out[pl.Tensor[[8, 16], "
      "pl.FP32]]";
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "f", params,
                    "t = pl.load(x, [0, 0], [1, 16])\n"
                    "for j, (a,) in pl.range(0, 3, init_values=(t,)):\n"
                    "    i = pl.tile.get_block_idx()\n"
                    "    b = pl.tile.adds(a, i + j)\n"
                    "    a2 = pl.yield_(b)\n"
                    "k = pl.tile.get_block_idx()\n"
                    "n = pl.tile.get_block_num()\n"
                    "r = pl.tile.muls(a2, n)\n"
                    "s = pl.store(r, [k, 0], out)\n"),
       FunctionText("Orchestration", "main", absl::StrCat("self, ", params),
                    "r = pl.spmd_submit(self.f, x, out, core_num=8)")}));
  ImportRequest request;
  request.digits = {8};
  request.block_index.steps = {1};
  request.block_count = 8;
  BothRuns(program, "f", request, 1).ExpectSameBits();
}

TEST(InstanceTest, TablesAndDigits) {
  const TextProgram program(
      Body("r = pl.load(x, [0, 0], [8, 16], [8, n])\n"
           "r = pl.fillpad(pl.tile.adds(r, n))",
           8, 16));
  ImportRequest request = ThreeInstances();
  request.params[9].scalar = {0, {}, {16, 1, 7}};
  const BothRuns runs(program, "f", request, 1);
  runs.ExpectSameBits();
  EXPECT_EQ(runs.kernel().tables.size(), 1);
  request = ThreeInstances();
  request.digits = {1, 3, 1};
  request.params[9].scalar = {2, {0, 3, 5}, {}};
  request.params[10].scalar = {0, {9, 1}, {}};
  BothRuns(program, "f", request, 1).ExpectSameBits();
}

int CheckedWindows(const TileProgram& program) {
  int count = 0;
  for (const Op& op : program.ops) count += op.window.checked ? 1 : 0;
  return count;
}

TEST(InstanceTest, WindowsThatMayLeaveTheirTensorAreChecked) {
  const auto checked = [](absl::string_view body) {
    const TextProgram program(Body(absl::StrCat(body, "\nr = tx"), 8, 16));
    ImportRequest request = ThreeInstances();
    for (int i = 0; i < 9; ++i) request.params[i].buffer = i;
    ir::DiagnosticSink sink;
    const auto kernel = ImportInCore(
        program.function("f"), program.context().registry(), request, &sink);
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    return kernel.ok() ? CheckedWindows(kernel->program) : -1;
  };
  // n is 2, 5 or 8 of 40.
  EXPECT_EQ(checked("a = pl.load(v, [n * 4], [8])"), 0);
  EXPECT_EQ(checked("a = pl.load(v, [n * 4 - 8], [16])"), 0);
  EXPECT_EQ(checked("a = pl.load(v, [40 - n - n], [16], [pl.min(n * 2, 16)])"),
            0);
  EXPECT_EQ(checked("a = pl.load(v, [n * 4 - 9], [8])"), 1);
  EXPECT_EQ(checked("for k in pl.range(0, 40, 16):\n"
                    "    a = pl.load(v, [k], [16], [pl.min(16, 40 - k)])"),
            0);
  EXPECT_EQ(checked("for k in pl.range(0, 40, 16):\n"
                    "    a = pl.load(v, [k], [16], [pl.min(16, 41 - k)])"),
            1);
}

int Relabels(const TileProgram& program) {
  int count = 0;
  for (const Op& op : program.ops) count += op.kind == OpKind::kRelabel ? 1 : 0;
  return count;
}

TEST(AxesTest, OnlyWhatCannotBeOneDimensionIsRelabelled) {
  const auto relabels = [](absl::string_view body, int64_t rows, int64_t cols) {
    const TextProgram program(Body(body, rows, cols));
    const BothRuns runs(program, "f", ThreeInstances(), 1);
    runs.ExpectSameBits();
    return Relabels(runs.kernel().program);
  };
  EXPECT_EQ(relabels("r = pl.matmul(tx, pl.tile.transpose_view(ty))", 8, 8), 0);
  EXPECT_EQ(relabels("r = pl.matmul(tx, pl.tile.transpose_view(tx))", 8, 8), 1);
}

}  // namespace
}  // namespace mxtile::exec::simd
