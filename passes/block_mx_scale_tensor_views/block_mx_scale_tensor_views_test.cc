#include "passes/block_mx_scale_tensor_views/block_mx_scale_tensor_views.h"

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "passes/function_attrs.h"
#include "passes/pass.h"
#include "passes/property.h"

// Tests are named by the numbered cases of pypto_passes, sections 5.6 and 5.7,
// in the version of seed 000.

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

constexpr absl::string_view kScaleA64x8 =
    "s: pl.Tensor[[64, 8], pl.FP8E8M0, pl.MX_A_ZZ]";
constexpr absl::string_view kScaleB8x64 =
    "s: pl.Tensor[[8, 64], pl.FP8E8M0, pl.MX_B_NN]";

// The standard operators without their type rules: what the reader would refuse
// reaches the pass. Results have the types that the text states.
const ir::OpRegistry& UncheckedOps() {
  static const ir::OpRegistry* const registry = [] {
    auto* ops = new ir::OpRegistry();
    for (const auto& def : ir::StandardOps().ops()) {
      ir::OpDef copy = *def;
      if (copy.max_args > 0) copy.deduce = nullptr;
      ops->Register(std::move(copy));
    }
    return ops;
  }();
  return *registry;
}

// What the pass made of a program.
struct Outcome {
  const ir::Program* program = nullptr;  // Null: refused.
  ir::DiagnosticSink sink;
  PassFindings findings;

  // `RULE message`, a line each; "" for an accepted program.
  std::string errors() const {
    std::string text;
    for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
      absl::StrAppend(&text, diagnostic.rule_id, " ", diagnostic.message, "\n");
    }
    return text;
  }
};

void ExpectHolds(Property property, const ir::Program& program) {
  ir::DiagnosticSink sink;
  VerifyProperty(property, program, &sink);
  for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
    ADD_FAILURE() << PropertyName(property) << ": " << diagnostic.message
                  << "\n"
                  << ir::PrintProgram(program);
  }
}

Outcome RunPass(const TextProgram& input, absl::string_view entry = "",
                const ir::Program* program = nullptr) {
  Outcome outcome;
  PassContext context;
  context.ir = &input.context();
  context.sink = &outcome.sink;
  context.options.entry = std::string(entry);
  const absl::StatusOr<const ir::Program*> result =
      BlockMxScaleTensorViews().Run(program != nullptr ? program : input.get(),
                                    context);
  EXPECT_EQ(result.status(), outcome.sink.ToStatus());
  outcome.findings = std::move(context.findings);
  if (!result.ok()) return outcome;
  outcome.program = *result;
  for (const Property property : {Property::kSsaForm, Property::kUseAfterDef,
                                  Property::kMxViewsBlocked}) {
    ExpectHolds(property, *outcome.program);
  }
  return outcome;
}

// RunPass, and the result's print reads back to the same program.
Outcome RunPassOnValidProgram(const TextProgram& input) {
  Outcome outcome = RunPass(input);
  if (outcome.program == nullptr) return outcome;
  const std::string text = ir::PrintProgram(*outcome.program);
  const TextProgram again(text);
  const auto difference = ir::FindDifference(*outcome.program, *again);
  EXPECT_FALSE(difference.has_value())
      << difference->path << ": " << difference->lhs << " became "
      << difference->rhs << " in\n"
      << text;
  return outcome;
}

std::vector<const ir::Call*> CallsOf(const ir::Program& program,
                                     absl::string_view callee) {
  std::vector<const ir::Call*> calls;
  for (const ir::Function* function : program.functions) {
    ir::ForEachStmt(function->body, [&](const ir::Stmt* stmt) {
      ir::ForEachRootExpr(*stmt, [&](const ir::Expr* root) {
        ir::PostOrder(root, [&](const ir::Expr* expr) {
          const auto* call = ir::DynCast<ir::Call>(expr);
          if (call != nullptr && call->callee->name == callee) {
            calls.push_back(call);
          }
        });
      });
    });
  }
  return calls;
}

// The only call of that operator, as text; "" when there is not one of it.
std::string OnlyCall(const ir::Program* program, absl::string_view op) {
  if (program == nullptr) return "";
  const std::vector<const ir::Call*> calls = CallsOf(*program, op);
  return calls.size() == 1 ? ir::PrintExpr(calls[0]) : "";
}

// Argument `index` of the only load, as text.
std::string LoadArg(const ir::Program* program, int index) {
  if (program == nullptr) return "refused";
  const std::vector<const ir::Call*> calls = CallsOf(*program, "tile.load");
  return calls.size() == 1 ? ir::PrintExpr(calls[0]->args[index]) : "no load";
}

// The type of the function's first parameter, as text.
std::string FirstParamType(const ir::Program* program,
                           absl::string_view function) {
  if (program == nullptr) return "refused";
  return ir::PrintType(program->Find(function)->params[0]->type);
}

std::string MxType(absl::string_view dims, absl::string_view layout) {
  return absl::StrCat("pl.Tensor[", dims, ", pl.FP8E8M0, pl.", layout, "]");
}
// As it is printed.
std::string BlockedType(absl::string_view dims, absl::string_view layout) {
  return absl::StrCat("pl.Tensor[", dims,
                      ", pl.FP8E8M0, pl.TensorView(stride=[], "
                      "layout=pl.TensorLayout.",
                      layout, ")]");
}

bool IsRule(absl::string_view text) { return absl::StartsWith(text, "MX-"); }

// ---- B: the public cases

