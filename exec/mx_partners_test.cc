#include "exec/mx_partners.h"

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile::exec {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

constexpr absl::string_view kA = "pl.Tensor[[16, 128], pl.FP8E4M3FN]";
constexpr absl::string_view kSa = "pl.Tensor[[16, 4], pl.FP8E8M0, pl.MX_A_ZZ]";
constexpr absl::string_view kB = "pl.Tensor[[128, 32], pl.FP8E4M3FN]";
constexpr absl::string_view kSb = "pl.Tensor[[4, 32], pl.FP8E8M0, pl.MX_B_NN]";
constexpr absl::string_view kC = "pl.Tensor[[16, 32], pl.FP32]";

// Parameters of one product, with a suffix to their names.
std::string Operands(absl::string_view suffix = "") {
  return absl::StrCat("a", suffix, ": ", kA, ", sa", suffix, ": ", kSa, ", b",
                      suffix, ": ", kB, ", sb", suffix, ": ", kSb);
}

std::string Load(absl::string_view tile, absl::string_view tensor,
                 absl::string_view offsets, absl::string_view window) {
  return absl::StrCat(tile, " = pl.load(", tensor, ", ", offsets, ", ", window,
                      ", target_memory=pl.Mem.Mat)\n");
}

// Loads of the four operands of a step at K = k, G = g.
std::string Loads(absl::string_view k = "0", absl::string_view g = "0",
                  absl::string_view suffix = "") {
  return absl::StrCat(Load(absl::StrCat("ta", suffix), "a",
                           absl::StrCat("[0, ", k, "]"), "[16, 64]"),
                      Load(absl::StrCat("tsa", suffix), "sa",
                           absl::StrCat("[0, ", g, "]"), "[16, 2]"),
                      Load(absl::StrCat("tb", suffix), "b",
                           absl::StrCat("[", k, ", 0]"), "[64, 32]"),
                      Load(absl::StrCat("tsb", suffix), "sb",
                           absl::StrCat("[", g, ", 0]"), "[2, 32]"));
}

std::string Indented(std::string text) {
  std::string result = "    ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "    ";
  }
  return result;
}

const std::string kProduct = "c = pl.matmul_mx(ta, tsa, tb, tsb)\n";

std::string PeeledLoop() {
  return absl::StrCat(
      Loads(), kProduct,
      "for k, (acc,) in pl.range(64, 128, 64, init_values=(c,)):\n",
      Indented(absl::StrCat(Loads("k", "k // 32", "2"),
                            "n = pl.matmul_mx_acc(acc, ta2, tsa2, tb2, tsb2)\n"
                            "total = pl.yield_(n)\n")));
}

struct PartnersCase {
  std::string name;
  std::vector<std::string> functions;  // The last one is the entry, `f`.
  std::string want;                    // The pairs, as "data/scale left".
  std::string ambiguous;               // Names of parameters.
};
std::ostream& operator<<(std::ostream& os, const PartnersCase& c) {
  return os << absl::StrJoin(c.functions, "\n");
}

class MxPartnersTest : public TestWithParam<PartnersCase> {};

