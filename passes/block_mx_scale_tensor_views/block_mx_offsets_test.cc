// Offsets of loads: the constant ones O1 to O8 and the symbolic ones P1 to P35,
// through the pass. proof/prover_test.cc asks the prover the same.

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/text/text_program_test_util.h"
#include "passes/block_mx_scale_tensor_views/block_mx_test_util.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"
#include "proof/prover.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

struct OffsetCase {
  std::string name;
  std::string params;   // Of the function `cell`, besides the scales `s`.
  std::string body;     // $load stands for the load.
  std::string offsets;  // Of the load.
  // The blocked offsets; or the rule that is broken, and what the error says
  // behind "tile.load of MX tensor 's': ".
  std::string want;
  std::string message = {};
  // The body of `main`; "": nobody calls the function.
  std::string callers = {};
  // Where the case gives a value that is to blame.
  std::optional<int64_t> value = {};
  bool is_b = false;  // `s` is B [8, 64], not A [64, 8].
};
std::ostream& operator<<(std::ostream& os, const OffsetCase& c) {
  return os << c.offsets << " in\n" << c.body;
}

bool IsRefused(const OffsetCase& c) { return absl::StartsWith(c.want, "MX-"); }

// The program before the pass, or what it is to be behind it.
std::string OffsetProgram(const OffsetCase& c, bool blocked) {
  // Of a type that the text states: for operators without type rules.
  const absl::string_view tile = "pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat]";
  const std::string load =
      blocked ? LoadText("s", c.want, "[1, 1, 1, 16, 2]", tile)
              : LoadText("s", c.offsets, c.is_b ? "[2, 16]" : "[16, 2]", tile);
  const std::string type =
      absl::StrCat("s: ", c.is_b ? (blocked ? BlockedB8x64() : ScaleB8x64())
                                 : (blocked ? BlockedA64x8() : ScaleA64x8()));
  const auto body = [&](absl::string_view text) {
    return blocked ? Stamped(text) : std::string(text);
  };
  std::vector<std::string> functions = {
      FunctionText("InCore", "cell",
                   absl::StrCat(type, c.params.empty() ? "" : ", ", c.params),
                   body(absl::StrReplaceAll(c.body, {{"$load", load}})))};
  if (!c.callers.empty()) {
    functions.push_back(FunctionText("Orchestration", "main",
                                     absl::StrCat("self, ", type),
                                     body(c.callers)));
  }
  return ProgramText(functions);
}

void ExpectVerdict(const OffsetCase& c, const TextProgram& input,
                   const PassOutcome& outcome) {
  if (!IsRefused(c)) {
    ExpectProgram(outcome, OffsetProgram(c, /*blocked=*/true), UncheckedOps());
    return;
  }
  ExpectRefused(
      outcome,
      {absl::StrCat(c.want, " tile.load of MX tensor 's': ", c.message)});
  EXPECT_EQ(outcome.sink.diagnostics()[0].span.line,
            input.LineOf("pl.tile.load"));
  if (!c.value.has_value()) return;
  bool blamed = false;
  for (const OffsetVerdict& verdict : outcome.findings.offsets) {
    blamed = blamed || verdict.violating_value == c.value;
  }
  EXPECT_TRUE(blamed) << "no verdict with the value " << *c.value;
}

class OffsetTest : public TestWithParam<OffsetCase> {};

TEST_P(OffsetTest, OfLoad) {
  const OffsetCase& c = GetParam();
  const TextProgram input(OffsetProgram(c, false), UncheckedOps());
  ExpectVerdict(c, input, RunBlockMx(input));
}

std::string NameOf(const TestParamInfo<OffsetCase>& info) {
  return info.param.name;
}

// What a refusal says about an axis of A.
std::string Block(absl::string_view what) {
  return absl::StrCat("the block offset (argument 1, axis 0) ", what);
}
std::string Group(absl::string_view what) {
  return absl::StrCat("the group offset (argument 1, axis 1) ", what);
}
std::string NotMultiple(absl::string_view offset) {
  return Block(
      absl::StrCat("'", offset, "' cannot be proven a multiple of 16"));
}
std::string MayBeNegative(absl::string_view offset) {
  return Block(absl::StrCat("'", offset, "' cannot be proven non-negative"));
}

