#include "passes/insert_mx_scale_addr/scale_binding_checker.h"

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"
#include "passes/insert_mx_scale_addr/mx_matmul_text_test_util.h"

namespace mxtile {
namespace {

using ir::TextProgram;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

std::string Name(BindingEvent event) {
  switch (event) {
    case BindingEvent::kNone:
      return "none";
    case BindingEvent::kBinding:
      return "binding";
    case BindingEvent::kOperator:
      return "operator";
    case BindingEvent::kAlias:
      return "alias";
    case BindingEvent::kUnknownCode:
      return "unknown code";
    case BindingEvent::kBoundary:
      return "boundary";
  }
  return "?";
}

// "left binding, right boundary": the sides and the last events of all faults.
std::string Faults(absl::string_view body) {
  const TextProgram program(MatmulProgram("InCore", body));
  std::string text;
  for (const BindingFault& fault :
       FindBindingFaults(program.function("cell"))) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    fault.is_left ? "left " : "right ", Name(fault.event));
  }
  return text;
}

constexpr char kBindings[] =
    "lb = bind(ls, l)\n"
    "rb = bind(rs, r)\n";

TEST(ScaleBindingCheckerTest, BoundInFrontOfTheMatmul) {
  EXPECT_EQ(Faults(absl::StrCat(kBindings, "c = mm(l, lb, r, rb)\n")), "");
  EXPECT_EQ(Faults(absl::StrCat(kBindings, "c = mm(l, lb, r, rb)\n",
                                "d = mma(c, l, lb, r, rb)\n",
                                "e = mmb(l, lb, r, rb, b)\n")),
            "");
}

TEST(ScaleBindingCheckerTest, NothingIsBound) {
  EXPECT_EQ(Faults("c = mm(l, ls, r, rs)\n"), "left operator, right operator");
}

TEST(ScaleBindingCheckerTest, TheBoundTileIsWhatIsRead) {
  EXPECT_EQ(Faults(absl::StrCat(kBindings, "c = mm(l, ls, r, rb)\n")),
            "left binding");
  // The later name of one register.
  EXPECT_EQ(Faults("first = bind(ls, l)\n"
                   "lb = bind(first, l)\n"
                   "rb = bind(rs, r)\n"
                   "c = mm(l, first, r, rb)\n"
                   "d = mm(l, lb, r, rb)\n"),
            "left binding");
}

TEST(ScaleBindingCheckerTest, BoundToOtherData) {
  EXPECT_EQ(Faults("k = fill_left(lm)\n"
                   "lb = bind(ls, k)\n"
                   "rb = bind(rs, r)\n"
                   "c = mm(l, lb, r, rb)\n"),
            "left binding");
}

TEST(ScaleBindingCheckerTest, Message) {
  const TextProgram program(
      MatmulProgram("InCore", absl::StrCat(kBindings,
                                           "self.other(n)\n"
                                           "lb_1 = bind(ls, l)\n"
                                           "c = mm(l, lb, r, rb)\n")));
  const std::vector<BindingFault> faults =
      FindBindingFaults(program.function("cell"));
  ASSERT_EQ(faults.size(), 2);
  EXPECT_EQ(faults[0].message,
            absl::StrCat("tile.matmul_mx reads its left scale 'lb' with data "
                         "'l': 'lb_1' is bound there, to 'l', at line ",
                         program.LineOf("lb_1 =")));
  EXPECT_EQ(faults[1].message,
            absl::StrCat("tile.matmul_mx reads its right scale 'rb' with data "
                         "'r': nothing is bound there since a call at line ",
                         program.LineOf("self.other")));
  EXPECT_EQ(faults[1].event_span.line, program.LineOf("self.other"));
  EXPECT_EQ(faults[0].matmul, faults[1].matmul);
}

// ---- Events between binding and matmul

struct EventCase {
  std::string name;
  std::string event;  // Statements.
  std::string want;   // The faults of a matmul behind them.
};
std::ostream& operator<<(std::ostream& os, const EventCase& c) {
  return os << c.event;
}

class EventTest : public TestWithParam<EventCase> {};

TEST_P(EventTest, BetweenBindingAndMatmul) {
  EXPECT_EQ(Faults(absl::StrCat(kBindings, GetParam().event, "\n",
                                "c = mm(l, lb, r, rb)\n")),
            GetParam().want);
}

TEST_P(EventTest, InFrontOfTheBindings) {
  EXPECT_EQ(Faults(absl::StrCat(GetParam().event, "\n", kBindings,
                                "c = mm(l, lb, r, rb)\n")),
            "");
}

