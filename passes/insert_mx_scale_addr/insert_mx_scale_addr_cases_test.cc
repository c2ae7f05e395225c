// The numbered cases A1 to A20 of pypto_passes 8.3, as whole programs: with
// reuse of bindings (seed 001) and without (the public pass), in each type of
// in-core function.

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"
#include "passes/insert_mx_scale_addr/insert_mx_scale_addr.h"
#include "passes/insert_mx_scale_addr/mx_matmul_text_test_util.h"
#include "passes/insert_mx_scale_addr/scale_binding_checker.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ir::TextProgram;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

constexpr absl::string_view kInCoreTypes[] = {"InCore", "AIC", "AIV"};

PassOutcome Insert(const TextProgram& input, bool reuse = true,
                   const ir::Program* program = nullptr) {
  PassOptions options;
  options.reuse_scale_bindings = reuse;
  return RunOnText(InsertMxScaleAddr(), input, options, program);
}

void ExpectBound(const PassOutcome& outcome) {
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  for (const BindingFault& fault :
       FindBindingFaults(*outcome.program->Find("cell"))) {
    ADD_FAILURE() << fault.message;
  }
}

struct BindingCase {
  std::string name;
  std::string before;  // What stands behind the fills.
  std::string reused;  // The same after the pass.
  std::string anew;    // Without reuse; "": the same.
};
std::ostream& operator<<(std::ostream& os, const BindingCase& c) {
  return os << c.before;
}

class BindingTest : public TestWithParam<BindingCase> {};

TEST_P(BindingTest, Reused) {
  for (const absl::string_view type : kInCoreTypes) {
    SCOPED_TRACE(type);
    const TextProgram input(MatmulProgram(type, GetParam().before));
    const PassOutcome outcome = Insert(input);
    ExpectProgram(outcome, MatmulProgram(type, GetParam().reused));
    ExpectBound(outcome);
  }
}

TEST_P(BindingTest, Anew) {
  const BindingCase& c = GetParam();
  for (const absl::string_view type : kInCoreTypes) {
    SCOPED_TRACE(type);
    const TextProgram input(MatmulProgram(type, c.before));
    const PassOutcome outcome = Insert(input, /*reuse=*/false);
    ExpectProgram(outcome,
                  MatmulProgram(type, c.anew.empty() ? c.reused : c.anew));
    ExpectBound(outcome);
  }
}

// The matmul of A1 behind the pass.
constexpr char kFirst[] =
    "ls_bound = bind(ls, l)\n"
    "rs_bound = bind(rs, r)\n"
    "c = mm(l, ls_bound, r, rs_bound)\n";
// A second one that binds both again.
constexpr char kAgain[] =
    "ls_bound_1 = bind(ls, l)\n"
    "rs_bound_1 = bind(rs, r)\n"
    "d = mm(l, ls_bound_1, r, rs_bound_1)\n";
constexpr char kReusing[] = "d = mm(l, ls_bound, r, rs_bound)\n";

// Two matmuls of the same pairs with something between them.
BindingCase Between(absl::string_view name, absl::string_view between,
                    absl::string_view second) {
  return {std::string(name),
          absl::StrCat("c = mm(l, ls, r, rs)\n", between, "\n",
                       "d = mm(l, ls, r, rs)\n"),
          absl::StrCat(kFirst, between, "\n", second),
          absl::StrCat(kFirst, between, "\n", kAgain)};
}