// ---- O: constants

OffsetCase Constant(absl::string_view name, absl::string_view offsets,
                    absl::string_view want, absl::string_view message = "") {
  OffsetCase c;
  c.name = std::string(name);
  c.body = "$load";
  c.offsets = std::string(offsets);
  c.want = std::string(want);
  c.message = std::string(message);
  return c;
}
OffsetCase OfB(OffsetCase c) {
  c.is_b = true;
  return c;
}
OffsetCase Blaming(int64_t value, OffsetCase c) {
  c.value = value;
  return c;
}

INSTANTIATE_TEST_SUITE_P(
    Constants, OffsetTest,
    ValuesIn(std::vector<OffsetCase>{
        Constant("O1", "[0, 0]", "[0, 0, 0, 0, 0]"),
        Constant("O2", "[48, 6]", "[0, 3, 3, 0, 0]"),
        Blaming(8, Constant("O3", "[8, 0]", "MX-OFFSET-2",
                            Block("must be a non-negative multiple of 16, got "
                                  "8"))),
        Blaming(3, Constant("O4", "[0, 3]", "MX-OFFSET-2",
                            Group("must be a non-negative multiple of 2, got "
                                  "3"))),
        Blaming(-16,
                Constant("O5", "[-16, 0]", "MX-OFFSET-2",
                         Block("must be a non-negative multiple of 16, got "
                               "-16"))),
        Constant("O6_Rank1", "[0]", "MX-OFFSET-1",
                 "the offsets (argument 1) must be a list of rank 2, written "
                 "in place; this one has rank 1"),
        Constant("O6_Rank3", "[0, 0, 0]", "MX-OFFSET-1",
                 "the offsets (argument 1) must be a list of rank 2, written "
                 "in place; this one has rank 3"),
        OfB(Constant("O7", "[2, 16]", "[0, 1, 1, 0, 0]")),
        Blaming(2, OfB(Constant("O8", "[16, 2]", "MX-OFFSET-2",
                                "the block offset (argument 1, axis 1) must be "
                                "a non-negative multiple of 16, got 2"))),
        // Not in the specification, but what re-reading asks for.
        Constant("AtTheEnd", "[64, 0]", "MX-OFFSET-5",
                 Block("is 64, and a window of 16 from there ends behind the "
                       "tensor's 64")),
        OfB(Constant("GroupAtTheEnd", "[8, 16]", "MX-OFFSET-5",
                     "the group offset (argument 1, axis 0) is 8, and a window "
                     "of 2 from there ends behind the tensor's 8")),
        Constant("WidthIsKept", "[pl.const(32, pl.INT32), 0]",
                 "[0, pl.const(2, pl.INT32), 0, 0, 0]"),
    }),
    NameOf);

// ---- P: symbolic ones

constexpr char kN[] = "n: pl.Scalar[pl.INDEX]";
constexpr char kNM[] = "n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]";
constexpr char kP[] = "p: pl.Scalar[pl.INDEX]";

// A load in a loop of variable i.
OffsetCase InLoop(absl::string_view name, absl::string_view range,
                  absl::string_view offsets, absl::string_view want,
                  absl::string_view message = "",
                  absl::string_view params = kN) {
  OffsetCase c = Constant(name, offsets, want, message);
  c.params = std::string(params);
  c.body = absl::StrCat("for i in pl.range(", range, "):\n    $load");
  return c;
}

std::string AliasChain(int definitions) {
  std::string text = "for i in pl.range(4):\n    v1 = i * 16\n";
  for (int n = 2; n <= definitions; ++n) {
    absl::StrAppend(&text, "    v", n, " = v", n - 1, "\n");
  }
  return absl::StrCat(text, "    $load");
}

