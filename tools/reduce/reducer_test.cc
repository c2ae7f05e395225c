#include "tools/reduce/reducer.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/text/text_program_test_util.h"
#include "ir/verifier.h"
#include "tools/reduce/long_program_test_util.h"

namespace mxtile {
namespace {

using ir::TextProgram;

bool IsSound(const ir::Program& program) {
  ir::DiagnosticSink sink;
  ir::VerifySsaForm(program, &sink);
  ir::VerifyTypeChecked(program, &sink);
  ir::VerifyUseAfterDef(program, &sink);
  ir::VerifyCallTypes(program, &sink);
  return !sink.has_errors();
}

absl::StatusOr<std::string> Reduce(const std::string& text,
                                   const StillFails& still_fails) {
  const TextProgram program(text);
  ir::DiagnosticSink sink;
  return ReduceProgram(
      *program, still_fails, [](const ReduceProgress&) {}, &sink);
}

TEST(ReducerTest, BringsThreeHundredLinesBelowThirty) {
  const std::string text = LongProgramText();
  ASSERT_GE(CountLines(text), 300);
  int tried = 0;
  const auto still_fails = [&tried](const std::string& candidate) {
    ++tried;
    // Text that cannot be read fails the test here.
    const TextProgram program(candidate);
    EXPECT_TRUE(IsSound(*program)) << candidate;
    return absl::StrContains(candidate, "pl.tile.recip(") &&
           absl::StrContains(candidate, "pl.tile.row_max(");
  };
  const absl::StatusOr<std::string> reduced = Reduce(text, still_fails);
  ASSERT_THAT(reduced, IsOk());
  EXPECT_LT(CountLines(*reduced), 30) << *reduced;
  EXPECT_TRUE(still_fails(*reduced));
  EXPECT_LT(tried, 1000);
  // The same again, and nothing more to find.
  EXPECT_THAT(Reduce(text, still_fails), IsOkAndHolds(*reduced));
  EXPECT_THAT(Reduce(*reduced, still_fails), IsOkAndHolds(*reduced));
}

TEST(ReducerTest, WhatDoesNotFailIsNotReduced) {
  const absl::StatusOr<std::string> reduced =
      Reduce(LongProgramText(), [](const std::string&) { return false; });
  EXPECT_EQ(ir::RuleOf(reduced.status()), "MX-REDUCE-1");
}

TEST(ReducerTest, AnErrorOfTheTrialEndsIt) {
  EXPECT_THAT(Reduce(LongProgramText(),
                     [](const std::string&) -> absl::StatusOr<bool> {
                       return absl::AbortedError("enough");
                     }),
              StatusIs(absl::StatusCode::kAborted, "enough"));
}

}  // namespace
}  // namespace mxtile