TEST(BlockMxTest, B1_LoadOfA) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", "s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
      "t = pl.tile.load(s, [16, 2], [16, 2], [16, 2], "
      "target_memory=pl.Mem.Mat)")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(FirstParamType(outcome.program, "cell"),
            BlockedType("[1, 4, 2, 16, 2]", "MX_A_ZZ"));
  EXPECT_EQ(OnlyCall(outcome.program, "tile.load"),
            "pl.tile.load(s, [0, 1, 1, 0, 0], [1, 1, 1, 16, 2], "
            "[1, 1, 1, 16, 2], target_memory=pl.Mem.Mat)");
}

TEST(BlockMxTest, B2_LoadOfB) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", "s: pl.Tensor[[4, 64], pl.FP8E8M0, pl.MX_B_NN]",
      "t = pl.tile.load(s, [2, 16], [2, 16], [2, 16], "
      "target_memory=pl.Mem.Mat)")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(FirstParamType(outcome.program, "cell"),
            BlockedType("[1, 4, 2, 16, 2]", "MX_B_NN"));
  EXPECT_EQ(OnlyCall(outcome.program, "tile.load"),
            "pl.tile.load(s, [0, 1, 1, 0, 0], [1, 1, 1, 16, 2], "
            "[1, 1, 1, 16, 2], target_memory=pl.Mem.Mat)");
}

TEST(BlockMxTest, B3_StoreOfScalesIsRefused) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "cell",
                    "x: pl.Tensor[[16, 2], pl.FP8E8M0], "
                    "out: pl.Out[pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ]]",
                    "q = pl.load(x, [0, 0], [16, 2])\n"
                    "r = pl.store(q, [0, 0], out)")}));
  const Outcome outcome = RunPass(input);
  EXPECT_EQ(outcome.program, nullptr);
  EXPECT_EQ(outcome.errors(),
            "MX-BLOCK-6 tile.store cannot take MX tensor 'out' as argument 2; "
            "an MX tensor is read-only and only tile.load and tensor.view take "
            "one, as their source\n");
}

TEST(BlockMxTest, B5_AttributesFollowTheNewParameter) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "kernel",
                    "s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]", ""),
       FunctionText("Orchestration", "main",
                    "self, s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
                    "self.kernel(s, attrs={\"dump_vars\": [s]})")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  const ir::Var* param = outcome.program->Find("main")->params[0];
  EXPECT_NE(param, input.function("main").params[0]);
  const std::vector<const ir::Call*> calls =
      CallsOf(*outcome.program, "kernel");
  ASSERT_EQ(calls.size(), 1);
  EXPECT_THAT(calls[0]->args, ElementsAre(param));
  const ir::AttrValue* dumped = ir::FindAttr(calls[0]->attrs, "dump_vars");
  ASSERT_NE(dumped, nullptr);
  ASSERT_EQ(dumped->list.size(), 1);
  EXPECT_EQ(dumped->list[0].expr, param);
}

TEST(BlockMxTest, B6_NarrowedRegionStaysWithTheTile) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", "s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
      "t = pl.tile.load(s, [0, 0], [32, 2], [16, 2], "
      "target_memory=pl.Mem.Mat)")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(OnlyCall(outcome.program, "tile.load"),
            "pl.tile.load(s, [0, 0, 0, 0, 0], [1, 2, 1, 16, 2], "
            "[1, 2, 1, 16, 2], target_memory=pl.Mem.Mat)");
  ASSERT_NE(outcome.program, nullptr);
  const ir::Type* before = CallsOf(*input, "tile.load")[0]->type;
  const ir::Type* after = CallsOf(*outcome.program, "tile.load")[0]->type;
  EXPECT_EQ(after, before);
  EXPECT_THAT(ir::PrintType(after), HasSubstr("valid_shape=[16, 2]"));
}

TEST(BlockMxTest, B7_ParameterWithoutCallersIsRefused) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "cell",
                    "s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ], "
                    "row_offset: pl.Scalar[pl.INDEX]",
                    "t = pl.load(s, [row_offset, 0], [16, 2])")}));
  const Outcome outcome = RunPass(input);
  EXPECT_EQ(outcome.program, nullptr);
  EXPECT_EQ(outcome.errors(),
            "MX-OFFSET-3 tile.load of MX tensor 's': the block offset (axis 0) "
            "'row_offset' cannot be proven a multiple of 16\n");
}

TEST(BlockMxTest, B8_PipelinedGroups) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", "s: pl.Tensor[[16, 64], pl.FP8E8M0, pl.MX_A_ZZ]",
      "for k0 in pl.pipeline(256, 2048, 256, stage=2):\n"
      "    g = k0 // 32\n"
      "    t = pl.load(s, [0, g], [16, 8])")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(LoadArg(outcome.program, 1), "[0, 0, g // 2, 0, 0]");
  EXPECT_EQ(LoadArg(outcome.program, 2), "[1, 1, 4, 16, 2]");
}

TEST(BlockMxTest, B9_BlockIndexOffset) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", "s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
      "b = pl.tile.get_block_idx()\n"
      "for mt in pl.parallel(2):\n"
      "    row = mt * 16\n"
      "    t = pl.load(s, [row + b * 16, 0], [16, 2])")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(LoadArg(outcome.program, 1), "[0, (row + b * 16) // 16, 0, 0, 0]");
}