INSTANTIATE_TEST_SUITE_P(
    Straight, BindingTest,
    ValuesIn(std::vector<BindingCase>{
        {"A1", "c = mm(l, ls, r, rs)\n", kFirst, ""},
        {"A2",
         "c = mm(l, ls, r, rs)\n"
         "d = mma(c, l, ls, r, rs)\n",
         absl::StrCat(kFirst, "d = mma(c, l, ls_bound, r, rs_bound)\n"),
         absl::StrCat(kFirst,
                      "ls_bound_1 = bind(ls, l)\n"
                      "rs_bound_1 = bind(rs, r)\n"
                      "d = mma(c, l, ls_bound_1, r, rs_bound_1)\n")},
        {"A3",
         "k = fill_left(lm)\n"
         "c = mm(l, ls, r, rs)\n"
         "d = mm(k, ls, r, rs)\n"
         "e = mm(l, ls, r, rs)\n",
         absl::StrCat("k = fill_left(lm)\n", kFirst,
                      "ls_bound_1 = bind(ls, k)\n"
                      "d = mm(k, ls_bound_1, r, rs_bound)\n"
                      "ls_bound_2 = bind(ls, l)\n"
                      "e = mm(l, ls_bound_2, r, rs_bound)\n"),
         absl::StrCat("k = fill_left(lm)\n", kFirst,
                      "ls_bound_1 = bind(ls, k)\n"
                      "rs_bound_1 = bind(rs, r)\n"
                      "d = mm(k, ls_bound_1, r, rs_bound_1)\n"
                      "ls_bound_2 = bind(ls, l)\n"
                      "rs_bound_2 = bind(rs, r)\n"
                      "e = mm(l, ls_bound_2, r, rs_bound_2)\n")},
        Between("A12", "other_l = fill_left(lm)",
                "ls_bound_1 = bind(ls, l)\n"
                "d = mm(l, ls_bound_1, r, rs_bound)\n"),
        Between("A12_Right", "other_r = fill_right(rm)",
                "rs_bound_1 = bind(rs, r)\n"
                "d = mm(l, ls_bound, r, rs_bound_1)\n"),
        Between("A12_LeftScale", "other_s = fill_left_scale(lsm)",
                "ls_bound_1 = bind(ls, l)\n"
                "d = mm(l, ls_bound_1, r, rs_bound)\n"),
        Between("A13",
                "again = pl.load(l_t, [0, 0], [16, 64], "
                "target_memory=pl.Mem.Mat)",
                kReusing),
        Between("A14", "stored = pl.store(c, [0, 0], dst)", kReusing),
        Between("A15", "self.other(n)", kAgain),
        Between("A15_Submit", "task = pl.submit(self.other, n)", kAgain),
        Between("A15_UnknownOperator", "u: pl.Scalar[pl.INDEX] = pl.some.op(n)",
                kAgain),
        {"A18", "c = mmb(l, ls, r, rs, b)\n",
         "ls_bound = bind(ls, l)\n"
         "rs_bound = bind(rs, r)\n"
         "c = mmb(l, ls_bound, r, rs_bound, b)\n",
         ""},
    }),
    [](const TestParamInfo<BindingCase>& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Nested, BindingTest,
    ValuesIn(std::vector<BindingCase>{
        {"A4",
         "if flag:\n"
         "    c = mm(l, ls, r, rs)\n"
         "else:\n"
         "    d = mm(l, ls, r, rs)\n",
         "if flag:\n"
         "    ls_bound = bind(ls, l)\n"
         "    rs_bound = bind(rs, r)\n"
         "    c = mm(l, ls_bound, r, rs_bound)\n"
         "else:\n"
         "    ls_bound_1 = bind(ls, l)\n"
         "    rs_bound_1 = bind(rs, r)\n"
         "    d = mm(l, ls_bound_1, r, rs_bound_1)\n",
         ""},
        {"A5",
         "if flag:\n"
         "    c = mm(l, ls, r, rs)\n",
         "if flag:\n"
         "    ls_bound = bind(ls, l)\n"
         "    rs_bound = bind(rs, r)\n"
         "    c = mm(l, ls_bound, r, rs_bound)\n",
         ""},
        {"A7",
         "first = mm(l, ls, r, rs)\n"
         "for i, (acc, data, scale) in pl.range(4, init_values=(first, l, "
         "ls)):\n"
         "    following = mma(acc, data, scale, r, rs)\n"
         "    total, d, s = pl.yield_(following, data, scale)\n",
         "ls_bound = bind(ls, l)\n"
         "rs_bound = bind(rs, r)\n"
         "first = mm(l, ls_bound, r, rs_bound)\n"
         "for i, (acc, data, scale) in pl.range(4, init_values=(first, l, "
         "ls)):\n"
         "    scale_bound = bind(scale, data)\n"
         "    rs_bound_1 = bind(rs, r)\n"
         "    following = mma(acc, data, scale_bound, r, rs_bound_1)\n"
         "    total, d, s = pl.yield_(following, data, scale)\n",
         ""},
        Between("A16",
                "if flag:\n"
                "    k = n + 1",
                kAgain),
        Between("A16_For",
                "for i in pl.range(4):\n"
                "    k = i + 1",
                kAgain),
        Between("A16_Scope",
                "for i in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):\n"
                "    k = i + 1",
                kAgain),
        Between("A16_While",
                "for (k,) in pl.while_(init_values=(n,)):\n"
                "    pl.cond(k > 0)\n"
                "    less = k - 1\n"
                "    rest = pl.yield_(less)",
                kAgain),
        {"A17",
         "c = mm(l, ls, r, rs)\n"
         "for i in pl.range(4):\n"
         "    d = mm(l, ls, r, rs)\n"
         "e = mm(l, ls, r, rs)\n",
         absl::StrCat(kFirst,
                      "for i in pl.range(4):\n"
                      "    ls_bound_1 = bind(ls, l)\n"
                      "    rs_bound_1 = bind(rs, r)\n"
                      "    d = mm(l, ls_bound_1, r, rs_bound_1)\n"
                      "ls_bound_2 = bind(ls, l)\n"
                      "rs_bound_2 = bind(rs, r)\n"
                      "e = mm(l, ls_bound_2, r, rs_bound_2)\n"),
         ""},
    }),
    [](const TestParamInfo<BindingCase>& info) { return info.param.name; });

// ---- A body of one statement

TEST(InsertMxScaleAddrCaseTest, A6_FunctionOfOneStatement) {
  const auto program = [](absl::string_view type, absl::string_view body) {
    return ir::ProgramText(
        {ir::FunctionText(type, "cell",
                          "l: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Left], "
                          "ls: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.LeftScale], "
                          "r: pl.Tile[[64, 32], pl.FP8E4M3FN, pl.Mem.Right], "
                          "rs: pl.Tile[[2, 32], pl.FP8E8M0, pl.Mem.RightScale]",
                          ExpandedMatmuls(body))});
  };
  for (const absl::string_view type : kInCoreTypes) {
    for (const bool reuse : {true, false}) {
      SCOPED_TRACE(absl::StrCat(type, reuse ? " with reuse" : ""));
      const TextProgram input(program(type, "c = mm(l, ls, r, rs)"));
      ASSERT_EQ(input.function("cell").body.size(), 1);
      const PassOutcome outcome = Insert(input, reuse);
      ExpectProgram(outcome, program(type, kFirst));
      ExpectBound(outcome);
    }
  }
}

// ---- Twice

TEST(InsertMxScaleAddrCaseTest, A8_ASecondRunBindsAgain) {
  const TextProgram input(MatmulProgram("InCore", "c = mm(l, ls, r, rs)"));
  for (const bool reuse : {true, false}) {
    const PassOutcome once = Insert(input, reuse);
    ASSERT_NE(once.program, nullptr) << once.errors();
    const PassOutcome twice = Insert(input, reuse, once.program);
    ExpectProgram(twice, MatmulProgram("InCore",
                                       "ls_bound = bind(ls, l)\n"
                                       "rs_bound = bind(rs, r)\n"
                                       "ls_bound_bound = bind(ls_bound, l)\n"
                                       "rs_bound_bound = bind(rs_bound, r)\n"
                                       "c = mm(l, ls_bound_bound, r, "
                                       "rs_bound_bound)\n"));
    ExpectBound(twice);
  }
}

// ---- Refused

struct RefusedCase {
  std::string name;
  std::string body;
  std::string error;
};
std::ostream& operator<<(std::ostream& os, const RefusedCase& c) {
  return os << c.body;
}

class RefusedBindingTest : public TestWithParam<RefusedCase> {};

TEST_P(RefusedBindingTest, InEveryType) {
  const RefusedCase& c = GetParam();
  for (const absl::string_view type : kInCoreTypes) {
    SCOPED_TRACE(type);
    const TextProgram input(MatmulProgram(type, c.body));
    for (const bool reuse : {true, false}) {
      const PassOutcome outcome = Insert(input, reuse);
      ExpectRefused(outcome, {c.error});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedBindingTest,
    ValuesIn(std::vector<RefusedCase>{
        {"A10_Scale",
         "u: pl.Tile[[16, 2], pl.FP8E8M0] = pl.some.op()\n"
         "c = mm(l, u, r, rs)\n",
         "MX-SCALEADDR-4 tile.matmul_mx has scale 'u' in no memory space and "
         "data 'l' in Left; on its left it takes a scale in LeftScale with "
         "data in Left: run infer_tile_memory_space first"},
        {"A10_Data",
         "u: pl.Tile[[64, 32], pl.FP8E4M3FN] = pl.some.op()\n"
         "c = mm(l, ls, u, rs)\n",
         "MX-SCALEADDR-4 tile.matmul_mx has scale 'rs' in RightScale and data "
         "'u' in no memory space; on its right it takes a scale in RightScale "
         "with data in Right: run infer_tile_memory_space first"},
        {"A11", "c = mm(l, bind(ls, l), r, rs)\n",
         "MX-SCALEADDR-3 operand 1 of tile.matmul_mx must be a variable; "
         "assign it to one, or run flatten_call_expr first"},
        // Of the extents that the operands have, so that only spaces are wrong.
        {"A19",
         "x: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Right] = pl.some.op()\n"
         "c = mm(x, ls, r, rs)\n",
         "MX-SCALEADDR-4 tile.matmul_mx has scale 'ls' in LeftScale and data "
         "'x' in Right; on its left it takes a scale in LeftScale with data in "
         "Left: run infer_tile_memory_space first"},
        {"A19_BothOperands",
         "x: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Right] = pl.some.op()\n"
         "xs: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.RightScale] = pl.some.op()\n"
         "y: pl.Tile[[64, 32], pl.FP8E4M3FN, pl.Mem.Left] = pl.some.op()\n"
         "ys: pl.Tile[[2, 32], pl.FP8E8M0, pl.Mem.LeftScale] = pl.some.op()\n"
         "c = mm(x, xs, y, ys)\n",
         "MX-SCALEADDR-4 tile.matmul_mx has scale 'xs' in RightScale and data "
         "'x' in Right; on its left it takes a scale in LeftScale with data in "
         "Left: run infer_tile_memory_space first"},
    }),
    [](const TestParamInfo<RefusedCase>& info) { return info.param.name; });

TEST(InsertMxScaleAddrCaseTest, A9_OtherTargetsAreRefusedOnce) {
  for (const absl::string_view type : kInCoreTypes) {
    for (const std::string target : {"a2a3", "none"}) {
      SCOPED_TRACE(absl::StrCat(type, " for ", target));
      const TextProgram input(MatmulProgram(type,
                                            "c = mm(l, ls, r, rs)\n"
                                            "d = mma(c, l, ls, r, rs)\n"));
      PassOptions options;
      options.target = target;
      const PassOutcome outcome =
          RunOnText(InsertMxScaleAddr(), input, options);
      ExpectRefused(
          outcome,
          {absl::StrCat("MX-SCALEADDR-1 tile.matmul_mx is only supported on "
                        "Ascend950 ('a5'), the target is '",
                        target, "'")});
      EXPECT_EQ(outcome.sink.diagnostics()[0].span.line,
                input.LineOf("c = pl.tile.matmul_mx"));
    }
  }
}

// ---- Other functions

TEST(InsertMxScaleAddrCaseTest, A20_OtherFunctionsStay) {
  for (const absl::string_view type : {"Orchestration", "Opaque", "Group"}) {
    SCOPED_TRACE(type);
    const TextProgram input(MatmulProgram(type, "c = mm(l, ls, r, rs)"));
    const PassOutcome outcome = Insert(input);
    EXPECT_EQ(outcome.program, input.get()) << outcome.errors();
  }
}

}  // namespace
}  // namespace mxtile