TEST_P(MxPartnersTest, Finds) {
  const PartnersCase& c = GetParam();
  const TextProgram program(ProgramText(c.functions));
  const ir::Function& entry = program.function("f");
  const MxPartners partners = FindMxPartners(*program, entry);

  std::vector<std::string> pairs;
  for (const MxPartner& pair : partners.pairs()) {
    pairs.push_back(
        absl::StrCat(pair.data->name, "/", pair.scale->name,
                     pair.side == MxSide::kLeft ? " left" : " right"));
  }
  EXPECT_EQ(absl::StrJoin(pairs, ", "), c.want);

  std::vector<std::string> ambiguous;
  for (const ir::Var* param : entry.params) {
    if (partners.IsAmbiguous(param)) {
      ambiguous.emplace_back(param->name);
      EXPECT_EQ(partners.OfData(param), nullptr);
      EXPECT_EQ(partners.OfScale(param), nullptr);
    }
  }
  EXPECT_EQ(absl::StrJoin(ambiguous, " "), c.ambiguous);

  // What the two look-ups say is what the pairs say.
  for (const MxPartner& pair : partners.pairs()) {
    if (!partners.IsAmbiguous(pair.data)) {
      ASSERT_NE(partners.OfData(pair.data), nullptr);
      EXPECT_EQ(partners.OfData(pair.data)->scale, pair.scale);
    }
    if (!partners.IsAmbiguous(pair.scale)) {
      ASSERT_NE(partners.OfScale(pair.scale), nullptr);
      EXPECT_EQ(partners.OfScale(pair.scale)->data, pair.data);
    }
    EXPECT_EQ(partners.OfData(pair.scale), nullptr);
    EXPECT_EQ(partners.OfScale(pair.data), nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MxPartnersTest,
    ValuesIn(std::vector<PartnersCase>{
        {"OneProduct",
         {FunctionText("InCore", "f", Operands(),
                       absl::StrCat(Loads(), kProduct))},
         "a/sa left, b/sb right"},
        {"PeeledLoopOncePerPair",
         {FunctionText("InCore", "f", Operands(), PeeledLoop())},
         "a/sa left, b/sb right"},
        {"ThroughMovesAndBindings",
         {FunctionText(
             "InCore", "f", Operands(),
             absl::StrCat(Loads(),
                          "l = pl.move(ta, target_memory=pl.Mem.Left)\n"
                          "ls = pl.move(tsa, target_memory=pl.Mem.LeftScale)\n"
                          "r = pl.move(tb, target_memory=pl.Mem.Right)\n"
                          "rs = pl.move(tsb, target_memory=pl.Mem.RightScale)\n"
                          "lsb = pl.tile.tget_scale_addr(ls, l)\n"
                          "rsb = pl.tile.tget_scale_addr(rs, r)\n"
                          "c = pl.matmul_mx(l, lsb, r, rsb)"))},
         "a/sa left, b/sb right"},
        {"ThroughViewsAndAliases",
         {FunctionText(
             "InCore", "f",
             absl::StrCat("a: ", kA,
                          ", raw: pl.Tensor[[1, 64], pl.FP8E8M0], b: ", kB,
                          ", sb: ", kSb),
             absl::StrCat("v = pl.tensor.view(raw, [16, 4], "
                          "layout=pl.TensorLayout.MX_A_ZZ)\n"
                          "sa = v\n",
                          Loads(), kProduct))},
         "a/raw left, b/sb right"},
        {"ThroughLoopsAndBranches",
         {FunctionText(
             "InCore", "f",
             absl::StrCat(Operands(), ", go: pl.Scalar[pl.BOOL]"),
             absl::StrCat(Loads(),
                          "for i, (x,) in pl.range(3, init_values=(ta,)):\n"
                          "    y = pl.yield_(x)\n"
                          "if go:\n"
                          "    s = pl.yield_(tsa)\n"
                          "else:\n"
                          "    s = pl.yield_(tsa)\n"
                          "c = pl.matmul_mx(y, s, tb, tsb)"))},
         "a/sa left, b/sb right"},
        {"ThroughCalls",
         {FunctionText("InCore", "gemm", Operands(), PeeledLoop()),
          FunctionText("Group", "middle",
                       absl::StrCat("sa: ", kSa, ", a: ", kA, ", b: ", kB,
                                    ", sb: ", kSb),
                       "self.gemm(a, sa, b, sb)"),
          FunctionText("Orchestration", "f",
                       absl::StrCat("self, ", Operands("_in")),
                       "self.middle(sa_in, a_in, b_in, sb_in)")},
         "a_in/sa_in left, b_in/sb_in right"},
        {"ThroughReturns",
         {FunctionText("InCore", "gemm", Operands(), PeeledLoop()),
          FunctionText("InCore", "same", absl::StrCat("x: ", kA), "return x",
                       kA),
          FunctionText("Orchestration", "f",
                       absl::StrCat("self, ", Operands("_in")),
                       "x = self.same(a_in)\n"
                       "self.gemm(x, sa_in, b_in, sb_in)")},
         "a_in/sa_in left, b_in/sb_in right"},
        {"ThroughLaunches",
         {FunctionText("InCore", "gemm",
                       absl::StrCat(Operands(), ", c: pl.Out[", kC, "]"),
                       absl::StrCat(Loads(),
                                    "r = pl.matmul_mx(ta, tsa, tb, "
                                    "tsb)\n")),
          FunctionText("Orchestration", "f",
                       absl::StrCat("self, ", Operands("_in")),
                       "t = pl.submit(self.gemm, a_in, sa_in, b_in, sb_in)")},
         "a_in/sa_in left, b_in/sb_in right"},
        {"OneTensorOnBothSides",
         {FunctionText("InCore", "f",
                       absl::StrCat("x: pl.Tensor[[64, 64], pl.FP8E4M3FN], "
                                    "sa: pl.Tensor[[64, 2], pl.FP8E8M0, "
                                    "pl.MX_A_ZZ], sb: pl.Tensor[[2, 64], "
                                    "pl.FP8E8M0, pl.MX_B_NN]"),
                       absl::StrCat(Load("ta", "x", "[0, 0]", "[64, 64]"),
                                    Load("tb", "x", "[0, 0]", "[64, 64]"),
                                    Load("tsa", "sa", "[0, 0]", "[64, 2]"),
                                    Load("tsb", "sb", "[0, 0]", "[2, 64]"),
                                    kProduct))},
         "x/sa left, x/sb right",
         "x"},
        {"OneScaleForTwo",
         {FunctionText("InCore", "f", absl::StrCat(Operands(), ", a2: ", kA),
                       absl::StrCat(Loads(), kProduct,
                                    Load("ta2", "a2", "[0, 0]", "[16, 64]"),
                                    "d = pl.matmul_mx(ta2, tsa, tb, tsb)"))},
         "a/sa left, b/sb right, a2/sa left",
         "sa"},
        // Calls are not told apart.
        {"TwoCallsOfOneKernel",
         {FunctionText("InCore", "gemm", Operands(), PeeledLoop()),
          FunctionText("Orchestration", "f",
                       absl::StrCat("self, ", Operands("1"), ", ", "a2: ", kA,
                                    ", sa2: ", kSa),
                       "self.gemm(a1, sa1, b1, sb1)\n"
                       "self.gemm(a2, sa2, b1, sb1)")},
         "a1/sa1 left, a1/sa2 left, a2/sa1 left, a2/sa2 left, b1/sb1 right",
         "a1 sa1 a2 sa2"},
        {"NoMatmul", {FunctionText("InCore", "f", Operands(), Loads())}, ""},
        {"MatmulOfAFunctionThatTheEntryDoesNotFeed",
         {FunctionText("InCore", "gemm", Operands(), PeeledLoop()),
          FunctionText("Orchestration", "f",
                       absl::StrCat("self, ", Operands("_in")), "")},
         ""},
    }),
    [](const TestParamInfo<PartnersCase>& info) { return info.param.name; });

TEST(QuantisedParamTest, ThroughACall) {
  const TextProgram program(ProgramText(
      {FunctionText("InCore", "kernel",
                    "u: pl.Tensor[[64, 64], pl.FP32], v: pl.Tensor[[64, 64], "
                    "pl.FP32], w: pl.Tensor[[64, 64], pl.FP32]",
                    "s = pl.create_tile([1, 128], dtype=pl.FP32)\n"
                    "tu = pl.load(u, [0, 0], [64, 64])\n"
                    "qu = pl.tile.tquant_mx_raw(tu, s, s, group_axis=1)\n"
                    "tv = pl.load(v, [0, 0], [64, 64])\n"
                    "qv = pl.tile.tquant_mx_raw(tv, s, s, group_axis=0)\n"
                    "tw = pl.load(w, [0, 0], [64, 64])\n"
                    "e = pl.exp(tw)"),
       FunctionText("Orchestration", "f",
                    "self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Tensor[[64, "
                    "64], pl.FP32], z: pl.Tensor[[64, 64], pl.FP32]",
                    "self.kernel(x, y, z)")}));
  const ir::Function& entry = program.function("f");
  const MxPartners partners = FindMxPartners(*program, entry);
  const auto of = [&](int param) {
    return partners.QuantisedByProgram(entry.params[param]);
  };
  ASSERT_NE(of(0), nullptr);
  EXPECT_EQ(of(0)->side, MxSide::kLeft);
  ASSERT_NE(of(1), nullptr);
  EXPECT_EQ(of(1)->side, MxSide::kRight);
  EXPECT_EQ(of(2), nullptr);
}

}  // namespace
}  // namespace mxtile::exec