TEST(BlockMxTest, B10_OneUnalignedCallerRefuses) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "kernel",
                    "s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ], "
                    "row: pl.Scalar[pl.INDEX]",
                    "t = pl.load(s, [row, 0], [16, 2])"),
       FunctionText("Orchestration", "main",
                    "self, s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
                    "self.kernel(s, 0)\n"
                    "self.kernel(s, 1)")}));
  const Outcome outcome = RunPass(input);
  EXPECT_EQ(outcome.program, nullptr);
  ASSERT_EQ(outcome.sink.error_count(), 1);
  const ir::Diagnostic& error = outcome.sink.diagnostics()[0];
  EXPECT_EQ(error.rule_id, "MX-OFFSET-3");
  EXPECT_THAT(error.message, HasSubstr("'row' cannot be proven a multiple"));
  EXPECT_EQ(error.span.line, input.LineOf("pl.load"));
  // The reason names the caller that is to blame.
  ASSERT_EQ(error.notes.size(), 1);
  EXPECT_THAT(error.notes[0].message,
              HasSubstr(absl::StrCat("p.py:", input.LineOf("(s, 1)"))));
}

TEST(BlockMxTest, B11_SecondRunReturnsTheSameProgram) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "kernel",
                    "s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
                    "t = pl.load(s, [16, 2], [16, 2])"),
       FunctionText("Orchestration", "main",
                    "self, s: pl.Tensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
                    "self.kernel(s)"),
       FunctionText("InCore", "without_mx", "n: pl.Scalar[pl.INDEX]", "")}));
  const Outcome first = RunPass(input);
  ASSERT_NE(first.program, nullptr) << first.errors();
  EXPECT_NE(first.program, input.get());
  ASSERT_EQ(first.program->functions.size(), 3);
  for (const ir::Function* function : first.program->functions) {
    EXPECT_TRUE(HasMark(*function, kMxTensorViewsBlocked)) << function->name;
  }
  const Outcome second = RunPass(input, /*entry=*/"", first.program);
  EXPECT_EQ(second.program, first.program) << second.errors();
  EXPECT_TRUE(second.findings.offsets.empty());
}

TEST(BlockMxTest, B12_ViewFromMx) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", "s: pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
      "v = pl.tensor.view(s, [1, 128], layout=pl.TensorLayout.ND)")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(FirstParamType(outcome.program, "cell"),
            BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ"));
  EXPECT_EQ(OnlyCall(outcome.program, "tensor.view"),
            "pl.tensor.view(s, [1, 128], layout=pl.TensorLayout.ND)");
  ASSERT_NE(outcome.program, nullptr);
  EXPECT_EQ(ir::PrintType(CallsOf(*outcome.program, "tensor.view")[0]->type),
            "pl.Tensor[[1, 128], pl.FP8E8M0]");
}

TEST(BlockMxTest, B13_ViewToMx) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", "x: pl.Tensor[[1, 128], pl.FP8E8M0]",
      "v = pl.tensor.view(x, [4, 32], layout=pl.TensorLayout.MX_B_NN)")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(FirstParamType(outcome.program, "cell"),
            "pl.Tensor[[1, 128], pl.FP8E8M0]");
  EXPECT_EQ(
      OnlyCall(outcome.program, "tensor.view"),
      "pl.tensor.view(x, [1, 2, 2, 16, 2], layout=pl.TensorLayout.MX_B_NN)");
  ASSERT_NE(outcome.program, nullptr);
  EXPECT_EQ(ir::PrintType(CallsOf(*outcome.program, "tensor.view")[0]->type),
            BlockedType("[1, 2, 2, 16, 2]", "MX_B_NN"));
}

TEST(BlockMxTest, B14_SubmitKeepsAllButItsType) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "make",
                    "s: pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ]", "return s",
                    "pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ]"),
       FunctionText(
           "Orchestration", "main",
           "self, s: pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ], "
           "go: pl.Scalar[pl.BOOL]",
           "first = pl.submit(self.make, s)\n"
           "dep = first[1]\n"
           "u = pl.spmd_submit(self.make, s, deps=[dep], core_num=4, "
           "sync_start=True, allow_early_resolve=True, predicate=(go), "
           "tag='x', attrs={\"dump_vars\": [s]})")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  const ir::Function& main = *outcome.program->Find("main");
  const auto* assign = ir::CheckedCast<ir::Assign>(main.body[2]);
  EXPECT_EQ(assign->var->type, assign->value->type);
  EXPECT_EQ(
      ir::PrintType(assign->value->type),
      absl::StrCat("pl.Tuple[", BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ"),
                   ", pl.Scalar[pl.TASK_ID]]"));
  const auto* submit = ir::CheckedCast<ir::Submit>(assign->value);
  EXPECT_EQ(
      ir::PrintExpr(submit),
      ir::PrintExpr(
          ir::CheckedCast<ir::Assign>(input.function("main").body[2])->value));
  EXPECT_THAT(submit->args, ElementsAre(main.params[0]));
  EXPECT_EQ(ir::FindAttr(submit->attrs, "dump_vars")->list[0].expr,
            main.params[0]);
  EXPECT_TRUE(submit->sync_start);
  EXPECT_TRUE(submit->allow_early_resolve);
}

// ---- S: shapes

// A shape that is refused or accepted wherever an MX tensor or window has one.
struct ShapeCase {
  std::string name;
  std::string layout;
  std::string shape;
  std::string want;      // The blocked shape, or the rule that is broken.
  std::string fragment;  // Of the message.
};
std::ostream& operator<<(std::ostream& os, const ShapeCase& c) {
  return os << c.layout << " " << c.shape;
}

class ShapeTest : public TestWithParam<ShapeCase> {
 protected:
  static std::string Program(absl::string_view params, absl::string_view body) {
    return ProgramText({FunctionText("InCore", "cell", params, body)},
                       "M = pl.dynamic(\"M\")\nG = pl.dynamic(\"G\")\n");
  }
  // Checks the outcome; whether it was accepted.
  static bool Judge(const Outcome& outcome) {
    const ShapeCase& c = GetParam();
    if (!IsRule(c.want)) {
      EXPECT_NE(outcome.program, nullptr) << outcome.errors();
      return outcome.program != nullptr;
    }
    EXPECT_EQ(outcome.program, nullptr);
    EXPECT_THAT(outcome.errors(), StartsWith(c.want));
    EXPECT_THAT(outcome.errors(), HasSubstr(c.fragment));
    return false;
  }
};

