#include "passes/legalize_tile_cast/legalize_tile_cast.h"

#include <string>
#include <vector>

#include "a5_model/soc/cast_chain.h"
#include "a5_model/soc/native_casts.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "passes/pass.h"
#include "passes/pass_text_test_util.h"

namespace mxtile {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// t, a tile [8, 64] of type `from`, and `body`.
std::string Text(absl::string_view from, absl::string_view body,
                 absl::string_view function_type = "InCore") {
  return ir::ProgramText({ir::FunctionText(
      function_type, "cell",
      absl::StrCat("x: pl.Tensor[[8, 64], pl.", from, "]"),
      absl::StrCat("t = pl.tile.load(x, [0, 0], [8, 64], [8, 48], "
                   "target_memory=pl.Mem.Vec)\n",
                   body))});
}

PassOptions For(absl::string_view target) {
  PassOptions options;
  options.target = std::string(target);
  return options;
}

TEST(LegalizeTileCastTest, BecomesAChainThatKeepsModeAndValidRegion) {
  const ir::TextProgram input(Text(
      "FP4", "c = pl.tile.cast(t, target_type=pl.FP8E4M3FN, mode='rint')"));
  const PassOutcome outcome = RunOnText(LegalizeTileCast(), input);
  ExpectProgram(
      outcome,
      Text("FP4",
           "c_BF16 = pl.tile.cast(t, target_type=pl.BF16, mode='rint')\n"
           "c_FP32 = pl.tile.cast(c_BF16, target_type=pl.FP32, mode='rint')\n"
           "c = pl.tile.cast(c_FP32, target_type=pl.FP8E4M3FN, mode='rint')"));
  EXPECT_EQ(RunOnText(LegalizeTileCast(), input, {}, outcome.program).program,
            outcome.program);
}

// The public pass leaves a cast inside of an expression as it is.
TEST(LegalizeTileCastTest, InsideOfAnExpression) {
  const std::string before =
      "c = pl.tile.abs(pl.tile.cast(pl.tile.cast(t, target_type=pl.FP32), "
      "target_type=pl.INT8))";
  const ir::TextProgram input(Text("INT32", before));
  ExpectProgram(
      RunOnText(LegalizeTileCast(), input),
      Text(
          "INT32",
          "c = pl.tile.abs(pl.tile.cast(pl.tile.cast(pl.tile.cast(t, "
          "target_type=pl.FP32), target_type=pl.FP16), target_type=pl.INT8))"));
}

TEST(LegalizeTileCastTest, InLoopsAndInEveryKindOfFunction) {
  for (const char* type : {"InCore", "AIV", "Opaque"}) {
    const ir::TextProgram input(
        Text("FP16",
             "for i in pl.range(4):\n"
             "    c = pl.tile.cast(t, target_type=pl.BF16)\n"
             "    u = pl.tile.abs(c)",
             type));
    ExpectProgram(RunOnText(LegalizeTileCast(), input),
                  Text("FP16",
                       "for i in pl.range(4):\n"
                       "    c_FP32 = pl.tile.cast(t, target_type=pl.FP32)\n"
                       "    c = pl.tile.cast(c_FP32, target_type=pl.BF16)\n"
                       "    u = pl.tile.abs(c)",
                       type));
  }
}

// The types of the casts of the function, in order: "FP4>BF16 BF16>FP32".
std::string CastsOf(const ir::Program& program) {
  std::string text;
  ir::ForEachStmt(program.functions[0]->body, [&](const ir::Stmt* stmt) {
    const auto* assign = ir::DynCast<ir::Assign>(stmt);
    if (assign == nullptr) return;
    const auto* call = ir::DynCast<ir::Call>(assign->value);
    if (call == nullptr || call->callee->name != "tile.cast") return;
    const auto name = [](const ir::Type* type) {
      return ir::DataTypeName(ir::CheckedCast<ir::TileType>(type)->dtype);
    };
    EXPECT_EQ(assign->var->type, call->type);
    absl::StrAppend(&text, text.empty() ? "" : " ", name(call->args[0]->type),
                    ">", name(call->type));
  });
  return text;
}

TEST(LegalizeTileCastTest, EveryPairOfEveryTarget) {
  int refused = 0, kept = 0, chained = 0;
  for (const char* target : {"a5", "a2a3"}) {
    const auto casts = a5::NativeCasts(target);
    for (int from = 0; from < a5::kNumCastTypes; ++from) {
      for (int to = 0; to < a5::kNumCastTypes; ++to) {
        if (from == to) continue;
        const auto source = static_cast<a5::CastType>(from);
        const auto goal = static_cast<a5::CastType>(to);
        SCOPED_TRACE(absl::StrCat(target, ": ", a5::Name(source), " to ",
                                  a5::Name(goal)));
        const ir::TextProgram input(
            Text(a5::Name(source),
                 absl::StrCat("c = pl.tile.cast(t, target_type=pl.",
                              a5::Name(goal), ", mode='round')")));
        const PassOutcome outcome =
            RunOnText(LegalizeTileCast(), input, For(target));
        const auto chain = a5::CastChain(casts, source, goal);
        if (chain.empty()) {
          ++refused;
          ASSERT_EQ(outcome.ErrorList().size(), 1);
          EXPECT_THAT(outcome.ErrorList()[0],
                      StartsWith(absl::StrCat(
                          "MX-LEGALIZE-1 tile.cast from ", a5::Name(source),
                          " to ", a5::Name(goal), ": ", target, " has no")));
          continue;
        }
        ASSERT_NE(outcome.program, nullptr) << outcome.errors();
        std::string want;
        absl::string_view before = a5::Name(source);
        for (const a5::CastType type : chain) {
          absl::StrAppend(&want, want.empty() ? "" : " ", before, ">",
                          a5::Name(type));
          before = a5::Name(type);
        }
        EXPECT_EQ(CastsOf(*outcome.program), want);
        EXPECT_EQ(outcome.program == input.get(), chain.size() == 1);
        ++(chain.size() == 1 ? kept : chained);
        EXPECT_EQ(
            RunOnText(LegalizeTileCast(), input, For(target), outcome.program)
                .program,
            outcome.program);
      }
    }
  }
  // 126 + 53 pairs can be cast, 42 + 24 of them by one instruction.
  EXPECT_EQ(kept, 42 + 24);
  EXPECT_EQ(chained, 126 + 53 - 42 - 24);
  EXPECT_EQ(refused, 2 * 15 * 14 - 126 - 53);
}

TEST(LegalizeTileCastTest, WithoutATargetNothingChanges) {
  const ir::TextProgram input(
      Text("UINT32", "c = pl.tile.cast(t, target_type=pl.FP32)"));
  EXPECT_EQ(RunOnText(LegalizeTileCast(), input, For("none")).program,
            input.get());
}

TEST(LegalizeTileCastTest, NoChain_MX_LEGALIZE_1) {
  const ir::TextProgram input(Text("UINT32",
                                   "c = pl.tile.cast(t, target_type=pl.FP32)\n"
                                   "i = pl.tile.cast(t, target_type=pl.INT16)\n"
                                   "h = pl.tile.cast(i, target_type=pl.INT4)"));
  ExpectRefused(
      RunOnText(LegalizeTileCast(), input),
      {"MX-LEGALIZE-1 tile.cast from UINT32 to FP32: a5 has no instruction for "
       "it, and no chain of casts that keeps what FP32 holds; UINT32 can "
       "become "
       "INT8, INT16, UINT8, UINT16",
       "MX-LEGALIZE-1 tile.cast from INT16 to INT4: a5 has no instruction for "
       "it, and no chain of casts that keeps what INT4 holds; INT16 can become "
       "BF16, FP16, FP32, FP4, FP8E4M3FN, FP8E5M2, HF8, INT8, INT32, UINT8, "
       "UINT16, UINT32"});
  const ir::TextProgram scale(
      Text("FP8E8M0", "c = pl.tile.cast(t, target_type=pl.FP32)"));
  EXPECT_THAT(RunOnText(LegalizeTileCast(), scale).errors(),
              HasSubstr("holds; it casts no FP8E8M0"));
}

}  // namespace
}  // namespace mxtile