INSTANTIATE_TEST_SUITE_P(
    Loops, OffsetTest,
    ValuesIn(std::vector<OffsetCase>{
        InLoop("P1", "0, n, 16", "[i, 0]", "[0, i // 16, 0, 0, 0]"),
        InLoop("P2", "0, n, 8", "[i, 0]", "MX-OFFSET-3", NotMultiple("i")),
        InLoop("P3", "8, n, 16", "[i, 0]", "MX-OFFSET-3", NotMultiple("i")),
        InLoop("P4", "n, m, 16", "[i, 0]", "MX-OFFSET-3", NotMultiple("i"),
               kNM),
        InLoop("P5", "0, n, 1", "[i * 16, 0]", "[0, i * 16 // 16, 0, 0, 0]"),
        InLoop("P6", "0, n, 1", "[16 * i, 0]", "[0, 16 * i // 16, 0, 0, 0]"),
        InLoop("P7", "n, m, 1", "[i * 16, 0]", "MX-OFFSET-4",
               MayBeNegative("i * 16"), kNM),
        InLoop("P8", "0, n, 1", "[i * 16 + 32, 0]",
               "[0, (i * 16 + 32) // 16, 0, 0, 0]"),
        Blaming(8, InLoop("P9", "0, n, 1", "[i * 16 + 8, 0]", "MX-OFFSET-3",
                          NotMultiple("i * 16 + 8"))),
        InLoop("P10", "0, n, 1", "[48 - i * 16, 0]", "MX-OFFSET-4",
               MayBeNegative("48 - i * 16")),
        InLoop("P11", "0, n, 1", "[(i * 16 - 16) + 32, 0]", "MX-OFFSET-4",
               MayBeNegative("i * 16 - 16 + 32")),
        InLoop("P12", "0, n, 32", "[i // 2, 0]", "[0, i // 2 // 16, 0, 0, 0]"),
        InLoop("P13", "0, n, 16", "[i // 2, 0]", "MX-OFFSET-3",
               NotMultiple("i // 2")),
        InLoop("P14", "0, n, 48", "[i // 3, 0]", "MX-OFFSET-3",
               NotMultiple("i // 3")),
        InLoop("P15", "0, n, 64", "[0, i // 32]", "[0, 0, i // 32 // 2, 0, 0]"),
        InLoop("P16", "0, n, 32", "[0, i // 32]", "MX-OFFSET-3",
               Group("'i // 32' cannot be proven a multiple of 2")),
        InLoop("P17", "0, n, 32", "[i // 1152921504606846976, 0]",
               "MX-OFFSET-3", NotMultiple("i // 1152921504606846976")),
        Blaming(-1, InLoop("P19", "0, n, 1", "[-1 * i * 16, 0]", "MX-OFFSET-4",
                           MayBeNegative("-1 * i * 16"))),
        InLoop("P20", "64, 0, -16", "[i, 0]", "MX-OFFSET-4",
               MayBeNegative("i")),
        InLoop("P21", "0, n, 1", "[pl.max(i * 16, 0), 0]", "MX-OFFSET-3",
               NotMultiple("pl.max(i * 16, 0)")),
        InLoop("P35", "0, n, 1", "[pl.cast(i, pl.INDEX) * 16, 0]",
               "MX-OFFSET-4", MayBeNegative("pl.cast(i, pl.INDEX) * 16")),
        // Divisibility is asked before sign: i is known to be neither.
        InLoop("DivisibilityFirst", "n, m, 1", "[i, 0]", "MX-OFFSET-3",
               NotMultiple("i"), kNM),
        InLoop("WidthIsKept",
               "pl.const(0, pl.INT32), pl.const(64, pl.INT32), "
               "pl.const(16, pl.INT32)",
               "[i, 0]", "[0, i // pl.const(16, pl.INT32), 0, 0, 0]"),
        OfB(InLoop("OfB", "0, n, 2", "[i, 16]", "[0, 1, i // 2, 0, 0]")),
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Values, OffsetTest,
    ValuesIn(std::vector<OffsetCase>{
        {"P18", "", "b = pl.tile.get_block_idx()\n$load", "[b * 16, 0]",
         "[0, b * 16 // 16, 0, 0, 0]"},
        {"P22", "x: pl.Scalar[pl.INDEX]", "$load", "[(x % 2) * 512, 0]",
         "MX-OFFSET-4", MayBeNegative("x % 2 * 512")},
        {"P23", "",
         "for i, (at,) in pl.range(4, init_values=(0,)):\n"
         "    $load\n"
         "    further = at + 16\n"
         "    end = pl.yield_(further)",
         "[at, 0]", "MX-OFFSET-3", NotMultiple("at")},
        {"P23_LoopResult", "",
         "for i, (at,) in pl.range(4, init_values=(0,)):\n"
         "    further = at + 16\n"
         "    end = pl.yield_(further)\n"
         "$load",
         "[end, 0]", "MX-OFFSET-3", NotMultiple("end")},
        {"P24", "flag: pl.Scalar[pl.BOOL]",
         "if flag:\n"
         "    phi = pl.yield_(0)\n"
         "else:\n"
         "    phi = pl.yield_(16)\n"
         "$load",
         "[phi, 0]", "MX-OFFSET-3", NotMultiple("phi")},
        {"P25", "",
         "for i in pl.range(4):\n"
         "    a = i * 16\n"
         "    b = a\n"
         "    c = b\n"
         "    $load",
         "[c, 0]", "[0, c // 16, 0, 0, 0]"},
        {"P26", "", AliasChain(300), "[v300, 0]", "MX-OFFSET-3",
         NotMultiple("v300")},
        // The definitions, the product, i and 16 are 256 visits.
        {"P26_LongestChain", "", AliasChain(253), "[v253, 0]",
         "[0, v253 // 16, 0, 0, 0]"},
        {"P26_OneDefinitionMore", "", AliasChain(254), "[v254, 0]",
         "MX-OFFSET-3", NotMultiple("v254")},
        {"P34", "", "b = pl.tile.get_block_num()\n$load", "[b * 16, 0]",
         "[0, b * 16 // 16, 0, 0, 0]"},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Callers, OffsetTest,
    ValuesIn(std::vector<OffsetCase>{
        {"P27", kP, "$load", "[p, 0]", "[0, p // 16, 0, 0, 0]", "",
         "self.cell(s, 0)\n"
         "self.cell(s, 16)\n"
         "for i in pl.range(4):\n"
         "    self.cell(s, i * 16)"},
        {"P28", kP, "$load", "[p, 0]", "MX-OFFSET-3", NotMultiple("p"),
         "self.cell(s, 0)\n"
         "for i in pl.range(4):\n"
         "    self.cell(s, i)"},
        {"P28_Constant", kP, "$load", "[p, 0]", "MX-OFFSET-3", NotMultiple("p"),
         "self.cell(s, 0)\n"
         "self.cell(s, 24)",
         24},
        // `out` is left out, and allocated by the runtime.
        {"P30", absl::StrCat(kP, ", out: pl.Out[pl.Tensor[[16, 2], pl.FP32]]"),
         "$load", "[p, 0]", "[0, p // 16, 0, 0, 0]", "",
         "task = pl.submit(self.cell, s, 32)"},
        {"P32", kP, "$load\nself.cell(s, p)", "[p, 0]", "MX-OFFSET-3",
         NotMultiple("p"), "self.cell(s, 16)"},
    }),
    NameOf);

// ---- Calls that the text form has no way to write

// Gives a further argument to calls and submits of `cell`.
class ArgumentAppender : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  const ir::Expr* RewriteNode(const ir::Expr* node) override {
    if (const auto* call = ir::DynCast<ir::Call>(node)) {
      if (call->callee->name != "cell") return node;
      ir::Call copy = *call;
      copy.args = WithOneMore(call->args);
      return context().New(copy);
    }
    if (const auto* submit = ir::DynCast<ir::Submit>(node)) {
      ir::Submit copy = *submit;
      copy.args = WithOneMore(submit->args);
      return context().New(copy);
    }
    return node;
  }

 private:
  ir::Exprs WithOneMore(ir::Exprs args) {
    std::vector<const ir::Expr*> result(args.begin(), args.end());
    result.push_back(context().Index(16));
    return context().List(result);
  }
};

class WrongArgumentCountTest : public TestWithParam<OffsetCase> {};

TEST_P(WrongArgumentCountTest, OfCaller) {
  const OffsetCase& c = GetParam();
  const TextProgram input(OffsetProgram(c, false), UncheckedOps());
  const ir::Program* program =
      ArgumentAppender(&input.context()).RewriteProgram(input.get());
  ExpectVerdict(c, input, RunBlockMx(input, {}, program));
}

INSTANTIATE_TEST_SUITE_P(Cases, WrongArgumentCountTest,
                         ValuesIn(std::vector<OffsetCase>{
                             {"P29", kP, "$load", "[p, 0]", "MX-OFFSET-3",
                              NotMultiple("p"), "self.cell(s, 16)"},
                             {"P31", kP, "$load", "[p, 0]", "MX-OFFSET-3",
                              NotMultiple("p"),
                              "task = pl.submit(self.cell, s, 16)"},
                         }),
                         NameOf);

TEST(ForwardedOffsetTest, P33_ParameterForwardedThroughTwoFunctions) {
  const auto program = [](absl::string_view type, absl::string_view offsets,
                          absl::string_view window, bool stamped) {
    const std::string params =
        absl::StrCat("s: ", type, ", p: pl.Scalar[pl.INDEX]");
    const auto body = [&](absl::string_view text) {
      return stamped ? Stamped(text) : std::string(text);
    };
    return ProgramText(
        {FunctionText("InCore", "cell", params,
                      body(LoadText("s", offsets, window))),
         FunctionText("Group", "middle", params, body("self.cell(s, p)")),
         FunctionText("Group", "outer", params, body("self.middle(s, p)")),
         FunctionText("Orchestration", "main", absl::StrCat("self, s: ", type),
                      body("self.outer(s, 48)"))});
  };
  const TextProgram input(program(ScaleA64x8(), "[p, 0]", "[16, 2]", false));
  ExpectProgram(RunBlockMx(input),
                program(BlockedA64x8(), "[0, p // 16, 0, 0, 0]",
                        "[1, 1, 1, 16, 2]", true));

  // A host that may call the middle one passes anything.
  PassOptions options;
  options.entry = "middle";
  ExpectRefused(RunOnText(BlockMxScaleTensorViews(), input, options),
                {absl::StrCat("MX-OFFSET-3 tile.load of MX tensor 's': ",
                              NotMultiple("p"))});
}

// ---- With extended proofs

class ExtendedOffsetTest : public TestWithParam<OffsetCase> {};

TEST_P(ExtendedOffsetTest, OfLoad) {
  const OffsetCase& c = GetParam();
  const TextProgram input(OffsetProgram(c, false), UncheckedOps());
  BlockMxOptions options;
  options.proof.extended = true;
  ExpectVerdict(c, input, RunBlockMx(input, options));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ExtendedOffsetTest,
    ValuesIn(std::vector<OffsetCase>{
        InLoop("P21", "0, n, 1", "[pl.max(i * 16, 0), 0]", "MX-OFFSET-3",
               NotMultiple("pl.max(i * 16, 0)")),
        {"P22", "x: pl.Scalar[pl.INDEX]", "$load", "[(x % 2) * 512, 0]",
         "MX-OFFSET-4", MayBeNegative("x % 2 * 512")},
        InLoop("P22_DividendNotNegative", "0, n, 1", "[(i % 2) * 32, 0]",
               "[0, i % 2 * 32 // 16, 0, 0, 0]"),
    }),
    NameOf);

}  // namespace
}  // namespace mxtile