TEST_P(ShapeTest, OfParameter) {
  const ShapeCase& c = GetParam();
  const TextProgram input(
      Program(absl::StrCat("s: ", MxType(c.shape, c.layout)), ""));
  const Outcome outcome = RunPass(input);
  if (!Judge(outcome)) return;
  EXPECT_EQ(FirstParamType(outcome.program, "cell"),
            BlockedType(c.want, c.layout));
}

TEST_P(ShapeTest, OfLoadWindow) {
  const ShapeCase& c = GetParam();
  const TextProgram input(
      Program(c.layout == "MX_A_ZZ" ? kScaleA64x8 : kScaleB8x64,
              absl::StrCat("t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = "
                           "pl.tile.load(s, [0, 0], ",
                           c.shape, ", target_memory=pl.Mem.Mat)")),
      UncheckedOps());
  const Outcome outcome = RunPass(input);
  if (!Judge(outcome)) return;
  EXPECT_EQ(LoadArg(outcome.program, 2), c.want);
}

TEST_P(ShapeTest, OfView) {
  const ShapeCase& c = GetParam();
  const TextProgram input(
      Program("x: pl.Tensor[[1, 128], pl.FP8E8M0]",
              absl::StrCat("v: ", MxType(c.shape, c.layout),
                           " = pl.tensor.view(x, ", c.shape,
                           ", layout=pl.TensorLayout.", c.layout, ")")),
      UncheckedOps());
  const Outcome outcome = RunPass(input);
  if (!Judge(outcome)) return;
  EXPECT_EQ(OnlyCall(outcome.program, "tensor.view"),
            absl::StrCat("pl.tensor.view(x, ", c.want,
                         ", layout=pl.TensorLayout.", c.layout, ")"));
}

// Nobody names the view: only the call says that there is an MX tensor.
TEST_P(ShapeTest, OfNestedView) {
  const ShapeCase& c = GetParam();
  const TextProgram read(
      Program("x: pl.Tensor[[1, 128], pl.FP8E8M0]",
              absl::StrCat("v: ", MxType(c.shape, c.layout),
                           " = pl.tensor.view(x, ", c.shape,
                           ", layout=pl.TensorLayout.", c.layout, ")")),
      UncheckedOps());
  // The text form gives no type to a nested call, so take it out of its
  // assignment.
  const auto* assign =
      ir::CheckedCast<ir::Assign>(read.function("cell").body[0]);
  ir::Eval eval;
  eval.kind = ir::StmtKind::kEval;
  eval.span = assign->span;
  eval.expr = assign->value;
  ir::Function cell = read.function("cell");
  cell.body = read.context().List(
      std::vector<const ir::Stmt*>{read.context().New(eval)});
  ir::Program program = *read;
  program.functions = read.context().List(
      std::vector<const ir::Function*>{read.context().New(cell)});
  const Outcome outcome = RunPass(read, "", read.context().New(program));
  if (!Judge(outcome)) return;
  EXPECT_EQ(OnlyCall(outcome.program, "tensor.view"),
            absl::StrCat("pl.tensor.view(x, ", c.want,
                         ", layout=pl.TensorLayout.", c.layout, ")"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ShapeTest,
    ValuesIn(std::vector<ShapeCase>{
        {"S1", "MX_A_ZZ", "[16, 2]", "[1, 1, 1, 16, 2]", ""},
        {"S2", "MX_B_NN", "[2, 16]", "[1, 1, 1, 16, 2]", ""},
        {"S3_A", "MX_A_ZZ", "[128, 2]", "[1, 8, 1, 16, 2]", ""},
        {"S3_B", "MX_B_NN", "[2, 64]", "[1, 4, 1, 16, 2]", ""},
        {"S4", "MX_A_ZZ", "[24, 2]", "MX-BLOCK-3",
         "block dim (axis 0) must be a positive multiple of 16, got 24"},
        {"S5", "MX_A_ZZ", "[16, 3]", "MX-BLOCK-3",
         "group dim (axis 1) must be a positive multiple of 2, got 3"},
        {"S6_Block", "MX_A_ZZ", "[0, 2]", "MX-BLOCK-3",
         "positive multiple of 16, got 0"},
        {"S6_Group", "MX_A_ZZ", "[16, 0]", "MX-BLOCK-3",
         "positive multiple of 2, got 0"},
        {"S7", "MX_A_ZZ", "[M, 2]", "MX-BLOCK-2",
         "needs a static block dim (axis 0); a dynamic one is not supported"},
        {"S8", "MX_A_ZZ", "[16, G]", "MX-BLOCK-2",
         "needs a static group dim (axis 1)"},
        {"S9_Rank1", "MX_A_ZZ", "[16]", "MX-BLOCK-1",
         "must have rank 2, not 1"},
        {"S9_Rank3", "MX_A_ZZ", "[1, 16, 2]", "MX-BLOCK-1",
         "must have rank 2, not 3"},
        {"S10", "MX_B_NN", "[16, 2]", "MX-BLOCK-3",
         "block dim (axis 1) must be a positive multiple of 16, got 2"},
        {"S11", "MX_A_ZZ", "[8, 2]", "MX-BLOCK-3",
         "positive multiple of 16, got 8"},
        {"S14", "MX_A_ZZ", "[1, 4, 2, 16, 2]", "MX-BLOCK-1",
         "must have rank 2, not 5"},
    }),
    [](const TestParamInfo<ShapeCase>& info) { return info.param.name; });

// Types that shape alone does not decide.
struct TypeCase {
  std::string name;
  std::string type;
  std::string want;  // The printed type, or a rule and part of its message.
};
std::ostream& operator<<(std::ostream& os, const TypeCase& c) {
  return os << c.type;
}

class TypeTest : public TestWithParam<TypeCase> {};

TEST_P(TypeTest, OfParameter) {
  const TypeCase& c = GetParam();
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "cell", absl::StrCat("s: ", c.type), "")}));
  const Outcome outcome = RunPass(input);
  if (IsRule(c.want)) {
    EXPECT_EQ(outcome.program, nullptr);
    EXPECT_THAT(outcome.errors(), StartsWith(c.want));
  } else {
    EXPECT_EQ(FirstParamType(outcome.program, "cell"), c.want)
        << outcome.errors();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TypeTest,
    ValuesIn(std::vector<TypeCase>{
        {"S12",
         "pl.Tensor[[64, 4], pl.FP8E8M0, pl.TensorView(valid_shape=[16, 2], "
         "stride=[], layout=pl.TensorLayout.MX_A_ZZ)]",
         "MX-BLOCK-4 MX tensor 's': a partial tensor valid_shape"},
        {"S12_ShapeIsCheckedFirst",
         "pl.Tensor[[24, 4], pl.FP8E8M0, pl.TensorView(valid_shape=[16, 2], "
         "stride=[], layout=pl.TensorLayout.MX_A_ZZ)]",
         "MX-BLOCK-3 MX tensor 's': block dim"},
        {"S13", "pld.DistributedTensor[[64, 4], pl.FP8E8M0, pl.MX_A_ZZ]",
         "MX-BLOCK-5 MX tensor 's': MX layouts are not supported on "
         "distributed"},
        {"S15",
         "pl.Tensor[[32, 4], pl.FP8E8M0, pl.TensorView(stride=[4, 1], "
         "layout=pl.TensorLayout.MX_A_ZZ)]",
         BlockedType("[1, 2, 2, 16, 2]", "MX_A_ZZ")},
        {"PadIsKept",
         "pl.Tensor[[32, 4], pl.FP8E8M0, pl.TensorView(stride=[], "
         "layout=pl.TensorLayout.MX_A_ZZ, pad=pl.PadValue.zero)]",
         "pl.Tensor[[1, 2, 2, 16, 2], pl.FP8E8M0, pl.TensorView(stride=[], "
         "layout=pl.TensorLayout.MX_A_ZZ, pad=pl.PadValue.zero)]"},
        {"OtherLayoutsStay", "pl.Tensor[[24, 3], pl.FP8E8M0]",
         "pl.Tensor[[24, 3], pl.FP8E8M0]"},
        {"U11_Tuple",
         absl::StrCat("pl.Tuple[pl.Scalar[pl.INDEX], pl.Tuple[",
                      MxType("[16, 2]", "MX_A_ZZ"), "]]"),
         absl::StrCat("pl.Tuple[pl.Scalar[pl.INDEX], pl.Tuple[",
                      BlockedType("[1, 1, 1, 16, 2]", "MX_A_ZZ"), "]]")},
        {"U11_TupleIsChecked",
         absl::StrCat("pl.Tuple[", MxType("[8, 2]", "MX_A_ZZ"), "]"),
         "MX-BLOCK-3 MX tensor 's': block dim"},
    }),
    [](const TestParamInfo<TypeCase>& info) { return info.param.name; });