constexpr char kBothOperator[] = "left operator, right operator";
constexpr char kBothUnknown[] = "left unknown code, right unknown code";
constexpr char kBothBoundary[] = "left boundary, right boundary";

INSTANTIATE_TEST_SUITE_P(
    Cases, EventTest,
    ValuesIn(std::vector<EventCase>{
        {"MatLoad",
         "x = pl.load(l_t, [0, 0], [16, 64], target_memory=pl.Mem.Mat)", ""},
        {"AccStore",
         "a = pl.create_tile([16, 32], dtype=pl.FP32, "
         "target_memory=pl.Mem.Acc)\n"
         "x = pl.store(a, [0, 0], dst)",
         ""},
        {"Scalar", "x = n + 1", ""},
        {"LeftBinding", "x = bind(ls, l)", "left binding"},
        {"RightBinding", "x = bind(rs, r)", "right binding"},
        {"MoveToLeft", "x = fill_left(lm)", "left operator"},
        {"MoveToLeftScale", "x = fill_left_scale(lsm)", "left operator"},
        {"MoveToRight", "x = fill_right(rm)", "right operator"},
        {"MoveToRightScale", "x = fill_right_scale(rsm)", "right operator"},
        {"MoveFromLeft", "x = pl.tile.move(l, target_memory=pl.Mem.Vec)",
         "left operator"},
        {"MoveFromRight", "x = pl.tile.move(r, target_memory=pl.Mem.Vec)",
         "right operator"},
        {"OtherMatmul",
         "x: pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(l, r)",
         kBothOperator},
        {"AliasOfLeft", "x = l", "left alias"},
        {"AliasOfLeftScale", "x = ls", "left alias"},
        {"AliasOfRight", "x = r", "right alias"},
        {"AliasOfRightScale", "x = rs", "right alias"},
        {"TupleItem", "x = pair[0]", "left alias"},
        {"TupleItemOfRight", "x = pair[1]", "right alias"},
        {"Function", "self.other(n)", kBothUnknown},
        {"Submit", "x = pl.submit(self.other, n)", kBothUnknown},
        {"UnknownOperator", "x: pl.Scalar[pl.INDEX] = pl.some.op(n)",
         kBothUnknown},
        {"If", "if flag:\n    x = n + 1", kBothBoundary},
        {"For", "for x in pl.range(4):\n    y = x + 1", kBothBoundary},
        {"While",
         "for (x,) in pl.while_(init_values=(n,)):\n"
         "    pl.cond(x > 0)\n"
         "    y = x - 1\n"
         "    z = pl.yield_(y)",
         kBothBoundary},
        {"Scope",
         "for x in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):\n    y = x + 1",
         kBothBoundary},
        {"YieldOfLeft",
         "if flag:\n"
         "    x = pl.yield_(l)\n"
         "else:\n"
         "    x = pl.yield_(l)",
         kBothBoundary},
    }),
    [](const TestParamInfo<EventCase>& info) { return info.param.name; });

// ---- Bodies

TEST(ScaleBindingCheckerTest, WhatIsBoundOutsideIsNotInside) {
  EXPECT_EQ(Faults(absl::StrCat(kBindings,
                                "if flag:\n"
                                "    c = mm(l, lb, r, rb)\n"
                                "else:\n"
                                "    d = mm(l, lb, r, rb)\n")),
            absl::StrCat(kBothBoundary, ", ", kBothBoundary));
}

TEST(ScaleBindingCheckerTest, BindingsOfOneBranchAreNotOfTheOther) {
  EXPECT_EQ(Faults("if flag:\n"
                   "    lb = bind(ls, l)\n"
                   "    rb = bind(rs, r)\n"
                   "    c = mm(l, lb, r, rb)\n"
                   "else:\n"
                   "    d = mm(l, ls, r, rs)\n"),
            kBothBoundary);
}

TEST(ScaleBindingCheckerTest, ABodyIsASequenceOfItsOwn) {
  EXPECT_EQ(Faults("for i in pl.range(4):\n"
                   "    lb = bind(ls, l)\n"
                   "    rb = bind(rs, r)\n"
                   "    c = mm(l, lb, r, rb)\n"
                   "    if flag:\n"
                   "        lb_1 = bind(ls, l)\n"
                   "        rb_1 = bind(rs, r)\n"
                   "        d = mm(l, lb_1, r, rb_1)\n"
                   "    e = mm(l, lb, r, rb)\n"),
            kBothBoundary);
}

}  // namespace
}  // namespace mxtile