// ---- O, P: offsets

struct OffsetCase {
  std::string name;
  std::string params;  // Of the function.
  std::string body;    // $load stands for the load.
  std::string offsets;
  std::string want;      // The blocked offsets, or the rule that is broken.
  std::string fragment;  // Of the message.
  std::string callers;   // The body of `main`; "": nobody calls the function.
};
std::ostream& operator<<(std::ostream& os, const OffsetCase& c) {
  return os << c.offsets << " in\n" << c.body;
}

std::string OffsetProgram(const OffsetCase& c) {
  const std::string load = absl::StrCat(
      "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(s, ",
      c.offsets, ", ",
      absl::StrContains(c.params, "MX_B_NN") ? "[2, 16]" : "[16, 2]",
      ", target_memory=pl.Mem.Mat)");
  std::vector<std::string> functions = {
      FunctionText("InCore", "cell", c.params,
                   absl::StrReplaceAll(c.body, {{"$load", load}}))};
  if (!c.callers.empty()) {
    functions.push_back(FunctionText("Orchestration", "main",
                                     absl::StrCat("self, ", kScaleA64x8),
                                     c.callers));
  }
  return ProgramText(functions);
}

class OffsetTest : public TestWithParam<OffsetCase> {};

TEST_P(OffsetTest, OfLoad) {
  const OffsetCase& c = GetParam();
  const TextProgram input(OffsetProgram(c), UncheckedOps());
  const Outcome outcome = RunPass(input);
  if (!IsRule(c.want)) {
    EXPECT_EQ(LoadArg(outcome.program, 1), c.want) << outcome.errors();
    return;
  }
  EXPECT_EQ(outcome.program, nullptr);
  ASSERT_EQ(outcome.sink.error_count(), 1) << outcome.errors();
  const ir::Diagnostic& error = outcome.sink.diagnostics()[0];
  EXPECT_EQ(error.rule_id, c.want);
  EXPECT_THAT(error.message, HasSubstr(c.fragment));
  EXPECT_EQ(error.span.line, input.LineOf("pl.tile.load"));
}

std::string NameOf(const TestParamInfo<OffsetCase>& info) {
  return info.param.name;
}

const std::string kA(kScaleA64x8);
const std::string kB(kScaleB8x64);
const std::string kWithN = absl::StrCat(kA, ", n: pl.Scalar[pl.INDEX]");
const std::string kWithNM = absl::StrCat(kWithN, ", m: pl.Scalar[pl.INDEX]");
const std::string kWithP = absl::StrCat(kA, ", p: pl.Scalar[pl.INDEX]");

INSTANTIATE_TEST_SUITE_P(
    Constants, OffsetTest,
    ValuesIn(std::vector<OffsetCase>{
        {"O1", kA, "$load", "[0, 0]", "[0, 0, 0, 0, 0]"},
        {"O2", kA, "$load", "[48, 6]", "[0, 3, 3, 0, 0]"},
        {"O3", kA, "$load", "[8, 0]", "MX-OFFSET-2",
         "the block offset (axis 0) must be a non-negative multiple of 16, got "
         "8"},
        {"O4", kA, "$load", "[0, 3]", "MX-OFFSET-2",
         "the group offset (axis 1) must be a non-negative multiple of 2, got "
         "3"},
        {"O5", kA, "$load", "[-16, 0]", "MX-OFFSET-2",
         "non-negative multiple of 16, got -16"},
        {"O6_Rank1", kA, "$load", "[0]", "MX-OFFSET-1", "rank-2 offsets"},
        {"O6_Rank3", kA, "$load", "[0, 0, 0]", "MX-OFFSET-1", "rank-2 offsets"},
        {"O7", kB, "$load", "[2, 16]", "[0, 1, 1, 0, 0]"},
        {"O8", kB, "$load", "[16, 2]", "MX-OFFSET-2",
         "the block offset (axis 1) must be a non-negative multiple of 16, got "
         "2"},
        {"WidthIsKept", kA, "$load", "[pl.const(32, pl.INT32), 0]",
         "[0, pl.const(2, pl.INT32), 0, 0, 0]"},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Symbolic, OffsetTest,
    ValuesIn(std::vector<OffsetCase>{
        {"P1", kWithN, "for i in pl.range(0, n, 16):\n    $load", "[i, 0]",
         "[0, i // 16, 0, 0, 0]"},
        {"P2", kWithN, "for i in pl.range(0, n, 8):\n    $load", "[i, 0]",
         "MX-OFFSET-3", "'i' cannot be proven a multiple of 16"},
        {"P7", kWithNM, "for i in pl.range(n, m, 1):\n    $load", "[i * 16, 0]",
         "MX-OFFSET-4", "'i * 16' cannot be proven non-negative"},
        {"P10", kWithN, "for i in pl.range(0, n, 1):\n    $load",
         "[48 - i * 16, 0]", "MX-OFFSET-4",
         "'48 - i * 16' cannot be proven non-negative"},
        {"P15", kWithN, "for k0 in pl.range(0, n, 64):\n    $load",
         "[0, k0 // 32]", "[0, 0, k0 // 32 // 2, 0, 0]"},
        {"P16", kWithN, "for k0 in pl.range(0, n, 32):\n    $load",
         "[0, k0 // 32]", "MX-OFFSET-3",
         "the group offset (axis 1) 'k0 // 32' cannot be proven a multiple of "
         "2"},
        {"P27", kWithP, "$load", "[p, 0]", "[0, p // 16, 0, 0, 0]", "",
         "self.cell(s, 0)\n"
         "self.cell(s, 16)\n"
         "for i in pl.range(4):\n"
         "    self.cell(s, i * 16)"},
        {"P28", kWithP, "$load", "[p, 0]", "MX-OFFSET-3",
         "'p' cannot be proven a multiple of 16",
         "self.cell(s, 0)\n"
         "for i in pl.range(4):\n"
         "    self.cell(s, i)"},
        // Divisibility is asked before sign: i is known to be neither.
        {"DivisibilityFirst", kWithNM, "for i in pl.range(n, m, 1):\n    $load",
         "[i, 0]", "MX-OFFSET-3", "a multiple of 16"},
        {"WidthIsKept", kA,
         "for i in pl.range(pl.const(0, pl.INT32), pl.const(64, pl.INT32), "
         "pl.const(16, pl.INT32)):\n    $load",
         "[i, 0]", "[0, i // pl.const(16, pl.INT32), 0, 0, 0]"},
        {"BOffsets", absl::StrCat(kB, ", n: pl.Scalar[pl.INDEX]"),
         "for i in pl.range(0, n, 2):\n    $load", "[i, 16]",
         "[0, 1, i // 2, 0, 0]"},
    }),
    NameOf);

TEST(BlockMxTest, P33_ParameterForwardedThroughTwoFunctions) {
  const std::string params = kWithP;
  const TextProgram input(
      ProgramText({FunctionText("InCore", "cell", params,
                                "t = pl.load(s, [p, 0], [16, 2])"),
                   FunctionText("Group", "middle", params, "self.cell(s, p)"),
                   FunctionText("Group", "outer", params, "self.middle(s, p)"),
                   FunctionText("Orchestration", "main",
                                absl::StrCat("self, ", kScaleA64x8),
                                "self.outer(s, 48)")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(LoadArg(outcome.program, 1), "[0, p // 16, 0, 0, 0]")
      << outcome.errors();

  // A host that may call the middle one passes anything.
  const Outcome as_entry = RunPass(input, "middle");
  EXPECT_EQ(as_entry.program, nullptr);
  EXPECT_THAT(as_entry.errors(), StartsWith("MX-OFFSET-3"));
}

// ---- U: uses

// A use of the MX tensor `s` that is refused, with operators unchecked.
struct UseCase {
  std::string name;
  std::string use;
  std::string want;  // Start of the errors.
};
std::ostream& operator<<(std::ostream& os, const UseCase& c) {
  return os << c.use;
}

class RefusedUseTest : public TestWithParam<UseCase> {};

TEST_P(RefusedUseTest, IsLocated) {
  const UseCase& c = GetParam();
  const TextProgram input(
      ProgramText({FunctionText(
          "InCore", "cell",
          absl::StrCat(kScaleA64x8,
                       ", u: pl.Tensor[[64, 8], pl.FP8E8M0, pl.MX_A_ZZ], "
                       "x: pl.Tensor[[64, 8], pl.FP8E8M0], "
                       "q: pl.Tile[[64, 8], pl.FP8E8M0, pl.Mem.Vec]"),
          c.use)}),
      UncheckedOps());
  const Outcome outcome = RunPass(input);
  EXPECT_EQ(outcome.program, nullptr);
  EXPECT_THAT(outcome.errors(), StartsWith(c.want));
  ASSERT_EQ(outcome.sink.error_count(), 1) << outcome.errors();
  EXPECT_EQ(outcome.sink.diagnostics()[0].span.line, input.LineOf(c.use));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RefusedUseTest,
    ValuesIn(std::vector<UseCase>{
        {"U2_Vec",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Vec] = pl.tile.load(s, "
         "[0, 0], [16, 2], target_memory=pl.Mem.Vec)",
         "MX-BLOCK-7 a load of an MX tensor goes to Mat; target_memory is Vec"},
        {"U2_Absent",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(s, "
         "[0, 0], [16, 2])",
         "MX-BLOCK-7 a load of an MX tensor goes to Mat; target_memory is "
         "missing"},
        {"U3",
         "r: pl.Tensor[[64, 8], pl.FP8E8M0] = pl.tile.store(q, [0, 0], s)",
         "MX-BLOCK-6 tile.store cannot take MX tensor 's' as argument 2"},
        {"U6_Slice",
         "r: pl.Tensor[[16, 2], pl.FP8E8M0] = pl.tensor.slice(s, [16, 2], "
         "[0, 0])",
         "MX-BLOCK-6 tensor.slice cannot take MX tensor 's' as argument 0"},
        {"U6_NoResult", "pl.tensor.dump(x, s)",
         "MX-BLOCK-6 tensor.dump cannot take MX tensor 's' as argument 1"},
        {"U7_TwoInOneOperator", "pl.tensor.compare(x, u, s)",
         "MX-BLOCK-6 tensor.compare cannot take MX tensor 'u' as argument 1"},
        {"U7_LoadWithASecond",
         "t: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.Mat] = pl.tile.load(s, u, "
         "[16, 2], target_memory=pl.Mem.Mat)",
         "MX-BLOCK-6 tile.load cannot take MX tensor 's' as argument 0"},
        {"ViewWithoutShape",
         "v: pl.Tensor[[64, 8], pl.FP8E8M0] = pl.tensor.view(s, "
         "layout=pl.TensorLayout.ND)",
         "MX-BLOCK-8 tensor.view of an MX tensor needs a shape"},
        {"ViewOfAnotherElementType",
         "v: pl.Tensor[[512], pl.UINT8] = pl.tensor.view(s, [512], "
         "layout=pl.TensorLayout.ND)",
         "MX-BLOCK-8"},
        {"ViewFromMxToMx",
         "v: pl.Tensor[[8, 64], pl.FP8E8M0, pl.MX_B_NN] = pl.tensor.view(s, "
         "[8, 64], layout=pl.TensorLayout.MX_B_NN)",
         "MX-BLOCK-8"},
    }),
    [](const TestParamInfo<UseCase>& info) { return info.param.name; });

TEST(BlockMxTest, U1_U8_ForwardedToTheFunctionThatLoads) {
  const std::string type = MxType("[64, 8]", "MX_A_ZZ");
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "cell", absl::StrCat("s: ", type),
                    "t = pl.load(s, [0, 0], [16, 2])"),
       FunctionText("Group", "middle", absl::StrCat("s: ", type),
                    "self.cell(s)"),
       FunctionText("Orchestration", "main", absl::StrCat("self, s: ", type),
                    "self.middle(s)")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  for (const absl::string_view name : {"cell", "middle", "main"}) {
    EXPECT_EQ(FirstParamType(outcome.program, name),
              BlockedType("[1, 4, 4, 16, 2]", "MX_A_ZZ"));
  }
}

TEST(BlockMxTest, U9_ReturnType) {
  const std::string type = MxType("[64, 8]", "MX_A_ZZ");
  const TextProgram input(ProgramText(
      {FunctionText("Orchestration", "same", absl::StrCat("self, s: ", type),
                    "return s", type),
       FunctionText("Orchestration", "main", absl::StrCat("self, s: ", type),
                    "r = self.same(s)\nreturn r", type)}));
  const Outcome outcome = RunPassOnValidProgram(input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  const std::string blocked = BlockedType("[1, 4, 4, 16, 2]", "MX_A_ZZ");
  for (const ir::Function* function : outcome.program->functions) {
    ASSERT_EQ(function->return_types.size(), 1);
    EXPECT_EQ(ir::PrintType(function->return_types[0]), blocked);
  }
  const auto* assign =
      ir::CheckedCast<ir::Assign>(outcome.program->Find("main")->body[0]);
  EXPECT_EQ(ir::PrintType(assign->var->type), blocked);
  EXPECT_EQ(assign->value->type, assign->var->type);
}

TEST(BlockMxTest, U10_CarriedByALoop) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "cell", kScaleA64x8,
                    "for i, (c,) in pl.range(2, init_values=(s,)):\n"
                    "    t = pl.load(c, [16, 2], [16, 2])\n"
                    "    d = pl.yield_(c)\n"
                    "u = pl.load(d, [0, 0], [16, 2])")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  const ir::Function& cell = *outcome.program->Find("cell");
  const auto* loop = ir::CheckedCast<ir::For>(cell.body[0]);
  const ir::Type* blocked = cell.params[0]->type;
  EXPECT_EQ(ir::PrintType(blocked), BlockedType("[1, 4, 4, 16, 2]", "MX_A_ZZ"));
  EXPECT_EQ(loop->iter_args[0]->init, cell.params[0]);
  EXPECT_EQ(loop->iter_args[0]->type, blocked);
  EXPECT_EQ(loop->return_vars[0]->type, blocked);
  EXPECT_EQ(CallsOf(*outcome.program, "tile.load").size(), 2);
}

TEST(BlockMxTest, U11_ItemOfATuple) {
  const std::string type = MxType("[64, 8]", "MX_A_ZZ");
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "pair", absl::StrCat("s: ", type), "return s, s",
                    absl::StrCat("tuple[", type, ", ", type, "]")),
       FunctionText("InCore", "cell", absl::StrCat("s: ", type),
                    "p = self.pair(s)\n"
                    "second = p[1]\n"
                    "t = pl.load(second, [16, 2], [16, 2])")}));
  const Outcome outcome = RunPassOnValidProgram(input);
  EXPECT_EQ(LoadArg(outcome.program, 0), "second") << outcome.errors();
  EXPECT_EQ(LoadArg(outcome.program, 1), "[0, 1, 1, 0, 0]");
}

// ---- What the pass tells

TEST(FindingsTest, TwoVerdictsALoad) {
  const TextProgram input(
      ProgramText({FunctionText("InCore", "cell", kScaleA64x8,
                                "for i in pl.range(0, 64, 16):\n"
                                "    t = pl.load(s, [i, 2], [16, 2])")}));
  const Outcome outcome = RunPass(input);
  ASSERT_EQ(outcome.findings.offsets.size(), 2);
  const OffsetVerdict& block = outcome.findings.offsets[0];
  const OffsetVerdict& group = outcome.findings.offsets[1];
  for (const OffsetVerdict& verdict : outcome.findings.offsets) {
    EXPECT_EQ(verdict.span.line, input.LineOf("pl.load"));
    EXPECT_EQ(verdict.function, "cell");
    EXPECT_EQ(verdict.op, "tile.load");
    EXPECT_EQ(verdict.tensor, "s");
    EXPECT_TRUE(verdict.proven);
    EXPECT_NE(verdict.reason, "");
  }
  EXPECT_EQ(block.axis, "block");
  EXPECT_EQ(block.divisor, 16);
  EXPECT_EQ(block.offset, "i");
  EXPECT_TRUE(block.symbolic);
  EXPECT_EQ(group.axis, "group");
  EXPECT_EQ(group.divisor, 2);
  EXPECT_EQ(group.offset, "2");
  EXPECT_FALSE(group.symbolic);
}

TEST(FindingsTest, RefusedOffsetsAreTold) {
  const TextProgram input(ProgramText({FunctionText(
      "InCore", "cell", kWithP, "t = pl.load(s, [p, p], [16, 2])")}));
  const Outcome outcome = RunPass(input);
  EXPECT_EQ(outcome.program, nullptr);
  ASSERT_EQ(outcome.findings.offsets.size(), 2);
  ASSERT_EQ(outcome.sink.error_count(), 2) << "one an axis";
  for (int i = 0; i < 2; ++i) {
    const OffsetVerdict& verdict = outcome.findings.offsets[i];
    EXPECT_FALSE(verdict.proven);
    EXPECT_THAT(verdict.reason, HasSubstr("p"));
    ASSERT_EQ(outcome.sink.diagnostics()[i].notes.size(), 1);
    EXPECT_EQ(outcome.sink.diagnostics()[i].notes[0].message, verdict.reason);
  }
}

// Everything that is wrong is told at once.
TEST(FindingsTest, AllErrorsOfAProgram) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "one",
                    "s: pl.Tensor[[24, 8], pl.FP8E8M0, pl.MX_A_ZZ]", ""),
       FunctionText("InCore", "two", kScaleA64x8,
                    "t = pl.load(s, [8, 0], [16, 2])\n"
                    "u = pl.load(s, [0, 1], [16, 2])")}));
  const Outcome outcome = RunPass(input);
  EXPECT_EQ(outcome.program, nullptr);
  std::vector<std::string> rules;
  for (const ir::Diagnostic& diagnostic : outcome.sink.diagnostics()) {
    rules.push_back(diagnostic.rule_id);
  }
  EXPECT_THAT(rules, ElementsAre("MX-BLOCK-3", "MX-OFFSET-2", "MX-OFFSET-2"));
}

// A stamped function is not looked at again, whatever it holds.
TEST(BlockMxTest, StampedFunctionsStayAsTheyAre) {
  const TextProgram input(ProgramText(
      {FunctionText("InCore", "done",
                    "s: pl.Tensor[[1, 4, 2, 16, 2], pl.FP8E8M0, "
                    "pl.MX_A_ZZ]",
                    "pl.func_attr({\"mx_tensor_views_blocked\": True})"),
       FunctionText("InCore", "todo", kScaleA64x8, "")}));
  const Outcome outcome = RunPass(input);
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  EXPECT_EQ(outcome.program->Find("done"), input->Find("done"));
  EXPECT_EQ(FirstParamType(outcome.program, "todo"),
            BlockedType("[1, 4, 4, 16, 2]", "MX_A_ZZ"));
}

}  // namespace
}  // namespace mxtile
